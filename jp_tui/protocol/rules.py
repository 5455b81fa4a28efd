"""Approval rules (rules.md AR24-AR27): commands, the event that lists them, and its values.

Words of rules and of commands are untrusted.
"""

from __future__ import annotations

from typing import Any, Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model

RuleLayerName = Literal["policy", "user", "folder"]
RuleEffect = Literal["allow", "ask", "deny"]
RuleScope = Literal["tool", "command", "exact command", "path", "host", "arguments", "call"]


class RuleAnswer(Model):
    """The answer that a rule was made from."""

    conversation: str
    inquiry: str = ""
    call: str = ""


class RuleInfo(Model):
    """A rule (AR25). `match` is what its scope names: words (a list is a choice), a pattern, a host, arguments; None
    for the whole tool. Times are UTC, as 2026-12-01T00:00:00Z. `made_by`: answer, command or suggestion, None if
    unknown; `hits` counts the calls that it decided or had the user asked about, None without a record. `active`: it
    applies in this folder now. `lifetime` `session` is of another program's session (intake.md N3); its remembered
    answers have the scope `call`, with what they cover as text."""

    type: Literal["rule"] = "rule"
    id: str
    effect: RuleEffect
    tool: str
    scope: RuleScope
    match: Any = None
    lifetime: Literal["turn", "conversation", "session", "folder", "everywhere"]
    layer: RuleLayerName
    place: str
    folder: str | None = None
    expires: str | None = None
    reason: str | None = None
    created: str | None = None
    made_by: str | None = None
    answer: RuleAnswer | None = None
    hits: int | None = None
    last_hit: str | None = None
    active: bool = True


class RuleSuggestion(Model):
    """A rule that the record suggests (AR27), and why: calls approved in the last 30 days, in how many conversations.
    `add` is the command line that makes it; `table` its table in `rules.toml`."""

    type: Literal["suggestion"] = "suggestion"
    effect: Literal["allow"] = "allow"
    tool: str
    scope: RuleScope
    match: Any = None
    folder: str
    approved: int
    conversations: int
    first: str
    last: str
    add: str
    table: dict[str, Any]


class RuledCall(Model):
    """A call and its decision (AR22). `at` is UTC; `asked_rules` are the rules that required the user's decision;
    `running`: it has no result yet."""

    conversation: str
    turn: int
    call: str
    tool: str
    arguments: dict[str, Any]
    title: Foreign = Foreign("")
    at: str
    choice: str
    by: str
    rules: tuple[str, ...] = ()
    asked_rules: tuple[str, ...] = ()
    reason: Foreign = Foreign("")
    running: bool = False


class RuleWhy(Model):
    """The record of an ID (AR24): a rule with its latest calls, a call with its rules, or an inquiry with its response.
    `rule` is None for one that is no longer in any file; `made` (its table), `created` and `revoked` (UTC) then come
    from the log, if it has them. `hits` counts its calls."""

    type: Literal["why"] = "why"
    kind: Literal["rule", "call", "inquiry"]
    id: str
    rule: RuleInfo | None = None
    made: dict[str, Any] | None = None
    created: str | None = None
    revoked: str | None = None
    hits: int | None = None
    calls: tuple[RuledCall, ...] = ()
    call: RuledCall | None = None
    rules: tuple[RuleInfo, ...] = ()
    conversation: str | None = None
    question: Foreign | None = None
    response: dict[str, Any] | None = None


class ReadRules(Model):
    """Answered by RulesRead, as files and record are now, with the rules of the turn and of `conversation`, the open
    one; empty without one."""

    type: Literal["read_rules"] = "read_rules"
    conversation: str = ""


class TakeSuggestion(Model):
    """Add the rule of a suggestion that was shown; `table` is its own. Answered by RulesRead. Refused if the record no
    longer suggests it. `conversation` is the open one, whose log records it; empty without one."""

    type: Literal["take_suggestion"] = "take_suggestion"
    conversation: str = ""
    table: dict[str, Any]


class RevokeRule(Model):
    """Remove a rule from the user's file. Answered by RulesRead; `conversation` as in TakeSuggestion."""

    type: Literal["revoke_rule"] = "revoke_rule"
    conversation: str = ""
    id: str


class RulesRead(Model):
    """The rules by layer, and the suggestions. `problems` name bad rules with file and line; `policy` are the files of
    a policy in force, `max_mode` its loosest mode. `done`: `added` or `revoked` the rule `changed`."""

    type: Literal["rules_read"] = "rules_read"
    rules: tuple[RuleInfo, ...]
    suggestions: tuple[RuleSuggestion, ...] = ()
    file: Foreign
    problems: tuple[Foreign, ...] = ()
    policy: tuple[Foreign, ...] = ()
    done: Literal["", "added", "revoked"] = ""
    changed: str = ""
