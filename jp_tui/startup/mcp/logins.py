"""`jp-tui mcp login | logout` (mcp.md P12, P60): log in at a server with the user's browser; delete a login.

Only the user opens a browser: the address is shown whole, and Enter opens it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from jp_tui.headless.output import TextOutput
from jp_tui.mcp.configured import logs_in
from jp_tui.mcp.connection import KeptLogin, McpProblem
from jp_tui.mcp.host import NO_EXTRA, HostProblem, McpHost, installed
from jp_tui.mcp.questions import address_lines
from jp_tui.mcp.values import McpFailure, McpListing, McpServer
from jp_tui.mcp_host.frames import packed, received
from jp_tui.mcp_host.token_store import TokenProblem, TokenStore
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import UsageError
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.mcp.known import usable_server
from jp_tui.startup.mcp.running import RunningServers, launch
from jp_tui.startup.mcp.user_login import login_words
from jp_tui.startup.parts import Parts, RunLocation, parts

FAILED = 1
ENDS_SECS = 20.0
"""Seconds for a login to be ended at its server."""


def login(arguments: CommandLine, settings: Settings, place: RunLocation, output: TextOutput) -> int:
    """Log in, also in place of an earlier login; return the exit status. Raises UsageError, SettingsError, PathsError,
    OutputEnded."""
    server = _with_login(arguments, settings, place)
    if not installed():
        return _told(server, output, NO_EXTRA, FAILED)
    state, kept = asyncio.run(_logged_in(parts(arguments, settings, place), server, output))
    if isinstance(state, McpFailure):
        return _told(server, output, state.error, FAILED)
    if kept is None:
        return _told(server, output, login_words(server.name, None), 0)
    count = len(state.tools)
    where = f"{login_words(server.name, kept)} {count} {'tool' if count == 1 else 'tools'}."
    return _told(server, output, where, FAILED if kept.problem else 0, kept, count)


def logout(arguments: CommandLine, settings: Settings, place: RunLocation, output: TextOutput) -> int:
    """End a login at its authorization server, where that can be done, and delete it; return the exit status. Raises
    UsageError, SettingsError, PathsError, OutputEnded."""
    server = _with_login(arguments, settings, place)
    store = TokenStore(place.paths.data)
    if store.where(server.url) is None:
        return _told(server, output, f"No login of {server.name} is kept.", 0)
    said = asyncio.run(_ended_there(server, parts(arguments, settings, place)))
    if said["unread"]:
        return _told(server, output, f"{server.name} {said['error']}. Nothing was deleted.", FAILED)
    there = _there(said)
    try:
        store.forget(server.url)
    except TokenProblem as problem:
        return _told(server, output, f"The login of {server.name} can't be deleted: {problem}. {there}", FAILED)
    return _told(server, output, f"Logged out of {server.name}: its login is deleted here. {there}", 0)


async def _ended_there(server: McpServer, made: Parts) -> dict[str, Any]:
    """End a login at its authorization server (RFC 7009); return what the server's process says of it."""
    failed = {"offered": True, "unread": False, "error": ""}
    host = McpHost()
    try:
        message = {**launch(server, made).message(), "do": "end_login"}
        channel = await host.channel()
        channel.writer.write(packed(message))
        async with asyncio.timeout(ENDS_SECS):
            said = await received(channel.reader)
        channel.kill()
        return said if said is not None else {**failed, "error": "no answer"}
    except (HostProblem, McpProblem) as problem:
        return {**failed, "error": str(problem)}
    except TimeoutError:
        return {**failed, "error": f"no answer within {ENDS_SECS:g} s"}
    finally:
        await host.close()


def _there(said: dict[str, Any]) -> str:
    """Return what became of a login at its authorization server, as a sentence."""
    if not said["offered"]:
        return "Its server offers no way to end it there: look at its own pages."
    if said["error"]:
        return f"It isn't ended at its server ({str(said['error']).rstrip('.')}): look at its own pages."
    return "Its server ended it too."


class LoginPrompt:
    """Shows the address of a login on standard error. On a terminal, Enter opens it by `opens`."""

    def __init__(self, server: McpServer, output: TextOutput, opens: Callable[[str], None]) -> None:
        self._server, self._output, self._opens = server, output, opens
        self._loop: asyncio.AbstractEventLoop | None = None
        self._url = ""

    def show(self, url: str) -> None:
        """Show an address; call it on the loop that waits for the login."""
        self._url = url
        self._output.tell(f"{self._server.name} wants you to log in on this page:")
        for line in address_lines(url, self._server.host):
            self._output.tell(line)
        with suppress(OSError, ValueError):
            if sys.stdin.isatty() and self._loop is None:
                self._loop = asyncio.get_running_loop()
                self._loop.add_reader(0, self._enter)
        opens = "Enter opens it in your browser. " if self._loop is not None else ""
        self._output.tell(f"{opens}Waiting for the login. Ctrl+C stops it.")

    def close(self) -> None:
        """Read no more keys."""
        if self._loop is not None:
            self._loop.remove_reader(0)
            self._loop = None

    def _enter(self) -> None:
        with suppress(OSError):
            if not os.read(0, 4096):
                self.close()
                return
        self._opens(self._url)


async def _logged_in(
    made: Parts, server: McpServer, output: TextOutput
) -> tuple[McpListing | McpFailure, KeptLogin | None]:
    running = RunningServers(made, only=server.name)
    prompt = LoginPrompt(server, output, running.open_page)
    try:
        return await running.log_in(server.name, prompt.show)
    finally:
        prompt.close()
        await running.close()


def _with_login(arguments: CommandLine, settings: Settings, place: RunLocation) -> McpServer:
    server = usable_server(arguments.server or "", settings, place)
    if not server.url:
        raise UsageError(f"{server.name} is a program; only a server with a url has a login")
    if not logs_in(server):
        raise UsageError(
            f"{server.name} gets its credentials by bearer_env or headers ({server.origin}), not by a login"
        )
    return server


def _told(
    server: McpServer,
    output: TextOutput,
    text: str,
    status: int,
    kept: KeptLogin | None = None,
    tools: int | None = None,
) -> int:
    if not output.as_json:
        output.print(text)
        return status
    found: dict[str, object] = {"name": server.name, "ok": status == 0}
    found |= {"error": text} if status else {"message": text}
    found |= {"kept": kept.place} if kept is not None and kept.place else {}
    output.line(found | ({"tools": tools} if tools is not None else {}))
    return status
