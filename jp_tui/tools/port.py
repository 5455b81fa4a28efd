"""What the engine hands a tool and what it gets back (HOUSE: "A tool gets one value").

A tool is stateless: when it needs to know something it returns NeedsInput and is run again from scratch with
the same arguments and all answers so far (inquiries.md R97).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.questions.types import FormView, Question
from jp_tui.questions.types import GivenAnswer as GivenAnswer
from jp_tui.tools.files.backups import Copies

if TYPE_CHECKING:
    from jp_tui.conversation.strict_json_faults import Misread


@dataclass(frozen=True, slots=True)
class NeedsInput:
    """The tool cannot go on without an answer to this question; `form` when it is one of several."""

    question: Question
    form: FormView | None = None


@dataclass(frozen=True, slots=True)
class NeedsReview:
    """Every question of a form is answered; the human may look at all of it before it counts (R182b). Only where
    `ToolCall.reviews` says so; run again with `reviewed` it comes to its result."""

    form: FormView


Outcome = Success | Failure | NeedsInput | NeedsReview


@dataclass(frozen=True, slots=True)
class FormLeft:
    """`ask_user` only: the user left the form with words or without (R179)."""

    text: str | None


class Cancel:
    """Whether the run was called off: a tool looks between steps, or is told."""

    __slots__ = ("_called", "_told")

    def __init__(self) -> None:
        self._called = False
        self._told: list[Callable[[], object]] = []

    @property
    def called(self) -> bool:
        return self._called

    @called.setter
    def called(self, value: bool) -> None:
        self._called = value
        if value:
            for tell in self._told:
                tell()

    def then(self, tell: Callable[[], object]) -> None:
        """Call this when the run is called off, at once if it was already."""
        self._told.append(tell)
        if self._called:
            tell()


@dataclass(frozen=True, slots=True)
class Spawn:
    """A sub-agent that is wanted. `model` is PROVIDER/MODEL or an alias, empty for the caller's own; `tools` the names
    of those it gets, None for all that it may have."""

    task: str
    name: str = ""
    model: str = ""
    tools: tuple[str, ...] | None = None


Spawner = Callable[[Spawn], Awaitable[Success | Failure]]
"""Runs a sub-agent to its end; the result is what it said last. Cancelling it ends the sub-agent."""


async def _usable(schema: JsonObject) -> str | None:
    return "schemas cannot be checked here"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One execution. `answers` is keyed by the bare question id, in the order they were given; `usable` says why a JSON
    Schema cannot be used (V9), None when it can; `reviews` and `reviewed` are NeedsReview's. `conversation` and
    `workspace` are the ids that a local tool's templates may name (R83). `refused` are the targets that somebody said
    no to in this turn (R247): a tool that would change one without asking asks. `leave`: a person
    gave leave to run this call, now or for the rest of the turn (R86, R89). `spawn` is None where no sub-agent may
    be started: one of a sub-agent's own calls (R224). `copies` keeps what files held before they are changed."""

    arguments: JsonObject
    root: Path
    answers: Mapping[str, GivenAnswer] = field(default_factory=dict)
    options: JsonObject = field(default_factory=dict)
    replied: FormLeft | None = None
    cancel: Cancel = field(default_factory=Cancel)
    conversation: str = ""
    workspace: str = ""
    progress: Callable[[str], None] = lambda _: None
    usable: Callable[[JsonObject], Awaitable[str | None]] = _usable
    reviews: bool = False
    reviewed: bool = False
    refused: frozenset[str] = frozenset()
    leave: bool = False
    spawn: Spawner | None = None
    copies: Copies | None = None


class Tool(Protocol):
    """A built-in tool. Everything that can be data (description, parameters, settings) stands in config/tools.toml."""

    @property
    def source(self) -> SourceKind:
        """Whom its questions come from: `tool`, or `assistant` for ask_user (R18, R158)."""

    def title(self, arguments: JsonObject) -> str:
        """What the call is about in one line, from its arguments (a path, a pattern); foreign text."""

    async def run(self, call: ToolCall) -> Outcome:
        """Do it, or say what is missing. Errors come back as Failure; an exception is a bug."""


class Formats(Protocol):
    """A tool whose own command shows its arguments (R68 `style.parameters`, R90)."""

    async def render(self, call: ToolCall) -> str:
        """The arguments as people should see them; foreign text. Raises RenderFailed with what went wrong (M30)."""


@runtime_checkable
class Corrects(Protocol):
    """A tool with words of its own for arguments that never reached it, because the JSON gate refused them (V19)."""

    def misread(self, name: str, found: Misread) -> str | None:
        """What the model reads, to be told as an error of `name`; None for the common form. Decides nothing else."""


def spawns(tool: object) -> bool:
    """Whether it starts sub-agents: it says so itself, and a sub-agent does not get it (R224)."""
    return getattr(tool, "spawns", False) is True


def commands(tool: object) -> bool:
    """Whether what it changes stands in a command line that it does not judge itself: a refused target in it makes the
    call a person's to decide, as for a local tool (R247)."""
    return getattr(tool, "commands", False) is True


class RenderFailed(Exception):
    """A formatter failed; `str(error)` is one line."""
