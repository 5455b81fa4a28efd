"""Which model a conversation is held with, and what it used: tokens, money, by turn and by reviewer.

Token counts are the servers' own; a cost is None where no price is known (config/models.toml).
"""

from __future__ import annotations

from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model
from jp_tui.protocol.values import UsageTotals


class SwitchModel(Model):
    """Hold the conversation with another model, from its next turn on; with `once` that turn alone. `model` is
    provider/model or an alias. Answered by ModelSwitched, or Refused."""

    type: Literal["switch_model"] = "switch_model"
    conversation: str
    model: str
    once: bool = False


class ReadUsage(Model):
    """Answered by UsageRead, of a conversation that need not be open."""

    type: Literal["read_usage"] = "read_usage"
    conversation: str


class RequestUsage(Model):
    """One request to the model within a turn: what it used, and what came of it in a few words."""

    what: Foreign
    usage: UsageTotals


class AgentUsage(Model):
    """A sub-agent and what all its requests used, as far as it is known by now."""

    conversation: str
    name: Foreign = Foreign("")
    task: Foreign = Foreign("")
    usage: UsageTotals


class TurnUsage(Model):
    """One turn; `asked` is how it began, `outcome` is empty while it has not ended. `reviews` counts verdicts of
    reviewing models, its sub-agents' too, and `review_usage` what they used; neither that nor what `agents` used is in
    `usage` (S3: a turn's own requests)."""

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
    """The next turn goes to this model; with `once` that turn alone. `window` is its context in tokens, where known."""

    type: Literal["model_switched"] = "model_switched"
    conversation: str
    model: str
    window: int | None = None
    once: bool = False


class UsageRead(Model):
    """What a conversation used, turn by turn, the oldest first. `window` is of the model it is held with, `agent_total`
    what its sub-agents used besides."""

    type: Literal["usage_read"] = "usage_read"
    conversation: str
    model: str
    turns: tuple[TurnUsage, ...]
    total: UsageTotals
    review_total: UsageTotals = UsageTotals()
    agent_total: UsageTotals = UsageTotals()
    window: int | None = None
