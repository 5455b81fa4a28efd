"""The record of answers that a compaction carries: made by us from the log, word for word (context.md K25). Pure.

One line of JSON an entry. An entry of the log keeps the bytes of its line through later compactions, so that they are
taken from the record before where it has them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import Json, JsonObject, text_of
from jp_tui.engine.record.overlay import line, number_of
from jp_tui.engine.record.sizes import size

Logged = tuple[int, int, ev.Event]
"""An event with its number and its turn."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the record. `granted`: it tells of a change or a call that was allowed, the first to leave; `seq` is 0
    for an entry of the ledger, which never leaves."""

    seq: int
    line: str
    granted: bool = False


def entries(events: Iterable[Logged], through: int, before: Sequence[str] = ()) -> list[Entry]:
    """Every response to an inquiry, and every leave to run that was refused, up to the number `through`, oldest first.
    `before` are the lines of an earlier record."""
    kept = {number: one for one in before if (number := number_of(one))}
    found: list[Entry] = []
    turn, waiting = -1, dict[str, deque[ev.InquiryRequest]]()
    calls: dict[str, str] = {}
    for seq, at, event in events:
        if seq > through:
            break
        if at != turn:
            turn, waiting, calls = at, {}, {}
        raw: JsonObject | None = None
        match event:
            case ev.InquiryRequest(id=id_):
                waiting.setdefault(id_, deque()).append(event)
            case ev.InquiryAnswered(id=id_) | ev.InquiryCancelled(id=id_) | ev.InquiryRedacted(id=id_):
                if waiting.get(id_):
                    raw = _response(seq, waiting[id_].popleft(), event)
            case ev.ToolCallRequest(id=id_, name=name):
                calls[id_] = name
            case ev.ToolCallResponse(id=id_, metadata=metadata):
                raw = _not_run(seq, calls.get(id_, ""), metadata)
            case _:
                pass
        if raw is not None:
            found.append(Entry(seq, kept.get(seq) or line(raw), _granted(raw)))
    return found


def remembered(tool: str, question: str, text: str, value: Json) -> Entry:
    """An entry of the ledger that stands."""
    raw: JsonObject = {"kind": "remembered", "tool": tool, "question": question, "text": text, "answer": value}
    return Entry(0, line({**raw, "by": "user"}))


def bounded(found: Sequence[Entry], limit: int | None) -> tuple[str, ...]:
    """The lines in at most `limit` bytes: what was granted leaves first, then the oldest, for one line that says how
    many and up to which number."""
    sizes = [size(one.line) + 1 for one in found]
    over = sum(sizes) - limit if limit is not None else 0
    if over <= 0:
        return tuple(one.line for one in found)
    gone: set[int] = set()
    over += size(_left_out(len(found), max(one.seq for one in found))) + 1
    for granted in (True, False):
        for at, one in enumerate(found):
            if over <= 0:
                break
            if one.seq and at not in gone and (one.granted or not granted):
                gone.add(at)
                over -= sizes[at]
    if not gone:
        return tuple(one.line for one in found)
    through = max(found[at].seq for at in gone)
    return (_left_out(len(gone), through), *(one.line for at, one in enumerate(found) if at not in gone))


def _left_out(count: int, through: int) -> str:
    return line({"kind": "left_out", "count": count, "through": through})


def _response(seq: int, request: ev.InquiryRequest, event: ev.InquiryResponse) -> JsonObject:
    about = request.metadata
    tool = text_of(about.get("tool")) or request.source.name or request.source.kind
    question = text_of(about.get("question")) or _bare(request.id)
    raw: JsonObject = {"seq": seq, "kind": "answer", "tool": tool, "question": question}
    raw["text"] = text_of(request.question.get("text"))
    by = "user"
    match event:
        case ev.InquiryAnswered():
            raw["answer"], by = event.answer, _who(event.responder)
            if event.responder is not None and event.responder.kind == "assistant":
                raw["kind"] = "verdict"
            elif event.answer is False and request.source.kind != "assistant":
                raw["kind"] = "refusal"
            if event.explanation:
                raw["reason"] = event.explanation
            if (comments := event.extra.get("comments")) is not None:
                raw["comments"] = comments
        case ev.InquiryCancelled():
            raw |= {"kind": "cancelled", "reason": event.reason}
            by = _who(event.responder)
        case ev.InquiryRedacted():
            raw["reason"] = "redacted"
    return {**raw, "by": by}


def _not_run(seq: int, tool: str, metadata: Mapping[str, Json]) -> JsonObject | None:
    """Return the record of a call that wasn't permitted to run."""
    decision = metadata.get("permission")
    if not isinstance(decision, dict) or decision.get("choice") not in ("skip", "cancel"):
        return None
    kind = "refusal" if decision["choice"] == "skip" else "cancelled"
    raw: JsonObject = {"seq": seq, "kind": kind, "tool": tool, "question": "run"}
    raw |= {"text": text_of(metadata.get("title"))}
    if kind == "refusal":
        raw["answer"] = False
    if reason := text_of(decision.get("reason")):
        raw["reason"] = reason
    return {**raw, "by": text_of(decision.get("by")) or "user"}


def _granted(raw: JsonObject) -> bool:
    return raw.get("answer") is True and raw.get("kind") == "answer"


def _who(responder: ev.Responder | None) -> str:
    if responder is None:
        return "user"
    return responder.model if responder.kind == "assistant" and responder.model else responder.kind


def _bare(inquiry: str) -> str:
    """The question's own id in the id of an inquiry, CALL.QUESTION.ATTEMPT."""
    parts = inquiry.split(".")
    return ".".join(parts[1:-1]) if len(parts) > 2 else inquiry
