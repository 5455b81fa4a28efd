"""A question of another process as a prompt here: its answer is offered to that process (S12, E53).

Built from the record alone, so only for answers in one line of text: no secret, no JSON, no parts. Pure; the front
end's `waiting.py` sends the offer and receives the result.
"""

from __future__ import annotations

from jp_tui.protocol.values import Answered, PromptRequest, Response, WaitingInfo
from jp_tui.questions.reading import read_recorded

ASSISTANT = "Assistant"


def prompt_of(one: WaitingInfo) -> PromptRequest | None:
    """Return what a sheet needs to ask it; None if it can only be answered in its own process."""
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
    """True if it was built here from the record: then only a bare answer is offered. A prompt of this process has a
    call."""
    return not prompt.call


def words_of(prompt: PromptRequest, said: Response) -> str | None:
    """Return the answer in the offered form; None if it isn't one."""
    return prompt.question.answer_type.spelled(said.value) if isinstance(said, Answered) else None
