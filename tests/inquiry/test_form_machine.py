"""Forms under random orders of everything a person can do, crashes included, beside the same form on paper.

After each step three agree: the machine, the naive re-walk of `paper.py`, and what the record alone says.
"""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from jp_tui.conversation.strict_json import Json
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.questions.types import BooleanAnswer, SelectAnswer
from tests.inquiry.form import FREE, Filled, Form, Forms, Item, select, text, yes_no
from tests.inquiry.paper import Paper
from tests.sampling import whole

anything = st.integers(min_value=0, max_value=10**6)


@st.composite
def forms(draw: st.DrawFn) -> Form:
    """One to six lines of three kinds, some pinned by a setting, some asked only after an answer to an earlier one."""
    lines: list[Item] = []
    for number in range(draw(st.integers(min_value=1, max_value=6))):
        name = f"q{number}"
        when: tuple[str, Json] | None = None
        if draw(st.booleans()) and lines:
            earlier = draw(st.sampled_from(lines))
            when = (earlier.id, draw(st.sampled_from((*choices(earlier), None))))
        made = draw(st.sampled_from((yes_no(name), text(name), select(name, "a", "b"))))
        pinned = draw(st.integers(0, 3)) == 0
        rule_ = v.Rule(has_answer=True, answer=draw(st.sampled_from(choices(made)))) if pinned else FREE
        lines.append(Item(made.question, when, rule_))
    return tuple(lines)


def choices(item: Item) -> tuple[Json, ...]:
    match item.question.answer_type:
        case BooleanAnswer():
            return (True, False)
        case SelectAnswer(options=options):
            return tuple(option.value for option in options)
        case _:
            return ("", "x", "true")


