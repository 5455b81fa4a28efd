"""Memory of another program's session (intake.md N3): remembered answers, rules made by answers, and what was refused.

All of it is read from the session's conversation, since each question is asked by a process of its own. What was
remembered or made is revoked by a further event there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import id_of, timestamp
from jp_tui.conversation.model import Message, TextPart
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.record.event_codec import entry, stored_event
from jp_tui.engine.record.inquiries import PERMISSION, REMEMBERED, covered, offered_rules
from jp_tui.engine.record.outside_rows import TURN
from jp_tui.engine.record.rules.record import ADDED, REVOKED, rule_revoked
from jp_tui.inquiry import values as v
from jp_tui.inquiry.refusals_replay import TARGETS, turn_resumed
from jp_tui.journal.port import JournalReading
from jp_tui.protocol.outside import Asker
from jp_tui.protocol.values import ChosenRule, RuleOffer

if TYPE_CHECKING:
    from jp_tui.rules.values import ApprovalRule
    from jp_tui.system.agents.presence import AgentSession

LINE, SAME, BEFORE = "line", "same_call", "before_tool"
"""Metadata of a request: the command line, for what is refused later in the session; a digest of the whole call, and
whether it was asked before the tool."""
SESSION = "conversation"
"""Lifetime of a rule for a session, as in its event."""
CLAUDE = "claude-code"
_EXCHANGES = 40


def session_conversation(asker: Asker, program: str, session: str) -> str:
    """Return the id of the conversation of one session: that of a measured process, distinguished by the program's own
    id. Another process can't take it over by naming that id."""
    return id_of(program, asker.host, asker.pid, asker.started, asker.uid, session)


@dataclass(frozen=True, slots=True)
class PastPermission:
    """A call that a person decided about: its command line or the files it names."""

    tool: str
    line: object
    paths: tuple[str, ...]
    approved: bool


@dataclass(frozen=True, slots=True)
class SessionMemory:
    """Content of a session's conversation. `held`: remembered answers by what they cover; `refused`: targets, each with
    who refused it; `lines`: command lines that were refused; `told`: the earlier exchanges, for a reviewer (N2);
    `given`: how often a person said yes to a call before the tool, by its digest, where nothing followed yet; `rules`
    were made by answers; `past` are calls that a person decided about, the latest last."""

    held: Mapping[str, v.RememberedAnswer]
    refused: Mapping[str, str]
    lines: frozenset[str]
    told: tuple[Message, ...] = ()
    given: Mapping[str, int] = field(default_factory=dict)
    rules: tuple[ApprovalRule, ...] = ()
    past: tuple[PastPermission, ...] = ()

    @classmethod
    def of(cls, journal: JournalReading, conversation: str) -> SessionMemory:
        """Read it. Raises JournalError."""
        events = [read_event(stored_event(row).event) for row in journal.inquiry_events(conversation)]
        asked = {one.id: one for one in events if isinstance(one, ev.InquiryRequest)}
        rules, revoked = _rules(journal, conversation)
        past: list[PastPermission] = []
        held: dict[str, v.RememberedAnswer] = {}
        lines: set[str] = set()
        told: list[str] = []
        given: dict[str, int] = {}
        for event in events:
            if isinstance(event, ev.InquiryRequest) and not event.metadata.get(BEFORE):
                same = str(event.metadata.get(SAME, ""))
                given[same] = max(given.get(same, 0) - 1, 0)
            if not isinstance(event, ev.InquiryAnswered | ev.InquiryCancelled) or event.id not in asked:
                continue
            request = asked[event.id]
            text = str(request.question.get("text", ""))
            if isinstance(event, ev.InquiryCancelled):
                told.append(f"{text}\nno answer: {event.reason}")
                continue
            who = event.responder.kind if event.responder is not None else ""
            told.append(f"{text}\n{dump(event.answer)} ({who}){f': {event.explanation}' if event.explanation else ''}")
            about, line = covered(request), request.metadata.get(LINE)
            if who == "user" and isinstance(event.answer, bool):
                past.append(PastPermission(str(request.metadata.get("tool", "")), line, _paths(request), event.answer))
            remembered = event.metadata.get(REMEMBERED) is True and event.id not in revoked
            if about and remembered and isinstance(event.answer, bool):
                tool = str(request.metadata.get("tool", ""))
                held[about] = v.RememberedAnswer(tool, PERMISSION, event.answer, text, event.timestamp)
            if event.answer is True and who == "user" and request.metadata.get(BEFORE) is True:
                same = str(request.metadata.get(SAME, ""))
                given[same] = given.get(same, 0) + 1
            if event.answer is False and who in ("user", "assistant") and isinstance(line, str):
                lines.add(line)
        parts = tuple(Message("user", (TextPart(f"Earlier in this session: {one}"),)) for one in told[-_EXCHANGES:])
        return cls(held, turn_resumed(events).refused, frozenset(lines), parts, given, tuple(rules), tuple(past))


def _paths(request: ev.InquiryRequest) -> tuple[str, ...]:
    found = request.metadata.get(TARGETS)
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def _facts(journal: JournalReading, conversation: str) -> Iterator[JsonObject]:
    """Yield the events about rules, in order."""
    after = 0
    while rows := journal.of_kinds(conversation, (ADDED, REVOKED), "", after):
        yield from (stored_event(row).event for row in rows)
        after = rows[-1].seq


