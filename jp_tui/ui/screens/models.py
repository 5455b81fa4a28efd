"""Which model to talk with: as the servers list them, with context and prices; Enter holds the conversation with it.

The engine asks the servers and switches; nothing of a conversation changes before its next turn.
"""

from __future__ import annotations

from textual import on
from textual.binding import Binding
from textual.widgets import OptionList

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import ListModels, SetSetting, SwitchModel
from jp_tui.protocol.models import ModelInfo
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.screens.searching import Searching
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.view.pages import models as say

_QUIET = "$muted-foreground"


def open_page(host: Host, name: str) -> Models | None:
    """The model of that name from the next turn on, or a list of them."""
    if name:
        host.send(SwitchModel(conversation=host.main.conversation, model=name))
        return None
    return Models(host.main.conversation, host.main.model)


class Models(Searching):
    """A row a model, that of the conversation marked."""

    BINDINGS = [
        Binding("enter", "take", "use", id="models.take", tooltip="Use it for this conversation"),
        Binding("o", "once", "once", id="models.once", tooltip="Use it for the next turn only"),
        Binding("d", "default", "default", id="models.default", tooltip="Use it for new conversations"),
    ]
    title_words = "Models"

    def __init__(self, conversation: str, current: str) -> None:
        super().__init__()
        self._conversation, self._current = conversation, current
        self._listed: ev.ModelsListed | None = None

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.say(ours("loading from servers…", style=_QUIET))
        self.post_message(CommandWanted(ListModels()))

    def hear(self, event: ev.Event) -> None:
        match event:
            case ev.ModelsListed():
                self._listed = event
                lines = [foreign(Foreign(one), mode="line", style=_QUIET) for one in say.troubles(event)]
                self.say(join(*lines, sep=ours("\n")) if lines else blank())
                self.found()
            case ev.ModelSwitched(model=model, once=once):
                words = say.ONCE if once else say.SWITCHED
                self._current = self._current if once else model
                self.found()
                self.say(ours(words, model=foreign(Foreign(model), mode="line")))
            case ev.SettingChanged(key="assistant.model.id", value=value, file=file):
                where = foreign(Foreign(file), mode="line")
                self.say(ours(say.DEFAULT, model=foreign(Foreign(str(value)), mode="line"), file=where))
            case ev.Refused(message=message, advice=advice):
                text = " ".join(part for part in (message, advice) if part)
                self.say(foreign(Foreign(text), style="$failed-foreground", limit=400))
            case _:
                pass

    def found(self) -> None:
        if self._listed is None:
            return
        empty = say.EMPTY if self._listed.models else say.NONE
        self.show([self._item(one) for one in say.matching(self._listed.models, self.sought)], ours(empty))

    def _item(self, one: ModelInfo) -> Item:
        mark = ours("● ", style="$primary") if one.id == self._current else ours("  ")
        name = mark + foreign(Foreign(one.id), mode="line", style="bold", limit=70)
        known = foreign(Foreign(say.about(one)), mode="line", style=_QUIET, limit=200)
        return Item(one.id, (name, known.pad_left(2)), blank())

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_take()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "take" | "once":
                return not self.typing and self.chosen is not None and bool(self._conversation)
            case "default":
                return not self.typing and self.chosen is not None
            case "move" | "again" | "search":
                return not self.typing
            case _:
                return True

    def action_take(self) -> None:
        self._switch(once=False)

    def action_once(self) -> None:
        self._switch(once=True)

    def _switch(self, *, once: bool) -> None:
        if self.chosen is not None and self._conversation:
            self.post_message(
                CommandWanted(SwitchModel(conversation=self._conversation, model=self.chosen.key, once=once))
            )

    def action_default(self) -> None:
        if self.chosen is not None:
            self.post_message(CommandWanted(SetSetting(key="assistant.model.id", value=self.chosen.key)))
