"""What the model reads after a no (inquiries.md R141-R143, R182, C54, M8, M9; acceptance 10), to the letter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.inquiry import values as v
from jp_tui.inquiry.denial_text import DenialText, denial_text
from jp_tui.inquiry.replay import ReplayedState, recorded
from jp_tui.questions.answer_kind import verdict_key
from jp_tui.questions.types import BooleanAnswer, Part, Question, SchemaAnswer, Taken
from tests.inquiry.play import APPLY, CHOICE, ESCALATES, HUSH, MODEL, PASS, Play, pinned

FILE: JsonObject = {"path": "src/a.py", "patterns": []}
OWN = "The proposed file changes were reviewed and rejected."
M8 = (
    "The proposed changes to 'src/a.py' were reviewed by a secondary assistant (small) and rejected.\n\n"
    'Reason: "too broad"\n\n'
    "The changes were not applied. You may retry with different changes or ask the user to review."
)
M8_GENERIC = (
    "The tool call tool was reviewed by a secondary assistant (small) and rejected.\n\n"
    'Reason: "too broad"\n\n'
    "The requested action was not performed. You may retry with a different request or ask the user to review."
)
M9 = (
    "The proposed changes to 'src/a.py' were reviewed by the user and rejected.\n\n"
    "The changes were not applied. Do not repeat the same change; ask the user what should be different."
)
M9_GENERIC = (
    "The tool call tool was reviewed by the user and rejected.\n\n"
    "The requested action was not performed. Do not repeat the same request; ask the user what should be different."
)
FORCE = Question("force", "Force?", BooleanAnswer())
HUNKS = replace(APPLY, parts=(Part("h1", "d1", "lines 1-3", "-a\n+b\n"), Part("h2", "d2", "lines 9-9", "-c\n+d\n")))


def reviewed(value: Json, reason: str = "too broad", *, question: Question = APPLY, client: bool = True) -> Play:
    play = Play(client=client)
    play.ask("c1", question, rule=MODEL)
    play.verdict(f"c1.{question.id}.1", value, reason)
    return play


def escalated(value: bool, note: str = "", question: Question = APPLY, **more: object) -> Play:
    play = Play()
    play.ask("c1", question, rule=ESCALATES)
    play.verdict(f"c1.{question.id}.1", False, "too broad")
    play.answer("c1", value, note=note, **more)
    return play


def read(play: Play, arguments: JsonObject = FILE) -> DenialText | None:
    return denial_text(play.state, "c1", arguments, OWN, declined=True)


@pytest.mark.parametrize("error", ["disk full", "Traceback: boom", ""])
def test_what_else_the_tool_says_is_added(error: str) -> None:
    """Z6: enrichment adds and never hides; a crash after a "no" is still visible as one."""
    play = reviewed(False)
    found = denial_text(play.state, "c1", FILE, error)
    assert found == DenialText(f"{M8}\n\nThe tool said: {error}", enriched=True)
    by_user = denial_text(escalated(False).state, "c1", FILE, error)
    assert by_user is not None and by_user.text == f"{M9}\n\nThe tool said: {error}"


def test_the_file_form() -> None:
    """R141, M8: the model without its provider, the reason quoted."""
    assert read(reviewed(False)) == DenialText(M8, enriched=True)


@pytest.mark.parametrize("arguments", [{}, {"path": ["a"]}, {"paths": "a"}, {"path": None}])
def test_the_generic_form_without_a_path(arguments: JsonObject) -> None:
    """R142: the file form needs a string `path`."""
    assert read(reviewed(False), arguments) == DenialText(M8_GENERIC, enriched=True)


def test_the_generic_form_of_another_question() -> None:
    """R142: a path alone is no file form."""
    assert read(reviewed(False, question=FORCE)) == DenialText(M8_GENERIC, enriched=True)


def test_without_a_reason() -> None:
    """R136, R141: M8 without its second paragraph."""
    first, _, last = M8.split("\n\n")
    assert read(reviewed(False, "")) == DenialText(f"{first}\n\n{last}", enriched=True)


def test_a_reason_is_inserted_as_it_is() -> None:
    """R142: quotes, line breaks and whatever else."""
    reason = 'it "deletes"\n\nall of <it>'
    found = read(reviewed(False, reason))
    assert found is not None and f'\n\nReason: "{reason}"\n\n' in found.text


def test_the_path_is_inserted_as_it_is() -> None:
    found = read(reviewed(False), {"path": "it's a.py"})
    assert found is not None and found.text.startswith("The proposed changes to 'it's a.py' were reviewed by ")


@pytest.mark.parametrize("model", ["small", "acme/small", "acme/big/small"])
def test_the_model_loses_its_provider_only(model: str) -> None:
    """R142."""
    play = Play()
    play.ask("c1", rule=MODEL)
    play(v.ReviewerAnswered("c1.apply_changes.1", False, "x", model))
    found = read(play)
    short = {"small": "small", "acme/small": "small", "acme/big/small": "big/small"}[model]
    assert found is not None and f"a secondary assistant ({short}) and rejected." in found.text


def test_a_human_no_after_an_escalation() -> None:
    """R143, R151, M9; the reason only when there is one, and then it is not told twice (R182)."""
    assert read(escalated(False)) == DenialText(M9, enriched=True)
    assert read(escalated(False), {}) == DenialText(M9_GENERIC, enriched=True)
    found = read(escalated(False, "keep the old name"))
    first, last = M9.split("\n\n")
    assert found == DenialText(
        f'{first}\n\nReason: "keep the old name"\n\n{last}', enriched=True, noted="apply_changes"
    )


def test_a_no_by_hunk_keeps_what_was_said_of_each() -> None:
    """R251, M9: the words beside the parts stand in the error, by the part's title."""
    taken = Taken((), {"h2": "this one breaks the build", "h1": " "})
    found = read(escalated(False, question=HUNKS, taken=taken))
    first, last = M9.split("\n\n")
    assert found is not None
    assert found.text == f"{first}\n\nComments of the user:\n\nOn lines 9-9: this one breaks the build\n\n{last}"


