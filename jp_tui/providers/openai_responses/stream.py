"""Convert the stream of OpenAI Responses to deltas (wires.md W9). Pure.

Items are identified by id, and by index only without one. Unknown events and items are skipped. An item is complete
with `response.output_item.done`; the reply with `response.completed` or `response.incomplete`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from jp_tui.conversation.model import Delta, StopReason, Usage
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse_object
from jp_tui.providers.sse import EventStream
from jp_tui.providers.wire import (
    PartInProgress,
    ResponseBuilder,
    ServerError,
    broken,
    count,
    cut,
    error_in,
    table,
    text,
)

ITEM, ENCRYPTED, PHASE = "openai_item_id", "openai_encrypted_content", "openai_phase"  # keys of `opaque`, as jp's
SUMMARY = "openai_summary_ends"
"""Ends of the parts of a summary in the text of the reasoning, if there are several."""
_BETWEEN = "\n\n"
_INCOMPLETE: dict[str, StopReason] = {"max_output_tokens": "length", "content_filter": "refused"}


@dataclass(slots=True)
class _Item:
    """An item of the output. `texts` is what came of each piece of its text, by kind and number."""

    kind: str
    part: PartInProgress | None
    texts: dict[tuple[str, int], int] = field(default_factory=dict)
    length: int = 0
    ends: list[Json] = field(default_factory=list)


class OpenAIResponsesDecoder:
    """Complete with `response.completed` or `response.incomplete`."""

    def __init__(self, used: set[str]) -> None:
        self.done = False
        self._events = EventStream()
        self._reply = ResponseBuilder(used)
        self._items: dict[str, _Item] = {}
        self._refused = False

    def feed(self, data: bytes) -> list[Delta]:
        found: list[Delta] = []
        for server_event in self._events.feed(data):
            if self.done:
                break
            if server_event.data.strip() == "[DONE]":  # gateways
                continue
            try:
                event = parse_object(server_event.data)
            except JsonProblem as problem:
                raise broken(f"an event is not a JSON object ({problem.message})") from None
            kind = text(event, "type") or server_event.type
            if kind == "error" or (error_in(event) and not kind.startswith("response.")):
                raise ServerError(error_in(event) or event)
            found += self._event(kind, event)
        return found

    def end(self) -> list[Delta]:
        if not self.done:
            raise cut()
        return []

    def _event(self, kind: str, event: JsonObject) -> list[Delta]:
        match kind.removeprefix("response.").rsplit(".", 1):
            case ["output_item", "added"]:
                return self._added(event, table(event, "item"))
            case ["output_item", "done"]:
                return self._ended(event, table(event, "item"))
            case ["output_text" | "reasoning_summary_text" | "reasoning_text", "delta"]:
                return self._grow(event, text(event, "delta"))
            case ["refusal", "delta"]:
                self._refused = True
                return self._grow(event, text(event, "delta"))
            case ["function_call_arguments", "delta"]:
                return self._grow(event, text(event, "delta"))
            case ["completed" | "incomplete" | "failed" as state]:
                return self._finished(state, table(event, "response"))
            case _:  # pings, progress, and what a later version adds
                return []

    def _key(self, event: JsonObject, item: JsonObject) -> str:
        """Return the key of an item. Its id has two names; the index only counts without one."""
        if id_ := text(event, "item_id") or text(item, "id"):
            return id_
        index = event.get("output_index")
        if isinstance(index, int) and not isinstance(index, bool):
            return f"#{index}"
        return text(item, "call_id") or next(reversed(self._items), "#0")

    def _added(self, event: JsonObject, item: JsonObject) -> list[Delta]:
        """Start an item. Content it already has is its beginning; the rest arrives in deltas or with its end."""
        key, kind = self._key(event, item), text(item, "type")
        if key in self._items:
            return []
        match kind:
            case "message" | "reasoning":
                part = self._reply.start("message" if kind == "message" else "reasoning")
                self._items[key] = _Item(kind, part)
                return []
            case "function_call":
                call = self._reply.start("tool", text(item, "call_id") or text(item, "id"), text(item, "name"))
                self._items[key] = _Item(kind, call)
                return self._reply.open(call) if call.name else []
            case _:
                self._items[key] = _Item(kind, None)
                self._reply.skip_part(kind)
                return []

    def _grow(self, event: JsonObject, more: str) -> list[Delta]:
        key = self._key(event, {})
        item = self._items.get(key)
        if item is None:
            raise broken("an event belongs to an item that was never begun")
        if item.part is None or not more:
            return []
        if item.part.closed:
            raise broken("an item grew after its end")
        return self._piece(item, _place(event), more)

    def _piece(self, item: _Item, place: tuple[str, int], more: str) -> list[Delta]:
        """More text of one of the texts of an item; a blank line stands between two."""
        if item.part is None:
            return []
        if item.kind != "function_call" and place not in item.texts:
            if item.texts:
                item.ends.append(item.length)
                more = _BETWEEN + more
            item.texts[place] = 0
        item.texts[place] = item.texts.get(place, 0) + len(more)
        item.length += len(more)
        return self._reply.grow(item.part, more)

    def _ended(self, event: JsonObject, item: JsonObject) -> list[Delta]:
        found = self._added(event, item)
        held = self._items[self._key(event, item)]
        if held.part is None or held.part.closed:
            return found
        if held.kind == "function_call":
            held.part.name = held.part.name or text(item, "name")
            if not held.texts:  # no deltas came: the item itself is all there is
                found += self._reply.open(held.part)
                found += self._piece(held, ("arguments", 0), text(item, "arguments"))
            if text(item, "status") == "incomplete":
                return found
            return [*found, *self._reply.close(held.part)]
        if not held.texts:
            for place, piece in _texts(item):
                found += self._piece(held, place, piece)
        return [*found, *self._reply.close(held.part, self._opaque(held, item))]

    def _opaque(self, held: _Item, item: JsonObject) -> JsonObject:
        encrypted = text(item, "encrypted_content")
        if held.kind == "message":
            return {key: came for key, name in ((ITEM, "id"), (PHASE, "phase")) if (came := text(item, name))}
        found: JsonObject = {ITEM: text(item, "id"), ENCRYPTED: encrypted} if encrypted else {}
        if found and held.ends:
            found[SUMMARY] = [*held.ends, held.length]
        return found

    def _finished(self, state: str, response: JsonObject) -> list[Delta]:
        if state == "failed":
            raise ServerError(error_in(response) or {})
        found: list[Delta] = []
        output = response.get("output")
        for at, item in enumerate(output if isinstance(output, list) else []):
            # what had no events of its own; a reply that was cut off names its last item here as well
            if isinstance(item, dict) and self._key({"output_index": at}, item) not in self._items:
                found += self._ended({"output_index": at}, item)
        reason: StopReason = "end"
        if state == "incomplete":
            reason = _INCOMPLETE.get(text(table(response, "incomplete_details"), "reason"), "other")
        elif self._refused:
            reason = "refused"
        self.done = True
        usage = _usage(table(response, "usage"))
        return [*found, *self._reply.finish(reason, usage, garbled=self._events.garbled)]


def _place(event: JsonObject) -> tuple[str, int]:
    for key in ("summary_index", "content_index"):
        number = event.get(key)
        if isinstance(number, int) and not isinstance(number, bool):
            return key, number
    return "arguments", 0


def _texts(item: JsonObject) -> list[tuple[tuple[str, int], str]]:
    """The texts of a whole item, by their places."""
    found: list[tuple[tuple[str, int], str]] = []
    for key, place in (("summary", "summary_index"), ("content", "content_index")):
        pieces = item.get(key)
        for at, piece in enumerate(pieces if isinstance(pieces, list) else []):
            if said := text(piece, "text") or text(piece, "refusal"):
                found.append(((place, at), said))
    return found


def _usage(usage: JsonObject) -> Usage:
    return Usage(
        count(usage, "input_tokens"),
        count(usage, "output_tokens"),
        count(table(usage, "input_tokens_details"), "cached_tokens"),
        count(table(usage, "output_tokens_details"), "reasoning_tokens"),
    )
