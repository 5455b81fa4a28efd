"""Validation against JSON Schemas in a killable process (traps.md T15, T16, T21c).

One warm worker, started on first use and stopped when idle; at most 1 s of CPU time per verdict and 256 MB: what it
waits for on a busy machine doesn't count. Every failure there is a negative verdict too: too long, too large, died.
Fetches nothing and validates nothing in this process. The child is `worker.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

from jp_tui.conversation.strict_json import Json, JsonObject, dump, parse_object
from jp_tui.questions.bounds import MAX_BYTES, beyond
from jp_tui.system.children import child_environment

TOO_LONG = "it took too long to check"
DIED = "it could not be checked: the checking process ended"
UNSTARTED = "it could not be checked: the checking process did not start"
CLOSED = "it could not be checked: the program is closing"

MAX_SCHEMA = 256 * 1024
MAX_NODES = 100_000
_ANSWER = 1 << 20
_START_SECONDS = 10.0
_SLOWER = 20
"""Times its CPU time a verdict may take."""
_END_SECONDS = 5.0
_TOLD = 5
_START = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from jp_tui.engine.schema_check.worker import main; main(float(sys.argv[1]))"
)

_VERBS = ("must ", "is ", "has ", "fits ", "does ", "lacks ")

Problems = list[tuple[str, str]]
"""Place (JSON pointer into the value, "" for the whole) and problem in plain text: "must be at least 1"."""


def sentence(problems: Problems) -> str:
    """Return the first few problems as one line: "`/port` must be at least 1; `name` is missing"."""
    told = []
    for where, words in problems[:_TOLD]:
        if words.startswith(_VERBS):
            told.append(f"`{where}` {words}" if where else f"it {words}")
        else:
            told.append(f"{words} (in `{where}`)" if where else words)
    more = len(problems) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")


class SchemaChecker:
    """Validator of one engine; used from one event loop. Times in seconds: CPU time per verdict, and until idle."""

    def __init__(self, *, seconds: float = 1.0, idle: float = 60.0) -> None:
        self._seconds, self._idle = seconds, idle
        self._turns = asyncio.Lock()
        self._worker: Process | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    async def check(self, schema: JsonObject, value: Json) -> str | None:
        """Return why `value` doesn't fit, in plain text; None if it does."""
        found = await self.problems(schema, value)
        return sentence(found) if found else None

    async def problems(self, schema: JsonObject, value: Json) -> Problems:
        """Return all problems of `value` (at most 50), in the order of its parts; empty if it fits."""
        heavy = _too_heavy(schema) or _heavy(value, "the contents", MAX_BYTES)
        if heavy:
            return [("", heavy)]
        answer = await self._ask({"do": "check", "schema": dump(schema), "value": dump(value)})
        if isinstance(answer, str):
            return [("", answer)]
        found = answer.get("problems")
        if not isinstance(found, list):
            return [("", DIED)]
        return [(str(one[0]), str(one[1])) for one in found if isinstance(one, list) and len(one) == 2]

    async def usable(self, schema: Json) -> str | None:
        """Return why a schema can't be used (V9, V18); None if it can."""
        if not isinstance(schema, dict):
            return "the schema is not a JSON object"
        heavy = _too_heavy(schema)
        if heavy:
            return heavy
        answer = await self._ask({"do": "usable", "schema": dump(schema)})
        if isinstance(answer, str):
            return answer
        why = answer.get("unusable", DIED)
        return None if why is None else str(why)

    async def close(self) -> None:
        """End the worker at once, also while working; waiting callers get an error."""
        self._closed = True
        if self._worker is not None:
            _kill(self._worker)
        async with self._turns:
            await self._end()

    async def _ask(self, job: JsonObject) -> JsonObject | str:
        """Return the worker's reply, or why there is none."""
        async with self._turns:
            if self._closed:
                return CLOSED
            self._rest()
            try:
                return await self._exchange(dump(job).encode())
            except BaseException:  # cancelled while waiting: the next reply would belong to another question
                await self._end()
                raise
            finally:
                if self._worker is not None:
                    self._timer = asyncio.get_running_loop().call_later(self._idle, self._retire)

    async def _exchange(self, job: bytes) -> JsonObject | str:
        if self._worker is not None and self._worker.returncode is not None:  # it died while idle
            await self._end()
        worker = self._worker or await self._start()
        if worker is None:
            return UNSTARTED
        try:
            async with asyncio.timeout(self._seconds * _SLOWER):
                return await _send(worker, job)
        except TimeoutError:
            await self._end()
            return TOO_LONG
        except (OSError, ValueError, asyncio.IncompleteReadError):
            await self._end()
            return TOO_LONG if worker.returncode == -signal.SIGPROF else DIED

    async def _start(self) -> Process | None:
        root = str(Path(__file__).parents[3])
        paths = [root, *(path for path in sys.path if path and path != root)]
        argv = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, str(self._seconds), *paths]
        try:
            worker = await asyncio.create_subprocess_exec(
                *argv, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd="/", env=child_environment(os.environ),
                start_new_session=True, limit=_ANSWER,
            )  # fmt: skip
        except (OSError, ValueError):
            return None
        self._worker = worker
        try:
            async with asyncio.timeout(_START_SECONDS):
                await _receive(worker)
        except (TimeoutError, OSError, ValueError, asyncio.IncompleteReadError):
            await self._end()
            return None
        return worker

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _retire(self) -> None:
        """Stop the idle worker: it exits at the end of its input."""
        self._timer = None
        worker, self._worker = self._worker, None
        if worker is not None and worker.stdin is not None:
            worker.stdin.close()

    async def _end(self) -> None:
        self._rest()
        worker, self._worker = self._worker, None
        if worker is None:
            return
        if worker.stdin is not None:
            worker.stdin.close()
        _kill(worker)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                await worker.wait()


def _kill(worker: Process) -> None:
    if worker.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(worker.pid, signal.SIGKILL)


def _too_heavy(schema: JsonObject) -> str | None:
    return _heavy(schema, "the contents of the schema", MAX_SCHEMA)


def _heavy(value: Json, what: str, most: int) -> str | None:
    """V18, V19 and T16, checked before anything is sent."""
    found = beyond(value, what, max_bytes=most, max_nodes=MAX_NODES)
    return found[2].removesuffix(".") if found else None


async def _send(worker: Process, job: bytes) -> JsonObject:
    assert worker.stdin is not None
    worker.stdin.write(b"%d\n%s" % (len(job), job))
    await worker.stdin.drain()
    return await _receive(worker)


async def _receive(worker: Process) -> JsonObject:
    """Read one reply: its length on a line, then so many bytes."""
    assert worker.stdout is not None
    size = int(await worker.stdout.readuntil(b"\n"))
    if not 0 < size <= _ANSWER:
        raise ValueError("an answer of no sensible size")
    return parse_object(await worker.stdout.readexactly(size))