@pytest.mark.parametrize("value", [False, True])
def test_without_a_client_a_no_is_final(value: bool) -> None:
    """R153, R141: as for a plain reviewer."""
    play = Play(client=False)
    play.ask("c1", rule=ESCALATES, policy="deny")
    play.verdict("c1.apply_changes.1", value, "too broad")
    assert read(play) == (None if value else DenialText(M8, enriched=True))


def test_none_of_it_for_others() -> None:
    """R143: a human, a setting, the memory, a default; a yes; nothing asked; a call that nobody knows."""
    human = Play()
    human.ask("c1")
    human.answer("c1", False, note="no")
    static = Play()
    static.ask("c1", rule=pinned(False))
    kept = Play()
    kept.ask("c0")
    kept.answer("c0", False, remember=True)
    kept.ask("c1")
    default = Play(client=False)
    default.ask("c1", replace(APPLY, default=False), policy="defaults")
    silent = Play()
    silent(v.CallStarted("c1", "tool"))
    for play in (human, static, kept, default, silent, reviewed(True), escalated(True)):
        assert read(play) is None
    assert denial_text(reviewed(False).state, "c9", FILE, OWN) is None


def test_an_escalation_that_was_answered_from_memory() -> None:
    """R143, R252: a remembered no that answers what waited is told as the tool tells it."""
    play = Play()
    for call in ("c0", "c1"):
        play.ask(call, rule=ESCALATES)
        play.verdict(f"{call}.apply_changes.1", False)
    play.answer("c0", False, remember=True)
    assert play.pairs[-1] == ("c1.apply_changes.2", "false remembered escalated") and read(play) is None


def test_only_the_last_inquiry_counts() -> None:
    """C54: an error after an approved second question is not about the first."""
    play = reviewed(False)
    play.ask("c1", FORCE)
    play.answer("c1", True)
    assert read(play) is None


def test_a_false_that_is_no_no() -> None:
    """R141: of a boolean question only. R136: and without a reason it is no answer at all."""
    shape = Question("n", "Which?", SchemaAnswer({"type": "boolean"}))
    checked = {verdict_key({"type": "boolean"}, False): None}
    play = Play()
    play.ask("c1", shape, rule=MODEL)
    play.verdict("c1.n.1", False, verdicts=checked)
    assert play.pairs == [("c1.n.1", "false assistant")] and read(play) is None
    play.ask("c2", shape, rule=MODEL)
    play.verdict("c2.n.1", False, "", verdicts=checked)
    assert play.pairs[-1] == ("c2.n.1", "backend_error")