def _rules(journal: JournalReading, conversation: str) -> tuple[list[ApprovalRule], set[str]]:
    """Return the session's rules, and the ids of all that was revoked there."""
    found: dict[str, JsonObject] = {}
    revoked: set[str] = set()
    for event in _facts(journal, conversation):
        table = event.get("rule")
        if event.get("type") == REVOKED:
            revoked.add(str(event.get("id")))
        elif isinstance(table, dict) and event.get("lifetime") == SESSION:
            found[str(table.get("id"))] = table
    standing = [table for id_, table in found.items() if id_ not in revoked]
    if not standing:
        return [], revoked
    from jp_tui.settings.approval_rules import checked_rule

    made = (checked_rule(table, lambda *_: None, place="this session") for table in standing)
    return [rule for rule in made if rule is not None], revoked


# -- rules that an answer makes


def offered_rule(request: ev.InquiryRequest, wanted: ChosenRule, setup: EngineDependencies) -> RuleOffer | None:
    """Return what the question offers under this name and for this long, None if it doesn't."""
    found = next((one for one in offered_rules(request) if one.scope == wanted.scope), None)
    if found is None or wanted.lifetime not in found.lifetimes:
        return None
    return found if wanted.lifetime == SESSION or setup.rule_book is not None else None


def new_rules(
    offer: RuleOffer, wanted: ChosenRule, setup: EngineDependencies, *, yes: bool, reason: str
) -> tuple[JsonObject, ...]:
    """Return the rules of an answer as tables with new ids. A no makes them deny, with its reason."""
    book = setup.rule_book
    until = "in this session" if wanted.lifetime == SESSION else "in this folder"
    found = []
    for scope in offer.rules:
        id_ = book.new_id() if book is not None else f"rule-{setup.new_id()}"
        table: JsonObject = {"id": id_, **scope, "effect": "allow" if yes else "deny"}
        found.append(table if yes else {**table, "reason": reason or f"the user said no to this {until}"})
    return tuple(found)


async def keep_rules(
    setup: EngineDependencies, conversation: str, wanted: ChosenRule, made: Sequence[JsonObject]
) -> str:
    """Write rules for the folder to the user's file, once they are on record (AR22). Return why they can't be kept,
    empty if they are; then they are on record as revoked. Raises JournalError."""
    book = setup.rule_book
    if wanted.lifetime == SESSION or book is None:
        return ""
    try:
        for table in made:
            book.add({**table, "made_by": "answer"})
    except ValueError as problem:
        ids = [str(one["id"]) for one in made]
        with suppress(ValueError):
            book.revoke(ids)
        await _revoke(setup, conversation, ids)
        return f"The answer is recorded, but not its rule: {problem}"
    return ""


# -- what is revoked


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """Something that a session remembers: a rule, or, with `inquiry`, one answer. `covers` says what it is about."""

    conversation: str
    session: AgentSession
    id: str
    tool: str
    value: bool
    covers: str
    rule: ApprovalRule | None = None
    since: str = ""

    @property
    def name(self) -> str:
        """Return its id among all rules."""
        return self.id if self.rule is not None else f"{self.conversation}/{self.id}"


def kept_answers(setup: EngineDependencies) -> list[KeptAnswer]:
    """Return what the living sessions of other programs remember. Raises JournalError."""
    found: list[KeptAnswer] = []
    for session in setup.agent_sessions():
        for id_ in _conversations(session):
            if setup.journal.conversation(id_) is not None:
                found += _kept(setup.journal, id_, session)
    return found


def _conversations(session: AgentSession) -> tuple[str, ...]:
    """Return the possible ids of a session's conversation: its questions name the program by the name in rules, and
    `approve` of `mcp serve` that of Claude Code."""
    asker = Asker(program=session.program, pid=session.pid, started=session.started, host=session.host, uid=os.getuid())
    if session.way == "mcp":
        return (session_conversation(asker, CLAUDE, f"mcp {session.session}"),)
    return (session_conversation(asker, session.program, session.session),) if session.way == "hook" else ()


def _kept(journal: JournalReading, conversation: str, session: AgentSession) -> Iterator[KeptAnswer]:
    rules, revoked = _rules(journal, conversation)
    for rule in rules:
        allows = rule.effect == "allow"
        yield KeptAnswer(conversation, session, rule.id, rule.tool, allows, "", rule)
    events = [read_event(stored_event(row).event) for row in journal.inquiry_events(conversation)]
    asked = {one.id: one for one in events if isinstance(one, ev.InquiryRequest)}
    last: dict[str, KeptAnswer] = {}
    for event in events:
        if not isinstance(event, ev.InquiryAnswered) or event.id not in asked or event.id in revoked:
            continue
        request = asked[event.id]
        if event.metadata.get(REMEMBERED) is True and isinstance(event.answer, bool) and (about := covered(request)):
            tool, covers = str(request.metadata.get("tool", "")), covered(request, "text")
            text = f"{request.question.get('text', '')!s} ({covers})"
            last[about] = KeptAnswer(conversation, session, event.id, tool, event.answer, text, since=event.timestamp)
    yield from last.values()


async def forget(setup: EngineDependencies, kept: KeptAnswer) -> None:
    """Revoke it: a further event in the session's conversation. Raises JournalError."""
    await _revoke(setup, kept.conversation, [kept.id])


async def _revoke(setup: EngineDependencies, conversation: str, ids: Sequence[str]) -> None:
    at = timestamp(setup.now())
    rows = [entry(rule_revoked(at, id_), TURN, at)[0] for id_ in ids]
    where = str(setup.workspace)
    await setup.journal.ask_outside(  # which leaves out the first where the conversation is there
        conversation, [rows[0], *rows], workspace=where, at=at, title="", admits=lambda _: None, joins=True
    )
