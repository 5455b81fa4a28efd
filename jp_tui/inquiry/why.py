"""Reasons for the route of a question, as text for `w` on a sheet or a trail line (asking.md E42).

Each names who decided and by which rule; settings come with their key and FILE:LINE. Values that could be secret never
appear: of an answer only yes and no are shown.
"""

from __future__ import annotations

from jp_tui.inquiry.values import Policy, RememberedAnswer, Rule
from jp_tui.questions.types import Question, SecretAnswer

FLOOR_ASKED = "what this call would touch always needs a person; nothing remembered or set can answer for you"
FLOOR_ALONE = "what this call would touch always needs a person, and none is attached"


def refused_asked(refused: str) -> str:
    """Row 0a for refused targets; `refused` comes from `refusals.standing`."""
    return f"{refused}, so only a person can allow it; nothing remembered or set and no model can answer for you"


def refused_alone(refused: str) -> str:
    """Row 0b for the same."""
    return f"nobody was asked: {refused}, so only a person can allow it, and none is attached"


SECRET_ALONE = "a secret needs a person, and none is attached"


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
        return "your settings say that only a person may answer it" if rule.exclusive else ""
    return "the tool says that only a person may answer it" if question.exclusive else ""


def remembered(held: RememberedAnswer) -> str:
    """Row 1."""
    said = f"`{'yes' if held.value else 'no'}`" if isinstance(held.value, bool) else "this"
    since = f" at {held.since} UTC" if held.since else ""
    uses = f"; it has answered {held.uses} before" if held.uses else ""
    return f"you were not asked: you answered {said}{since} and had it remembered until the turn ends{uses}"


def pinned(tool: str, question: Question, rule: Rule) -> str:
    """Row 2."""
    return f"you were not asked: {setting(tool, rule.slot or question.id, rule, 'answer')} answers it"


def pinned_wrong(tool: str, question: Question, rule: Rule) -> str:
    """Row 3."""
    where = setting(tool, rule.slot or question.id, rule, "answer")
    return f"nobody was asked: {where} is set but is no answer to this question"


def misdirected(tool: str, question: Question, rule: Rule) -> str:
    """Row 4."""
    where = _target(tool, question, rule)
    return f"nobody was asked: {where} sends it to a model, but {only_people(question, rule)}"


def reviewed(tool: str, question: Question, rule: Rule, *, escalates: bool) -> str:
    """Rows 5 and 6."""
    after = "; you are asked when it says no" if escalates else ""
    return f"{_target(tool, question, rule)} sends it to a reviewing model{after}"


def asked(question: Question, rule: Rule) -> str:
    """Row 7."""
    people = only_people(question, rule)
    return "nothing remembered or set answers it, and " + (people or "it is meant for you")


def _at(place: str) -> str:
    return f" ({place})" if place else ""


def policy_name(policy: Policy, place: str = "") -> str:
    """Return a policy's name and origin for use in a sentence."""
    if policy == "unset":
        return "no policy is set for questions without you"
    return f"the policy is `{policy}`{_at(place)}"


def alone_human(question: Question, rule: Rule, policy: Policy, place: str = "") -> str:
    """Rows 8 and 9, without an answer."""
    people = only_people(question, rule)
    lacks = " and it has no default that fits" if policy == "defaults" else ""
    return f"nobody was asked: nobody is attached, {people}, {policy_name(policy, place)}{lacks}"


def default(place: str = "") -> str:
    """Rows 9 and 12."""
    return (
        f"you were not asked: nobody was attached, and the policy `defaults`{_at(place)} takes the question's default"
    )


def no_default(place: str = "") -> str:
    """Row 12, without one."""
    lacks = "but it has no default that fits"
    return f"nobody was asked: nobody is attached, and {policy_name('defaults', place)} {lacks}"


def denied(place: str = "") -> str:
    """Row 13."""
    return f"nobody was asked: nobody is attached, and {policy_name('deny', place)}"


def deferred(place: str = "") -> str:
    """Row 14."""
    return f"it waits: nobody is attached, and the policy `defer`{_at(place)} keeps it until somebody is"


def alone_reviewed(policy: Policy, place: str = "") -> str:
    """Row 11."""
    return f"nobody is attached and {policy_name(policy, place)}, so a reviewing model is asked"


def overruled(tool: str, question: Question, rule: Rule, model: str) -> str:
    """Section 9: the user decides over a reviewer's no."""
    return f"{model or 'the reviewing model'} said no, and {_target(tool, question, rule)} asks you then"


def undecided(model: str) -> str:
    """R155: the reviewer had no verdict."""
    return f"{model or 'the reviewing model'} could not decide, so it comes to you (conversation.inquiry.on_failure)"


def taken_over(model: str) -> str:
    """R156."""
    return f"you took it over from {model or 'the reviewing model'}"


def too_long(model: str) -> str:
    """R247: evidence that could not be shown whole."""
    whom = f" to {model}" if model else " to the reviewing model"
    return f"what it is about is too long to be shown{whom} whole, so a person decides"


def second_look(model: str) -> str:
    """Second review, before the user is asked."""
    return (
        f"{model or 'the reviewing model'} said no, and is asked once more, told what the assistant wants with it "
        "(conversation.inquiry.retry_with_intent)"
    )


def refused_meanwhile(refused: str) -> str:
    """R247: a target was refused during its review."""
    return f"{refused}, so only a person can allow it, whatever a model says"


def overruled_alone(policy: Policy, place: str = "") -> str:
    """R153: a reviewer's no with no client."""
    return f"a reviewing model said no, nobody is attached, and {policy_name(policy, place)}"


def permission(tool: str, mode: str, place: str = "", *, exact: bool = False) -> str:
    """A run prompt (R85); `exact` for a tool that takes a command (Z16)."""
    what = "this command" if exact else "this tool"
    return f"conversation.tools.{tool}.run is `{mode}`{_at(place)}, and no decision on {what} is remembered"


def permission_floor(refused: str) -> str:
    """A run prompt for a call that names what was refused (R247)."""
    return f"this call names {refused}, so only you can let it run, this time only"


def delivery(tool: str, mode: str, place: str = "") -> str:
    """A result prompt (R93)."""
    return f"conversation.tools.{tool}.result is `{mode}`{_at(place)}"
