"""What goes to the model: a row a part with its share, and the reason why something is not sent (context.md K12); and
plan mode, which changes that (K41)."""

from __future__ import annotations

from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import ReadContext, SetPlanMode
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.view.pages import context as words
from jp_tui.view.pages.context import SHARE, ContextRow
from jp_tui.view.wording.context import PLAN_ENDED, PLAN_MODE

_QUIET = "$muted-foreground"


def open_page(host: Host, _: str) -> ContextPage:
    """See `ui/pages.py`."""
    return ContextPage(host.main.conversation)


def open_plan(host: Host, argument: str) -> Content:
    """`/plan`: plan mode begins, `/plan off`: it ends (K41)."""
    on = argument.strip().casefold() != "off"
    host.send(SetPlanMode(conversation=host.main.conversation, on=on))
    return ours(PLAN_MODE if on else PLAN_ENDED)


class ContextPage(Listing):
    """Of the conversation in sight, or of a new one."""

    title_words = words.TITLE

    def __init__(self, conversation: str) -> None:
        super().__init__()
        self._conversation = conversation

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        command = ReadContext(conversation=self._conversation) if self._conversation else ReadContext(which="new")
        self.post_message(CommandWanted(command))

    def hear(self, event: ev.Event) -> None:
        match event:
            case ev.ContextRead():
                self.show([_item(str(number), row) for number, row in enumerate(words.rows(event))], blank())
                self.say(foreign(Foreign(words.total(event)), mode="line", style="$foreground"))
            case ev.Refused(message=message):
                self.show([], blank())
                self.say(foreign(Foreign(message), style="$failed-foreground"))
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
