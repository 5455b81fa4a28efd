"""Dependencies of an engine, as values and two ports: supplied by the composition root, used by every engine module."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from jp_tui.conversation.model import Effort, EffortChoice, EffortSupport, Message, ToolSpec
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.engine.base.backups import CopyStore
from jp_tui.engine.base.catalogue import Catalogue
from jp_tui.engine.base.context_settings import UNTOLD, Briefing, ContextSettings
from jp_tui.engine.base.server_content import ServerContent
from jp_tui.inquiry.values import EarlierVerdict, Policy, ReviewerAnswered, ReviewerFailed, Rule
from jp_tui.journal.port import Journal
from jp_tui.protocol.mcp import McpRead
from jp_tui.protocol.mode import ApprovalMode
from jp_tui.protocol.own_commands import OwnCommand
from jp_tui.protocol.settings import SettingsRead
from jp_tui.protocol.trust import TrustRead
from jp_tui.providers.port import Provider
from jp_tui.providers.scripted.people import ScriptedPerson
from jp_tui.questions.types import Question
from jp_tui.rules.facts import Covers
from jp_tui.rules.values import ApprovalRule, LayerName, Places
from jp_tui.settings.command_files.reading import CommandReader
from jp_tui.settings.layers.bounds import LEAST_BACKOFF_SECS
from jp_tui.system.ignore_lists import IgnoreText
from jp_tui.tools.port import Tool

if TYPE_CHECKING:
    import asyncio

    from jp_tui.engine.base.draft_spool import DraftSpool
    from jp_tui.rules.danger import Danger
    from jp_tui.rules.decide import RuleLayers
    from jp_tui.system.agents.presence import AgentSession

RunMode = Literal["ask", "unattended", "edit", "skip"]
CANCELLATION = (
    "This tool request was intentionally rejected by the user. Please evaluate and either ask the user why it was "
    "rejected, or infer the reason by looking at the historical messages in the conversation."
)
"""M27."""


@dataclass(frozen=True, slots=True)
class Policies:
    """Policies without a client, by kind of prompt (R144). `places`: FILE:LINE of those a setting chose."""

    run: Policy = "unset"
    deliver: Policy = "unset"
    tool: Policy = "unset"
    places: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolChange:
    """Change of a tool by its MCP server since the user accepted the tool (mcp.md P31): the names of the parts, and the
    difference as text of the server. `accept` accepts it, and raises ValueError with a message."""

    parts: tuple[str, ...]
    shown: str
    accept: Callable[[], None]


def unchanged() -> ToolChange | None:
    """The change of a tool that has none."""
    return None


@dataclass(frozen=True, slots=True)
class ToolSetup:
    """A tool in this conversation.

    `tool` is None if `source` names an unknown executor (R63). `run_place` is FILE:LINE where `run` is set, for the
    ledger, `result_place` where `result` is; both are empty for built-in defaults. `format` is R90's mode for its own
    formatter.
    `read_only`: it works in plan mode (K41). `idempotent`: it may run twice (store.md D21). `server` is the
    MCP server of a tool that has one; `change` tells what it changed that the user hasn't accepted, whenever it is
    called.
    """

    name: str
    spec: ToolSpec
    tool: Tool | None
    run: RunMode = "unattended"
    result: RunMode = "unattended"
    hidden: bool = False
    kind: Literal["built-in", "local", "mcp"] = "built-in"
    format: Literal["ask", "unattended"] = "ask"
    run_place: str = ""
    result_place: str = ""
    options: JsonObject = field(default_factory=dict)
    rules: Mapping[str, Rule] = field(default_factory=dict)
    read_only: bool = False
    idempotent: bool = False
    policies: Policies = Policies()
    cancellation: str = CANCELLATION
    covers: Covers = field(default_factory=Covers)
    server: str = ""
    change: Callable[[], ToolChange | None] = unchanged


BY_USER = Rule()
"""The user decides, and nothing is set."""


@dataclass(frozen=True, slots=True)
class OutsideCall:
    """Settings of another program's tool (N3): `run`, None where nothing names the tool, with its place; the meaning of
    its arguments, None where the settings don't say."""

    run: RunMode | None = None
    place: str = ""
    covers: Covers | None = None


@dataclass(frozen=True, slots=True)
class ModeSetting:
    """The approval mode with which conversations begin (AR30); `folder_asks`: the folder's file allows `ask` only."""

    mode: ApprovalMode = "ask"
    folder_asks: bool = False


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Number and timing of retries after a transient failure (R68: assistant.request.*). `least_secs` is the shortest
    wait, which no setting and no server shortens (Z21)."""

    most: int = 5
    base_ms: int = 1000
    max_backoff_secs: float = 60.0
    least_secs: float = LEAST_BACKOFF_SECS


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per million tokens; `cached` for tokens read from a cache."""

    input: float
    output: float
    cached: float