class Filling(RuleBasedStateMachine):
    """What a person does with up to three forms at once."""

    steps = 0

    def __init__(self) -> None:
        super().__init__()
        self.forms = Forms()
        self.papers: dict[str, Paper] = {}

    # --- who is meant -------------------------------------------------------------------------------------

    def waiting(self) -> bool:
        return bool(self.forms.play.state.waiting)

    def some(self, pick: int) -> tuple[str, Paper, v.Waiting]:
        waiting = self.forms.play.state.waiting
        opened = waiting[pick % len(waiting)]
        return opened.call, self.papers[opened.call], opened

    def after(self, dies: bool) -> None:
        """The tool has gone on, or another process takes everything up."""
        if dies:
            self.forms.crash()

    # --- what happens -------------------------------------------------------------------------------------

    @precondition(lambda self: sum(1 for call in self.papers if call not in self.forms.results) < 3)
    @rule(form=forms())
    def start(self, form: Form) -> None:
        call = f"c{len(self.papers) + 1}"
        self.papers[call] = Paper(form)
        self.forms.start(call, form)
        self.over_already(call)

    def over_already(self, call: str) -> None:
        """A form that settings answer as a whole asks nobody; a form of one, or one without a prompt, has no review."""
        paper = self.papers[call]
        if paper.current == "" and (len(paper.form) == 1 or not paper.reachable()):
            assert self.forms.results[call] == Filled(paper.result)

    @precondition(waiting)
    @rule(pick=anything, dies=st.sampled_from((False, False, False, True)))
    def answer(self, pick: int, dies: bool) -> None:
        call, _, _ = self.some(pick)
        self.fill_in(call, pick // 8, dies)

    def fill_in(self, call: str, pick: int, dies: bool = False) -> None:
        paper = self.papers[call]
        if paper.current == "":
            return
        item = next(item for item in paper.form if item.id == paper.current)
        value = choices(item)[pick % len(choices(item))]
        self.forms.answer(value, call, dies=dies)
        paper.write(value)
        self.after(dies)
        self.over_already(call)

    @precondition(waiting)
    @rule(pick=anything, named=st.booleans(), dies=st.sampled_from((False, False, False, True)))
    def back(self, pick: int, named: bool, dies: bool) -> None:
        call, paper, opened = self.some(pick)
        lines = paper.reachable()
        if not lines:
            assert isinstance(self.forms.back("", call)[0], s.Refuse)
            return
        line = lines[pick // 8 % len(lines)] if named else lines[-1]
        self.forms.back(paper.form[line].id if named else "", call, dies=dies)
        if not (dies and isinstance(opened, v.OpenReview)):  # a review leaves no record: nothing was taken away
            paper.back(line)
        self.after(dies)

    @precondition(waiting)
    @rule(pick=anything, dies=st.sampled_from((False, False, False, True)))
    def restore(self, pick: int, dies: bool) -> None:
        call, paper, _ = self.some(pick)
        if paper.furthest is None:
            assert isinstance(self.forms.restore(call)[0], s.Refuse)
            return
        self.forms.restore(call, dies=dies)
        paper.undo()
        self.after(dies)

    @precondition(waiting)
    @rule(pick=anything, dies=st.sampled_from((False, False, True)))
    def submit(self, pick: int, dies: bool) -> None:
        call, paper, opened = self.some(pick)
        if isinstance(opened, v.OpenQuestion):
            assert isinstance(self.forms.submit(call)[0], s.Refuse)
            return
        self.forms.submit(call, dies=dies)
        self.after(dies)
        assert dies or self.forms.results[call] == Filled(paper.result)

    @precondition(waiting)
    @rule(pick=anything, words=st.sampled_from((None, "  ", "rather not")))
    def reply(self, pick: int, words: str | None) -> None:
        if pick % 4:
            return
        call, paper, _ = self.some(pick // 4)
        self.forms.reply(words, call)
        said = words.strip() or None if words else None
        assert self.forms.results[call] == Filled(paper.answers, cancelled=True, words=said)

    @precondition(waiting)
    @rule(pick=anything, values=st.lists(anything, min_size=1, max_size=5))
    def fill(self, pick: int, values: list[int]) -> None:
        """One form, some way down."""
        call, _, _ = self.some(pick)
        for value in values:
            if call not in self.forms.results:
                self.fill_in(call, value)

    @precondition(waiting)
    @rule(pick=anything, times=st.integers(min_value=1, max_value=3), undone=st.booleans())
    def look_back(self, pick: int, times: int, undone: bool) -> None:
        """Back some times, perhaps only to look."""
        call, paper, _ = self.some(pick)
        for _ in range(min(times, len(paper.reachable()))):
            self.forms.back("", call)
            paper.back(paper.reachable()[-1])
        if undone and paper.furthest is not None:
            self.forms.restore(call)
            paper.undo()

    @precondition(waiting)
    @rule(pick=anything)
    def crash(self, pick: int) -> None:
        if pick % 5 == 0:
            self.forms.crash()

    @precondition(waiting)
    @rule(pick=anything)
    def meddle(self, pick: int) -> None:
        """What does not fit, for another digest, to another place: refused, and nothing changes."""
        _, paper, opened = self.some(pick)
        at, shown = opened.inquiry, opened.digest
        closed = [item for item in paper.form if item.id not in [paper.form[line].id for line in paper.reachable()]]
        wrong: list[v.Input] = [
            v.HumanWentBack(at, shown, "nowhere"),
            v.HumanWentBack(at, "another", ""),
            v.HumanRestored(at, "another"),
            v.HumanSubmitted(at, "another"),
            v.HumanAnswered(at, shown, 1),
            v.HumanCancelled(at, shown),
            v.HumanEdited(at, shown, {}),
            v.HumanPermitted(at, shown, True),
            v.HumanDelivered(at, shown, True),
            *(v.HumanWentBack(at, shown, item.id) for item in closed),
        ]
        assert isinstance(self.forms.feed(wrong[pick // 8 % len(wrong)])[0], s.Refuse)

    # --- what always holds --------------------------------------------------------------------------------

    @invariant()
    def three_agree(self) -> None:
        type(self).steps += 1
        for call, paper in self.papers.items():
            if call in self.forms.results:
                continue
            work = self.forms.play.state.calls[call]
            assert list(self.forms.answers(call).items()) == list(paper.answers.items())
            assert {name: given.value for name, given in work.discarded} == paper.pencil
            found, _, _ = self.forms.from_the_log(call)
            assert list(found.answers.items()) == list(work.answers.items())
            assert found.in_order() == work.discarded
            self.shown(paper, self.forms.opened(call))

    def shown(self, paper: Paper, opened: v.Waiting) -> None:
        """What the face is told of the place in the form."""
        if isinstance(opened, v.OpenReview):
            assert paper.current == "" and self.forms.review(opened.call).back == paper.before
            assert opened.inquiry.startswith(f"{opened.call}.__review__.")
            return
        assert isinstance(opened, v.OpenQuestion) and opened.form is not None
        assert (opened.question.id, opened.back) == (paper.current, paper.before)
        assert opened.undo == tuple(paper.pencil)
        assert opened.prefill == tuple(value for name, value in paper.pencil.items() if name == paper.current)

    def teardown(self) -> None:
        self.forms.feed(v.HumanEndedTurn())
        assert not self.forms.play.unanswered, "every showing has exactly one response (R181)"


LONG = settings.default is not None and settings.default.max_examples > 1_000


FORMS = 260 if whole() else 80


def test_thousands_of_steps() -> None:
    """R171-R181, R182b, R237, E23; acceptance 17 to 19."""
    Filling.steps = 0
    run_state_machine_as_test(
        Filling,
        settings=settings(
            max_examples=3_000 if LONG else FORMS,
            stateful_step_count=60,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
        ),
    )
    assert Filling.steps >= FORMS * 38
