"""Settings of a question of another program, as a rule of the machine (intake.md N3)."""

from __future__ import annotations

from jp_tui.inquiry.people import ANYONE, WantedPeople
from jp_tui.inquiry.values import Rule
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.questions import PeopleSettings, QuestionSettings
from jp_tui.settings.toolset import outside_question


def as_rule(question: QuestionSettings) -> Rule:
    """Return the settings of a question."""
    return Rule(
        target=question.target,
        has_answer=question.has_answer,
        answer=question.answer,
        prompt_label=question.prompt_label,
        exclusive=question.exclusive,
        place=question.place,
        slot=question.slot,
        deadline_secs=question.deadline_secs,
        overrides=dict(question.overrides),
        key=question.follows,
        people=as_wanted(question.people),
    )


def as_wanted(found: PeopleSettings) -> WantedPeople:
    """Return which people answer, as the machine takes it (store.md D14, D15)."""
    if found.to == "" and found.approvals is None:
        return ANYONE
    return WantedPeople(found.to, found.to_place, found.approvals or 1, found.approvals_place, found.own)


def outside_rule(settings: Settings, tool: str, question: str) -> Rule:
    """Return the settings of a question of another program (intake.md N3)."""
    return as_rule(outside_question(settings, tool, question))