@dataclass(frozen=True, slots=True)
class ModelSetup:
    """An opened model; `id` is provider/model, `name` is sent.

    `effort` is how much it thinks, in the form `takes_effort`; `for_once` marks a choice for one turn, which precedes
    the conversation's. `extra` are wire parameters of its own, `cache` how long its provider may keep a prompt (R68),
    `window` its context in tokens and `prices`, if known; `structured` is its support for schemas (surface S20b).
    `reviews` belongs to scripted models: the tool questions that it reviews itself after these messages, unless a
    reviewer is configured (S22), and so do `people`, others who answer questions of its walk; without a title in its
    script it isn't asked for one (`titles`). `images`: it accepts images, None if unknown.
    """

    id: str
    name: str
    provider: Provider
    system: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    retry: RetryPolicy = RetryPolicy()
    extra: JsonObject = field(default_factory=dict)
    effort: Effort | None = None
    takes_effort: EffortSupport = "level"
    for_once: bool = False
    cache: str = "short"
    window: int | None = None
    structured: Literal["native", "tool"] = "native"
    prices: Prices | None = None
    reviews: Callable[[tuple[Message, ...]], frozenset[str]] | None = None
    people: Callable[[tuple[Message, ...]], tuple[ScriptedPerson, ...]] | None = None
    titles: bool = True
    images: bool | None = None

    def thinking(self, choice: EffortChoice | None) -> Effort | None:
        """Return a choice in the form that the model takes (wires.md W8); None sends nothing."""
        if choice is None or choice == "default" or self.takes_effort == "none":
            return None
        return Effort(choice, self.takes_effort)


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    """Settings of compaction (context.md K20): `at` and `keep` are shares of the window, `at` None for by hand and on
    overflow only. `open_model` opens the model that summarises and raises ModelError; None: the conversation's."""

    at: float | None = 0.8
    keep: float = 0.2
    open_model: Callable[[], Awaitable[ModelSetup]] | None = None


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Known facts about a model that isn't opened: its id, its context in tokens, and its system prompt."""

    id: str
    window: int | None = None
    system: str = ""


@dataclass(frozen=True, slots=True)
class ReviewQuestion:
    """Question for a reviewer. `told` is the snapshot of the conversation as its `model` knows it, with waiting and
    running calls of this cycle marked as such (R120, R121); `tools` are its tools. `overrides` are settings for this
    question (R130), `briefing` follows the system prompt (K5). `intent` marks the second review: `before` is the
    reviewer's first verdict."""

    inquiry: str
    tool: str
    question: Question
    told: tuple[Message, ...]
    model: ModelSetup
    tools: tuple[ToolSpec, ...] = ()
    overrides: JsonObject = field(default_factory=dict)
    intent: str = ""
    before: tuple[EarlierVerdict, ...] = ()
    briefing: Briefing = UNTOLD


class ReviewListener(Protocol):
    """Receives a reviewer's streamed output (E40)."""

    def asks(self, model: str) -> None:
        """This model, as provider/model, is asked now."""

    def says(self, kind: Literal["thought", "reason"], text: str, *, fresh: bool = False) -> None:
        """More of its thoughts or of its reason; `fresh`: it starts over."""

    def waits(self, detail: str = "", seconds: float | None = None) -> None:
        """It failed as `detail` says and is asked again after this time; without a time the wait is over."""


class Reviewer(Protocol):
    """Model that answers questions (R119)."""

    async def inquire(self, asked: ReviewQuestion, hears: ReviewListener) -> ReviewerAnswered | ReviewerFailed:
        """Return a verdict; never raises except for cancellation. The value isn't validated here."""

    async def close(self) -> None:
        """Close connections."""


class ConversationLock(Protocol):
    """A conversation locked for writing (surface S12)."""

    def release(self) -> None:
        """Release the lock."""


class ApprovalRules(Protocol):
    """The approval rules of this run, read again when a file changed (AR1)."""

    def layers(self) -> RuleLayers:
        """Policy, yours, the folder's; a tool's `run` setting is not among them."""

    def dangers(self) -> tuple[Danger, ...]:
        """Return what always needs a person's approval (AR9)."""

    def places(self, root: str, secrets: Sequence[str] | None) -> Places:
        """Return the disk lookups for one decision; `secrets` are names of files with secrets, None for the usual
        ones."""


