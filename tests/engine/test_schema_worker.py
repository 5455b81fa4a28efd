"""The worker process behind the verdicts: bounded, replaced, alone, and gone when nobody asks (T9, T10, T16, T21c)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jp_tui.engine.schema_check.process import CLOSED, DIED, TOO_LONG, SchemaChecker
from tests.limits import LIMIT

PROJECT = Path(__file__).parents[2]
EVIL = "^(a+)+$"


@pytest_asyncio.fixture
async def schemas() -> AsyncIterator[SchemaChecker]:
    found = SchemaChecker(seconds=5)
    yield found
    await found.close()


def of(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text()


def alive(pid: int) -> bool:
    try:
        return of(pid, "stat").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


async def gone(pid: int) -> None:
    async with asyncio.timeout(LIMIT):
        while alive(pid):  # noqa: ASYNC110 - the end of another's child has no event
            await asyncio.sleep(0.01)


def pid_of(schemas: SchemaChecker) -> int:
    assert schemas._worker is not None
    return schemas._worker.pid


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": EVIL}, "a" * 40 + "!"),
        ({"uniqueItems": True}, [{"a": number} for number in range(10_000)]),
    ],
    ids=["pattern", "uniqueItems"],
)
async def test_what_takes_too_long_is_no_answer_and_the_next_is_checked(schema: dict[str, Any], value: Any) -> None:
    """T16, T21c: the process is ended, and another one takes over."""
    schemas = SchemaChecker(seconds=0.3)
    assert await schemas.check({"type": "null"}, None) is None
    pid = pid_of(schemas)
    assert await schemas.check(schema, value) == TOO_LONG
    await gone(pid)
    assert await schemas.check({"type": "null"}, None) is None
    await schemas.close()


async def test_what_only_waits_for_a_cpu_does_not_take_too_long() -> None:
    """One that is stopped for longer than a verdict may take stands for one that a busy machine leaves waiting."""
    schemas = SchemaChecker(seconds=0.3)
    assert await schemas.check({}, 1) is None
    os.kill(pid_of(schemas), signal.SIGSTOP)
    asked = asyncio.ensure_future(schemas.check({"minimum": 3}, 1))
    done, _ = await asyncio.wait([asked], timeout=0.5)
    assert not done
    os.kill(pid_of(schemas), signal.SIGCONT)
    assert await asked == "it must be at least 3"
    await schemas.close()


async def test_what_needs_too_much_memory_is_no_answer(schemas: SchemaChecker) -> None:
    """256 MB: a thousand forms, each with its own complaint about a value of a megabyte."""
    schema = {"anyOf": [{"type": "integer"}] * 900}
    assert "too much memory" in str(await schemas.check(schema, "x" * 900_000))
    assert await schemas.check({"type": "string"}, "x") is None


async def test_a_worker_that_dies_is_replaced(schemas: SchemaChecker) -> None:
    assert await schemas.check({}, 1) is None
    pid = pid_of(schemas)
    asked = asyncio.ensure_future(schemas.check({"pattern": EVIL}, "a" * 40 + "!"))
    await asyncio.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    assert await asked == DIED
    assert await schemas.check({"type": "string"}, 1) == "it must be text"
    assert pid_of(schemas) != pid
    os.kill(pid_of(schemas), signal.SIGKILL)
    await gone(pid_of(schemas))
    assert await schemas.check({"type": "string"}, 1) in ("it must be text", DIED)
    assert await schemas.check({"type": "string"}, 1) == "it must be text"


async def test_a_verdict_that_was_called_off_is_not_taken_for_the_next(schemas: SchemaChecker) -> None:
    assert await schemas.check({}, 1) is None
    asked = asyncio.ensure_future(schemas.check({"pattern": EVIL}, "a" * 40 + "!"))
    await asyncio.sleep(0.02)
    asked.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asked
    assert await schemas.check({"type": "string"}, 1) == "it must be text"


async def test_closing_waits_for_no_verdict() -> None:
    """T21c: and the loop goes on while one takes its time."""
    schemas = SchemaChecker(seconds=30)
    assert await schemas.check({}, 1) is None
    asked = [asyncio.ensure_future(schemas.check({"pattern": EVIL}, "a" * 40 + "!")) for _ in range(2)]
    await asyncio.sleep(0.02)
    async with asyncio.timeout(LIMIT):
        await schemas.close()
        assert [await one for one in asked] == [DIED, CLOSED]


async def test_many_at_once_each_get_their_own(schemas: SchemaChecker) -> None:
    found = await asyncio.gather(*(schemas.check({"minimum": number}, 50) for number in range(100)))
    assert found == [None if number <= 50 else f"it must be at least {number}" for number in range(100)]


async def test_an_idle_program_has_no_child() -> None:
    schemas = SchemaChecker(idle=0.05)
    assert schemas._worker is None
    assert await schemas.check({}, 1) is None
    first = pid_of(schemas)
    await gone(first)
    assert schemas._worker is None
    assert await schemas.check({"type": "null"}, 1) == "it must be null"
    second = pid_of(schemas)
    await schemas.close()
    assert not alive(second)
    assert await schemas.check({}, 1) == CLOSED and schemas._worker is None
    await schemas.close()


async def test_the_worker_has_nothing_of_ours(schemas: SchemaChecker, monkeypatch: pytest.MonkeyPatch) -> None:
    """T10: a session of its own, none of our descriptors, none of our variables, no folder of ours."""
    monkeypatch.setenv("SOME_API_KEY", "canary")
    with socket.socket() as open_here:
        os.set_inheritable(open_here.fileno(), True)
        assert await schemas.check({}, 1) is None
        pid = pid_of(schemas)
        assert os.getsid(pid) == pid != os.getsid(0)
        held = sorted(os.listdir(f"/proc/{pid}/fd"))
        assert held == ["0", "1", "2"] and os.readlink(f"/proc/{pid}/fd/2") == "/dev/null"
        assert "canary" not in of(pid, "environ")
        assert os.readlink(f"/proc/{pid}/cwd") == "/"
        assert "268435456" in of(pid, "limits")


def test_it_works_in_the_thread_of_an_engine() -> None:
    """The engine's loop does not run in the main thread (T8)."""
    found: list[str | None] = []

    async def ask() -> None:
        schemas = SchemaChecker(seconds=5)
        found.append(await schemas.check({"type": "string"}, 1))
        found.append(await schemas.usable({}))
        await schemas.close()

    thread = threading.Thread(target=lambda: asyncio.run(ask()))
    thread.start()
    thread.join(LIMIT)
    assert found == ["it must be text", None]


