"""Decision of the approval rules about a call (rules.md AR3-AR17), with its inputs.

`rules.decide` decides. This module converts the call's arguments to the rules' terms, and asks for the sandbox only if
it could make a difference.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, cast

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.call_state import CallResult, ToolCallState, Usable
from jp_tui.engine.base.dependencies import ApprovalRules, ToolSetup
from jp_tui.inquiry import values as v
from jp_tui.tools.port import ToolCall, commands

if TYPE_CHECKING:
    from jp_tui.rules.values import CallDecision


class Walls(Protocol):
    """A tool that runs commands in a sandbox."""

    async def walls(self, call: ToolCall) -> tuple[bool, bool]:
        """Return whether there is a sandbox for this call, and whether the network is open in it."""


def may_ask(setup: ToolSetup, rules: ApprovalRules | None) -> bool:
    """True if rules could require a person's approval for a call of this tool."""
    if rules is None or setup.tool is None:
        return False
    if commands(setup.tool):
        return True
    layers = rules.layers()
    return any(layer.rules.rules or layer.broken for layer in (layers.policy, layers.user, layers.folder))


async def decided(job: ToolCallState, rules: ApprovalRules, usable: Usable, *, refused: bool) -> CallDecision:
    """The decision about a call as its arguments are now; `refused`: it names what was refused in this turn."""
    from jp_tui.rules.decide import decide, walls_matter  # with the first call, not at the start
    from jp_tui.rules.facts import call_facts
    from jp_tui.rules.values import Situation

    setup, layers = job.setup, rules.layers()
    layers = replace(layers, user=replace(layers.user, run=setup.run))
    root = os.path.realpath(job.root)  # noqa: ASYNC240, one look at a path that is known to be there
    runs = commands(job.tool)
    names = setup.options.get("secrets")
    places = rules.places(root, list(map(str, names)) if isinstance(names, list) else None)
    facts = call_facts(job.call.name, job.arguments, setup.covers, root=root, commands=runs, real=places.real)
    situation, dangers = Situation(root, refused=refused, now=time.time()), rules.dangers()
    found = decide(facts, layers, situation, dangers, places)
    job.walled = False
    if found.choice == "ask" and not found.once and hasattr(job.tool, "walls") and walls_matter(layers, facts):
        sandboxed, network = await cast(Walls, job.tool).walls(job.execution(usable))
        if sandboxed:
            found = decide(facts, layers, replace(situation, walls=True, network=network), dangers, places)
            job.walled = found.choice == "run"
    return found


def insists_on(decision: CallDecision) -> v.Insists:
    """Return whether only a person may permit it, and whether a remembered yes counts."""
    if decision.by in ("danger", "guard", "policy"):
        return "always"
    return "rule" if decision.by == "rule" else ""


def why_asked(decision: CallDecision) -> str:
    """Why rules ask, in words for people; empty where they have nothing to say."""
    match decision.by:
        case "danger":
            return f"no rule or setting allows this without you: it {decision.why}"
        case "guard" if not decision.why.startswith("it names something"):
            return f"no rule or setting allows this without you: {decision.why}"
        case "rule" | "policy" if decision.rules:
            return f"an approval rule asks you ({', '.join(decision.rules)})"
        case _:
            return ""


def skipped(decision: CallDecision) -> tuple[CallResult, JsonObject]:
    """M49, or what a setting says; with what goes on record."""
    if decision.by == "setting":
        return CallResult("Tool skipped by configuration.", False, "skipped"), {"choice": "skip", "by": "setting"}
    names = ", ".join(decision.rules)
    reason = decision.reason or "no reason is given"
    text = (
        f"Refused by a rule ({names}): {reason.rstrip('.')}. Do not retry it in another form; continue without it or "
        "ask the user."
    )
    return CallResult(text, True, "error"), {"choice": "skip", "by": "rule", "rules": list(decision.rules)}
