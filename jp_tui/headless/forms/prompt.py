"""A prompt in lines: who asks, what is possible, and the words that every prompt accepts (S4, E60).

Words begin with a colon; where no text is typed, a letter does the same (asking.md "Keys"). The kind of answer
interprets any other line (`answer.py`). Pure, as all steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.headless.forms.answer import AGAIN, HELP, AnswerLines
from jp_tui.headless.forms.form_steps import FormMoves
from jp_tui.headless.forms.question import AskedQuestion
from jp_tui.headless.forms.steps import (
    AskedAside,
    Back,
    Menu,
    MenuEntry,
    Outcome,
    Response,
    SentAlong,
    Sentence,
    Step,
    TakesOver,
    Words,
    line,
    quoted,
)
from jp_tui.protocol.values import Cancelled, EndTurn, Escalation, PromptRequest, Replied
from jp_tui.view.questions import escalation_text as why
from jp_tui.view.questions.people import people_lines
from jp_tui.view.questions.prompt_line import asker
from jp_tui.view.wording import questions as w

ASIDE = ":?"
UNKNOWN = "Unknown command {word}. ? lists the commands."
ASIDE_ASKS = "Enter your question about this in one line. The question stays open. An empty line goes back."
ASIDE_DOES = "asks a model about this; the question stays open"
ALONG_DOES = "sends that side question to the model after the results; `:a no` doesn't"


class Prompt(Step):
    """A prompt: its frame, the common words, and one kind of answer."""

    def __init__(
        self,
        prompt: PromptRequest,
        answer: AnswerLines,
        *,
        question: AskedQuestion | None = None,
        others: int = 0,
    ) -> None:
        """`question` is None for a decision about a call and for the summary of a form. `others` prompts wait behind
        this one (R117)."""
        self._prompt, self._answer, self._question, self._others = prompt, answer, question, others
        self._form = FormMoves(prompt)

    @property
    def mark(self) -> str:
        return self._answer.mark

    @property
    def hidden(self) -> bool:
        return self._answer.hidden

    @property
    def gathers(self) -> bool:
        return self._answer.gathers

    # Display

    def intro(self) -> Iterator[str]:
        prompt = self._prompt
        yield ""
        yield self._head()
        yield from self._banner()
        yield from map(line, people_lines(prompt))
        body = self._answer.body()
        yield from self._question.shown(body) if self._question is not None else body
        if prompt.deadline_secs is not None:
            since = f", counted from {prompt.asked_at[:19]} UTC" if prompt.asked_at else ""
            yield w.TIME_LEFT.format(left=f"{prompt.deadline_secs} s{since}")
        shown = (*self._answer.keys(), *self._controls())
        yield " · ".join([*(f"{key} {does}" for key, does in shown), f"{AGAIN} repeats", f"{HELP} commands"])

    def _controls(self) -> Iterator[tuple[str, str]]:
        """Yield Back and its undo, and the actions on every question of the assistant (R182, R187)."""
        colon = "" if self._answer.letters else ":"
        for key, does in self._form.letters():
            yield f"{colon}{key}", does
        if self._prompt.source == "assistant":
            yield f"{colon}r TEXT", w.REPLY
            yield f"{colon}s", w.END_TURN

    def _head(self) -> str:
        prompt = self._prompt
        place = prompt.progress
        at = w.PROGRESS.format(n=place[0], m=place[1]) if place and place[1] > 1 else ""
        parts = [
            f"? {asker_line(prompt)} asks:",
            w.REVIEW if prompt.kind == "review" else at,
            f"({w.WAITING.format(n=self._others)} behind it)" if self._others else "",
        ]
        return " ".join(part for part in parts if part)

    def _banner(self) -> Iterator[str]:
        """Yield why a person sees a reviewer's question (R150, R154): the reviewer, then exactly M12."""
        told = self._prompt.escalation
        if told is None:
            return
        by = [line(told.model)] if told.model else []
        by += [took] if (took := why.review_duration(told)) else []
        if by:
            yield w.REVIEWED_BY.format(by=" · ".join(by))
        yield from _reasons(told)
        for reason in why.earlier_reasons(told):
            yield w.BEFORE_INTENT
            yield _quotes(reason)
        if told.saw:
            yield w.SAW.format(saw=line(told.saw))
        yield "You decide."

    def _words(self) -> Iterator[tuple[str, str]]:
        """Yield all words that are possible now."""
        controls = self._prompt.controls
        yield from self._answer.keys()
        yield from self._answer.words()
        if self._question is not None:
            yield from self._question.words()
        for key, does in self._form.letters():
            yield f":{key}", does
        yield from self._form.words()
        if "reply" in controls:
            yield ":r TEXT", w.REPLY_DOES
        if "decline" in controls:
            yield ":n", w.DECLINE_SERVER_DOES
        if "cancel" in controls:
            yield ":c", w.CANCEL_SERVER_DOES if "decline" in controls else w.CANCEL_DOES
        yield ":s", w.END_TURN_DOES
        if self._may_talk:
            yield f"{ASIDE} TEXT", ASIDE_DOES
            yield ":a", ALONG_DOES
        yield ":w", "shows why you are asked"
        yield AGAIN, "repeats the question"
        if self._answer.letters:
            yield " ".join(sorted(self._letters)), "work without the colon here, and so does ? TEXT"

    @property
    def _may_talk(self) -> bool:
        """True if a side question is possible: an undelivered result is shown to no model."""
        return self._prompt.kind != "delivery"

    @property
    def _letters(self) -> frozenset[str]:
        """The letters that work without a colon now."""
        controls = self._prompt.controls
        moves = "bu" if self._form.places or self._prompt.back or self._prompt.undo else ""
        known = frozenset("sw" + moves + ("r" if "reply" in controls else "") + ("e" if "edit" in controls else ""))
        return self._answer.letters & known

    # Input

    def feed(self, line: str) -> Outcome:
        if self._answer.claims(line, self._letters):
            return self._answer.answer(line)
        typed = line.strip()
        if typed == AGAIN:
            return Back()
        if typed == HELP:
            return Words("\n".join(f"  {key}  {does}" for key, does in self._words()))
        if self._answer.letters and typed.startswith(f"{HELP} "):
            typed = f":{typed}"
        word, _, rest = typed.partition(" ")
        if word in self._letters and (not rest or word == "r" or (word == "b" and rest.isdecimal())):
            if self._answer.is_answer(typed):
                return Words(
                    f"{word} is both an answer and a command. Enter ={word} to answer, :{word} for the command."
                )
            word = f":{word}"
        if word.startswith(":"):
            return self._colon(word, rest.strip()) or Words(UNKNOWN.format(word=word))
        return self._answer.answer(line)

    def pasted(self, lines: Sequence[str]) -> Outcome:
        return self._answer.pasted(lines)

    def _colon(self, word: str, rest: str) -> Outcome:
        controls = self._prompt.controls
        match word:
            case ":w":
                return Words(w.WHY.format(why=self._prompt.why) if self._prompt.why else w.NO_WHY)
            case ":s":
                return EndTurn()
            case ":c" if "cancel" in controls:
                return Cancelled()
            case ":n" if "decline" in controls:
                return Cancelled(declined=True)
            case ":r" if "reply" in controls:
                return Replied(text=rest) if rest else self._reply()
            case ":b" if self._form.places or self._prompt.back:
                return self._form.back(rest)
            case ":u" if self._form.places or self._prompt.undo:
                return self._form.undo()
            case ":f" if self._form.places:
                return Words("\n".join(self._form.listed()))
            case ":?" if self._may_talk:
                return AskedAside(rest) if rest else Sentence(ASIDE_ASKS, AskedAside)
            case ":a" if self._may_talk and rest in ("", "no"):
                return SentAlong(send=not rest)
            case ":t" if not rest or rest.isdecimal():
                return TakesOver(rest)
        found = self._answer.word(word, rest)
        return self._question.word(word, rest) if found is None and self._question is not None else found

    def _reply(self) -> Step:
        asks = "Enter your reply in one line. The model reads it and continues."
        if self._prompt.source == "assistant":
            return Sentence(f"{asks} An empty line continues without a message.", _replied, Replied(text=None))
        return Sentence(f"{asks} An empty line goes back.", _replied)

    def wrong(self, problems: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Yield the engine's problems with an answer by field; `problems` are JSON pointers and messages."""
        return self._answer.wrong(problems)

    def first(self) -> Step:
        """Return the first step."""
        return self._answer.first() or self

    def menu(self) -> Menu:
        """Return the menu of Ctrl+C; it never answers (R248)."""
        entries = [MenuEntry(w.ANSWER, w.ANSWER_DOES, None), *self._form.entries()]
        if "reply" in self._prompt.controls:
            entries.append(MenuEntry(w.REPLY, w.REPLY_DOES, self._reply()))
        if "cancel" in self._prompt.controls:
            does = w.CANCEL_DOES
            if "decline" in self._prompt.controls:
                entries.append(MenuEntry(w.DECLINE, w.DECLINE_SERVER_DOES, Cancelled(declined=True)))
                does = w.CANCEL_SERVER_DOES
            entries.append(MenuEntry(w.CANCEL, does, Cancelled()))
        return Menu((*entries, MenuEntry(w.END_TURN, w.END_TURN_DOES, EndTurn())))


def _reasons(told: Escalation) -> Iterator[str]:
    """Yield the reviewer's refusal, and why there is no verdict if it failed."""
    if (no := why.refusal(told)) is not None:
        yield w.REJECTING
        yield _quotes(no)
    if not told.failed:
        return
    yield why.no_verdict_reason(told)
    heard = why.partial_reason(told)
    if heard and told.cause == "taken_over":
        yield w.HEARD
    if heard or not told.cause:
        yield quoted(heard or w.NO_REASON)


def _quotes(reason: Foreign) -> str:
    """Return a reason in M12's quotes; the fallback has them too."""
    return quoted(f'"{why.quoted_reason(reason) or w.NO_REASON}"')


def _replied(text: str) -> Response:
    return Replied(text=text)


def asker_line(prompt: PromptRequest) -> str:
    """Return who asks, in one line: the label or the tool, and the subject unless that is the question itself."""
    subject = neutralise(prompt.subject, "line")
    if prompt.form is not None or subject == neutralise(prompt.question.text, "line"):
        return line(asker(prompt))
    return f"{line(asker(prompt))} · {subject}" if subject else line(asker(prompt))
