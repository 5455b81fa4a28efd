"""The frame of every prompt in lines: who asks, what works now, and the words that every prompt knows (S4, E60).

Words begin with a colon; where no text is typed, a letter does the same (asking.md "Keys"). What else a line means is
said by a kind of prompt. Pure, as all steps are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.headless.forms.form_steps import Walking
from jp_tui.headless.forms.steps import (
    AskedAside,
    Back,
    Entry,
    Menu,
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
from jp_tui.view.questions.prompt_line import asker
from jp_tui.view.wording import questions as w

AGAIN, HELP = ".", "?"
ASIDE = ":?"
UNKNOWN = "there is no word {word} here; ? lists those there are"
ASIDE_TOLD = "Ask about this question, one line; it stays open. An empty one goes back."
ASIDE_DOES = "asks a model about this; nothing is answered by that"
ALONG_DOES = "what was said so goes to the model after the results; `:a no` keeps it aside"


class Prompt(Step):
    """The prompt itself: its frame, the words that every prompt knows, and by `_answer` what else a line means.

    `letters` are those that work without a colon: none where any line may be the answer.
    """

    letters = frozenset[str]()

    def __init__(self, prompt: PromptRequest, others: int = 0) -> None:
        self._prompt, self._others = prompt, others
        self._form = Walking(prompt)

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

    def _is_answer(self, typed: str) -> bool:
        """Whether these very words are an answer, whatever else they are."""
        return False

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
        shown = (*self._keys(), *self._controls())
        yield " · ".join([*(f"{key} {does}" for key, does in shown), f"{AGAIN} reads it again", f"{HELP} all words"])

    def _controls(self) -> Iterator[tuple[str, str]]:
        """Back and its undo; and what is offered on every question of the assistant (R182, R187)."""
        colon = "" if self.letters else ":"
        for key, does in self._form.letters():
            yield f"{colon}{key}", does
        if self._prompt.source == "assistant":
            yield f"{colon}r WORDS", w.REPLY
            yield f"{colon}s", w.END_TURN

    def _head(self) -> str:
        prompt = self._prompt
        place = prompt.progress
        at = w.PROGRESS.format(n=place[0], m=place[1]) if place and place[1] > 1 else ""
        parts = [
            f"? {who(prompt)} asks:",
            w.REVIEW if prompt.kind == "review" else at,
            f"({w.WAITING.format(n=self._others)} behind it)" if self._others else "",
        ]
        return " ".join(part for part in parts if part)

    def _banner(self) -> Iterator[str]:
        """Why a person sees what a reviewer was to answer (R150, R154); its first line is M12 to the letter."""
        told = self._prompt.escalation
        if told is None:
            return
        yield from _told(told)
        by = [f"reviewer {line(told.model)}"] if told.model else []
        by += [took] if (took := why.took(told)) else []
        if by:
            yield f"({', '.join(by)})"
        for reason in why.earlier(told):
            yield w.BEFORE_INTENT
            yield _quotes(reason)
        if told.saw:
            yield w.SAW.format(saw=line(told.saw))
        yield "You decide."

    def _common(self) -> Iterator[tuple[str, str]]:
        controls = self._prompt.controls
        for key, does in self._form.letters():
            yield f":{key}", does
        yield from self._form.words()
        if "reply" in controls:
            yield ":r WORDS", w.REPLY_DOES
        if "cancel" in controls:
            yield ":c", w.CANCEL_DOES
        yield ":s", w.END_TURN_DOES
        if self._may_talk:
            yield f"{ASIDE} WORDS", ASIDE_DOES
            yield ":a", ALONG_DOES
        yield ":w", "why you are asked"
        yield AGAIN, "reads it again"
        if self.letters:
            yield " ".join(sorted(self.letters & self._known)), "work without the colon here; so does ? WORDS"

    @property
    def _may_talk(self) -> bool:
        """A result that is not delivered is told to no model."""
        return self._prompt.kind != "delivery"

    @property
    def _known(self) -> frozenset[str]:
        """The letters of the words that there are now."""
        controls = self._prompt.controls
        moves = "bu" if self._form.places or self._prompt.back or self._prompt.undo else ""
        return frozenset("sw" + moves + ("r" if "reply" in controls else "") + ("e" if "edit" in controls else ""))

    def feed(self, line: str) -> Outcome:
        typed = line.strip()
        if typed == AGAIN:
            return Back()
        if typed == HELP:
            return Words("\n".join(f"  {key}  {does}" for key, does in (*self._keys(), *self._common())))
        if self.letters and typed.startswith(f"{HELP} "):
            typed = f":{typed}"
        word, _, rest = typed.partition(" ")
        if word in self.letters & self._known and (not rest or word == "r" or (word == "b" and rest.isdecimal())):
            if self._is_answer(typed):
                return Words(f"{word} is an answer and a word: ={word} answers, :{word} is the word")
            word = f":{word}"
        if word.startswith(":"):
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
            case ":b" if self._form.places or self._prompt.back:
                return self._form.back(rest)
            case ":u" if self._form.places or self._prompt.undo:
                return self._form.undo()
            case ":f" if self._form.places:
                return Words("\n".join(self._form.listed()))
            case ":?" if self._may_talk:
                return AskedAside(rest) if rest else Sentence(ASIDE_TOLD, AskedAside)
            case ":a" if self._may_talk and rest in ("", "no"):
                return SentAlong(send=not rest)
            case ":t" if not rest or rest.isdecimal():
                return TakesOver(rest)
        return self._word(word, rest)

    def _reply(self) -> Step:
        told = "Reply in words, one line; the model reads it and goes on."
        if self._prompt.source == "assistant":
            return Sentence(f"{told} An empty one hands back without words.", _replied, Replied(text=None))
        return Sentence(f"{told} An empty one goes back.", _replied)

    def wrong(self, verdict: Sequence[tuple[str, str]]) -> Iterator[str]:
        """What a verdict on an answer of several fields says of each: (JSON pointer, words)."""
        yield from ()

    def first(self) -> Step | None:
        """The step that it opens with, when that is not the prompt itself."""
        return None

    def menu(self) -> Menu:
        """What one Ctrl+C opens; it never answers by itself (R248)."""
        entries = [Entry(w.ANSWER, w.ANSWER_DOES, None), *self._form.entries()]
        if "reply" in self._prompt.controls:
            entries.append(Entry(w.REPLY, w.REPLY_DOES, self._reply()))
        if "cancel" in self._prompt.controls:
            entries.append(Entry(w.CANCEL, w.CANCEL_DOES, Cancelled()))
        return Menu((*entries, Entry(w.END_TURN, w.END_TURN_DOES, EndTurn())))


def _told(told: Escalation) -> Iterator[str]:
    """Its no, a first one where there was no second; else, or then, why there is none."""
    if (no := why.refusal(told)) is not None:
        yield w.REJECTING
        yield _quotes(no)
    if not told.failed:
        return
    yield why.without(told)
    heard = why.heard(told)
    if heard and told.cause == "taken_over":
        yield w.HEARD
    if heard or not told.cause:
        yield quoted(heard or w.NO_REASON)


def _quotes(reason: Foreign) -> str:
    """A reason between M12's quotes; the fallback has them too."""
    return quoted(f'"{why.words(reason) or w.NO_REASON}"')


def _replied(text: str) -> Response:
    return Replied(text=text)


def who(prompt: PromptRequest) -> str:
    """Who asks, in one line: the label or the tool, and what the call is about unless that is a question itself."""
    subject = neutralise(prompt.subject, "line")
    if prompt.form is not None or subject == neutralise(prompt.question.text, "line"):
        return line(asker(prompt))
    return f"{line(asker(prompt))} · {subject}" if subject else line(asker(prompt))
