"""Which program the fault tests kill, and a terminal to kill it in.

Another program (the real `jp-tui`) is one more `Target`: its command and environment for a fresh folder, the text
that shows it is ready, and `whole`, which looks at what it left on the disk.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.terminal import Reports, Terminal
from tests.sampling import sampled

Start = Callable[..., Terminal]


def _nothing_to_check(folder: Path) -> None:
    """The sample keeps no log."""


@dataclass(frozen=True)
class Target:
    """`command(folder)` and `environment(folder)` are for a fresh folder; `whole(folder)` asserts the log is."""

    name: str
    command: Callable[[Path], list[str]]
    environment: Callable[[Path], dict[str, str]]
    ready: str
    whole: Callable[[Path], None] = _nothing_to_check


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return kept | {"HOME": str(folder), "TERM": "xterm-256color", "PYTHONDONTWRITEBYTECODE": "1"}


SAMPLE = Target(
    name="sample",
    command=lambda folder: [sys.executable, str(Path(__file__).with_name("sample_app.py")), str(folder)],
    environment=_environment,
    ready="sample is ready",
)
REAL = Target(
    name="jp-tui",
    command=lambda folder: [sys.executable, "-m", "jp_tui"],
    environment=lambda folder: (
        _environment(folder)
        | {"JP_TUI_HOME": str(folder / "jp"), "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    ),
    ready="F1 keys",
)
TARGETS = sampled([REAL, SAMPLE], 2)

_HOLD = """
import os, sys, time

class Hold:
    def find_spec(self, name, path=None, target=None):
        if name == "textual":
            sys.meta_path.remove(self)
            while not os.path.exists({go!r}):
                time.sleep(0.005)

sys.meta_path.insert(0, Hold())
"""


class Held:
    """An app that isn't loaded before `release`: what the guardian does until then is seen for sure, however slow the
    machine makes the test. `env` is for the program."""

    def __init__(self, folder: Path) -> None:
        self._go = folder / "go"
        hook = folder / "hook"
        hook.mkdir()
        (hook / "sitecustomize.py").write_text(_HOLD.format(go=str(self._go)))
        self.env = {"PYTHONPATH": f"{hook}{os.pathsep}{Path(__file__).resolve().parents[2]}"}

    def release(self) -> None:
        """Let it be loaded."""
        self._go.touch()


@pytest.fixture(params=TARGETS, ids=lambda target: target.name)
def target(request: pytest.FixtureRequest) -> Target:
    """Each program in turn."""
    return request.param


@pytest.fixture
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    """For `start(…, env=held.env)`."""
    made = Held(tmp_path_factory.mktemp("held"))
    yield made
    made.release()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """`start(target, *more_arguments, holder=True, ready=True, env={}, reports=KEPT)`: a terminal in which it runs."""
    started: list[Terminal] = []

    def start_it(
        target: Target,
        *more: str,
        holder: bool = True,
        ready: bool = True,
        env: dict[str, str] | None = None,
        reports: Reports = Reports.KEPT,
    ) -> Terminal:
        terminal = Terminal(
            [*target.command(tmp_path), *more],
            env=target.environment(tmp_path) | (env or {}),
            cwd=tmp_path,
            holder=holder,
            reports=reports,
        )
        started.append(terminal)
        if ready:
            terminal.wait_text(target.ready)
        return terminal

    yield start_it
    for terminal in started:
        terminal.close()
