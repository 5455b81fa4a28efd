"""The host process, and a channel to it for each server (mcp.md P4, P5).

It runs below a keeper: when it ends, or when the program does for any reason, nothing that it started stays.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from asyncio import StreamReader, StreamWriter
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from jp_tui.system import children

NO_EXTRA = 'MCP servers need the extra: pip install "jp-tui[mcp]"'
_START = "import sys; sys.path[:] = sys.argv[1:]; from jp_tui.mcp_host.main import main; main()"
_OUTPUT = 1 << 16
_GRACE = 3.0
"""Seconds for a server to end by itself after its channel was closed."""
ENV = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LANG")
_ENV_GROUPS = ("LC_", "XDG_")
_KEYRING = ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
"""Variables by which the host finds the user's keyring (P60). No server gets them from it."""
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
_NETWORK = (*_PROXIES, *map(str.lower, _PROXIES), "SSL_CERT_FILE", "SSL_CERT_DIR")
"""Variables by which the host reaches servers with a url (P5): proxies, whose addresses may have a password, and
certificate authorities. No server gets them from it."""


class HostProblem(Exception):
    """The host process can't be used; the message says why."""


def installed() -> bool:
    """Return whether the extra is installed. Imports nothing."""
    return find_spec("mcp") is not None


def passed_on(environment: dict[str, str]) -> dict[str, str]:
    """Return the part of an environment that every server gets (P5). Folders of PATH that aren't absolute are left
    out."""
    kept = {name: value for name, value in environment.items() if name in ENV or name.startswith(_ENV_GROUPS)}
    folders = [folder for folder in kept.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
    kept["PATH"] = os.pathsep.join(folders) or os.defpath
    return kept


@dataclass(slots=True)
class ServerChannel:
    """The connection to one server's process. Closing it ends the process, and all that it started."""

    reader: StreamReader
    writer: StreamWriter
    leash: socket.socket

    async def close(self) -> None:
        """Let the server end by itself, then end it."""
        with contextlib.suppress(OSError):
            self.writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(_GRACE):
                await asyncio.get_running_loop().sock_recv(self.leash, 1)  # its keeper holds the other end
        self.kill()

    def kill(self) -> None:
        """End it at once."""
        self.leash.close()
        with contextlib.suppress(OSError):
            self.writer.close()


class McpHost:
    """The host process, started with the first channel and again when it ended."""

    def __init__(self) -> None:
        self._control: socket.socket | None = None
        self._runs: asyncio.Task[children.ChildExit] | None = None

    def channel_fds(self) -> tuple[socket.socket, socket.socket]:
        """Ask the host for one more process; return our ends of its channel and its leash. Raises HostProblem."""
        made: list[socket.socket] = []
        try:
            control = self._start()
            made += socket.socketpair()
            made += socket.socketpair()
            ours, theirs, leash, held = made
            socket.send_fds(control, [b"s"], [theirs.fileno(), held.fileno()])
        except OSError as problem:
            for one in made[::2]:
                one.close()
            raise HostProblem(f"the host process can't be reached ({problem.strerror})") from problem
        finally:
            for one in made[1::2]:
                one.close()
        for one in (ours, leash):
            one.setblocking(False)
        return ours, leash

    async def channel(self) -> ServerChannel:
        """Return the channel of a new server process. Raises HostProblem."""
        ours, leash = self.channel_fds()
        reader, writer = await asyncio.open_connection(sock=ours)
        return ServerChannel(reader, writer, leash)

    async def close(self) -> None:
        """End the host process, and every server with it."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._runs is not None:
            self._runs.cancel()
            await asyncio.gather(self._runs, return_exceptions=True)
            self._runs = None

    def _start(self) -> socket.socket:
        if self._control is not None and self._runs is not None and not self._runs.done():
            return self._control
        if not installed():
            raise HostProblem(NO_EXTRA)
        if self._control is not None:
            self._control.close()
        self._control, theirs = socket.socketpair()
        root = str(Path(__file__).parents[2])
        paths = [root, *(path for path in sys.path if path and path != root)]
        argv = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, *paths]
        kept = {name: value for name in (*_KEYRING, *_NETWORK) if (value := os.environ.get(name))}
        work = children.run(argv, cwd="/", stdin=theirs, output_limit=_OUTPUT, leashed=True, env_extra=kept)
        self._runs = asyncio.create_task(work)
        return self._control
