"""A server's log: two files of 1 MiB, readable by the user only, without the values of secrets (mcp.md P6)."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Iterable
from datetime import UTC, datetime

_MOST = 1 << 20
_KEPT = 20
_LINE = 4096
_BLOT = "[secret]"
_SHORTEST = 4


class LogFile:
    """Append lines to the file at `path`; `secrets` are blotted out. A disk that fails stops the log and nothing else.

    `last` holds the latest 20 lines, `said` is the server's own last one.
    """

    def __init__(self, path: str, secrets: Iterable[str] = ()) -> None:
        self._path = path
        self._secrets = sorted({one for one in secrets if len(one) >= _SHORTEST}, key=len, reverse=True)
        self._rest = ""
        self._size = 0
        self._descriptor = -1
        self.last: deque[str] = deque(maxlen=_KEPT)
        self.said = ""
        with contextlib.suppress(OSError):
            self._open()

    def write(self, text: str) -> None:
        """Write one line of ours."""
        self._line(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {text}")

    def output(self, chunk: bytes) -> None:
        """Take a piece of the server's standard error; only whole lines are written."""
        *lines, self._rest = (self._rest + chunk.decode("utf-8", "replace")).split("\n")
        for line in lines:
            self._line(line)
            self.said = self.last[-1] if line.strip() else self.said
        if len(self._rest) > _LINE * 4:
            self._line(self._rest)
            self._rest = ""

    def close(self) -> None:
        """Write what is left."""
        if self._rest:
            self._line(self._rest)
            self._rest = ""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def clean(self, text: str) -> str:
        """Return the text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, _BLOT)
        return text

    def hide(self, secret: str) -> None:
        """Blot out one more secret from now on."""
        if len(secret) >= _SHORTEST and secret not in self._secrets:
            self._secrets = sorted([*self._secrets, secret], key=len, reverse=True)

    def _line(self, text: str) -> None:
        text = self.clean(text.rstrip("\r"))
        text = text if len(text) <= _LINE else f"{text[:_LINE]}… ({len(text):,} characters)"
        self.last.append(text)
        if self._descriptor < 0:
            return
        try:
            self._size += os.write(self._descriptor, text.encode("utf-8", "replace") + b"\n")
            if self._size > _MOST:
                os.replace(self._path, self._path + ".1")
                self._open()
        except OSError:
            return

    def _open(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(self._path, flags, 0o600)
        os.fchmod(self._descriptor, 0o600)
        self._size = os.fstat(self._descriptor).st_size
