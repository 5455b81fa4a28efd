"""What was refused in a turn needs a person from then on (inquiries.md R247; acceptance 1, rows 0a and 0b)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from jp_tui.conversation.events import InquiryRequest
from jp_tui.conversation.strict_json import Json
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import refusals
from jp_tui.inquiry import values as v
from jp_tui.inquiry.refusals_replay import turn_resumed
from jp_tui.questions.types import BooleanAnswer, Part, Question, Taken, TextAnswer
from tests.inquiry.play import APPLY, ESCALATES, FLOOR, MODEL, Play, of, only, pinned

M1 = (
    "tool cannot run because no interactive terminal is available. Do not retry this tool call in this turn; continue "
    "without user input or explain what information is missing."
)
YOURS = "you said no to it"
ITS = "small said no to it"


def about(*targets: str, id: str = "apply_changes", **more: object) -> Question:
    return replace(APPLY, id=id, targets=targets, **more)


A = about("src/a.py")


def refused(by: str = "human", question: Question = A) -> Play:
    """A turn in which somebody has said no to it."""
    play = Play()
    play.ask("c0", question, rule=MODEL if by == "reviewer" else v.Rule())
    if by == "reviewer":
        play.verdict(f"c0.{question.id}.1", False)
    else:
        play.answer("c0", False)
    return play


def row(play: Play) -> str:
    (*_, request) = [event for event in play.records if isinstance(event, InquiryRequest)]
    return str(request.metadata["row"])


def same_record(play: Play) -> None:
    """The record says what the machine knows."""
    found, ledger = turn_resumed(play.records), play.state.ledger
    assert (dict(found.refused), dict(found.rejections)) == (dict(ledger.refused), dict(ledger.rejections))


# --- which targets meet -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refused", "wanted", "meets"),
    [
        ("a", "a", True),
        ("a/b", "a", True),
        ("a", "a/b/c", True),
        ("a/b", "a/bc", False),
        ("a/bc", "a/b", False),
        ("a/", "a", True),
        ("a", ".", True),
        ("/", "/etc/x", True),
        ("/etc/x", "/etc", True),
        ("A", "a", False),
        ("a\udcff", "a\udcff", True),
        ("a\udcff", "a?", True),
    ],
)
def test_paths_meet(refused: str, wanted: str, meets: bool) -> None:
    """Equal, above or below; what is no text in a name is taken for the same rather than for another."""
    kept = refusals.storable_targets([refused])
    assert refusals.matching_targets(kept, [wanted]) == (kept if meets else ())


def test_a_name_cannot_break_the_words_that_tell_it() -> None:
    play = refused(question=about("a\n\x1b[2Jb", "c"))
    ask = only(s.AskHuman, play.ask("c1", about("a\n\x1b[2Jb", "c")))
    assert ask.why.endswith(r": 'a\n\x1b[2Jb': you said no to it in this turn, and so with 1 more.")


# --- rows 0a and 0b ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["human", "reviewer"])
@pytest.mark.parametrize("rule", [v.Rule(), pinned(True), pinned("yes"), MODEL, ESCALATES, v.Rule(exclusive=False)])
@pytest.mark.parametrize("question", [A, about("src"), about("x", "src/a.py/b"), about("src/a.py", id="delete_file")])
def test_acceptance_1_only_a_person_allows_what_was_refused(by: str, rule: v.Rule, question: Question) -> None:
    """Row 0a with static, reviewer and an `exclusive` that was softened; whichever tool or question asks."""
    play = refused(by)
    steps = play.ask("c1", question, rule=rule, tool="other")
    ask = only(s.AskHuman, steps)
    assert row(play) == "0a" and not ask.remember and ask.open.human_only and not of(s.AskReviewer, steps)
    assert "src/a.py" in ask.why and ({"human": YOURS, "reviewer": ITS}[by]) in ask.why


@pytest.mark.parametrize("policy", ["unset", "auto", "defaults", "deny", "defer"])
@pytest.mark.parametrize("rule", [v.Rule(), pinned(True), MODEL, ESCALATES])
def test_acceptance_1_without_a_client_nobody_allows_it(policy: v.Policy, rule: v.Rule) -> None:
    """Row 0b, any policy: M1, cancelled/no_prompt_backend."""
    play = refused()
    play.state = replace(play.state, client=False)
    steps = play.ask("c1", A, rule=rule, policy=policy)
    assert row(play) == "0b" and only(s.Complete, steps) == s.Complete("c1", M1, True)
    assert play.pairs[-1] == ("c1.apply_changes.1", "no_prompt_backend")


@pytest.mark.parametrize("question", [FLOOR, A])
def test_acceptance_1_nothing_remembered_allows_it(question: Question) -> None:
    """A remembered yes answers neither the tool's own mark nor what was refused."""
    play = Play()
    play.ask("c0", about("src/z.py"))
    play.answer("c0", True, remember=True)
    play.ask("c1", replace(A, id="other"))
    play.answer("c1", False)
    assert of(s.RunAgain, play.ask("c2", about("src/y.py"))), "it answers others"
    ask = only(s.AskHuman, play.ask("c3", question))
    assert row(play) == "0a" and not ask.remember


