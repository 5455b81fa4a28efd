"""Logins at MCP servers between runs: in the keyring where one works, else in files of the user's own (mcp.md P60).

A file a server address says where its login is, and holds it where no keyring works. It never imports the SDK.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeVar

from jp_tui.system.paths import PathsError, private_folder, private_open, write_private

Place = Literal["keyring", "file"]
FOLDER = "mcp-tokens"
SERVICE = "jp-tui mcp"
MOST = 1 << 20
_ANSWERS = 15.0
"""Seconds for a keyring to answer: a locked one may ask the user for its password."""
_RENEWS = 30.0
_PAUSE = 0.05
_WORKS = 1
"""Lowest priority of a backend that the keyring library recommends; those below store plain text, or nothing."""
_Result = TypeVar("_Result")


class TokenProblem(Exception):
    """A login can't be read, kept or deleted; the message says why, without any of it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Place of a login; `note` tells why it isn't in the keyring, empty if there is nothing to tell."""

    place: Place
    note: str = ""


class TokenStore:
    """Logins in the folder `base` and, with `keyring`, in the user's keyring."""

    def __init__(self, base: Path, *, keyring: bool = True) -> None:
        self._folder, self._use_keyring = base / FOLDER, keyring

    def where(self, url: str) -> Place | None:
        """Return where the login at an address is; None without one. Asks no keyring."""
        found = self._read(url)
        if found is None:
            return None
        return "keyring" if found.get("in") == "keyring" else "file"

    def load(self, url: str) -> dict[str, Any] | None:
        """Return the login at an address; None without one. Raises TokenProblem if the keyring has it and doesn't
        give it."""
        found = self._read(url)
        if found is None:
            return None
        if found.get("in") != "keyring":
            login = found.get("login")
            return login if isinstance(login, dict) else None
        backend = _backend()
        if backend is None:
            raise TokenProblem("it is in a keyring, and none works here")
        said = _asked(lambda: backend.get_password(SERVICE, url))
        if said is None:
            return None
        try:
            login = json.loads(said)
        except (ValueError, RecursionError):
            return None
        return login if isinstance(login, dict) else None

    def save(self, url: str, login: dict[str, Any]) -> Kept:
        """Keep a login: in the keyring, or in a file where none works. Raises TokenProblem if neither takes it; what
        was kept before stays then."""
        note = ""
        if self._use_keyring and (backend := _backend()) is not None:
            text = json.dumps(login)
            try:
                _asked(lambda: backend.set_password(SERVICE, url, text))
            except TokenProblem as problem:
                note = str(problem)
            else:
                self._write(url, {"server": url, "in": "keyring"})
                return Kept("keyring")
        self._write(url, {"server": url, "in": "file", "login": login})
        return Kept("file", note)

    def forget(self, url: str) -> bool:
        """Delete the login at an address; return False if there was none. Raises TokenProblem."""
        found = self._read(url)
        if found is None:
            return False
        if found.get("in") == "keyring":
            backend = _backend()
            if backend is None:
                raise TokenProblem("it is in a keyring, and none works here")
            if _asked(lambda: backend.get_password(SERVICE, url)) is not None:
                _asked(lambda: backend.delete_password(SERVICE, url))
        try:
            self._file(url).unlink(missing_ok=True)
        except OSError as error:
            raise TokenProblem(f"{self._file(url)} can't be deleted: {error.strerror}") from error
        return True

    @asynccontextmanager
    async def renewing(self, url: str) -> AsyncIterator[None]:
        """Keep other processes from renewing the same login meanwhile, for 30 seconds at most: a server may end a login
        of which one renewal comes twice. Without locks on this disk it goes on."""
        descriptor = await aside(partial(self._lock, url))
        try:
            yield
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def _lock(self, url: str) -> int:
        """Return the descriptor that holds the lock, -1 for none."""
        import fcntl

        descriptor = -1
        with contextlib.suppress(OSError, PathsError):
            private_folder(self._folder)
            descriptor = private_open(self._file(url).with_suffix(".lock"), os.O_RDWR | os.O_CREAT)
            until = time.monotonic() + _RENEWS
            while time.monotonic() < until:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(_PAUSE)
        return descriptor

    def _file(self, url: str) -> Path:
        return self._folder / f"{sha256(url.encode('utf-8', 'replace')).hexdigest()[:32]}.json"

    def _read(self, url: str) -> dict[str, Any] | None:
        """Return what the file of an address says; None for a missing one, and for one that can't be read."""
        try:
            descriptor = private_open(self._file(url), os.O_RDONLY)
            with os.fdopen(descriptor, "rb") as file:
                found = json.loads(file.read(MOST))
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) and found.get("server") == url else None

    def _write(self, url: str, found: dict[str, Any]) -> None:
        try:
            write_private(self._file(url), json.dumps({"version": 1, **found}).encode())
        except PathsError as problem:
            raise TokenProblem(str(problem)) from problem


async def aside(work: Callable[[], _Result]) -> _Result:
    """Return what a blocking piece of work returns, without holding up the loop."""
    return await asyncio.to_thread(work)


def _backend() -> Any:
    """Return the user's keyring; None if none is installed, or only one that stores plain text or nothing."""
    try:
        import keyring

        found = keyring.get_keyring()
        return found if found.priority >= _WORKS else None
    except Exception:  # whatever a backend of others raises while it looks around
        return None


def _asked(ask: Callable[[], _Result]) -> _Result:
    """Return what the keyring answers within 15 seconds. Raises TokenProblem."""
    found: list[_Result] = []
    failed: list[str] = []

    def work() -> None:
        try:
            found.append(ask())
        except Exception as error:  # a backend of others; its message may hold anything, its kind is enough
            failed.append(type(error).__name__)

    thread = threading.Thread(target=work, daemon=True)  # one that hangs ends with the process
    thread.start()
    thread.join(_ANSWERS)
    if found:
        return found[0]
    raise TokenProblem(
        f"the keyring failed ({failed[0]})" if failed else f"the keyring gave no answer in {_ANSWERS:g} s"
    )
