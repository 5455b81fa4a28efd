"""Parsers behind `arguments.py`, and the help they print. The only module that imports argparse."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn, cast

from jp_tui.settings.cli.commands import COMMANDS, ENTRIES, Command, CommandOption, subcommands
from jp_tui.settings.cli.toggles import Toggle
from jp_tui.settings.errors import UsageError, nearest

_WITH_VALUE = frozenset(
    {"--workspace", "--model", "--agent", "--effort", "--mode", "-r", "--resume", "--theme", "--cfg", "--store"}
)
_WITH_OPTIONAL = frozenset({"-t", "--tool", "-T", "--no-tool", "--tool-use"})
_ROOT_HELP = """\
commands (each has --help):
  query                 one turn without a screen, for scripts
  rpc                   the engine for a program, as JSON-RPC on standard input and output
  acp                   the engine as an agent for an editor (Agent Client Protocol)
  serve                 a worker: resume turns whose questions were answered
  conversations         list, show, search, fork, compact, export, import, rename, archive, rm
  inquiries             questions and answers, and open questions
  answer                answer an open question from another process
  claim                 look at an open question of a shared store, or hand it over
  ask                   ask the user from a script, and wait for the answer
  hook                  let other agents ask here: install, uninstall, and what they run
  tools                 the tools with their settings, and who answers their questions
  models                available models with context window and prices
  context               what goes to the model: instruction files, tools, messages, with sizes
  reviewers             reviewer results: approved, rejected, overturned, time, cost
  rules                 approval rules: list, test, why, add, revoke, suggest
  store                 check, migrate, grant, revoke, copy: a store that machines share
  people                the people of a shared store; away and back, with a deputy
  mcp                   MCP servers: list, test, import, accept, login, logout, serve (your inbox for other agents)
  doctor                check terminal, servers and settings; suggest fixes
  completions           completions for bash, zsh or fish
  config                show, set, check, trust, path

examples:
  jp-tui                                   open the workspace in this folder
  jp-tui "why does the build fail?"        open it and send this
  jp-tui -c                                resume the last conversation here
  jp-tui --model anthropic/claude-sonnet-4-5 --theme jp-day
  jp-tui -T -t fs_read_file                only this tool (and ask_user)
  jp-tui --cfg ui.sidebar=hide
  jp-tui --plain                           a conversation in lines, for screen readers

exit status: 0 done, 1 failed, 2 usage or configuration, 128+N ended by signal N
"""
_QUERY_HELP = """\
examples:
  jp-tui query "what is in this folder?"
  git diff | jp-tui query -                use standard input as the prompt
  jp-tui query --json "list the tests"     every event of the turn, one JSON object a line
  jp-tui query --non-interactive "..."     ask nothing; apply the detached policies
  jp-tui query --plain "tidy up"           what tools do and who decides, in lines beside the text
  jp-tui query "/review src/app.py"        a command of yours, from a file in commands/
  jp-tui query -r ID                       resume after an answer; sends no message

exit status: 0 done, 1 failed, 2 usage or configuration, 3 stopped on a question, 130 interrupted

Without a prompt, -c and -r ID only resume a turn that waited for an answer.
With a terminal on standard input questions appear there as numbered lines; without one the policies decide.
Enter `t` to decide instead of the reviewer.
"""


DASH = "; put a word that starts with - after --"


class Helped(Exception):
    """Raised for a help option; `text` is the help."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Parser(argparse.ArgumentParser):
    """Parser that raises UsageError with the nearest option, or Helped for help. It never prints or exits."""

    def __init__(self, prog: str, usage: str, epilog: str, description: str) -> None:
        super().__init__(
            prog=prog,
            usage=usage,
            epilog=epilog,
            description=textwrap.fill(description, 80),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            argument_default=argparse.SUPPRESS,
        )

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments: "):
            unknown = message.removeprefix("unrecognized arguments: ").split(" ")[0]
            if not unknown.startswith("-"):
                raise UsageError(f"extra word: {unknown}")
            names = [option[2:] for option in getattr(self, "_option_string_actions", ()) if option.startswith("--")]
            near = nearest(unknown.strip("-").partition("=")[0], names)
            dash = DASH if any(one.metavar == "VALUE" and not one.option_strings for one in self._actions) else ""
            raise UsageError(f"unknown option {unknown}{dash}", f"--{near}" if near else "")
        dash = DASH if message.endswith("required: VALUE") else ""
        raise UsageError(f"{message}{dash} ({self.prog} --help shows how)")

    def print_help(self, file: object = None) -> NoReturn:
        raise Helped(self.format_help())


