"""The commands of this version (surface.md) as data: their names, usage and examples.

`parsers.py` builds parsers from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Command = Literal[
    "workspace", "query", "rpc", "conversations list", "conversations show", "conversations search",
    "conversations fork", "conversations export", "conversations import", "conversations rename",
    "conversations archive", "conversations rm", "inquiries", "answer", "tools",
    "reviewers", "models", "doctor", "completions",
    "config show", "config set", "config check", "config trust", "config path",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class CommandOption:
    """Option or positional: `name` as typed, `value` its placeholder, empty for a switch. `required` is for
    positionals. Without a dash, the placeholder is the name of the value."""

    name: str
    help: str
    value: str = ""
    required: bool = True


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One command that needs neither a screen nor a turn."""

    usage: str
    what: str
    examples: str
    takes: tuple[CommandOption, ...] = ()


_JSON = CommandOption("--json", "one JSON object a line on stdout")
_ID = CommandOption("conversation", "its id, or the beginning of it", "ID")
_KEY = "a key as it is written in TOML, for example ui.theme"

ENTRIES: dict[Command, CommandSpec] = {
    "rpc": CommandSpec(
        "[OPTION]...",
        "The engine for a program: JSON-RPC 2.0, one message a line, on standard input and output.",
        """\
  jp-tui rpc                               until the input ends
  jp-tui rpc --model anthropic/claude-sonnet-4-5    for sessions that name none
  jp-tui rpc --schema                      every method and shape, as a JSON Schema
""",
        (
            CommandOption("--schema", "print the JSON Schema of all messages, and end"),
            CommandOption("--model", "provider/model, an alias, or a provider, for sessions that name none", "P/M"),
        ),
    ),
    "conversations list": CommandSpec(
        "[OPTION]...",
        "The conversations of a workspace, the latest first.",
        """\
  jp-tui conversations list                the latest first
  jp-tui conversations list --json         one JSON object a line
  jp-tui conversations list --archived     those that were put away
""",
        (
            CommandOption("--archived", "only those that are archived"),
            CommandOption("--deleted", "only those that were deleted and can be restored"),
            _JSON,
        ),
    ),
    "conversations show": CommandSpec(
        "ID [OPTION]...",
        "A conversation as text, or every event of it as it is stored.",
        """\
  jp-tui conversations show ID             the conversation as text
  jp-tui conversations show ID --json      every event as it is stored
""",
        (_ID, _JSON),
    ),
    "conversations search": CommandSpec(
        "TEXT [OPTION]...",
        "Search the titles and texts of all conversations. Ends with 1 when nothing is found.",
        """\
  jp-tui conversations search "conf val"      words, by their beginnings, in any order
  jp-tui conversations search '"as it is"'    in double quotes: exactly these words in a row
  jp-tui conversations search zebra --json    one JSON object a conversation, with its hits
""",
        (
            CommandOption("text", "what to look for", "TEXT"),
            CommandOption("--archived", "among archived ones, too"),
            _JSON,
        ),
    ),
    "conversations fork": CommandSpec(
        "ID [OPTION]...",
        "A new conversation with the events of this one up to one of them.",
        """\
  jp-tui conversations fork ID             all of it
  jp-tui conversations fork ID --at 12     up to event 12; show ID --json tells the numbers
""",
        (_ID, CommandOption("--at", "the number of the last event that is taken", "N"), _JSON),
    ),
    "conversations export": CommandSpec(
        "ID [OPTION]...",
        "A conversation as one document on standard output.",
        """\
  jp-tui conversations export ID           Markdown
  jp-tui conversations export ID --format html --output talk.html
  jp-tui conversations export ID --format json
""",
        (
            _ID,
            CommandOption("--format", "md, json or html (default: md)", "FORMAT"),
            CommandOption("--output", "a file instead of standard output", "FILE"),
            _JSON,
        ),
    ),
    "conversations import": CommandSpec(
        "PATH [OPTION]...",
        "Copy conversations of jp into this workspace; none comes twice, and nothing of jp's is changed.",
        """\
  jp-tui conversations import .            those of a workspace of jp
  jp-tui conversations import .jp/conversations/17000000001-a-talk
""",
        (CommandOption("path", "a workspace of jp, a folder of conversations, or one's folder", "PATH"), _JSON),
    ),
    "conversations rename": CommandSpec(
        "ID TITLE [OPTION]...",
        "Give a conversation another title. An empty one is its first line again.",
        """\
  jp-tui conversations rename ID "Zebras"
  jp-tui conversations rename ID ""        its first line again
""",
        (_ID, CommandOption("title", "the title", "TITLE"), _JSON),
    ),
    "conversations archive": CommandSpec(
        "ID [OPTION]...",
        "Take a conversation, with its sub-agents', out of the lists. Nothing of it is lost.",
        """\
  jp-tui conversations archive ID          list --archived shows it
  jp-tui conversations archive ID --undo   back into the lists
""",
        (_ID, CommandOption("--undo", "back into the lists"), _JSON),
    ),
    "conversations rm": CommandSpec(
        "ID [OPTION]...",
        "Delete a conversation, with its sub-agents'. For seven days it can be restored.",
        """\
  jp-tui conversations rm ID               list --deleted shows it
  jp-tui conversations rm ID --undo        restore it
  jp-tui conversations rm ID --now         for good, at once
""",
        (_ID, CommandOption("--undo", "restore it"), CommandOption("--now", "for good, at once"), _JSON),
    ),
    "inquiries": CommandSpec(
        "[ID] [OPTION]...",
        "The record of questions and answers: of a conversation, or of the latest one here.",
        """\
  jp-tui inquiries                         of the latest conversation here
  jp-tui inquiries ID                      of this one
  jp-tui inquiries --pending               what still waits for an answer, everywhere
  jp-tui inquiries --pending --json        the same, one JSON object a line
""",
        (
            CommandOption("conversation", "the id of a conversation", "ID", required=False),
            CommandOption("--pending", "only what still waits for an answer"),
            _JSON,
        ),
    ),
    "answer": CommandSpec(
        "INQUIRY VALUE [OPTION]...",
        "Answer a question that waits, from another process. Calls no model.",
        """\
  jp-tui answer call_1.confirm.1 yes             a yes or no question
  jp-tui answer kqmzw2ab/call_1.path.1 src       with the conversation's id, where one is not enough
  jp-tui answer call_2.note.1 -- -5              a value that begins with a dash stands after --
  jp-tui answer call_3.which.1 '["a","b"]'       several choices, or a value by a schema, as JSON
""",
        (
            CommandOption("inquiry", "its id, as jp-tui inquiries --pending shows it", "INQUIRY"),
            CommandOption("value", "the answer; true, false, yes or no; JSON for several choices and schemas", "VALUE"),
            _JSON,
        ),
    ),
    "tools": CommandSpec(
        "[OPTION]...",
        "The tools with their settings, and who answers the questions that are configured.",
        """\
  jp-tui tools                             a table
  jp-tui tools -T -t fs_read_file          as they would be with these switches
  jp-tui tools --json                      one JSON object a line
""",
        (_JSON,),
    ),
    "reviewers": CommandSpec(
        "[OPTION]...",
        "How reviewing models fared: what they approved and rejected, what you overturned, how long they took.",
        """\
  jp-tui reviewers                         all of them, the most asked first
  jp-tui reviewers --json                  one JSON object a line
""",
        (_JSON,),
    ),
    "models": CommandSpec(
        "[PROVIDER] [OPTION]...",
        "The models that can be used: asked of every server that has a key or needs none, 5 seconds at most.",
        """\
  jp-tui models                            all of them, with context window and prices
  jp-tui models openrouter                 of one provider
  jp-tui models --json                     one JSON object a line
""",
        (CommandOption("provider", "a provider, for example ollama", "PROVIDER", required=False), _JSON),
    ),
    "doctor": CommandSpec(
        "[OPTION]...",
        "What the terminal, the clipboard, the sandbox, the servers and the settings can do, each with the mend.",
        """\
  jp-tui doctor                            a line a finding; ends with 1 when something is bad
  jp-tui doctor --json                     one JSON object a line: check, state, detail, mend
""",
        (_JSON,),
    ),
    "completions": CommandSpec(
        "SHELL",
        "Completions for a shell, to be read by it: commands, options, themes, models.",
        """\
  jp-tui completions bash                  in ~/.bashrc: source <(jp-tui completions bash)
  jp-tui completions zsh                   into a file _jp-tui in a folder of $fpath
  jp-tui completions fish                  into ~/.config/fish/completions/jp-tui.fish
""",
        (CommandOption("shell", "bash, zsh or fish", "SHELL"),),
    ),
    "config show": CommandSpec(
        "[KEY] [OPTION]...",
        "What holds: each value, the layer it comes from, and the file and line where it is written.",
        """\
  jp-tui config show                       everything
  jp-tui config show ui.theme              one key
  jp-tui config show conversation.tools.fs_modify_file
  jp-tui config show --json assistant      one JSON object a line
""",
        (CommandOption("key", _KEY, "KEY", required=False), _JSON),
    ),
    "config set": CommandSpec(
        "KEY VALUE [OPTION]...",
        "Set a key in your configuration file. Comments and order stay; what would not load is not written.",
        """\
  jp-tui config set ui.theme jp-day        a bare word is a string
  jp-tui config set notify.bell false      values are TOML
  jp-tui config set conversation.tools.fs_modify_file.questions.apply_changes.target assistant_with_escalation
  jp-tui config set assistant.model.parameters.seed -- -1
""",
        (CommandOption("key", _KEY, "KEY"), CommandOption("value", "TOML, or a bare word", "VALUE"), _JSON),
    ),
    "config check": CommandSpec(
        "[OPTION]...",
        "Everything that is wrong with the configuration, at once. Ends with 2 when something is.",
        """\
  jp-tui config check                      your file, this folder's, variables
  jp-tui config check --workspace DIR      with the file of another folder
  jp-tui config check --json               one JSON object a problem
""",
        (_JSON,),
    ),
    "config trust": CommandSpec(
        "[OPTION]...",
        "Let this folder's own configuration count in full, as it is now. Shows first what it would do.",
        """\
  jp-tui config trust                      shows it and asks
  jp-tui config trust --yes                does not ask
  jp-tui config trust --revoke             trust it no longer
""",
        (
            CommandOption("--yes", "do not ask"),
            CommandOption("--revoke", "trust it no longer"),
            _JSON,
        ),
    ),
    "config path": CommandSpec(
        "[OPTION]...",
        "Where the files are: configuration, conversations, logs.",
        """\
  jp-tui config path
  jp-tui config path --json                one JSON object a line
""",
        (_JSON,),
    ),
}

COMMANDS = tuple(dict.fromkeys(["query", *(name.partition(" ")[0] for name in ENTRIES)]))
"""First words of all commands."""


def subcommands(first: str) -> tuple[str, ...]:
    """Return the second words that follow `first`; empty for a command of one word."""
    return tuple(name.partition(" ")[2] for name in ENTRIES if name.startswith(f"{first} "))
