"""One prompt in lines: what is shown, and what the lines that are typed then mean (surface S4, asking.md E60).

A prompt is a step, and some lines lead into a smaller one (an editor, a menu, words to send) and back. Steps are
pure: lines in, an outcome out. They write nothing, read nothing and send nothing; `lines.py` and `interview.py` do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import (
    Answered,
    Cancelled,
    Delivered,
    Edited,
    EndTurn,
    Permitted,
    PromptRequest,
    Replied,
)
from jp_tui.view import wording as w
from jp_tui.view.prompts import asker

Response = Answered | Cancelled | Replied | EndTurn | Edited | Permitted | Delivered

AGAIN, HELP = ".", "?"
PASTED = "several lines at once answer nothing here (a paste?): type the answer"
UNKNOWN = "there is no word {word} here; ? lists those there are"


@dataclass(frozen=True, slots=True)
class Words:
    """Not an answer: this is said, and the step goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class Back:
    """Back to the prompt itself, after saying this."""

    text: str = ""


class Step:
    """Takes lines. `gathers`: several belong together, so none is thrown away between them."""

    mark = "> "
    hidden = False
    gathers = False

    def intro(self) -> Iterator[str]:
        """What is said when it begins, and again for `.`."""
        yield from ()

    def feed(self, line: str) -> Outcome:
        """What one line means; None when more are wanted."""
        raise NotImplementedError

    def pasted(self, lines: Sequence[str]) -> Outcome:
        """Several lines that came at once; no hand types so (E11)."""
        return Words(PASTED)

    def refused(self) -> None:
        """The engine did not take what came of it."""


Outcome = Response | Words | Back | Step | None


class Sentence(Step):
    """One line of words for the model; an empty one goes back, or where `empty` is given, is that."""

    def __init__(self, told: str, then: Callable[[str], Response], empty: Response | None = None) -> None:
        self._told, self._then, self._empty = told, then, empty

    def intro(self) -> Iterator[str]:
        yield self._told

    def feed(self, line: str) -> Outcome:
        if line.strip():
            return self._then(line.strip())
        return self._empty or Back("Nothing was sent.")

    def pasted(self, lines: Sequence[str]) -> Outcome:
        return Gathered(lines, self._then)


class Gathered(Step):
    """Lines that were pasted: sent as one text after an empty line, and not before."""

    gathers = True
    mark = "… "

    def __init__(self, lines: Sequence[str], then: Callable[[str], Response]) -> None:
        self._lines, self._then = list(lines), then

    def intro(self) -> Iterator[str]:
        yield f"{len(self._lines)} lines came at once. An empty line sends them, `:x` forgets them."

    def feed(self, line: str) -> Outcome:
        if line.strip() == ":x":
            return Back("Forgotten.")
        if line:
            self._lines.append(line)
            return None
        while self._lines and not self._lines[-1].strip():
            self._lines.pop()
        return self._then("\n".join(self._lines)) if self._lines else Back("Nothing was sent.")

    def pasted(self, lines: Sequence[str]) -> Outcome:
        self._lines += lines
        return Words(next(self.intro()))


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a menu: its words, what it does, and what comes of it (None: back)."""

    label: str
    does: str
    then: Response | Step | None


class Menu(Step):
    """Numbered lines; an empty one is the first, which changes nothing."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries

    def intro(self) -> Iterator[str]:
        for number, entry in enumerate(self._entries, 1):
            yield f"  {number}  {entry.label}: {entry.does}"

    def feed(self, line: str) -> Outcome:
        number = pick(line.strip() or "1", len(self._entries))
        if number is None:
            return Words(f"a number from 1 to {len(self._entries)}")
        return self._entries[number - 1].then or Back()


