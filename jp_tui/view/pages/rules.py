"""Approval rules as text, for the page, the ledger and `jp-tui rules` (rules.md AR22, AR24-AR27): one wording for all.

Rows as data, from the engine's list. Changes nothing. What it returns holds text of rules and calls, which is foreign.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol.rules import RuledCall, RuleInfo, RulesRead, RuleSuggestion
from jp_tui.rules.texts import making_text, minute, scope_text, use_text
from jp_tui.view.questions.inquiry import NOTHING

EMPTY: Final = (
    "No approval rules. What isn't allowed by a setting asks you each time.\n\n"
    'Add one with `jp-tui rules add allow --tool shell_run --command "git log"`. Rules that your answers suggest '
    "are listed here."
)
REVOKES: Final = "Take {id} out of {file}? Press d again to revoke it, any other key to keep it."
REVOKES_HERE: Final = "Revoke {id}? Press d again to confirm, any other key to keep it."
REVOKING: Final = "Revoking…"
REVOKED: Final = "Revoked {id}."
NOT_HERE: Final = "This rule is in {place}. Only rules of your own rules.toml can be revoked here."
ADDS: Final = "Add this rule to {file}? Press a again to confirm, any other key to cancel."
ADDING: Final = "Adding…"
ADDED: Final = "Added {id}. It applies from the next call."
REVOKES_PLAIN: Final = "Take {id} out of {file}? Enter it again to confirm."
ADDS_PLAIN: Final = "Add this rule to {file}? Enter it again to confirm."
NO_RULE: Final = "This is a suggestion, no rule."
NO_SUGGESTION: Final = "This is a rule, no suggestion."
POLICY: Final = "Policy in force: {files}"
PROBLEM: Final = "{problem}"
MORE_PROBLEMS: Final = "and {n} more problems: run `jp-tui config check`"
_SECTIONS = {
    "policy": "policy",
    "user": "yours",
    "folder": "this folder's",
    "other": "not in force here",
    "suggested": "suggested",
}
_CHOICES = {"run": "ran", "edit": "ran with edited arguments", "skip": "not run", "cancel": "not run, cancelled"}
_BY = {
    "user": "you decided",
    "rule": "a rule decided",
    "remembered": "a remembered answer decided",
    "policy": "no user available: a detached policy decided",
    "setting": "a setting decided",
    "mode": "the mode decided",
    "reviewer": "a reviewer decided",
    "engine": "refused without asking: rejected three times in this turn",
    "system": "not decided: client gone",
}


def rule_making(rule: RuleInfo) -> str:
    """Return when and by what it was made; empty if unknown."""
    return making_text(rule.created, rule.made_by)


def rule_hits(rule: RuleInfo) -> str:
    """Return how often it decided; empty without a record."""
    return use_text(rule.hits, rule.last_hit)


def call_line(call: RuledCall) -> str:
    """Return a call and its decision in one line."""
    who = _BY.get(call.by, call.by)
    if call.by == "rule" and call.rules:
        who = f"rule {', '.join(call.rules)} decided"
    elif call.asked_rules:
        who = f"{who}, asked by rule {', '.join(call.asked_rules)}"
    reason = f": {first_line(call.reason.raw)}" if call.reason else ""
    what = first_line(call.title.raw) or json.dumps(call.arguments, ensure_ascii=False)
    done = _CHOICES.get(call.choice, call.choice) if not call.running else "running"
    return f"{minute(call.at)}  {call.call} of {call.conversation}  {call.tool}  {done}  {who}{reason}  {what}"


def suggestion_figures(one: RuleSuggestion) -> str:
    """Return why it is suggested."""
    return f"you approved {one.approved:,} calls in {one.conversations} conversations, refused none"


# -- the page


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesRow:
    """A rule or a suggestion. `what` is its subject, `about` the second line, `told` what is read of it when chosen.
    `id` is empty for a suggestion, of which `table` is the rule; `revocable`: it is in the user's file, or `passes`
    with the turn, the conversation or the session."""

    key: str
    section: str
    effect: str
    what: Foreign
    about: Foreign
    told: tuple[Foreign, ...]
    id: str = ""
    place: Foreign = NOTHING
    revocable: bool = False
    passes: bool = False
    table: dict[str, Any] = field(default_factory=dict)


def rows(told: RulesRead) -> tuple[RulesRow, ...]:
    """Return the rows by section: policy, yours, the folder's, what doesn't count here, suggestions."""
    found = [_rule(one, number) for number, one in enumerate(told.rules)]
    found += [_suggestion(one, number) for number, one in enumerate(told.suggestions)]
    order = list(_SECTIONS)
    return tuple(sorted(found, key=lambda row: order.index(row.section)))


def _rule(rule: RuleInfo, number: int) -> RulesRow:
    where = {
        "turn": "until this turn ends", "conversation": "in this conversation", "session": f"in the {rule.place}",
    }.get(rule.lifetime)  # fmt: skip
    where = where or (f"in {rule.folder}" if rule.folder else "everywhere")
    until = f"until {minute(rule.expires)}" if rule.expires else ""
    section = rule.layer if rule.active else "other"
    about = " · ".join(part for part in (_SECTIONS[section], rule_hits(rule), where, until, rule.reason or "") if part)
    answer = rule.answer
    made = rule_making(rule)
    if answer is not None:
        made += f" in {answer.conversation}" + (
            f" ({answer.inquiry or answer.call})" if answer.inquiry or answer.call else ""
        )
    lines = (f"{rule.id} · {rule.place}", made, f"reason: {rule.reason}" if rule.reason else "")
    return RulesRow(
        key=f"r{number}",
        section=section,
        effect=rule.effect,
        what=Foreign(f"{rule.tool}  {scope_text(rule.scope, rule.match)}"),
        about=Foreign(about),
        told=tuple(Foreign(line) for line in lines if line),
        id=rule.id,
        place=Foreign(rule.place),
        revocable=rule.layer == "user",
        passes=rule.lifetime in ("turn", "conversation", "session"),
    )


def _suggestion(one: RuleSuggestion, number: int) -> RulesRow:
    span = f"{one.first[:10]} to {one.last[:10]}" if one.first[:10] != one.last[:10] else one.last[:10]
    return RulesRow(
        key=f"s{number}",
        section="suggested",
        effect=one.effect,
        what=Foreign(f"{one.tool}  {scope_text(one.scope, one.match)}"),
        about=Foreign(f"{_SECTIONS['suggested']} · {suggestion_figures(one)}"),
        told=(Foreign(f"in {one.folder} · {span}"), Foreign(one.add)),
        table=one.table,
    )
