"""Record of the approval rules (rules.md AR22): which rule decided which call, and from which answer a rule was made.

Read from the logs of all conversations, in pieces, so that nothing else waits. A call's decision is in the metadata of
its response, or beside the log while it runs; `rule_added` and `rule_revoked` are events. Read-only.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass, field

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse_object, text_of
from jp_tui.engine.record.event_codec import MAX_STORED_BYTES, MAX_STORED_DEPTH, stored_event
from jp_tui.journal.port import ConversationRow, JournalReading, Stored

ADDED, REVOKED = "rule_added", "rule_revoked"
PAGE = 200
MOST = 100_000
"""Conversations read."""
_LEAVE = "leave"
"""Kind of part that holds the decision of a call without a result."""
_RULES = 'rules":['
"""In the stored form of a decision that names rules."""
_REQUEST, _RESPONSE = "tool_call_request", "tool_call_response"


def rule_added(
    at: str, rule: JsonObject, *, lifetime: str, inquiry: str = "", call: str = "", made_by: str = "answer"
) -> ev.Unknown:
    """The event of a new rule. `at` as in R58; `rule` is its table as in `rules.toml` (AR2) with its id, dates as
    texts; `lifetime` as in RuleInfo. It is durable before the rule applies (AR21)."""
    about = {"inquiry": inquiry, "call": call}
    told: JsonObject = {name: text for name, text in about.items() if text}
    return ev.Unknown({"timestamp": at, "type": ADDED, "rule": rule, "lifetime": lifetime, **told, "made_by": made_by})


def rule_revoked(at: str, id_: str, *, inquiry: str = "") -> ev.Unknown:
    """The event of a rule that was revoked in this conversation; `at` as in R58."""
    told: JsonObject = {"inquiry": inquiry} if inquiry else {}
    return ev.Unknown({"timestamp": at, "type": REVOKED, "id": id_, **told})


@dataclass(frozen=True, slots=True)
class RuleFact:
    """A `rule_added` or `rule_revoked` event. `at` as in R58; `table` is empty for a revoked one."""

    added: bool
    rule: str
    at: str
    conversation: str
    inquiry: str = ""
    call: str = ""
    made_by: str = ""
    lifetime: str = ""
    table: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call whose decision is recorded (AR22): `choice` run, edit, skip or cancel, `by` user, rule, policy …, `rules`
    those that decided, `asked_rules` those that made a person decide. `running`: it has no result yet."""

    conversation: str
    workspace: str
    seq: int
    turn: int
    call: str
    tool: str
    arguments: JsonObject
    at: str
    choice: str
    by: str
    rules: tuple[str, ...] = ()
    asked_rules: tuple[str, ...] = ()
    title: str = ""
    reason: str = ""
    running: bool = False


@dataclass(slots=True)
class RuleUse:
    """Number of decisions of a rule, and the last time (as in R58)."""

    hits: int = 0
    last: str = ""


Recorded = PastCall | RuleFact


async def recorded(
    journal: JournalReading,
    *,
    workspace: str | None = None,
    since: str = "",
    rows: Iterable[ConversationRow] = (),
    ruled: bool = False,
) -> AsyncIterator[Recorded]:
    """Yield decided calls and facts about rules, conversation by conversation, the latest first; within one in order.
    `since` leaves out what is older (R58); `rows` are these conversations only, `ruled` calls that a rule was about.
    Raises JournalError."""
    found = list(rows) or journal.conversations(workspace, limit=MOST, include_archived=True)
    for row in found:
        if since and row.updated < since:
            continue
        for one in _conversation(journal, row, _RULES if ruled else '"permission"'):
            if one.at >= since:
                yield one
        await asyncio.sleep(0)


def _conversation(journal: JournalReading, row: ConversationRow, holding: str) -> Iterable[Recorded]:
    requests: dict[tuple[int, str], tuple[int, ev.ToolCallRequest]] = {}
    done: set[tuple[int, str]] = set()
    decided = _pages(journal, row.id, (_RESPONSE,), holding)
    facts = _pages(journal, row.id, (ADDED, REVOKED), "")
    stored = sorted([*decided, *facts], key=lambda one: one.seq)
    leave = _granted(journal, row.id)
    if not stored and not leave:
        return
    for one in _pages(journal, row.id, (_REQUEST,), ""):
        event = read_event(stored_event(one).event)
        if isinstance(event, ev.ToolCallRequest):
            requests[one.entry.turn, event.id] = one.seq, event
    for one in stored:
        raw = stored_event(one).event
        event = read_event(raw)
        if isinstance(event, ev.ToolCallResponse):
            place = one.entry.turn, event.id
            done.add(place)
            if (call := _call(row, place, event, requests, one.entry.at)) is not None:
                yield call
        elif (fact := _fact(row.id, raw, one.entry.at)) is not None:
            yield fact
    for (turn, id_), (_, request) in requests.items():
        runs = id_ in leave and (turn, id_) not in done and turn == row.turns
        if runs and (call := _call(row, (turn, id_), leave[id_], requests, request.timestamp, running=True)):
            yield call


