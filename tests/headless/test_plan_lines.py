"""The plan, its acceptance and what goes to the model, in lines (context.md K12, K40-K42): `--plain` says what the
screen shows."""

from __future__ import annotations

from pathlib import Path

from tests.headless.running import jp, latest, log

SCRIPT = """
rate = 0
fallback = "Nothing to that."

[[walks]]
name = "go"

[[walks.turns]]
calls = [{ name = "update_plan", arguments = { plan = [
  { step = "Read the tests", status = "completed" },
  { step = "Change \\u001b[31mbrew.py", status = "in_progress" },
  { step = "Run the tests", status = "pending" },
] } }]

[[walks.turns]]
calls = [{ name = "submit_plan", arguments = { plan = "Change **brew.py**.", steps = ["Change it", "Run the tests"] } }]

[[walks.turns]]
text = "Well."
"""


def test_the_plan_and_its_acceptance_in_lines(tmp_path: Path) -> None:
    (tmp_path / "script.toml").write_text(SCRIPT)
    typed = "go\n1\n/context\n"
    done = jp(tmp_path, "--plain", "--plan", "--model", f"demo/{tmp_path / 'script.toml'}", stdin=typed)
    shown = done.stdout
    assert "Plan, 1 of 3 done:\n  1. [done] Read the tests\n  2. [now] Change " in shown and "\x1b" not in shown
    assert "  3. [open] Run the tests\n" in shown
    assert "Change **brew.py**." in shown and "2. Run the tests" in shown and "Accept this plan?" in shown
    assert "accept_edits" in shown and "keep_planning" in shown
    events = log(tmp_path, latest(tmp_path))
    modes = [event["mode"] for event in events if event["type"] == "mode"]
    assert modes == ["plan", "work"]
    assert "Plan mode has ended." in shown and "  2. [open] Run the tests\n" in shown
    assert "tokens  Tools\n" in shown and "tokens  Messages\n" in shown