class Prompt(Step):
    """The prompt itself: its frame, the words that every prompt knows, and by `_answer` what else a line means."""

    def __init__(self, prompt: PromptRequest, others: int = 0) -> None:
        self._prompt, self._others = prompt, others

    # --- what a kind of prompt fills in ---------------------------------------------------------------------

    def _body(self) -> Iterator[str]:
        raise NotImplementedError

    def _answer(self, line: str) -> Outcome:
        raise NotImplementedError

    def _keys(self) -> Iterator[tuple[str, str]]:
        """(what is typed, what it does) of this kind."""
        yield from ()

    def _word(self, word: str, rest: str) -> Outcome:
        """A word of this kind that begins with a colon; None when there is none such."""
        return None

    # --- every prompt ---------------------------------------------------------------------------------------

    def intro(self) -> Iterator[str]:
        prompt = self._prompt
        yield ""
        yield self._head()
        yield from self._banner()
        yield from self._body()
        if prompt.deadline_secs is not None:
            since = f", counted from {prompt.asked_at[:19]} UTC" if prompt.asked_at else ""
            yield w.TIME_LEFT.format(left=f"{prompt.deadline_secs} s{since}")
        words = " · ".join(f"{key} {does}" for key, does in self._keys())
        yield f"{words} · . reads it again · ? all words" if words else ". reads it again · ? all words"

    def _head(self) -> str:
        prompt = self._prompt
        place = prompt.progress
        parts = [
            f"? {who(prompt)} asks:",
            w.PROGRESS.format(n=place[0], m=place[1]) if place and place[1] > 1 else "",
            f"({w.WAITING.format(n=self._others)} behind it)" if self._others else "",
        ]
        return " ".join(part for part in parts if part)

    def _banner(self) -> Iterator[str]:
        """Why a person sees what a reviewer was to answer (R150, R154); its first line is M12 to the letter."""
        why = self._prompt.escalation
        if why is None:
            return
        ms = f", {why.ms / 1000:.1f} s" if why.ms is not None else ""
        if why.failed:
            yield w.NO_VERDICT
            yield quoted(why.reason or w.NO_REASON)
        else:
            yield w.REJECTING
            yield quoted(f'"{why.reason.raw or w.NO_REASON}"')
        yield f"(reviewer {line(why.model)}{ms})"
        yield "You decide."

    def _common(self) -> Iterator[tuple[str, str]]:
        controls = self._prompt.controls
        if "reply" in controls:
            yield ":r WORDS", w.REPLY_DOES
        if "cancel" in controls:
            yield ":c", w.CANCEL_DOES
        yield ":s", w.END_TURN_DOES
        yield ":w", "why you are asked"
        yield AGAIN, "reads it again"

    def feed(self, line: str) -> Outcome:
        typed = line.strip()
        if typed == AGAIN:
            return Back()
        if typed == HELP:
            return Words("\n".join(f"  {key}  {does}" for key, does in (*self._keys(), *self._common())))
        if typed.startswith(":"):
            word, _, rest = typed.partition(" ")
            return self._colon(word, rest.strip()) or Words(UNKNOWN.format(word=word))
        return self._answer(line)

    def _colon(self, word: str, rest: str) -> Outcome:
        controls = self._prompt.controls
        match word:
            case ":w":
                return Words(w.WHY.format(why=self._prompt.why) if self._prompt.why else w.NO_WHY)
            case ":s":
                return EndTurn()
            case ":c" if "cancel" in controls:
                return Cancelled()
            case ":r" if "reply" in controls:
                return Replied(text=rest) if rest else self._reply()
        return self._word(word, rest)

    def _reply(self) -> Step:
        told = "Reply in words, one line; the model reads it and goes on."
        if self._prompt.source == "assistant":
            return Sentence(f"{told} An empty one hands back without words.", _replied, Replied(text=None))
        return Sentence(f"{told} An empty one goes back.", _replied)

    def first(self) -> Step | None:
        """The step that it opens with, when that is not the prompt itself."""
        return None

    def menu(self) -> Menu:
        """What one Ctrl+C opens; it never answers by itself (R248)."""
        entries = [Entry(w.ANSWER, w.ANSWER_DOES, None)]
        if "reply" in self._prompt.controls:
            entries.append(Entry(w.REPLY, w.REPLY_DOES, self._reply()))
        if "cancel" in self._prompt.controls:
            entries.append(Entry(w.CANCEL, w.CANCEL_DOES, Cancelled()))
        return Menu((*entries, Entry(w.END_TURN, w.END_TURN_DOES, EndTurn())))


def _replied(text: str) -> Response:
    return Replied(text=text)


def who(prompt: PromptRequest) -> str:
    """Who asks, in one line: the label or the tool, and what the call is about unless that is the question itself."""
    subject = neutralise(prompt.subject, "line")
    if subject == neutralise(prompt.question.text, "line"):
        return line(asker(prompt))
    return f"{line(asker(prompt))} · {subject}" if subject else line(asker(prompt))


def quoted(text: str | Foreign) -> str:
    """Foreign text of any length, each line behind a bar: it cannot be taken for a line of ours (E4)."""
    return "\n".join(f"| {one}" for one in neutralise(text, "approval").split("\n"))


def line(text: str | Foreign) -> str:
    """Foreign text in one line in which nothing is hidden, line breaks neither."""
    return neutralise(text, "approval").replace("\n", "⏎")


def pick(typed: str, most: int) -> int | None:
    """The number from 1 to `most` that was typed."""
    number = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 8 else 0
    return number if 1 <= number <= most else None
