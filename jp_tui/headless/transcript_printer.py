"""A conversation as it happens, in lines that nothing moves again: for screen readers and plain terminals (S4, E60).

The assistant's text comes whole line by whole line; a tool call is one line when it is over; what was decided without
the human is one line. No cursor movement, no colour, and foreign text is neutralised. It asks nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from jp_tui.conversation import events as stored
from jp_tui.conversation.neutral import Sanitizer, neutralise
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.headless.forms.steps import line, quoted
from jp_tui.protocol import events as e
from jp_tui.protocol.values import StoredEvent
from jp_tui.view.activity.lines import ENDS
from jp_tui.view.activity.turn_summary import summary
from jp_tui.view.export.events import exported, plain, set_in
from jp_tui.view.questions import inquiry as inquiries
from jp_tui.view.questions import outcome_line
from jp_tui.view.questions.approval_text import decisions, sentence
from jp_tui.view.transcript.calls import subject
from jp_tui.view.wording import why
from jp_tui.view.wording.amounts import duration
from jp_tui.view.wording.context import context_note

SPEAKER = "assistant: "


def decided(asked: inquiries.InquiryView) -> Iterator[str]:
    """What became of a question without its being asked here: who, how long and for how much, and the reason (E42)."""
    end = outcome_line.fate(asked)
    by = ", ".join(part for part in (line(end.who), end.took) if part)
    text = neutralise(asked.text, "line")
    first = f"{line(outcome_line.asker(asked))} asked: {text} – {line(end.word)}{f' ({by})' if by else ''}"
    reason = asked.explanation.raw.strip()
    if "\n" not in reason:
        yield f"{first}: {line(reason)}" if reason else first
        return
    yield f"{first}:"
    yield quoted(reason)


@dataclass(slots=True)
class PrintedPart:
    """A streamed part: what of it was printed, and the line that is not whole yet."""

    sanitizer: Sanitizer = field(default_factory=Sanitizer)
    rest: str = ""
    begun: bool = False


class Printer:
    """`say` prints one line. `last` is the question that was asked last, for `/why`; `told` says of an inquiry that
    its end is told by others."""

    def __init__(self, say: Callable[[str], None], told: Callable[[str], bool] = lambda inquiry: False) -> None:
        self._say, self._told = say, told
        self._parts: dict[str, PrintedPart] = {}
        self._titles: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._asked: dict[str, inquiries.InquiryView] = {}
        self._declines: dict[str, inquiries.InquiryView] = {}  # each "no", by its inquiry
        self.last: inquiries.InquiryView | None = None

    # --- what is streamed ---------------------------------------------------------------------------------

    def live(self, event: e.PartDelta | e.PartDropped | e.CallChanged) -> None:
        """What goes on, before or beside the facts."""
        match event:
            case e.PartDelta():
                self.delta(event)
            case e.PartDropped():
                self.dropped(event)
            case e.CallChanged():
                self.call(event)

    def delta(self, event: e.PartDelta) -> None:
        """More of what the assistant says; its reasoning and the arguments of calls are not read out."""
        if event.kind != "message":
            return
        part = self._parts.setdefault(event.part, PrintedPart())
        self._print(part, part.sanitizer.feed(event.text.raw))

    def _print(self, part: PrintedPart, text: str) -> None:
        *whole, part.rest = (part.rest + text).split("\n")
        for one in whole:
            self._line(part, one)

    def _line(self, part: PrintedPart, text: str) -> None:
        # lines of its own are set in, so that none of them passes for one of ours
        self._say(set_in(text) if part.begun else f"{SPEAKER}{text}")
        part.begun = True

    def _finish(self, part: PrintedPart) -> None:
        self._print(part, part.sanitizer.finish())
        if part.rest:
            self._line(part, part.rest)

    def dropped(self, event: e.PartDropped) -> None:
        """What was said is taken back."""
        part = self._parts.pop(event.part, None)
        if part is not None and part.begun:
            self._say("(This reply was discarded.)")

    # --- what is a fact -----------------------------------------------------------------------------------

    def fact(self, event: e.EventAppended) -> None:
        """What a durable event adds to what was streamed."""
        raw = read_event(event.stored.event)
        match raw:
            case stored.ChatResponse(metadata={"greeting": True}):
                pass  # it was said before anybody spoke
            case stored.ChatResponse(kind="message", metadata=metadata):
                part = self._parts.pop(event.closes, None)
                if part is not None:
                    self._finish(part)
                    if metadata.get("incomplete") is True:
                        self._say("(incomplete)")
                else:
                    self.old(event.stored)
            case stored.ToolCallRequest(id=id_, name=name, arguments=arguments, metadata=metadata):
                self._titles[id_] = str(metadata.get("title") or subject(arguments))
                self._names[id_] = name
            case stored.ToolCallResponse(id=id_, metadata=metadata):
                self._stopped(self._names.pop(id_, ""), metadata)
            case stored.InquiryRequest():
                self.last = self._asked[raw.id] = inquiries.question(raw)
            case stored.InquiryAnswered() | stored.InquiryCancelled() | stored.InquiryRedacted():
                self._settled(raw)
            case stored.Compaction() | stored.CompactionUndone():
                self._text(plain(raw))
            case stored.Unknown() if noted := context_note(raw):
                self._say(noted)
            case stored.TurnOutcome() if summary(raw):
                self._say(summary(raw))
            case _:
                pass

    def _settled(self, response: stored.InquiryResponse) -> None:
        asked = self._asked.pop(response.id, None)
        if asked is None:
            return
        self.last = asked = inquiries.answered(asked, response)
        if asked.answer is False:
            self._declines[asked.id] = asked
        if asked.by in ("", "user") and (asked.how != "cancelled" or asked.moved or asked.restores):
            return  # the human's own, at this terminal or told by the interview
        if self._told(asked.id):
            return
        for text in decided(asked):
            self._say(text)

    def _stopped(self, tool: str, metadata: JsonObject) -> None:
        """That the assistant was told to stop and to ask."""
        for one in decisions(metadata):
            if one.about == "stop":
                self._say(f"{line(tool) or 'a tool'}: {sentence(one)}")

    def call(self, event: e.CallChanged) -> None:
        """Print a completed tool call in one line."""
        if event.state == "completed" and not (event.hidden and event.end != "error"):
            self._say(self.ended(event))

    def ended(self, event: e.CallChanged) -> str:
        """Return the line of a completed tool call; of a declined one with who said no, and no duration (Z15)."""
        title = neutralise(event.title, "line") or neutralise(self._titles.get(event.call, ""), "line")
        word = ENDS[event.end or "ok"][1] or "done"
        took = f", {duration(event.ms)}" if event.ms is not None and event.end != "declined" else ""
        if event.end == "declined":
            said = [one for id_, one in self._declines.items() if id_.startswith(f"{event.call}.")]
            word = neutralise(Foreign(outcome_line.declined(said)), "line")
        return " ".join(part for part in ("tool:", line(event.tool), title, "–", word) if part) + took

    def why(self) -> str:
        """Which rule led to the last question, or answered it (E42)."""
        if self.last is None:
            return "No questions so far."
        return f"{neutralise(self.last.text, 'line')} – {line(why.why(self.last))}"

    # --- what was before ----------------------------------------------------------------------------------

    def old(self, one: StoredEvent) -> None:
        """A stored event as text."""
        self._text(plain(read_event(one.event)))

    def _text(self, text: str) -> None:
        for part in neutralise(text).split("\n") if text else []:
            self._say(part)

    def page(self, page: Iterable[StoredEvent], turns: int) -> None:
        """The last `turns` turns of a page; questions of them are known to `/why`."""
        events = list(page)
        first = max((one.turn for one in events), default=0) - turns + 1
        for text in exported(one for one in events if one.turn >= first):
            self._text(text)
        for one in events:
            match read_event(one.event):
                case stored.InquiryRequest() as asked:
                    self.last = self._asked[asked.id] = inquiries.question(asked)
                case stored.InquiryAnswered() | stored.InquiryCancelled() | stored.InquiryRedacted() as response:
                    if (known := self._asked.pop(response.id, None)) is not None:
                        self.last = inquiries.answered(known, response)
                case _:
                    pass
