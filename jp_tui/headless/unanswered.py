"""Texts about a waiting question that this run can't answer (inquiries.md R230, surface S1, S6).

They name the two ways to continue: an answer from another process, or a run with a user. A call's id is the model's own
text, so the commands shown are quoted for a shell. Answers never appear.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from jp_tui.conversation import events as stored
from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.protocol.values import InquiryInfo, StoredEvent
from jp_tui.questions.answer_kind import AnswerKind
from jp_tui.questions.types import KINDS
from jp_tui.view.questions.prompt_line import agent_asks

OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class OpenQuestions:
    """A question without a response."""

    conversation: str
    id: str
    asker: str
    question: Mapping[str, Json]
    works_for: str = ""
    outside: bool = False

    @property
    def opens(self) -> str:
        """Return the conversation to open: for a sub-agent its parent's."""
        return self.works_for or self.conversation


@dataclass(slots=True)
class Openings:
    """Open questions of the events so far; ids may repeat in old logs, so responses are counted (R203)."""

    conversation: str = ""
    _asked: dict[str, OpenQuestions] = field(default_factory=dict)

    def saw(self, one: StoredEvent) -> None:
        match read_event(one.event):
            case stored.InquiryRequest(id=id_, source=source, question=question, metadata=metadata):
                tool = metadata.get("tool")
                name = "the assistant" if source.kind == "assistant" else source.name or str(tool or source.kind)
                self._asked[id_] = OpenQuestions(self.conversation, id_, name, question)
            case stored.InquiryAnswered() | stored.InquiryCancelled() | stored.InquiryRedacted() as response:
                self._asked.pop(response.id, None)
            case stored.TurnOutcome():
                self._asked.clear()
            case _:
                pass

    @property
    def open(self) -> list[OpenQuestions]:
        return list(self._asked.values())

    def among(self, ids: Sequence[str]) -> list[OpenQuestions]:
        """Return the open ones of these ids; an unknown one by its id alone."""
        return [self._asked.get(id_, OpenQuestions(self.conversation, id_, "a tool", {})) for id_ in ids]


def cut_off(page: Sequence[StoredEvent]) -> bool:
    """True if the last turn of a page is resumable: a call that asked something, or whose prompt was answered with a
    rule, has no result (R207)."""
    last = max((one.turn for one in page), default=0)
    calls: set[str] = set()
    asked: set[str] = set()
    for one in page:
        if one.turn != last:
            continue
        match read_event(one.event):
            case stored.ToolCallRequest(id=id_):
                calls.add(id_)
            case stored.ToolCallResponse(id=id_):
                calls.discard(id_)
            case stored.InquiryRequest(metadata=metadata):
                asked.add(str(metadata.get("call", "")))
            case stored.Unknown(raw={"type": "rule_added", "call": call}):
                asked.add(str(call))
            case stored.TurnOutcome():
                return False
            case _:
                pass
    return bool(calls & asked)


def of_info(info: InquiryInfo) -> OpenQuestions:
    """Convert an exchange of the engine's list."""
    works_for = info.agent.parent if info.agent is not None else ""
    outside = info.source == OUTSIDE
    return OpenQuestions(info.conversation, info.id, asker(info), info.question, works_for, outside)


def asker(info: InquiryInfo) -> str:
    """Return who asks: a sub-agent by name and task (E4), the assistant, or a tool."""
    if info.agent is not None:
        return agent_asks(info.agent, info.asked_as or info.source, info.tool)
    return "the assistant" if info.source == "assistant" else info.source_name or info.tool or info.source


def waiting_lines(waits: list[OpenQuestions]) -> Iterator[str]:
    """Yield lines about what waits, how to answer it, and how to continue."""
    for one in waits:
        yield f"Waiting for an answer: {neutralise(one.asker, 'line')} asks: {neutralise(text(one.question), 'line')}"
        kind = answer_type(one.question)
        named = shlex.quote(f"{one.conversation}/{one.id}")
        if kind == "secret" and one.outside:
            yield f"  jp-tui answer {named} -   (from standard input)"
        if kind == "secret":
            continue  # it would be in the shell's history
        hint = KINDS[kind].hint if kind in KINDS else AnswerKind.hint
        value = choices(one.question) if kind == "select" else hint
        yield f"  jp-tui answer {named} VALUE   (VALUE: {value})"
    for conversation in dict.fromkeys(one.opens for one in waits if not one.outside):
        resume, reopen = resume_command(conversation), open_command(conversation)
        yield f"Then run `{resume}` to resume the turn, or `{reopen}` to open it and answer there."


def closing_lines(conversation: str, waits: list[OpenQuestions]) -> Iterator[str]:
    """Yield lines for the end of a conversation in plain mode: what waits, and how to return."""
    if conversation:
        yield from waiting_lines(waits)
        yield f"Resume this conversation with `jp-tui --plain -r {conversation}`."


def open_command(conversation: str) -> str:
    """Return the command that opens a conversation for work."""
    return f"jp-tui -r {shlex.quote(conversation)}"


def resume_command(conversation: str) -> str:
    """Return the command that resumes a turn after an answer and sends nothing else (Z10)."""
    return f"jp-tui query -r {shlex.quote(conversation)}"


def text(question: Mapping[str, Json]) -> str:
    """Return the question's text."""
    found = question.get("text")
    return found if isinstance(found, str) else ""


def answer_type(question: Mapping[str, Json]) -> str:
    """Return the type's name, empty if unreadable."""
    kind = question.get("answer_type")
    found = kind.get("type") if isinstance(kind, dict) else kind
    return found if isinstance(found, str) else ""


def choices(question: Mapping[str, Json]) -> str:
    """Return the options of a select in one line."""
    kind = question.get("answer_type")
    options = kind.get("options") if isinstance(kind, dict) else None
    values = [_value(one) for one in options] if isinstance(options, list) else []
    shown = ", ".join(shlex.quote(neutralise(value, "line")) for value in values[:12])
    return f"{shown} and {len(values) - 12:,} more" if len(values) > 12 else shown or "one of its options"


def _value(option: Json) -> str:
    value = option.get("value") if isinstance(option, dict) else option
    return value if isinstance(value, str) else dump(value)


def described(info: InquiryInfo) -> JsonObject:
    """S6: the fields of a waiting question; one from outside names its asker (N4), one in a shared store the people
    (store.md D19)."""
    asks: JsonObject = {} if info.asker is None else {"asker": info.asker.model_dump(exclude_defaults=True)}
    if claimed := info.claimed.model_dump(exclude_defaults=True):
        asks["claimed"] = claimed
    if info.owner and info.waits:
        asks |= {"owner": info.owner, "to": info.to, "machine": info.machine, "workspace": info.workspace}
        asks["claimed_by"] = info.claimed_by
    if info.approvals is not None:
        asks["approvals"] = {"needed": info.approvals.needed, "by": list(info.approvals.by)}
    return {
        "conversation": info.conversation,
        "id": info.id,
        "source": info.source,
        "tool": info.tool,
        "question": info.question,
        "digest": info.digest,
        "asked_at": info.asked_at,
        **asks,
    }
