"""HOUSE "Invariants are written as absences": what each room must never do, beyond the import contract."""

from __future__ import annotations

import ast
from pathlib import Path

from jp_tui.settings.load import load
from tests.house.sources import Source, imported, ours

PURE = ("conversation", "questions", "protocol", "inquiry", "view", "rules")
DOING = {
    "asyncio", "threading", "multiprocessing", "subprocess", "socket", "select", "sqlite3", "ssl", "http", "time",
    "uuid", "urllib.request", "random", "secrets", "os", "pathlib", "io", "shutil", "tempfile", "logging", "concurrent",
    "signal",
}  # fmt: skip
"""What does I/O, waits, reads a clock or mints an id."""

HOPS = (
    "jp_tui/link/local.py", "jp_tui/ui/bridge.py", "jp_tui/journal/writer.py", "jp_tui/ui/painting/painter.py",
    "jp_tui/ui/driver/workspace_driver.py", "jp_tui/system/lock.py", "jp_tui/engine/schema_check/process.py",
    "jp_tui/guardian/parent.py", "jp_tui/guardian/terminal.py", "jp_tui/ui/driver/output.py",
    "jp_tui/ui/driver/first_frame.py", "jp_tui/system/children.py", "jp_tui/system/child_keeper.py",
    "jp_tui/system/watchdog.py", "jp_tui/system/sandbox/placeholders.py", "jp_tui/mcp_host/main.py",
    "jp_tui/mcp_host/stdio.py", "jp_tui/mcp_host/token_store.py",
    "jp_tui/journal/postgres/writer.py", "jp_tui/journal/postgres/health.py",
    "jp_tui/journal/postgres/leases.py",
)  # fmt: skip
"""The only files that may name a thread, a lock or a process (HOUSE "Threads and processes")."""

NARROW = {
    "jp_tui/ui/failures/crash_report.py": {
        "threading.excepthook",
        "threading.ExceptHookArgs",
        "threading.current_thread",
    },
    "jp_tui/system/editor.py": {"subprocess.run"},
    "jp_tui/system/clipboard.py": {"subprocess.Popen", "subprocess.DEVNULL"},
}
"""Three more that need one thing each: a report of what died in a thread (it starts none), the user's own editor, the
one child that must have the terminal, which `children.py` gives to none, and the program that holds what was copied and
stays behind, which `children.py` would end."""

MAKING = {
    "threading", "multiprocessing", "subprocess", "concurrent.futures", "_thread", "fcntl", "queue", "pty",
}  # fmt: skip
HOPPING = {
    "to_thread", "run_in_executor", "run_worker", "call_soon_threadsafe", "run_coroutine_threadsafe",
    "call_from_thread", "create_subprocess_exec", "create_subprocess_shell", "flock", "lockf",
}  # fmt: skip
SPAWNING = {"fork", "forkpty", "posix_spawn", "execv", "execve", "execvp", "system", "popen", "spawnv", "spawnlp"}


ROOMS = {source.room for source in ours("jp_tui")}


def within(source: Source, names: set[str]) -> list[str]:
    return [
        f"{source.name}:{line} {name}"
        for line, name, _ in imported(source)
        if name in names or any(name.startswith(f"{top}.") for top in names)
    ]


def doing(source: Source) -> list[str]:
    """Every place where a file does something, waits, or asks the machine."""
    found = within(source, DOING)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Await | ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith):
            found.append(f"{source.name}:{node.lineno} waits")
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
            if name in ("open", "print", "input", "now", "utcnow", "today", "getLogger"):
                found.append(f"{source.name}:{node.lineno} {name}")
    return found


def test_a_pure_room_does_nothing() -> None:
    pure = [source for source in ours("jp_tui") if source.room in PURE]
    assert {source.room for source in pure} == set(PURE)
    assert [place for source in pure for place in doing(source)] == []


