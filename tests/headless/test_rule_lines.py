"""The line that says what Y and N do, in lines, and the approval mode there (rules.md AR18, AR30)."""

from __future__ import annotations

import pytest

from jp_tui.headless.forms.approvals import PermissionLines
from jp_tui.headless.forms.choices import BooleanLines
from jp_tui.headless.forms.question import AskedQuestion
from jp_tui.headless.forms.steps import Words
from jp_tui.protocol.mode import ApprovalModeSet
from jp_tui.protocol.values import Answered, ChosenRule, Permitted
from jp_tui.questions.types import BooleanAnswer
from jp_tui.view.wording.modes import mode_text, next_mode, which
from tests.headless.asked import permission, prompt
from tests.view.test_rule_choice import SCOPES

SCOPED = {"scopes": SCOPES, "controls": frozenset({"remember", "edit", "end_turn"})}
LINE = "Y allows, N denies `git log …` this turn · would have covered 14 of your last 20, 2 of them you refused"
ALL = """\
| Y allows, N denies `git …` this turn · would have covered 20 of your last 20
| From narrow (-) to wide (+):
|   `git log -3` · nothing like it was asked before
|   `git log …` · would have covered 14 of your last 20, 2 of them you refused
| > `git …` · would have covered 20 of your last 20
| How long (l): this turn"""


def test_ar18_permission_in_lines() -> None:
    asked = PermissionLines(permission().model_copy(update=SCOPED))
    assert list(asked.body())[-2:] == [LINE, "+ widens, - narrows, l changes how long"]
    said = asked.answer("+")
    assert isinstance(said, Words) and said.text == ALL
    assert asked.answer("N") == Permitted(run=False, rule=ChosenRule(scope="program"))
    assert asked.answer("y") == Permitted(run=True)
    assert isinstance(asked.answer("+ +"), Words) and isinstance(asked.answer("L"), Words)  # no answer


def test_ar18_a_question_in_lines() -> None:
    asked = BooleanLines(AskedQuestion(prompt(BooleanAnswer()).model_copy(update=SCOPED)))
    assert LINE in list(asked.body())
    assert isinstance(asked.answer("-"), Words) and isinstance(asked.answer("l"), Words)
    wanted = ChosenRule(scope="exact command", lifetime="conversation")
    assert asked.answer("Y") == Answered(value=True, rule=wanted)
    assert asked.answer("n") == Answered(value=False)


@pytest.mark.parametrize(
    ("mode", "why", "said"),
    [
        ("ask", "", "Mode ask: nothing more runs without asking."),
        ("edits", "", "Mode edits allowed: file changes run without asking; /undo restores them."),
        ("edits", "No sandbox.", "Mode edits allowed. No sandbox."),
        ("unattended", "", "Mode unattended in the sandbox: file changes and sandboxed commands run without asking."),
    ],
)
def test_ar30_the_mode_in_lines(mode: str, why: str, said: str) -> None:
    event = ApprovalModeSet.model_validate({"conversation": "c1", "mode": mode, "chosen": "unattended", "why": why})
    assert mode_text(event) == said


def test_ar30_names_of_modes() -> None:
    assert [next_mode(one) for one in ("ask", "edits", "unattended", "")] == ["edits", "unattended", "ask", "ask"]
    assert which(" Edits ") == "edits" and which("") is which("plan") is None
