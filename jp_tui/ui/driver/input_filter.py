"""Clean the terminal's input before it is parsed: broken and unknown sequences are dropped, never typed.

Textual's parser types what it doesn't know into the focused widget, raises on numbers that aren't characters, accepts
any screen size, types pasted text after an ESC, and receives no more keys after a paste without its end. Pure: it takes
text and times, and returns text.
"""

from __future__ import annotations

import re

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS

PASTE, PASTED = "\x1b[200~", "\x1b[201~"
ONE_KEY, STALLED = 0.05, 1.0
"""Seconds that the beginning of a sequence waits for its rest, and a paste for more text or its end."""
FEW = 8
"""Letters that may have been typed although they arrive together."""
LONGEST = 32
"""Characters of a sequence. The parser doesn't take longer ones."""
ROWS, PIXELS = 2000, 100_000
"""The largest screen: rows and columns, and pixels."""

_MOUSE = "<(?:[^\x00-\x1f\x7fMm]{0,48}|[0-9;:.-]*)"
_SEQUENCE = re.compile(
    rf"\x1b\[(?:{_MOUSE}(?:[Mm]|(?=[\x00-\x1f\x7f]))|(?!<)[0-?]*[ -/]*[@-~])"
    r"|\x1b[P\]_^X][^\x07\x1b]{1,4096}(?:\x1b\\|\x07)"  # strings that are whole
)
_BEGUN = re.compile(rf"\x1b\[(?:{_MOUSE}|(?!<)[0-?]*[ -/]*)\Z")
_KNOWN = re.compile(r"\x1b\[(?:[IO]|<\d{1,3};-?\d{1,5};-?\d{1,5}[Mm]|\?\d{1,5};\d\$y|\d{1,5};\d{1,5}R|20[01]~)\Z")
_RESIZED = re.compile(r"\x1b\[48;(\d{1,6})(?::\d*)*;(\d{1,6})(?::\d*)*;(\d{1,6})(?::\d*)*;(\d{1,6})(?::\d*)*t\Z")
_KEY = re.compile(r"\x1b\[(\d*)(?::\d*)*(?:;(\d*)(?::([123]))?(?:;([\d:]*))?)?([u~ABCDEFHPQRS])\Z")
_RELEASED = "3"


class InputFilter:
    """Cleans the input of one terminal."""

    def __init__(self) -> None:
        self._held = ""
        self._pasting = self._quiet = False
        self._until = 0.0

    @property
    def due(self) -> float | None:
        """The time for `overdue`; None if nothing is held back."""
        return self._until if self._held or (self._pasting and not self._quiet) else None

    def feed(self, text: str, now: float) -> str:
        """Return the text for the parser."""
        text, self._held = self._held + text, ""
        found: list[str] = []
        while text:
            text = self._paste(text, found) if self._pasting else self._keys(text, found)
        self._until = now + (STALLED if self._pasting else ONE_KEY)
        return "".join(found)

    def overdue(self, now: float) -> str:
        """Return the text that was held back for long enough.

        Alt+[ alone was a key; another beginning is dropped. A stalled paste ends here, and text that arrives in one
        piece later belongs to it.
        """
        if self.due is None or now < self._until:
            return ""
        held, self._held = self._held, ""
        if self._pasting:
            self._quiet = True
            return held.replace("\x1b", "") + PASTED
        return held if held == "\x1b[" else ""

    def _keys(self, text: str, found: list[str]) -> str:
        """Clean text outside of a paste, up to the beginning of one. Return the text after that."""
        before, begins, rest = text.partition(PASTE)
        cleaned = _SEQUENCE.sub(_cleaned, before)
        if begins:
            self._pasting = True
        elif begun := _BEGUN.search(cleaned):
            cleaned, self._held = cleaned[: begun.start()], begun.group()
        found.append(cleaned + begins)
        return rest

    def _paste(self, text: str, found: list[str]) -> str:
        """Clean text of a paste, up to its end. Return the text after that."""
        inside, ends, rest = text.partition(PASTED)
        if self._quiet:
            self._quiet = False
            if not ends and _is_key(text):
                self._pasting = False
                return text
            found.append(PASTE)
        if ends:
            self._pasting = False
        else:
            kept = next((n for n in range(len(PASTED) - 1, 0, -1) if inside.endswith(PASTED[:n])), 0)
            inside, self._held = inside[: len(inside) - kept], inside[len(inside) - kept :]
        found.append(inside.replace("\x1b", "") + ends)  # after an ESC the parser would type the pasted text
        return rest


def _is_key(text: str) -> bool:
    """Return True for a key or a few, rather than more of a stalled paste. A lone Enter belongs to the paste."""
    return (
        text.startswith("\x1b") or (len(text) <= FEW and text.isprintable()) or (len(text) == 1 and text not in "\r\n")
    )


def _cleaned(match: re.Match[str]) -> str:
    """Return a sequence in a form that the parser takes; empty for others."""
    sequence = match.group()
    if sequence in ANSI_SEQUENCES_KEYS or _KNOWN.match(sequence):
        return sequence
    if len(sequence) > LONGEST:
        return ""
    if resized := _RESIZED.match(sequence):
        rows, columns, high, wide = map(int, resized.groups())
        sound = 0 < rows <= ROWS and 0 < columns <= ROWS and high <= PIXELS and wide <= PIXELS
        return sequence if sound else ""
    return _key(sequence)


def _key(sequence: str) -> str:
    """Return a key in its extended form without the parts that the parser can't read; empty for no key and for a
    release."""
    match = _KEY.match(sequence)
    if match is None or match[3] == _RELEASED:
        return ""
    code, modifiers, text, end = match[1], match[2], match[4], match[5]
    letters = [part for part in (text or "").split(":") if part]
    if not all(map(_character, (code or "1", *letters))) or len(modifiers or "") > 4:
        return ""
    if not all(chr(int(part)).isprintable() for part in letters):
        return ""
    parts = [code, modifiers or "", ":".join(letters)]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return f"\x1b[{';'.join(parts)}{end}"


def _character(number: str) -> bool:
    """Return True if the number is a character's."""
    return len(number) <= 7 and (value := int(number)) <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF
