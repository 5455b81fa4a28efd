"""A question that another process holds, as one that can be asked here: its answer is offered to the holder (S12, E53).

Made from the record alone, so only what a line of text answers whole: no secret, no JSON, nothing that is accepted in
parts. Pure; who sends the offer and hears what became of it is the face's `waiting.py`.
"""

from __future__ import annotations

from jp_tui.protocol.values import Answered, PromptRequest, Response, WaitingInfo
from jp_tui.questions.reading import read_recorded

ASSISTANT = "Assistant"


def prompt_of(one: WaitingInfo) -> PromptRequest | None:
    """What a sheet needs to ask it; None for what can only be answered where it is held."""
    if not one.held_by or one.here or one.kind != "question" or one.question is None or not one.digest:
        return None
    try:
        question = read_recorded(one.inquiry, dict(one.question))
    except (ValueError, TypeError, KeyError):
        return None
    if not question.answer_type.one_line or question.parts:
        return None
    source = one.source if one.source in ("tool", "assistant", "user") else "other"
    return PromptRequest(
        conversation=one.conversation,
        inquiry=one.inquiry,
        call="",
        tool=one.tool,
        turn=0,
        digest=one.digest,
        source=source,  # type: ignore[arg-type]  # one of them, as was just seen
        label=one.label or (ASSISTANT if one.source == "assistant" else None),
        question=question,
        agent=one.agent,
        why=one.why,
        asked_at=one.since,
    )


def is_offered(prompt: PromptRequest) -> bool:
    """Whether it was made here of the record: then a bare answer goes to the holder, and nothing beside it. Whoever
    asks a question here knows its call."""
    return not prompt.call


def words_of(prompt: PromptRequest, said: Response) -> str | None:
    """The answer as it is offered; None for what is none."""
    return prompt.question.answer_type.spelled(said.value) if isinstance(said, Answered) else None
