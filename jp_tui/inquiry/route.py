"""Routing table of inquiries.md 6.3 as one pure function, which also returns the reason.

The first matching row wins; no row depends on a tool's name (R109).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jp_tui.inquiry import why
from jp_tui.inquiry.parts import fits
from jp_tui.inquiry.values import Ledger, Policy, RememberedAnswer, Rule, Ruled
from jp_tui.questions.answer_kind import NO_VERDICTS, Verdicts
from jp_tui.questions.types import BooleanAnswer, Question, SecretAnswer
from jp_tui.questions.wire import digest

Who = Literal["human", "remembered", "ruled", "static", "default", "reviewer", "nobody"]
Refusal = Literal[
    "", "no_client", "bad_static", "bad_approvals", "not_assistant", "denied", "no_default", "deferred"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Route:
    """Row of the table, who answers, the refusal if `nobody`, and the reason as text."""

    row: str
    who: Who
    why: str
    refusal: Refusal = ""


def key(tool: str, question: str) -> str:
    """Return the turn-cache key (R30)."""
    return f"{tool}.{question}"


def slot(tool: str, question: Question) -> str:
    """Return the key under which an answer to this question is remembered. It includes the digest if the answer covers
    only what was shown (Z16). The question must have a digest."""
    found = key(tool, question.id)
    return f"{found}#{digest(question)}" if question.exact else found


def held_slot(tool: str, question: Question, ledger: Ledger) -> str:
    """Return the key under which an answer to it is remembered: that of `slot`, or, where the user accepted a plan with
    its changes (K42), that of the question. Empty if there is none."""
    return next((one for one in (slot(tool, question), key(tool, question.id)) if one in ledger.answers), "")


def human_only(question: Question, rule: Rule) -> bool:
    """Effective exclusivity; a secret is always exclusive (R35)."""
    exclusive = question.exclusive if rule.exclusive is None else rule.exclusive
    return exclusive or isinstance(question.answer_type, SecretAnswer)


def default_fits(question: Question, verdicts: Verdicts = NO_VERDICTS) -> bool:
    """True if policy `defaults` has a default to use (R4)."""
    return question.has_default and fits(question.answer_type, question.default, verdicts)


def _held(tool: str, question: Question, ledger: Ledger, verdicts: Verdicts) -> RememberedAnswer | None:
    """Return the remembered answer if it fits the current question (R104)."""
    if question.persistence != "turn" or isinstance(question.answer_type, SecretAnswer):
        return None
    held = ledger.answers.get(held_slot(tool, question, ledger))
    return held if held is not None and fits(question.answer_type, held.value, verdicts) else None


def route(
    tool: str,
    question: Question,
    rule: Rule,
    ledger: Ledger,
    *,
    client: bool,
    policy: Policy,
    policy_place: str = "",
    verdicts: Verdicts = NO_VERDICTS,
    refused: str = "",
    ruled: Ruled | None = None,
    needed: int = 1,
) -> Route:
    """Return who answers this question now (R103-R112, R247). `verdicts` cover a schema's static answer and default;
    `policy_place` is where the policy is set, for the reason; `refused` names its refused targets; `ruled` is a yes of
    approval rules, or their no, which no other row loosens (AR7). A mode answers nothing that only a person may answer
    (AR30). `needed`: so many people must approve it, and nothing else counts (store.md D15)."""
    if ruled is not None and not ruled.value:
        return Route("1b", "ruled", ruled.why)
    if rule.people.own and not isinstance(question.answer_type, BooleanAnswer):
        return Route("3b", "nobody", why.approvals_wrong(tool, question, rule), "bad_approvals")
    if needed > 1:
        if client:
            return Route("0c", "human", why.SEVERAL)
        if policy == "defer":
            return Route("14", "nobody", why.deferred(policy_place), "deferred")
        return Route("0d", "nobody", why.SEVERAL_ALONE, "no_client")
    if question.floor:
        return Route("0a", "human", why.FLOOR_ASKED) if client else Route("0b", "nobody", why.FLOOR_ALONE, "no_client")
    held = _held(tool, question, ledger, verdicts)
    if refused and (held is None or held.value is not False):  # a remembered no is a person's own
        if client:
            return Route("0a", "human", why.refused_asked(refused))
        return Route("0b", "nobody", why.refused_alone(refused), "no_client")
    if held is not None:
        return Route("1", "remembered", why.remembered(held))
    if ruled is not None and not rule.has_answer and (ruled.rules or not human_only(question, rule)):
        return Route("1b", "ruled", ruled.why)
    if rule.has_answer:
        if fits(question.answer_type, rule.answer, verdicts):
            return Route("2", "static", why.pinned(tool, question, rule))
        return Route("3", "nobody", why.pinned_wrong(tool, question, rule), "bad_static")
    human = human_only(question, rule)
    if rule.target != "user":
        if human:
            return Route("4", "nobody", why.misdirected(tool, question, rule), "not_assistant")
        escalates = rule.target == "assistant_with_escalation"
        words = why.reviewed(tool, question, rule, escalates=escalates)
        return Route("6" if escalates else "5", "reviewer", words)
    if client:
        return Route("7", "human", why.asked(question, rule))
    return _alone(question, rule, human=human, policy=policy, place=policy_place, verdicts=verdicts)


def _alone(question: Question, rule: Rule, *, human: bool, policy: Policy, place: str, verdicts: Verdicts) -> Route:
    """Route a user question with no client (rows 8-14)."""
    if isinstance(question.answer_type, SecretAnswer):
        return Route("10", "nobody", why.SECRET_ALONE, "no_client")
    if policy == "defer":
        return Route("14", "nobody", why.deferred(place), "deferred")
    takes = policy == "defaults" and default_fits(question, verdicts)
    if human:
        row = "9" if policy == "defaults" else "8"
        if takes:
            return Route(row, "default", why.default(place))
        return Route(row, "nobody", why.alone_human(question, rule, policy, place), "no_client")
    if policy == "defaults":
        if takes:
            return Route("12", "default", why.default(place))
        return Route("12", "nobody", why.no_default(place), "no_default")
    if policy == "deny":
        return Route("13", "nobody", why.denied(place), "denied")
    return Route("11", "reviewer", why.alone_reviewed(policy, place))
