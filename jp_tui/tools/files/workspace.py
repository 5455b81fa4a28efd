"""Shared parts of the file tools: argument parsing, the open root, and the conversion of errors to text.

A tool subclasses FileTool with `keys` and `work`. All problems of the arguments are reported at once: an unknown
argument or a wrong type is a problem, never a guess. Approvals are in `approval.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.bounds import beyond, short
from jp_tui.system.files import FileProblem, Root
from jp_tui.system.ignore_lists import IgnoreLists, IgnoreProblem
from jp_tui.tools.files.backups import BackupRoot
from jp_tui.tools.files.guard import SECRETS
from jp_tui.tools.port import Outcome, ToolCall

MAX_SHOWN = 48 * 1024
"""Bytes of a result that a model reads at once; every tool says how to get the rest. Roughly 12,000 tokens."""


def secrets(call: ToolCall) -> tuple[str, ...]:
    """Return the name rules for secrets: the configured `options.secrets`, else the built-in ones."""
    names = call.options.get("secrets")
    return tuple(map(str, names)) if isinstance(names, list) else SECRETS


def hides(call: ToolCall) -> Callable[[str, bool], str] | None:
    """Return what names the ignore list that hides a path; None if no list hides anything. Raises IgnoreProblem."""
    lists = IgnoreLists(call.ignored())
    return lists.hidden if lists else None


MOST_PROBLEMS = 40
"""Problems reported at once, so that the model's context isn't flooded."""


def one_line_each(tool: str, problems: Sequence[str]) -> str:
    """Return each problem on a line, and how many more there are."""
    told = [f"{tool}: {problem}" for problem in problems[:MOST_PROBLEMS]]
    if (more := len(problems) - MOST_PROBLEMS) > 0:
        told.append(f"{tool}: {more:,} more problems were found.")
    return "\n".join(told)


class ToolRefusal(Exception):
    """Reason why a tool refuses to act, as text for the model."""


class CallArguments:
    """Arguments of one call; problems are collected until `check`."""

    def __init__(self, tool: str, given: JsonObject, keys: frozenset[str]) -> None:
        self._tool, self._given = tool, given
        outside = beyond(given, max_bytes=4 << 20)
        self._problems = [outside[2]] if outside else []
        self._problems += [f"`{short(key)}` is not an argument of this tool." for key in given if key not in keys]

    def text(self, key: str, *, required: bool = False, blank: bool = False) -> str:
        """Return a text; "" if absent. A required one must not be empty unless `blank`."""
        value = self._given.get(key)
        if value is None and not required:
            return ""
        if not isinstance(value, str):
            self._problems.append(f"`{key}` is required." if value is None else f"`{key}` must be text.")
            return ""
        if not value and required and not blank:
            self._problems.append(f"`{key}` must not be empty.")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of non-empty texts; () if absent."""
        value = self._given.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            self._problems.append(f"`{key}` must be a list of texts, none of them empty.")
            return ()
        return tuple(str(one) for one in value)

    def number(self, key: str, low: int, high: int, default: int) -> int:
        """Return a whole number within bounds; 3.0 counts as 3, true isn't a number."""
        value = self._given.get(key)
        if value is None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self._problems.append(f"`{key}` must be a whole number from {low} to {high}.")
            return default
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self._given.get(key)
        if isinstance(value, bool) or value is None:
            return default if value is None else value
        self._problems.append(f"`{key}` must be true or false.")
        return default

    def json(self, key: str) -> Json:
        """Return the raw value, for a tool that validates it itself."""
        return self._given.get(key)

    def problem(self, sentence: str) -> None:
        """Add a problem found by the tool."""
        self._problems.append(sentence)

    def problems_of(self, inner: CallArguments, where: str) -> None:
        """Add the problems of nested arguments."""
        self._problems += [f"{where}: {problem}" for problem in inner._problems]

    def check(self) -> None:
        """Raise ToolRefusal with every problem, one sentence per line."""
        if self._problems:
            raise ToolRefusal(one_line_each(self._tool, self._problems))


class FileTool:
    """Base of tools that work on files below a root; see `jp_tui.tools.port.Tool`."""

    name: ClassVar[str]
    keys: ClassVar[frozenset[str]]
    about: ClassVar[str] = "path"

    @property
    def source(self) -> SourceKind:
        return "tool"

    def title(self, arguments: JsonObject) -> str:
        """Return the argument that names the call's subject."""
        value = arguments.get(self.about)
        return value[:200] if isinstance(value, str) else ""

    async def run(self, call: ToolCall) -> Outcome:
        """Do the work; errors become a Failure in plain text."""
        try:
            arguments = CallArguments(self.name, call.arguments, self.keys)
            hidden = hides(call)
            kept = call.copies
            opened = Root(call.root, hidden=hidden) if kept is None else BackupRoot(call.root, kept, hidden=hidden)
            with opened as root:
                return await self.work(call, arguments, root)
        except (ToolRefusal, FileProblem, IgnoreProblem) as problem:
            return Failure(str(problem))

    async def work(self, call: ToolCall, arguments: CallArguments, root: Root) -> Outcome:
        """Do the tool's own work. Raises ToolRefusal and FileProblem."""
        raise NotImplementedError
