"""What an engine is built from, as values and two ports: filled in by the composition root, read by everything here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from jp_tui.conversation.model import Message, ToolSpec
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.engine.base.backups import CopyStore
from jp_tui.engine.base.catalogue import Catalogue
from jp_tui.engine.base.context_settings import UNTOLD, Briefing, ContextSettings
from jp_tui.inquiry.values import EarlierVerdict, Policy, ReviewerAnswered, ReviewerFailed, Rule
from jp_tui.journal.port import Journal
from jp_tui.protocol.settings import SettingsRead
from jp_tui.protocol.trust import TrustRead
from jp_tui.providers.port import Provider
from jp_tui.questions.types import Question
from jp_tui.settings.layers.bounds import LEAST_BACKOFF_SECS
from jp_tui.tools.port import Tool

RunMode = Literal["ask", "unattended", "edit", "skip"]
CANCELLATION = (
    "This tool request was intentionally rejected by the user. Please evaluate and either ask the user why it was "
    "rejected, or infer the reason by looking at the historical messages in the conversation."
)
"""M27."""


@dataclass(frozen=True, slots=True)
class Policies:
    """What is done without a client, by kind of prompt (R144). `places`: FILE:LINE of those that somebody set."""

    run: Policy = "unset"
    deliver: Policy = "unset"
    tool: Policy = "unset"
    places: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolSetup:
    """A tool as this conversation has it. `tool` is None when `source` names no executor we have (R63).

    `run_place` is FILE:LINE where `run` is set, for the ledger, `result_place` where `result` is; both are empty where
    nobody but us said so. `format` is R90's mode for its own formatter.
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
    policies: Policies = Policies()
    cancellation: str = CANCELLATION


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently a transient failure is tried again (R68: assistant.request.*). `least_secs` is the
    shortest wait, which no setting and no server shortens (Z21)."""

    most: int = 5
    base_ms: int = 1000
    max_backoff_secs: float = 60.0
    least_secs: float = LEAST_BACKOFF_SECS


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars a million tokens; `cached` for what was read from a cache."""

    input: float
    output: float
    cached: float


@dataclass(frozen=True, slots=True)
class ModelSetup:
    """A model ready to be asked; `id` is provider/model, `name` what is sent.

    `extra` are parameters of its own for the wire, `cache` how long its provider may keep a prompt (R68), `window` its
    context in tokens and `prices`, where known; `structured` says how it is held to a schema (surface S20b). `reviews`
    is of scripted models: the questions of tools that it reviews itself after these messages, unless somebody
    configured who answers them (S22); one that has no title in its script is asked for none (`titles`).
    `images` says whether it takes images, None where nobody knows.
    """

    id: str
    name: str
    provider: Provider
    system: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    retry: RetryPolicy = RetryPolicy()
    extra: JsonObject = field(default_factory=dict)
    cache: str = "short"
    window: int | None = None
    structured: Literal["native", "tool"] = "native"
    prices: Prices | None = None
    reviews: Callable[[tuple[Message, ...]], frozenset[str]] | None = None
    titles: bool = True
    images: bool | None = None


@dataclass(frozen=True, slots=True)
class ReviewQuestion:
    """A question for a reviewer. `told` is the snapshot of what the conversation's `model` was told, with the calls of
    this cycle that wait or run standing in it as such (R120, R121); `tools` are those it has. `overrides` differ for
    this question (R130), `briefing` follows the system prompt (K5). With `intent` it is the second look: `before` is
    what the reviewer said at the first.
    """

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
    """Who hears a reviewer think (E40)."""

    def asks(self, model: str) -> None:
        """The model that is asked now, as provider/model."""

    def says(self, kind: Literal["thought", "reason"], text: str, *, fresh: bool = False) -> None:
        """More of its thoughts or of its reason; `fresh`: it begins anew."""

    def waits(self, detail: str = "", seconds: float | None = None) -> None:
        """It failed as `detail` says and is asked again after this time; without one that wait is over."""


class Reviewer(Protocol):
    """A model that answers questions (R119)."""

    async def inquire(self, asked: ReviewQuestion, hears: ReviewListener) -> ReviewerAnswered | ReviewerFailed:
        """A verdict; never raises but for cancellation. Whether the value fits the question is not looked at here."""

    async def close(self) -> None:
        """Give up connections."""


class ConversationLock(Protocol):
    """A conversation held for writing (surface S12)."""

    def release(self) -> None:
        """Let go."""


class Trust(Protocol):
    """Trust in the workspace's own configuration (surface S10). All raise ValueError with words."""

    def read(self) -> TrustRead:
        """What the file would do, and whether it may."""

    def trust(self, digest: str) -> None:
        """Trust the file with the content that has this digest, and no other."""

    def forget(self) -> None:
        """Trust it no longer."""


@dataclass(frozen=True, slots=True)
class HeldBy:
    """Somebody else writes this conversation; `words` says who, for people."""

    words: str


@dataclass(frozen=True, slots=True)
class EngineDependencies:
    """Everything the engine needs from outside.

    `open_model` takes the model a conversation was held with ("" for a new one) and may look for a local server;
    it raises ModelError, and so does `open_inquiry_model`, for the model that side questions go to where one is
    configured (E30; None: the conversation's). `lock` raises JournalError, `save_setting` ValueError with words.
    `monotonic` counts seconds. `copies` holds what files held before tools changed them; None: nothing is kept.
    `reload_tools` reads the settings anew, with the deltas that the conversation's log holds (R67), and raises
    ValueError; `config_delta` is what this run's command line changes for the conversation, to be stored with its
    next turn. `reviews`: a face is attached that lets a whole form be looked over before it counts (R182b).
    Without `secrets` the client cannot be asked for one (R241). `open_agent_model` opens a sub-agent's model, by
    PROVIDER/MODEL or an alias, and raises ModelError (None: `open_model` does). `jp_data` is where jp keeps the user's
    own conversations; with `titles` the model names new conversations. `holder` says in words who holds a conversation,
    nothing when nobody does: a look, no claim. `read_settings` lists all keys as the
    files are now, and raises ValueError. `trust` is of the workspace's own file; None: it is not kept. `keep_report`
    takes the message and the report of a bug that ends nothing; it returns the redacted message and the report's file,
    "" where none could be written. `deleted` is called with the id of each conversation that is deleted.
    `context` says which instruction files count, as the settings are now (K6); None: the model is told of none.
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
    holder: Callable[[str], str] = lambda _: ""
    read_settings: Callable[[], SettingsRead] = lambda: SettingsRead(entries=(), file="")
    keep_report: Callable[[str, str], tuple[str, str]] = lambda message, _: (message, "")
    deleted: Callable[[str], None] = lambda conversation: None
    context: Callable[[], ContextSettings | None] = lambda: None
