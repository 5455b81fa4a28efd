"""A local socket through which one process gives another a secret (intake.md N8).

The folder is the user's alone, and only processes of the same user are served. Paths of sockets are short on every
system, so the folder is entered through its descriptor where the system can.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from jp_tui.system.paths import PathsError, private_folder

MOST = 1 << 20
SECONDS = 5.0
TAKEN, LATE, INVALID = "taken", "late", "invalid"


class SocketError(Exception):
    """The socket can't be used; `str(error)` is a message."""


@contextmanager
def _reachable(folder: Path, name: str) -> Iterator[str]:
    """Yield a short path of the file `name` in the folder."""
    if not os.path.isdir("/proc/self/fd"):
        yield str(folder / name)
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}/{name}"
    finally:
        os.close(descriptor)


class SecretSocket:
    """The waiting side: `take` gets the secret and returns TAKEN, LATE or INVALID, which the giver reads."""

    def __init__(self, folder: Path, name: str, take: Callable[[str], Awaitable[str]]) -> None:
        self._folder, self._name, self._take = folder, f"{name}.sock", take
        self._server: asyncio.Server | None = None
        self._taking: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Begin to listen. Raises SocketError."""
        listens = socket.socket(socket.AF_UNIX)
        try:
            private_folder(self._folder)
            with _reachable(self._folder, self._name) as path:
                listens.bind(path)
            os.chmod(self._folder / self._name, 0o600)
            self._server = await asyncio.start_unix_server(self._serve, sock=listens)
        except (OSError, PathsError) as problem:
            listens.close()
            raise SocketError(f"No secret can be taken: {problem}") from problem

    async def close(self) -> None:
        """Stop and remove the file, once every giver has a reply."""
        if self._server is not None:
            self._server.close()
            self._server = None
        with contextlib.suppress(OSError):
            os.unlink(self._folder / self._name)
        if self._taking:
            await asyncio.wait(self._taking, timeout=SECONDS)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if _is_own(writer.get_extra_info("socket")):
                async with asyncio.timeout(SECONDS):
                    given = await _read(reader)
                task = asyncio.create_task(self._tell(given, writer))
                self._taking.add(task)
                task.add_done_callback(self._taking.discard)
                await task
        except (OSError, TimeoutError, ValueError):
            pass
        finally:
            writer.close()

    async def _tell(self, given: str, writer: asyncio.StreamWriter) -> None:
        writer.write((await self._take(given)).encode())
        await writer.drain()


async def give(folder: Path, name: str, secret: str) -> str:
    """Give a secret to the process that waits under this name; return what it says. Raises SocketError."""
    try:
        with _reachable(folder, f"{name}.sock") as path:
            reader, writer = await asyncio.open_unix_connection(path)
        try:
            writer.write(secret.encode())
            writer.write_eof()
            async with asyncio.timeout(SECONDS):
                said = (await _read(reader)).strip()
        finally:
            writer.close()
    except (OSError, TimeoutError, ValueError) as problem:
        raise SocketError(f"the process that waits for it can't be reached: {problem}") from problem
    if said not in (TAKEN, LATE, INVALID):
        raise SocketError("the process that waits for it didn't take it")
    return said


async def _read(reader: asyncio.StreamReader) -> str:
    """Return all that is sent. Raises ValueError for too much."""
    found = bytearray()
    while piece := await reader.read(65536):
        found += piece
        if len(found) > MOST:
            raise ValueError("more than 1 MiB")
    return found.decode()


def _is_own(connection: socket.socket) -> bool:
    """True if the other side is a process of this user; where the system doesn't say, the folder's mode decides."""
    wanted = getattr(socket, "SO_PEERCRED", None)
    if wanted is None:
        return True
    raw = connection.getsockopt(socket.SOL_SOCKET, wanted, struct.calcsize("3i"))
    return bool(struct.unpack("3i", raw)[1] == os.getuid())
