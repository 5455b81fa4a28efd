"""Approval before a change, and execution of exactly what was approved (inquiries.md R234-R236, R251, M39; S40).

A tool returns a plan: questions in order, each with the text for a no, and the action that follows, complete or limited
to accepted parts. Each run plans again. An answer counts only for the question with the answered digest, so a file that
changed meanwhile is asked about again. Nothing is written unless all questions are answered with yes, and refused parts
are never written.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.questions.types import BooleanAnswer, GivenAnswer, Part, Question, Taken
from jp_tui.questions.wire import digest
from jp_tui.system.files import StaleBase
from jp_tui.system.ignore_lists import NAME as IGNORE_LIST
from jp_tui.system.problem import display_path
from jp_tui.tools.files.guard import control, secret, why_protected
from jp_tui.tools.files.partial_changes import comments, refused_parts
from jp_tui.tools.files.partial_changes import fenced as fenced
from jp_tui.tools.files.workspace import ToolRefusal, secrets
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall

REJECTED = (
    "The proposed file changes were reviewed and rejected. Changes were not applied. "
    "You may retry with different changes."
)
"""M39."""

_AGAIN = 3


@dataclass(frozen=True, slots=True)
class ApprovalStep:
    """Question, and the text for the model after a no."""

    question: Question
    no: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Questions to answer with yes and the action that follows: `act` does all of it, `some` only the parts with these
    ids. Both raise StaleBase if the files changed. `some` is required if a question has parts."""

    steps: tuple[ApprovalStep, ...]
    act: Callable[[], Success]
    some: Callable[[frozenset[str]], Success] | None = None


async def carry_out(call: ToolCall, plan: Callable[[], Awaitable[Plan]]) -> Outcome:
    """Plan, ask what isn't answered yet, then act. After a concurrent change, plan and ask again."""
    for _ in range(_AGAIN):
        made = await plan()
        missing = _missing(call, made.steps)
        if missing is not None:
            return missing
        if call.cancel.called:
            raise ToolRefusal("The call was cancelled before anything was changed.")
        try:
            return _done(call, made)
        except StaleBase:
            continue
    raise ToolRefusal("The files keep changing while this is being done. Nothing was changed; try again later.")


def _missing(call: ToolCall, steps: tuple[ApprovalStep, ...]) -> NeedsInput | Failure | None:
    """Return the first question without a valid answer, or the failure after a no."""
    for step in steps:
        given = _answer(call, step.question)
        if given is None:
            return NeedsInput(step.question)
        taken = _accepted_parts(given, step.question)
        if not given.value or (taken is not None and not taken.accepted):
            said = comments(step.question.parts, taken) if taken is not None else ""
            return Failure(f"{step.no}\n\n{said}" if said else step.no, declined=True)
    return None


def _done(call: ToolCall, plan: Plan) -> Success:
    """Act on a plan whose questions are all answered with yes, or on its accepted parts; include the user's
    comments."""
    for step in plan.steps:
        given = call.answers.get(step.question.id)
        taken = None if given is None else _accepted_parts(given, step.question)
        if taken is None:
            continue
        every = frozenset(part.id for part in step.question.parts)
        if plan.some is None or every.issubset(taken.accepted):
            done = plan.act()
        else:
            done = plan.some(frozenset(taken.accepted))
        more = [refused_parts(step.question.parts, taken), comments(step.question.parts, taken)]
        return Success("\n\n".join([done.content, *filter(None, more)]))
    return plan.act()


def _answer(call: ToolCall, question: Question) -> GivenAnswer | None:
    """Return the answer to exactly this question. A remembered or static answer covers others too, but never a refused
    target (R236, R247)."""
    given = call.answers.get(question.id)
    if given is None or not isinstance(given.value, bool):
        return None
    if given.unseen and not question.floor:
        return given
    if given.digest != digest(question):
        return None
    taken = _accepted_parts(given, question)
    strange = taken is not None and not {part.id for part in question.parts}.issuperset(taken.accepted)
    return None if strange else given


def _accepted_parts(given: GivenAnswer, question: Question) -> Taken | None:
    """Return the accepted parts; None for an answer to the whole, such as a remembered or static one (R251)."""
    return given.taken if question.parts and not given.unseen else None


def yes_or_no(
    key: str,
    text: str,
    context: str,
    *,
    default: bool,
    decides: Sequence[str] = (),
    parts: tuple[Part, ...] = (),
) -> Question:
    """Build a boolean question.

    `decides` are the real paths that only this question's yes changes or deletes, `parts` what can be accepted
    separately. A file that other programs obey makes the question exclusive to a person, and the context says why
    (R247).
    """
    reasons = [f"{display_path(path)}: {why}, so a person decides." for path in decides if (why := why_protected(path))]
    return Question(
        id=key,
        text=text,
        answer_type=BooleanAnswer(),
        context="\n".join([*reasons, "", context] if reasons else [context]),
        default=default,
        has_default=True,
        floor=bool(reasons),
        parts=parts,
        targets=tuple(decides),
        acts=True,
    )


def may_change(call: ToolCall, real: str) -> None:
    """Raise ToolRefusal for a file that no answer lets a tool change."""
    if control(real) or real.rpartition("/")[2] == IGNORE_LIST:
        raise ToolRefusal(
            f"{display_path(real)} belongs to git or to this program, and tools do not change such files."
        )
    if secret(real, secrets(call)):
        raise ToolRefusal(f"{display_path(real)} usually holds secrets, and tools do not touch such files.")
