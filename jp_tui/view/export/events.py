"""Stored events as plain text (inquiries.md R206): each alone, or a range with its forms as one block.

Untrusted text keeps its characters, so neutralise it. Its further lines are indented, so that none looks like one of
jp-tui's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.conversation.text import first_line
from jp_tui.protocol.values import StoredEvent
from jp_tui.view.activity.turn_summary import summary, undone
from jp_tui.view.questions.approval_text import decisions, sentence
from jp_tui.view.questions.forms import AskedFormQuestion, QuestionForm
from jp_tui.view.questions.inquiry import InquiryView, handed, question, with_response
from jp_tui.view.questions.outcome_line import HANDED, answer_line, outcome, responder, spent
from jp_tui.view.questions.partial_approval import Offered, PartTaken, offered, part_results
from jp_tui.view.questions.side_questions import side_exchange
from jp_tui.view.transcript import compaction
from jp_tui.view.transcript.blocks import ToolBlock
from jp_tui.view.transcript.calls import subject
from jp_tui.view.transcript.reducer import TranscriptReducer
from jp_tui.view.wording.context import context_note

_ENDS = {
    "replied": "Replied with text",
    "ended": "Ended before all questions were answered",
    "unsent": "Answered, not submitted",
    "open": "Not fully answered yet",
}

_LINE_ENDS = re.compile("\r\n|[\n\u2028\u2029]")
"""Line ends in neutralised text."""


def hung(text: str) -> str:
    """Indent the further lines of a text after a label by two blanks."""
    first, *more = _LINE_ENDS.split(text)
    return "\n".join([first, *map(set_in, more)])


def set_in(line: str) -> str:
    """Indent one further line of a text."""
    return f"  {line}" if line.strip() else ""


def exported(events: Iterable[StoredEvent], *, words: bool = False) -> Iterator[str]:
    """Iterate over the text of each event that has one, in order; a form as a whole in the place of its first question
    (issue 5, 9). The range should contain whole turns: events outside it are unknown. With `words`, values are not
    JSON: what a call is about, an answer as it is shown (S54)."""
    held = list(events)
    story = TranscriptReducer()
    story.load(held)
    forms = {
        (one.turn, block.call): block
        for one in held
        for block in story.of_event(one.seq)
        if isinstance(block, ToolBlock) and block.form is not None
    }
    homes: dict[tuple[int, str], tuple[int, str]] = {}
    parts: dict[tuple[int, str], Offered] = {}
    told: set[tuple[int, str]] = set()
    for one in held:
        event, text = read_event(one.event), ""
        home: tuple[int, str] | None = None
        if isinstance(event, ev.InquiryRequest):
            home = homes[one.turn, event.id] = (one.turn, str(event.metadata.get("call", "")))
            parts[one.turn, event.id] = offered(event.question)
        elif isinstance(event, ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted):
            home = homes.get((one.turn, event.id))
        block = forms.get(home) if home is not None else None
        if block is None or home is None or block.form is None:
            text = (_in_words(event) if words else "") or plain(event)
            if isinstance(event, ev.InquiryAnswered):
                text += _parts(part_results(parts.get((one.turn, event.id), ()), event.extra.get("parts")))
        elif home not in told:
            told.add(home)
            text = _form(block.form, words)
        if text:
            yield text


def ending(events: Iterable[StoredEvent], most: int) -> str:
    """Return the end of the export in words, about `most` characters; longer texts aren't processed further."""
    held = [one.model_copy(update={"event": _tail(one.event, most)}) for one in events]
    text = "\n".join(exported(held, words=True)).strip()
    if len(text) <= most:
        return text
    cut, _, lines = text[-most:].partition("\n")
    return f"…\n{lines or cut}"


def _tail(value: Any, most: int) -> Any:
    match value:
        case str() if len(value) > most:
            return f"…{value[-most:]}"
        case dict():
            return {name: _tail(one, most) for name, one in value.items()}
        case list():
            return [_tail(one, most) for one in value[-most:]]
        case _:
            return value


