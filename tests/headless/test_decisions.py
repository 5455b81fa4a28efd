"""Leave to run a call and to deliver its result, in lines (inquiries.md R42, R86, R87, R93, M34, M35)."""

from __future__ import annotations

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.headless.forms.steps import Response
from jp_tui.protocol.values import Cancelled, Delivered, Edited, EndTurn, Permitted
from tests.headless.asked import ask, delivery, permission

EDIT_CANCELLED = Permitted(run=False, reason="Edit cancelled")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["y"], Permitted(run=True)),
        (["Y"], Permitted(run=True, remember=True)),
        (["n"], Permitted(run=False)),
        (["N"], Permitted(run=False, remember=True)),
        (["1"], Permitted(run=True)),
        (["4"], Permitted(run=False, remember=True)),
        (["", "yes", "8", "y now", "n"], Permitted(run=False)),
        (["p", "5", "y"], Permitted(run=True)),
        (["r", "too wide"], Permitted(run=False, reason="too wide")),
        (["r too wide"], Permitted(run=False, reason="too wide")),
        (["r", "", "n"], Permitted(run=False)),
        (["e", '{"path":', '"b.txt"}'], Edited(arguments={"path": "b.txt"})),
        (["e", '["b.txt"]', '{"path": "b.txt"}'], Edited(arguments={"path": "b.txt"})),
        (["e", '{"path" "b.txt"}', '{"path": "b.txt"}'], Edited(arguments={"path": "b.txt"})),
        (["e", "", "y"], Permitted(run=True)),
        (["e", ":c"], EDIT_CANCELLED),
        ([":c", "y"], Permitted(run=True)),
        ([":s"], EndTurn()),
    ],
)
def test_leave_to_run(typed: list[str], said: Response) -> None:
    """R86, R87: Enter runs nothing; only an object replaces the arguments; a cancelled edit is a skip with words."""
    assert ask(permission(), *typed)[0] == said


def test_the_call_is_shown_before_it_is_decided() -> None:
    """R90, M34: what runs stands above the choices with nothing in it hidden; `p` shows the JSON of a rendered call."""
    shown = ask(permission(), "n")[1]
    choices = (
        "Run local paint tool?\n"
        "  1  y  Run tool\n"
        "  2  Y  Run tool, remember for this turn\n"
        "  3  n  Skip running tool\n"
        "  4  N  Skip running tool, remember for this turn\n"
        "  5  p  Print arguments as JSON\n"
        "  6  r  Skip and reply\n"
        "  7  e  Edit arguments\n"
        "Y and N cover: every q\n"
    )
    assert choices in shown and shown.index('|   "path": "a.txt"') < shown.index("Run local")
    rendered = permission(rendered=Foreign("rm \x1b[8m-rf /"), tool_kind="mcp", server="files")
    shown = ask(rendered, "p", "n")[1]
    assert "Run mcp paint tool from files server?" in shown and "| rm ␛[8m-rf /" in shown
    assert shown.index("Run mcp") < shown.index('|   "path": "a.txt"')
    assert "cover" not in ask(permission(controls=frozenset({"edit", "end_turn"})), "n")[1]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["y"], Delivered(deliver=True)),
        (["1"], Delivered(deliver=True)),
        (["", "n"], Delivered(deliver=False)),
        (["perhaps", "n"], Delivered(deliver=False)),
        (["2"], Delivered(deliver=False)),
        (["e", "three", "", ".", ":end"], Delivered(deliver=True, text="three\n\n.")),
        (["e", ":end"], Delivered(deliver=True)),
        (["e", ":c"], Delivered(deliver=True)),
        (["e", "x", ":b", "n"], Delivered(deliver=False)),
        ([":c"], Cancelled()),
    ],
)
def test_leave_to_deliver(typed: list[str], said: Response) -> None:
    """R93, Z11: Enter alone delivers nothing; an emptied or cancelled edit delivers the original."""
    assert ask(delivery(), *typed)[0] == said


def test_the_result_is_shown_before_it_is_decided() -> None:
    shown = ask(delivery(), "y")[1]
    assert "Result:\n| one\n| two\nDeliver paint result to assistant?\n  1  y  Deliver result\n" in shown
    assert "  2  n  Skip delivery\n  3  e  Edit result first\n" in shown
    assert "The tool failed with:\n| (empty)\n" in ask(delivery(is_error=True, result=Foreign("")), "y")[1]


def test_mode_edit_opens_in_the_editor() -> None:
    """R85, R93: for the call and for the result; going back leads to the choices."""
    said, shown = ask(permission(edit_first=True), "{}")
    assert said == Edited(arguments={}) and "Enter the new arguments" in shown
    assert ask(permission(edit_first=True), "", "n")[0] == Permitted(run=False)
    assert ask(permission(edit_first=True), ":c")[0] == EDIT_CANCELLED
    assert ask(delivery(edit_first=True), "new", ":end")[0] == Delivered(deliver=True, text="new")
