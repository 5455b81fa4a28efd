"""A conversation as one document that leaves the program: Markdown, JSON, or HTML that reads well on its own.

A writer is fed whole turns in order and gives text; it reads and writes no file. What is shown to people goes through
the neutraliser; the JSON holds every event as it is stored. A secret's answer is in no log, so it is in none of them.
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
        """Its head."""

    def add(self, events: Sequence[StoredEvent]) -> str:
        """Whole turns, each once and in order; what is outside the stretch is not known."""

    def end(self) -> str:
        """Its foot."""


def writer(wanted: Format) -> DocumentWriter:
    """The writer of a format."""
    if wanted == "json":
        return JsonWriter()
    if wanted == "html":
        from jp_tui.view.export.html import HtmlWriter

        return HtmlWriter()
    from jp_tui.view.export.markdown import MarkdownWriter

    return MarkdownWriter()


class EventPages:
    """Cuts pages of a log into whole turns: the last turn of a page is held back while more comes."""

    def __init__(self) -> None:
        self._held: list[StoredEvent] = []

    def whole(self, events: Sequence[StoredEvent], *, more: bool) -> list[StoredEvent]:
        """What can be told now."""
        held = [*self._held, *events]
        turn = held[-1].turn if more and held else None
        self._held = [one for one in held if one.turn == turn]
        return [one for one in held if one.turn != turn]


def file_name(info: ConversationInfo, wanted: Format) -> str:
    """A name for the file, of letters, digits and dashes, that tells the conversation."""
    words = "".join(letter if letter.isalnum() else " " for letter in neutralise(info.title, "line").lower()).split()
    return "-".join([*words, info.id])[-80:].strip("-") + f".{wanted}"


class JsonWriter:
    """One JSON object: what is known of the conversation, and `events` with `seq` and `turn` as they are stored."""

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
    """What no terminal obeys and every reader takes: control characters and half characters as JSON escapes."""
    odd = "\x7f" <= letter <= "\x9f" or letter in "\u2028\u2029" or "\ud800" <= letter <= "\udfff"
    return f"\\u{ord(letter):04x}" if odd else letter
