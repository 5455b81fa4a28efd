"""What the mutation sampler found untested in the engine (`python -m tests.mutants`): small rules, each by itself."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation import model as m
from jp_tui.conversation.outcomes import Success
from jp_tui.engine.asking.named_targets import _pattern
from jp_tui.engine.asking.open_prompts import OpenPrompts
from jp_tui.engine.asking.outcome_checks import find_problem
from jp_tui.engine.asking.pending_reviews import PendingReviews
from jp_tui.engine.asking.side_questions import _Running
from jp_tui.engine.asking.targets_on_disk import _real
from jp_tui.engine.base.backups import CallCopies
from jp_tui.engine.desks.upkeep import KEPT, Upkeep
from jp_tui.engine.file_changes import change_list, turn_summary
from jp_tui.engine.record import unlogged_results
from jp_tui.engine.record.log import Log as StoredLog
from jp_tui.engine.recovery.offered_answers import Offers
from jp_tui.engine.reviewer.reply_schema import _PLACE, _moved
from jp_tui.engine.schema_check import process
from jp_tui.engine.schema_check.formats import multiple_of
from jp_tui.engine.schema_check.messages import pointer_of
from jp_tui.engine.schema_check.process import SchemaChecker
from jp_tui.engine.schema_check.regex import NoPattern, pattern
from jp_tui.engine.session.session import Session
from jp_tui.inquiry import effects as s
from jp_tui.protocol import events as e
from jp_tui.protocol.commands import OfferAnswer
from jp_tui.protocol.library import ImportConversations
from jp_tui.protocol.usage import SwitchModel
from jp_tui.protocol.values import Answered
from jp_tui.questions.types import BooleanAnswer, FormView, Place, Question
from jp_tui.system.lock import Holder, acquire, lock_path
from jp_tui.tools.files.backups import BackupRoot, CopyFailed, FileSnapshot
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.engine.test_copies import Clock, store
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made
from tests.limits import LIMIT


def test_copies_that_are_too_old_are_forgotten_once_a_run(tmp_path: Path) -> None:
    """`undo.keep_days`: what nobody can want back goes when the next copy is made."""
    clock = Clock()
    made = store(tmp_path, clock=clock, days=14)
    folder = tmp_path / "undo"
    folder.mkdir(mode=0o700)
    for name, days in (("old", 15), ("young", 13)):
        (folder / f"{name}.jsonl").write_text("{}\n")
        os.utime(folder / f"{name}.jsonl", (clock.now - days * 86_400,) * 2)
    (work := tmp_path / "work").mkdir()
    with BackupRoot(work, CallCopies(made, "conv", 1, "c1")) as root:
        root.write("a", b"x", expect_sha256=None)
        assert sorted(path.name for path in folder.glob("*.jsonl")) == ["conv.jsonl", "young.jsonl"]
        os.utime(folder / "young.jsonl", (clock.now - 20 * 86_400,) * 2)
        root.write("b", b"x", expect_sha256=None)
    assert (folder / "young.jsonl").exists(), "looked for once, not at every copy"


def test_a_copy_that_the_disk_refuses_refuses_the_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Surface S10: nothing is changed that could not be taken back."""
    made = store(tmp_path)
    (work := tmp_path / "work").mkdir()
    monkeypatch.setattr(made, "_append", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    kept = BackupRoot(work, CallCopies(made, "conv", 1, "c1"))
    with kept as root, pytest.raises(CopyFailed, match="No space left on device"):
        root.write("a", b"x", expect_sha256=None)
    assert list(work.iterdir()) == []


def test_a_copy_leaves_no_file_open(tmp_path: Path) -> None:
    made = store(tmp_path)
    (work := tmp_path / "work").mkdir()
    with BackupRoot(work, CallCopies(made, "conv", 1, "c1")) as root:
        root.write("first", b"x", expect_sha256=None)
        before = sorted(os.listdir("/dev/fd"))
        for number in range(5):
            root.write(f"f{number}", b"x", expect_sha256=None)
        assert sorted(os.listdir("/dev/fd")) == before


async def test_a_change_between_text_and_bytes_has_no_diff(tmp_path: Path) -> None:
    made = store(tmp_path)
    for old, now in ((b"text\n", b"\0bytes"), (b"\0bytes", b"text\n")):
        held = [FileSnapshot("file", data, f"sha of {data!r}", len(data)) for data in (old, now)]
        found = await change_list._compared(made, held[0], held[1], "a", "a", "")
        assert found == (0, 0, "", f"not text: {len(old)} → {len(now)} bytes")


async def test_the_worker_that_checks_schemas_gets_no_folder_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """T28: an empty entry of the path stands for the folder where it is started."""
    seen: list[str] = []

    async def noted(*argv: str, **_: Any) -> Any:
        seen.extend(argv)
        raise OSError("not started here")

    monkeypatch.setattr(sys, "path", ["", *sys.path, ""])
    monkeypatch.setattr(process.asyncio, "create_subprocess_exec", noted)
    made = SchemaChecker()
    await made.usable({"type": "string"})
    await made.close()
    assert seen and "" not in seen and len(seen) == len(dict.fromkeys(seen))


def test_a_path_that_is_none_stays_as_it_was_written() -> None:
    """R247: what cannot be looked up is compared as it stands."""
    assert _real("a\0b") == "a\0b"


def test_r247_a_pattern_with_sets_fits_at_least_as_much() -> None:
    """What is refused is not written around by a set of characters or by many folders."""
    assert _pattern("[ab].py") == "?.py"
    assert _pattern("a/**/**//**/b") == "a/**/b", "many folders are any number of folders"


@pytest.mark.parametrize("at", [0, 1, 2])
def test_one_conversation_that_is_held_keeps_no_other_from_being_imported(
    bench: Bench, jp_conversations: Path, at: int
) -> None:
    (folder,) = sorted(jp_conversations.glob("*/events.json"))[at : at + 1]
    number = folder.parent.name.partition("-")[0]
    held = acquire(lock_path(bench.home / "locks", f"import-jp-c{number}"), Holder.me("another process", "now"))
    assert not isinstance(held, Holder)
    bench.run()
    bench.send(ImportConversations(path=str(jp_conversations)))
    result = bench.until(e.ConversationsImported)
    held.release()
    assert len(result.imported) == 2
    assert [str(folder.parent) in problem.path for problem in result.problems] == [True]
    assert "another process" in result.problems[0].reason


def test_a_deleted_conversation_can_be_brought_back_for_seven_days() -> None:
    """README: seven days to undo it."""
    assert timedelta(days=7) == KEPT


def test_what_a_turn_did_stands_under_its_key() -> None:
    """A stored key: a log of today is read by tomorrow's version."""
    assert turn_summary.DID == "did"


class Log:
    """Just enough of a log for what tells faces about reviewers and questions."""

    id, turn = "conv", 1

    def __init__(self) -> None:
        self.published: list[e.Event] = []
        self.now = 5.0
        self.setup = self
        self.secrets = self

    def monotonic(self) -> float:
        return self.now

    def text(self, words: str) -> str:
        return words

    def publish(self, event: e.Event) -> None:
        self.published.append(event)


async def test_what_a_reviewer_says_of_a_question_that_is_gone_reaches_nobody() -> None:
    """E40: a reviewer that is called off late is not heard any more; neither is one when the turn has ended."""
    log: Any = Log()
    reviewing = PendingReviews(log, None, lambda _: None, None, tuple)  # type: ignore[arg-type]
    reviewing.report_output("c1.q.1", "reason", "too late", fresh=False)
    assert log.published == []
    started = e.ReviewStarted(
        conversation="conv", turn=1, call="c1", inquiry="c1.q.1", tool="t", model="m", again=False, at="now"
    )
    reviewing._shown["c1.q.1"] = started, []
    reviewing.report_output("c1.q.1", "reason", "heard", fresh=False)
    assert [type(event).__name__ for event in log.published] == ["ReviewDelta"]
    await reviewing.close()
    log.published.clear()
    reviewing.report_again()
    reviewing.report_output("c1.q.1", "reason", "after the end", fresh=False)
    assert log.published == []


def test_how_long_a_question_waited_is_told_in_milliseconds() -> None:
    log: Any = Log()
    showing = OpenPrompts(log, lambda _: None)
    assert showing.since("c1.q.1") is None
    showing._asked_at["c1.q.1"] = 3.0
    assert showing.since("c1.q.1") == 2_000


def test_indexing_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search over much that is not indexed yet shows its progress, and how far each step came."""
    told: list[int] = []
    monkeypatch.setattr("jp_tui.engine.desks.upkeep.Progress.at", lambda self, number, *_: told.append(number))

    class Journal:
        left = [3, 2, 0]

        def unindexed(self) -> int:
            return 5

    class Setup_:
        journal = Journal()
        monotonic = staticmethod(lambda: 0.0)

    upkeep = Upkeep(Setup_(), lambda _: None)  # type: ignore[arg-type]

    async def index() -> int:
        return Journal.left.pop(0)

    monkeypatch.setattr(upkeep, "_index", index)
    asyncio.run(upkeep.whole("job"))
    assert told == [3, 5]


def test_the_model_that_a_turn_had_for_itself_is_closed_with_the_conversation(bench: Bench) -> None:
    """What was opened for one turn is given back, too."""
    once, always = Script([*text("Once."), *end()]), Script([*text("Always."), *end()])
    closed: list[str] = []
    for name, script in (("once", once), ("always", always)):

        async def close(name: str = name) -> None:
            closed.append(name)

        script.close = close  # type: ignore[method-assign]
    bench.script = always
    bench.start()
    bench.script = once
    bench.send(SwitchModel(conversation=bench.conversation, model="other/model", once=True))
    bench.until(e.ModelSwitched)
    bench.say("go")
    bench.turn()
    bench.stop()
    assert sorted(closed) == ["always", "once"]


def test_a_form_with_an_answer_that_cannot_be_shown_is_refused() -> None:
    """A tool's bug ends its call with words, and no face gets what it cannot show."""
    good = Place("q", "Question?", "answered", answer={"a": [1]})
    assert find_problem(FormView((good,))) is None
    for odd in (object(), {"a": {1, 2}}):
        words = find_problem(FormView((good, Place("r", "Other?", "answered", answer=odd))))  # type: ignore[arg-type]
        assert words is not None and words.startswith("showed a form that cannot be shown (")


def test_what_is_discarded_leaves_no_piece_beside_the_log(bench: Bench) -> None:
    """A reply that is broken off and asked for again, and one that the user aborts."""
    half: list[Item] = [m.PartOpened(0, "message"), m.PartGrew(0, "half of it")]
    broken = m.ModelError("server", "It broke.", transient=True)
    bench.script = Script([*half, broken], [*text("All of it."), *end()], [*half, asyncio.Event()])
    bench.start()
    bench.say("go")
    assert bench.turn().outcome == "done"
    assert bench.journal.partials(bench.conversation) == []
    bench.say("again")
    bench.until_kept("half of it")
    bench.interrupt("abort")
    assert bench.turn().outcome == "interrupted"
    assert bench.journal.partials(bench.conversation) == []


async def test_who_waits_for_a_conversation_waits_no_longer_than_that() -> None:
    """RUN: an engine that ends gives each conversation so many seconds."""

    task = asyncio.create_task(asyncio.Event().wait())
    works: Any = SimpleNamespace(_task=task)
    async with asyncio.timeout(LIMIT):
        await Session.finished(works, 0.01)
    assert not task.done()
    task.cancel()


def test_an_answer_needs_no_name_of_its_conversation(bench: Bench) -> None:
    """Surface S6: among several conversations it is looked for in all; what nobody asked is said to be unknown."""
    bench.script = Script(*[[*text("Hello."), *end()]] * 2)
    for _ in range(2):
        bench.start()
        bench.say("go")
        bench.turn()
        bench.stop()
    bench.run()
    bench.send(OfferAnswer(conversation="", inquiry="c9.q.1", value="yes"))
    assert bench.until(e.OfferSettled).status == "unknown"


@pytest.mark.parametrize(("value", "factor", "fits"), [(3, 0.1, True), (0.3, 0.1, True), (3.0, 2, False), (4, 2, True)])
def test_v9_multiples_are_those_of_the_digits(value: float, factor: float, fits: bool) -> None:
    """A whole number of something that is none is looked at by its digits, too."""
    assert (not list(multiple_of(None, factor, value, {}))) is fits


async def test_an_answer_that_comes_too_late_is_told_who_gave_one() -> None:
    """Surface S6: by whom, as the machine says it."""
    asks = Question("q", "Sure?", BooleanAnswer())
    shown = SimpleNamespace(kind="question", digest="d", question=asks, to="", approvals=None)
    log: Any = SimpleNamespace(setup=SimpleNamespace(now=lambda: datetime(2026, 1, 1, tzinfo=UTC)))

    async def checked(given: object, _: object) -> object:
        return given

    async def hear(*_: object) -> list[object]:
        return [s.Refuse("c1.q.1", "already answered", True, "remembered")]

    coordinator: Any = SimpleNamespace(
        showing={"c1.q.1": shown}, settled_by=lambda inquiry: None, checked=checked, process=hear
    )
    coordinator.showing = SimpleNamespace(get=lambda inquiry: shown, since=lambda inquiry: 1)
    assert await Offers(log, coordinator).apply("c1.q.1", "yes", "d") == ("answered", "remembered")
    assert await Offers(log, coordinator).apply("c1.q.1", "yes", "other") == ("stale", "the question has changed")


def test_what_stands_beside_the_log_keeps_its_kinds() -> None:
    """Stored words: a turn that today's version left is taken up by the next."""
    assert (unlogged_results.RESULT, unlogged_results.DELIVERY, unlogged_results.LEAVE) == (
        "result",
        "delivery",
        "leave",
    )


def test_a_place_in_a_schema_is_cut_where_nobody_reads_on() -> None:
    for length, cut in ((299, False), (300, False), (301, True)):
        error: Any = SimpleNamespace(absolute_path=["x" * (length - 1)])
        place = pointer_of(error)
        assert (place.endswith("…"), len(place)) == (cut, min(length, 300))


def test_what_a_turn_did_is_counted_only_where_it_called_something() -> None:
    calls: list[ev.Event] = [
        ev.ToolCallRequest(id="c1", name="t", arguments={}),
        ev.ToolCallResponse(id="c1", content="no", is_error=True),
    ]
    assert turn_summary.did([ev.TurnStart(), ev.ChatRequest(content="go")], frozenset(), (0, 0, 0)) == {}
    assert turn_summary.did(calls, frozenset(), (1, 2, 3)) == {
        "calls": 1,
        "failed": 1,
        "files": 1,
        "added": 2,
        "removed": 3,
    }
    assert turn_summary.did(calls, frozenset({"t"}), (0, 0, 0)) == {"calls": 0}


def test_the_last_kind_is_that_of_the_last_event() -> None:
    rows = [SimpleNamespace(entry=SimpleNamespace(kind=kind)) for kind in ("chat_request", "turn_outcome")]
    journal = SimpleNamespace(tail=lambda id_, count: rows[-count:])
    log: Any = SimpleNamespace(setup=SimpleNamespace(journal=journal), exists=True, id="conv")
    assert StoredLog.last_kind(log) == "turn_outcome"
    log.exists = False
    assert StoredLog.last_kind(log) == ""


def test_what_cannot_be_remembered_says_nothing_of_what_that_would_cover(bench: Bench) -> None:
    """R236: `remember_covers` stands beside the control, and only there."""

    async def asks_alone(given: ToolCall) -> Outcome:
        if "q" in given.answers:
            return Success("done")
        return NeedsInput(Question("q", "Sure?", BooleanAnswer(), persistence=str(given.arguments["n"])))  # type: ignore[arg-type]

    bench.tools["t"] = tool_setup("t", Made(asks_alone))
    calls = [*call("t", {"n": "none"}, "c1", 0), *call("t", {"n": "turn"}, "c2", 1)]
    bench.script = Script([*calls, *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    for _ in range(2):
        prompt = bench.prompt()
        assert bool(prompt.remember_covers) is ("remember" in prompt.controls) is (prompt.call == "c2")
        bench.answer(prompt, Answered(value=True))
    bench.turn()


def test_r125_only_a_reference_to_its_own_root_is_moved() -> None:
    """A text that looks like one, and a reference to elsewhere, stay as they are."""
    for node in ({"title": "#/a", "pattern": "#"}, {"$ref": "https://example.com/#/a"}, {"items": {"format": "#"}}):
        assert _moved(node) == node
    moved = _moved({"items": {"$ref": "#/$defs/a"}})
    assert moved == {"items": {"$ref": f"{_PLACE}/$defs/a"}}


def test_a_side_question_whose_model_could_not_be_opened_names_none() -> None:
    assert _Running("What is this?", 0.0).model == ""


@pytest.mark.parametrize("number", ["3", "9999", "10000", "123456789"])
def test_a_back_reference_to_no_group_is_refused_however_long_its_number(number: str) -> None:
    with pytest.raises(NoPattern, match="refers to no group"):
        pattern(rf"(a)(b)\{number}")
    assert pattern(r"(a)(b)\2") is not None
