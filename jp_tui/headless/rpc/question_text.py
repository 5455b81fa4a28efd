"""A prompt for `client/ask_user`: one text with everything that must be seen, and the choices (R241). Pure.

For a client that knows only the contract's fields: everything is shown before approval, with hidden characters visible.
Choices are exact, since an answer is compared with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from jp_tui.conversation.neutral import first_line, neutralise, warnings
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Escalation, PromptRequest
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.view.questions import escalation_text as why
from jp_tui.view.questions.people import people_lines
from jp_tui.view.questions.prompt_line import headline
from jp_tui.view.wording import questions as w
from jp_tui.view.wording.diff_lines import is_diff
from jp_tui.view.wording.white_space import in_diff

Stage = Literal["ask", "reason", "arguments", "result"]
"""Purpose of a request: the answer itself, or, for permission to run or to deliver, its message or JSON."""

RUN_CHOICES = (w.RUN, w.SKIP, w.PRINT_ARGUMENTS, w.SKIP_REPLY, w.EDIT_ARGUMENTS)
"""M34 without the choices that remember."""
DELIVER_CHOICES = (w.DELIVER, w.SKIP_DELIVERY, w.EDIT_RESULT)
"""M35."""
NOT_TAKEN = "Not accepted: {why}."
EMPTY_BACK = "An empty answer goes back."
AS_JSON = "Answer with one JSON object."
FAILED = "The tool failed with:"
SEVERAL = "Answer these {count} questions."


def choices(prompt: PromptRequest, stage: Stage) -> tuple[str, ...]:
    """Return the choices; empty if text is expected."""
    if stage != "ask":
        return ()
    if prompt.kind == "permission":
        return RUN_CHOICES
    if prompt.kind == "delivery":
        return DELIVER_CHOICES
    kind = prompt.question.answer_type
    return (w.YES, w.NO) if isinstance(kind, BooleanAnswer) else tuple(option.value for option in kind.choices())


def text(
    prompt: PromptRequest,
    stage: Stage,
    problem: str = "",
    *,
    arguments: bool = False,
    about: str | None = None,
    several: Sequence[Question] = (),
) -> str:
    """Return the displayed text: earlier exchanges, the context, the problem of the last answer, the question.

    `arguments`: the call's arguments as JSON were requested (M34). `about`: what the decision concerns, where most of
    it is shown elsewhere. `several`: the questions of one form, whose fields show them.
    """
    about = _about(prompt, stage, arguments=arguments) if about is None else shown(about)
    parts = [_asker(prompt), about, NOT_TAKEN.format(why=shown(problem)) if problem else ""]
    if stage == "ask" and prompt.kind == "question" and prompt.escalation is not None:
        parts.insert(1, "\n".join(notice(prompt.escalation)))
    if found := _odd(prompt, several or (prompt.question,)):
        parts.append(w.FOUND.format(kinds=", ".join(found)))
    if stage == "ask" and (people := people_lines(prompt)):
        parts.append(shown(" ".join(people)))
    if stage == "ask" and prompt.deadline_secs is not None:
        parts.append(w.TIME_LEFT.format(left=f"{prompt.deadline_secs} s"))
    asked = SEVERAL.format(count=len(several)) if several else _asked(prompt, stage)
    return "\n\n".join(part for part in (*parts, asked) if part)


def _asker(prompt: PromptRequest) -> str:
    """Return the sub-agent that asks and its tool, for the first line (Z8); empty for any other asker."""
    if prompt.agent is None:
        return ""
    name = first_line(prompt.agent.name) or first_line(prompt.agent.task) or prompt.agent.conversation
    tool = f" ({prompt.tool})" if prompt.source == "tool" else ""
    return shown(f"Assistant › {name} asks{tool}:")


def _about(prompt: PromptRequest, stage: Stage, *, arguments: bool) -> str:
    """Return what the decision concerns."""
    if prompt.kind == "delivery":
        head = f"{FAILED}\n" if prompt.is_error else ""
        return f"{head}{shown(prompt.result.raw) or w.EMPTY_OPTION}"
    if prompt.kind == "permission":
        as_json = arguments or stage == "arguments" or not prompt.rendered
        return shown((prompt.arguments if as_json else prompt.rendered).raw)
    context = prompt.question.context or ""
    if not is_diff(context):
        return shown(context)
    marked, words = in_diff(context)
    return "\n".join(part for part in (shown(marked), words) if part)


def _asked(prompt: PromptRequest, stage: Stage) -> str:
    match stage:
        case "reason":
            return f"{w.SKIP_TITLE}. {EMPTY_BACK}"
        case "arguments":
            return f"{shown(w.EDIT_RUN_TITLE.format(tool=prompt.tool))}. {AS_JSON} {EMPTY_BACK}"
        case "result":
            return f"{w.RESULT_TITLE}. {EMPTY_BACK}"
        case "ask":
            return shown(prompt.question.text.strip() if prompt.kind == "question" else headline(prompt))


def _odd(prompt: PromptRequest, questions: Sequence[Question]) -> list[str]:
    """Return deceptive characters in the untrusted text shown."""
    texts = [prompt.result.raw]
    for question in questions:
        texts += [question.text, question.context or ""]
        texts += [option.value for option in question.answer_type.choices()]
    if prompt.kind == "permission":
        texts += [prompt.rendered.raw, prompt.arguments.raw]
    return list(dict.fromkeys(kind for one in texts for kind in warnings(one)))


def shown(foreign: str) -> str:
    """Make hidden characters visible (R195)."""
    return neutralise(foreign, "approval")


def notice(told: Escalation) -> Iterator[str]:
    """Yield why a person sees a reviewer's question (R150, R154): the reviewer, then exactly M12, or why there is no
    verdict."""
    by = [shown(why.model(told).raw)] if told.model else []
    by += [took] if (took := why.review_duration(told)) else []
    if by:
        yield w.REVIEWED_BY.format(by=" · ".join(by))
    if (no := why.refusal(told)) is not None:
        yield w.REJECTING
        yield _quoted(no)
    yield from (f"{w.BEFORE_INTENT} {_quoted(reason)}" for reason in why.earlier_reasons(told))
    if told.failed:
        yield why.no_verdict_reason(told)
    if heard := why.partial_reason(told):
        yield f"{w.HEARD} {_quoted(told.reason)}" if told.cause == "taken_over" else shown(heard.raw)
    if told.saw:
        yield w.SAW.format(saw=shown(told.saw))
    yield "You decide."


def _quoted(reason: Foreign) -> str:
    """Return it in M12's quotes; the fallback has them too."""
    return f'"{shown(why.quoted_reason(reason)) or w.NO_REASON}"'