@pytest.mark.parametrize("question", [FLOOR, A])
def test_acceptance_1_a_reviewer_that_always_says_yes(question: Question) -> None:
    """A scripted reviewer that approves everything is never asked about either, and lets nothing through."""
    play = refused("human")
    ran = 0
    for number in range(1, 12):
        for step in play.ask(f"c{number}", question, rule=(MODEL, ESCALATES)[number % 2]):
            if isinstance(step, s.AskReviewer):
                ran += len(of(s.RunAgain, play.verdict(step.open.inquiry, True)))
    assert ran == 0 and len(play.state.waiting) == 11


def test_a_remembered_no_is_a_persons_own() -> None:
    play = Play()
    play.ask("c0", A)
    play.answer("c0", False, remember=True)
    steps = play.ask("c1", A)
    assert row(play) == "1" and only(s.RunAgain, steps).answers["apply_changes"].value is False
    play.state = replace(play.state, client=False)
    assert of(s.RunAgain, play.ask("c2", A, policy="auto")) and row(play) == "1"
    assert only(s.Complete, play.ask("c3", FLOOR)).content == M1, "not even that answers the tool's own mark"


def test_other_targets_and_none_are_as_before() -> None:
    play = refused()
    assert of(s.AskReviewer, play.ask("c1", about("src/b.py"), rule=MODEL))
    assert of(s.AskReviewer, play.ask("c2", APPLY, rule=MODEL))
    assert of(s.AskReviewer, play.ask("c3", Question("n", "Name?", TextAnswer(), targets=("src/a.py",)), rule=MODEL))


def test_what_refuses_nothing() -> None:
    """A setting, the memory, a default, leaving: none of them is somebody's no to this."""
    play = Play()
    play.ask("c0", A, rule=pinned(False))
    play.ask("c1", about("b"))
    play(v.HumanCancelled("c1.apply_changes.1", play.open["c1"].digest))
    play.state = replace(play.state, client=False)
    play.ask("c2", replace(about("c"), default=False), policy="defaults")
    assert play.state.ledger.refused == {}
    same_record(play)


# --- what a yes takes back --------------------------------------------------------------------------------


def escalated(question: Question = A) -> Play:
    play = Play()
    play.ask("c0", question, rule=ESCALATES)
    play.verdict(f"c0.{question.id}.1", False, "no")
    return play


def test_an_escalated_no_stands_until_it_is_overruled() -> None:
    """Not for the question that is being escalated, whose answer may be remembered (R115)."""
    play = escalated()
    ask = only(s.AskHuman, play.steps)
    assert ask.remember and ask.open.refused == "" and dict(play.state.ledger.refused) == {"src/a.py": ITS}
    same_record(play)
    assert only(s.AskHuman, play.ask("c1", A, rule=MODEL)).open.refused
    play.answer("c0", True)
    assert play.state.ledger.refused == {} and play.state.ledger.rejections == {}
    same_record(play)
    assert of(s.AskReviewer, play.ask("c2", A, rule=MODEL))


@pytest.mark.parametrize("leaves", [v.HumanCancelled, lambda i, d: v.HumanAnswered(i, d, False)])
def test_an_escalated_no_that_nobody_overrules_stays(leaves: Callable[[str, str], v.Input]) -> None:
    play = escalated()
    play(leaves("c0.apply_changes.2", play.open["c0"].digest))
    assert "src/a.py" in play.state.ledger.refused
    same_record(play)


