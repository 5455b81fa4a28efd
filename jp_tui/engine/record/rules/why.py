"""Why something ran or didn't: a rule with its record, a call with its decision, an inquiry with its response (AR22,
AR24)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject, text_of
from jp_tui.conversation.text import Foreign
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.inquiries import MOST
from jp_tui.engine.record.rules.listing import shown_time
from jp_tui.engine.record.rules.record import PastCall, RuleRecord, recorded
from jp_tui.journal.port import JournalReading
from jp_tui.protocol.rules import RuledCall, RuleInfo, RuleWhy

LATEST = 5
"""Calls of a rule that are named."""
MOST_FOUND = 20
_PROMPT = re.compile(r"(.+)\.__(?:permission|delivery)__\.\d+")


async def why(journal: JournalReading, record: RuleRecord, rules: Sequence[RuleInfo], id_: str) -> list[RuleWhy]:
    """Return what there is under this id, the latest first; the id of a prompt names its call. Raises JournalError."""
    found: list[RuleWhy] = []
    rule = next((one for one in rules if one.id == id_), None)
    if rule is not None or id_ in record.added or id_ in record.revoked or id_ in record.uses:
        found.append(await _rule(journal, record, rule, id_))
    prompt = _PROMPT.fullmatch(id_)
    wanted = prompt[1] if prompt else id_
    async for one in recorded(journal):
        if isinstance(one, PastCall) and one.call == wanted:
            named = (*one.rules, *one.asked_rules)
            about = tuple(rule for rule in rules if rule.id in named)
            found.append(RuleWhy(kind="call", id=one.call, call=_shown(one), rules=about))
    if not prompt:
        found += _inquiries(journal, id_)
    return found[:MOST_FOUND]


async def _rule(journal: JournalReading, record: RuleRecord, rule: RuleInfo | None, id_: str) -> RuleWhy:
    calls = [
        one
        async for one in recorded(journal, ruled=True)
        if isinstance(one, PastCall) and id_ in (*one.rules, *one.asked_rules)
    ]
    calls.sort(key=lambda one: one.at, reverse=True)
    added, revoked = record.added.get(id_), record.revoked.get(id_)
    return RuleWhy(
        kind="rule",
        id=id_,
        rule=rule,
        made=added.table if added is not None else None,
        created=rule.created if rule is not None else shown_time(added.at) if added is not None else None,
        revoked=shown_time(revoked.at) if revoked is not None and rule is None else None,
        hits=len(calls),
        calls=tuple(map(_shown, calls[:LATEST])),
    )


def _shown(one: PastCall) -> RuledCall:
    return RuledCall(
        conversation=one.conversation,
        turn=one.turn,
        call=one.call,
        tool=one.tool,
        arguments=one.arguments,
        title=Foreign(one.title),
        at=shown_time(one.at) or one.at,
        choice=one.choice,
        by=one.by,
        rules=one.rules,
        asked_rules=one.asked_rules,
        reason=Foreign(one.reason),
        running=one.running,
    )


def _inquiries(journal: JournalReading, id_: str) -> Iterator[RuleWhy]:
    for row in journal.conversations(limit=MOST, include_archived=True):
        asked: ev.InquiryRequest | None = None
        response: JsonObject | None = None
        for item in journal.inquiry_events(row.id, id_):
            event = read_event(stored_event(item).event)
            if isinstance(event, ev.InquiryRequest):
                asked, response = event, None
            elif isinstance(event, ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted):
                response = event.wire()
        if asked is not None:
            text = Foreign(text_of(asked.question.get("text")))
            yield RuleWhy(kind="inquiry", id=id_, conversation=row.id, question=text, response=response)
