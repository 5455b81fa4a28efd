"""T23, T29, HOUSE: what `--version`, `query` and the workspace really load, seen from a fresh interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.sources import ROOT, imported, ours
from tests.limits import LIMIT

HEAVY = (
    "httpx", "tomlkit", "pygments", "markdown_it", "jsonschema", "argparse", "yaml", "mcp", "acp", "psycopg",
    "jp_tui.journal.postgres",
)  # fmt: skip


def loaded(code: str, home: Path, *argv: str) -> tuple[set[str], str]:
    """The modules that are there when `code` has run, and what it wrote."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "JP_TUI_HOME": str(home / "jp"),
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
    }
    ending = "\nimport sys\nsys.stderr.write('MODULES ' + ' '.join(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code + ending, *argv],
        env=environment,
        cwd=home,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said, _, modules = done.stderr.rpartition("MODULES ")
    return set(modules.split()), done.stdout + said


def has(modules: set[str], name: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for module in modules)


def test_t29_version_reads_a_constant(tmp_path: Path) -> None:
    modules, said = loaded("from jp_tui.main import main\nassert main(['--version']) == 0", tmp_path)
    from jp_tui import __version__

    assert said == f"jp-tui {__version__}\n"
    for name in (
        "argparse",
        "textual",
        "rich",
        "pydantic",
        "asyncio",
        "jp_tui.startup",
        "jp_tui.settings",
        "re",
        "importlib.metadata",
        *HEAVY,
    ):
        assert not has(modules, name), name


def test_help_and_errors_need_no_screen_and_no_engine(tmp_path: Path) -> None:
    for argv, status in ((["--help"], 0), (["query", "--help"], 0), (["--modl", "x"], 2)):
        modules, _ = loaded(f"from jp_tui.main import main\nassert main({argv!r}) == {status}", tmp_path)
        for name in ("textual", "rich", "pydantic", "httpx", "sqlite3", "jp_tui.engine", "jp_tui.ui"):
            assert not has(modules, name), f"{argv}: {name}"


def test_n10_a_question_that_was_answered_before_loads_no_settings(tmp_path: Path) -> None:
    config = tmp_path / "jp" / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[conversation.tools.'outside.*'.questions.answer]\nanswer = true\n")
    code = "from jp_tui.main import main\nassert main(['ask', 'Go on?']) == 0"
    first, _ = loaded(code, tmp_path)
    modules, said = loaded(code, tmp_path)
    assert said == "yes\n"
    for name in ("jp_tui.settings.layers", "jp_tui.inquiry", "jp_tui.questions", "jp_tui.guardian", *HEAVY):
        assert not has(modules, name), name
    assert has(first, "jp_tui.settings.layers") and not has(first, "argparse")


def test_query_loads_no_screen(tmp_path: Path) -> None:
    code = (
        "from jp_tui.main import main\n"
        "assert main(['query', '--non-interactive', '--model', 'demo/tour', 'hello']) == 0"
    )
    modules, said = loaded(code, tmp_path)
    assert said.strip(), "the tour says something"
    for name in ("textual", "rich", "tomlkit", "pygments", "markdown_it", "httpx", "yaml", "pydantic", "jp_tui.ui"):
        assert not has(modules, name), name
    assert has(modules, "jp_tui.engine")


def test_the_workspace_loads_no_more_than_its_first_frame_needs(tmp_path: Path) -> None:
    modules, _ = loaded("import jp_tui.startup, jp_tui.ui.app", tmp_path)
    assert has(modules, "textual")
    for name in (*HEAVY, "sqlite3", "jp_tui.engine", "jp_tui.providers", "jp_tui.tools", "jp_tui.inquiry"):
        assert not has(modules, name), name
    # nor the protocol, also with a first screen in it (S51)
    first, _ = loaded("import jp_tui.startup.workspace, jp_tui.ui.app, jp_tui.ui.transcript.first_screen", tmp_path)
    assert not {name for name in first if name.startswith("jp_tui.protocol.")}
    # no look at git, no walk through folders, no command or instruction file (context.md K6, K10, K50)
    for name in ("jp_tui.settings.command_files", "jp_tui.system.files", "jp_tui.system.listing"):
        assert not has(modules, name), name


def test_a_face_never_loads_the_engine_even_by_a_detour(tmp_path: Path) -> None:
    for face in ("jp_tui.ui.app", "jp_tui.headless.query"):
        modules, _ = loaded(f"import {face}", tmp_path)
        for room in ("engine", "inquiry", "journal", "providers", "tools"):
            beyond = {name for name in modules if name.startswith(f"jp_tui.{room}.")}
            assert not beyond, f"{face}: {beyond}"


@pytest.mark.parametrize("heavy", ["httpx", "tomlkit", "pygments", "markdown_it", "argparse", "yaml"])
def test_what_is_heavy_is_imported_where_it_is_used(heavy: str) -> None:
    """At the top of a file only where the whole file is imported late: these are the ones."""
    late = {"argparse": {"jp_tui/settings/cli/parsers.py"}}.get(heavy, set())
    for source in ours("jp_tui"):
        at_top = [name for _, name, inside in imported(source) if not inside and name.split(".")[0] == heavy]
        assert not at_top or source.name in late, source.name
