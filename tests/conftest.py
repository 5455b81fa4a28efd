"""What every room's tests share: where recorded fixtures are, and a home that is not the user's.

Also what makes a run shorter without proving less. Nothing here starts the program or knows a room.
"""

from __future__ import annotations

import compileall
import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests import checked_messages, default_signals
from tests.sampling import only_parts, whole

if TYPE_CHECKING:
    from tests.fakes.postgres import Server

ROOT = Path(__file__).resolve().parent.parent

# A shared machine is slow now and then: a wrong result is a failure, a slow example is not.
# A long run: --hypothesis-profile=long
settings.register_profile(
    "jp", max_examples=60 if whole() else 30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", settings.get_profile("jp"), max_examples=5_000)
settings.load_profile("jp")

SELDOM = (20_000, 20, 1_000)
"""How often garbage is looked for while a test runs; not everywhere, that is done between tests."""
LONGEST_NAME = 120
"""Characters of a text that stand in the name of a test of it."""
LOOKS = 10
"""Looks at what is not new any more, after which a test's end is the moment to look everywhere: some twenty apps."""


def pytest_configure(config: pytest.Config) -> None:
    """At the end garbage is looked for once, not five times: tests leave little, and each worker has all of them. Where
    pictures are taken anew, all are: one of no test would be removed."""
    if config.getoption("update_snapshots", default=False):
        os.environ["TESTS_WHOLE"] = "1"
    with contextlib.suppress(ImportError):
        from _pytest.unraisableexception import gc_collect_iterations_key

        config.stash[gc_collect_iterations_key] = 1


def pytest_sessionstart(session: pytest.Session) -> None:
    """Bytecode once, also where Python is to write none (PYTHONDONTWRITEBYTECODE): else each child of a test compiles
    the program anew, and each worker the tests. Workers share them out: each begins with others."""
    default_signals.restore()
    checked_messages.install()
    gc.disable()  # until all is collected: what is made meanwhile stays
    sys.dont_write_bytecode = False
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker:
        compileall.compile_dir(ROOT / "jp_tui", quiet=2)
        return
    given = [ROOT / str(word).partition("::")[0] for word in session.config.args]
    files = sorted({file for path in given for file in ([path] if path.is_file() else path.rglob("test_*.py"))})
    for file in files[int(worker[2:]) :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # said when it is collected
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_make_parametrize_id(val: object) -> str | None:
    """A long text is not its test's name: each worker sends all names to the one that shares them out, each report
    carries one, and pytest puts it into the environment of children."""
    if isinstance(val, str | bytes) and len(val) > LONGEST_NAME:
        start = val[:LONGEST_NAME]
        return f"{start if isinstance(start, str) else start.decode('latin-1')}… {len(val)}"
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of tests with many similar cases, a part."""
    only_parts(config, items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Thousands of collected tests are no garbage: they are not looked through again, and the rest less often."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(*SELDOM)


def pytest_runtest_logfinish(nodeid: str) -> None:
    """What tests leave is collected between them, where it is measured by none. A face has its own mind about when that
    is, and in a test it is rarely there long enough to make it up: its last thousand apps would all be in memory."""
    gc.set_threshold(*SELDOM)
    if gc.get_count()[2] >= LOOKS:
        gc.collect()


RECORDED = Path(os.environ.get("JP_TUI_FIXTURES") or ROOT.parent / "shared" / "fixtures")
"""Recordings that are no part of the project: where there are any, they are read beside what is made by hand."""


@pytest.fixture(scope="session", params=["made", *(["recorded"] if (RECORDED / "jp_conversations").is_dir() else [])])
def jp_conversations(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three conversations as jp stores them."""
    if request.param == "recorded":
        return RECORDED / "jp_conversations"
    from tests.fakes.jp_conversations import write

    return write(tmp_path_factory.mktemp("jp_conversations"))


@pytest.fixture
def jp_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A fresh JP_TUI_HOME, also HOME, with nothing of the user's environment that would change what is tested."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for name in list(os.environ):
        ours = name.startswith("JP_TUI_") and name != "JP_TUI_FIXTURES"
        if ours or name.endswith("_API_KEY") or name == "OLLAMA_HOST":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("JP_TUI_HOME", str(home / "jp"))
    yield home / "jp"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """One PostgreSQL server for a worker's tests."""
    from tests.fakes.postgres import running

    with running() as found:
        yield found