def _in_words(event: ev.Event) -> str:
    """Return the text of an event without JSON; empty if it has none."""
    match event:
        case ev.ToolCallRequest(name=name, arguments=arguments):
            return hung(" ".join(part for part in (f"Tool: {name}", subject(arguments)) if part))
        case ev.ToolCallResponse(content=text, is_error=failed) if "\n" in text.strip():
            first, more = first_line(text), text.strip().count("\n")
            return f"{'Error' if failed else 'Result'}: {first} (+{more:,} line{'s' if more != 1 else ''})"
        case ev.InquiryAnswered(answer=answer, explanation=reason):
            return (
                hung(f"Answer: {answer_line(answer).raw}")
                + ("\n" + hung(f"Reason: {reason}") if reason else "")
                + _by(event)
            )
        case ev.ConfigDelta(delta=delta):
            return hung(f"Settings: {', '.join(_changes(delta))}")
        case _:
            return ""


def _changes(delta: Json, name: str = "") -> Iterator[str]:
    """`assistant.model.id is haiku`, for each value."""
    if isinstance(delta, dict) and delta:
        for key, value in delta.items():
            yield from _changes(value, f"{name}.{key}" if name else key)
    elif name:
        yield f"{name} is {answer_line(delta).raw}"


def _form(form: QuestionForm, words: bool = False) -> str:
    """Return `Asked 3 questions`, a line for each with the answer as in R206, and how it ended."""
    lines = [f"Asked {len(form.places)} questions"]
    lines += [
        hung(f"{number}. {place.text.raw} – {_place(place, words)}") for number, place in enumerate(form.places, 1)
    ]
    if form.state in _ENDS:
        said = form.reply.raw.strip()
        lines.append(hung(f"{_ENDS[form.state]}{f': {said}' if said else ''}"))
    return "\n".join(lines)


def _place(place: AskedFormQuestion, words: bool) -> str:
    match place.state, place.asked:
        case "skipped", _:
            return f"Skipped ({place.because.raw})"
        case "answered", InquiryView(how="answered") as asked:
            reason = f" (Reason: {asked.explanation.raw})" if asked.explanation else ""
            return f"Answer: {answer_line(asked.answer).raw if words else dump(asked.answer)}{reason}"
        case "left", InquiryView() as asked:
            return f"Cancelled ({asked.tag.raw or asked.how})"
        case "taken_back", _:
            return "Withdrawn"
        case "gone_back", _:
            return "Went back without an answer"
        case _:
            return "Not answered"


def _parts(parts: tuple[PartTaken, ...]) -> str:
    """Return a line for each part of a change (R251)."""
    found = ""
    for part in parts:
        said = f": {part.comment.raw}" if part.comment else ""
        found += "\n" + hung(f"{'Taken' if part.accepted else 'Left out'}: {part.title.raw}{said}")
    return found


def _how(failed: bool, extra: JsonObject) -> str:
    """Return the kind of a result's content; a "no" isn't a failure (Z15)."""
    return "Declined" if extra.get("end") == "declined" else "Error" if failed else "Result"


