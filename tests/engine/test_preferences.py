"""The desk for settings, over real files: what is listed is what the files say, and a key is taken back (R72, S10)."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jp_tui.engine.desks.port import DeskContext
from jp_tui.engine.desks.settings import desk
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.settings.edit.edit import unset_value
from jp_tui.settings.sources import Sources
from jp_tui.startup.listing import read_settings


class Files:
    """A user's file, and a desk over it."""

    def __init__(self, folder: Path, text: str) -> None:
        self.file = folder / "config.toml"
        self.file.write_text(text)
        self.sources = Sources(self.file, folder / "none.toml", folder / "store", {})
        self.said: list[Any] = []

        def unset(key: str) -> Path:
            unset_value(self.file, key.split("."))
            return self.file

        setup: Any = SimpleNamespace(read_settings=lambda: read_settings(self.sources), unset_setting=unset)
        nothing: Any = None
        context = DeskContext(setup, self.said.append, {}, agents=nothing, checks=nothing, resume=nothing)
        self._desk = desk(context)

    async def handle(self, command: Any) -> None:
        await self._desk.beside[type(command)](command)


async def test_what_is_listed_goes_through_json_and_is_what_the_file_says(tmp_path: Path) -> None:
    files = Files(tmp_path, '[ui]\nsidebar = "hide"\n')
    await files.handle(cmd.ReadSettings())
    (read,) = files.said
    assert ev.SettingsRead.model_validate_json(read.model_dump_json()) == read
    one = next(one for one in read.entries if one.key == "ui.sidebar")
    assert (one.value, one.own, one.default, one.choices) == ("hide", True, "auto", ("auto", "show", "hide"))
    assert read.file == str(files.file)


async def test_a_key_is_taken_back_comments_stay_and_what_holds_then_is_said(tmp_path: Path) -> None:
    files = Files(tmp_path, '# mine\n[ui]\nsidebar = "hide"  # small screen\ntheme = "jp-day"\n')
    await files.handle(cmd.ResetSetting(key="ui.sidebar"))
    changed, read = files.said
    assert (changed.key, changed.value, changed.file) == ("ui.sidebar", "auto", str(files.file))
    assert not next(one for one in read.entries if one.key == "ui.sidebar").own
    left = files.file.read_text()
    assert "# mine" in left and 'theme = "jp-day"' in left and "sidebar" not in left


async def test_a_broken_file_is_words(tmp_path: Path) -> None:
    files = Files(tmp_path, "[ui\n")
    with pytest.raises(ValueError, match=r"config\.toml"):
        await files.handle(cmd.ReadSettings())
    assert files.said == []
