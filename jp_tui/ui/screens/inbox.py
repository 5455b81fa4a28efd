"""The inbox: all that waits for the user, from every tool, agent and conversation of the folder (asking.md E51; F4).

A row has the asker, the question, the conversation and the age; Enter opens it. The page updates while it is open,
reports what was closed and why, and reads a clock only then. It answers no question itself; a snoozed one is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import OptionList

from jp_tui.conversation.text import Foreign
from jp_tui.ui.keys.bindings import words as literal
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing, Rows
from jp_tui.ui.screens.vi import VI
from jp_tui.ui.text import blank, foreign, join, ours, styled
from jp_tui.ui.transcript.inbox_controller import InboxController
from jp_tui.ui.widgets.choice_bar import ChoiceBar
from jp_tui.view.questions import inbox as view
from jp_tui.view.questions import inbox_lines as words
from jp_tui.view.questions import people
from jp_tui.view.questions.queue import Key

AGES = 10.0
"""Seconds between two updates of the ages while it is open."""
MOST = 200
"""Most rows, the longest waiting first; the rest is counted and moves up."""
NOTICE = 6.0
"""Seconds for which a closed question is reported."""
PEOPLE = 60
"""Characters of the people of a question in a row."""
_QUIET = "$muted-foreground"
_LISTING = ("listing.down", "listing.up", "listing.break", *(one.id for one in VI))


def open_page(host: Host, _: str) -> Inbox | Content:
    """Open the list of all that waits; it updates while it is open (E51)."""
    waits = host.main.waits
    if waits is None or not host.main.conversation:
        return ours("No conversation yet")
    return Inbox(host, waits)


class Inbox(Listing, inherit_bindings=False):
    """All that waits, the longest waiting first."""

    BINDINGS = [
        Binding("enter", "choose", "answer", id="inbox.open", tooltip="Open the question, even if snoozed"),
        Binding("enter", "take_up", "resume", id="inbox.take_up", tooltip="For another conversation: ask here"),
        Binding("z", "snooze", "snooze", id="inbox.snooze", tooltip="Hide the question for a while"),
        Binding("z", "wake", "wake", id="inbox.wake", tooltip="For a snoozed question: wake it"),
        Binding("a", "alike", "answer all", id="inbox.alike", tooltip="Give one answer to identical questions"),
        Binding("f", "filter", "filter", id="inbox.filter", tooltip="Show yours, your roles', those you asked, or all"),
        Binding("1", "off(0)", "5 min", id="inbox.short", tooltip="While snoozing: for 5 minutes"),
        Binding("2", "off(1)", "30 min", id="inbox.long", tooltip="While snoozing: for 30 minutes"),
        Binding(
            "3",
            "off(2)",
            "after all others",
            id="inbox.rest",
            tooltip="While snoozing: until nothing else is waiting",
        ),
        Binding("escape", "stay", "cancel", id="inbox.stay", tooltip="While snoozing: cancel"),
        Binding("escape,q,f4", "dismiss(None)", "close", id="inbox.close", tooltip="Close this page"),
        *(one for one in Listing.BINDINGS if isinstance(one, Binding) and one.id in _LISTING),
    ]
    title_words = "Waiting for you"
    rows = Rows

    def __init__(self, host: Host, waits: InboxController) -> None:
        super().__init__()
        self._host, self._waits, self._clock, self._wall = host, waits, host.clock, host.wall
        self._entries: dict[str, view.InboxEntry] = {}
        self._rows: dict[str, words.InboxRow] | None = None
        self._inbox: view.InboxState | None = None
        self._asks = ""  # the row to snooze, while the page asks for how long
        self._unsaid: Timer | None = None
        self._filter: words.Filter = "all"
        self._shared = False
        self._bar = ChoiceBar()

    def on_mount(self) -> None:
        self.query_one(Vertical).mount(self._bar, before=0)
        self._waits.follow(True)
        self.set_interval(AGES, self.paint)

    def on_unmount(self) -> None:
        self._waits.follow(False)

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.inbox_changed(self._host.main.inbox)

    def waits(self, words: str) -> None:
        """Do nothing: the rows show the open questions."""

    def inbox_changed(self, inbox: view.InboxState | None) -> None:
        """Show the new list, and report a question that was closed."""
        if inbox is None:
            return
        before, self._inbox = self._inbox, inbox
        if before is not None and inbox.gone is not None and inbox.gone is not before.gone:
            self._report_gone(inbox.gone)
        self.paint()

    def paint(self) -> None:
        """Show the rows, with their current ages."""
        if self._inbox is None:
            return
        now, wall = self._clock(), self._wall()
        entries = self._kept(self._inbox.entries)
        self._entries = {"\n".join(one.key): one for one in entries[:MOST]}
        more = len(entries) - MOST
        self.query_one(Vertical).border_subtitle = ours("{n} more after these", n=more) if more > 0 else blank()
        if self._asks not in self._entries:
            self._ask("")
        rows = {name: words.row(one, now, wall) for name, one in self._entries.items()}
        if rows != self._rows:
            self._rows = rows
            self.show([_item(name, row) for name, row in rows.items()], self._empty())

    def _kept(self, entries: Sequence[view.InboxEntry]) -> Sequence[view.InboxEntry]:
        """Return the entries of the filter; in a store of one person there is none (store.md D19)."""
        self._shared = self._shared or words.shared(entries)
        if not self._shared:
            return entries
        self._bar.display = True
        self._bar.names, self._bar.chosen = tuple(words.filter_words(entries).items()), self._filter
        return words.kept(entries, self._filter)

    def _empty(self) -> Content:
        return ours(words.EMPTY if self._filter == "all" else words.NONE_KEPT)

    def _report_gone(self, gone: view.Gone) -> None:
        template, by = words.gone_notice(gone)
        who = foreign(gone.entry.who, mode="line", limit=40)
        text = foreign(gone.entry.text, mode="line", limit=60)
        self._show_briefly(ours(template, who=who, text=text, by=foreign(by, mode="line", limit=40)))

    def _show_briefly(self, what: Content) -> None:
        self.show_message(what)
        if self._unsaid is not None:
            self._unsaid.stop()
        self._unsaid = self.set_timer(NOTICE, self._clear_message)

    def _clear_message(self) -> None:
        self.show_message(ours(words.PUT_OFF) if self._asks else blank())

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable only the keys that do something now (E5); while asking how long to snooze, only the answers to
        that."""
        entry = self.entry
        match action:
            case "off" | "stay":
                return bool(self._asks) and (parameters != (2,) or self._others)
            case "filter":
                return self._shared and not self._asks
            case "choose":
                return not self._asks and entry is not None and (entry.here or entry.offers)
            case "take_up":
                return not self._asks and entry is not None and not (entry.here or entry.away)
            case "snooze":
                return not self._asks and entry is not None and entry.here and not entry.off
            case "wake":
                return not self._asks and entry is not None and entry.off
            case "alike":
                return not self._asks and entry is not None and len(entry.alike) > 1
            case "dismiss":
                return not self._asks
            case _:
                return True

    @property
    def entry(self) -> view.InboxEntry | None:
        """The highlighted entry."""
        return self._entries.get(self.chosen.key) if self.chosen is not None else None

    @property
    def _others(self) -> bool:
        """True if anything else waits here; only then can a question be snoozed until nothing else waits."""
        return any(one.here and not one.off and name != self._asks for name, one in self._entries.items())

    def _jump(self, key: Key, alike: tuple[Key, ...] = ()) -> None:
        """Open this question; with `alike` its answer applies to all of these."""
        self.dismiss(None)
        self._waits.jump(key, alike)

    def action_choose(self) -> None:
        if (entry := self.entry) is not None:
            self._jump(entry.key)

    action_take_up = action_choose

    def action_alike(self) -> None:
        if (entry := self.entry) is not None:
            self._jump(entry.key, entry.alike)

    def action_filter(self) -> None:
        """Go to the next filter."""
        names = [*words.FILTERS]
        self._choose_filter(names[(names.index(self._filter) + 1) % len(names)])

    @on(ChoiceBar.Picked)
    def _filter_clicked(self, event: ChoiceBar.Picked) -> None:
        event.stop()
        found = next((name for name in words.FILTERS if name == event.choice), None)
        if found is not None and not self._asks:
            self._choose_filter(found)

    def _choose_filter(self, name: words.Filter) -> None:
        self._filter, self._rows = name, None
        self.paint()

    def action_snooze(self) -> None:
        if self.chosen is not None:
            self._ask(self.chosen.key)

    def action_wake(self) -> None:
        if (entry := self.entry) is not None:
            self._waits.unsnooze(entry.key)

    def action_off(self, which: int) -> None:
        if (entry := self._entries.get(self._asks)) is not None:
            self._ask("")
            self._waits.snooze(entry.key, words.SNOOZES[which][1])

    def action_stay(self) -> None:
        self._ask("")

    def _ask(self, name: str) -> None:
        if name != self._asks:
            self._asks = name
            self.show_message(ours(words.PUT_OFF) if name else blank())
        self.refresh_bindings()

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        if not self._asks:
            self.action_choose()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Cancel snoozing, and update the keys: another row has keys of its own."""
        if self._asks and self.chosen is not None and self.chosen.key != self._asks:
            self._ask("")
        self.refresh_bindings()


def _item(name: str, row: words.InboxRow) -> Item:
    entry = row.entry
    look = _QUIET if entry.off or not entry.here else "$waiting-foreground"
    first = join(
        styled(literal(row.sign), f"bold {look}"),
        foreign(entry.text, mode="line", style="" if entry.off else "bold"),
        sep=ours(" "),
    )
    if entry.subject and entry.subject.raw not in entry.text.raw and entry.text.raw not in entry.subject.raw:
        first += ours("  ") + foreign(entry.subject, mode="line", style=_QUIET)
    title = [] if not entry.title or entry.title.raw in entry.who.raw else [_title(entry.title)]
    since = [literal(row.since)] if row.since else []
    parts = [foreign(entry.who, mode="line", limit=36)]
    if row.people:  # before what is cut first
        kind = [literal(row.kind)] if entry.kind != "question" else []
        parts += [foreign(row.people, mode="line", limit=PEOPLE), *since, *kind, *title]
    else:
        parts += [literal(row.kind), *title, *since]
    second = join(*(styled(part, _QUIET) for part in parts), sep=ours(" · ", style=_QUIET))
    if row.mark:
        second += ours(" · ", style=_QUIET) + styled(literal(row.mark), look)
    if row.alike > 1:
        second += ours(" · ", style=_QUIET) + ours("{n} alike", style="$waiting-foreground", n=row.alike)
    return Item(name, (first, second), _detail(row))


def _title(title: Foreign) -> Content:
    return ours("“{title}”", title=foreign(title, mode="line", limit=24))


def _detail(row: words.InboxRow) -> Content:
    """Return the full text of what the row cuts."""
    entry = row.entry
    lines = [foreign(entry.text, mode="line"), ours("asked by {who}", who=foreign(entry.who, mode="line"))]
    if entry.task and entry.task.raw not in entry.who.raw:
        lines.append(ours("task: {task}", task=foreign(entry.task, mode="line")))
    if entry.title and entry.title.raw not in entry.who.raw + entry.task.raw:
        lines.append(ours("in “{title}”", title=foreign(entry.title, mode="line")))
    if line := people.people_line(entry):
        lines.append(foreign(Foreign(line), mode="line"))
    if not entry.yours:
        lines.append(ours(people.OTHERS))
    if there := words.details(entry):
        lines.append(literal(there))
    if entry.off:
        lines.append(literal(row.mark))
    return join(*lines, sep=ours("\n"))
