"""Asking before anything is changed, and changing exactly what was approved (inquiries.md R234-R236, M39; S40).

A tool plans: the questions in the order to ask them, each with the words for a no, and the one act that follows. The
plan is made anew at each run; an answer counts only for the question with the digest that was answered, so a file that
changed meanwhile is asked about again. Never writes without all its questions answered with yes.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.questions.wire import digest
from jp_tui.system.files import StaleBase
from jp_tui.system.problem import shown
from jp_tui.tools.guard import control, obeyed, secret
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall
from jp_tui.tools.workspace import Refusal, secrets

REJECTED = (
    "The proposed file changes were reviewed and rejected. Changes were not applied. "
    "You may retry with different changes."
)
"""M39."""

_AGAIN = 3


@dataclass(frozen=True, slots=True)
class Step:
    """A question, and what the model reads when the answer is no."""

    question: Question
    no: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What has to be answered with yes, and what is done then; `act` raises StaleBase when that no longer holds."""

    steps: tuple[Step, ...]
    act: Callable[[], Success]


async def carry_out(call: ToolCall, plan: Callable[[], Awaitable[Plan]]) -> Outcome:
    """Plan, ask what is not answered yet, act. A change behind our back is planned, and so asked about, again."""
    for _ in range(_AGAIN):
        made = await plan()
        missing = _missing(call, made.steps)
        if missing is not None:
            return missing
        if call.cancel.called:
            raise Refusal("The call was cancelled before anything was changed.")
        try:
            return made.act()
        except StaleBase:
            continue
    raise Refusal("The files keep changing while this is being done. Nothing was changed; try again later.")


def _missing(call: ToolCall, steps: tuple[Step, ...]) -> NeedsInput | Failure | None:
    """The first question without an answer that counts, or the failure after a no."""
    for step in steps:
        verdict = _answer(call, step.question)
        if verdict is None:
            return NeedsInput(step.question)
        if not verdict:
            return Failure(step.no)
    return None


def _answer(call: ToolCall, question: Question) -> bool | None:
    """The answer to exactly this question; a remembered or static one covers others too, but no floor (R236, R247)."""
    given = call.answers.get(question.id)
    if given is None or not isinstance(given.value, bool):
        return None
    covered = given.unseen and not question.floor
    return given.value if covered or given.digest == digest(question) else None


def yes_or_no(key: str, text: str, context: str, *, default: bool, decides: Iterable[str] = ()) -> Question:
    """A boolean question; `decides` are the real paths that change with its yes, and with no other question after it.

    Files that others obey make it one for a person alone, and its context says why (R247).
    """
    reasons = [f"{shown(path)}: {why}, so a person decides." for path in decides if (why := obeyed(path))]
    return Question(
        id=key,
        text=text,
        answer_type=BooleanAnswer(),
        context="\n".join([*reasons, "", context] if reasons else [context]),
        default=default,
        has_default=True,
        floor=bool(reasons),
    )


def may_change(call: ToolCall, real: str) -> None:
    """Refusal for a file that no answer lets a tool touch."""
    if control(real):
        raise Refusal(f"{shown(real)} belongs to git or to this program, and tools do not change such files.")
    if secret(real, secrets(call)):
        raise Refusal(f"{shown(real)} usually holds secrets, and tools do not touch such files.")


def fenced(kind: str, text: str) -> str:
    """A code block that nothing in `text` can close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{fence}"
