"""The model of a conversation, and usage: tokens and money, by turn and by reviewer.

Token counts are the servers' own; a cost is None if the price is unknown (config/models.toml).
"""

from __future__ import annotations

from typing import Literal

from jp_tui.conversation.model import EffortChoice
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model
from jp_tui.protocol.values import UsageTotals


class SwitchModel(Model):
    """Use another model for the conversation from its next turn on; with `once` for that turn only. `model` is
    provider/model or an alias; it may be the same, with another `effort` (None: as before). Answered by ModelSwitched,
    or Refused."""

    type: Literal["switch_model"] = "switch_model"
    conversation: str
    model: str
    once: bool = False
    effort: EffortChoice | None = None


class ReadUsage(Model):
    """Answered by UsageRead, of a conversation that need not be open."""

    type: Literal["read_usage"] = "read_usage"
    conversation: str


class RequestUsage(Model):
    """One request to the model within a turn: its usage, and its result in a few words."""

    what: Foreign
    usage: UsageTotals


class AgentUsage(Model):
    """A sub-agent and the usage of all its requests, so far."""

    conversation: str
    name: Foreign = Foreign("")
    task: Foreign = Foreign("")
    usage: UsageTotals


class TurnUsage(Model):
    """One turn; `asked` is how it began, `outcome` is empty while it has not ended. `reviews` counts verdicts of
    reviewing models, its sub-agents' too, and `review_usage` is their usage; neither that nor the usage of `agents` is
    in `usage` (S3: a turn's own requests)."""

    turn: int
    at: str = ""
    asked: Foreign = Foreign("")
    model: str = ""
    outcome: str = ""
    ms: int = 0
    usage: UsageTotals = UsageTotals()
    requests: tuple[RequestUsage, ...] = ()
    reviews: int = 0
    review_usage: UsageTotals = UsageTotals()
    agents: tuple[AgentUsage, ...] = ()


class ModelSwitched(Model):
    """The next turn uses this model; with `once` that turn only. `window` is its context in tokens, if known; `effort`
    is the value that is sent."""

    type: Literal["model_switched"] = "model_switched"
    conversation: str
    model: str
    window: int | None = None
    once: bool = False
    effort: EffortChoice = "default"


class UsageRead(Model):
    """The usage of a conversation, turn by turn, oldest first. `window` is that of its model, `agent_total` the usage
    of its sub-agents besides."""

    type: Literal["usage_read"] = "usage_read"
    conversation: str
    model: str
    turns: tuple[TurnUsage, ...]
    total: UsageTotals
    review_total: UsageTotals = UsageTotals()
    agent_total: UsageTotals = UsageTotals()
    window: int | None = None
