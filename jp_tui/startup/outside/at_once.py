"""`jp-tui ask` where a setting answers: recorded and printed without an engine, so that a script hardly waits.

The machine decides as for any other question. Whatever isn't answered at once, or isn't right, is left to the engine.
"""

from __future__ import annotations

from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.text import first_line
from jp_tui.engine.record.outside_rows import CALL, asked_question, first_rows
from jp_tui.headless.ask_words import Ask, AskEnding, BadAsk, report
from jp_tui.headless.output import TextOutput
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.protocol.outside import ASKER, WAITER, Asker, Waiter, measured
from jp_tui.questions.arguments import ItemForm, read
from jp_tui.startup.outside.kept_answers import keep, record
from jp_tui.startup.outside.settings import outside_rule
from jp_tui.startup.parts import RunLocation, is_shared

if TYPE_CHECKING:
    from jp_tui.settings.layers.layers import Settings

_PLAIN = ("boolean", "select", "multi_select", "text")
"""Answers whose fit needs no other process."""


def answered_at_once(
    asking: Ask, asks: Asker, waits: Waiter, settings: Settings, place: RunLocation, output: TextOutput, now: str
) -> int | None:
    """Return the exit status; None if the question is to be asked. `now` is the stamp of the files that the settings
    were read from. Raises JournalError and OutputEnded."""
    if is_shared(settings):
        return None
    tool = f"outside.{asks.program}"
    rule = outside_rule(settings, tool, asking.id)
    if not rule.has_answer or asking.answer_type not in _PLAIN:
        return None
    try:
        form = read({"questions": [asking.question()]})
        asking.seconds()
        asking.addressee()
    except BadAsk:
        return None
    if not isinstance(form, ItemForm):
        return None
    question = asked_question(form.items[0])
    state = v.State(client=True, calls=MappingProxyType({CALL: v.Work(tool)}))
    _, steps = decide(state, v.QuestionRaised(CALL, question, "outside", rule))
    facts = [step.event for step in steps if isinstance(step, s.Record)]
    answer = next((one for one in facts if isinstance(one, ev.InquiryAnswered)), None)
    if answer is None or any(isinstance(step, s.AskHuman | s.AskReviewer) for step in steps):
        return None
    at, title = timestamp(datetime.now(UTC)), first_line(question.text)[:200]
    rows = first_rows(facts, {ASKER: measured(asks), WAITER: measured(waits)}, at)
    record(place, rows, title, at)
    responder = answer.responder.wire() if answer.responder is not None else {}
    ending = AskEnding("answered", answer.answer, answer.explanation or "", responder)
    if not settings.notices and asking.context is None:
        keep(place, now, asks, asking, rows, title, ending)
    return report(ending, asking, output)
