"""Rules that a prompt offers to make of its answer, with the figures of the record (rules.md AR18-AR20)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from jp_tui.conversation.text import Foreign
from jp_tui.engine.asking.call_decision import DecisionInputs
from jp_tui.engine.base.call_state import ToolCallState
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.record.rules.past import asked_calls
from jp_tui.journal.port import JournalError
from jp_tui.protocol.values import RuleCoverage, RuleOffer

if TYPE_CHECKING:
    from jp_tui.rules.values import ApprovalRule, CallDecision


async def rule_offers(
    job: ToolCallState, given: DecisionInputs, decision: CallDecision, setup: EngineDependencies, question: str = ""
) -> tuple[RuleOffer, ...]:
    """Return what the answer to this prompt may make, the best first; `question` is the tool's own, empty for the
    permission to run. Nothing where a call is allowed once only."""
    from jp_tui.rules.facts import call_facts
    from jp_tui.rules.offers import WIDTHS, coverage, offers

    found = offers(given.facts, decision, given.layers, given.situation, given.dangers, given.places)
    if not found:
        return ()
    try:
        asked = await asked_calls(setup.journal, str(setup.workspace), job.call.name, question)
    except JournalError:
        asked = []  # it is asked nonetheless
    root = given.situation.root
    past = []
    for one in asked:
        facts = call_facts(
            job.call.name,
            one.arguments,
            job.setup.covers,
            root=root,
            commands=given.facts.commands,
            real=given.places.real,
        )
        past.append((facts, one.approved))
    made = []
    for offer in found:
        counts = coverage(offer, past, root, given.dangers, now=given.situation.now)
        lasts = tuple(one for one in offer.lifetimes if one != "folder" or setup.rule_book is not None)
        made.append(
            RuleOffer(
                scope=offer.scope,
                label=Foreign(offer.label),
                rules=tuple(map(rule_table, offer.rules)),
                lifetimes=lasts,
                covered=RuleCoverage(matched=counts.matched, refused=counts.refused, of=counts.of),
                width=WIDTHS.index(offer.scope),
            )
        )
    return tuple(made)


def rule_table(rule: ApprovalRule) -> dict[str, Any]:
    """Return a rule as a table of `rules.toml` without an id (AR2)."""
    table: dict[str, Any] = {"effect": rule.effect, "tool": rule.tool}
    if rule.command is not None:
        table["command"] = [choice[0] if len(choice) == 1 else list(choice) for choice in rule.command]
        if rule.exact:
            table["exact"] = True
    if rule.path is not None:
        table["path"] = rule.path
    if rule.host is not None:
        table["host"] = rule.host
    if rule.arguments is not None:
        table["arguments"] = json.loads(rule.arguments)
    return table | {"folder": rule.folder}
