"""A list of models, as the servers report them, with context, prices and efforts; Enter uses the highlighted one for
the conversation.

The engine asks the servers and switches; nothing of a conversation changes before its next turn.
"""

from __future__ import annotations

from textual import on
from textual.binding import Binding
from textual.widgets import OptionList

from jp_tui.conversation.model import EffortChoice
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
    """Switch to the model of that name from the next turn on, or open the list."""
    if name:
        host.send(SwitchModel(conversation=host.main.conversation, model=name))
        return None
    return Models(host.main.conversation, host.main.model)


def open_agent(host: Host, name: str) -> Models | None:
    """Let the agent of that name go on with the conversation, from the next message on, or open the list (N40)."""
    return open_page(host, f"agent/{name}" if name else "")


class Models(Searching):
    """A row for each model, the conversation's marked."""

    BINDINGS = [
        Binding("enter", "take", "use", id="models.take", tooltip="Use the model in this conversation"),
        Binding("o", "once", "once", id="models.once", tooltip="Use the model for the next turn only"),
        Binding("e", "effort", "effort", id="models.effort", tooltip="Select how much the model thinks"),
        Binding("d", "default", "default", id="models.default", tooltip="Use the model for new conversations"),
    ]
    title_words = "Models"

    def __init__(self, conversation: str, current: str) -> None:
        super().__init__()
        self._conversation, self._current = conversation, current
        self._listed: ev.ModelsListed | None = None
        self._effort: EffortChoice = "default"
        self._wanted: EffortChoice | None = None  # selected here, not sent yet

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.show_message(ours("loading from servers…", style=_QUIET))
        self.post_message(CommandWanted(ListModels(conversation=self._conversation)))

    def handle(self, event: ev.Event) -> None:
        match event:
            case ev.ModelsListed():
                first, self._listed, self._effort = self._listed is None, event, event.effort
                lines = [foreign(Foreign(one), mode="line", style=_QUIET) for one in say.troubles(event)]
                self.show_message(join(*lines, sep=ours("\n")) if lines else blank())
                self.found()
                if first:
                    self._begin_at_the_current()
            case ev.ModelSwitched(model=model, once=once, effort=effort):
                words = say.ONCE if once else say.SWITCHED
                self._current = self._current if once else model
                self._effort, self._wanted = effort, None
                self.found()
                name = foreign(Foreign(model), mode="line")
                self.show_message(ours(words, model=name, effort=ours(say.with_effort(effort))))
            case ev.SettingChanged(key="assistant.model.id" | "assistant.model.effort" as key, value=value, file=file):
                where, what = foreign(Foreign(file), mode="line"), foreign(Foreign(str(value)), mode="line")
                named = ours("effort {what}", what=what) if key.endswith("effort") else what
                self.show_message(ours(say.DEFAULT, model=named, file=where))
            case ev.Refused(message=message, advice=advice):
                self.show_refusal(" ".join(part for part in (message, advice) if part))
            case _:
                pass

    def found(self) -> None:
        if self._listed is None:
            return
        empty = say.EMPTY if self._listed.models else say.NONE
        self.show([self._item(one) for one in say.matching(self._listed.models, self.query_text)], ours(empty))

    def _begin_at_the_current(self) -> None:
        """Highlight the conversation's model first, so that Enter changes nothing but its effort."""
        rows = [one.id for one in say.matching(self._listed.models, self.query_text)] if self._listed else []
        if self._current in rows:
            self.query_one(OptionList).highlighted = rows.index(self._current)

    @property
    def _model(self) -> ModelInfo | None:
        """The highlighted model."""
        models = self._listed.models if self._listed is not None else ()
        return next((one for one in models if self.chosen is not None and one.id == self.chosen.key), None)

    def _item(self, one: ModelInfo) -> Item:
        mark = ours("● ", style="$primary") if one.id == self._current else ours("  ")
        name = mark + foreign(Foreign(one.id), mode="line", style="bold", limit=70)
        known = foreign(Foreign(say.about(one)), mode="line", style=_QUIET, limit=200)
        level = self._effort if self._wanted is None else self._wanted
        return Item(one.id, (name, known.pad_left(2)), ours("{line}", line=Foreign(say.effort_line(one, level))))

    @on(OptionList.OptionHighlighted)
    def _another(self) -> None:
        self.refresh_bindings()

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        self.action_take()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "take" | "once":
                return not self.typing and self.chosen is not None and bool(self._conversation)
            case "effort":
                model = self._model
                return not self.typing and model is not None and bool(say.efforts(model))
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
            name, effort = self.chosen.key, self._wanted
            wanted = SwitchModel(conversation=self._conversation, model=name, once=once, effort=effort)
            self.post_message(CommandWanted(wanted))

    def action_effort(self) -> None:
        """Select the next effort of the highlighted model; it is not sent yet."""
        if (model := self._model) is None or not (offered := say.efforts(model)):
            return
        now = say.effort_of(model, self._effort if self._wanted is None else self._wanted)
        self._wanted = offered[(offered.index(now) + 1) % len(offered)]
        self.found()
        self.show_message(ours(say.EFFORT_WANTED, level=ours(say.effort_label(model, self._wanted))))

    def action_default(self) -> None:
        if self.chosen is not None:
            self.post_message(CommandWanted(SetSetting(key="assistant.model.id", value=self.chosen.key)))
            if self._wanted is not None:
                self.post_message(CommandWanted(SetSetting(key="assistant.model.effort", value=self._wanted)))