PARENT = """
import asyncio, sys
from jp_tui.engine.schema_check.process import SchemaChecker
async def main():
    schemas = SchemaChecker(seconds=0.4)
    await schemas.check({}, 1)
    print(schemas._worker.pid, flush=True)
    sys.stdin.readline()
    asyncio.ensure_future(schemas.check({"pattern": "^(a+)+$"}, "a" * 40 + "!"))
    await asyncio.sleep(0.1)
    print("busy", flush=True)
    await asyncio.sleep(10)
asyncio.run(main())
"""


def started() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("busy", [True, False])
async def test_a_killed_program_leaves_no_worker_behind(busy: bool) -> None:
    """Idle it reads the end of its input; in the middle of a pattern its own timer ends it."""
    parent = started()
    assert parent.stdin is not None and parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert alive(pid)
    if busy:
        parent.stdin.write("\n")
        parent.stdin.flush()
        assert parent.stdout.readline() == "busy\n"
    parent.kill()
    parent.communicate(timeout=LIMIT)
    await gone(pid)


def test_it_works_from_a_wheel_and_loads_nothing_before_it_is_used(tmp_path: Path) -> None:
    """From a zip on the path, in a folder that offers its own `jsonschema`; T23: the program itself never loads it."""
    import zipfile

    with zipfile.ZipFile(tmp_path / "jp.zip", "w") as made:
        for file in (PROJECT / "jp_tui").rglob("*.py"):
            made.write(file, file.relative_to(PROJECT))
    (tmp_path / "jsonschema.py").write_text("raise SystemExit(3)")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import asyncio; import jp_tui.engine.schema_check.process as s;"
        "assert s.__file__.startswith(sys.argv[1]), s.__file__;"
        "print(asyncio.run(s.SchemaChecker().check({'minimum': 3}, 1)), 'jsonschema' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-c", code, str(tmp_path / "jp.zip")], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.stdout == "it must be at least 3 False\n", run.stderr
