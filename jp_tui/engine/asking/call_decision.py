"""Decision of the approval rules about a call (rules.md AR3-AR17), with its inputs.

`rules.decide` decides. This module converts the call's arguments to the rules' terms, and asks for the sandbox only if
it could make a difference.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, cast

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.call_state import CallResult, ToolCallState, Usable
from jp_tui.engine.base.dependencies import ApprovalRules, RunMode, ToolSetup
from jp_tui.inquiry import values as v
from jp_tui.tools.port import ToolCall, applies, commands

if TYPE_CHECKING:
    from jp_tui.rules.danger import Danger
    from jp_tui.rules.decide import RuleLayers
    from jp_tui.rules.values import CallDecision, CallFacts, Places, Situation


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


@dataclass(frozen=True, slots=True)
class DecisionInputs:
    """All that a decision about a call is made of."""

    facts: CallFacts
    layers: RuleLayers
    situation: Situation
    dangers: Sequence[Danger]
    places: Places

    @classmethod
    def of(
        cls, job: ToolCallState, rules: ApprovalRules, *, refused: bool, copies: bool, run: RunMode | None = None
    ) -> DecisionInputs:
        """For a call as its arguments are now; `refused`: it names what was refused in this turn; `copies`: what it
        changes can be undone; `run` counts instead of the tool's setting."""
        from jp_tui.rules.facts import call_facts  # with the first call, not at the start
        from jp_tui.rules.values import Situation

        setup, layers = job.setup, rules.layers()
        layers = replace(layers, user=replace(layers.user, run=run or setup.run))
        root = os.path.realpath(job.root)
        runs = commands(job.tool)
        names = setup.options.get("secrets")
        places = rules.places(root, list(map(str, names)) if isinstance(names, list) else None)
        facts = call_facts(job.call.name, job.arguments, setup.covers, root=root, commands=runs, real=places.real)
        facts = replace(facts, edits=copies and applies(job.tool))
        return cls(facts, layers, Situation(root, refused=refused, now=time.time()), rules.dangers(), places)

    def decide(self) -> CallDecision:
        """Return the decision."""
        from jp_tui.rules.decide import decide

        return decide(self.facts, self.layers, self.situation, self.dangers, self.places)

    async def walled(self, job: ToolCallState, usable: Usable) -> DecisionInputs:
        """Return them with the sandbox that this call would run in, if its tool has one."""
        if not hasattr(job.tool, "walls"):
            return self
        sandboxed, network = await cast(Walls, job.tool).walls(job.execution(usable))
        return replace(self, situation=replace(self.situation, walls=sandboxed, network=network))


async def decided(job: ToolCallState, given: DecisionInputs, usable: Usable) -> CallDecision:
    """The decision about a call. The sandbox is asked for only if it could make a difference."""
    from jp_tui.rules.decide import walls_matter

    found = given.decide()
    job.walled = False
    open_ = not found.once or found.by == "not_understood"  # AR17
    if found.choice == "ask" and open_ and walls_matter(given.layers, given.facts):
        given = await given.walled(job, usable)
        if given.situation.walls:
            found = given.decide()
            job.walled = found.choice == "run"
    return found


def permitted_by(decision: CallDecision, mode: str) -> JsonObject:
    """Return the record of a call that runs unasked, though its tool asks (AR22)."""
    if decision.by == "mode":
        return {"choice": "run", "by": "mode", "mode": mode}
    if decision.by in ("rule", "engine"):
        return {"choice": "run", "by": "rule", "rules": list(decision.rules)}
    return {}


def ruled_by(decision: CallDecision, mode: str) -> v.Ruled | None:
    """Return the yes of rules or mode to the changes of this call, None where they don't say yes."""
    if decision.choice != "run" or decision.by not in ("rule", "mode"):
        return None
    if decision.by == "mode":
        return v.Ruled(f"The mode `{mode}` applies changes of files that can be undone.", mode=mode)
    return v.Ruled(f"An approval rule allows it ({', '.join(decision.rules)}).", decision.rules)


def person_required(decision: CallDecision) -> v.Insists:
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
