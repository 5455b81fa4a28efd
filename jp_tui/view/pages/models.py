"""Models and a conversation's usage, as text for lists. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from jp_tui.conversation.model import EFFORTS, EffortChoice
from jp_tui.conversation.text import first_line
from jp_tui.protocol.models import ModelInfo, ModelsListed
from jp_tui.protocol.usage import AgentUsage, TurnUsage, UsageRead
from jp_tui.protocol.values import UsageTotals
from jp_tui.view.wording.amounts import count, duration, money
from jp_tui.view.wording.models import facts, tags

TASK = 60
"""Characters of a sub-agent's task in a usage line."""
AWAY = ("refused", "unreachable")
"""Errors of a server that isn't running, not reported unless it was requested by name."""
UNKNOWN = "no data (add it in models.toml)"
EMPTY = "No model matches."
NONE = "No server answered and no API key is set. Run /setup to connect one."
SWITCHED = "From the next turn: {model}{effort}"
ONCE = "For the next turn only: {model}{effort}"
EFFORT_WANTED = "Enter sets effort {level} for this conversation, o for one turn."
DEFAULT = "New conversations use {model}. Saved to {file}."
NO_EFFORT = "No effort setting"
USED_NOTHING = "No model requests yet."


def matching(models: Iterable[ModelInfo], words: str) -> list[ModelInfo]:
    """Return the models with every word in their name or an alias."""
    wanted = words.casefold().split()
    return [one for one in models if all(word in " ".join((one.id, *one.aliases)).casefold() for word in wanted)]


def efforts(one: ModelInfo) -> tuple[EffortChoice, ...]:
    """Return the efforts that can be set for it (wires.md W8); empty if it takes none."""
    match one.effort:
        case "none":
            return ()
        case "switch":  # any level turns it on
            return ("default", "high")
        case _:
            return EFFORTS


def effort_of(one: ModelInfo, level: EffortChoice) -> EffortChoice:
    """Return the one of `efforts` that stands for the level."""
    return level if level in efforts(one) else efforts(one)[-1] if efforts(one) else "default"


def effort_label(one: ModelInfo, level: EffortChoice) -> str:
    """Return how a level is shown: models that can only be switched have it on."""
    return "on" if one.effort == "switch" and level != "default" else level


def effort_line(one: ModelInfo, level: EffortChoice) -> str:
    """Return `Effort: default · low · [medium] · high`."""
    offered = efforts(one)
    if not offered:
        return NO_EFFORT
    shown = effort_of(one, level)
    labels = (f"[{effort_label(one, each)}]" if each == shown else effort_label(one, each) for each in offered)
    return f"Effort: {' · '.join(labels)}"


def with_effort(level: EffortChoice) -> str:
    """Return what follows the model's name where an effort is sent."""
    return "" if level == "default" else f" · effort {level}"


def about(one: ModelInfo) -> str:
    """Return everything known about it, in one line."""
    return " · ".join(part for part in (first_line(one.about), facts(one), tags(one)) if part) or UNKNOWN


def troubles(listed: ModelsListed) -> list[str]:
    """Return a line for each server that couldn't be queried: not running, failed, or without a key."""
    away = [one.provider for one in listed.problems if one.kind in AWAY]
    lines = [f"not running: {', '.join(away)}"] if away else []
    said = [one for one in listed.problems if one.kind not in AWAY]
    lines += [f"{one.provider}: {one.message}{' ' + one.advice if one.advice else ''}" for one in said]
    if listed.missing:
        lines.append("no key: " + ", ".join(one.provider for one in listed.missing))
    return lines


def spent(usage: UsageTotals) -> str:
    """`12.4k in (8k cached) · 812 out · $0.03`."""
    cached = f" ({count(usage.cached)} cached)" if usage.cached else ""
    paid = f" · {money(usage.cost_usd)}" if usage.cost_usd is not None else ""
    return f"{count(usage.input)} in{cached} · {count(usage.output)} out{paid}"


def turn_line(one: TurnUsage) -> str:
    """Return a turn's usage and duration."""
    how = "" if one.outcome in ("done", "") else one.outcome
    took = duration(one.ms) if one.ms else ""
    parts = (spent(one.usage), took, how, agents(one), reviewed(one.reviews, one.review_usage))
    return " · ".join(part for part in parts if part)


def agents(one: TurnUsage) -> str:
    """Return `2 sub-agents: 3k in · 90 out`, in total."""
    if not one.agents:
        return ""
    used = UsageTotals()
    for agent in one.agents:
        used = used.plus(agent.usage)
    number = len(one.agents)
    return f"{number} sub-agent{'s' if number != 1 else ''}: {spent(used)}"


def reviewed(number: int, usage: UsageTotals) -> str:
    """`2 reviews: 3k in · 90 out`."""
    if not number:
        return ""
    return f"{number} review{'s' if number != 1 else ''}: {spent(usage)}"


def requests(one: TurnUsage) -> list[str]:
    """Return a line for each request of a turn, as (result, usage); then each of its sub-agents."""
    own = [f"{number}. {request.what.raw}: {spent(request.usage)}" for number, request in enumerate(one.requests, 1)]
    return [*own, *(_agent(agent) for agent in one.agents)]


def _agent(one: AgentUsage) -> str:
    """`sub-agent scout, look there: 3k in · 90 out`."""
    who = ", ".join(part for part in (first_line(one.name.raw), one.task.raw[:TASK]) if part)
    return f"sub-agent {who}: {spent(one.usage)}"


def sums(read: UsageRead) -> str:
    """Return the totals, in one line."""
    turns = f"{len(read.turns)} turn{'s' if len(read.turns) != 1 else ''}"
    parts = [turns, spent(read.total)]
    if read.agent_total.input or read.agent_total.output:
        parts.append(f"sub-agents: {spent(read.agent_total)}")
    if read.review_total.input or read.review_total.output:
        parts.append(f"reviewers: {spent(read.review_total)}")
    if read.window and read.total.context:
        parts.append(f"context {read.total.context / read.window:.0%} of {count(read.window)}")
    return " · ".join(parts)
