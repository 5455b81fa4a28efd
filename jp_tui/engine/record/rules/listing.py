"""Approval rules with what the record says of them, and the rules that it suggests (rules.md AR25, AR27)."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from jp_tui.conversation.ids import read_timestamp, timestamp
from jp_tui.engine.base.dependencies import ApprovalRules, RuleFilesRead, ToolSetup
from jp_tui.engine.record.rules.record import PastCall, RuleFact, RuleRecord, recorded
from jp_tui.journal.port import JournalReading
from jp_tui.protocol.rules import RuleAnswer, RuleInfo, RuleScope, RuleSuggestion
from jp_tui.rules.facts import call_facts
from jp_tui.rules.matching import active
from jp_tui.rules.suggest import PastAnswer, Suggested, suggest
from jp_tui.rules.values import ApprovalRule, LayerName, Places, Situation
from jp_tui.tools.port import commands

RuleLifetimeShown = Literal["turn", "conversation", "session"]
DAYS = 30
LEAST = 5
"""Least number of approvals of a suggestion (AR27)."""


def listed(files: RuleFilesRead, record: RuleRecord | None, root: str, now: float) -> tuple[RuleInfo, ...]:
    """Return all rules of the files; `root` is the workspace, absolute and real. `record` is None if there is none."""
    return tuple(rule_info(rule, layer, record, root, now) for layer, rule in files.rules)


def rule_info(
    rule: ApprovalRule,
    layer: LayerName,
    record: RuleRecord | None,
    root: str,
    now: float,
    lifetime: RuleLifetimeShown | None = None,
) -> RuleInfo:
    """Return one rule with its facts: what its file says of its making, else what a log does. `lifetime` is that of a
    rule of a conversation."""
    use = record.uses.get(rule.id) if record is not None else None
    fact = record.added.get(rule.id) if record is not None else None
    scope, match = scope_of(rule)
    made_by, created = rule.made_by, _shown(rule.created)
    if fact is not None:
        made_by, created = made_by or fact.made_by or "answer", created or shown_time(fact.at)
    return RuleInfo(
        id=rule.id,
        effect=rule.effect,
        tool=rule.tool,
        scope=scope,
        match=match,
        lifetime=lifetime or ("folder" if rule.folder else "everywhere"),
        layer=layer,
        place=rule.place,
        folder=rule.folder or None,
        expires=_shown(rule.expires),
        reason=rule.reason or None,
        created=created,
        made_by=made_by or None,
        answer=_answer(fact),
        hits=(use.hits if use is not None else 0) if record is not None else None,
        last_hit=shown_time(use.last) if use is not None else None,
        active=active(rule, root, now) and not (layer == "folder" and rule.effect == "allow"),
    )


def _answer(fact: RuleFact | None) -> RuleAnswer | None:
    if fact is None or not (fact.inquiry or fact.call):
        return None
    return RuleAnswer(conversation=fact.conversation, inquiry=fact.inquiry, call=fact.call)


def scope_of(rule: ApprovalRule) -> tuple[RuleScope, Any]:
    """Return what the rule is about, and its value as JSON."""
    if rule.command is not None:
        words = [choice[0] if len(choice) == 1 else list(choice) for choice in rule.command]
        return "exact command" if rule.exact else "command", words
    if rule.path is not None:
        return "path", rule.path
    if rule.host is not None:
        return "host", rule.host
    return ("arguments", json.loads(rule.arguments)) if rule.arguments is not None else ("tool", None)


def _shown(seconds: float | None) -> str | None:
    return None if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def shown_time(at: str) -> str | None:
    """Return a time of the log (R58) as 2026-12-01T00:00:00Z."""
    try:
        return f"{read_timestamp(at):%Y-%m-%dT%H:%M:%SZ}"
    except ValueError:
        return None


# -- suggestions


async def suggestions(
    journal: JournalReading,
    tools: Mapping[str, ToolSetup],
    rules: ApprovalRules,
    workspace: Path,
    now: datetime,
    least: int = LEAST,
) -> tuple[RuleSuggestion, ...]:
    """Return the rules that the record of this workspace suggests (AR27). Raises JournalError, and ValueError for a bad
    policy."""
    root = os.path.realpath(workspace)  # noqa: ASYNC240, one look at a path that is known to be there
    since = timestamp(now - timedelta(days=DAYS))
    places = rules.places(root, None)
    answers: list[PastAnswer] = []
    async for one in recorded(journal, workspace=str(workspace), since=since):
        if isinstance(one, PastCall) and (answer := _past(one, tools, root, places)) is not None:
            answers.append(answer)
    answers.sort(key=lambda one: one.at)
    found = suggest(answers, rules.layers(), Situation(root, now=now.timestamp()), rules.dangers(), places, least=least)
    return tuple(map(_suggestion, found))


def _past(one: PastCall, tools: Mapping[str, ToolSetup], root: str, places: Places) -> PastAnswer | None:
    """Return the call as rules see it, if a person decided about it as it was."""
    setup = tools.get(one.tool)
    if setup is None or setup.tool is None or one.by != "user" or one.choice not in ("run", "skip", "cancel"):
        return None
    facts = call_facts(
        one.tool, one.arguments, setup.covers, root=root, commands=commands(setup.tool), real=places.real
    )
    return PastAnswer(facts, one.conversation, one.at, one.choice == "run")


def _suggestion(one: Suggested) -> RuleSuggestion:
    rule = one.rule
    scope, match = scope_of(rule)
    key = "command" if scope == "command" else scope
    table: dict[str, Any] = {"effect": "allow", "tool": rule.tool, key: match, "folder": rule.folder}
    return RuleSuggestion(
        tool=rule.tool,
        scope=scope,
        match=match,
        folder=rule.folder,
        approved=len(one.calls),
        conversations=one.conversations,
        first=shown_time(one.calls[0].at) or "",
        last=shown_time(one.calls[-1].at) or "",
        add=_command_line(rule.tool, scope, match),
        table=table,
    )


def _command_line(tool: str, scope: str, match: Any) -> str:
    """Return the `jp-tui rules add` line for this folder."""
    option = {"command": "--command", "path": "--path", "host": "--host", "arguments": "--args"}[scope]
    value = shlex.join(match) if isinstance(match, list) else match
    if scope == "arguments":
        value = json.dumps(match, ensure_ascii=False, separators=(",", ":"))
    return shlex.join(["jp-tui", "rules", "add", "allow", "--tool", tool, option, value])


def matches(one: RuleSuggestion, table: Mapping[str, Any]) -> bool:
    """True if `table` is the rule of this suggestion."""
    return json.dumps(one.table, sort_keys=True) == json.dumps(dict(table), sort_keys=True, default=str)
