"""Shell completions for `jp-tui`, generated from the data behind the parsers and the help.

Pure: names from the user's files are arguments. Only names without shell syntax are offered: the name of a theme file
or an alias is untrusted text and must never run when Tab is pressed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from jp_tui.settings.cli.commands import COMMANDS, Command, subcommands
from jp_tui.settings.cli.parsers import Parser, make

Shell = Literal["bash", "zsh", "fish"]
SHELLS: tuple[Shell, ...] = get_args(Shell)
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/+@-]*")
_FOLDER = "DIR"


@dataclass(frozen=True, slots=True)
class Flag:
    """Option: its names, its description, and its value's placeholder, empty for a switch."""

    names: tuple[str, ...]
    help: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class CompletionLine:
    """Command as typed, empty for the workspace, with its options and the placeholder of its first argument."""

    command: str
    flags: tuple[Flag, ...]
    takes: str = ""


@dataclass(frozen=True, slots=True)
class Values:
    """Candidates for each placeholder: THEME, P/M, TOOL, KEY and so on → names."""

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, **found: Iterable[str]) -> Values:
        """Keep the names without shell syntax, each once; own commands begin with a slash."""
        plain = {name: [w for w in words if _PLAIN.fullmatch(w.removeprefix("/"))] for name, words in found.items()}
        kept = {name: tuple(dict.fromkeys(words)) for name, words in plain.items()}
        return cls(kept)

    def get(self, name: str) -> tuple[str, ...]:
        return self.words.get(name, ())


_KINDS = {
    "--theme": "themes",
    "--model": "models",
    "-t": "tools",
    "-T": "tools",
    "--tool-use": "tools",
    "config show": "keys",
    "config set": "keys",
    "models": "providers",
    "mcp accept": "servers",
    "mcp login": "servers",
    "mcp logout": "servers",
    "mcp test": "servers",
    "completions": "shells",
    "query": "commands",
    "": "commands",
}


def lines() -> list[CompletionLine]:
    """Return every command, the workspace first."""
    names = [name for first in COMMANDS for name in ([f"{first} {word}" for word in subcommands(first)] or [first])]
    return [_line("workspace", ""), *(_line(cast("Command", name), name) for name in names)]


def _line(command: Command, typed: str) -> CompletionLine:
    parser: Parser = make(command)
    flags: list[Flag] = []
    takes = ""
    for action in parser._actions:
        if action.option_strings:
            shown = action.metavar if isinstance(action.metavar, str) and action.nargs != 0 else ""
            flags.append(Flag(tuple(action.option_strings), str(action.help or ""), shown))
        elif not takes and isinstance(action.metavar, str):
            takes = action.metavar
    return CompletionLine(typed, tuple(flags), takes)


def script(shell: Shell, values: Values) -> str:
    """Return the script that a shell sources."""
    made = lines()
    body = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](made, values)
    return "\n".join([*body, ""])


def _after(made: list[CompletionLine], values: Values) -> dict[str, tuple[str, ...] | None]:
    """Map each option with a value to its candidates: names, None for a folder, empty if any text is valid."""
    found: dict[str, tuple[str, ...] | None] = {}
    for line in made:
        for flag in line.flags:
            if flag.value:
                words = values.get(next((_KINDS[name] for name in flag.names if name in _KINDS), ""))
                for name in flag.names:
                    found[name] = None if flag.value == _FOLDER else words
    return found


def _optional() -> tuple[str, ...]:
    """Return options with an optional value; another word may follow them."""
    return ("-t", "--tool", "-T", "--no-tool", "--tool-use")


def _offers(line: CompletionLine, values: Values) -> tuple[str, ...]:
    """Return the candidates after a command."""
    names = tuple(name for flag in line.flags for name in flag.names)
    words = values.get(_KINDS.get(line.command, "")) if line.takes else ()
    first = tuple(COMMANDS) if not line.command else ()
    return (*first, *words, *names)


def _families() -> dict[str, tuple[str, ...]]:
    return {first: subcommands(first) for first in COMMANDS if subcommands(first)}


