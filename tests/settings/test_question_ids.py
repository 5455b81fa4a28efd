"""R44, R68: whatever id a tool may ask under can be configured, in TOML, by `config set`, and be shown again."""

from __future__ import annotations

from pathlib import Path

import pytest

from jp_tui.questions import reading
from jp_tui.questions.reading import BadQuestion
from jp_tui.settings import toolset
from jp_tui.settings.edit import edit
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers.explain import explained
from jp_tui.settings.layers.toml import parse_key
from jp_tui.settings.schema.checks import BadValue
from jp_tui.settings.schema.keys import dotted
from jp_tui.settings.schema.tools import MAX_ID, question_id
from jp_tui.startup.tools import tool_setups
from tests.settings.conftest import Home

IDS = ["really sure?", "a.b", "größe", "確認", 'it\'s "so" \\n', "it's", "a = [b] # c", "e\u0301", "x" * 200, "*"]


def accepted(id_: str) -> bool:
    try:
        question_id(id_)
    except BadValue:
        return False
    return True


def askable(id_: str) -> bool:
    try:
        reading._id(id_)
    except BadQuestion:
        return False
    return True


@pytest.mark.parametrize("id_", IDS)
def test_any_id_is_a_key(home: Home, id_: str) -> None:
    key = ("conversation", "tools", "fs_read_file", "questions", id_, "exclusive")
    assert parse_key(dotted(key), "") == key
    edit.set_value(home.user, key, True)
    settings = home.load(home.user.read_text())
    assert tool_setups(settings, toolset.tools(settings))["fs_read_file"].rules[id_].exclusive is True
    (shown,) = explained(settings, key, {})
    assert shown.value is True and shown.place.startswith(f"{home.user}:") and parse_key(shown.key, "") == key
    assert edit.unset_value(home.user, key)


@pytest.mark.parametrize("id_", ["", " a", "a ", "a\u200bb", "a\nb", "\u2800", "x" * 201, "\u202ea", "a\ufe0f"])
def test_an_id_that_no_tool_can_ask_under_is_no_key(home: Home, tmp_path: Path, id_: str) -> None:
    assert not askable(id_)
    escaped = "".join(f"\\U{ord(char):08X}" for char in id_)
    with pytest.raises(SettingsError, match="expected 1 to 200 visible characters without blanks at an end"):
        home.load(f'[conversation.tools.ask_user.questions."{escaped}"]\nexclusive = true')


def test_what_can_be_configured_is_what_can_be_asked() -> None:
    """Every character inside and alone; only the ids of our own prompts differ, which no tool may ask under (R39)."""
    assert MAX_ID == reading.MAX_ID
    characters = [*map(chr, range(0x3200)), *map(chr, range(0xD7F0, 0x10000)), *map(chr, range(0xE0000, 0xE0200))]
    assert [c for c in characters if accepted(f"a{c}b") != askable(f"a{c}b")] == []
    assert [c for c in characters if accepted(c) != askable(c)] == []
