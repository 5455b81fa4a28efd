"""Export of a conversation as one document: Markdown, JSON, or self-contained HTML.

A writer receives whole turns in order and returns text; it reads and writes no file. Displayed text is neutralised; the
JSON contains every event as stored. Secret answers are never in the log, so never here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from jp_tui.conversation.neutral import neutralise
from jp_tui.protocol.values import ConversationInfo, StoredEvent

Format = Literal["md", "json", "html"]
FORMATS: tuple[Format, ...] = ("md", "json", "html")


class DocumentWriter(Protocol):
    """One document."""

    def begin(self, info: ConversationInfo) -> str:
        """Return its head."""

    def add(self, events: Sequence[StoredEvent]) -> str:
        """Add whole turns, each once and in order; events outside them are unknown."""

    def end(self) -> str:
        """Return its foot."""


def writer(wanted: Format) -> DocumentWriter:
    """Return the writer of a format."""
    if wanted == "json":
        return JsonWriter()
    if wanted == "html":
        from jp_tui.view.export.html import HtmlWriter

        return HtmlWriter()
    from jp_tui.view.export.markdown import MarkdownWriter

    return MarkdownWriter()


class EventPages:
    """Splits pages of a log into whole turns: the last turn of a page is held back while more pages follow."""

    def __init__(self) -> None:
        self._held: list[StoredEvent] = []

    def whole(self, events: Sequence[StoredEvent], *, more: bool) -> list[StoredEvent]:
        """Return the complete turns so far."""
        held = [*self._held, *events]
        turn = held[-1].turn if more and held else None
        self._held = [one for one in held if one.turn == turn]
        return [one for one in held if one.turn != turn]


def file_name(info: ConversationInfo, wanted: Format) -> str:
    """Return a file name of letters, digits and dashes that identifies the conversation."""
    words = "".join(letter if letter.isalnum() else " " for letter in neutralise(info.title, "line").lower()).split()
    return "-".join([*words, info.id])[-80:].strip("-") + f".{wanted}"


class JsonWriter:
    """One JSON object: the conversation's details, and `events` with `seq` and `turn` as stored."""

    def __init__(self) -> None:
        self._first = True

    def begin(self, info: ConversationInfo) -> str:
        return f'{{"conversation": {_json(info.model_dump(mode="json"))},\n"events": ['

    def add(self, events: Sequence[StoredEvent]) -> str:
        lines = [_json({**one.event, "seq": one.seq, "turn": one.turn}) for one in events]
        text = "".join(f"{'' if self._first and not place else ','}\n{line}" for place, line in enumerate(lines))
        self._first = self._first and not lines
        return text

    def end(self) -> str:
        return "\n]}\n"


def _json(value: object) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False)
    return text if text.isascii() and "\x7f" not in text else "".join(map(_escaped, text))


def _escaped(letter: str) -> str:
    """Escape a character for terminals and readers: control characters and lone surrogates as JSON escapes."""
    odd = "\x7f" <= letter <= "\x9f" or letter in "\u2028\u2029" or "\ud800" <= letter <= "\udfff"
    return f"\\u{ord(letter):04x}" if odd else letter
