"""First rows that `ask` records: another program's question, and what a setting answers at once (intake.md N1).

Loads little: a question that a setting answers is recorded without an engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.record.event_codec import entry
from jp_tui.journal.port import OUTSIDE, NewEvent
from jp_tui.protocol.outside import ASKER
from jp_tui.questions.items import FormItem
from jp_tui.questions.types import BooleanAnswer, Question

CALL, TURN = "ask", 1
"""The call of the one question of an `ask`, as in its id (R28), and its turn."""


def asked_question(item: FormItem) -> Question:
    """Return the question that is asked for a checked item. An `ask` remembers nothing (N2)."""
    return Question(
        id=item.id,
        text=item.text,
        answer_type=item.answer_type,
        context=item.context,
        default=item.default,
        has_default=item.has_default,
        persistence="none",
        acts=isinstance(item.answer_type, BooleanAnswer),
    )


def first_rows(facts: Sequence[ev.InquiryFact], about: JsonObject, at: str) -> list[NewEvent]:
    """Return the events that begin a conversation of another program, in stored form."""
    start = entry(ev.TurnStart(timestamp=at, metadata={OUTSIDE: about[ASKER]}), TURN, at)[0]
    return [replace(start, kind=OUTSIDE), *rows(facts, about, at)]


def rows(facts: Sequence[ev.InquiryFact], about: JsonObject, at: str) -> list[NewEvent]:
    """Return facts in stored form; requests name the asker (N4)."""
    stamped = [
        replace(one, timestamp=at, metadata={**one.metadata, **about})
        if isinstance(one, ev.InquiryRequest)
        else replace(one, timestamp=at)
        for one in facts
    ]
    return [entry(one, TURN, at)[0] for one in stamped]
