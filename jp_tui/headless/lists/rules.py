"""Approval rules and decisions as lines and as JSON (rules.md AR25, AR26)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from jp_tui.headless.output import TextOutput
from jp_tui.protocol.rules import RuleInfo, RuleSuggestion, RuleWhy
from jp_tui.rules.danger import Danger
from jp_tui.rules.texts import scope_text
from jp_tui.rules.values import CallDecision, Words
from jp_tui.settings.errors import printable
from jp_tui.view.pages.rules import call_line, rule_hits, rule_making, suggestion_figures

_DOES = {"run": "runs", "ask": "asks", "skip": "denied"}


def show_rule(rule: RuleInfo, output: TextOutput) -> None:
    """A rule, in one line."""
    if output.as_json:
        output.line(rule.model_dump(mode="json"))
        return
    more = [f"in {rule.folder}" if rule.folder else "everywhere"]
    more += [f"until {rule.expires}"] if rule.expires is not None else []
    more += [rule.reason] if rule.reason else []
    more += [] if rule.active else ["doesn't apply here"]
    about = f"{rule.id}  {rule.effect:<5}  {rule.tool}  {scope_text(rule.scope, rule.match)}"
    told = "; ".join(
        part for part in (", ".join(more), rule_making(rule), rule_hits(rule), f"{rule.layer}: {rule.place}") if part
    )
    output.write(f"{printable(f'{about}  ({told})', 4_000)}\n")


def show_why(one: RuleWhy, output: TextOutput) -> None:
    """Show what there is under an ID, as one paragraph."""
    if output.as_json:
        output.line(one.model_dump(mode="json"))
        return
    match one.kind:
        case "rule":
            _show_rule_why(one, output)
        case "call" if one.call is not None:
            output.write(f"{printable(call_line(one.call), 4_000)}\n")
            for rule in one.rules:
                show_rule(rule, output)
        case _:
            asked = one.question.raw if one.question is not None else ""
            output.write(f"{printable(f'inquiry {one.id} of {one.conversation}: {asked}', 4_000)}\n")
            output.write(f"  {printable(_response(one.response), 2_000)}\n")


def _show_rule_why(one: RuleWhy, output: TextOutput) -> None:
    if one.rule is not None:
        show_rule(one.rule, output)
    else:
        made = f", made {one.created}" if one.created else ""
        gone = f", revoked {one.revoked}" if one.revoked else ""
        output.write(f"{printable(f'{one.id} is in no rules file now{made}{gone}', 400)}\n")
        if one.made is not None:
            output.write(f"  it was: {printable(json.dumps(one.made, ensure_ascii=False), 2_000)}\n")
    if one.rule is not None and one.rule.answer is not None:
        answer = one.rule.answer
        named = ", ".join(
            filter(None, (answer.inquiry and f"inquiry {answer.inquiry}", answer.call and f"call {answer.call}"))
        )
        output.write(f"  {printable(f'made from your answer in {answer.conversation} ({named})', 400)}\n")
    for call in one.calls:
        output.write(f"  {printable(call_line(call), 4_000)}\n")
    if one.hits is not None and one.hits > len(one.calls):
        output.write(f"  and {one.hits - len(one.calls):,} earlier ones\n")


def _response(raw: Mapping[str, Any] | None) -> str:
    if raw is None:
        return "not answered"
    who = raw.get("responder")
    by = who.get("kind", "user") if isinstance(who, dict) else "user"
    match raw.get("outcome"):
        case "redacted":
            return f"answered by {by} with a secret, which is not kept"
        case "cancelled":
            return f"cancelled: {raw.get('reason', 'user')}"
        case _:
            reason = f" ({raw['reason']})" if isinstance(raw.get("reason"), str) else ""
            return f"answered by {by}: {json.dumps(raw.get('answer'), ensure_ascii=False)}{reason}"


def show_suggestion(one: RuleSuggestion, output: TextOutput) -> None:
    """A suggested rule with its figures and the command that makes it."""
    if output.as_json:
        output.line(one.model_dump(mode="json"))
        return
    output.write(
        f"{printable(f'allow  {one.tool}  {scope_text(one.scope, one.match)}  ({suggestion_figures(one)})', 4_000)}\n"
    )
    output.write(f"  {printable(one.add, 4_000)}\n")


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
