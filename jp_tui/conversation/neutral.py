"""Neutralises untrusted text for a screen, a log line or plain output (inquiries.md R195, traps.md T1, T3).

Pure: text in, text out; stored text never changes. Keeps printable text, newline and tab; converts SGR to style values;
drops every other sequence and control. Sequences never join across parts: use one `Sanitizer` per part. Text for
approval goes through `visible.py`, where nothing is dropped.
"""

from __future__ import annotations

import re
from typing import Literal

from jp_tui.conversation import sgr, visible
from jp_tui.conversation.patterns import later
from jp_tui.conversation.sgr import MARK, PLAIN, Sgr
from jp_tui.conversation.text import Foreign
from jp_tui.conversation.unseen import BEFORE, Revealer, revealed
from jp_tui.conversation.urls import clean_url
from jp_tui.conversation.visible import warnings

__all__ = [
    "Foreign", "Mode", "Sanitizer", "Sgr", "clean_url", "first_line", "neutralise", "spans", "warnings",
]  # fmt: skip

Mode = Literal["conversation", "visualize", "approval", "line"]
"""`conversation` drops sequences, `visualize` shows `␛` for each, `approval` hides nothing, `line` is one line."""

_STRING = r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x18\x1a\x1b\x80-\x9f]{0,65536}"
_SEQUENCE = later(
    r"(?:\x1b\[|\x9b)(?P<params>[0-?]*)(?P<between>[ -/]*)(?P<final>[@-~])?"
    rf"|{_STRING}(?:\x07|\x1b\\|\x9c|\x18|\x1a)"
    r"|\x1b[ -/]+[0-~]?|\x1b[0-~]"
    r"|\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
"""A sequence, complete or broken off. An unterminated string loses only its introducer, so that it can't hide text."""
_BEGINS = later(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""First characters of sequences: text without them skips the full pattern, which takes eight times as long."""
_OPEN = later(rf"(?:\x1b[ -/]*|(?:\x1b\[|\x9b)[0-?]*[ -/]*|{_STRING}\x1b?|\r)\Z")


def _dropped(match: re.Match[str]) -> str:
    return "\n" if match.group() == "\r\n" else ""


def _visualized(match: re.Match[str]) -> str:
    return "\n" if match.group() == "\r\n" else "" if _is_sgr(match) else "\u241b"


def _is_sgr(match: re.Match[str]) -> bool:
    return match["final"] == "m" and not match["between"] and sgr.reads(match["params"])


def neutralise(text: str | Foreign, mode: Mode = "conversation", *, before: str = "") -> str:
    """Return one whole text without anything that controls or hides. SGR styling is lost; `spans` keeps it. `before`
    are the preceding characters of a partial text."""
    raw = text.raw if isinstance(text, Foreign) else text
    if mode == "approval":
        return "".join(piece for piece, _ in visible.pieces(raw))
    if mode == "line":
        return first_line(raw)
    if _BEGINS.search(raw) is None:
        return revealed(raw, before)
    return revealed(_SEQUENCE.sub(_visualized if mode == "visualize" else _dropped, raw), before)


def first_line(text: str | Foreign) -> str:
    """Return the first line that isn't blank, for places with one line (R2)."""
    raw = text.raw if isinstance(text, Foreign) else text
    clean = neutralise(raw[:16384]).expandtabs(1)
    return next((line.strip() for line in clean.split("\n") if line.strip()), "")


def spans(text: str | Foreign, mode: Mode = "conversation") -> list[tuple[str, Sgr]]:
    """Return neutralised text in pieces of one style each: SGR kept except conceal, jp-tui's marks distinguished (R195,
    T3)."""
    raw = text.raw if isinstance(text, Foreign) else text
    if mode == "approval":
        return [(piece, MARK if ours else PLAIN) for piece, ours in visible.pieces(raw)]
    if mode == "line":
        return [(first_line(raw), PLAIN)]
    found: list[tuple[str, Sgr]] = []
    style, buffer, before, done = PLAIN, "", "", 0
    for match in _SEQUENCE.finditer(raw):
        buffer += raw[done : match.start()]
        done = match.end()
        if _is_sgr(match):
            after = sgr.apply(style, match["params"])
            if after != style:
                found.append((revealed(buffer, before), style))
                style, buffer, before = after, "", (before + buffer)[-BEFORE:]
        else:
            buffer += _visualized(match) if mode == "visualize" else _dropped(match)
    found.append((revealed(buffer + raw[done:], before), style))
    return [(piece, PLAIN if look.hides else look) for piece, look in found if piece]


class Sanitizer:
    """`neutralise` for text in pieces: the results join to the result of the whole (R195).

    One instance per streamed part; sequences never join across parts. Modes: conversation and visualize.
    """

    __slots__ = ("_pending", "_put", "_revealer")

    def __init__(self, mode: Literal["conversation", "visualize"] = "conversation") -> None:
        self._put = _visualized if mode == "visualize" else _dropped
        self._pending = ""
        self._revealer = Revealer()

    def feed(self, text: str) -> str:
        """Return what can be shown of `text` now; an incomplete sequence waits, as does an invisible character that
        depends on its successor."""
        text = self._pending + text
        open_ = _OPEN.search(text)
        cut = open_.start() if open_ else len(text)
        self._pending = text[cut:]
        return self._revealer.feed(self._put_all(text[:cut]))

    def finish(self) -> str:
        """Return the rest: an incomplete sequence loses its introducer."""
        text, self._pending = self._pending, ""
        return self._revealer.feed(self._put_all(text)) + self._revealer.finish()

    def _put_all(self, text: str) -> str:
        return _SEQUENCE.sub(self._put, text) if text else ""
