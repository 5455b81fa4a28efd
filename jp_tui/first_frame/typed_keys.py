"""Keys typed before the app is loaded: one line of text as far as it is certain, the rest as raw bytes.

Pure: bytes in; text, cursor and rest out. It freezes at the first byte whose meaning in the composer isn't certain, and
all bytes from there on are left to the app (designs.md A.3): control keys, Enter, what begins a command or a file name,
letters of unknown width, what would need a second line. It draws nothing and sends nothing.
"""

from __future__ import annotations

_ARROWS = {b"\x1b[D": -1, b"\x1bOD": -1, b"\x1b[C": 1, b"\x1bOC": 1}
_PASTE, _PASTED = b"\x1b[200~", b"\x1b[201~"
_KNOWN = (*_ARROWS, _PASTE)
_FIRST = "/!"
"""At the beginning of the line they start a command or a line for the shell."""
_SPECIAL = "@"
"""Begins a file name, which opens a list."""
_PATHS = "/\\"
"""In a paste they may be the path of an image, which the composer shows as a mark."""
_NARROW = ((0x20, 0x7E), (0xA1, 0xAC), (0xAE, 0x2FF), (0x386, 0x386), (0x388, 0x3FF), (0x400, 0x482), (0x48A, 0x52F))
_WIDE = ((0x3041, 0x3096), (0x30A1, 0x30FA), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xFF01, 0xFF60))
_UNASSIGNED = frozenset((0x38B, 0x38D, 0x3A2))
KEEP = 65536
"""Bytes of the rest after which reading stops: the kernel and the terminal keep later keys."""
LONE, CUT = 0.05, 0.3
"""Seconds that a lone ESC and any other cut sequence wait for the rest of the sequence."""


def width(char: str) -> int:
    """The cells of a character, 0 if that isn't certain."""
    code = ord(char)
    if any(low <= code <= high for low, high in _NARROW):
        return 0 if code in _UNASSIGNED else 1
    return 2 if any(low <= code <= high for low, high in _WIDE) else 0


class Typed:
    """The typed `text`, the `cursor` as an index into it, and the bytes that aren't in it, `rest`."""

    def __init__(self) -> None:
        self.text = ""
        self.cursor = 0
        self.rest = b""
        self.frozen = False
        self.room = 0
        """Cells that the text may take; a key that needs more freezes."""

    def freeze(self) -> None:
        """Leave everything from here on to the app."""
        self.frozen = True

    @property
    def full(self) -> bool:
        """True if nothing more should be read."""
        return len(self.rest) >= KEEP

    @property
    def cut(self) -> float:
        """Seconds that the end of the input may wait for its other half; 0 if it is complete."""
        if not self.rest:
            return 0.0
        if not self.frozen:
            return LONE if self.rest == b"\x1b" else CUT
        opened = self.rest.rfind(_PASTE)
        if opened >= 0 and self.rest.find(_PASTED, opened) < 0:
            return CUT
        if self.rest.endswith(b"\x1b"):
            return LONE
        tail = self.rest[-6:]
        escape = tail.rfind(b"\x1b")
        begun = escape >= 0 and len(tail) - escape > 1 and not 0x40 <= tail[-1] <= 0x7E
        return CUT if begun or _utf8_missing(self.rest) else 0.0

    def feed(self, data: bytes) -> bool:
        """Take typed bytes. True if the text or the cursor changed."""
        before = self.text, self.cursor
        self.rest += data
        while self.rest and not self.frozen:
            taken = self._one(self.rest)
            if taken == 0:
                break
            if not self.frozen:
                self.rest = self.rest[taken:]
        return (self.text, self.cursor) != before

    def _one(self, data: bytes) -> int:
        """Apply the first key. Returns its length in bytes, 0 while it is cut."""
        first = data[0]
        if first == 0x1B:
            return self._sequence(data)
        if first == 0x7F:
            if self.cursor:
                self.text = self.text[: self.cursor - 1] + self.text[self.cursor :]
                self.cursor -= 1
            return 1
        size = 1 if first < 0x80 else 2 if 0xC2 <= first < 0xE0 else 3 if 0xE0 <= first < 0xF0 else 0
        if size > len(data):
            return 0
        try:
            char = data[:size].decode()
        except UnicodeDecodeError:
            char = ""
        if char == "" or char in _SPECIAL or (char in _FIRST and not self.cursor):
            return self._unknown()
        return size if self._insert(char) else self._unknown()

    def _sequence(self, data: bytes) -> int:
        for arrow, step in _ARROWS.items():
            if data.startswith(arrow):
                self.cursor = min(max(self.cursor + step, 0), len(self.text))
                return len(arrow)
        if data.startswith(_PASTE):
            end = data.find(_PASTED)
            if end < 0:
                return 0 if len(data) < KEEP else self._unknown()
            return end + len(_PASTED) if self._pasted(data[len(_PASTE) : end]) else self._unknown()
        return 0 if any(known.startswith(data) for known in _KNOWN) else self._unknown()

    def _pasted(self, data: bytes) -> bool:
        try:
            said = data.decode()
        except UnicodeDecodeError:
            return False
        return not any(char in _PATHS or char in _SPECIAL or char in _FIRST for char in said) and self._insert(said)

    def _insert(self, said: str) -> bool:
        """Insert at the cursor. False if it doesn't fit or its width isn't certain."""
        widths = [width(char) for char in said]
        if 0 in widths or sum(widths) + sum(map(width, self.text)) > self.room:
            return False
        self.text = self.text[: self.cursor] + said + self.text[self.cursor :]
        self.cursor += len(said)
        return True

    def _unknown(self) -> int:
        self.frozen = True
        return 1


def _utf8_missing(data: bytes) -> bool:
    """True if the last character lacks bytes."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            return back < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4)
        if byte < 0x80:
            return False
    return False
