"""Messages of a side question (asking.md E30), and the message that sends the exchanges with the results.

The snapshot of inquiries.md R120-R123: the log as the conversation's model knows it, with waiting and running calls
marked as such; then the question with its context, and the exchanges so far. Pure. A result that waits for permission
is never included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from jp_tui.conversation.model import Message, Part, ReasoningPart, TextPart
from jp_tui.conversation.strict_json import dump
from jp_tui.conversation.text import first_line
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import MultiSelectAnswer, SchemaAnswer, SecretAnswer, SelectAnswer

RUNNING = "Tool is still running."
"""M22."""
PAUSED = "Tool paused: {}"
"""M21."""
Finished = Callable[[str], tuple[str, bool] | None]
"""Returns the result of a finished call of this cycle, logged or not, and True for an error; None while it runs."""


def snapshot_results(asks: str, paused: str, finished: Finished) -> Callable[[str], tuple[str, bool]]:
    """Return the results in a snapshot: real ones of finished calls, M21 for the call that asks, M22 for running calls
    (R121, Z3)."""

    def result(call: str) -> tuple[str, bool]:
        return (paused, False) if call == asks else finished(call) or (RUNNING, False)

    return result


@dataclass(frozen=True, slots=True)
class SideExchange:
    """Side question and its reply."""

    asked: str
    said: str


def paused(prompt: PromptRequest) -> str:
    """Return M21 for the call that asks."""
    return PAUSED.format(subject(prompt))


def subject(prompt: PromptRequest) -> str:
    """Return what is asked, in one line."""
    match prompt.kind:
        case "question" | "delivery":
            return first_line(prompt.question.text)
        case "permission":
            return f"may {prompt.tool} run?"
        case "review":
            return "all questions are answered; the answers are looked over"


def talk(
    told: Sequence[Message], prompt: PromptRequest, before: Iterable[SideExchange], text: str, *, thoughts: bool
) -> tuple[Message, ...]:
    """Return the request's messages. Without `thoughts`, reasoning is left out: only the model that produced it reads
    it."""
    found: list[Message] = []
    for message in told:
        parts = tuple(part for part in message.parts if thoughts or not isinstance(part, ReasoningPart))
        if parts:
            found.append(Message(message.role, parts))
    said = [exchange for exchange in before if exchange.said.strip()]
    words = [*(exchange.asked for exchange in said), text]
    words[0] = (
        f"{_about(prompt)}\n\nBefore I decide I ask you, and nothing runs meanwhile; answer in words:\n\n{words[0]}"
    )
    for asked, exchange in zip(words, [*said, None], strict=True):
        _add(found, Message("user", (TextPart(asked),)))
        if exchange is not None:
            found.append(Message("assistant", (TextPart(exchange.said),)))
    return tuple(found)


def _add(found: list[Message], message: Message) -> None:
    """Merge neighbours of one role: results, then text."""
    parts: tuple[Part, ...] = message.parts
    if found and found[-1].role == message.role:
        parts = (*found.pop().parts, *parts)
    found.append(Message(message.role, parts))


def _about(prompt: PromptRequest) -> str:
    if prompt.kind == "permission":
        return f"The tool `{prompt.tool}` waits for my leave to run with these arguments:\n\n{prompt.arguments.raw}"
    if prompt.kind == "review":
        return "\n\n".join(["I have answered these questions, and nothing is sent yet:", _answers(prompt)])
    asker = "You have asked" if prompt.source == "assistant" else f"The tool `{prompt.tool}` has asked"
    if prompt.source_name:  # at the parent of a sub-agent
        asker = "A sub-agent that works for you has asked"
    question = prompt.question
    told = [f"{asker} me this, and I have not answered yet:", question.context or "", question.text, _choices(prompt)]
    if prompt.escalation is not None and not prompt.escalation.failed:
        verdict = prompt.escalation
        told.append(f"{verdict.model} recommended to say no: {verdict.reason.raw or 'no reason given'}")
    if answers := _answers(prompt):
        told.append(f"What I have answered so far:\n\n{answers}")
    return "\n\n".join(part for part in told if part.strip())


def _choices(prompt: PromptRequest) -> str:
    match prompt.question.answer_type:
        case SelectAnswer(options=options) | MultiSelectAnswer(options=options):
            lines = [f"- {one.value}" + (f": {one.description}" if one.description else "") for one in options]
            return "The choices:\n\n" + "\n".join(lines)
        case SchemaAnswer(schema=schema):
            return f"The answer is JSON by this schema: {dump(schema)}"
        case SecretAnswer():
            return "The answer is a secret, which nobody will tell you."
        case kind:
            return f"The answer is {kind.form}." if kind.form else ""


def _answers(prompt: PromptRequest) -> str:
    places = prompt.form.places if prompt.form is not None else ()
    return "\n".join(f"- {first_line(one.text)} {dump(one.answer)}" for one in places if one.state == "answered")


def exchanges_text(question: str, exchanges: Iterable[SideExchange]) -> str:
    """Return the exchanges as a user message to the conversation's model."""
    told = [f"I talked this question over before I answered it: {question}"]
    for exchange in exchanges:
        told += [f"I asked: {exchange.asked}", f"I was told: {exchange.said}"]
    return "\n\n".join(told)