def test_a_restart_forgets() -> None:
    """R97b: what was said about other arguments says nothing about these."""
    play = reviewed(False)
    play(v.CallStarted("c1", "tool"))
    assert read(play) is None


# --- three of one intent ----------------------------------------------------------------------------------


def test_three_rejections_of_one_intent() -> None:
    """Issue 6.11: the third no tells the model to stop, whoever said it, and also where the tool's own words stand."""
    about = replace(APPLY, targets=("src/a.py",))
    play = Play()
    for number, rule in ((1, ESCALATES), (2, v.Rule()), (3, v.Rule())):
        play.ask(f"c{number}", about, rule=rule)
        if number == 1:
            play.verdict("c1.apply_changes.1", False)
        play.answer(f"c{number}", False, note="no")
        found = denial_text(play.state, f"c{number}", FILE, OWN)
        if number < 3:
            assert found is None or not found.rejections
            play(v.CallGone(f"c{number}"))
    assert found is not None and (found.enriched, found.rejections, found.noted) == (False, 3, "")
    own, stop = found.text.split("\n\n")
    assert own == OWN and stop.startswith("This has been rejected 3 times in this turn. Stop:") and "ask" in stop
    play.ask("c4", replace(about, targets=("src/b.py",)))
    play.answer("c4", False)
    assert denial_text(play.state, "c4", FILE, OWN) is None, "another intent"


def test_the_stop_stands_after_the_enriched_words() -> None:
    play = Play()
    for number in (1, 2, 3, 4):
        play.ask(f"c{number}", rule=MODEL)
        play.verdict(f"c{number}.apply_changes.1", False, "too broad")
        found = denial_text(play.state, f"c{number}", FILE, OWN)
        assert found is not None and found.text.startswith(M8)
        assert found.rejections == (number if number > 2 else 0)
        assert ("Stop:" in found.text.split("\n\n")[-1]) is (number > 2)


def test_questions_of_the_assistant_are_no_intents() -> None:
    """A no to what the assistant asks is an answer, not a rejection."""
    play = Play()
    for number in range(4):
        play.ask(f"c{number}", source="assistant")
        play.answer(f"c{number}", False)
    assert play.state.ledger.rejections == {}


# --- after a crash ----------------------------------------------------------------------------------------


def rebuilt_from(play: Play) -> ReplayedState:
    rebuilt = ReplayedState()
    asked: dict[str, v.Recorded] = {}
    for event in play.records:
        if isinstance(event, ev.InquiryRequest):
            found = asked[event.id] = recorded(event)
            rebuilt.asked(found.question, event.metadata, event)
        else:
            rebuilt.closed(asked[event.id], event)
    return rebuilt


@pytest.mark.parametrize(("question", "value"), [(PASS, HUSH), (CHOICE, "a"), (FORCE, True)])
def test_what_was_answered_after_it_counts_after_a_crash_as_well(question: Question, value: Json) -> None:
    """C54: also where nothing of that answer is told, as of a secret."""
    play = reviewed(False)
    play.ask("c1", question)
    play.answer("c1", value)
    last = rebuilt_from(play).last
    assert read(play) is None and (last is None or not last.rejects)


@pytest.mark.parametrize(
    "play",
    [
        reviewed(False),
        reviewed(True),
        escalated(False, "why"),
        escalated(True),
        escalated(False, question=HUNKS, taken=Taken((), {"h1": "no"})),
        reviewed(False, question=FORCE),
    ],
    ids=["no", "yes", "over", "yes over", "hunks", "force"],
)
def test_read_back_from_the_record(play: Play) -> None:
    """R237, R140: a call that is taken up tells its error as it would have."""
    rebuilt = rebuilt_from(play)
    assert rebuilt.last == play.state.calls["c1"].last
    resumed = v.CallResumed("c1", "tool", rebuilt.answers, {}, (), last=rebuilt.last)
    again = Play()
    again(resumed)
    assert denial_text(again.state, "c1", FILE, OWN, declined=True) == read(play)
