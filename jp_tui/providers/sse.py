"""Decode server-sent events by the WHATWG rules (traps.md T19). Pure, no I/O.

Lines end only at CR, LF or CRLF. An incomplete event (without its blank line) is dropped, never completed. Sizes are
limited, so that an endless line can't exhaust memory.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from jp_tui.conversation.model import ModelError

EVENT_STREAM = "text/event-stream"
MAX_EVENT = 16 * 1024 * 1024  # bytes of one event, its unfinished line included
_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class ServerEvent(NamedTuple):
    """One dispatched event; `type` is `message` by default, `id` the last one received."""

    data: str
    type: str = "message"
    id: str = ""


class EventStream:
    """Decoder of one stream. `retry` is the reconnection time in milliseconds, if the server set one; `garbled`: some
    data wasn't UTF-8 (WHATWG wants it replaced)."""

    def __init__(self, max_event: int = MAX_EVENT) -> None:
        self.retry: int | None = None
        self.garbled = False
        self._max = max_event
        self._line = bytearray()  # the unfinished line
        self._first = True
        self._after_cr = False
        self._data: list[str] = []
        self._size = 0
        self._type = ""
        self._id = ""

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Return the events that this chunk completes. Raises ModelError('too_large')."""
        found: list[ServerEvent] = []
        if not chunk:
            return found
        plain = chunk.replace(b"\r\n", b"\n")
        if not self._after_cr and b"\r" not in plain and not self._first:
            return self._plain(plain)
        start = 1 if self._after_cr and chunk.startswith(b"\n") else 0  # CRLF split between two chunks
        self._after_cr = chunk.endswith(b"\r")
        for end in _LINE_END.finditer(chunk, start):
            self._line += chunk[start : end.start()]
            start = end.end()
            self._bound()
            line = bytes(self._line)
            self._line.clear()
            if self._first:
                self._first, line = False, line.removeprefix(_BOM)
            event = self._parse_line(line)
            if event is not None:
                found.append(event)
        self._line += chunk[start:]
        self._bound()
        return found

    def _plain(self, chunk: bytes) -> list[ServerEvent]:
        """The same for lines that all end with LF, as nearly all do."""
        found: list[ServerEvent] = []
        *lines, rest = chunk.split(b"\n")
        if lines and self._line:
            lines[0] = bytes(self._line) + lines[0]
            self._line.clear()
        for line in lines:
            if len(line) + self._size > self._max:
                self._line += line
                self._bound()
            if line.startswith(b"data: "):
                try:
                    self._data.append(line[6:].decode())
                    self._size += len(line) - 5
                    continue
                except UnicodeDecodeError:
                    pass
            elif line.startswith(b"event: "):
                self._type = line[7:].decode("utf-8", "replace")
                continue
            event = self._parse_line(line) if line else self._dispatch()
            if event is not None:
                found.append(event)
        self._line += rest
        self._bound()
        return found

    def _bound(self) -> None:
        if len(self._line) + self._size > self._max:
            raise ModelError(
                "too_large",
                f"The server sent one event of more than {self._max} bytes.",
                "Ask for less at once. If it happens again, check the server.",
            )

    def _parse_line(self, line: bytes) -> ServerEvent | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        if name == b"event":
            self._type = value.removeprefix(b" ").decode("utf-8", "replace")
            return None
        try:
            text = value.removeprefix(b" ").decode("utf-8")
        except UnicodeDecodeError:
            text = value.removeprefix(b" ").decode("utf-8", "replace")
            self.garbled |= name == b"data"
        match name:
            case b"data":
                self._data.append(text)
                self._size += len(value) + 1
            case b"id" if "\0" not in text:
                self._id = text
            case b"retry" if value.removeprefix(b" ").isdigit() and len(value) < 20:
                self.retry = int(value)
            case _:  # a comment (the name is empty) or an unknown field
                pass
        return None

    def _dispatch(self) -> ServerEvent | None:
        data, kind = self._data, self._type
        self._data, self._size, self._type = [], 0, ""
        # WHATWG drops an event whose data buffer is empty; "data:" alone leaves an empty line in it, which counts
        return (
            ServerEvent(data[0] if len(data) == 1 else "\n".join(data), kind or "message", self._id) if data else None
        )
