"""Who answers: the routing table of inquiries.md 6.3 as one pure function, which also says why.

First matching row wins; no row looks at a tool's name (R109).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jp_tui.inquiry.values import Ledger, Policy, Rule
from jp_tui.questions.types import Question, SecretAnswer
from jp_tui.questions.validate import valid

Who = Literal["human", "remembered", "static", "default", "reviewer", "nobody"]
Refusal = Literal["", "no_client", "bad_static", "not_assistant", "denied", "no_default", "deferred"]


@dataclass(frozen=True, slots=True)
class Route:
    """The row of the table, who answers, for `nobody` the refusal, and the reason in words."""

    row: str
    who: Who
    why: str
    refusal: Refusal = ""
    escalates: bool = False


def key(tool: str, question: str) -> str:
    """The turn-cache key (R30)."""
    return f"{tool}.{question}"


def human_only(question: Question, rule: Rule) -> bool:
    """Effective exclusivity; a secret cannot be softened (R35)."""
    exclusive = question.exclusive if rule.exclusive is None else rule.exclusive
    return exclusive or isinstance(question.answer_type, SecretAnswer)


def _remembered(tool: str, question: Question, ledger: Ledger) -> bool:
    if question.persistence != "turn" or isinstance(question.answer_type, SecretAnswer):
        return False
    slot = key(tool, question.id)
    return slot in ledger.answers and valid(question.answer_type, ledger.answers[slot].value)


def route(tool: str, question: Question, rule: Rule, ledger: Ledger, *, client: bool, policy: Policy) -> Route:
    """Who answers this question now (R103-R112, R247)."""
    if question.floor:
        if client:
            return Route("0a", "human", "what it touches always needs a person")
        return Route("0b", "nobody", "what it touches needs a person, and none is attached", "no_client")
    if _remembered(tool, question, ledger):
        return Route("1", "remembered", "you asked to remember this answer for the rest of the turn")
    place = f" ({rule.place})" if rule.place else ""
    if rule.has_answer:
        if valid(question.answer_type, rule.answer):
            return Route("2", "static", f"a pinned setting answers it{place}")
        return Route("3", "nobody", f"the pinned setting does not fit the question{place}", "bad_static")
    human = human_only(question, rule)
    if rule.target != "user":
        if human:
            return Route("4", "nobody", "only a person may answer, but a model is set to", "not_assistant")
        escalates = rule.target == "assistant_with_escalation"
        return Route("6" if escalates else "5", "reviewer", f"a reviewing model is set to answer{place}", "", escalates)
    if client:
        return Route("7", "human", "nothing is pinned or remembered for it, and you are here")
    return _alone(question, human=human, policy=policy)


def _alone(question: Question, *, human: bool, policy: Policy) -> Route:
    """Rows 8 to 14: the human is wanted and nobody is there."""
    secret = isinstance(question.answer_type, SecretAnswer)
    fits = question.has_default and valid(question.answer_type, question.default)
    if secret:
        return Route("10", "nobody", "a secret needs a person, and none is attached", "no_client")
    if policy == "defer":
        return Route("14", "nobody", "policy `defer` keeps it for later", "deferred")
    if human:
        if policy == "defaults" and fits:
            return Route("9", "default", "policy `defaults` takes the question's default")
        row = "9" if policy == "defaults" else "8"
        return Route(row, "nobody", "only a person may answer, and none is attached", "no_client")
    if policy == "defaults":
        if fits:
            return Route("12", "default", "policy `defaults` takes the question's default")
        return Route("12", "nobody", "policy `defaults`, but there is no default that fits", "no_default")
    if policy == "deny":
        return Route("13", "nobody", "policy `deny`", "denied")
    return Route("11", "reviewer", "nobody is attached, so a reviewing model is asked")