def _bash(made: list[CompletionLine], values: Values) -> Iterator[str]:
    yield "# Completions of jp-tui for bash: source <(jp-tui completions bash)"
    yield "_jp_tui() {"
    yield '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" command="" skip="" word words=""'
    yield '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield from _walk(made, values, "    ")
    yield "  done"
    yield '  case "$prev" in'
    yield from _values(
        made, values, "$cur", 'COMPREPLY=($(compgen -d -- "$cur"))', 'COMPREPLY=($(compgen -W "{}" -- "$cur"))'
    )
    yield "  esac"
    yield '  case "$command" in'
    for typed, offers in _cases(made, values):
        yield f'    "{typed}") words="{" ".join(offers)}" ;;'
    yield "  esac"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$cur"))'
    yield "}"
    yield "complete -o default -F _jp_tui jp-tui"


def _zsh(made: list[CompletionLine], values: Values) -> Iterator[str]:
    yield "#compdef jp-tui"
    yield "# Completions of jp-tui for zsh: jp-tui completions zsh > _jp-tui, in a folder of $fpath"
    yield "_jp_tui() {"
    yield '  local command="" skip="" word'
    yield '  for word in "${(@)words[2,CURRENT-1]}"; do'
    yield from _walk(made, values, "    ")
    yield "  done"
    yield '  case "${words[CURRENT-1]}" in'
    yield from _values(made, values, "${words[CURRENT]}", "_files -/", "compadd -- {}")
    yield "  esac"
    yield '  case "$command" in'
    for typed, offers in _cases(made, values):
        yield f'    "{typed}") compadd -- {" ".join(offers)} ;;'
    yield "  esac"
    yield "}"
    yield 'if [[ "${funcstack[1]}" == _jp-tui ]]; then _jp_tui "$@"; else compdef _jp_tui jp-tui; fi'


def _values(made: list[CompletionLine], values: Values, current: str, folder: str, reply: str) -> Iterator[str]:
    """Generate the cases for the value of an option; `folder` and `reply` are the shell's commands."""
    for name, words in _after(made, values).items():
        said = folder if words is None else reply.format(" ".join(words))
        if name in _optional():
            yield f'    {name}) [[ "{current}" == -* ]] || {{ {said}; return; }} ;;'
        else:
            yield f"    {name}) {said}; return ;;"


def _walk(made: list[CompletionLine], values: Values, margin: str) -> Iterator[str]:
    """Generate the code that finds the command before the cursor; identical for both shells."""
    skips = [name for name in _after(made, values) if name not in _optional()]
    families = "|".join(_families())
    yield f'{margin}if [[ -n "$skip" ]]; then skip=""; continue; fi'
    yield f'{margin}case "$word" in'
    yield f"{margin}  {'|'.join(skips)}) skip=1 ;;"
    yield f"{margin}  -*) ;;"
    yield f'{margin}  *) case "$command" in'
    yield f'{margin}       "") command="$word" ;;'
    if families:
        yield f'{margin}       {families}) command="$command $word" ;;'
    yield f"{margin}     esac ;;"
    yield f"{margin}esac"


def _cases(made: list[CompletionLine], values: Values) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield from _families().items()
    for line in made:
        yield line.command, _offers(line, values)


def _fish(made: list[CompletionLine], values: Values) -> Iterator[str]:
    yield "# Completions of jp-tui for fish: jp-tui completions fish > ~/.config/fish/completions/jp-tui.fish"
    yield "complete -c jp-tui -f"
    for line in made:
        first, _, second = line.command.partition(" ")
        when = f"__fish_seen_subcommand_from {first}" if first else "__fish_use_subcommand"
        if second:
            yield f"complete -c jp-tui -n '{when}' -a {second}"
            when += f"; and __fish_seen_subcommand_from {second}"
        elif first:
            yield f"complete -c jp-tui -n __fish_use_subcommand -a {first}"
        if line.takes and (words := values.get(_KINDS.get(line.command, ""))):
            yield f"complete -c jp-tui -n '{when}' -a '{' '.join(words)}'"
        for flag in line.flags:
            yield _fish_flag(when, flag, values)


def _fish_flag(when: str, flag: Flag, values: Values) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)
    help_ = flag.help.replace("\\", "\\\\").replace("'", "\\'")
    takes = ""
    if flag.value == _FOLDER:
        takes = " -r -a '(__fish_complete_directories)'"
    elif flag.value:
        words = values.get(next((_KINDS[name] for name in flag.names if name in _KINDS), ""))
        needed = "" if any(name in _optional() for name in flag.names) else " -r"
        takes = needed + (f" -a '{' '.join(words)}'" if words else "")
    return f"complete -c jp-tui -n '{when}' {names}{takes} -d '{help_}'"