def _granted(journal: JournalReading, conversation: str) -> dict[str, ev.ToolCallResponse]:
    """Return the decisions of calls that run, by call (`unlogged_results.py`)."""
    found: dict[str, ev.ToolCallResponse] = {}
    for partial in journal.partials(conversation):
        if partial.kind != _LEAVE:
            continue
        try:
            event = read_event(parse_object(partial.text, max_bytes=MAX_STORED_BYTES, max_depth=MAX_STORED_DEPTH))
        except JsonProblem:
            continue
        if isinstance(event, ev.ToolCallResponse):
            found[event.id] = event
    return found


def _pages(
    journal: JournalReading, conversation: str, kinds: Collection[str], holding: str, after: int = 0
) -> list[Stored]:
    found: list[Stored] = []
    while page := journal.of_kinds(conversation, tuple(kinds), holding, after, PAGE):
        found += page
        after = page[-1].seq
    return found


def _call(
    row: ConversationRow,
    place: tuple[int, str],
    response: ev.ToolCallResponse,
    requests: dict[tuple[int, str], tuple[int, ev.ToolCallRequest]],
    at: str,
    *,
    running: bool = False,
) -> PastCall | None:
    said, known = response.metadata.get("permission"), requests.get(place)
    if not isinstance(said, dict) or known is None:
        return None
    seq, request = known
    return PastCall(
        row.id,
        row.workspace,
        seq,
        place[0],
        place[1],
        request.name,
        request.arguments,
        at,
        text_of(said.get("choice")),
        text_of(said.get("by")),
        _names(said.get("rules")),
        _names(said.get("asked_rules")),
        text_of(response.metadata.get("title")),
        text_of(said.get("reason")),
        running,
    )


def _fact(conversation: str, raw: JsonObject, at: str) -> RuleFact | None:
    table = raw.get("rule")
    added = raw.get("type") == ADDED
    id_ = text_of(table.get("id")) if isinstance(table, dict) else text_of(raw.get("id"))
    if not id_ or added != isinstance(table, dict):
        return None
    inquiry, call, made_by, lifetime = (text_of(raw.get(name)) for name in ("inquiry", "call", "made_by", "lifetime"))
    told = table if isinstance(table, dict) else {}
    return RuleFact(added, id_, at, conversation, inquiry, call, made_by, lifetime, told)


def _names(found: Json) -> tuple[str, ...]:
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


@dataclass(slots=True)
class RuleRecord:
    """Record of all logs about rules, by their ids: `uses` and the facts. `read` again reads what changed only."""

    uses: dict[str, RuleUse] = field(default_factory=dict)
    added: dict[str, RuleFact] = field(default_factory=dict)
    revoked: dict[str, RuleFact] = field(default_factory=dict)
    _known: dict[str, tuple[int, list[Recorded]]] = field(default_factory=dict, repr=False)

    async def read(self, journal: JournalReading) -> None:
        """Raises JournalError."""
        rows = journal.conversations(limit=MOST, include_archived=True)
        for row in rows:
            if self._known.get(row.id, (-1,))[0] != row.last_seq:
                told = [one async for one in recorded(journal, rows=[row], ruled=True) if _tells(one)]
                self._known[row.id] = row.last_seq, told
        self.uses, self.added, self.revoked = {}, {}, {}
        for row in rows:
            for one in self._known[row.id][1]:
                self._add(one)

    def _add(self, one: Recorded) -> None:
        if isinstance(one, RuleFact):
            (self.added if one.added else self.revoked)[one.rule] = one
            return
        for name in dict.fromkeys((*one.rules, *one.asked_rules)):
            use = self.uses.setdefault(name, RuleUse())
            use.hits += 1
            use.last = max(use.last, one.at)


def _tells(one: Recorded) -> bool:
    return isinstance(one, RuleFact) or bool(one.rules or one.asked_rules)
