"""Reasons for the route of a question, as text for `w` on a sheet or a trail line (asking.md E42).

Each names who decided and by which rule; settings come with their key and FILE:LINE. Values that could be secret never
appear: of an answer only yes and no are shown.
"""

from __future__ import annotations

from jp_tui.inquiry.values import Policy, RememberedAnswer, Rule
from jp_tui.questions.types import Question, SecretAnswer

FLOOR_ASKED = "This call always needs your approval."
SEVERAL = "Several people must approve this."
SEVERAL_ALONE = "Several people must approve this, and nobody could be asked."
FLOOR_ALONE = "This call always needs a user, and none was available."


def refused_asked(refused: str) -> str:
    """Row 0a for refused targets, also those refused during a review (R247); `refused` comes from
    `refusals.refusal_reason`."""
    return f"Only you can approve this: {refused}."


def refused_alone(refused: str) -> str:
    """Row 0b for the same."""
    return f"Only the user could approve this: {refused}. No user was available."


SECRET_ALONE = "A secret needs a user, and none was available."


def setting(tool: str, question: str, rule: Rule, leaf: str) -> str:
    """Return the key of a question's setting and its origin."""
    return f"conversation.tools.{tool}.questions.{question}.{leaf}{_at(rule.place)}"


def _target(tool: str, question: Question, rule: Rule) -> str:
    """Return the setting that chose who answers: the question's own, or the inherited one (R72)."""
    return f"{rule.key}{_at(rule.place)}" if rule.key else setting(tool, question.id, rule, "target")


def only_people(question: Question, rule: Rule) -> str:
    """Return why only a person may answer; empty if anyone may."""
    if isinstance(question.answer_type, SecretAnswer):
        return "it is a secret"
    if rule.exclusive is not None:
        return "your settings allow only the user to answer it" if rule.exclusive else ""
    return "the tool allows only the user to answer it" if question.exclusive else ""


def remembered(held: RememberedAnswer) -> str:
    """Row 1."""
    said = f"`{'yes' if held.value else 'no'}`" if isinstance(held.value, bool) else "this"
    since = f" at {held.since} UTC" if held.since else ""
    uses = f", and it answered {held.uses} before" if held.uses else ""
    return f"You answered {said}{since} and chose to remember it until the turn ends{uses}."


def pinned(tool: str, question: Question, rule: Rule) -> str:
    """Row 2."""
    return f"The setting {setting(tool, rule.slot or question.id, rule, 'answer')} answers it."


def pinned_wrong(tool: str, question: Question, rule: Rule) -> str:
    """Row 3."""
    where = setting(tool, rule.slot or question.id, rule, "answer")
    return f"The setting {where} isn't a valid answer to this question."


def approvals_wrong(tool: str, question: Question, rule: Rule) -> str:
    """Row 3b."""
    where = rule.people.approvals_place or setting(tool, question.id, rule, "approvals")
    return f"The setting {where} is for yes-or-no questions only, and this isn't one."


def misdirected(tool: str, question: Question, rule: Rule) -> str:
    """Row 4."""
    where = _target(tool, question, rule)
    return f"The setting {where} sends it to a model, but {only_people(question, rule)}."


def reviewed(tool: str, question: Question, rule: Rule, *, escalates: bool) -> str:
    """Rows 5 and 6."""
    after = "; you decide if it rejects" if escalates else ""
    return f"The setting {_target(tool, question, rule)} sends it to a reviewer{after}."


def asked(question: Question, rule: Rule) -> str:
    """Row 7."""
    people = only_people(question, rule)
    if people:
        return f"Only you can answer this: {people}."
    return "No remembered answer, setting or reviewer covers this question."


def _at(place: str) -> str:
    return f" ({place})" if place else ""


def policy_name(policy: Policy, place: str = "") -> str:
    """Return a policy's name and origin for use in a sentence."""
    if policy == "unset":
        return "no policy is set for questions without a user"
    return f"the policy is `{policy}`{_at(place)}"


def alone_human(question: Question, rule: Rule, policy: Policy, place: str = "") -> str:
    """Rows 8 and 9, without an answer."""
    people = only_people(question, rule)
    lacks = ", and it has no valid default" if policy == "defaults" else ""
    return f"No user was available, {people}, {policy_name(policy, place)}{lacks}."


def default(place: str = "") -> str:
    """Rows 9 and 12."""
    return f"No user was available, and the policy `defaults`{_at(place)} uses the question's default."


def no_default(place: str = "") -> str:
    """Row 12, without one."""
    lacks = "but it has no valid default"
    return f"No user was available, and {policy_name('defaults', place)} {lacks}."


def denied(place: str = "") -> str:
    """Row 13."""
    return f"No user was available, and {policy_name('deny', place)}."


def deferred(place: str = "") -> str:
    """Row 14."""
    return f"No user was available, and the policy `defer`{_at(place)} keeps it open."


def alone_reviewed(policy: Policy, place: str = "") -> str:
    """Row 11."""
    return f"No user was available and {policy_name(policy, place)}, so a reviewer decides."


def overruled(tool: str, question: Question, rule: Rule, model: str) -> str:
    """Section 9: the user decides over a reviewer's no."""
    return f"{model or 'The reviewer'} rejected it, and {_target(tool, question, rule)} lets you decide."


def undecided(model: str) -> str:
    """R155: the reviewer had no verdict."""
    return f"{model or 'The reviewer'} couldn't decide, so you do (conversation.inquiry.on_failure)."


def taken_over(model: str) -> str:
    """R156."""
    return f"You took it over from {model or 'the reviewer'}."


def too_long(model: str) -> str:
    """R247: evidence that could not be shown whole."""
    whom = f" for {model}" if model else " for the reviewer"
    return f"It is too long{whom} to read in full, so you decide."


def second_look(model: str) -> str:
    """Second review, before the user is asked."""
    return (
        f"{model or 'The reviewer'} rejected it and is asked again with the assistant's intent "
        "(conversation.inquiry.retry_with_intent)."
    )


def overruled_alone(policy: Policy, place: str = "") -> str:
    """R153: a reviewer's no with no client."""
    return f"A reviewer rejected it, no user was available, and {policy_name(policy, place)}."


def permission(tool: str, mode: str, place: str = "", *, exact: bool = False) -> str:
    """A run prompt (R85); `exact`: a decision is remembered for such a call only (Z16)."""
    what = "this call" if exact else "this tool"
    return f"conversation.tools.{tool}.run is `{mode}`{_at(place)}, and no decision on {what} is remembered."


def permission_floor(refused: str) -> str:
    """A run prompt for a call that names what was refused (R247)."""
    return f"Only you can allow this call, once: it names {refused}."


def delivery(tool: str, mode: str, place: str = "") -> str:
    """A result prompt (R93)."""
    return f"conversation.tools.{tool}.result is `{mode}`{_at(place)}."