def test_a_yes_takes_back_no_other_no() -> None:
    """What a person refused stays refused, also when they overrule a reviewer, or say yes to something else of it."""
    play = Play()
    play.ask("c0", A, rule=ESCALATES)
    play.ask("c1", about("src/a.py", id="delete_file"))
    play.answer("c1", False)
    play.verdict("c0.apply_changes.1", False)
    assert only(s.AskHuman, play.steps[-1:]).open.refused, "somebody else refused it, too"
    play.answer("c0", True)
    play.ask("c2", A)
    play.answer("c2", True)
    assert of(s.AskHuman, play.ask("c3", A, rule=MODEL))


def test_a_yes_to_a_part_refuses_the_rest() -> None:
    """R251: no reviewer lets through what was left out."""
    hunks = replace(A, parts=(Part("h1", "d1", "1", "-a"), Part("h2", "d2", "2", "-b")))
    play = escalated(hunks)
    play.answer("c0", True, taken=Taken(("h1",), {}))
    assert dict(play.state.ledger.refused) == {"src/a.py": "you said no to a part of it"}
    assert play.state.ledger.rejections == {}
    same_record(play)
    whole = escalated(hunks)
    whole.answer("c0", True, taken=Taken(("h1", "h2"), {}))
    assert whole.state.ledger.refused == {}
    same_record(whole)


# --- while something waits --------------------------------------------------------------------------------


def test_a_remembered_yes_covers_nothing_that_waits_and_was_refused() -> None:
    """R252, R247."""
    play = Play()
    for call, question in (("c0", about("x")), ("c1", A), ("c2", about("y"))):
        play.ask(call, question)
    play.ask("c3", replace(A, id="other"))
    play.answer("c3", False)
    play.answer("c0", True, remember=True)
    assert [item.call for item in play.state.waiting] == ["c1"]
    play.ask("c4", about("z"), rule=v.Rule())
    play.answer("c1", False, remember=True)
    assert play.state.waiting == ()


@pytest.mark.parametrize("rule", [MODEL, ESCALATES])
def test_a_reviewers_yes_to_what_was_refused_meanwhile(rule: v.Rule) -> None:
    """Its yes is on record, and is not enough: a person decides, in a pair of its own."""
    play = Play()
    play.ask("c0", A, rule=rule)
    play.ask("c1", about("src", id="delete_file"))
    play.answer("c1", False)
    steps = play.verdict("c0.apply_changes.1", True)
    ask = only(s.AskHuman, steps)
    assert not of(s.RunAgain, steps) and ask.open.refused and not ask.remember and YOURS in ask.why
    assert ask.open.human_only
    assert ask.open.escalation is not None and ask.open.escalation.failed
    play.answer("c0", True)
    assert play.pairs[1:] == [("c0.apply_changes.1", "true assistant"), ("c0.apply_changes.2", "true user")]
    same_record(play)


def test_and_without_a_client() -> None:
    play = Play()
    play.ask("c0", A, rule=MODEL)
    play.ask("c1", A)
    play.answer("c1", False)
    play.state = replace(play.state, client=False)
    steps = play.verdict("c0.apply_changes.1", True)
    assert only(s.Complete, steps) == s.Complete("c0", M1, True)
    assert play.pairs[1:] == [("c0.apply_changes.1", "true assistant"), ("c0.apply_changes.2", "no_prompt_backend")]


def test_no_default_over_what_others_refused() -> None:
    """R153 takes a default over the reviewer's own no, and never over another's."""
    play = Play()
    play.ask("c0", A, rule=ESCALATES, policy="defaults")
    play.ask("c1", A)
    play.answer("c1", False)
    play.state = replace(play.state, client=False)
    assert only(s.RunAgain, play.verdict("c0.apply_changes.1", False)).answers["apply_changes"].value is False


def test_a_default_takes_back_nothing() -> None:
    """R153: the call runs over its own reviewer's no; whatever comes after it about the same needs a person."""
    play = Play(client=False)
    play.ask("c0", A, rule=ESCALATES, policy="defaults")
    assert only(s.RunAgain, play.verdict("c0.apply_changes.1", False)).answers["apply_changes"].value is True
    assert dict(play.state.ledger.refused) == {"src/a.py": ITS}
    same_record(play)


