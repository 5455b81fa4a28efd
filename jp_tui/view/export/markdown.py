"""Export of a conversation as Markdown (inquiries.md R206): messages as written, tools and questions as records.

Untrusted Markdown stays Markdown; other text is in a fence that it can't close. Control characters are removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.strict_json import dump
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import ConversationInfo, StoredEvent
from jp_tui.view.questions.approval_text import sentence
from jp_tui.view.questions.forms import AskedFormQuestion, QuestionForm
from jp_tui.view.questions.inquiry import InquiryView
from jp_tui.view.questions.outcome_line import asker, declined, outcome, responder, spent
from jp_tui.view.transcript import blocks as b
from jp_tui.view.transcript.reducer import blocks_of
from jp_tui.view.wording.amounts import duration, turns
from jp_tui.view.wording.links import deceiving

_RUNS = re.compile("`+")
_SIGNS = re.compile(r"([\\`*_\[\]<>#|~!&])")


class MarkdownWriter:
    """See document.DocumentWriter."""

    def begin(self, info: ConversationInfo) -> str:
        title = line(info.title) or "(no title)"
        facts = [line(Foreign(info.model)), f"{info.created[:16]} UTC", turns(info.turns), f"`{info.id}`"]
        return f"# {title}\n\n{' · '.join(facts)}\n"

    def add(self, events: Sequence[StoredEvent]) -> str:
        return "".join(f"\n{part}\n" for block in blocks_of(events) for part in _block(block) if part)

    def end(self) -> str:
        return ""


def _block(block: b.Block) -> Iterator[str]:
    match block:
        case b.User(text=text, command=command):
            yield "## You"
            if command:
                yield code(command.raw)
            yield prose(text)
        case b.Header(model=model, ms=ms):
            yield f"## {line(model) or 'Assistant'}" + (f" · {duration(ms)}" if ms is not None else "")
        case b.TextBlock(text=text, incomplete=incomplete):
            yield prose(text) + ("\n\n*(incomplete)*" if incomplete else "")
        case b.ReasoningBlock(text=text, incomplete=incomplete):
            yield quoted(f"*Reasoning*\n\n{prose(text)}" + ("\n\n*(incomplete)*" if incomplete else ""))
        case b.Data(text=text):
            yield fence(text, "json")
        case b.ToolBlock():
            yield from _tool(block)
        case b.QuestionBlock(asked=asked):
            yield _asked(asked)
        case b.Resumed():
            yield "*The turn was interrupted here and then resumed.*"
        case b.Ending(how=how, message=message, detail=detail, advice=advice):
            words = " ".join(line(part) for part in (message, advice) if part)
            yield f"**Turn {how}**" + (f": {words}" if words else "")
            if detail:
                yield f"The server said:\n\n{fence(detail, '')}"
        case b.Note(text=text) | b.RetryBlock(text=text):
            yield f"*{line(text)}*"
        case b.CompactionBlock(text=text, details=details, failed=failed):
            yield f"*{line(text)}*"
            if failed:
                yield f"*{line(failed)}*"
            if details:
                yield fence(details, "")
        case b.Odd(name=name, problem=problem):
            yield f"*({line(name)}{f': {line(problem)}' if problem else ''})*"


def _tool(block: b.ToolBlock) -> Iterator[str]:
    if not block.dialogue:
        took = f" · {duration(block.ms)}" if block.ms is not None and block.end != "declined" else ""
        how = f" · {block.end}" if block.end not in (None, "ok") else ""
        how = f" · {line(Foreign(declined(block.asked)))}" if block.end == "declined" else how
        title = f" {line(block.title)}" if block.title else ""
        yield f"**Tool: {line(block.name)}**{title}{took}{how}"
        arguments = block.edited or block.arguments
        if arguments:
            yield fence(Foreign("\n".join(f"{name.raw}: {value.raw}" for name, value in arguments)), "")
    for one in block.decided:
        yield f"*{escaped(neutralise(sentence(one), 'line'))}*"
    if block.form is not None:
        yield _form(block.form)
    else:
        for asked in block.asked:
            yield _asked(asked)
    for one_aside in block.asides:
        yield quoted(f"*Aside*\n\n{prose(one_aside.asked)}\n\n{prose(one_aside.said)}")
    if block.reply:
        yield quoted(f"*Replied*\n\n{prose(block.reply)}")
    if block.problem:
        yield f"**Not run**: {line(block.problem)}"
    if block.output and not block.dialogue:
        yield ("Error:" if block.end == "error" else "Result:") + "\n\n" + fence(block.output, "")


def _form(form: QuestionForm) -> str:
    parts = [f"*Asked {len(form.places)} questions*"]
    parts += [f"{number}. {line(place.text)}\n\n{_place(place)}" for number, place in enumerate(form.places, 1)]
    if form.reply:
        parts.append(f"Replied: {prose(form.reply)}")
    return quoted("\n\n".join(parts))


def _place(place: AskedFormQuestion) -> str:
    if place.asked is not None and place.state in ("answered", "left"):
        return "\n\n".join(answer(place.asked))
    return f"Skipped ({line(place.because)})" if place.state == "skipped" else "Not answered"


def _asked(asked: InquiryView) -> str:
    context = f"{prose(asked.context)}\n\n" if asked.context else ""
    said = "\n\n".join(answer(asked))
    return quoted(f"**Question** ({line(asker(asked))})\n\n{context}{prose(asked.text)}\n\n{said}")


def answer(asked: InquiryView) -> Iterator[str]:
    """Return a question's outcome as in R206, with the reason and who answered; Markdown lines."""
    match asked.how:
        case "answered":
            yield f"Answer: {code(dump(asked.answer))}"
        case "redacted":
            yield "Answer: `<redacted>`"
        case "cancelled":
            yield f"Cancelled ({line(asked.tag) or 'user'})"
        case _:
            yield line(outcome(asked, waits=False).word)
    for part in asked.parts:
        comment = f": {line(part.comment)}" if part.comment else ""
        yield f"{'Taken' if part.accepted else 'Left out'}: {line(part.title)}{comment}"
    if asked.explanation:
        yield f"Reason: {prose(asked.explanation)}"
    who = [line(responder(asked)), outcome(asked).took, spent(asked)]
    if any(who):
        yield f"By: {' · '.join(part for part in who if part)}"
    if asked.why:
        yield f"Why: {line(asked.why)}"


def line(text: Foreign) -> str:
    """Return untrusted text on one line, with Markdown escaped."""
    return escaped(neutralise(text, "line"))


def escaped(text: str) -> str:
    """Escape plain text for Markdown."""
    return _SIGNS.sub(r"\\\1", text)


def prose(text: Foreign) -> str:
    """Return text that is itself Markdown, and the targets of links whose text names another host (Z22)."""
    shown = neutralise(text).strip("\n")
    notes = [f"*The link {code(words)} leads to {code(host)}.*" for words, host in deceiving(shown)]
    return "\n\n".join([shown, *notes])


def code(text: str) -> str:
    """Return one line as code, whatever characters it has."""
    shown = neutralise(Foreign(text), "line")
    ticks = "`" * (max((len(run) for run in _RUNS.findall(shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def fence(text: Foreign, language: str) -> str:
    """Return text as a block of code that it can't close."""
    shown = neutralise(text).strip("\n")
    ticks = "`" * max(3, max((len(run) for run in _RUNS.findall(shown)), default=0) + 1)
    return f"{ticks}{language}\n{shown}\n{ticks}"


def quoted(text: str) -> str:
    """Return Markdown indented as a quotation."""
    return "\n".join(f"> {one}" if one else ">" for one in text.split("\n"))
