"""Record of questions and answers (surface S6): requests and responses of the log, paired within their turn by id and
order (R29, R203). Read-only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.record.drafts import COMPOSER, FOLDS
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.subagent_events import AskerIndex
from jp_tui.inquiry.on_subagent import AGENT, ASKED_AS, ASKS
from jp_tui.journal.port import ConversationRow, JournalReading, Stored
from jp_tui.protocol.outside import ASKER, CLAIMED, Asker, Claimed
from jp_tui.protocol.values import AgentInfo, InquiryInfo, RuleOffer
from jp_tui.questions.wire import digest, read_recorded

MOST = 100_000
"""Conversations searched if none is named."""
PERMISSION = "permission"
"""Id of the question whether another program's tool may run (N3)."""
COVERS, REMEMBERED = "covers", "remember"
"""Metadata of such a request: what a remembered answer covers; of its response: that it is remembered."""
OFFERS = "offers"
"""Metadata of such a request: the rules that its answer may make (AR18)."""
ARGUMENTS = "arguments"
"""Metadata of such a request: the input of the call, where another may be given with the yes; of its response: that
input."""
Asked = tuple[Stored, ev.InquiryRequest]
Answer = ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted


def listed(journal: JournalReading, conversation: str) -> list[InquiryInfo]:
    """Return all exchanges in order; of all conversations, newest first, if none is named."""
    agents = AskerIndex(journal)
    open_ = {(row.conversation, row.seq) for row, _ in waiting(journal, conversation or None)}
    if conversation:
        return _record(journal.inquiry_events(conversation), open_, agents)
    rows = journal.conversations(limit=MOST, include_archived=True)
    return [found for row in rows for found in _record(journal.inquiry_events(row.id), open_, agents)]


def waiting(
    journal: JournalReading, conversation: str | None, known: Mapping[str, ConversationRow] | None = None
) -> list[Asked]:
    """Return the readable open requests, as `waiting_with_rows`; `known` are rows that were read already."""
    return waiting_with_rows(journal, conversation, known)[0]


def waiting_with_rows(
    journal: JournalReading, conversation: str | None, known: Mapping[str, ConversationRow] | None = None
) -> tuple[list[Asked], Mapping[str, ConversationRow]]:
    """Return the readable open requests, and the rows of their conversations. A sub-agent's question relayed by its
    parent is listed once, as the parent's, even if it was answered there and the sub-agent hasn't received the
    answer."""
    found = [
        (row, event)
        for row in journal.open_inquiries(conversation)
        if isinstance(event := read_event(stored_event(row).event), ev.InquiryRequest)
    ]
    rows = journal.rows(asking(found)) if known is None else known
    through = {id_: _through(journal, id_, row.parent) for id_, row in rows.items() if row.parent is not None}
    return [item for item in found if item[1].id not in through.get(item[0].conversation, ())], rows


def asking(found: Iterable[Asked]) -> list[str]:
    """Return the conversations of these requests, each once."""
    return list(dict.fromkeys(row.conversation for row, _ in found))


def _through(journal: JournalReading, conversation: str, above: str) -> frozenset[str]:
    """Return the inquiries of a sub-agent that are also in its parent's last turn."""
    parent = journal.conversation(above)
    if parent is None:
        return frozenset()
    events = (read_event(stored_event(item).event) for item in journal.turn_events(parent.id, parent.turns))
    return frozenset(
        _text(event.metadata, ASKS)
        for event in events
        if isinstance(event, ev.InquiryRequest) and event.metadata.get(AGENT) == conversation
    )


def last_response(journal: JournalReading, conversation: str, inquiry: str) -> Answer | None:
    """Return the latest response under this id."""
    for row in reversed(journal.inquiry_events(conversation, inquiry)):
        event = read_event(stored_event(row).event)
        if isinstance(event, ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted):
            return event
    return None


