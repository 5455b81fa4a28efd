"""What these tests remember of stylesheets is what Textual makes of them (`tests/ui/stylesheets.py`)."""

from __future__ import annotations

from typing import Any

import pytest
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

from tests.fakes import scenes
from tests.ui import stylesheets
from tests.ui.app_host import workspace

MARKS = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")


def fresh(sheet: Stylesheet, node: DOMNode, patch: pytest.MonkeyPatch) -> tuple[RulesMap | None, tuple[bool, ...]]:
    """The rules and the marks that Textual finds for a widget; it keeps the rules that it has."""
    made: list[RulesMap] = []
    with patch.context() as here:
        here.setattr(Stylesheet, "replace_rules", lambda self, node, rules, animate=False: made.append(rules))
        here.setattr(Stylesheet, "_process_component_classes", lambda self, node: None)
        stylesheets._apply(sheet, node)
    return (made[0] if made else None), tuple(getattr(node, mark) for mark in MARKS)


async def test_the_rules_of_each_widget_are_those_that_textual_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workspace(say=[*scenes.tools(), *scenes.asked()]) as (app, pilot):
        nodes: list[Any] = [app, *app.screen.walk_children(with_self=True)]
        await pilot.press("tab")  # another one has the focus, and is asked for again
        for node in nodes:
            app.stylesheet.apply(node)
            kind, key = stylesheets.place(app.stylesheet, node)
            rules, marks = fresh(app.stylesheet, node, monkeypatch)
            assert (stylesheets._found[key], kind.marks) == (rules, marks), node


async def test_a_widget_looks_as_if_textual_had_set_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workspace(say=[*scenes.tools(), *scenes.asked()]) as (app, pilot):
        await pilot.press("tab")
        ours = app.screen_text()
        with monkeypatch.context() as here:
            here.setattr(Stylesheet, "apply", stylesheets._apply)
            here.setattr(Stylesheet, "replace_rules", classmethod(stylesheets._replace))
            for node in (app, *app.screen.walk_children(with_self=True)):
                before = node.styles.base.get_rules()
                app.stylesheet.apply(node)
                assert {**node.styles.base.get_rules(), "layout": 0} == {**before, "layout": 0}, node
            await pilot.pause()
        assert app.screen_text() == ours
