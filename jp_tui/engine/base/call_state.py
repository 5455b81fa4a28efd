"""State of one tool call while it is processed, and its possible results. Data only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jp_tui.conversation.events import ToolCallResponse
from jp_tui.conversation.images import pictures
from jp_tui.conversation.model import Call, Picture, Usage
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.engine.base.dependencies import ToolSetup
from jp_tui.protocol.values import AgentInfo, CallEnd
from jp_tui.questions.types import QuestionEnd
from jp_tui.rules.values import CALL
from jp_tui.system.ignore_lists import IgnoreText
from jp_tui.tools.files.backups import Copies
from jp_tui.tools.port import (
    Cancel,
    FormLeft,
    GivenAnswer,
    HistoryReader,
    PlanKeeper,
    Sampler,
    SkillReader,
    Spawner,
    Tool,
    ToolCall,
)

MAY_HAVE_RUN = "may_have_run"
"""Id of the question about a call that may have run (store.md D21); no tool hears its answer."""
Usable = Callable[[JsonObject], Awaitable[str | None]]
Problems = Callable[[JsonObject, Json], Awaitable[list[tuple[str, str]]]]


@dataclass(frozen=True, slots=True)
class CallResult:
    """Response of a call; `end` names its result for the sidebar, `own`: the content is the tool's own; `structured`
    is kept in the log beside it, as are `images`, which the model sees (mcp.md P24)."""

    content: str
    is_error: bool
    end: CallEnd
    own: bool = False
    structured: Json = None
    images: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class ResumedCalls:
    """Known facts about calls of an unfinished turn, by call: answers (R237), and results that wait for permission to
    be delivered. `begun`: there was such a turn; `stays` are calls that wait for a person while no client is attached
    (E52); `agents` are the sub-agents they had started; `unsure` are calls that may have run, as in ResumableTurn;
    `declined` the digests of questions whose server reads a no, `asked` the latest question that a call's server
    asked."""

    answers: Mapping[str, Mapping[str, GivenAnswer]] = field(default_factory=dict)
    results: Mapping[str, ToolCallResponse] = field(default_factory=dict)
    begun: bool = False
    stays: frozenset[str] = frozenset()
    agents: Mapping[str, AgentInfo] = field(default_factory=dict)
    unsure: Mapping[str, str] = field(default_factory=dict)
    declined: Mapping[str, frozenset[str]] = field(default_factory=dict)
    asked: Mapping[str, str] = field(default_factory=dict)


class Deferred(Exception):
    """The call's question stays open for later (R230)."""


@dataclass(slots=True)
class ToolCallState:
    """`arguments` are those that run, `edited`: they aren't the model's; `permission` and `delivery` record who
    decided; `ms` is the run time without the `waited` seconds of questions (Z15); `kept` is its earlier result;
    `allowed` are refused targets that a person permitted nonetheless; `tool_error` is the tool's own error, if the
    model reads another text (R143), `rejections` how often this was rejected, if the model must stop; `rejected_by` is
    who said the "no" that made the tool fail (`repeats.rejecter`); `agent` is its sub-agent, also of an earlier run;
    `leaves`: it is cancelled to be resumed later; `said` is the latest line of its output; `walled`: it may run only
    because it runs in a sandbox, so this does not permit a run without one; `ignored` reads the ignore lists; `ended`
    is how its last question ended without an answer, if the call goes on, and `words` are the user's replies to
    such; `sampled` are the model's replies to its server, in the form of the log, and `spent` their tokens (P46);
    `declined` as in ToolCall; `ran_before` is the question up to which it ran in an earlier process (P43)."""

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
    walled: bool = False
    ignored: Callable[[], Sequence[IgnoreText]] = tuple
    ended: QuestionEnd = ""
    words: list[str] = field(default_factory=list)
    sampled: list[JsonObject] = field(default_factory=list)
    spent: Usage = field(default_factory=Usage)
    declined: frozenset[str] = frozenset()
    ran_before: str = ""

    def edit(self, arguments: JsonObject) -> None:
        """Replace the arguments that run; the display of the former ones no longer applies (R90)."""
        self.arguments, self.edited, self.rendered = arguments, True, None

    def restore(self, result: ToolCallResponse) -> None:
        """Restore a result from before the program's end: its delivery is asked about again, and the tool doesn't
        run."""
        about = result.metadata
        end: CallEnd = "declined" if about.get("end") == "declined" else "error" if result.is_error else "ok"
        images = tuple(pictures(about))
        self.kept = CallResult(result.content, result.is_error, end, own=True, images=images)
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
        problems: Problems | None = None,
        reviews: bool = False,
        refused: frozenset[str] = frozenset(),
        spawn: Spawner | None = None,
        copies: Copies | None = None,
        history: HistoryReader | None = None,
        plan: PlanKeeper | None = None,
        skills: SkillReader | None = None,
        progress: Callable[[str], None] = lambda _: None,
        sampler: Sampler | None = None,
    ) -> ToolCall:
        """Build one execution for the tool; the arguments as in ToolCall."""
        return ToolCall(
            arguments=self.arguments,
            root=self.root,
            answers={name: given for name, given in self.answers.items() if name not in (CALL, MAY_HAVE_RUN)},
            options=self.setup.options,
            replied=self.replied,
            cancel=self.cancel,
            progress=progress,
            conversation=self.conversation,
            workspace=self.workspace,
            ignored=self.ignored,
            usable=usable,
            reviews=reviews,
            reviewed=self.reviewed,
            refused=refused,
            leave=not self.walled
            and self.permission.get("choice") in ("run", "edit")
            and self.permission.get("by") not in ("policy", "mode", "reviewer"),
            spawn=spawn,
            copies=copies,
            history=history,
            plan=plan,
            skills=skills,
            id=self.call.id,
            ended=self.ended,
            sampler=sampler,
            declined=self.declined,
            **({} if problems is None else {"problems": problems}),
        )
