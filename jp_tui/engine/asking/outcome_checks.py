"""The engine's part in a tool's form: which settings apply in it, and what a review is bound to.

The tool chooses the next question; the machine navigates (inquiries.md R171, R182b).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jp_tui.conversation.strict_json import dump
from jp_tui.engine.asking.approval import shown_digest
from jp_tui.inquiry import values as v
from jp_tui.questions.types import FormView, Place, Question

STATES = ("answered", "current", "skipped", "ahead")


def rule_for(rule: v.Rule, form: FormView | None) -> v.Rule:
    """R171: a static answer of a slot for all questions applies only to a single question."""
    if not rule.slot or form is None or len(form.places) < 2:
        return rule
    return replace(rule, has_answer=False, answer=None, slot="", place="")  # the place belonged to the answer


def asked_ahead(form: FormView | None, rules: Mapping[str, v.Rule]) -> FormView | None:
    """Return the form without the later questions that a setting answers: the user won't be asked (R172)."""
    if form is None:
        return None

    def place(one: Place) -> Place:
        fixed = one.question is not None and rule_for(rules.get(one.id, v.Rule()), form).has_answer
        return replace(one, question=None) if fixed else one

    return FormView(tuple(map(place, form.places)))


def review_digest(form: FormView) -> str:
    """Return the digest of every question and answer as shown; submission is bound to it."""
    return shown_digest(
        dump([[place.id, place.text, place.state, place.answer, place.because] for place in form.places])
    )


def find_problem(form: object) -> str | None:
    """Return the problem of a form, as text after the tool's name; None if it is valid."""
    places: object = form.places if isinstance(form, FormView) else None
    if not isinstance(places, tuple) or not all(isinstance(place, Place) for place in places):
        return f"showed a form that is none ({type(form).__name__})"
    for place in places:
        words: tuple[object, ...] = (place.id, place.text, place.because)
        asks = place.question is None or isinstance(place.question, Question)
        if not all(isinstance(word, str) for word in words) or place.state not in STATES or not asks:
            return "showed a form that cannot be shown"
        try:
            dump(place.answer)
        except (TypeError, ValueError, RecursionError) as problem:
            return f"showed a form that cannot be shown ({problem})"
    return None
