"""The commands of this version (surface.md) as data: their names, usage and examples.

`parsers.py` builds parsers from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Command = Literal[
    "workspace", "query", "rpc", "acp", "serve", "conversations list", "conversations show", "conversations search",
    "conversations fork", "conversations export", "conversations import", "conversations rename",
    "conversations archive", "conversations rm", "conversations compact", "inquiries", "answer", "claim", "ask",
    "tools", "context", "reviewers", "models", "doctor", "completions",
    "mcp list", "mcp test", "mcp import", "mcp accept", "mcp login", "mcp logout", "mcp serve",
    "hook claude", "hook codex", "hook gemini", "hook opencode", "hook install", "hook uninstall",
    "rules list", "rules test", "rules why", "rules add", "rules revoke", "rules suggest",
    "store check", "store migrate", "store grant", "store revoke", "store copy", "people",
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
_SESSION_OPTIONS = (
    CommandOption("--model", "provider/model, an alias, or a provider, default model of sessions", "P/M"),
    CommandOption("--effort", "how much the model thinks: low, medium, high or default", "LEVEL"),
)
_KEY = "a key as it is written in TOML, for example ui.theme"

_LIMIT = CommandOption("--limit", "seconds to wait for an answer", "S")


def _hook(word: str, title: str, seconds: int) -> CommandSpec:
    return CommandSpec(
        "[--limit S]",
        f"Decide about one call of {title}: its payload on standard input, the decision on standard output.",
        f"""\
  jp-tui hook {word:<8} --limit 600          {title} runs this; default: {seconds} s
""",
        (_LIMIT,),
    )


_PROGRAM = CommandOption("program", "claude, codex, gemini or opencode", "PROGRAM")
_PROJECT = CommandOption("--project", "only for this folder")
_DRY_RUN = CommandOption("--dry-run", "show the change as a diff and write nothing")

ENTRIES: dict[Command, CommandSpec] = {
    "rpc": CommandSpec(
        "[OPTION]...",
        "Run the engine for a program: JSON-RPC 2.0, one message per line, on standard input and output.",
        """\
  jp-tui rpc                               until the input ends
  jp-tui rpc --model anthropic/claude-sonnet-4-5    default model of sessions
  jp-tui rpc --schema                      every method and shape, as a JSON Schema
""",
        (
            CommandOption("--schema", "print the JSON Schema of all messages and exit"),
            *_SESSION_OPTIONS,
        ),
    ),
    "acp": CommandSpec(
        "[OPTION]...",
        "Run the engine as an agent for an editor: the Agent Client Protocol on standard input and output.",
        """\
  jp-tui acp                               what an editor's settings name as the agent's command
  jp-tui acp --model anthropic/claude-sonnet-4-5    default model of sessions
""",
        _SESSION_OPTIONS,
    ),
    "serve": CommandSpec(
        "[--workspace DIR]... [OPTION]...",
        "Run a worker: resume turns whose questions were answered, and begin those of schedules, until it is ended. It "
        "asks no one; the detached policies decide.",
        """\
  jp-tui serve                             turns of this folder, and of the folders of [schedule.NAME]
  jp-tui serve --workspace ~/a --workspace ~/b --json
  jp-tui --store postgresql://ada@db.example.org/jp serve