@dataclass(frozen=True, slots=True)
class RuleFilesRead:
    """The rules in all files, by layer in the order policy, user, folder. `problems` name what is wrong, with file and
    line; `policy` are the files of a policy in force; `file` is the user's."""

    rules: tuple[tuple[LayerName, ApprovalRule], ...]
    layers: RuleLayers
    file: str
    problems: tuple[str, ...] = ()
    policy: tuple[str, ...] = ()


class RuleBook(Protocol):
    """The files of approval rules, to list and to change (AR24). Every method raises ValueError with a message."""

    def read(self) -> RuleFilesRead:
        """Return what the files hold now."""

    def new_id(self) -> str:
        """Return an id for a rule."""

    def add(self, table: Mapping[str, Any]) -> ApprovalRule:
        """Write a rule to the user's file; `table` as in AR2."""

    def revoke(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Take rules out of the user's file; return the ids that were there."""


class Trust(Protocol):
    """Trust in the workspace's own configuration (surface S10). Every method raises ValueError with a message."""

    def read(self) -> TrustRead:
        """Return the effect of the file, and whether it is trusted."""

    def trust(self, digest: str) -> None:
        """Trust the file with the content of this digest, and no other."""

    def forget(self) -> None:
        """Revoke trust in it."""


class McpAdmin(Protocol):
    """MCP servers, to list and to change (mcp.md P14). Every method raises ValueError with a message."""

    def read(self, deltas: Sequence[JsonObject]) -> McpRead:
        """Return all servers with their tools as they are now, with the changes in a conversation's log (R67). Starts
        nothing."""

    async def start(self) -> tuple[str, ...] | None:
        """Start the servers that never were (P3). Return lines for the user; None if there was none to start."""

    def accept(self, server: str, tools: Sequence[tuple[str, str]]) -> None:
        """Accept tools, by their own names, if they still have these fingerprints."""

    async def restart(self, server: str) -> None:
        """Start a server, or end it and start it again; return when it is ready or failed."""

    async def log_in(self, server: str, shows: Callable[[str, Sequence[str]], None]) -> str:
        """Start a server with a new login (P60); return a sentence about it. `shows` gets the address of its page, and
        what the user should know about it."""

    def open_login(self, server: str) -> None:
        """Open the page of the login that waits in the user's browser."""

    def stop_login(self, server: str) -> None:
        """Stop the login that waits."""


@dataclass(frozen=True, slots=True)
class HeldBy:
    """Another process writes this conversation; `words` names it for the user."""

    words: str


class Commits(Protocol):
    """Waits for commits to the store by any process. On the engine's loop only."""

    async def wait(self, seconds: float | None) -> None:
        """Return after a commit that came since the last wait, or when `seconds` are over."""

    def follow(self, woken: asyncio.Event) -> None:
        """Set this event at each commit from now on, and once for what came before."""

    def leave(self, woken: asyncio.Event) -> None:
        """Stop setting this event."""


class ToolServers(Protocol):
    """Servers whose tools are known only once they run (mcp.md P3). `version` counts changes of what they list."""

    @property
    def version(self) -> int: ...

    def instructions(self) -> Mapping[str, str]:
        """Return what servers tell the model about themselves, by name, where a setting lets them (P1)."""

    @property
    def starting(self) -> Sequence[str]:
        """Return the names of those that `ready` would wait for."""

    async def ready(self) -> Sequence[str]:
        """Start those that were never started and wait for them. Return a line for each that can't be used."""

    async def close(self) -> None:
        """End them."""


@dataclass(frozen=True, slots=True)
class EngineDependencies:
    """External dependencies of the engine.

    `open_model` takes the conversation's model ("" for a new one) and may probe local servers; it raises ModelError, as
    does `open_inquiry_model`, for side questions if a model is configured for them (E30; None: the conversation's).
    `lock` raises JournalError, `save_setting` ValueError with a message. `monotonic` counts seconds. `copies` stores
    backups of changed files; None: no backups. `reload_tools` loads the settings again, with the changes in the
    conversation's log (R67), and raises ValueError; `config_delta` are this command line's changes for the
    conversation, stored with its next turn. `reviews`: an attached front end can review a complete form before
    submission (R182b). Without `secrets` the client can't be asked for one (R241). `open_agent_model` opens a
    sub-agent's model, by PROVIDER/MODEL or an alias, and raises ModelError (None: `open_model` does). `jp_data` is jp's
    folder of the user's conversations; with `titles` the model names new conversations. `holder` returns a description
    of the process that owns a conversation, or nothing, without locking it. `read_settings` lists all keys as the files
    are now, and raises ValueError. `trust` concerns the workspace's own file; None: not supported. `keep_report` stores
    the message and report of a non-fatal bug; it returns the redacted message and the report's file, "" if it couldn't
    be written. `deleted` is called with the id of each deleted conversation.
    `context` returns the instruction files that apply, as the settings are now (K6); None: there are none.
    `approval_rules` decide about each call first; None: there are none, and `run` alone decides. `rule_book` lists and
    changes them (None: nothing does). `mode` is the approval mode of conversations that begin, `approval` who decides
    first about what rules leave open. `ignored` reads the
    ignore lists for a workspace and raises IgnoreProblem.
    `mcp` returns what lists and changes MCP servers, made at its first use (None: there are none here).
    `plan`: conversations begin, or resume, in plan mode (K41). `own_commands` reads own commands and skills (K50).
    `model_facts` returns the model a conversation would be held with, as `open_model`, without asking a server.
    """

    journal: Journal
    workspace: Path
    scratch: Path
    client: bool
    tools: Mapping[str, ToolSetup]
    open_model: Callable[[str], Awaitable[ModelSetup]]
    lock: Callable[[str], ConversationLock | HeldBy]
    save_setting: Callable[[str, Json], Path]
    unset_setting: Callable[[str], Path]
    reload_tools: Callable[[Sequence[JsonObject]], Mapping[str, ToolSetup]]
    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    new_id: Callable[[], str]
    commits: Commits
    """One for all who wait for commits."""
    tool_choice: str = "auto"
    max_attempts: int = 20
    on_failure: Literal["ask", "fail"] = "ask"
    secrets: bool = True
    retry_with_intent: bool = False
    reviews: bool = False
    reviewer: Reviewer | None = None
    open_inquiry_model: Callable[[], Awaitable[ModelSetup]] | None = None
    open_agent_model: Callable[[str], Awaitable[ModelSetup]] | None = None
    catalogue: Catalogue | None = None
    config_delta: JsonObject = field(default_factory=dict)
    jp_data: Path | None = None
    titles: bool = False
    via: str = ""
    copies: CopyStore | None = None
    trust: Trust | None = None
    secrets_folder: Path = Path()
    """Folder of the sockets through which secrets reach a waiting process (N8)."""
    outside_rule: Callable[[str, str], Rule] = lambda tool, question: Rule()
    """The settings of a question of another program (N3), by tool and id."""
    agent_commands: Callable[[], Sequence[OwnCommand]] = tuple
    """Commands of the agents that run in this process, as `/NAME:command` (N44)."""
    agent_sessions: Callable[[], Sequence[AgentSession]] = tuple
    """Sessions of other programs that are known beside the log (N24)."""
    outside_arrive: Literal["peek", "sheet", "inbox"] = "peek"
    outside_show: Literal["all", "folder"] = "all"
    """Form of questions of other programs, and which are shown (N6)."""
    outside_call: Callable[[str], OutsideCall] = lambda tool: OutsideCall()
    """The settings of another program's tool (N3)."""
    holder: Callable[[str], str] = lambda _: ""
    holders: Callable[[Sequence[str]], Mapping[str, str]] = lambda _: {}
    """The same for several conversations at once, without those that have no owner."""
    machine: str = ""
    """This machine's name in a store that several share (store.md D1); empty in a store of its own."""
    read_settings: Callable[[], SettingsRead] = lambda: SettingsRead(entries=(), file="")
    keep_report: Callable[[str, str], tuple[str, str]] = lambda message, _: (message, "")
    deleted: Callable[[str], None] = lambda conversation: None
    approval_rules: ApprovalRules | None = None
    mode: ModeSetting = ModeSetting()
    approval: Rule = BY_USER
    rule_book: RuleBook | None = None
    mcp: Callable[[], McpAdmin] | None = None
    compaction: CompactionSettings = CompactionSettings()
    windows: dict[str, int] = field(default_factory=dict)
    ignored: Callable[[Path], Sequence[IgnoreText]] = lambda root: ()
    context: Callable[[], ContextSettings | None] = lambda: None
    model_facts: Callable[[str], ModelFacts] | None = None
    plan: bool = False
    own_commands: CommandReader | None = None
    spool: DraftSpool | None = None
    """Keeps unsent text while the server of a shared store is out of reach (store.md D12); None: nothing does."""
    server_content: ServerContent | None = None
    """Resources and prompts of MCP servers (mcp.md P48)."""
    servers: ToolServers | None = None
    """Servers of tools; `reload_tools` returns what they list. None: there are none."""
