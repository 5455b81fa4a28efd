"""Every end of the tour's walks of questions, through engine, real tools and store (issue 5, 11; S22).

Each end has its words, and each conversation looks the same while it happens and when it is opened again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.events import TurnOutcome
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.dependencies import ModelSetup
from jp_tui.engine.reviewer.reviewer import ReviewerModel
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.people import Approvals
from jp_tui.protocol.values import Answered, Cancelled, EndTurn, PartsTaken, Replied, Response, Submitted, WentBack
from jp_tui.providers.scripted.people import ScriptedPerson
from jp_tui.providers.scripted.provider import open_provider
from jp_tui.view.activity.turn_summary import summary
from jp_tui.view.transcript.blocks import Block, Resumed, ToolBlock, User
from jp_tui.view.transcript.reducer import TranscriptReducer
from tests.engine.conftest import Bench
from tests.fakes.script import without_pauses

TOUR = Path(__file__).parents[2] / "config" / "demo" / "tour.toml"
TEA = {"name": "Assam", "celsius": 95, "seconds": 240, "goes_with": ["milk"]}
LOOK = "review"

Step = tuple[str, Response]
"""Which question must be asked (`review` for the last look), and what is answered."""

ENDS: dict[str, tuple[str, Sequence[Step], str]] = {
    "some": ("7", [("answer", Answered(value=["sugar", "honey"]))], '["sugar","honey"]'),
    "none": ("7", [("answer", Answered(value=[]))], "**Nothing**, on purpose"),
    "curdled": ("7", [("answer", Answered(value=["milk", "lemon"]))], "it will curdle"),
    "multi replied": ("multi", [("answer", Replied(text="water"))], "in words instead of selecting"),
    "data": ("8", [("answer", Answered(value=TEA))], '"name":"Assam"'),
    "data replied": ("schema", [("answer", Replied(text="none"))], "your own words"),
    "no release": (
        "9", [("release", Answered(value=False)), ("reason", Answered(value="tests")), (LOOK, Submitted())],
        "**No release.**",
    ),
    "major": (
        "form",
        [("release", Answered(value=True)), ("kind", Answered(value="major")), ("breaks", Answered(value="all")),
         ("told", Answered(value=[])), (LOOK, Submitted())],
        "A **major** release",
    ),
    "patch": (
        "9",
        [("release", Answered(value=True)), ("kind", Answered(value="patch")),
         ("told", Answered(value=["the mailing list"])), (LOOK, Submitted())],
        "What could break was not asked",
    ),
    "another branch after Back": (
        "9",
        [("release", Answered(value=True)), ("kind", Answered(value="major")), ("breaks", WentBack()),
         ("kind", Answered(value="minor")), ("told", Answered(value=["nobody"])), (LOOK, WentBack(to="release")),
         ("release", Answered(value=False)), ("reason", Answered(value="")), (LOOK, Submitted())],
        "**No release.**",
    ),
    "form replied": (
        "9", [("release", Answered(value=True)), ("kind", Replied(text="later, perhaps"))], "had answered so far",
    ),
    "form replied at the last look": (
        "9", [("release", Answered(value=False)), ("reason", Answered(value="x")), (LOOK, Replied(text=None))],
        "had answered so far",
    ),
    "some hunks": (
        "10",
        [("apply_changes", Answered(value=True, parts=PartsTaken(accepted=("1", "2"), comments={"3": "It warns."})))],
        "Above is what was written",
    ),
    "all hunks": ("10", [("apply_changes", Answered(value=True))], "Above is what was written"),
    "no hunk": (
        "10", [("apply_changes", Answered(value=False, parts=PartsTaken(accepted=(), comments={"1": "No."})))],
        "accepted none of it",
    ),
    "hunks refused": ("hunks", [("apply_changes", Answered(value=False))], "accepted none of it"),
    "hunks left": ("10", [("apply_changes", Cancelled())], "left the question"),
    "hunks replied": ("10", [("apply_changes", Replied(text="not now"))], "answered in words"),
    "approved": ("11", [], "the reviewer said yes"),
    "rejected, and written all the same": ("12", [("apply_changes", Answered(value=True))], "because you said so"),
    "rejected by both": ("reject", [("apply_changes", Answered(value=False))], "a warning would be lost"),
    "rejected, and left": ("12", [("apply_changes", Cancelled())], "did not take its place"),
    "approved by two others": ("14", [], "because second and third said yes"),
    "rejected, and replied": ("escalation", [("apply_changes", Replied(text="why?"))], "no stays in the log"),
}  # fmt: skip


async def own(overrides: JsonObject, main: ModelSetup, tool: str, question: str) -> ModelSetup:
    """What `inherit` comes to (R70)."""
    assert overrides == {"model": {"id": "inherit"}}
    return main


def walk(bench: Bench, name: str, steps: Sequence[Step], monkeypatch: pytest.MonkeyPatch) -> e.TurnCompleted:
    without_pauses(monkeypatch)
    bench.script = open_provider("tour")  # type: ignore[assignment]
    bench.greet = bench.reviews = True
    bench.reviewer = ReviewerModel(own)
    bench.start()
    bench.say(name)
    for asked, response in steps:
        prompt = bench.prompt()
        assert (prompt.kind if prompt.kind != "question" else prompt.question.id) == asked
        bench.answer(prompt, response)
    return bench.turn()


@pytest.mark.parametrize("end", ENDS)
def test_every_end_of_a_walk_has_its_words(bench: Bench, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, steps, words = ENDS[end]
    done = walk(bench, name, steps, monkeypatch)
    assert done.outcome == "done", done.error
    said = [one for one in bench.log() if one["type"] == "chat_response"]
    assert words in said[-1]["message"]
    assert "{answer}" not in said[-1]["message"]
    alike(bench)
    assert list(bench.workspace.iterdir()) == [], "nothing of the user's is touched"


@pytest.mark.parametrize("name", ["7", "8", "9", "10", "12"])
def test_ending_the_turn_ends_the_walk(bench: Bench, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R180: no words follow, and the block says that it was ended."""
    id_ = {"9": "release", "10": "apply_changes", "12": "apply_changes"}.get(name, "answer")
    assert walk(bench, name, [(id_, EndTurn())], monkeypatch).outcome == "interrupted"
    blocks = alike(bench)
    (last,) = [block for block in blocks if isinstance(block, ToolBlock)][-1:]
    assert last.asked[-1].how == "cancelled" and last.state == "completed"
    if name == "9":
        assert last.form is not None and last.form.state == "ended"
        assert [place.state for place in last.form.places] == ["left", "unasked", "unasked", "unasked", "unasked"]