@pytest.mark.parametrize("kind", ["failed", "too_long"])
def test_a_second_look_that_fails_with_nobody_there_leaves_it_refused(kind: str) -> None:
    play = Play(v.State(client=False, retry_with_intent=True))
    play.ask("c0", A, rule=ESCALATES, intent="to be tidy")
    play.verdict("c0.apply_changes.1", False)
    play(v.ReviewerFailed("c0.apply_changes.2", "gone", kind=kind))  # type: ignore[arg-type]
    assert dict(play.state.ledger.refused) == {"src/a.py": ITS}
    same_record(play)


# --- leave to run a call that names it --------------------------------------------------------------------


def wanted(play: Play, call: str = "c1", floor: tuple[str, ...] = ("src/a.py",), **more: object) -> list[s.Step]:
    return play(v.PermissionWanted(call, "shell", more.pop("mode", "ask"), "args", floor=floor, **more))  # type: ignore[arg-type]


def permit(play: Play, call: str, run: bool, *, remember: bool = True) -> list[s.Step]:
    opened = play.open[call]
    return play(v.HumanPermitted(opened.inquiry, opened.digest, run, remember))


def test_leave_for_what_was_refused_is_never_remembered() -> None:
    """R247: also by shell. `w` says why."""
    play = refused()
    wanted(play, "c1", ())
    permit(play, "c1", True)
    ask = only(s.AskPermission, wanted(play, "c2"))
    assert ask.open.floor == ("src/a.py",) and f"src/a.py: {YOURS}" in ask.why
    decision = only(s.Permit, permit(play, "c2", True)).decision
    assert "remember" not in decision and decision["choice"] == "run"
    play(v.Revoked("shell.__permission__"))
    wanted(play, "c3")
    permit(play, "c3", True)
    assert play.state.ledger.permissions == {}


def test_leave_that_is_remembered_covers_nothing_that_was_refused_and_waits() -> None:
    play = refused()
    for call, floor in (("c1", ()), ("c2", ("src/a.py",)), ("c3", ())):
        wanted(play, call, floor)
    permit(play, "c1", True)
    assert [item.call for item in play.state.waiting] == ["c2"]
    permit(play, "c2", False)
    assert only(s.Complete, wanted(play, "c4")).content == "Tool skipped by user (remembered)."


@pytest.mark.parametrize(("policy", "mode"), [("auto", "auto"), ("unset", "deny"), ("deny", "deny")])
def test_no_policy_lets_it_run(policy: v.Policy, mode: str) -> None:
    """As M10, with the policy."""
    play = refused()
    play.state = replace(play.state, client=False)
    done = only(s.Complete, wanted(play, policy=policy))
    assert done.is_error and done.decision == {"choice": "skip", "by": "policy"}
    assert f"(detached policy: {mode})" in done.content and "refused in this turn" in done.content


# --- a turn that goes on ----------------------------------------------------------------------------------


def test_a_turn_that_is_taken_up_knows_what_was_refused() -> None:
    """TurnResumed: from the targets beside the requests."""
    first = refused("reviewer", about("src/a.py", "src/\udcff.py"))
    play = Play()
    play(turn_resumed(first.records))
    assert dict(play.state.ledger.refused) == {"src/a.py": ITS, "src/?.py": ITS}
    assert dict(play.state.ledger.rejections) == dict(first.state.ledger.rejections) != {}
    assert of(s.AskHuman, play.ask("c1", about("src/\udcff.py"), rule=MODEL)) and row(play) == "0a"


@pytest.mark.parametrize(
    "metadata",
    [{}, {"targets": "a"}, {"targets": [1, None]}, {"after": 3, "before": "x", "escalation": []}],
)
def test_a_damaged_record_refuses_nothing_else(metadata: dict[str, Json]) -> None:
    play = refused("reviewer")
    request, response = play.records
    assert isinstance(request, InquiryRequest)
    about: dict[str, Json] = {key: value for key, value in request.metadata.items() if key != "targets"}
    found = turn_resumed([replace(request, metadata={**about, **metadata}), response])
    assert found.refused == {}
    assert turn_resumed([response, response]).rejections == {}
    odd = replace(request, question={"answer_type": BooleanAnswer().type})
    assert turn_resumed([odd, response]).refused == {}
