"""Sub-agents beside a face without a screen: only their questions are its own; what they say is told in theirs (E4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.headless.event_filter import belongs_elsewhere
from jp_tui.protocol import events as e
from tests.fakes import scenes
from tests.headless.running import jp, lines

MINE, THEIRS = "mine", "theirs"


@pytest.mark.parametrize(
    "event",
    [
        e.TurnCompleted(conversation=THEIRS, turn=1, outcome="done"),
        e.PartDelta(conversation=THEIRS, turn=1, part="p", kind="message", text=Foreign("child")),
        e.CallChanged(conversation=THEIRS, turn=1, call="c", tool="t", state="running"),
        e.Refused(command="carry_on", message="no", conversation=THEIRS),
        e.TitleChanged(conversation=THEIRS, title=Foreign("x")),
    ],
)
def test_what_another_conversation_does_is_told_there(event: e.Event) -> None:
    assert belongs_elsewhere(event, MINE)
    assert not belongs_elsewhere(event, THEIRS)
    assert not belongs_elsewhere(event, ""), "as long as none is open nothing is left out"
    assert not belongs_elsewhere(event.model_copy(update={"conversation": MINE}), MINE)


def test_a_question_reaches_its_human_wherever_it_is_asked() -> None:
    """E4."""
    asked = e.QuestionAsked(conversation=THEIRS, prompt=scenes.prompt("boolean"))
    settled = e.QuestionSettled(conversation=THEIRS, inquiry="i", how="answered")
    review = e.ReviewStarted(conversation=THEIRS, turn=1, call="c", inquiry="i", tool="t", model="m")
    assert not any(belongs_elsewhere(event, MINE) for event in (asked, settled, review))
    assert not belongs_elsewhere(e.Refused(command="x", message="no"), MINE)


SCRIPT = """
fallback = "Nothing."
[[turns]]
text = "I hand it on."
calls = [{ name = "spawn_agent", arguments = { task = "look it up", name = "finder" } }]
expect = { user = "go" }
[[turns]]
step = 1
text = "The child speaks."
expect = { user = "look it up" }
[[turns]]
step = 2
text = "The parent is done."
expect = { user = "go" }
"""


def test_a_query_ends_with_its_own_turn_and_prints_its_own_words(tmp_path: Path) -> None:
    """S3, S4: a sub-agent's words are the result of a call, not the answer; its record is another conversation's."""
    script = tmp_path / "agents.toml"
    script.write_text(SCRIPT)
    ran = jp(tmp_path / "home", "query", "--model", f"demo/{script}", "go")
    assert (ran.returncode, ran.stdout) == (0, "I hand it on.\nThe parent is done.\n"), ran.stderr
    events = lines(jp(tmp_path / "home", "query", "--json", "--model", f"demo/{script}", "go").stdout)
    assert {event["conversation"] for event in events} == {events[0]["conversation"]}
    (result,) = [event for event in events if event["type"] == "tool_call_response"]
    assert result["content"] == "The child speaks." and events[-1]["type"] == "turn_end"
    shown = jp(tmp_path / "home", "conversations", "show", events[0]["conversation"]).stdout
    assert "agent_started" not in shown and "The child speaks." in shown
