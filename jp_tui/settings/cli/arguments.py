"""The command line as values (surface.md): the command, its options, and their order.

Parsing starts no process, opens no file and reads no environment. `argparse` is imported only if there are arguments to
parse (traps.md T23). Commands of other versions have no stubs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jp_tui import __version__
from jp_tui.settings.errors import UsageError, nearest

if TYPE_CHECKING:
    from jp_tui.settings.cli.commands import Command
    from jp_tui.settings.cli.toggles import Toggle

_COMMAND = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
"""Shape of a command name. A one-word prompt also matches."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Parsed command line. `tool_use`: True forces any tool, a name forces that one, False forbids all (R78)."""

    command: Command = "workspace"
    prompt: str | None = None
    workspace: str | None = None
    model: str | None = None
    effort: str | None = None
    mode: str | None = None
    resume: str | None = None
    continue_last: bool = False
    theme: str | None = None
    cfg: tuple[str, ...] = ()
    toggles: tuple[Toggle, ...] = ()
    tool_use: bool | str | None = None
    json: bool = False
    non_interactive: bool = False
    conversation: str | None = None
    plain: bool = False
    plan: bool = False
    comment: tuple[str, ...] = ()
    pending: bool = False
    inquiry: str | None = None
    key: str | None = None
    value: str | None = None
    schema: bool = False
    yes: bool = False
    revoke: bool = False
    provider: str | None = None
    text: str | None = None
    title: str | None = None
    path: str | None = None
    at: str | None = None
    format: str | None = None
    output: str | None = None
    archived: bool = False
    deleted: bool = False
    undo: bool = False
    focus: str | None = None
    now: bool = False
    shell: str | None = None
    every: bool = False
    builtin: bool = False
    effect: str | None = None
    tool: str | None = None
    words: str | None = None
    exact: str | None = None
    host: str | None = None
    args: str | None = None
    whole_tool: bool = False
    folder: str | None = None
    everywhere: bool = False
    expires: str | None = None
    reason: str | None = None
    no_sandbox: bool = False
    ids: tuple[str, ...] = ()
    id: str | None = None
    least: str | None = None
    decline: bool = False
    remember: bool = False
    limit: str | None = None
    program: str | None = None
    project: bool = False
    anyway: bool = False
    kind: str | None = None
    option: tuple[str, ...] = ()
    default: str | None = None
    context: str | None = None
    schema_file: str | None = None
    timeout: str | None = None
    store: str | None = None
    role: str | None = None
    kind_of_role: str | None = None
    source: str | None = None
    server: str | None = None
    tools: tuple[str, ...] = ()
    call: tuple[tuple[str, ...], ...] = ()
    login: bool = False
    to: str | None = None
    dry_run: bool = False
    agent: str | None = None
    folders: tuple[str, ...] = ()
    action: str | None = None
    until: str | None = None
    deputy: str | None = None
    release: bool = False

    def flags(self) -> dict[str, tuple[tuple[str, ...], str]]:
        """Return the options that set a configuration key: flag → (path, value). They are the highest layer."""
        layer: dict[str, tuple[tuple[str, ...], str]] = {}
        if self.agent is not None:
            layer["--agent"] = (("assistant", "model", "id"), f"agent/{self.agent}")
        if self.model is not None:
            layer["--model"] = (("assistant", "model", "id"), self.model)
        if self.effort is not None:
            layer["--effort"] = (("assistant", "model", "effort"), self.effort)
        if self.mode is not None:
            layer["--mode"] = (("conversation", "mode"), self.mode)
        if self.theme is not None:
            layer["--theme"] = (("ui", "theme"), self.theme)
        if self.store is not None:
            layer["--store"] = (("store", "url"), self.store)
        if self.tool_use is not None:
            flag = "--no-tool-use" if self.tool_use is False else "--tool-use"
            forced = self.tool_use if isinstance(self.tool_use, str) else "required" if self.tool_use else "none"
            layer[flag] = (("assistant", "tool_choice"), forced)
        return layer


@dataclass(frozen=True, slots=True)
class Show:
    """Print this text on stdout and exit with status 0 (help, version)."""

    text: str


def parse(argv: Sequence[str]) -> CommandLine | Show:
    """Parse the arguments after the program's name. Raises UsageError (exit 2) for invalid ones."""
    if not argv:
        return CommandLine()
    for word in argv:
        if not _encodable(word):
            raise UsageError(f"an argument is not UTF-8: {word.encode('utf-8', 'backslashreplace').decode()}")
    from jp_tui.settings.cli import parsers

    try:
        command, rest = parsers.split(argv)
        parsed = parsers.make(command).parse_args(rest)
    except parsers.Helped as helped:
        return Show(helped.text)
    return _arguments(command, vars(parsed), first=argv[0], escaped="--" in argv)


def _encodable(word: str) -> bool:
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _arguments(command: Command, parsed: dict[str, Any], *, first: str, escaped: bool) -> CommandLine | Show:
    from jp_tui.settings.cli import parsers

    if parsed.pop("version", False):
        return Show(f"jp-tui {__version__}\n")
    words: list[str] = (parsed.pop("words", None) or []) if command in ("workspace", "query") else []
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in parsed.items()}
    if command in ("workspace", "query"):
        values["prompt"] = _prompt(command, words, values, first=first, escaped=escaped)
    if command == "answer" and values.get("value") is None and not values.get("decline"):
        raise UsageError(f"the following arguments are required: VALUE{parsers.DASH} (jp-tui answer --help shows how)")
    if folders := values.get("folders"):
        values["workspace"] = folders[0]
    return CommandLine(command, **values)


def _prompt(command: Command, words: list[str], given: dict[str, Any], *, first: str, escaped: bool) -> str | None:
    """Return the prompt. A bare word in the place of a command is an unknown command (Z10); after an option, only if it
    is close to the name of a command."""
    if not words:
        resumes = given.get("continue_last") or given.get("resume") is not None
        if command == "query" and not resumes:
            raise UsageError(
                'query needs a prompt: jp-tui query "PROMPT", or - to read it from standard input; '
                "-c and -r ID without one resume a conversation"
            )
        return None
    from jp_tui.settings.cli.commands import COMMANDS

    word = words[0]
    if command == "workspace" and not escaped and _COMMAND.fullmatch(word):
        near = nearest(word, COMMANDS)
        if near or (word == first and len(words) == 1):
            raise UsageError(f"unknown command {word}; to send it as a prompt: jp-tui -- {word}", near)
    if len(words) > 1:
        raise UsageError(f"one prompt, in quotes; {words[1]} is an extra word")
    return word
