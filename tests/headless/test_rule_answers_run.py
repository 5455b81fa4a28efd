"""The proof of the rules from outside: a yes to `ls` runs no other command, and the rule of the folder is not asked
about again, in the next turn and in the next run (rules.md AR4, AR18, AR21)."""

from __future__ import annotations

from pathlib import Path

from tests.headless.running import jp, lines, on_terminal

SCRIPT = """
rate = 0
fallback = "Nothing to that."
[[walks]]
name = "go"
[[walks.turns]]
text = "I look."
calls = [{ name = "shell_run", arguments = { command = "ls" } }]
[[walks.turns]]
text = "And now."
calls = [{ name = "shell_run", arguments = { command = "echo other" } }]
[[walks.turns]]
text = "So be it."
"""


def test_ar4_a_yes_to_ls_runs_no_other_command_and_the_folders_rule_asks_no_more(tmp_path: Path) -> None:
    (tmp_path / "script.toml").write_text(SCRIPT)
    (tmp_path / "ws").mkdir()
    words = ("--plain", "--model", f"demo/{tmp_path / 'script.toml'}", "-t", "shell_run", "--workspace")
    with on_terminal(tmp_path, *words, str(tmp_path / "ws")) as running:
        running.until("you> ")
        running.type("go\n")
        shown = running.until("+ widens, - narrows, l changes how long")
        assert "Y allows, N denies `ls …` this turn · nothing like it was asked before" in shown
        running.until("\n> ")
        running.type("l\n")
        running.until("N denies `ls …` in this conversation")
        running.until("\n> ")
        running.type("l\n")
        running.until("N denies `ls …` in this folder")
        running.until("\n> ")
        running.type("Y\n")
        shown = running.until("Y allows, N denies `echo …`")  # another command asks
        running.until("\n> ")
        running.type("n\n")
        running.until("you> ")
        running.type("go\n")
        shown = running.until("Y allows, N denies `")
        assert "N denies `ls" not in shown
        running.until("\n> ")
        running.type("n\n")
        running.until("you> ")
        running.type("/quit\n")
        running.rest()
        assert running.wait() == 0
    (rule,) = lines(jp(tmp_path, "rules", "list", "--json", "--workspace", str(tmp_path / "ws")).stdout)
    assert (rule["match"], rule["folder"], rule["made_by"]) == (["ls"], str(tmp_path / "ws"), "answer")
    assert rule["answer"]["inquiry"] and rule["hits"] == 1
    for folder, said in ((tmp_path / "ws", "runs"), (tmp_path, "asks")):  # the folder above is another one
        assert jp(tmp_path, "rules", "test", "--workspace", str(folder), "ls").stdout.startswith(said)