def test_what_is_written_is_what_was_taken(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """R251: in the scratch copy, read back by the walk itself."""
    name, steps, _ = ENDS["some hunks"]
    walk(bench, name, steps, monkeypatch)
    read = [one["content"] for one in bench.log() if one["type"] == "tool_call_response"][-1]
    assert "80 °C" in read and "Milk comes in last" in read and "it has no switch" in read
    (change,) = [block for block in alike(bench) if isinstance(block, ToolBlock) and block.asked]
    assert [(part.accepted, part.comment.raw) for part in change.asked[0].parts] == [
        (True, ""), (True, ""), (False, "It warns.")
    ]  # fmt: skip


def test_the_change_has_three_hunks(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    without_pauses(monkeypatch)
    bench.script = open_provider("tour")  # type: ignore[assignment]
    bench.start()
    bench.say("10")
    assert [part.title for part in bench.prompt().question.parts] == [
        f"docs/visitors.md, line {line}" for line in (9, 18, 30)
    ]


def test_issue_6_12_a_walk_has_its_own_reviewer_and_no_other_walk_has_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S22: approved without a question; rejected, it comes to the human with the reason."""
    walk(bench, "11", [], monkeypatch)
    answered = [one for one in bench.log() if one["type"] == "inquiry_response"]
    assert [(one["answer"], one["responder"]["kind"]) for one in answered] == [(True, "assistant")]
    assert "80 °C" in answered[0]["reason"]
    bench.say("12")
    prompt = bench.prompt()
    assert prompt.escalation is not None and "no switch of its own" in prompt.escalation.reason.raw
    bench.answer(prompt, Answered(value=False))
    assert bench.turn().outcome == "done"
    said = [one["content"] for one in bench.log() if one["type"] == "tool_call_response"][-1]
    assert "reviewed by the user and rejected" in said, "M9"
    bench.say("1")
    assert bench.prompt().escalation is None, "here nobody looks first"


def test_r156_a_walks_reviewer_can_be_taken_over(bench: Bench) -> None:
    bench.script = open_provider("tour")  # type: ignore[assignment]
    bench.reviewer = ReviewerModel(own)
    bench.start()
    bench.say("11")
    started = bench.until(e.ReviewStarted)
    bench.send(c.TakeOver(conversation=bench.conversation, inquiry=started.inquiry))
    bench.answer(bench.prompt(), Answered(value=False))
    bench.turn()
    said = [one for one in bench.log() if one["type"] == "chat_response"]
    assert "your no counts more" in said[-1]["message"]


def test_who_answers_is_configured_first(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place somebody wrote counts more than a script."""
    bench.rule("fs_modify_file", "apply_changes", Rule(target="user", place="config.toml:1"))
    assert walk(bench, "11", [("apply_changes", Answered(value=True))], monkeypatch).outcome == "done"


def alike(bench: Bench) -> list[Block]:
    """The blocks of the conversation, which are the same live and stored (issue 5, 9)."""
    bench.stop()
    live, stored = TranscriptReducer(), TranscriptReducer()
    facts = [event.stored for event in bench.events if isinstance(event, e.EventAppended)]
    for event in bench.events:
        live.apply(event)
    stored.load(facts)
    last = facts[-1].seq
    found: dict[str, list[Any]] = {}
    for which, story in (("live", live), ("stored", stored)):
        found[which] = [block for seq in range(1, last + 1) for block in story.of_event(seq)] + story.live
    assert found["live"] == found["stored"]
    assert any(isinstance(block, User) for block in found["stored"])
    return found["stored"]


def test_d13_the_end_of_a_turn_counts_what_others_answered(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    walk(bench, "14", [], monkeypatch)
    (did,) = [one["metadata"]["did"] for one in bench.log() if "did" in one.get("metadata", {})]
    assert did["asked"] == {"people": 1}
    said = summary(TurnOutcome(outcome="done", model="a/b", metadata={"did": did}))
    assert "1 question, answered by other people" in said


def test_s22_the_people_of_a_script_look_and_approve_while_the_user_can_only_withdraw(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D14, D15: each step is reported, an answer of the user's is refused, and the withdrawal ends it for all."""
    goes = [asyncio.Event() for _ in range(4)]
    steps = iter(goes)

    async def think(_: ScriptedPerson) -> None:
        await next(steps).wait()

    monkeypatch.setattr(ScriptedPerson, "think", think)
    without_pauses(monkeypatch)
    bench.script = open_provider("tour")  # type: ignore[assignment]
    bench.start()
    bench.say("14")
    prompt = bench.prompt()
    assert (prompt.yours, prompt.approvals) == (False, Approvals(needed=2)) and "The script" in prompt.why
    bench.answer(prompt, Answered(value=True))
    assert bench.until(e.AnswerRefused).reason == "you can't approve your own question"
    found = []
    for go, more in ((goes[0], 1), (goes[1], 2), (goes[2], 1)):
        bench.at_once(go.set)
        found += [bench.until(e.PromptChanged) for _ in range(more)]
    shown = [(one.claimed_by, one.approvals.by if one.approvals else None) for one in found]
    assert shown == [("second", ()), ("", ()), ("", ("second",)), ("third", ("second",))]
    bench.answer(prompt, Cancelled())
    assert bench.turn().outcome == "done"
    log = bench.log()
    assert [one["responder"]["who"] for one in log if one["type"] == "inquiry_vote"] == ["second"]
    assert "You withdrew it" in [one for one in log if one["type"] == "chat_response"][-1]["message"]
    alike(bench)


def test_a_turn_that_was_cut_off_and_went_on_looks_the_same_reloaded(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R207, R237: killed at the question, taken up at the next start, and opened once more."""
    without_pauses(monkeypatch)
    bench.script = open_provider("tour")  # type: ignore[assignment]
    bench.start()
    bench.say("2")
    bench.prompt()
    bench.kill()
    opened = bench.start("id", bench.conversation)
    live = TranscriptReducer()
    live.load(opened.page)
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    bench.stop()
    facts = [*opened.page, *(one.stored for one in bench.events if isinstance(one, e.EventAppended))]
    for event in bench.events:
        live.apply(event)
    stored = TranscriptReducer()
    stored.load(facts)
    seqs = range(1, facts[-1].seq + 1)
    again = [block for seq in seqs for block in stored.of_event(seq)]
    assert [block for seq in seqs for block in live.of_event(seq)] == again
    assert sum(isinstance(block, Resumed) for block in again) == 1
