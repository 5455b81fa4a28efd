"""Approval rules and decisions as lines and as JSON (rules.md AR25, AR26)."""

from __future__ import annotations

import json
import shlex
from datetime import UTC, datetime
from typing import Any

from jp_tui.headless.output import TextOutput
from jp_tui.rules.danger import Danger
from jp_tui.rules.values import ApprovalRule, CallDecision, LayerName, Words
from jp_tui.settings.errors import printable

_DOES = {"run": "runs", "ask": "asks", "skip": "denied"}


def shown_rule(rule: ApprovalRule, layer: LayerName, counts: bool) -> dict[str, Any]:
    """A rule as JSON. What the record would say of it is null: it is not kept yet."""
    scope, match = _scope(rule)
    return {
        "type": "rule", "id": rule.id, "effect": rule.effect, "tool": rule.tool, "scope": scope, "match": match,
        "lifetime": "folder" if rule.folder else "everywhere", "layer": layer, "place": rule.place,
        "folder": rule.folder or None, "expires": _time(rule.expires), "reason": rule.reason or None, "created": None,
        "made_by": None, "hits": None, "last_hit": None, "active": counts,
    }  # fmt: skip


def show_rule(rule: ApprovalRule, layer: LayerName, counts: bool, output: TextOutput) -> None:
    """A rule, in one line."""
    told = shown_rule(rule, layer, counts)
    if output.as_json:
        output.line(told)
        return
    about = {"tool": "every call"}.get(told["scope"], f"{told['scope']} {_text(told['match'])}")
    more = [f"in {rule.folder}" if rule.folder else "everywhere"]
    more += [f"until {told['expires']}"] if rule.expires is not None else []
    more += [rule.reason] if rule.reason else []
    more += [] if counts else ["does not count here"]
    words = f"{rule.id}  {rule.effect:<5}  {rule.tool}  {about}  ({', '.join(more)}; {layer}: {rule.place})"
    output.write(f"{printable(words, 4_000)}\n")


def _scope(rule: ApprovalRule) -> tuple[str, Any]:
    if rule.command is not None:
        words = [choice[0] if len(choice) == 1 else list(choice) for choice in rule.command]
        return "exact command" if rule.exact else "command", words
    for scope in ("path", "host"):
        if (found := getattr(rule, scope)) is not None:
            return scope, found
    return ("arguments", json.loads(rule.arguments)) if rule.arguments is not None else ("tool", None)


def _text(match: Any) -> str:
    if isinstance(match, list):
        return " ".join("|".join(map(shlex.quote, one)) if isinstance(one, list) else shlex.quote(one) for one in match)
    return match if isinstance(match, str) else json.dumps(match, ensure_ascii=False)


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def show_danger(danger: Danger, output: TextOutput) -> None:
    """One of the commands that always ask."""
    if output.as_json:
        found = {"type": "danger", "id": danger.id, "programs": danger.programs, "words": danger.words}
        output.line({**found, "flags": danger.flags, "after": danger.after, "reason": danger.reason})
        return
    words = " ".join("|".join(group) for group in danger.words)
    about = " ".join(filter(None, ("|".join(danger.programs), words, "|".join(danger.flags))))
    output.write(f"{danger.id}  {about}  ({danger.reason})\n")


def show_decision(given: Any, decision: CallDecision, output: TextOutput) -> None:
    """Show the decision about a call, and about each part of it."""
    choice = {"run": "run", "ask": "ask", "skip": "deny"}
    if output.as_json:
        parts = [
            {"words": list(one.words), "decision": choice[one.choice], "rule": one.rules[0] if one.rules else None}
            for one in decision.parts
        ]
        output.line({
            "type": "decision", "input": given, "decision": choice[decision.choice], "by": decision.by,
            "rules": list(decision.rules), "parts": parts, "why": decision.why,
        })  # fmt: skip
        return
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    why = decision.why or _by(decision)
    output.write(f"{_DOES[decision.choice]}: {printable(text, 2_000)}{f'  ({why})' if why else ''}\n")
    if len(decision.parts) > 1:
        for one in decision.parts:
            because = one.why or ", ".join(one.rules)
            output.write(f"  {_DOES[one.choice]}: {_words(one.words)}{f'  ({because})' if because else ''}\n")


def _by(decision: CallDecision) -> str:
    return ", ".join(decision.rules) or {"setting": "the tool's run setting", "mode": "the mode"}.get(decision.by, "")


def _words(words: Words) -> str:
    return printable(" ".join("…" if word is None else shlex.quote(word) for word in words)) or "a redirection"