class _Toggles(argparse.Action):
    """Shared list of `-t` and `-T`, which keeps their order across both (R73)."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        toggles: list[Toggle] = getattr(namespace, "toggles", [])
        name = values if isinstance(values, str) else None
        namespace.toggles = [*toggles, Toggle(option_string in ("-t", "--tool"), name)]


def split(argv: Sequence[str]) -> tuple[Command, list[str]]:
    """Split off the command: its name is the first word that isn't an option's value (S7). Return it and the other
    arguments."""
    words = list(argv)
    at = _first_word(words)
    if at is None:
        return "workspace", words
    first = words[at]
    if first == "query" or first not in COMMANDS:
        return ("query", words[:at] + words[at + 1 :]) if first == "query" else ("workspace", words)
    second = subcommands(first)
    if not second:
        return cast("Command", first), words[:at] + words[at + 1 :]
    after = words[at + 1 :]
    if after[:1] and after[0] in second:
        return cast("Command", f"{first} {after[0]}"), words[:at] + after[1:]
    if after[:1] in (["-h"], ["--help"]):
        raise Helped(_family(first, second))
    if not after or after[0].startswith("-"):
        raise UsageError(f"{first} needs {_either(second)}")
    raise UsageError(f"{first} has no {after[0]}, only {_either(second, 'and')}", nearest(after[0], second))


def _either(names: Sequence[str], word: str = "or") -> str:
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else names[0]


def _family(first: str, second: Sequence[str]) -> str:
    """Return the help of a command that has subcommands."""
    entries = [(f"jp-tui {first} {word}", ENTRIES[cast("Command", f"{first} {word}")]) for word in second]
    usages = "\n       ".join(f"{prog} {entry.usage}" for prog, entry in entries)
    whats = "\n".join(f"  {word:<8} {entry.what}" for word, (_, entry) in zip(second, entries, strict=True))
    examples = "".join(entry.examples for _, entry in entries)
    return f"usage: {usages}\n\n{whats}\n\nexamples:\n{examples}"


def _first_word(words: list[str]) -> int | None:
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return None
        if not word.startswith("-") or word == "-":
            return at
        at += 1
        optional = word in _WITH_OPTIONAL and at < len(words) and not words[at].startswith("-")
        if word in _WITH_VALUE or optional:
            at += 1
    return None


def make(command: Command) -> Parser:
    """Return the parser of a command."""
    if command in ("workspace", "query"):
        return _talking(command)
    entry, prog = ENTRIES[command], f"jp-tui {command}"
    parser = Parser(prog, f"{prog} {entry.usage}", f"examples:\n{entry.examples}", entry.what)
    for option in entry.takes:
        if option.name.startswith("-"):
            _option(parser, option)
        else:
            parser.add_argument(
                option.name,
                metavar=option.value,
                nargs=("+" if option.required else "*") if option.many else None if option.required else "?",
                help=option.help,
            )
    if all(option.name != "--workspace" for option in entry.takes):
        parser.add_argument("--workspace", metavar="DIR", help="the folder to work in (default: this one)")
    if command == "tools":
        _switches(parser)
    _cfg(parser)
    return parser


def _option(parser: Parser, option: CommandOption) -> None:
    names = [name for name in (option.short, option.name) if name]
    more: dict[str, Any] = {"dest": option.field} if option.field else {}
    if option.many:
        more["action"] = "append"
    if " " in option.value:
        more["nargs"] = "+"
    if option.value:
        parser.add_argument(*names, metavar=option.value, help=option.help, **more)
    else:
        parser.add_argument(*names, action="store_true", help=option.help, **more)


def _talking(command: Command) -> Parser:
    query = command == "query"
    prog = "jp-tui query" if query else "jp-tui"
    usage = f"{prog} [OPTION]... {'[PROMPT | -]' if query else '[PROMPT]'}"
    what = "One turn without a screen." if query else "A workspace for working with LLM agents."
    parser = Parser(prog, usage, _QUERY_HELP if query else _ROOT_HELP, what)
    add = parser.add_argument
    add(
        "words",
        nargs="*",
        metavar="PROMPT",
        help="prompt" + (", or - to read it from standard input" if query else ""),
    )
    add("--workspace", metavar="DIR", help="the folder to work in (default: this one)")
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--model", metavar="P/M", help="provider/model, an alias, or a provider")
    whose.add_argument("--agent", metavar="NAME", help="an agent of the settings ([agents.NAME]) instead of a model")
    add("--effort", metavar="LEVEL", help="how much the model thinks: low, medium, high or default")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "-c", "--continue", dest="continue_last", action="store_true", help="resume the last conversation here"
    )
    which.add_argument("-r", "--resume", metavar="ID", help="resume this conversation")
    add("--theme", metavar="NAME", help="theme for this run")
    add("--mode", metavar="MODE", help="what runs without asking: ask, edits, or unattended (in the sandbox only)")
    add("--plan", action="store_true", help="plan mode: only reading tools, until you accept the model's plan")
    _switches(parser)
    use = parser.add_mutually_exclusive_group()
    use.add_argument("--tool-use", nargs="?", const=True, metavar="NAME", help="the model must use a tool (this one)")
    use.add_argument("--no-tool-use", dest="tool_use", action="store_false", help="the model must not use tools")
    _cfg(parser)
    if query:
        add("--json", action="store_true", help="every event on stdout, one JSON object a line")
        add("--non-interactive", action="store_true", help="ask nothing; apply the detached policies")
        add("--plain", action="store_true", help="what tools do and who decides, in lines, for screen readers")
    else:
        add("--plain", action="store_true", help="no screen: the conversation in numbered lines, for screen readers")
        add("--version", action="store_true", help="print the version and exit")
    return parser


def _switches(parser: Parser) -> None:
    add = parser.add_argument
    for short, long, what in (("-t", "--tool", "on"), ("-T", "--no-tool", "off")):
        said = f"switch a tool {what} (without a name: all)"
        add(short, long, dest="toggles", nargs="?", action=_Toggles, metavar="NAME", help=said)


def _cfg(parser: Parser) -> None:
    said = "set a configuration key for this run"
    parser.add_argument("--cfg", action="append", metavar="KEY=VALUE", help=said)
    said = "postgresql://USER@HOST/DATABASE, before the command"
    parser.add_argument("--store", metavar="URL", help=said)
