"""Z15: a "no" is an outcome, named by who said it, without a duration, in every face and export."""

from __future__ import annotations

import pytest

from jp_tui.conversation import events as stored
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless.side_output import SideOutput
from jp_tui.headless.transcript_printer import Printer
from jp_tui.protocol import events as ev
from jp_tui.ui.painting.blocks import page
from jp_tui.ui.painting.look import look
from jp_tui.ui.painting.tools import tool_rows
from jp_tui.view.activity.activity import Activity, applied
from jp_tui.view.activity.lines import lines
from jp_tui.view.activity.turn_summary import summary
from jp_tui.view.export.events import plain
from jp_tui.view.export.html import HtmlWriter
from jp_tui.view.export.markdown import MarkdownWriter
from jp_tui.view.transcript.blocks import ToolBlock
from jp_tui.view.transcript.reducer import blocks_of
from tests.fakes import scenes
from tests.fakes.link import FakeLink
from tests.fakes.scenes import AT, CONVERSATION, appended, call

CALL = "call_2"
PERSON = stored.Responder("user", ms=65_000)
REVIEWER = stored.Responder("assistant", model="anthropic/haiku", ms=1_400)
ENDED: JsonObject = {"ms": 65_240, "end": "declined", "rejected_by": "user"}


def declined(by: stored.Responder) -> list[ev.Event]:
    """A change that was put to somebody, who said no."""
    no = stored.InquiryAnswered(timestamp=AT, id=f"{CALL}.apply_changes.1", answer=False, responder=by)
    result = stored.ToolCallResponse(timestamp=AT, id=CALL, content="M9", is_error=True, metadata=ENDED)
    return [
        *scenes.tools(),
        *scenes.asked(),
        appended(8, no),
        ev.QuestionSettled(conversation=CONVERSATION, inquiry=no.id, how="answered", by=by.kind),
        call("fs_modify_file", "running", id_=CALL),
        call("fs_modify_file", "completed", id_=CALL, ms=65_240, end="declined"),
        appended(9, result),
    ]


WHO = pytest.mark.parametrize(
    ("by", "word"), [(PERSON, "declined by you"), (REVIEWER, "declined by reviewer haiku")], ids=["you", "reviewer"]
)


@WHO
def test_z15_the_sidebar_names_who_declined_and_no_duration(by: stored.Responder, word: str) -> None:
    activity = Activity()
    for event in declined(by):
        activity = applied(activity, event, 100.0)
    (line,) = [one for one in lines(activity, 100.0) if one.text.raw == "fs_modify_file"]
    assert (line.sign, line.right, line.role) == ("⊘", word, "quiet")


@WHO
def test_z15_the_conversation_names_who_declined_and_shows_no_error(by: stored.Responder, word: str) -> None:
    facts = [event.stored for event in declined(by) if isinstance(event, ev.EventAppended)]
    (block,) = [one for one in blocks_of(facts) if isinstance(one, ToolBlock) and one.call == CALL]
    rows = [row.text for row in tool_rows(block, page(100, look({})), frozenset())]
    assert f"⊘ fs_modify_file {scenes.PATH}" in rows[0] and word in rows[0] and " s " not in rows[0]
    assert not any("M9" in row for row in rows)


def test_z15_the_time_of_who_was_asked_is_not_the_tools() -> None:
    """While it runs again after the answer, only its own seconds count."""
    activity, now = Activity(), 100.0
    for event in [*scenes.tools(), *scenes.asked()]:
        activity = applied(activity, event, now)
    activity = applied(activity, call("fs_modify_file", "running", id_=CALL), now + 60)
    (line,) = [one for one in lines(activity, now + 63) if one.text.raw == "fs_modify_file"]
    assert line.right == "3 s"


def test_z15_a_turn_counts_it_as_declined() -> None:
    did: JsonObject = {"calls": 3, "failed": 1, "declined": 1}
    said = summary(stored.TurnOutcome(outcome="done", model="a/b", metadata={"did": did}))
    assert said == "3 tool calls, 1 failed, 1 declined"


@WHO
def test_z15_exports_say_so(by: stored.Responder, word: str) -> None:
    facts = [event.stored for event in declined(by) if isinstance(event, ev.EventAppended)]
    assert plain(stored.ToolCallResponse(id="c", content="M9", is_error=True, metadata=ENDED)) == "Declined: M9"
    for writer in (MarkdownWriter(), HtmlWriter()):
        text = writer.add(facts)
        assert word in text and "1 min" not in text and "Error" not in text


@WHO
def test_z15_lines_say_so_once_and_name_who(by: stored.Responder, word: str) -> None:
    said: list[str] = []
    printer = Printer(said.append)
    for event in declined(by):
        if isinstance(event, ev.EventAppended):
            printer.fact(event)
        elif isinstance(event, ev.CallChanged):
            printer.call(event)
    assert [one for one in said if "fs_modify_file" in one and one.startswith("tool:")] == [
        f"tool: fs_modify_file {scenes.PATH} – {word}"
    ]


@WHO
def test_z15_a_query_without_a_terminal_says_it_in_one_line(by: stored.Responder, word: str) -> None:
    said: list[str] = []
    beside = SideOutput(FakeLink(), None, said.append, lambda: 0.0, asking=lambda: False)
    for event in declined(by):
        beside.declined(event)
    assert said == [f"tool: fs_modify_file {scenes.PATH} – {word}"]
