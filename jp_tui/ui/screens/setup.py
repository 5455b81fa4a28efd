"""The first run: from the servers on this machine to a tested model and a configuration (`/setup`).

It shows the texts of `view/pages/first_run.py` and passes choices to it. Esc goes back one step; nothing is written
before the last one. The engine probes, tests and writes.
"""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.settings.wires import SERVER_WIRES
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing, Rows
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.ui.widgets.page_box import PageBox
from jp_tui.ui.widgets.text_field import TextField
from jp_tui.view.pages import first_run as view

_QUIET = "$muted-foreground"


def open_page(host: Host, _: str) -> SetupPage:
    """See `ui/pages.py`."""
    return SetupPage(host)


class SetupPage(Listing):
    """One step at a time: a text, rows, and a line to edit where one is needed."""

    BINDINGS = [
        Binding("enter", "choose", "select", priority=True, id="setup.take", tooltip="Select the highlighted row"),
        Binding(
            "slash",
            "search",
            "search",
            priority=True,
            id="setup.search",
            tooltip="Filter the models, or name another one",
        ),
        Binding("escape", "back", "back", id="setup.back", tooltip="Go to the previous step, or close"),
        Binding("q", "dismiss(None)", "close", show=False, id="setup.leave", tooltip="Close without saving"),
    ]
    DEFAULT_CSS = """
    SetupPage {
        & > Vertical { max-width: 96; }
        OptionList, OptionList:focus { max-height: 46vh; }
        #lead { color: $foreground; text-style: bold; margin-bottom: 1; max-height: 8; }
        #plan { margin-bottom: 1; max-height: 12; }
        #search { margin-bottom: 1; }
        #notice { max-height: 6; color: $failed-foreground; text-style: none; }
    }
    """
    title_words = "Setup"
    rows = Rows

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._host = host
        self._now = view.Wizard()

    def compose(self) -> ComposeResult:
        with PageBox():
            yield Static(id="lead")
            yield Static(id="plan")
            yield TextField("search, or type a model name", id="search")
            yield self.rows()
            yield Static(id="empty")
            yield Static(id="detail")
            yield TextField("", id="edit")
            yield Static(id="notice")
            yield KeyBar(speaks_for_itself=lambda node: False)

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self._go(view.begin(SERVER_WIRES))

    def handle(self, event: ev.Event) -> None:
        before = self._now.step
        self._go(view.apply_event(self._now, event))
        if isinstance(event, ev.SetupSaved) and before != "done":
            self._host.new()  # with the chosen model

    # -- steps

    def _go(self, to: view.Next) -> None:
        before, (self._now, wanted) = self._now, to
        for command in wanted:
            self.post_message(CommandWanted(command))  # type: ignore[arg-type]  # commands, as data
        now = self._now
        self._paint(moved=(before.step, before.found, before.models) != (now.step, now.found, now.models))

    def _paint(self, *, moved: bool = True) -> None:
        now = self._now
        search, edit = self.query_one("#search", TextField), self.query_one("#edit", TextField)
        if moved:
            search.value = ""
            edit.display = False
        search.display = view.filtered(now)
        self.query_one(PageBox).border_title = foreign(Foreign(view.title(now)), mode="line")
        self.query_one("#lead", Static).update(foreign(Foreign(view.lead(now))))
        plan = self.query_one("#plan", Static)
        plan.display = now.step in ("confirm", "saving", "done")
        plan.update(_plan(now) if plan.display else blank())
        self._rows(first=moved)
        self.show_message(foreign(Foreign(now.trouble), limit=600))
        if moved and not (edit.display and edit.has_focus):
            self.query_one(OptionList).focus()
        self.refresh_bindings()

    def _rows(self, *, first: bool = False) -> None:
        found = view.rows(self._now, self.query_one("#search", TextField).value)
        if first:
            self.query_one(OptionList).highlighted = None
        self.show([_item(one) for one in found], blank())
        self.query_one("#empty", Static).display = False

    # -- keys and mouse

    @on(OptionList.OptionSelected)
    def _clicked(self) -> None:
        self.action_choose()

    def action_choose(self) -> None:
        item = self.chosen
        if item is None:
            return
        if item.key == view.CLOSE:
            self.dismiss(None)
        elif self._now.step == "own" and item.key in view.FIELDS and item.key != "wire":
            edit = self.query_one("#edit", TextField)
            edit.display = True
            edit.value = str(getattr(self._now.draft, item.key))
            edit.cursor_position = len(edit.value)
            self.set_focus(edit)
            self.refresh_bindings()
        else:
            self._go(view.choose_row(self._now, item.key))

    @on(Input.Submitted, "#edit")
    def _written(self, event: Input.Submitted) -> None:
        """Accept the line, and highlight the next one."""
        event.stop()
        item = self.chosen
        self.query_one("#edit", TextField).display = False
        if item is not None and item.key in view.FIELDS:
            self._now = view.set_field(self._now, item.key, event.value)
            self._paint(moved=False)
            self.action_move(1)
        self.query_one(OptionList).focus()

    @on(Input.Changed, "#search")
    def _searched(self, event: Input.Changed) -> None:
        event.stop()
        if view.filtered(self._now):
            self._rows(first=True)

    @on(Input.Submitted, "#search")
    def _found(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(OptionList).focus()
        self.action_choose()

    def on_key(self, event: events.Key) -> None:
        """Go from the search down to the list."""
        if event.key == "down" and isinstance(self.focused, TextField) and self.focused.id == "search":
            event.stop()
            self.query_one(OptionList).focus()
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        typing = isinstance(self.focused, TextField)
        match action:
            case "move" | "dismiss":
                return not typing
            case "again":
                return False
            case "choose":
                return not typing and self.chosen is not None
            case "search":
                return not typing and view.filtered(self._now)
            case _:
                return True

    def action_search(self) -> None:
        self.set_focus(self.query_one("#search", TextField))
        self.refresh_bindings()

    def action_back(self) -> None:
        if isinstance(line := self.focused, TextField):
            line.display = line.id == "search"
            self.query_one(OptionList).focus()
            self.refresh_bindings()
            return
        to = view.back(self._now)
        if to is None:
            self.dismiss(None)
        else:
            self._go((to, ()))


def _item(row: view.WizardRow) -> Item:
    first = foreign(Foreign(row.title), mode="line", style="bold", limit=72)
    second = foreign(Foreign(row.more), mode="line", style=_QUIET, limit=84)
    return Item(row.key, (first, second), foreign(Foreign(row.detail), mode="line", limit=160))


def _plan(now: view.Wizard) -> Content:
    """Return the new content of the file, and what happens to the old one."""
    lines = [
        join(
            foreign(Foreign(key), mode="line", style="$primary", limit=60),
            ours(" = ", style=_QUIET),
            foreign(Foreign(value or "(removed)"), mode="line", limit=70),
        )
        for key, value in view.plan(now)
    ]
    return join(*lines, foreign(Foreign(view.summary_note(now)), style=_QUIET), sep=ours("\n"))
