"""A terminal that obeys nothing but what our own code may say: whatever else reaches it is told, with its bytes.

Independent of the gate and the neutraliser: it shares no expression with them and knows the other end, the sequences
that Textual's driver, its compositor and ours write. A sequence that is spelled like ours and stands where content
does is caught by the caller, who compares the words that are left over. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MODES = frozenset((7, 25, 1000, 1002, 1003, 1004, 1006, 1015, 1016, 1049, 2004, 2026, 2031, 2048))
"""The private modes that a workspace turns on or off: wrapping, cursor, mouse, focus, screen, paste, frames, sizes."""
ASKED = frozenset((1004, 2026, 2048))
LONGEST = 8192
"""Characters after which a sequence that did not end is no beginning of one."""

_SEQUENCES: dict[str, re.Pattern[str]] = {
    "style": re.compile(r"\x1b\[([0-9;]*)m"),
    "move": re.compile(r"\x1b\[[0-9]{1,4};[0-9]{1,4}H"),
    "mode": re.compile(r"\x1b\[\?([0-9]{1,4})[hl]"),
    "asked": re.compile(r"\x1b\[\?([0-9]{1,4})\$p"),
    "keyboard": re.compile(r"\x1b\[(?:>[0-9]{1,2}|<)u"),
    "name": re.compile(r"\x1b\[>0?q"),
    "titles": re.compile(r"\x1b\[2[23];0t"),
    "title": re.compile(r"\x1b\]0;([^\x00-\x1f\x7f-\x9f]{0,160})\x07"),
    "link": re.compile(r"\x1b\]8;id=[0-9-]{1,24};(https?://[A-Za-z0-9.\[\]:-]+(?:[/?#][!-;=?-\[\]-~]*)?)\x1b\\"),
    "unlink": re.compile(r"\x1b\]8;;\x1b\\"),
    "call": re.compile(
        r"\x1b\](?:9|777;notify|99;i=[0-9A-Za-z_:=-]{0,60});[^\x00-\x1f\x7f-\x9f<>]{0,500}(?:\x07|\x1b\\)"
    ),
    "pointer": re.compile(r"\x1b\]22;[a-z-]{0,20}\x07"),
    "asks99": re.compile(r"\x1b\]99;i=jp-tui:p=\?;\x1b\\"),
}  # fmt: skip
_ACTS = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]|\r(?!\n)")
"""Rows end with a newline, to which the terminal's line discipline adds a return."""
_REORDERS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_COLOUR = {"2": 3, "5": 1}
_ATTRIBUTES = frozenset(map(str, (0, 1, 2, 3, 4, 7, 9, 21, 22, 23, 24, 27, 29, 39, 49, 51, 52, 53)))


def style(codes: str) -> str:
    """What is wrong with the codes of a style: one that hides, blinks or is none of ours; empty for ours."""
    left = codes.split(";") if codes else []
    while left:
        code = left.pop(0)
        if code in ("38", "48"):
            kind = left.pop(0) if left else ""
            numbers = left[: _COLOUR.get(kind, 0)]
            left = left[len(numbers) :]
            if kind not in _COLOUR or len(numbers) < _COLOUR[kind] or any(not one or int(one) > 255 for one in numbers):
                return f"a colour that is none: {codes}"
        elif code not in _ATTRIBUTES and not (code.isdigit() and (30 <= int(code) <= 49 or 90 <= int(code) <= 107)):
            return f"a style that is not ours: {codes}"
    return ""


@dataclass
class Terminal:
    """`feed` what is written; `faults` are what no code of ours may have written, `words` is what is printed, `on` the
    modes as they are now. `reordering`: whether bidirectional controls are faults, too; `rings`: a bell is counted, and
    is none.
    """

    reordering: bool = True
    rings: bool = False
    bells: int = 0
    faults: list[str] = field(default_factory=list)
    on: dict[int, bool] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    """How often each kind of sequence came."""
    titles: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    _rest: str = ""

    def feed(self, text: str, *, last: bool = False) -> None:
        """Take what was written; the beginning of a sequence waits for its end unless this is the `last`."""
        text, at = self._rest + text, 0
        self._rest = ""
        if text.endswith("\r") and not last:
            text, self._rest = text[:-1], "\r"
        while at < len(text):
            escape = text.find("\x1b", at)
            end = escape if escape >= 0 else len(text)
            self._print(text[at:end])
            if escape < 0:
                return
            for kind, pattern in _SEQUENCES.items():
                if match := pattern.match(text, escape):
                    self._take(kind, match)
                    at = match.end()
                    break
            else:
                nearest = text.find("\x1b", escape + 2)
                if not last and nearest in (-1, len(text) - 1) and len(text) - escape < LONGEST:
                    self._rest = text[escape:] + self._rest
                    return
                self._wrong("a sequence", text, escape)
                at = escape + 1

    def _print(self, text: str) -> None:
        if not text:
            return
        if self.rings:
            self.bells += text.count("\x07")
            text = text.replace("\x07", "")
        for match in _ACTS.finditer(text):
            self._wrong("a control", text, match.start())
        if self.reordering:
            for match in _REORDERS.finditer(text):
                self._wrong("what reorders", text, match.start())
        self.words.append(text)

    def _take(self, kind: str, match: re.Match[str]) -> None:
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if kind == "style" and (wrong := style(match[1])):
            self.faults.append(wrong)
        elif kind == "mode":
            self.on[int(match[1])] = match[0].endswith("h")
            if int(match[1]) not in MODES:
                self.faults.append(f"a mode that is not ours: {match[0]!r}")
        elif kind == "asked" and int(match[1]) not in ASKED:
            self.faults.append(f"a question that is not ours: {match[0]!r}")
        elif kind == "title":
            self.titles.append(match[1])
            self._print(match[1])
            self.words.pop()

    def _wrong(self, what: str, text: str, at: int) -> None:
        if len(self.faults) < 1000:
            self.faults.append(f"{what}: {text[at : at + 24]!r} after {text[max(at - 24, 0) : at]!r}")