def hops(source: Source) -> list[str]:
    """Every place where a file names a thread, a lock or a process."""
    found = within(source, MAKING)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute):
            root = getattr(node.value, "id", "")
            if node.attr in HOPPING or (node.attr in SPAWNING and root in ("os", "posix", "pty")):
                found.append(f"{source.name}:{node.lineno} {node.attr}")
    return found


def named(source: Source) -> set[str]:
    """What a file takes from a module that makes threads, locks or processes."""
    return {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in MAKING
    }


def test_no_other_file_names_a_thread_a_lock_or_a_process() -> None:
    others = [source for source in ours("jp_tui") if source.name not in HOPS]
    assert len(others) > 100
    assert [place for source in others if source.name not in NARROW for place in hops(source)] == []
    assert {source.name: named(source) for source in others if source.name in NARROW} == NARROW


def test_only_the_ui_knows_textual_and_only_one_driver_knows_httpx() -> None:
    for source in ours("jp_tui"):
        if source.room != "ui":
            assert within(source, {"textual", "rich"}) == []
        if source.name != "jp_tui/providers/http.py":
            assert within(source, {"httpx"}) == []
        if source.room != "journal":
            assert within(source, {"sqlite3"}) == []


def test_no_tool_is_special_by_its_name() -> None:
    """HOUSE: the coordinator and the faces never look at a tool's name."""
    from jp_tui.settings import toolset

    names = set(toolset.tools(load(user_file="", workspace_file="", environment={})))
    assert len(names) >= 8
    for source in ours("jp_tui"):
        if source.room in ("engine", "inquiry", "ui", "headless", "link", "protocol", "journal", "providers"):
            for node in ast.walk(source.tree):
                if isinstance(node, ast.Compare | ast.match_case):
                    spoken = {
                        n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
                    }
                    assert not spoken & names, f"{source.name}:{getattr(node, 'lineno', 0)} {spoken & names}"


def test_the_guardian_imports_no_room_and_nothing_heavy() -> None:
    guardian = [source for source in ours("jp_tui") if source.name.startswith("jp_tui/guardian/")]
    assert len(guardian) >= 4
    names = {name for source in guardian for _, name, inside in imported(source) if not inside}
    own = {name for name in names if name.startswith("jp_tui.guardian.")}
    assert {name.split(".")[0] for name in names - own} <= {
        "__future__", "_signal", "posix", "select", "sys", "termios", "time",
    }  # fmt: skip


def test_every_room_is_in_the_import_contract_and_every_room_of_the_contract_is_there() -> None:
    import re
    import tomllib

    from tests.house.sources import ROOT

    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["id"] == "layers"]
    listed = {name for layer in layers for name in re.findall(r"\w+", layer)}
    assert listed == ROOMS - {"__init__"}
    (floors,) = [contract["layers"] for contract in contracts if contract["id"] == "engine-floors"]
    engine = ROOT / "jp_tui" / "engine"
    assert set(floors) == {path.stem for path in engine.iterdir() if not path.name.startswith("__")}
    assert not [layer for layer in layers if "(" in layer], "a room that is there is not optional"


def test_the_checks_above_can_fail(tmp_path: Path) -> None:
    """Each finder finds what it is for."""
    text = "import threading\nfrom concurrent import futures\nimport httpx\ndef f(loop, os):\n    import sqlite3\n"
    text += "    loop.run_in_executor(None, f)\n    os.fork()\n    self.fork()\n"
    text += "async def g():\n    open(await f())\n    subprocess.run([])\n"
    (tmp_path / "x.py").write_text(text)
    made = Source(tmp_path / "x.py", "jp_tui/x.py")
    assert named(made) == {"subprocess.run"}
    assert {"threading", "sqlite3", "waits", "open"} <= {place.split()[-1] for place in doing(made)}
    assert len(within(made, MAKING)) == 2 and len(hops(made)) == 4
    assert len(within(made, {"httpx"})) == 1 and len(within(made, {"sqlite3"})) == 1
    assert [(name, inside) for _, name, inside in imported(made) if name == "sqlite3"] == [("sqlite3", True)]
