"""A form tool for the tests, and a play that runs it: stateless, run again from scratch with the answers so far.

It knows nothing of Back: whatever it is given as answers is all that was ever answered (inquiries.md R166). What comes
next it finds out by itself, and the program's walker has to agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import Json
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.replay import ReplayedState
from jp_tui.questions.items import FormItem as Line
from jp_tui.questions.items import When
from jp_tui.questions.types import BooleanAnswer, Option, Question, SelectAnswer, TextAnswer
from jp_tui.questions.walker import FormWalk, walk
from tests.inquiry.play import Play

FREE = v.Rule()


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a form; `when` is (question, value)."""

    question: Question
    when: tuple[str, Json] | None = None
    rule: v.Rule = FREE

    @property
    def id(self) -> str:
        return self.question.id


Form = tuple[Item, ...]


def _of_the_assistant(question: Question) -> Question:
    return replace(question, exclusive=True, persistence="none")


def yes_no(name: str, when: tuple[str, Json] | None = None, rule: v.Rule = FREE) -> Item:
    return Item(_of_the_assistant(Question(name, f"{name}?", BooleanAnswer())), when, rule)


def text(name: str, when: tuple[str, Json] | None = None, rule: v.Rule = FREE) -> Item:
    return Item(_of_the_assistant(Question(name, f"{name}?", TextAnswer())), when, rule)


def select(name: str, *options: str, when: tuple[str, Json] | None = None, rule: v.Rule = FREE) -> Item:
    kind = SelectAnswer(tuple(Option(option) for option in options))
    return Item(_of_the_assistant(Question(name, f"{name}?", kind)), when, rule)


def same(left: Json, right: Json) -> bool:
    return type(left) is type(right) and left == right


def _applies(item: Item, answers: Mapping[str, v.GivenAnswer]) -> bool:
    if item.when is None:
        return True
    given = answers.get(item.when[0])
    return same(given.value if given is not None else None, item.when[1])


def following(form: Form, answers: Mapping[str, v.GivenAnswer]) -> Item | None:
    """The first line that applies and has no answer."""
    return next((item for item in form if _applies(item, answers) and item.id not in answers), None)


def walked(form: Form, answers: Mapping[str, v.GivenAnswer]) -> FormWalk:
    """What the program's own walker says."""
    lines = []
    for item in form:
        question, when = item.question, None if item.when is None else When(*item.when)
        lines.append(Line(question.id, question.text, question.answer_type, when=when))
    return walk(lines, answers)


@dataclass(slots=True)
class Filled:
    """What became of a call: the map of R169, or the marker of R179 with the words."""

    answers: dict[str, Json]
    cancelled: bool = False
    words: str | None = None


