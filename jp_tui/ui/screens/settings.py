"""Every setting: search, meaning, effective value and its source; a change is written to the user's file, comments
kept.

Enter toggles a switch and opens the names of a choice; any other value is edited in a line below, in TOML syntax. The
engine reads and writes; this page shows the results.
"""

from __future__ import annotations

from typing import Any

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import ReadSettings, ResetSetting, SetSetting
from jp_tui.protocol.settings import SettingEntry
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers.explain import toml_value
from jp_tui.settings.layers.toml import parse_value
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.choosing import Choosing
from jp_tui.ui.screens.listing import Item, Listing
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.screens.searching import Searching
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.view.pages import settings as say

_QUIET = "$muted-foreground"
_KEY, _VALUE, _DETAIL = 52, 40, 1_500


def open_page(host: Host, _: str) -> SettingsPage:
    """See `ui/pages.py`."""
    return SettingsPage(host)


class SettingsPage(Searching):
    """A row for each key."""

    BINDINGS = [
        Binding(
            "enter",
            "change",
            "change",
            priority=True,
            id="settings.change",
            tooltip="Toggle, select or edit the value",
        ),
        Binding("x,delete", "reset", "reset", id="settings.reset", tooltip="Remove the setting from your file"),
        Binding("m", "mine", "only yours", id="settings.mine", tooltip="List only your settings, or all"),
    ]

    title_words = "Settings"

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._wear, self._themes = host.wear, tuple(host.themes())
        self._entries: tuple[SettingEntry, ...] | None = None
        self._file, self._wrote = "", ""
        self._typed: tuple[str, str] | None = None
        """A key and the text typed for it, until the engine has accepted it."""
        self._own = False

    # -- the engine

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.post_message(CommandWanted(ReadSettings()))

    def handle(self, event: ev.Event) -> None:
        match event:
            case ev.SettingsRead(entries=entries, file=file):
                self._entries, self._file = tuple(self._named(one) for one in entries), file
                self.found()
            case ev.SettingChanged(key=key, file=file, value=value):
                if key == "ui.theme" and isinstance(value, str):
                    self._wear(value)
                self.show_message(ours(say.WRITTEN, file=foreign(Foreign(file), mode="line")))
                if key == self._wrote:
                    self._wrote = ""
                    self.post_message(CommandWanted(ReadSettings()))
            case ev.Refused(message=message, advice=advice):
                self._wrote = ""
                self._once_more()
                self.show_refusal(message, advice)
            case _:
                pass

    def _named(self, entry: SettingEntry) -> SettingEntry:
        """Return the entry of the theme with the names of all themes as choices."""
        if entry.key != "ui.theme" or not self._themes:
            return entry
        return entry.model_copy(update={"kind": "choice", "choices": self._themes})

    # -- the list

    def found(self) -> None:
        if self._entries is not None:
            found = say.matching(self._entries, self.query_text, _searched, own=self._own)
            self.show([_item(one) for one in found], ours(say.EMPTY))

    @property
    def entry(self) -> SettingEntry | None:
        """The highlighted setting."""
        item = self.chosen
        return next((one for one in self._entries or () if item is not None and one.key == item.key), None)

    @on(OptionList.OptionSelected)
    def _clicked(self) -> None:
        self.action_change()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        typing = self.typing
        match action:
            case "move" | "again" | "search" | "mine":
                return not typing
            case "change":
                return not typing and self.entry is not None
            case "reset":
                entry = self.entry
                return not typing and entry is not None and entry.own
            case _:
                return True

    # -- actions

    def action_mine(self) -> None:
        self._own = not self._own
        self.found()

    def action_reset(self) -> None:
        if (entry := self.entry) is not None:
            self._wrote = ""
            self.post_message(CommandWanted(ResetSetting(key=entry.key)))

    def action_change(self) -> None:
        """Toggle a switch, open a choice, or edit any other value in a line."""
        entry = self.entry
        if entry is None:
            return
        self.show_message(blank())
        if (switch := say.turned(entry)) is not None:
            self._write(entry.key, switch)
        elif entry.kind == "choice":
            current = entry.value if isinstance(entry.value, str) else ""
            self.app.push_screen(
                Choosing(entry.key, list(entry.choices), current),
                lambda name: self._write(entry.key, name) if name is not None else None,
            )
        elif (many := say.size(entry.value)) > say.MOST:
            self.show_message(ours(say.TOO_LONG, n=many, file=foreign(Foreign(self._file), mode="line")))
        else:
            self.write(say.initial_text(entry, toml_value))

    @on(Input.Submitted, "#edit")
    def _written(self, event: Input.Submitted) -> None:
        event.stop()
        entry = self.entry
        if entry is None:
            return
        text = event.value
        try:
            value: Any = text if entry.kind == "text" and text[:1] not in "\"'" else parse_value(text, entry.key)
        except SettingsError as problem:
            self.show_refusal(str(problem))
            return
        self._write(entry.key, value)
        self._typed = (entry.key, text)

    def _once_more(self) -> None:
        """Show a refused text in its line again, to be corrected."""
        typed, self._typed = self._typed, None
        if typed is not None and not self.typing and self.entry is not None and self.entry.key == typed[0]:
            self.write(typed[1])

    def _write(self, key: str, value: Any) -> None:
        self._wrote, self._typed = key, None
        self.to_list()
        self.post_message(CommandWanted(SetSetting(key=key, value=value)))


def _written(value: Any) -> str:
    return say.bounded(value, toml_value)


def _searched(value: Any) -> str:
    return say.bounded(value, toml_value, say.MOST)


def _item(entry: SettingEntry) -> Item:
    value = Foreign(say.value(entry, _written))
    style = "bold $primary" if entry.own else ""
    first = join(
        foreign(Foreign(entry.key), mode="line", style="bold", limit=_KEY),
        ours(" = ", style=_QUIET),
        foreign(value, mode="line", style=_QUIET if entry.value is None else style, limit=_VALUE),
    )
    second = " · ".join(part for part in (say.origin(entry), entry.help) if part)
    lines = say.detail(entry, _written)
    detail = join(*(foreign(Foreign(one), mode="line", limit=600) for one in lines), sep=ours("\n"))
    return Item(entry.key, (first, foreign(Foreign(second), mode="line", style=_QUIET)), _bounded(detail))


def _bounded(detail: Content) -> Content:
    """Return the details, limited so that the list stays visible: a system prompt is long. The named file has all of
    it."""
    more = len(detail) - _DETAIL
    return detail if more <= 0 else join(detail[:_DETAIL], ours("… ⟨{n:,} more characters⟩", n=more))
