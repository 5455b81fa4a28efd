"""Forms of several questions at an editor, as values (intake.md N51)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jp_tui.conversation.strict_json import Json
from jp_tui.headless.acp import forms
from jp_tui.headless.acp.shapes import AcpElicited
from jp_tui.headless.rpc.answer_parser import InvalidAnswer
from jp_tui.protocol.values import Answered, Cancelled, Escalation, PromptRequest
from jp_tui.questions.items import FormItem, When
from jp_tui.questions.options import Option
from jp_tui.questions.types import BooleanAnswer, GivenAnswer, SchemaAnswer, SecretAnswer, SelectAnswer, TextAnswer
from jp_tui.questions.walker import walk
from tests.fakes import scenes

ITEMS = (
    FormItem("a", "A?", SelectAnswer((Option("x"), Option("y")))),
    FormItem("b", "B?", BooleanAnswer(), default=True, has_default=True),
    FormItem("c", "C?", TextAnswer(), when=When("a", "y")),
)


def prompt(items: tuple[FormItem, ...] = ITEMS, **given: Json) -> PromptRequest:
    """The prompt of the first question without an answer."""
    at = walk(items, {id_: GivenAnswer(value, "") for id_, value in given.items()})
    assert at.next is not None
    question = at.next.question()
    return scenes.prompt("boolean").model_copy(
        update={"question": question, "form": at.form, "controls": frozenset({"reply", "end_turn"}), "preselect": True}
    )


def filled(**content: Json) -> AcpElicited:
    return AcpElicited(action="accept", content=content)


def test_n51_what_a_form_says_of_later_questions_holds_with_its_own_earlier_answers_only() -> None:
    """An answer that was given elsewhere meanwhile drops the rest, also if it is heard of late."""
    held = forms.FilledForms()
    first = prompt()
    assert held.filled(first, held.open(first), filled(a="x", b=False)) == Answered(value="x")
    assert held.given(prompt(a="y")) is None, "another answer came first"
    assert held.given(prompt(a="x")) is None, "and nothing of the form is left"
    held.filled(first, held.open(first), filled(a="x", b=False))
    assert held.given(prompt(a="x")) == Answered(value=False)
    assert held.given(prompt(a="x")) is None, "an answer counts once"


def test_n51_another_question_than_the_form_showed_is_asked() -> None:
    """By what was shown (R235); and so is one that a reviewer refused."""
    changed = (ITEMS[0], replace(ITEMS[1], text="Really?"), ITEMS[2])
    held = forms.FilledForms()
    for asked in (
        prompt(changed, a="x"),
        prompt(a="x").model_copy(update={"escalation": Escalation(model="m", reason=scenes.prompt("boolean").subject)}),
    ):
        first = prompt()
        held.filled(first, held.open(first), filled(a="x", b=True))
        assert held.given(asked) is None
    held.filled(first, held.open(first), filled(a="x", b=True))
    held.drop(first)
    assert held.given(prompt(a="x")) is None


def test_n51_a_form_has_no_default_that_enter_alone_approves() -> None:
    """Z11; a schema's own defaults, too. A secret is never in it (V12)."""
    hex_ = {"type": "string", "default": "ff", "title": "\u202eX"}
    items = (*ITEMS, FormItem("d", "D?", SchemaAnswer(hex_)), FormItem("s", "S?", SecretAnswer()))
    for preselect in (True, False):
        shown = prompt(items).model_copy(update={"preselect": preselect})
        fields: Any = forms.schema_of(forms.FilledForms().open(shown), shown)["properties"]
        assert list(fields) == ["a", "b", "c", "d"]
        assert ["default" in fields[id_] for id_ in "bd"] == [preselect] * 2
    alone = replace(ITEMS[0], answer_type=SchemaAnswer({"type": "object", "properties": {"h": hex_}}))
    given: Any = forms.schema(prompt((alone,)).model_copy(update={"preselect": False}))
    assert "default" not in given["properties"]["h"] and "\u202e" not in given["properties"]["h"]["title"]


def test_n51_values_of_a_form_are_checked_one_by_one() -> None:
    held, shown = forms.FilledForms(), prompt()
    assert isinstance(held.filled(shown, held.open(shown), filled(a=7, b="yes")), InvalidAnswer)
    assert isinstance(held.given(prompt(a="y")), InvalidAnswer), "b is no boolean"
    assert held.given(prompt(a="y", b=True)) is None, "c has a condition: it is asked now"
    assert forms.left(AcpElicited(action="decline")) == Cancelled(declined=True)
