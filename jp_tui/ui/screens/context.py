"""The context of the model: a row for each part with its share, and the reason why one is not sent (context.md K12);
and modes of the conversation: plan mode, which changes the context (K41), and approval modes (rules.md AR30)."""

from __future__ import annotations

from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import CompactConversation, ReadContext, SetApprovalMode, SetPlanMode
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.view.pages import context as words
from jp_tui.view.pages.context import SHARE, ContextRow
from jp_tui.view.wording.context import PLAN_ENDED, PLAN_MODE
from jp_tui.view.wording.modes import KEY, USAGE, which

NOTHING = "Nothing was said here yet."
_QUIET = "$muted-foreground"


def open_page(host: Host, _: str) -> ContextPage:
    """See `ui/pages.py`."""
    return ContextPage(host.main.conversation)


def open_plan(host: Host, argument: str) -> Content:
    """Begin plan mode, or end it with `/plan off` (K41)."""
    on = argument.strip().casefold() != "off"
    host.send(SetPlanMode(conversation=host.main.conversation, on=on))
    return ours(PLAN_MODE if on else PLAN_ENDED)


def open_mode(host: Host, name: str) -> Content | None:
    """Set what runs without asking, as `/mode NAME`. The engine reports the result; without a valid name, list the
    names."""
    mode = which(name)
    if mode is None:
        return ours(f"{USAGE} {KEY}")
    host.send(SetApprovalMode(conversation=host.main.conversation, mode=mode))
    return None


def open_compact(host: Host, argument: str) -> Content | None:
    """Summarise older messages for the model, or undo that with `/compact undo` (K23). The argument is the focus of the
    summary. The outcome is a line of the conversation."""
    if not host.main.conversation:
        return ours(NOTHING)
    undo = argument.strip() == "undo"
    focus = "" if undo else argument.strip()
    host.send(CompactConversation(conversation=host.main.conversation, focus=focus, undo=undo))
    return None


class ContextPage(Listing):
    """The parts of the context of the open conversation, or of a new one."""

    title_words = words.TITLE

    def __init__(self, conversation: str) -> None:
        super().__init__()
        self._conversation = conversation

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        command = ReadContext(conversation=self._conversation) if self._conversation else ReadContext(which="new")
        self.post_message(CommandWanted(command))

    def handle(self, event: ev.Event) -> None:
        match event:
            case ev.ContextRead():
                self.show([_item(str(number), row) for number, row in enumerate(words.rows(event))], blank())
                self.show_message(foreign(Foreign(words.total(event)), mode="line", style="$foreground"))
            case ev.Refused(message=message):
                self.show([], blank())
                self.show_message(foreign(Foreign(message), style="$failed-foreground"))
            case _:
                pass


def _item(key: str, row: ContextRow) -> Item:
    name = foreign(row.name, mode="line", style="bold" if row.sent else _QUIET, limit=80)
    about = ours(row.about, style="$waiting-foreground") if row.about else blank()
    first = join(name, about, sep=ours("  ")) if row.about else name
    full = words.bar(row.share)
    bar = foreign(Foreign(full), mode="line", style="$primary").pad_right(SHARE - len(full))
    second = join(bar, foreign(Foreign(row.amount), mode="line", style=_QUIET), sep=ours("  "))
    if row.why:
        second = join(second, foreign(row.why, mode="line", style=_QUIET, limit=60), sep=ours("  "))
    detail = [foreign(row.name, mode="line")]
    detail += [foreign(row.why)] if row.why else []
    return Item(key, (first, second), join(*detail, sep=ours("\n")))
