"""Setting a key: comments and order stay, what is broken is left alone, nothing is written that would not load."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from jp_tui.settings.edit import edit
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import layers

TEXT = """\
# my settings
[ui]   # the look
theme = "x"  # my theme
sidebar="hide"

[assistant]
model.id = "local/x"

[ conversation.tools.'*' ]
run = "skip"
"""


def test_everything_else_keeps_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(TEXT)
    edit.set_value(file, ("ui", "theme"), "jp-day")
    assert file.read_text() == TEXT.replace('"x"  #', '"jp-day"  #')


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_keys_that_are_missing_are_added(tmp_path: Path, newline: str) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(TEXT.replace("\n", newline).encode())
    for key, value in (
        ("assistant.model.id", "a/b"),
        ("assistant.request.max_retries", 2),
        ("conversation.tools.*.result", "ask"),
        ("conversation.tools.fs_read_file.options.a", [1, {"b": True}]),
        ("providers.llm.local.wire", "anthropic"),
        ("notify.bell", False),
    ):
        edit.set_value(file, key.split("."), value)
        layer = layers.from_file("user", str(file))
        assert layer is not None
        found: Any = layer.tree
        for part in key.split("."):
            found = found[part]
        assert found == value
    text = file.read_bytes().decode()
    for line in TEXT.splitlines():
        assert line.partition('"local/x"')[0] in text
    assert "# my settings" + newline in text


def test_a_missing_file_is_made_private(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    edit.set_value(file, ("ui", "theme"), "jp-day")
    assert file.read_text() == '[ui]\ntheme = "jp-day"\n'
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)


def test_a_shorthand_becomes_a_table_where_one_field_is_set(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[conversation.tools.a]\nenable = false\n")
    edit.set_value(file, ("conversation", "tools", "a", "enable", "state"), True)
    layer = layers.from_file("user", str(file))
    assert layer is not None and layer.tree["conversation"]["tools"]["a"]["enable"] == {"state": True}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("ui.them", "x", "Did you mean ui.theme?"),
        ("ui.sidebar", "x", "(allowed: auto, show, hide)"),
        ("ui", {}, "is a table; set one of its keys"),
        ("providers.llm.x.headers.Authorization", "k", "don't put a key in a file"),
    ],
)
def test_what_does_not_fit_is_not_written(tmp_path: Path, key: str, value: object, said: str) -> None:
    file = tmp_path / "config.toml"
    with pytest.raises(SettingsError) as caught:
        edit.set_value(file, key.split("."), value)
    assert said in str(caught.value) and not file.exists()


def test_a_broken_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    for broken in (b"[ui\n", b"ui = 3\n", b"\xff"):
        file.write_bytes(broken)
        with pytest.raises(SettingsError, match=r"config\.toml:1:"):
            edit.set_value(file, ("ui", "theme"), "jp-day")
        assert file.read_bytes() == broken


def test_a_linked_file_stays_linked_and_a_folder_in_the_way_is_said(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("# kept\n")
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    edit.set_value(link, ("ui", "theme"), "jp-day")
    assert link.is_symlink() and "# kept" in real.read_text() and "jp-day" in real.read_text()
    (tmp_path / "folder").mkdir()
    with pytest.raises(SettingsError, match="can't be read"):
        edit.set_value(tmp_path / "folder", ("ui", "theme"), "jp-day")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SettingsError, match=r"ui\.theme"):
        edit.set_value(tmp_path / "config.toml", ("ui", "theme"), "jp-day")


def test_a_key_is_taken_out_and_everything_else_keeps_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(TEXT)
    assert edit.unset_value(file, ("ui", "sidebar"))
    assert file.read_text() == TEXT.replace('sidebar="hide"\n', "")
    assert not edit.unset_value(file, ("ui", "sidebar"))
    assert edit.unset_value(file, ("conversation", "tools", "*", "run"))
    assert edit.unset_value(file, ("assistant", "model", "id"))
    left = layers.from_file("user", str(file))
    assert left is not None and left.tree["ui"] == {"theme": "x"}
    for comment in ("# my settings", "# the look", "# my theme"):
        assert comment in file.read_text()


@pytest.mark.parametrize("text", ["", "[ui]\ntheme = 'x'\n", "ui = { theme = 'x' }\n"])
def test_a_key_that_is_not_there_changes_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    assert not edit.unset_value(file, ("ui", "sidebar"))
    assert file.read_text() == text
    assert not edit.unset_value(tmp_path / "missing.toml", ("ui", "sidebar"))


def test_a_key_of_an_inline_table_is_taken_out(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("ui = { theme = 'x', sidebar = 'hide' } # look\n[notify]\nbell = true\n")
    assert edit.unset_value(file, ("ui", "theme"))
    layer = layers.from_file("user", str(file))
    assert layer is not None and layer.tree == {"ui": {"sidebar": "hide"}, "notify": {"bell": True}}
    assert "# look" in file.read_text()


def test_what_stands_there_in_short_is_not_taken_out_by_its_long_name(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[conversation.tools.ask_user]\nenable = false\n")
    assert not edit.unset_value(file, ("conversation", "tools", "ask_user", "enable", "state"))
    assert "enable = false" in file.read_text()


def test_a_table_sets_its_keys_and_leaves_the_others(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[ui]\ntheme = 'x' # mine\n")
    edit.set_value(file, ("ui",), {"sidebar": "hide", "review": False})
    edit.set_value(file, ("conversation", "tools", "greet"), {"source": "local", "command": "./greet"})
    layer = layers.from_file("user", str(file))
    assert layer is not None and layer.tree["ui"] == {"theme": "x", "sidebar": "hide", "review": False}
    assert layer.tree["conversation"]["tools"]["greet"] == {"source": "local", "command": "./greet"}
    assert "# mine" in file.read_text()
