"""What is played while the program is killed: scripts of a model, settings, a local tool, and what to look for.

Every walk leaves traces in the workspace that only a decision may have left. Plays and judges nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SCENES: dict[str, tuple[str, ...]] = {
    "reply": ("words", "words again"),
    "questions": ("ask", "form"),
    "changes": ("change", "create"),
    "commands": ("command", "ask"),
    "several": ("several",),
    "agents": ("agents",),
    "local tool": ("tally",),
}
"""What the user says one after the other, by scene; each is a walk of the script."""
LEFT = "ran"
"""The file of the workspace to which commands add a line, and the local tool too."""

WORDS = " ".join(f"w{number:04d}" for number in range(220))
_SCRIPT = f"""
fallback = "Nothing more."
rate = 20000
[[walks]]
name = "words"
[[walks.turns]]
reasoning = "{WORDS}"
text = "{WORDS}"
[[walks]]
name = "words again"
[[walks.turns]]
text = "{WORDS}"
[[walks]]
name = "ask"
[[walks.turns]]
text = "I have a question."
calls = [{{ name = "ask_user", arguments = {{ question = "Which name shall it have?" }} }}]
[[walks.turns]]
text = "It has a name now."
[[walks]]
name = "form"
[[walks.turns]]
calls = [{{ name = "ask_user", arguments = {{ questions = [
  {{ id = "sure", text = "Shall it begin?", answer_type = "boolean" }},
  {{ id = "name", text = "Which name?", answer_type = "text" }},
  {{ id = "how", text = "How?", answer_type = "select", options = ["slowly", "at once"] }},
] }} }}]
[[walks.turns]]
text = "All is known."
[[walks]]
name = "change"
[[walks.turns]]
text = "I change it."
calls = [{{ name = "fs_modify_file", arguments = {{ path = "notes.txt", patterns = [
  {{ old = "tea", new = "coffee" }}
] }} }}]
[[walks.turns]]
text = "It is changed."
[[walks]]
name = "create"
[[walks.turns]]
calls = [{{ name = "fs_create_file", arguments = {{ path = "made.txt", content = "made" }} }}]
[[walks.turns]]
text = "It is made."
[[walks]]
name = "command"
[[walks.turns]]
calls = [{{ name = "shell_run", arguments = {{ command = "echo first >> {LEFT}; sleep 0.03; echo end >> {LEFT}" }} }}]
[[walks.turns]]
text = "It ran."
[[walks]]
name = "several"
[[walks.turns]]
text = "All at once."
calls = [
  {{ name = "ask_user", arguments = {{ question = "Which one?" }} }},
  {{ name = "shell_run", arguments = {{ argv = ["/bin/sh", "-c", "echo second >> {LEFT}"] }} }},
  {{ name = "fs_create_file", arguments = {{ path = "made.txt", content = "made" }} }},
  {{ name = "fs_list_files", arguments = {{ }} }},
]
[[walks.turns]]
text = "All is done."
[[walks]]
name = "agents"
[[walks.turns]]
calls = [
  {{ name = "spawn_agent", arguments = {{ task = "ask" }} }},
  {{ name = "spawn_agent", arguments = {{ task = "create" }} }},
]
[[walks.turns]]
text = "Both are done."
[[walks]]
name = "tally"
[[walks.turns]]
calls = [{{ name = "tally", arguments = {{ name = "third" }} }}]
[[walks.turns]]
text = "It is tallied."
"""
_TALLY = f"""\
case "$1" in
*'"sure": true'*|*'"sure":true'*) echo third >> {LEFT}; echo '{{"type":"success","content":"tallied"}}';;
*) echo '{{"type":"needs_input","question":{{"id":"sure","text":"Tally?","answer_type":{{"type":"boolean"}}}}}}';;
esac
"""
_CONFIG = """\
[assistant.model]
id = "demo/{script}"
[conversation.tools.shell_run]
enable = true
[conversation.tools.tally]
source = "local"
run = "ask"
description = "Counts."
command = {{ program = "/bin/sh", args = ["{tally}", "{{{{ tool.answers }}}}"] }}
[conversation.tools.tally.parameters.name]
type = "string"
"""


@dataclass(frozen=True, slots=True)
class Trace:
    """Something that only a call of this tool leaves: `mark` stands in the call's arguments."""

    tool: str
    mark: str
    file: str
    holds: str
    """Stands in the file once it has run."""


TRACES = (
    Trace("shell_run", "echo first", LEFT, "first"),
    Trace("shell_run", "echo second", LEFT, "second"),
    Trace("tally", "third", LEFT, "third"),
    Trace("fs_modify_file", "coffee", "notes.txt", "coffee"),
    Trace("fs_create_file", "made.txt", "made.txt", "made"),
)


def settle(home: Path) -> None:
    """Put the settings, the script and the tool into `home`, which becomes JP_TUI_HOME."""
    (home / "config").mkdir(parents=True)
    (home / "script.toml").write_text(_SCRIPT)
    (home / "tally.sh").write_text(_TALLY)
    (home / "config" / "config.toml").write_text(
        _CONFIG.format(script=home / "script.toml", tally=home / "tally.sh"), "utf-8"
    )


def furnish(workspace: Path) -> None:
    """The files of a workspace before anything happened."""
    workspace.mkdir(parents=True)
    (workspace / "notes.txt").write_text("tea at four\n")
