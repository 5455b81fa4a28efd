"""The parsers behind `arguments.py`, and the help they print. The one file that imports argparse."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from jp_tui.settings.errors import UsageError, nearest
from jp_tui.settings.toggles import Toggle

if TYPE_CHECKING:
    from jp_tui.settings.arguments import Command

_WITH_VALUE = frozenset({"--workspace", "--model", "-r", "--resume", "--theme", "--cfg"})
_WITH_OPTIONAL = frozenset({"-t", "--tool", "-T", "--no-tool", "--tool-use"})
_SUBCOMMANDS = ("list", "show")

_ROOT_HELP = """\
commands:
  query                 one turn without a screen, for scripts (jp-tui query --help)
  conversations         list them, or show one (jp-tui conversations --help)

examples:
  jp-tui                                   open the workspace in this folder
  jp-tui "why does the build fail?"        open it and say this
  jp-tui -c                                go on with the last conversation here
  jp-tui --model anthropic/claude-sonnet-4-5 --theme jp-day
  jp-tui -T -t fs_read_file                of the tools only this one (and ask_user)
  jp-tui --cfg ui.sidebar=hide

exit status: 0 done, 1 failed, 2 usage or configuration, 128+N ended by signal N
"""
_QUERY_HELP = """\
examples:
  jp-tui query "what is in this folder?"
  git diff | jp-tui query -                what comes in is the prompt
  jp-tui query --json "list the tests"     every event of the turn, one JSON object a line
  jp-tui query --non-interactive "..."     nobody is asked; the policies decide

exit status: 0 done, 1 failed, 2 usage or configuration, 3 stopped on a question, 130 interrupted
"""
_LIST_HELP = """\
examples:
  jp-tui conversations list                the latest first
  jp-tui conversations list --json         one JSON object a line
"""
_SHOW_EXAMPLES = """\
  jp-tui conversations show ID             the conversation as text
  jp-tui conversations show ID --json      every event as it is stored
"""
_SHOW_HELP = f"examples:\n{_SHOW_EXAMPLES}"
_LIST_USAGE = "jp-tui conversations list [--workspace DIR] [--json]"
_SHOW_USAGE = "jp-tui conversations show ID [--workspace DIR] [--json]"


class Helped(Exception):
    """Somebody asked for help; `text` is it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Parser(argparse.ArgumentParser):
    """Errors are UsageError with the nearest option, help is Helped: nothing is printed and nothing ends here."""

    def __init__(self, prog: str, usage: str, epilog: str, description: str) -> None:
        super().__init__(
            prog=prog,
            usage=usage,
            epilog=epilog,
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            argument_default=argparse.SUPPRESS,
        )

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments: "):
            unknown = message.removeprefix("unrecognized arguments: ").split(" ")[0]
            if not unknown.startswith("-"):
                raise UsageError(f"one word too many: {unknown}")
            names = [option[2:] for option in self._option_string_actions if option.startswith("--")]
            near = nearest(unknown.strip("-").partition("=")[0], names)
            raise UsageError(f"unknown option {unknown}", f"--{near}" if near else "")
        raise UsageError(f"{message} ({self.prog} --help shows how)")

    def print_help(self, file: object = None) -> NoReturn:
        raise Helped(self.format_help())


class _Toggles(argparse.Action):
    """`-t` and `-T` share one list, so that their order across both is kept (R73)."""

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
    """The command and the arguments without its words: the first word that is no option's value (S7)."""
    words = list(argv)
    at = _first_word(words)
    if at is None:
        return "workspace", words
    if words[at] == "query":
        return "query", words[:at] + words[at + 1 :]
    if words[at] != "conversations":
        return "workspace", words
    after = words[at + 1 :]
    if after[:1] == ["list"]:
        return "conversations list", words[:at] + after[1:]
    if after[:1] == ["show"]:
        return "conversations show", words[:at] + after[1:]
    if after[:1] in (["-h"], ["--help"]):
        raise Helped(f"usage: {_LIST_USAGE}\n       {_SHOW_USAGE}\n\n{_LIST_HELP}{_SHOW_EXAMPLES}")
    if not after or after[0].startswith("-"):
        raise UsageError("conversations needs list or show")
    raise UsageError(f"conversations has no {after[0]}, only list and show", nearest(after[0], _SUBCOMMANDS))


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
    """The parser of a command."""
    if command == "conversations list":
        parser = Parser(
            "jp-tui conversations list",
            _LIST_USAGE,
            _LIST_HELP,
            "The conversations of a workspace, the latest first.",
        )
        _common(parser)
    elif command == "conversations show":
        parser = Parser(
            "jp-tui conversations show",
            _SHOW_USAGE,
            _SHOW_HELP,
            "A conversation as text, or every event of it as it is stored.",
        )
        _common(parser)
        parser.add_argument("conversation", metavar="ID", help="its id, or the beginning of it")
    else:
        parser = _talking(command)
    return parser


def _talking(command: Command) -> Parser:
    query = command == "query"
    prog = "jp-tui query" if query else "jp-tui"
    usage = f"{prog} [OPTION]... {'PROMPT | -' if query else '[PROMPT]'}"
    what = "One turn without a screen." if query else "A workspace for working with LLM agents."
    parser = Parser(prog, usage, _QUERY_HELP if query else _ROOT_HELP, what)
    add = parser.add_argument
    add(
        "words",
        nargs="*",
        metavar="PROMPT",
        help="what to say" + (", or - to read it from standard input" if query else ""),
    )
    add("--workspace", metavar="DIR", help="the folder to work in (default: this one)")
    add("--model", metavar="P/M", help="provider/model, an alias, or a provider")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "-c", "--continue", dest="continue_last", action="store_true", help="go on with the last conversation here"
    )
    which.add_argument("-r", "--resume", metavar="ID", help="go on with this conversation")
    add("--theme", metavar="NAME", help="the colours for this run")
    add(
        "-t",
        "--tool",
        dest="toggles",
        nargs="?",
        action=_Toggles,
        metavar="NAME",
        help="switch a tool on (all of them)",
    )
    add("-T", "--no-tool", dest="toggles", nargs="?", action=_Toggles, metavar="NAME", help="switch a tool off (all)")
    use = parser.add_mutually_exclusive_group()
    use.add_argument("--tool-use", nargs="?", const=True, metavar="NAME", help="the model must use a tool (this one)")
    use.add_argument("--no-tool-use", dest="tool_use", action="store_false", help="the model must use none")
    add("--cfg", action="append", metavar="KEY=VALUE", help="set a key of the configuration for this run")
    if query:
        add("--json", action="store_true", help="every event on stdout, one JSON object a line")
        add("--non-interactive", action="store_true", help="nobody is asked; the policies decide")
    else:
        add("--version", action="store_true", help="print the version and end")
    return parser


def _common(parser: Parser) -> None:
    parser.add_argument("--workspace", metavar="DIR", help="the folder to work in (default: this one)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line on stdout")
    parser.add_argument(
        "--cfg", action="append", metavar="KEY=VALUE", help="set a key of the configuration for this run"
    )
