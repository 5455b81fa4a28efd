"""People of an open inquiry: whom it asks, who approved it, who looks at it, and whether this process's user may answer
it (store.md D14-D16, D19). For lists of the whole store, with a query for all of them. In a store of one person nothing
is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonProblem, parse_object
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.base.people import is_shared, people_of
from jp_tui.engine.record.event_codec import MAX_STORED_BYTES
from jp_tui.engine.record.inquiries import Asked, info, waiting_with_rows
from jp_tui.engine.record.subagent_events import AskerIndex
from jp_tui.inquiry.approvals import DIGEST, after, decode_addressed
from jp_tui.inquiry.people import GROUP, Addressed, People, Vote, standing
from jp_tui.journal.port import ConversationRow, InquiryAct
from jp_tui.protocol.people import Approvals
from jp_tui.protocol.values import InquiryInfo

CLAIM = "claim"
SHOWN = ("owner", "to", "claimed_by", "approvals", "yours")
Share = Literal["mine", "roles", "asked"]


@dataclass(frozen=True, slots=True)
class OpenInquiryPeople:
    """One open inquiry. `yours`: this process's user may answer it; `share` as in WaitingInfo."""

    owner: str = ""
    machine: str = ""
    workspace: str = ""
    to: str = ""
    claimed_by: str = ""
    approvals: Approvals | None = None
    yours: bool = True
    share: Share = "mine"

    def fields(self, *names: str) -> dict[str, Any]:
        """Return these fields by their names, as protocol values have them."""
        return {name: getattr(self, name) for name in names}


ALONE = OpenInquiryPeople()


def asked_people(
    setup: EngineDependencies, waits: Iterable[Asked], rows: Mapping[str, ConversationRow]
) -> dict[tuple[str, str], OpenInquiryPeople]:
    """Return what is known of each of these open requests, by conversation and inquiry. Raises JournalError."""
    waits = list(waits)
    if not is_shared(setup):
        return {
            (row.conversation, request.id): _alone(rows.get(row.conversation), decode_addressed(request.metadata))
            for row, request in waits
        }
    people = people_of(setup, "") if waits else None
    if people is None:
        return {}
    acts: dict[tuple[str, str], list[InquiryAct]] = {}
    for act in setup.journal.acts():
        acts.setdefault((act.conversation, act.inquiry), []).append(act)
    found: dict[tuple[str, str], OpenInquiryPeople] = {}
    for row, request in waits:
        key = row.conversation, request.id
        there = rows.get(row.conversation)
        owner = there.owner if there is not None else ""
        one = _known(request, acts.get(key, ()), replace(people, owner=owner), setup.journal.me())
        found[key] = replace(one, machine=there.machine, workspace=there.workspace) if there is not None else one
    return found


def claims(acts: Iterable[InquiryAct], conversation: str, me: str) -> dict[str, str]:
    """Return which other person than `me` looks at the open inquiries of a conversation, by inquiry (store.md D16)."""
    return {
        act.inquiry: act.payload
        for act in acts
        if act.kind == CLAIM and act.conversation == conversation and act.payload != me
    }


def open_inquiries(setup: EngineDependencies, conversation: str, *, every: bool) -> list[InquiryInfo]:
    """Return the open inquiries of a conversation, or of all if none is named, oldest first: those that this process's
    user may answer, or with `every` also those that wait for others. Raises JournalError."""
    waits, rows = waiting_with_rows(setup.journal, conversation or None)
    agents, people = AskerIndex(setup.journal, rows), asked_people(setup, waits, rows)
    found: list[InquiryInfo] = []
    for row, request in waits:
        one = people.get((row.conversation, request.id), ALONE)
        if one.yours or every or not one.owner:
            told = info(row, request, waits=True, agent=agents.asking(row.conversation, request))
            found.append(told.model_copy(update=one.fields(*SHOWN, "machine", "workspace")))
    return found


def _alone(row: ConversationRow | None, asked: Addressed) -> OpenInquiryPeople:
    approvals = Approvals(needed=asked.needed) if asked.needed > 1 else None
    workspace = row.workspace if row is not None else ""
    return OpenInquiryPeople(workspace=workspace, approvals=approvals, yours=approvals is None)


def _known(request: ev.InquiryRequest, acts: Iterable[InquiryAct], people: People, me: str) -> OpenInquiryPeople:
    asked, votes, claimed = decode_addressed(request.metadata), tuple[Vote, ...](), ""
    for act in acts:
        if act.kind == CLAIM:
            claimed = act.payload
        elif (event := _event(act)) is not None:
            asked, votes = after(asked, votes, str(request.metadata.get(DIGEST, "")), event)
    found = standing(asked, people, me, votes)
    approvals = Approvals(needed=asked.needed, by=tuple(one.who for one in votes)) if asked.needed > 1 else None
    return OpenInquiryPeople(
        owner=people.owner,
        to=asked.to,
        claimed_by=claimed,
        approvals=approvals,
        yours=found.may,
        share=_share(asked, may=found.may),
    )


def _share(asked: Addressed, *, may: bool) -> Share:
    if not may:
        return "asked"
    return "roles" if asked.to.startswith(GROUP) or (asked.needed > 1 and not asked.to) else "mine"


def _event(act: InquiryAct) -> ev.InquiryVote | ev.InquiryAssigned | None:
    try:
        event = read_event(parse_object(act.payload, max_bytes=MAX_STORED_BYTES, max_depth=128))
    except JsonProblem:
        return None
    return event if isinstance(event, ev.InquiryVote | ev.InquiryAssigned) else None
