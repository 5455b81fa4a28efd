"""What is known of one tool call while it is worked on, and how a call ends. Data only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jp_tui.conversation.events import ToolCallResponse
from jp_tui.conversation.model import Call
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.dependencies import ToolSetup
from jp_tui.protocol.values import AgentInfo, CallEnd
from jp_tui.tools.files.backups import Copies
from jp_tui.tools.port import Cancel, FormLeft, GivenAnswer, Spawner, Tool, ToolCall

Usable = Callable[[JsonObject], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class CallResult:
    """The response of a call; `end` says how for the sidebar, `own` that it is what the tool itself said."""

    content: str
    is_error: bool
    end: CallEnd
    own: bool = False


@dataclass(frozen=True, slots=True)
class ResumedCalls:
    """What is known of calls of a turn that was cut off, by call: answers (R237), and results that wait for leave to be
    delivered. `begun`: there was such a turn; `stays` are calls that wait for a person, whom nobody is (E52);
    `agents` the sub-agents that they had started."""

    answers: Mapping[str, Mapping[str, GivenAnswer]] = field(default_factory=dict)
    results: Mapping[str, ToolCallResponse] = field(default_factory=dict)
    begun: bool = False
    stays: frozenset[str] = frozenset()
    agents: Mapping[str, AgentInfo] = field(default_factory=dict)


class Deferred(Exception):
    """The call's question stays open for later (R230)."""


@dataclass(slots=True)
class ToolCallState:
    """`arguments` are what runs, `edited` that they are not the model's; `permission` and `delivery` say who decided,
    for the record; `ms` is how long it ran, without the `waited` seconds in which somebody was asked (Z15); `kept` is
    its result of an earlier run; `allowed` are refused targets that a person let it touch all the same;
    `tool_error` is what the tool itself said, when the model reads other words (R143), `rejections` how often this was
    rejected, when the model is told to stop; `rejected_by` is who said the "no"
    that made the tool fail (`repeats.rejecter`); `agent` is the sub-agent that it
    runs, or ran before the turn was cut off; `leaves`: it is called off to be taken up again; `said` is the last line
    of what it writes."""

    call: Call
    setup: ToolSetup
    tool: Tool
    arguments: JsonObject
    root: Path
    conversation: str
    workspace: str = ""
    title: str = ""
    rendered: str | None = None
    edited: bool = False
    answers: Mapping[str, GivenAnswer] = field(default_factory=dict)
    replied: FormLeft | None = None
    reviewed: bool = False
    cancel: Cancel = field(default_factory=Cancel)
    permission: JsonObject = field(default_factory=dict)
    delivery: JsonObject = field(default_factory=dict)
    ms: int | None = None
    waited: float = 0.0
    kept: CallResult | None = None
    allowed: set[str] = field(default_factory=set)
    tool_error: str = ""
    rejections: int = 0
    rejected_by: str = ""
    agent: AgentInfo | None = None
    leaves: bool = False
    said: str = ""

    def edit(self, arguments: JsonObject) -> None:
        """Other arguments run; how the first were shown does not hold for them (R90)."""
        self.arguments, self.edited, self.rendered = arguments, True, None

    def restore(self, result: ToolCallResponse) -> None:
        """It ran before the program ended: what came of it is asked about again, and it does not run."""
        about = result.metadata
        end: CallEnd = "declined" if about.get("end") == "declined" else "error" if result.is_error else "ok"
        self.kept = CallResult(result.content, result.is_error, end, own=True)
        if isinstance(ms := about.get("ms"), int):
            self.ms = ms
        if isinstance(permission := about.get("permission"), dict):
            self.permission = permission
        if isinstance(arguments := about.get("edited_arguments"), dict):
            self.edit(arguments)
        if isinstance(rendered := about.get("rendered"), str):
            self.rendered = rendered

    def execution(
        self,
        usable: Usable,
        *,
        reviews: bool = False,
        refused: frozenset[str] = frozenset(),
        spawn: Spawner | None = None,
        copies: Copies | None = None,
        progress: Callable[[str], None] = lambda _: None,
    ) -> ToolCall:
        """One run, as the tool gets it; the arguments as in ToolCall."""
        return ToolCall(
            arguments=self.arguments,
            root=self.root,
            answers=self.answers,
            options=self.setup.options,
            replied=self.replied,
            cancel=self.cancel,
            progress=progress,
            conversation=self.conversation,
            workspace=self.workspace,
            usable=usable,
            reviews=reviews,
            reviewed=self.reviewed,
            refused=refused,
            leave=self.permission.get("choice") in ("run", "edit") and self.permission.get("by") != "policy",
            spawn=spawn,
            copies=copies,
        )
