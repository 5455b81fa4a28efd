"""Interface between engine and tools (HOUSE: "A tool gets one value"). A tool is stateless: if it needs an answer it
returns NeedsInput, and the engine runs it again from scratch with the same arguments and all answers so far
(inquiries.md R97)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.model import Message, StopReason
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.types import FormView, Question, QuestionEnd
from jp_tui.questions.types import GivenAnswer as GivenAnswer
from jp_tui.system.ignore_lists import IgnoreText
from jp_tui.tools.files.backups import Copies

if TYPE_CHECKING:
    from jp_tui.conversation.strict_json_faults import Misread


@dataclass(frozen=True, slots=True)
class NeedsInput:
    """The tool needs an answer to this question; `form` if it is one of several."""

    question: Question
    form: FormView | None = None


@dataclass(frozen=True, slots=True)
class NeedsReview:
    """All questions of a form are answered, and the user may review it before it is submitted (R182b). Only if
    `ToolCall.reviews` is true; the run with `reviewed` returns the result."""

    form: FormView


Outcome = Success | Failure | NeedsInput | NeedsReview


@dataclass(frozen=True, slots=True)
class FormLeft:
    """`ask_user` only: the user closed the form, with or without a reply (R179)."""

    text: str | None


class Cancel:
    """Cancellation of a run: a tool checks it between steps or registers a callback."""

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
        """Call this function on cancellation, at once if it already happened."""
        self._told.append(tell)
        if self._called:
            tell()


@dataclass(frozen=True, slots=True)
class Spawn:
    """Request for a sub-agent. `model` is PROVIDER/MODEL or an alias, empty for the caller's own; `tools` names those
    it gets, None for all that it may have."""

    task: str
    name: str = ""
    model: str = ""
    tools: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A step of the plan (K40)."""

    step: str
    status: Literal["pending", "in_progress", "completed"] = "pending"


class PlanKeeper(Protocol):
    """Operations of a tool on the conversation's plan (K40, K42). Both raise JournalError."""

    async def update(self, steps: Sequence[PlanStep], explanation: str) -> None:
        """Record the plan."""

    async def accepted(self, steps: Sequence[PlanStep], *, edits: bool) -> None:
        """Record the plan and end plan mode. `edits`: changes of files are applied without asking, until the turn
        ends."""


Spawner = Callable[[Spawn], Awaitable[Success | Failure]]
"""Runs a sub-agent to its end; the result is its last message. Cancelling the call ends the sub-agent."""


@dataclass(frozen=True, slots=True)
class HistoryPart:
    """Requested part of a conversation's log: the result of a call, the record of answers, what contains a text, or,
    with none of them, all."""

    call: str = ""
    record: bool = False
    search: str = ""


class HistoryReader(Protocol):
    """The log of the conversation that a call belongs to, as text."""

    def pieces(self, part: HistoryPart) -> AsyncIterator[str]:
        """The parts of the text, in order."""


class SkillReader(Protocol):
    """Skills as they are now (K51). Both raise ValueError with a message."""

    def skill(self, name: str) -> str:
        """Return a skill's text, with the list of its files."""

    def file(self, name: str, path: str) -> str:
        """Return one of its files, whole."""


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """Request of a tool to the conversation's model, with exactly these messages and no tools (mcp.md P46)."""

    messages: tuple[Message, ...]
    max_tokens: int
    system: str = ""
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Sampled:
    """Reply of a model: its text, and why it stopped."""

    text: str
    reason: StopReason


class Sampler(Protocol):
    """The model that a call may ask, after the user allowed it."""

    @property
    def model(self) -> str:
        """Return PROVIDER/MODEL."""

    @property
    def images(self) -> bool | None:
        """True if it accepts images; None if unknown."""

    async def sample(self, request: SampleRequest) -> Sampled:
        """Return the reply, and record it with the call. Raises ModelError."""


async def _usable(schema: JsonObject) -> str | None:
    return "schemas cannot be checked here"


