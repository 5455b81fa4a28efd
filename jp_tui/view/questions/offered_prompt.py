"""A question of another process, or of another folder of a shared store, as a prompt here: its answer is offered to
that process, or recorded (S12, E51, E53).

Built from the record alone, so only for answers in one line of text: no secret, no JSON, no parts. A question of
another program takes every answer (intake.md N8). Pure; the front
end's `waiting.py` sends the offer and receives the result.
"""

from __future__ import annotations

import json
from dataclasses import replace

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.commands import OfferAnswer
from jp_tui.protocol.values import Answered, Cancelled, Control, Edited, PromptRequest, Replied, Response, WaitingInfo
from jp_tui.questions.reading import read_recorded
from jp_tui.questions.types import BooleanAnswer
from jp_tui.view.questions.prompt_line import program_asks

ASSISTANT = "Assistant"


def prompt_of(one: WaitingInfo) -> PromptRequest | None:
    """Return what a sheet needs to ask it; None if it can only be answered in its own process."""
    outside = one.asker is not None
    away = one.held_by or outside or one.folder or one.owner
    if not away or one.here or one.kind != "question" or one.question is None or not one.digest:
        return None
    try:
        question = read_recorded(one.inquiry, dict(one.question))
    except (ValueError, TypeError, KeyError):
        return None
    if question.parts and (one.owner or one.approvals is not None):
        question = replace(question, parts=())  # other people approve it as a whole (store.md D15)
    if question.parts or not (question.answer_type.one_line or outside):
        return None
    source = one.source if one.source in ("tool", "assistant", "user", "outside") else "other"
    program = None if one.asker is None else program_asks(one.asker, one.claimed)
    label = ASSISTANT if one.source == "assistant" else program
    return PromptRequest(
        conversation=one.conversation,
        inquiry=one.inquiry,
        call="",
        tool=one.tool,
        turn=0,
        digest=one.digest,
        source=source,  # type: ignore[arg-type]  # one of them, as was just seen
        label=one.label or label,
        question=question,
        controls=_controls(one) if outside else frozenset(),
        remember_covers=one.covers,
        arguments=Foreign("" if one.arguments is None else json.dumps(one.arguments, indent=2, ensure_ascii=False)),
        scopes=one.scopes,
        preselect=not (outside and isinstance(question.answer_type, BooleanAnswer)),
        agent=one.agent,
        why=one.why,
        asked_at=one.since,
        to=one.to,
        claimed_by=one.claimed_by,
        approvals=one.approvals,
        yours=one.yours,
    )


def _controls(one: WaitingInfo) -> frozenset[Control]:
    more: set[Control] = {"remember"} if one.covers else set()
    more |= {"edit"} if one.arguments is not None else set()
    return frozenset({"reply", "cancel", *more})


def is_offered(prompt: PromptRequest) -> bool:
    """True if it was built here from the record: then only a bare answer is offered. A prompt of this process has a
    call."""
    return not prompt.call


def is_outside(prompt: PromptRequest) -> bool:
    """True if another program asks (N1): it arrives folded, and may be declined."""
    return prompt.source == "outside"


def asks_for_itself(prompt: PromptRequest) -> bool:
    """True for a question of a program (`ask`), False for permission of another program's tool (N3)."""
    return prompt.tool.startswith("outside.")


def offer_of(prompt: PromptRequest, said: Response) -> OfferAnswer | None:
    """Return the answer in the offered form; None if it isn't one. A question of another program is declined by a
    cancellation or by a reply, whose text is the reason (N8)."""
    empty = OfferAnswer(conversation=prompt.conversation, inquiry=prompt.inquiry, value="", digest=prompt.digest)
    match said:
        case Answered(value=value, note=note, remember=remember, rule=rule):
            words = prompt.question.answer_type.spelled(value)
            found = {"value": words, "note": note, "hidden": is_outside(prompt), "remember": remember, "rule": rule}
            found["anyway"] = bool(prompt.claimed_by)  # the sheet asked twice (store.md D16)
            return empty.model_copy(update=found)
        case Edited(arguments=arguments) if is_outside(prompt):
            return empty.model_copy(update={"value": "yes", "hidden": True, "arguments": arguments})
        case Cancelled() if is_outside(prompt):
            return empty.model_copy(update={"decline": True})
        case Replied(text=text) if is_outside(prompt):
            return empty.model_copy(update={"decline": True, "note": text or ""})
        case _:
            return None
