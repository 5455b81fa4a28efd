"""Usage of a conversation: tokens and money by turn, by request within it, and by reviewer.

A row for each turn, newest first; the requests of the highlighted one are below. The engine counts.
"""

from __future__ import annotations

from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import ReadUsage
from jp_tui.protocol.usage import TurnUsage
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.view.pages import models as say
from jp_tui.view.wording.amounts import short_model

_QUIET = "$muted-foreground"
_REQUESTS, _ASKED = 12, 40


def open_page(host: Host, _: str) -> UsagePage | Content:
    """See `ui/pages.py`."""
    here = host.main.conversation
    return UsagePage(here) if here else ours("No conversation yet")


class UsagePage(Listing):
    """Usage of one conversation."""

    title_words = "Usage"

    def __init__(self, conversation: str) -> None:
        super().__init__()
        self._conversation = conversation

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.post_message(CommandWanted(ReadUsage(conversation=self._conversation)))

    def handle(self, event: ev.Event) -> None:
        match event:
            case ev.UsageRead(turns=turns):
                self.show([_item(one) for one in reversed(turns)], ours(say.USED_NOTHING))
                self.show_message(
                    foreign(Foreign(say.sums(event)), mode="line", style="$foreground") if turns else blank()
                )
            case ev.Refused(message=message):
                self.show([], blank())
                self.show_message(foreign(Foreign(message), style="$failed-foreground"))
            case _:
                pass


def _item(one: TurnUsage) -> Item:
    asked = one.asked if one.asked else Foreign("no text")
    first = join(
        ours("{turn:>3} ", style=_QUIET, turn=one.turn),
        foreign(asked, mode="line", style="bold", limit=_ASKED),
        foreign(Foreign(short_model(one.model)), mode="line", style=_QUIET, limit=30),
        sep=ours("  "),
    )
    second = foreign(Foreign(say.turn_line(one)), mode="line", style=_QUIET)
    lines = say.requests(one)
    more = [f"and {len(lines) - _REQUESTS} more"] if len(lines) > _REQUESTS else []
    more += [say.reviewed(one.reviews, one.review_usage)] if one.reviews else []
    shown = [foreign(Foreign(line), mode="line", limit=200) for line in (*lines[:_REQUESTS], *more)]
    return Item(str(one.turn), (first, second), join(*shown, sep=ours("\n")) if shown else blank())
