"""What the last start took from the settings is taken again exactly while no file of it has changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from jp_tui.first_frame import cached_settings
from jp_tui.first_frame.cached_settings import FrameSettings
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.cli.toggles import Toggle
from jp_tui.settings.schema.notify import Notify
from jp_tui.startup.parts import RunLocation
from jp_tui.view.questions.interrupt_menu import InterruptWishes


class Start:
    """A user's home and a workspace; `first` is a start that reads its settings."""

    def __init__(self, folder: Path) -> None:
        self.arguments = CommandLine(workspace=str(folder / "work"))
        (folder / "work").mkdir()
        self.place = RunLocation(self.arguments)
        self.place.paths.prepare()
        self.state = self.place.paths.state
        self.config = self.place.paths.config_file
        self.config.parent.mkdir(parents=True, exist_ok=True)

    def stamp(self, arguments: CommandLine | None = None) -> str:
        place = RunLocation(arguments or self.arguments)
        return cached_settings.stamp(arguments or self.arguments, place.paths, place.settings_file, os.environ)

    def first(self) -> FrameSettings:
        place, now = RunLocation(self.arguments), self.stamp()
        settings = place.sources.load()
        found = cached_settings.of(settings, str(place.paths.themes))
        cached_settings.remember(self.state, now, settings, found)
        return found

    def known(self) -> FrameSettings | None:
        return cached_settings.remembered(self.state, self.stamp())


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    for name in [one for one in os.environ if one.startswith("JP_TUI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path / "home"))
    return Start(tmp_path)


def test_the_next_start_knows_it(start: Start) -> None:
    assert start.known() is None
    start.config.write_text(
        "ui.theme = 'jp-day'\nui.sidebar = 'hide'\nui.ascii = 'always'\nnotify.turn_secs = 7\nnotify.bell = false\n"
        "interrupt.streaming.action = 'stop'\ninterrupt.tool_call.action = 'restart'\n"
    )
    found = start.first()
    assert found == FrameSettings(
        theme="jp-day",
        sidebar="hide",
        ascii="always",
        notify=Notify(turn_secs=7, bell=False),
        interrupts=InterruptWishes(streaming="stop", tool_call="restart"),
    )
    assert start.known() == found
    assert stat.S_IMODE((start.state / cached_settings.NAME).stat().st_mode) == 0o600
    assert [one.name for one in start.state.iterdir()] == [cached_settings.NAME], "no spare file is left"


def _touched(start: Start) -> None:
    about = start.config.stat()
    start.config.write_text("ui.theme = 'nord-x'"[: about.st_size].ljust(about.st_size))
    os.utime(start.config, ns=(about.st_atime_ns, about.st_mtime_ns))


CHANGES: dict[str, Callable[[Start], object]] = {
    "another text": lambda start: start.config.write_text("ui.theme = 'jp-paper'"),
    "another text of that size and time": _touched,
    "no file": lambda start: start.config.unlink(),
    "a theme more": lambda start: start.place.paths.themes.mkdir(),
    "settings of the folder": lambda start: (
        start.place.settings_file.parent.mkdir(),
        start.place.settings_file.write_text("ui.theme = 'jp-paper'"),
    ),
    "a link that leads nowhere for them": lambda start: (
        start.place.settings_file.parent.mkdir(),
        start.place.settings_file.symlink_to("gone"),
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_changed_is_read(start: Start, change: Callable[[Start], object]) -> None:
    start.config.write_text("ui.theme = 'jp-day'")
    start.first()
    assert start.known() is not None
    change(start)
    assert start.known() is None


def test_what_the_command_line_and_the_environment_say_is_read(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    start.first()
    same = {"workspace": start.arguments.workspace}
    for more in (
        {"theme": "jp-day"}, {"cfg": ("ui.ascii=always",)}, {"toggles": (Toggle(True),)}, {"tool_use": False},
        {"tool_use": "x"},
    ):  # fmt: skip
        assert start.stamp(CommandLine(**same, **more)) == "", more  # type: ignore[arg-type]
    assert start.stamp(CommandLine(**same, model="demo/tour", prompt="hi", continue_last=True)) == start.stamp()
    for name in ("JP_TUI_UI__THEME", "JP_TUI_NOTIFY__BELL", "JP_TUI_WRONG"):
        with monkeypatch.context() as said:
            said.setenv(name, "jp-day")
            assert start.stamp() == "", name
    assert start.known() is not None


def test_what_acts_or_is_to_be_told_is_not_kept(start: Start) -> None:
    start.config.write_text("ui.theme = 'jp-day'")
    start.first()
    start.config.write_text("notify.command = ['true']")
    assert start.first().notify.command == ("true",)
    assert start.known() is None and not list(start.state.iterdir())
    start.config.write_text("conversation.tools.nobody.enable = true")
    told = start.first().notices
    assert any("nobody" in one for one in told) and start.known() is None


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: "{",
        lambda text: "[" * 5000,
        lambda text: "None",
        lambda text: text.replace("'jp-night'", "7"),
        lambda text: text.replace("True", "'yes'", 1),
        lambda text: text.replace("'command': ()", "'command': ('touch', 'x')"),
        lambda text: text.replace("'sidebar'", "'other'"),
        lambda text: text.replace("'bell'", "'other'"),
        lambda text: text + " " * cached_settings.MOST,
        lambda text: text.replace("jp-night", "\udc80"),
    ],
)
def test_a_file_of_another_form_is_none(start: Start, change: Callable[[str], str]) -> None:
    start.first()
    file = start.state / cached_settings.NAME
    text = file.read_text()
    assert change(text) != text
    file.write_bytes(change(text).encode("utf-8", "surrogateescape"))
    assert start.known() is None
    assert start.first() and start.known() is not None


def test_a_link_and_a_folder_in_its_place_are_none(start: Start, tmp_path: Path) -> None:
    start.first()
    file = start.state / cached_settings.NAME
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert start.known() is None
    file.unlink()
    file.mkdir()
    assert start.known() is None
    start.first()  # which cannot be kept, and says nothing
