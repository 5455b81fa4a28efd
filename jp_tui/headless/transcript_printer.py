"""A live conversation in lines that never move: for screen readers and plain terminals (S4, E60).

The assistant's text is printed line by line; a tool call is one line at its end; a decision without the user is one
line. No cursor movement, no colour, and untrusted text is neutralised. Asks nothing.
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
from jp_tui.view.activity.plan import PlanView, plan_lines, planned
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
    """Yield the outcome of a question that wasn't asked here: who, duration and cost, and the reason (E42)."""
    end = outcome_line.outcome(asked)
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
    """Streamed part: the printed text, and the incomplete line."""

    sanitizer: Sanitizer = field(default_factory=Sanitizer)
    rest: str = ""
    begun: bool = False


class Printer:
    """`say` prints one line. `last` is the latest question, for `/why`; `told` returns True for an inquiry whose end is
    printed elsewhere."""

    def __init__(self, say: Callable[[str], None], told: Callable[[str], bool] = lambda inquiry: False) -> None:
        self._say, self._told = say, told
        self._parts: dict[str, PrintedPart] = {}
        self._titles: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._asked: dict[str, inquiries.InquiryView] = {}
        self._declines: dict[str, inquiries.InquiryView] = {}  # each "no", by its inquiry
        self.last: inquiries.InquiryView | None = None

    # --- streaming --------------------------------------------------------------------------------------------

    def live(self, event: e.PartDelta | e.PartDropped | e.CallChanged) -> None:
        """Handle live events, before or beside the facts."""
        match event:
            case e.PartDelta():
                self.delta(event)
            case e.PartDropped():
                self.dropped(event)
            case e.CallChanged():
                self.call(event)

    def delta(self, event: e.PartDelta) -> None:
        """Print more of the assistant's text; reasoning and call arguments aren't printed."""
        if event.kind != "message":
            return
        part = self._parts.setdefault(event.part, PrintedPart())
        self._print(part, part.sanitizer.feed(event.text.raw))

    def _print(self, part: PrintedPart, text: str) -> None:
        *whole, part.rest = (part.rest + text).split("\n")
        for one in whole:
            self._line(part, one)

    def _line(self, part: PrintedPart, text: str) -> None:
        # its further lines are indented, so that none passes for jp-tui's
        self._say(set_in(text) if part.begun else f"{SPEAKER}{text}")
        part.begun = True

    def _finish(self, part: PrintedPart) -> None:
        self._print(part, part.sanitizer.finish())
        if part.rest:
            self._line(part, part.rest)

    def dropped(self, event: e.PartDropped) -> None:
        """Report that streamed text was discarded."""
        part = self._parts.pop(event.part, None)
        if part is not None and part.begun:
            self._say("(This reply was discarded.)")

    # --- facts ------------------------------------------------------------------------------------------------

    def fact(self, event: e.EventAppended) -> None:
        """Print what a durable event adds to the streamed text."""
        raw = read_event(event.stored.event)
        match raw:
            case stored.ChatResponse(metadata={"greeting": True}):
                pass  # printed before any message
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
            case stored.Unknown(raw={"type": "plan"}):
                for text in plan_lines(planned(PlanView(), raw)):
                    self._say(text)
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
        self.last = asked = inquiries.with_response(asked, response)
        if asked.answer is False:
            self._declines[asked.id] = asked
        if asked.by in ("", "user") and (asked.how != "cancelled" or asked.moved or asked.restores):
            return  # the user's own, at this terminal or printed by the question loop
        if self._told(asked.id):
            return
        for text in decided(asked):
            self._say(text)

    def _stopped(self, tool: str, metadata: JsonObject) -> None:
        """Print that the assistant must stop and ask."""
        for one in decisions(metadata):
            if one.about == "stop":
                self._say(f"{line(tool) or 'a tool'}: {sentence(one)}")

    def call(self, event: e.CallChanged) -> None:
        """Print a finished tool call in one line."""
        if event.state == "completed" and not (event.hidden and event.end != "error"):
            self._say(self.ended(event))

    def ended(self, event: e.CallChanged) -> str:
        """Return the line of a finished tool call; of a declined one with who said no, and no duration (Z15)."""
        title = neutralise(event.title, "line") or neutralise(self._titles.get(event.call, ""), "line")
        word = ENDS[event.end or "ok"][1] or "done"
        took = f", {duration(event.ms)}" if event.ms is not None and event.end != "declined" else ""
        if event.end == "declined":
            said = [one for id_, one in self._declines.items() if id_.startswith(f"{event.call}.")]
            word = neutralise(Foreign(outcome_line.declined(said)), "line")
        return " ".join(part for part in ("tool:", line(event.tool), title, "–", word) if part) + took

    def why(self) -> str:
        """Return the rule that led to the last question, or answered it (E42)."""
        if self.last is None:
            return "No questions so far."
        return f"{neutralise(self.last.text, 'line')} – {line(why.why(self.last))}"

    # --- earlier events ---------------------------------------------------------------------------------------

    def old(self, one: StoredEvent) -> None:
        """Print a stored event as text."""
        self._text(plain(read_event(one.event)))

    def _text(self, text: str) -> None:
        for part in neutralise(text).split("\n") if text else []:
            self._say(part)

    def page(self, page: Iterable[StoredEvent], turns: int) -> None:
        """Print the last `turns` turns of a page; `/why` then knows their questions."""
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
                        self.last = inquiries.with_response(known, response)
                case _:
                    pass
