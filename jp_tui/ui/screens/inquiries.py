"""All exchanges of this conversation: who asked, the question, who answered, the answer, and why (issue 4, 5; E42).

A page to read, with the texts of the conversation's trail. It answers no question; a sheet does.
"""

from __future__ import annotations

from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import ListInquiries
from jp_tui.protocol.values import InquiryInfo
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.view.pages import inquiries as records

_STYLES = {
    "good": "$done-foreground",
    "bad": "$failed-foreground",
    "waiting": "$waiting-foreground",
    "reviewer": "$reviewer-foreground",
}


def open_page(host: Host, _: str) -> Inquiries | Content:
    """See `ui/pages.py`."""
    return Inquiries(host) if host.main.conversation else ours("No conversation yet")


class Inquiries(Listing):
    """Questions and their outcomes, oldest first."""

    title_words = "Asked and answered"

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._host = host

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.post_message(CommandWanted(ListInquiries(conversation=self._host.main.conversation)))

    def handle(self, event: ev.Event) -> None:
        match event:
            case ev.InquiriesListed(inquiries=inquiries):
                self.listed(inquiries)
            case ev.Refused(message=message, advice=advice):
                said = Foreign("\n".join(part for part in (message, advice) if part))
                self.show([], foreign(said, style="$failed-foreground"))
            case _:
                pass

    def listed(self, inquiries: tuple[InquiryInfo, ...]) -> None:
        """Show the current list; the newest is highlighted at first."""
        fresh = self._items is None
        self.show_message(blank())
        self.show([_item(one) for one in records.exchanges(inquiries)], ours(records.EMPTY))
        if fresh and inquiries:
            self.action_move(-1)


def _item(one: records.InquiryRow) -> Item:
    quiet = "$muted-foreground"
    first = join(foreign(one.asker, mode="line", style=quiet, limit=30), ours(" asks: ", style=quiet))
    first += foreign(one.text, mode="line", style="bold")
    end = one.fate
    parts = [foreign(Foreign(f"{end.sign} {end.word.raw}"), mode="line", style=_STYLES.get(end.role, quiet), limit=60)]
    if end.who:
        parts.append(foreign(end.who, mode="line", style=quiet))
    parts.append(foreign(Foreign(" · ".join(part for part in (end.took, one.when) if part)), mode="line", style=quiet))
    second = join(*parts, sep=ours(" · ", style=quiet))
    reason = ours("“{reason}”", style="italic", reason=foreign(one.reason)) if one.reason else None
    said = [part for part in (foreign(one.why, mode="line"), reason) if part is not None]
    return Item(one.id, (first, second), join(*said, sep=ours("\n")))