@dataclass
class Forms:
    """Runs calls of form tools against the machine, whose log rules Play checks."""

    client: bool = True
    play: Play = field(init=False)
    forms: dict[str, Form] = field(default_factory=dict)
    results: dict[str, Filled | str] = field(default_factory=dict)
    ended: bool = False
    _to_run: list[s.RunAgain] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.play = Play(client=self.client)

    def start(self, call: str, form: Form) -> None:
        self.forms[call] = form
        self.feed(v.CallStarted(call, "ask_user"))
        self.run(s.RunAgain(call, {}))

    def feed(self, given: v.Input, *, dies: bool = False) -> list[s.Step]:
        """An input, and what the tools make of it; when the process `dies`, no tool runs again."""
        steps = self.play(given)
        for step in steps:
            if isinstance(step, s.Complete):
                self.results[step.call] = step.content
            elif isinstance(step, s.StopTurn):
                self.ended = True
            elif isinstance(step, s.RunAgain) and not dies:
                self._to_run.append(step)
        while self._to_run:
            self.run(self._to_run.pop(0))
        return steps

    def run(self, how: s.RunAgain) -> None:
        """The tool, from scratch."""
        form, answers = self.forms[how.call], how.answers
        if how.replied:
            known = {name: given.value for name, given in answers.items()}
            return self._over(how.call, Filled(known, True, how.reply))
        item, seen = following(form, answers), walked(form, answers)
        assert (item.id if item else None) == (seen.next.id if seen.next else None)
        if item is not None:
            self.feed(v.QuestionRaised(how.call, item.question, "assistant", item.rule, form=seen.form))
        elif len(form) > 1 and not how.reviewed and not all(given.unseen for given in answers.values()):
            self.feed(v.ReviewWanted(how.call, f"review of {list(answers)}", seen.form))
        else:
            everything = {item.id: answers[item.id].value if item.id in answers else None for item in form}
            assert everything == seen.values
            self._over(how.call, Filled(everything))
        return None

    def _over(self, call: str, result: Filled) -> None:
        self.results[call] = result
        self.feed(v.CallGone(call))

    # --- what people do -----------------------------------------------------------------------------------

    def opened(self, call: str) -> v.Waiting:
        return next(item for item in self.play.state.waiting if item.call == call)

    def open(self, call: str = "c") -> v.OpenQuestion:
        opened = self.opened(call)
        assert isinstance(opened, v.OpenQuestion)
        return opened

    def review(self, call: str = "c") -> s.AskReview:
        """The review that waits, as it was asked for."""
        opened = self.opened(call)
        assert isinstance(opened, v.OpenReview)
        asks = [step for step in self.play.steps if isinstance(step, s.AskReview) and step.open is opened]
        return asks[-1]

    def answer(self, value: Json, call: str = "c", **more: bool) -> list[s.Step]:
        opened = self.opened(call)
        return self.feed(v.HumanAnswered(opened.inquiry, opened.digest, value), **more)

    def back(self, to: str = "", call: str = "c", **more: bool) -> list[s.Step]:
        opened = self.opened(call)
        return self.feed(v.HumanWentBack(opened.inquiry, opened.digest, to), **more)

    def restore(self, call: str = "c", **more: bool) -> list[s.Step]:
        opened = self.opened(call)
        return self.feed(v.HumanRestored(opened.inquiry, opened.digest), **more)

    def submit(self, call: str = "c", **more: bool) -> list[s.Step]:
        opened = self.opened(call)
        return self.feed(v.HumanSubmitted(opened.inquiry, opened.digest), **more)

    def reply(self, words: str | None = None, call: str = "c") -> list[s.Step]:
        opened = self.opened(call)
        return self.feed(v.HumanReplied(opened.inquiry, opened.digest, words))

    # --- what is known ------------------------------------------------------------------------------------

    def answers(self, call: str = "c") -> dict[str, Json]:
        return {name: given.value for name, given in self.play.state.calls[call].answers.items()}

    def from_the_log(self, call: str) -> tuple[ReplayedState, tuple[v.Recorded, ...], dict[str, int]]:
        """What the record holds of a call: answers, what is open, attempts by question."""
        found, waits, attempts = ReplayedState(), dict[str, v.Recorded](), dict[str, int]()
        for event in self.play.records:
            if isinstance(event, ev.InquiryRequest):
                if event.metadata["call"] == call:
                    name = str(event.metadata["question"])
                    waits[event.id] = v.Recorded(event.id, name, str(event.metadata["digest"]))
                    attempts[name] = attempts.get(name, 0) + 1
                    found.asked(name, event.metadata)
            elif event.id in waits:
                found.closed(waits.pop(event.id), event)
        return found, tuple(waits.values()), attempts

    def crash(self) -> None:
        """Another process takes the turn up from the record (R207, R237)."""
        calls = [call for call in self.forms if call not in self.results]
        self.play.state = v.State(client=self.client)
        resumed = []
        for call in calls:
            found, recorded, attempts = self.from_the_log(call)
            resumed.append(
                v.CallResumed(
                    call, "ask_user", found.answers, attempts, recorded, found.in_order(), frozenset(found.unasked)
                )
            )
        for given in resumed:
            assert self.feed(given) == []
        for given in resumed:
            self.run(s.RunAgain(given.call, self.play.state.calls[given.call].answers))