def plain(event: ev.Event) -> str:
    """Return the event's text, possibly several lines; empty if users needn't read it."""
    match event:
        case ev.ChatRequest(content=text):
            return hung(f"You: {text}")
        case ev.ChatResponse(kind="message", content=str() as text, metadata=extra) if text:
            return hung(f"Assistant: {text}") + _incomplete(extra)
        case ev.ChatResponse(kind="reasoning", content=str() as text, metadata=extra):
            return hung(f"Reasoning: {text}") + _incomplete(extra) if text.strip() else ""
        case ev.ToolCallRequest(name=name, arguments=arguments):
            return hung(f"Tool: {name} {dump(arguments)}")
        case ev.ToolCallResponse(content=text, is_error=failed, metadata=extra):
            return "\n".join([*map(hung, _decided(extra)), hung(f"{_how(failed, extra)}: {text}")])
        case ev.InquiryRequest(question=asked, metadata=extra):
            handed_over = HANDED.get(handed(extra.get("escalation")), "")
            told = f"\nAsked: {handed_over}" if handed_over else ""
            return hung(f"Question: {asked.get('text', '')}") + told
        case ev.InquiryAnswered(answer=answer, explanation=reason):
            return f"Answer: {dump(answer)}" + ("\n" + hung(f"Reason: {reason}") if reason else "") + _by(event)
        case ev.InquiryRedacted():
            return "Answer: <redacted>"
        case ev.InquiryCancelled(reason=reason):
            return hung(f"Cancelled ({reason})") + _by(event)
        case ev.InquiryVote(explanation=reason):
            return hung(f"Approved by {_person(event)}") + ("\n" + hung(f"Reason: {reason}") if reason else "")
        case ev.InquiryAssigned(to=to):
            return hung(f"Handed over to {to or 'the owner'} by {_person(event)}")
        case ev.TurnOutcome(outcome=outcome, error=error):
            return "\n".join(part for part in (hung(_ending(outcome, error)), hung(summary(event))) if part)
        case ev.ChatResponse(content=content):
            return "" if content is None or content == "" else f"Assistant: {dump(content)}"
        case ev.ConfigDelta(delta=delta):
            return f"Settings: {dump(delta)}"
        case ev.Compaction():
            parts = compaction.headline(event), compaction.failed(event), compaction.details(event)
            return "\n".join(hung(part) for part in parts if part)
        case ev.CompactionUndone():
            return compaction.UNDONE
        case ev.TurnStart():
            return ""
        case ev.Unknown() if (said := side_exchange(event)) is not None:
            return hung(f"Side question: {said.asked.raw}") + "\n" + hung(f"Side question answered: {said.said.raw}")
        case ev.Unknown() if undone(event):
            return hung(undone(event))
        case ev.Unknown() if (noted := context_note(event)) is not None:
            return hung(noted) if noted else ""
        case ev.Unknown(raw={"type": "inquiry_aside" | "agent_started"}, problem=""):
            return ""
        case ev.Unknown(raw=raw, problem=problem):
            why = problem or raw.get("problem", "")
            return hung(f"({raw.get('type', 'unknown event')}{f': {why}' if why else ''})")


def _by(event: ev.InquiryAnswered | ev.InquiryCancelled) -> str:
    """Return who answered unless it was just the user: with time, price and tokens if known (R25, E42)."""
    asked = with_response(question(ev.InquiryRequest(id=event.id, source=ev.Source("tool"), question={})), event)
    if asked.by in ("", "user") and not asked.escalated:
        return ""
    end = outcome(asked)
    parts = [responder(asked).raw, end.took, spent(asked)]
    return "\n" + hung(f"By: {' · '.join(part for part in parts if part)}")


def _person(event: ev.InquiryVote | ev.InquiryAssigned) -> str:
    """Return who approved a question or handed it over (store.md D15, D16)."""
    by = event.responder
    if by is None or not by.who:
        return "somebody"
    return f"{by.who} for {by.on_behalf}" if by.on_behalf else by.who


def _decided(metadata: JsonObject) -> list[str]:
    """Return who permitted the call and its result's delivery, and what ran (inquiries.md 5.2, 5.3)."""
    names = {"permission": "Permission", "delivery": "Delivery", "stop": "Stopped"}
    found = [f"{names[one.about]}: {sentence(one)}" for one in decisions(metadata)]
    if isinstance(edited := metadata.get("edited_arguments"), dict):
        found.append(f"Ran with: {dump(edited)}")
    return found


def _incomplete(metadata: object) -> str:
    broken = isinstance(metadata, dict) and metadata.get("incomplete") is True
    return "\n(incomplete)" if broken else ""


def _ending(outcome: str, error: object) -> str:
    if outcome == "done":
        return ""
    said = f"Turn {outcome}"
    if isinstance(error, dict):
        words = [str(error.get(key, "")) for key in ("message", "advice")]
        said += ": " + " ".join(word for word in words if word)
        said += f"\nThe server said: {detail}" if (detail := str(error.get("detail", "")).strip()) else ""
    return said
