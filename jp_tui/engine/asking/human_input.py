"""Convert a front end's response to a machine input."""

from __future__ import annotations

from typing import assert_never

from jp_tui.inquiry import values as v
from jp_tui.protocol import commands as c
from jp_tui.protocol.values import (
    Answered,
    Cancelled,
    ChosenRule,
    Delivered,
    Edited,
    EndTurn,
    PartsTaken,
    Permitted,
    Replied,
    Restored,
    Submitted,
    Unanswered,
    WentBack,
)
from jp_tui.questions.types import Taken


def parse_response(command: c.AnswerQuestion, *, via: str, ms: int | None, at: str) -> v.Input:
    """`via` is the client (R25), `ms` the time since it was asked, `at` the present time (R58)."""
    inquiry, shown = command.inquiry, command.digest
    match command.response:
        case Answered(value=value, remember=remember, note=note, parts=parts, rule=rule):
            taken, wanted = _accepted_parts(parts), _wanted(rule)
            return v.HumanAnswered(inquiry, shown, value, remember, note, via, ms, at, taken=taken, wanted=wanted)
        case Cancelled(declined=declined):
            return v.HumanCancelled(inquiry, shown, declined)
        case Replied(text=text):
            return v.HumanReplied(inquiry, shown, text)
        case EndTurn():
            return v.HumanEndedTurn(inquiry, shown)
        case Edited(arguments=arguments):
            return v.HumanEdited(inquiry, shown, arguments, via, ms)
        case Permitted(run=run, remember=remember, reason=reason, rule=rule):
            return v.HumanPermitted(inquiry, shown, run, remember, reason, via, ms, at, wanted=_wanted(rule))
        case Delivered(deliver=deliver, text=text):
            return v.HumanDelivered(inquiry, shown, deliver, text, via, ms)
        case WentBack(to=to):
            return v.HumanWentBack(inquiry, shown, to)
        case Restored():
            return v.HumanRestored(inquiry, shown)
        case Submitted():
            return v.HumanSubmitted(inquiry, shown)
        case Unanswered(error=error):
            return v.HumanUnanswered(inquiry, shown, error)
        case _:
            assert_never(command.response)


def _wanted(rule: ChosenRule | None) -> tuple[str, str] | None:
    return None if rule is None else (rule.scope, rule.lifetime)


def _accepted_parts(parts: PartsTaken | None) -> Taken | None:
    """R251."""
    return None if parts is None else Taken(parts.accepted, parts.comments)