async def _problems(schema: JsonObject, value: Json) -> list[tuple[str, str]]:
    return [("", "schemas cannot be checked here")]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One execution. `answers` are keyed by the bare question id, in order; `usable` returns why a JSON Schema can't be
    used (V9), None if it can; `reviews` and `reviewed` belong to NeedsReview. `conversation` and `workspace` are ids
    for a local tool's templates (R83). `refused` are the targets refused in this turn (R247): a tool that would change
    one without a question must ask. `leave`: a person permitted this call, once or for the turn (R86, R89). `id` is the
    call's, unique in its conversation; `problems` returns what is wrong with a value, as places and texts. `ended`: the
    last question of a tool that `serves` ended so, without an answer. `spawn` is None where sub-agents aren't allowed:
    in a sub-agent's own calls (R224). `copies` backs up files before they change. `sampler` asks the conversation's
    model. `declined` are digests of questions that the user declined before this process ran."""

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
    history: HistoryReader | None = None
    ignored: Callable[[], Sequence[IgnoreText]] = tuple
    plan: PlanKeeper | None = None
    skills: SkillReader | None = None
    id: str = ""
    problems: Callable[[JsonObject, Json], Awaitable[list[tuple[str, str]]]] = _problems
    ended: QuestionEnd = ""
    sampler: Sampler | None = None
    declined: frozenset[str] = frozenset()


class Tool(Protocol):
    """Built-in tool. All its data (description, parameters, settings) is in config/tools.toml."""

    @property
    def source(self) -> SourceKind:
        """Return the source of its questions: `tool`, or `assistant` for ask_user (R18, R158)."""

    def title(self, arguments: JsonObject) -> str:
        """Return the call's subject as one line from its arguments (a path, a pattern); untrusted text."""

    async def run(self, call: ToolCall) -> Outcome:
        """Run the call or return what is missing. Errors are returned as Failure; an exception is a bug."""


class Formats(Protocol):
    """Tool with a command that formats its arguments (R68 `style.parameters`, R90)."""

    async def render(self, call: ToolCall) -> str:
        """Return the arguments for display; untrusted text. Raises RenderFailed with the error (M30)."""


@runtime_checkable
class Corrects(Protocol):
    """Tool with its own error text for arguments that the JSON parser refused (V19)."""

    def misread(self, name: str, found: Misread) -> str | None:
        """Return the error text for the model, reported as an error of `name`; None for the common form. Decides
        nothing else."""


@runtime_checkable
class Serves(Protocol):
    """Tool whose call stays open while its question is asked (mcp.md P40)."""

    @property
    def input_schema(self) -> JsonObject:
        """Return the schema of its arguments, which are checked before a person is asked (P22)."""

    def released(self, conversation: str, call: str) -> None:
        """The call isn't run again: it has its result, ends without one, or waits for a later start."""


def spawns(tool: object) -> bool:
    """True if the tool starts sub-agents. Sub-agents don't get such a tool (R224)."""
    return getattr(tool, "spawns", False) is True


def submits(tool: object) -> bool:
    """True for a tool that ends plan mode: it is offered in plan mode only (K41)."""
    return getattr(tool, "submits", False) is True


def loads_skills(tool: object) -> bool:
    """True for the tool that loads skills: it is offered only where there are some (K51)."""
    return getattr(tool, "loads_skills", False) is True


def applies(tool: object) -> bool:
    """True for a tool that asks `apply_changes` before it changes a file (K42)."""
    return getattr(tool, "applies", False) is True


def by_agent(tool: object) -> bool:
    """True for the calls of another maker's agent: no model is offered such a tool (N41)."""
    return getattr(tool, "by_agent", False) is True


def reasonless(tool: object) -> bool:
    """True if a no reaches the agent without its reason (N42)."""
    return getattr(tool, "reasonless", False) is True


def observed(tool: object, conversation: str, call: str) -> bool:
    """True for a call that an agent makes by itself: it only follows, and there is nothing to permit (N43)."""
    sees = getattr(tool, "observed", None)
    return by_agent(tool) and callable(sees) and sees(conversation, call) is True


def commands(tool: object) -> bool:
    """True if the tool runs a command line that it doesn't analyse itself: a refused target in it requires a person's
    decision, as for a local tool (R247)."""
    return getattr(tool, "commands", False) is True


class RenderFailed(Exception):
    """A formatter failed; `str(error)` is one line."""
