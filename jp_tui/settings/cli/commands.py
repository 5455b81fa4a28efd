"""The commands of this version (surface.md) as data: their names, usage and examples.

`parsers.py` builds parsers from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Command = Literal[
    "workspace", "query", "rpc", "conversations list", "conversations show", "conversations search",
    "conversations fork", "conversations export", "conversations import", "conversations rename",
    "conversations archive", "conversations rm", "conversations compact", "inquiries", "answer", "tools",
    "context", "reviewers", "models", "doctor", "completions",
    "rules list", "rules test", "rules add", "rules revoke",
    "config show", "config set", "config check", "config trust", "config path",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class CommandOption:
    """Option or positional: `name` as typed, `short` with one letter, `value` its placeholder, empty for a switch.
    `required` is for positionals. Without a dash, the placeholder is the name of the value. `field` is where it goes
    in the command line where that differs from its name; `many`: it may be given several times."""

    name: str
    help: str
    value: str = ""
    required: bool = True
    many: bool = False
    short: str = ""
    field: str = ""


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
  jp-tui rpc --model anthropic/claude-sonnet-4-5    default model of sessions
  jp-tui rpc --schema                      every method and shape, as a JSON Schema
""",
        (
            CommandOption("--schema", "print the JSON Schema of all messages and exit"),
            CommandOption("--model", "provider/model, an alias, or a provider, default model of sessions", "P/M"),
            CommandOption("--effort", "how much the model thinks: low, medium or high", "LEVEL"),
        ),
    ),
    "conversations list": CommandSpec(
        "[OPTION]...",
        "List conversations of a workspace, the latest first.",
        """\
  jp-tui conversations list                the latest first
  jp-tui conversations list --json         one JSON object a line
  jp-tui conversations list --archived     archived ones
""",
        (
            CommandOption("--archived", "only those that are archived"),
            CommandOption("--deleted", "only those that were deleted and can be restored"),
            _JSON,
        ),
    ),
    "conversations show": CommandSpec(
        "ID [OPTION]...",
        "Show a conversation as text, or its stored events.",
        """\
  jp-tui conversations show ID             the conversation as text
  jp-tui conversations show ID --json      every event as it is stored
""",
        (_ID, _JSON),
    ),
    "conversations search": CommandSpec(
        "TEXT [OPTION]...",
        "Search titles and texts of all conversations. Exits with 1 without matches.",
        """\
  jp-tui conversations search "conf val"      words, by their beginnings, in any order
  jp-tui conversations search '"as it is"'    in double quotes: exactly these words in a row
  jp-tui conversations search zebra --json    one JSON object a conversation, with its hits
""",
        (
            CommandOption("text", "text to search for", "TEXT"),
            CommandOption("--archived", "include archived conversations"),
            _JSON,
        ),
    ),
    "conversations fork": CommandSpec(
        "ID [OPTION]...",
        "Copy a conversation up to an event.",
        """\
  jp-tui conversations fork ID             all of it
  jp-tui conversations fork ID --at 12     up to event 12; show ID --json lists the numbers
""",
        (_ID, CommandOption("--at", "the number of the last event to copy", "N"), _JSON),
    ),
    "conversations compact": CommandSpec(
        "ID [OPTION]...",
        "Summarise a conversation's older messages for the model. The log keeps all of them.",
        """\
  jp-tui conversations compact ID          prints what became of it
  jp-tui conversations compact ID --focus "the failing test"
  jp-tui conversations compact ID --undo   the model sees all messages again
""",
        (
            _ID,
            CommandOption("--focus", "what the summary should keep above all", "TEXT"),
            CommandOption("--undo", "undo the last compaction"),
            _JSON,
        ),
    ),
    "conversations export": CommandSpec(
        "ID [OPTION]...",
        "Write a conversation as one document to standard output.",
        """\
  jp-tui conversations export ID           Markdown
  jp-tui conversations export ID --format html --output talk.html
  jp-tui conversations export ID --format json
""",
        (
            _ID,
            CommandOption("--format", "md, json or html (default: md)", "FORMAT"),
            CommandOption("--output", "write to a file", "FILE"),
            _JSON,
        ),
    ),
    "conversations import": CommandSpec(
        "PATH [OPTION]...",
        "Import jp conversations into this workspace. Duplicates are skipped; jp's files don't change.",
        """\
  jp-tui conversations import .            from a jp workspace
  jp-tui conversations import .jp/conversations/17000000001-a-talk
""",
        (CommandOption("path", "a jp workspace, a folder of conversations, or one conversation", "PATH"), _JSON),
    ),
    "conversations rename": CommandSpec(
        "ID TITLE [OPTION]...",
        "Rename a conversation. An empty title resets it to the first line.",
        """\
  jp-tui conversations rename ID "Zebras"
  jp-tui conversations rename ID ""        reset to the first line
""",
        (_ID, CommandOption("title", "the title", "TITLE"), _JSON),
    ),
    "conversations archive": CommandSpec(
        "ID [OPTION]...",
        "Hide a conversation and its sub-agents' from lists. Nothing is lost.",
        """\
  jp-tui conversations archive ID          list --archived shows it
  jp-tui conversations archive ID --undo   back into the lists
""",
        (_ID, CommandOption("--undo", "show in lists again"), _JSON),
    ),
    "conversations rm": CommandSpec(
        "ID [OPTION]...",
        "Delete a conversation and its sub-agents'. It can be restored for 7 days.",
        """\
  jp-tui conversations rm ID               list --deleted shows it
  jp-tui conversations rm ID --undo        restore it
  jp-tui conversations rm ID --now         for good, at once
""",
        (_ID, CommandOption("--undo", "restore it"), CommandOption("--now", "permanently, now"), _JSON),
    ),
    "inquiries": CommandSpec(
        "[ID] [OPTION]...",
        "List questions and answers of a conversation (default: the latest here).",
        """\
  jp-tui inquiries                         of the latest conversation here
  jp-tui inquiries ID                      of this one
  jp-tui inquiries --pending               open questions of all conversations
  jp-tui inquiries --pending --json        the same, one JSON object a line
""",
        (
            CommandOption("conversation", "the id of a conversation", "ID", required=False),
            CommandOption("--pending", "only open questions"),
            _JSON,
        ),
    ),
    "answer": CommandSpec(
        "INQUIRY VALUE [OPTION]...",
        "Answer an open question from another process. Calls no model.",
        """\
  jp-tui answer call_1.confirm.1 yes             a yes or no question
  jp-tui answer kqmzw2ab/call_1.path.1 src       with the conversation's id, where one is not enough
  jp-tui answer call_2.note.1 -- -5              a value that starts with a dash follows --
  jp-tui answer call_3.which.1 '["a","b"]'       several choices, or a value by a schema, as JSON
  jp-tui answer call_4.accept_plan.1 keep_planning --comment 2="first the tests"
""",
        (
            CommandOption("inquiry", "its id, as jp-tui inquiries --pending shows it", "INQUIRY"),
            CommandOption("value", "the answer; true, false, yes or no; JSON for several choices and schemas", "VALUE"),
            CommandOption("--comment", "a comment on a step of a plan; can be repeated", "N=TEXT", many=True),
            _JSON,
        ),
    ),
    "tools": CommandSpec(
        "[OPTION]...",
        "List tools, their settings and who answers their questions.",
        """\
  jp-tui tools                             a table
  jp-tui tools -T -t fs_read_file          as they would be with these switches
  jp-tui tools --json                      one JSON object a line
""",
        (_JSON,),
    ),
    "context": CommandSpec(
        "[-c | -r ID] [OPTION]...",
        "What goes to the model, part by part, with sizes: instruction files and which were not read, tools, messages. "
        "Nothing is sent.",
        """\
  jp-tui context                           as for a new conversation
  jp-tui context -c                        of the last conversation here
  jp-tui context --json                    one JSON object a part, then the total
""",
        (
            CommandOption("--continue", "of the last conversation here", short="-c", field="continue_last"),
            CommandOption("--resume", "of this conversation", "ID", short="-r"),
            CommandOption("--model", "as with this model: provider/model, an alias, or a provider", "P/M"),
            _JSON,
        ),
    ),
    "reviewers": CommandSpec(
        "[OPTION]...",
        "Show reviewer results: approved, rejected, overturned, time and cost.",
        """\
  jp-tui reviewers                         all of them, the most asked first
  jp-tui reviewers --json                  one JSON object a line
""",
        (_JSON,),
    ),
    "models": CommandSpec(
        "[PROVIDER] [OPTION]...",
        "List available models of all configured servers (up to 5 s).",
        """\
  jp-tui models                            all of them, with context window and prices
  jp-tui models openrouter                 of one provider
  jp-tui models --json                     one JSON object a line
""",
        (CommandOption("provider", "a provider, for example ollama", "PROVIDER", required=False), _JSON),
    ),
    "doctor": CommandSpec(
        "[OPTION]...",
        "Check terminal, clipboard, sandbox, servers and settings; suggest fixes.",
        """\
  jp-tui doctor                            one line per finding; exits with 1 on problems
  jp-tui doctor --json                     one JSON object a line: check, state, detail, mend
""",
        (_JSON,),
    ),
    "completions": CommandSpec(
        "SHELL",
        "Print shell completions for commands, options, themes and models.",
        """\
  jp-tui completions bash                  in ~/.bashrc: source <(jp-tui completions bash)
  jp-tui completions zsh                   into a file _jp-tui in a folder of $fpath
  jp-tui completions fish                  into ~/.config/fish/completions/jp-tui.fish
""",
        (CommandOption("shell", "bash, zsh or fish", "SHELL"),),
    ),
    "rules list": CommandSpec(
        "[OPTION]...",
        "The approval rules that count in this folder: the policy's, yours, the folder's.",
        """\
  jp-tui rules list                        those that count here
  jp-tui rules list --all                  also those for other folders, and expired ones
  jp-tui rules list --builtin              what always asks you, whatever rules say
""",
        (
            CommandOption("--all", "also rules for other folders, and expired ones", field="every"),
            CommandOption("--builtin", "what always asks you"),
            _JSON,
        ),
    ),
    "rules test": CommandSpec(
        "COMMAND | --args JSON | - [OPTION]...",
        "Say whether a call would run, and why. Runs nothing.",
        """\
  jp-tui rules test "git log | head"       a command line, part by part
  jp-tui rules test --tool fs_read_file --args '{"path":"a.txt"}'
  jp-tui rules test - --json < calls.jsonl one JSON value a line: a line, a list of words, or {tool, arguments}
""",
        (
            CommandOption("text", "a command line, or - for JSON lines on standard input", "COMMAND", required=False),
            CommandOption("--tool", "the tool (default: the one that runs commands)", "T"),
            CommandOption("--args", "its arguments as JSON", "JSON"),
            CommandOption("--no-sandbox", "as if there were no sandbox"),
            _JSON,
        ),
    ),
    "rules add": CommandSpec(
        "EFFECT --tool T [OPTION]...",
        "Add a rule to your rules.toml, for this folder or everywhere.",
        """\
  jp-tui rules add allow --tool shell_run --command "git log"
  jp-tui rules add deny --tool shell_run --command "git push" --everywhere --reason "I push myself"
  jp-tui rules add ask --tool 'fs_*' --path 'secrets/**' --expires 7d
""",
        (
            CommandOption("effect", "allow, ask or deny", "EFFECT"),
            CommandOption("--tool", "the tool; with ask and deny it may hold *", "T"),
            CommandOption("--command", "commands that begin with these words", "WORDS", field="words"),
            CommandOption("--exact", "commands of exactly these words", "WORDS"),
            CommandOption("--path", "files, as a line of .gitignore", "P"),
            CommandOption("--host", "a host, or *.example.org for all below it", "H"),
            CommandOption("--args", "exactly this call", "JSON"),
            CommandOption("--whole-tool", "every call of the tool"),
            CommandOption("--folder", "for this workspace and those below it (default: the workspace)", "DIR"),
            CommandOption("--everywhere", "for every workspace"),
            CommandOption("--expires", "a date, or a time from now: 30s, 12h, 7d", "DATE"),
            CommandOption("--reason", "told to the model with a refusal", "TEXT"),
            _JSON,
        ),
    ),
    "rules revoke": CommandSpec(
        "ID...",
        "Take rules out of your rules.toml. Ends with 1 when none has such an ID.",
        """\
  jp-tui rules revoke rule-7f3k2p
""",
        (CommandOption("ids", "as rules list shows them", "ID", many=True), _JSON),
    ),
    "config show": CommandSpec(
        "[KEY] [OPTION]...",
        "Show effective values, with the layer, file and line they come from.",
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
        "Set a key in your configuration file. Comments and order stay; invalid values are refused.",
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
        "List all problems of the configuration. Exits with 2 if there are any.",
        """\
  jp-tui config check                      your file, this folder's, variables
  jp-tui config check --workspace DIR      with the file of another folder
  jp-tui config check --json               one JSON object a problem
""",
        (_JSON,),
    ),
    "config trust": CommandSpec(
        "[OPTION]...",
        "Trust this folder's configuration as it is now. Shows its effects first.",
        """\
  jp-tui config trust                      show it and ask
  jp-tui config trust --yes                don't ask
  jp-tui config trust --revoke             trust it no longer
""",
        (
            CommandOption("--yes", "don't ask"),
            CommandOption("--revoke", "revoke trust"),
            _JSON,
        ),
    ),
    "config path": CommandSpec(
        "[OPTION]...",
        "Show where files are: configuration, conversations, logs.",
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