exit status: 0 ended by SIGTERM or SIGINT, with nothing half done · 1 failed · 2 usage · 128+N a second signal N
""",
        (
            CommandOption(
                "--workspace",
                "a folder whose turns and schedules it runs; can be repeated (default: this, and schedules')",
                "DIR",
                many=True,
                field="folders",
            ),
            _JSON,
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
            CommandOption("--all", "with --pending: also those that wait for other people", field="every"),
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
  jp-tui answer kqmzw2ab/ask.answer.1 no --reason "not on a Friday"
  pass show registry | jp-tui answer kqmzw2ab/ask.answer.1 -    from standard input, as for a secret
""",
        (
            CommandOption("inquiry", "its id, as jp-tui inquiries --pending shows it", "INQUIRY"),
            CommandOption(
                "value",
                "the answer; true, false, yes or no; JSON for several choices and schemas; - for standard input",
                "VALUE",
                required=False,
            ),
            CommandOption("--reason", "why, told to the asker", "TEXT"),
            CommandOption("--decline", "no answer: decline a question from outside"),
            CommandOption("--remember", "also for the rest of the session of the program that asks"),
            CommandOption("--anyway", "also where another person looks at it (jp-tui claim)"),
            CommandOption("--comment", "a comment on a step of a plan; can be repeated", "N=TEXT", many=True),
            _JSON,
        ),
    ),
    "claim": CommandSpec(
        "INQUIRY [--release | --to WHO] [--json]",
        "Say that you look at an open question of a shared store, for 10 minutes, or hand it over.",
        """\
  jp-tui claim call_1.confirm.1              others see it, and must say --anyway to answer it before you
  jp-tui claim call_1.confirm.1 --release    you no longer look at it
  jp-tui claim call_1.confirm.1 --to second  second is asked instead; --to role:ops: everyone of the group
""",
        (
            CommandOption("inquiry", "its id, as jp-tui inquiries --pending shows it", "INQUIRY"),
            CommandOption("--release", "you no longer look at it"),
            CommandOption("--to", "the person, or role:GROUP, who is asked from now on", "WHO"),
            _JSON,
        ),
    ),
    "ask": CommandSpec(
        "[OPTION]... QUESTION",
        "Ask the user from a script. It waits for the answer; no workspace has to run.",
        """\
  jp-tui ask "Deploy?"                                   yes or no; only yes exits with 0
  jp-tui ask "Where to?" --option staging --option prod="Production"
  jp-tui ask "Release notes?" --type text --timeout 3600
  git diff | jp-tui ask "Push this?" --context -         shown above the answers
  jp-tui ask "Which?" --type multi_select --option a --option b --default '["a"]'
  jp-tui ask "Limits?" --schema limits.json --json

exit status: 0 answered, a boolean with yes · 5 answered with no · 4 declined · 3 the --timeout passed
             6 withdrawn elsewhere · 2 usage · 1 failed · 128+N ended by signal N
""",
        (
            CommandOption("text", "one line", "QUESTION"),
            CommandOption("--type", "boolean, select, multi_select, text, secret or schema", "TYPE", field="kind"),
            CommandOption("--option", "a choice, with a description; can be repeated", "VALUE[=LABEL]", many=True),
            CommandOption("--default", "preselected; JSON for several choices and schemas", "V"),
            CommandOption("--context", "a file to show above the answers, - for standard input", "FILE|-"),
            CommandOption("--schema", "a JSON Schema that the answer fits", "FILE", field="schema_file"),
            CommandOption("--id", "name of the question in settings (default: answer)", "ID"),
            CommandOption("--timeout", "seconds until it ends as timed out (default: none)", "S"),
            CommandOption("--to", "in a shared store: the person, or role:GROUP, who is asked", "WHO"),
            _JSON,
        ),
    ),
    "mcp serve": CommandSpec(
        "[OPTION]...",
        "Serve your inbox to another agent as an MCP server, on standard input and output: ask_user, approve.",
        """\
  claude mcp add jp-tui -- jp-tui mcp serve
  claude -p --mcp-config mcp.json --permission-prompt-tool mcp__jp-tui__approve "..."
""",
        (),
    ),
    "mcp list": CommandSpec(
        "[OPTION]...",
        "List MCP servers with their state as of the last contact. Starts nothing.",
        """\
  jp-tui mcp list                          where each is configured, its tools, what waits for you
  jp-tui mcp list --json                   one JSON object a line
""",
        (_JSON,),
    ),
    "mcp test": CommandSpec(
        "NAME [OPTION]...",
        "Start an MCP server, list its tools, make calls, end it. Status 1: it failed, 3: it stopped on a question.",
        """\
  jp-tui mcp test docs                     does it start, and what does it offer
  jp-tui mcp test docs --call search '{"q": "x"}'
  jp-tui mcp test docs --login             log in first if it wants that
  jp-tui mcp test docs --json              with schemas, one JSON object
""",
        (
            CommandOption("server", "the server's name", "NAME"),
            CommandOption("--call", "call a tool with arguments as JSON; can be repeated", "TOOL [JSON]", many=True),
            CommandOption("--login", "show the page of a login that the server wants, and wait for it"),
            _JSON,
        ),
    ),
    "mcp import": CommandSpec(
        "[PATH] [OPTION]...",
        "Take MCP servers from the files of Claude, Cursor, VS Code and Codex. Copies no credential, starts nothing.",
        """\
  jp-tui mcp import                        this folder's files into its config, your home's into yours
  jp-tui mcp import .mcp.json --to user    one file, into your configuration
  jp-tui mcp import --dry-run              show what would be written
""",
        (
            CommandOption("path", "a file (default: the usual ones here and in your home)", "PATH", required=False),
            CommandOption("--to", "user or folder (default: where the file belongs)", "TARGET"),
            CommandOption("--dry-run", "write nothing"),
            _JSON,
        ),
    ),
    "mcp accept": CommandSpec(
        "NAME [TOOL...] [OPTION]...",
        "Show what changed in a server's tools since you accepted them, and accept it (default: all of them).",
        """\
  jp-tui mcp accept docs                   everything that waits
  jp-tui mcp accept docs search            one tool
""",
        (
            CommandOption("server", "the server's name", "NAME"),
            CommandOption("tools", "its tools", "TOOL", required=False, many=True),
            _JSON,
        ),
    ),
    "mcp login": CommandSpec(
        "NAME [OPTION]...",
        "Log in at an MCP server with your browser, also in place of an earlier login. Keeps the login for later runs.",
        """\
  jp-tui mcp login docs                    shows the page; Enter opens it
""",
        (CommandOption("server", "the server's name", "NAME"), _JSON),
    ),
    "mcp logout": CommandSpec(
        "NAME [OPTION]...",
        "End the login at an MCP server where it allows that, and delete it from the keyring or its file.",
        """\
  jp-tui mcp logout docs
""",
        (CommandOption("server", "the server's name", "NAME"), _JSON),
    ),
    "hook claude": _hook("claude", "Claude Code", 590),
    "hook codex": _hook("codex", "Codex", 590),
    "hook gemini": _hook("gemini", "Gemini CLI", 55),
    "hook opencode": _hook("opencode", "OpenCode", 590),
    "hook install": CommandSpec(
        "PROGRAM [OPTION]...",
        "Let a program ask for permission in jp-tui: put hooks into its settings.",
        """\
  jp-tui hook install claude --dry-run     the change as a diff
  jp-tui hook install claude               for all folders; a copy of the file stays beside it
  jp-tui hook install opencode --project   only for this folder
""",
        (
            _PROGRAM,
            _PROJECT,
            _DRY_RUN,
            CommandOption("--anyway", "also where the program's version runs a tool when its hook dies"),
        ),
    ),
    "hook uninstall": CommandSpec(
        "PROGRAM [OPTION]...",
        "Take jp-tui's hooks out of a program's settings.",
        """\
  jp-tui hook uninstall claude             leaves an otherwise unchanged file as it was before
""",
        (_PROGRAM, _PROJECT, _DRY_RUN),
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
        "Show what is sent to the model, with sizes: instruction files (and why some aren't), tools, messages. "
        "Sends nothing.",
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
    "store check": CommandSpec(
        "[OPTION]...",
        "Check the store: server, schema, role, and what is wrong. Exits with 1 if something is.",
        """\
  jp-tui store check                       the store of the settings
  jp-tui --store URL store check --json    another one, as a JSON object
""",
        (_JSON,),
    ),
    "store migrate": CommandSpec(
        "[OPTION]...",
        "Make the schema of a PostgreSQL store, or bring it up to date. Who makes it is its owner.",
        """\
  jp-tui --store URL store migrate         whole or not at all
  jp-tui store migrate --dry-run           try it, and change nothing
""",
        (CommandOption("--dry-run", "try it, and change nothing"),),
    ),
    "store grant": CommandSpec(
        "ROLE --as person|worker|auditor",
        "Let a database role use the store.",
        """\
  jp-tui store grant lead --as person      has conversations of its own, and answers what asks it
  jp-tui store grant builder --as worker   carries turns on, on any machine
  jp-tui store grant eve --as auditor      reads who answered what, with any client of PostgreSQL
""",
        (
            CommandOption("role", "a role of the database server", "ROLE"),
            CommandOption("--as", "what it may do: person, worker or auditor", "KIND", field="kind_of_role"),
        ),
    ),
    "store revoke": CommandSpec(
        "ROLE [OPTION]...",
        "Let a database role use the store no longer.",
        """\
  jp-tui store revoke builder
  jp-tui store revoke lead --to second     the conversations of lead are second's from then on
""",
        (
            CommandOption("role", "a role of the database server", "ROLE"),
            CommandOption("--to", "a person who gets the conversations of the role", "ROLE"),
        ),
    ),
    "people": CommandSpec(
        "[away --until DATE [--deputy WHO] | back] [--json]",
        "List the people of a shared store, or be away: a deputy answers meanwhile what asks you.",
        """\
  jp-tui people                            everyone, with groups, and who is away
  jp-tui people away --until 2026-12-24    back on that day; --deputy lead: lead answers meanwhile
  jp-tui people back                       at once
""",
        (
            CommandOption("action", "away or back", "away|back", required=False),
            CommandOption("--until", "the day, or day and time, of the return", "DATE"),
            CommandOption("--deputy", "the person who answers meanwhile", "WHO"),
            _JSON,
        ),
    ),
    "store copy": CommandSpec(
        "--from STORE --to STORE [OPTION]...",
        "Copy all conversations from one store to another. A store is sqlite, sqlite:PATH or a postgresql:// address.",
        """\
  jp-tui store copy --from sqlite --to postgresql://ada@db.example.org/jp
  jp-tui store copy --from postgresql://ada@db.example.org/jp --to sqlite:backup.db
""",
        (
            CommandOption("--from", "the store to copy from", "STORE", field="source"),
            CommandOption("--to", "the store to copy to", "STORE"),
            _JSON,
        ),
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
        "List the approval rules that apply in this folder: the policy's, yours, the folder's.",
        """\
  jp-tui rules list                        those that apply here
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
  jp-tui rules test --mode unattended "make test"
  jp-tui rules test --tool fs_read_file --args '{"path":"a.txt"}'
  jp-tui rules test - --json < calls.jsonl one JSON value a line: a line, a list of words, or {tool, arguments}
""",
        (
            CommandOption("text", "a command line, or - for JSON lines on standard input", "COMMAND", required=False),
            CommandOption("--tool", "the tool (default: the one that runs commands)", "T"),
            CommandOption("--args", "its arguments as JSON", "JSON"),
            CommandOption("--mode", "as in this mode: ask, edits or unattended", "M"),
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
            CommandOption("--reason", "sent to the model with a rejection", "TEXT"),
            _JSON,
        ),
    ),
    "rules why": CommandSpec(
        "ID [OPTION]...",
        "Say why something ran or didn't: a rule, a call or an inquiry, by its ID. Exits with 1 if there is none.",
        """\
  jp-tui rules why rule-7f3k2p             when and by what it was made, and which calls it decided
  jp-tui rules why call_1                  who or what decided about this call
""",
        (CommandOption("id", "of a rule, a call or an inquiry", "ID"), _JSON),
    ),
    "rules suggest": CommandSpec(
        "[OPTION]...",
        "Suggest rules: what you approved often in this folder in the last 30 days, and never rejected.",
        """\
  jp-tui rules suggest                     each with its numbers and the command that adds it
""",
        (CommandOption("--min", "how often you approved it (default: 5)", "N", field="least"), _JSON),
    ),
    "rules revoke": CommandSpec(
        "ID...",
        "Remove rules from your rules.toml. Exits with 1 if none has the ID.",
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
        "Set a key in your configuration file. Comments and order stay; invalid values are rejected.",
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
        "Trust this folder's configuration, commands and skills as they are now. Shows them first.",
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
