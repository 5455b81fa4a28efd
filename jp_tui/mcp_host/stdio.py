"""A server as a child process: bounded lines of JSON-RPC, which the SDK's own transport lacks (mcp.md P50, P51)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from jp_tui.mcp_host.dropped import FLOOD, Dropped, Pace
from jp_tui.mcp_host.log_file import LogFile

_CHUNK = 1 << 16
_LAST_WORDS = 0.5
"""Seconds for what an ended server still wrote."""
_LEAVES = 1.5
"""Seconds for a server to end after its input was closed."""
_DIGITS = 20
_MARK = b"\xef\xbb\xbf"
"""Byte order mark, which some programs write in front of UTF-8."""
OURS = token_hex(16)
"""Data of an error that stands for an answer of the server, with our words."""


class StdioServer:
    """A transport of the SDK (an async context manager of two streams) over a child process.

    `status` is its exit status once it ended, negative for a signal; `fault` is why its output was given up, `ended` is
    set when it ends by itself.
    """

    def __init__(self, argv: Sequence[str], cwd: str, environment: Mapping[str, str], most: int, log: LogFile) -> None:
        self._argv, self._cwd, self._environment, self._most, self._log = argv, cwd, environment, most, log
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._pending: set[str | int] = set()
        self._dropped = Dropped(log)
        self.status: int | None = None
        self.fault = ""
        self.ended = asyncio.Event()
        self._closing = False

    @property
    def floods(self) -> bool:
        """Return whether it sends more than is taken."""
        return self._dropped.pace.floods

    async def __aenter__(self) -> tuple[Any, Any]:
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._argv,
            cwd=self._cwd,
            env=dict(self._environment),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )
        self._in, read = anyio.create_memory_object_stream[Any](0)
        write, self._out = anyio.create_memory_object_stream[Any](0)
        reading = asyncio.create_task(self._read())
        self._tasks = [reading, asyncio.create_task(self._write()), asyncio.create_task(self._complain())]
        self._streams = (self._in, read, write, self._out)
        return read, write

    async def __aexit__(self, *_: object) -> None:
        process = self._process
        assert process is not None
        self._closing = True
        if process.stdin is not None:
            process.stdin.close()
        if self.status is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LEAVES):
                    self.status = await process.wait()
        if self.status is None:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    process.send_signal(number)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LAST_WORDS):
                        self.status = await process.wait()
                        break
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for stream in self._streams:
            stream.close()
        self._dropped.close()

    async def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        held = bytearray()
        try:
            while chunk := await self._process.stdout.read(_CHUNK):
                held += chunk
                if b"\n" in chunk:
                    *lines, held = held.split(b"\n")
                    for line in lines:
                        await self._line(bytes(line))
                        await self._dropped.pace.rest()
                    await self._dropped.pace.rest(piece=True)
                if len(held) > self._most:
                    self._give_up()
                    break
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LAST_WORDS):
                    self.status = await self._process.wait()
            if not self._closing:
                self.ended.set()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the session is over; the server isn't
        except ConnectionError:
            self.ended.set()
        finally:
            self._in.close()

    def _give_up(self) -> None:
        self.fault = f"sent a message over {self._most / (1 << 20):.3g} MiB"
        with contextlib.suppress(ProcessLookupError):
            assert self._process is not None
            os.kill(self._process.pid, signal.SIGKILL)

    async def _line(self, line: bytes) -> None:
        if len(line) > self._most and not self.fault:
            self._give_up()
        if self.fault or not line.strip():
            return
        line = line.removeprefix(_MARK)
        exceeded = self._dropped.pace.exceeded()
        if exceeded and b'"id"' not in line:
            self._dropped.add(FLOOD)
            return
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except (ValueError, RecursionError) as problem:
            if (number := self._answered(line)) is None:
                self._dropped.add("lines that are no JSON-RPC", line[:200].decode("utf-8", "replace"))
                return
            error = types.ErrorData(code=types.PARSE_ERROR, message=_unreadable(problem), data=OURS)
            message = types.JSONRPCError(jsonrpc="2.0", id=number, error=error)
        if self._dropped.refuses(message, exceeded=exceeded):
            return
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            if message.id not in self._pending:
                self._dropped.add("answers to unknown or used ids")
                return
            self._pending.discard(message.id)
        await self._in.send(SessionMessage(message))

    def _answered(self, line: bytes) -> str | int | None:
        """Return the request that an invalid answer is for: it would wait for nothing. None for any other line."""
        try:
            found = json.loads(line, parse_int=lambda digits: int(digits) if len(digits) < _DIGITS else 0)
        except (ValueError, RecursionError):
            return None
        number = found.get("id") if isinstance(found, dict) and "method" not in found else None
        return number if isinstance(number, str | int) and number in self._pending else None

    async def _write(self) -> None:
        assert self._process is not None and self._process.stdin is not None
        try:
            async for sent in self._out:
                message = sent.message
                if isinstance(message, types.JSONRPCRequest):
                    self._pending.add(message.id)
                text = message.model_dump_json(by_alias=True, exclude_unset=True)
                self._process.stdin.write(text.encode("utf-8", "replace") + b"\n")
                await self._process.stdin.drain()
                self._dropped.answered(message)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._in.close()
        except OSError:  # a server that ends closes its input first: its last words and its status are read before
            await asyncio.wait(self._tasks[:1], timeout=_LEAVES)
            self._in.close()

    async def _complain(self) -> None:
        assert self._process is not None and self._process.stderr is not None
        pace = Pace()
        while chunk := await self._process.stderr.read(_CHUNK):
            self._log.output(chunk)
            pace.exceeded(chunk.count(b"\n"))
            await pace.rest(piece=True)


def _unreadable(problem: Exception) -> str:
    """Return what is wrong with an answer, to follow the server's name."""
    found = problem.errors(include_url=False, include_input=False) if isinstance(problem, ValidationError) else []
    if found and found[0]["type"] == "json_invalid":
        return f"sent an answer that can't be read: {found[0]['ctx']['error']}"
    return "sent an answer that isn't JSON-RPC"