def _record(rows: Sequence[Stored], waits: Collection[tuple[str, int]], agents: AskerIndex) -> list[InquiryInfo]:
    """`waits` are the open requests, by conversation and number: no other can be answered."""
    found: list[InquiryInfo] = []
    open_: dict[tuple[int, str], list[int]] = {}
    for row in rows:
        event = read_event(stored_event(row).event)
        key = (row.entry.turn, str(row.entry.inquiry))
        if isinstance(event, ev.InquiryRequest):
            open_.setdefault(key, []).append(len(found))
            agent = agents.asking(row.conversation, event)
            found.append(info(row, event, waits=(row.conversation, row.seq) in waits, agent=agent))
        elif isinstance(event, ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted) and open_.get(key):
            place = open_[key].pop(0)
            answered = {"response": event.wire(), "answered_at": event.timestamp}
            found[place] = found[place].model_copy(update=answered)
    return found


def info(
    row: Stored, request: ev.InquiryRequest, *, waits: bool = False, agent: AgentInfo | None = None
) -> InquiryInfo:
    """Return one request in the protocol's form."""
    extra = request.metadata
    return InquiryInfo(
        conversation=row.conversation,
        id=request.id,
        turn=row.entry.turn,
        source=request.source.kind,
        source_name=request.source.name,
        tool=_text(extra, "tool") or (request.source.name if request.source.kind == "tool" else ""),
        call=_text(extra, "call"),
        question=dict(request.question),
        digest=digest_of(request),
        asked_at=request.timestamp,
        why=_text(extra, "why"),
        asked_as=_text(extra, ASKED_AS),
        waits=waits,
        agent=agent,
        asker=asker_of(request),
        covers=covered(request, "text"),
        scopes=offered_rules(request),
        arguments=editable(request),
        claimed=claimed_in(request),
    )


def asker_of(request: ev.InquiryRequest) -> Asker | None:
    """Return who asked from outside (N4), None for any other question or an unreadable record."""
    if request.source.kind != "outside":
        return None
    try:
        return Asker.model_validate(request.metadata.get(ASKER))
    except ValueError:
        return None


def covered(request: ev.InquiryRequest, part: str = "digest") -> str:
    """Return what a remembered answer to it covers in its session, as a digest or as `text`; empty if none may be."""
    found = request.metadata.get(COVERS)
    return _text(found, part) if isinstance(found, dict) and request.source.kind == "outside" else ""


def offered_rules(request: ev.InquiryRequest) -> tuple[RuleOffer, ...]:
    """Return the rules that its answer may make, empty for any other question or an unreadable record."""
    found = request.metadata.get(OFFERS)
    if request.source.kind != "outside" or not isinstance(found, list) or not covered(request):
        return ()
    with suppress(ValueError):
        return tuple(RuleOffer.model_validate(one) for one in found)
    return ()


def editable(request: ev.InquiryRequest) -> dict[str, Any] | None:
    """Return the input of the call that it is about, None where it can't be edited."""
    found = request.metadata.get(ARGUMENTS)
    return dict(found) if isinstance(found, dict) and request.source.kind == "outside" else None


def claimed_in(request: ev.InquiryRequest) -> Claimed:
    """Return what the program that asks says of itself (N4), nothing for any other question."""
    if request.source.kind == "outside":
        with suppress(ValueError):
            return Claimed.model_validate(request.metadata.get(CLAIMED))
    return Claimed()


def digest_of(request: ev.InquiryRequest) -> str:
    """Return the digest that an answer must carry; empty for an unreadable question."""
    if kept := _text(request.metadata, "digest"):
        return kept
    try:
        return digest(read_recorded(_text(request.metadata, "question"), request.question))
    except (ValueError, TypeError, KeyError):
        return ""


def draft_allowed(journal: JournalReading, conversation: str, key: str) -> bool:
    """True if text typed under this key may be stored: never for a secret or an unknown question (E24)."""
    if key in (COMPOSER, FOLDS):
        return True
    rows = [row for row, request in waiting(journal, conversation) if request.id == key and not _secret(request)]
    return bool(rows)


def _secret(request: ev.InquiryRequest) -> bool:
    kind = request.question.get("answer_type")
    return not isinstance(kind, dict) or kind.get("type") == "secret"


def names(rows: Iterable[Asked]) -> tuple[str, ...]:
    """Return CONVERSATION/ID of each, as `jp-tui answer` accepts it."""
    return tuple(f"{row.conversation}/{request.id}" for row, request in rows)


def _text(extra: JsonObject, name: str) -> str:
    found = extra.get(name)
    return found if isinstance(found, str) else ""
