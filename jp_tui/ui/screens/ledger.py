"""The ledger: all answers and permissions that are remembered now, and how to revoke them (asking.md E43, R236).

It shows the engine's list, live, and revokes entries; one that edits a file asks for confirmation. The page shows the
reason if the engine refuses.
"""

from __future__ import annotations

from textual.binding import Binding
from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import ReadLedger, RevokeEntry
from jp_tui.protocol.values import LedgerEntry
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.view.activity.status import shortened
from jp_tui.view.pages import permissions as words


def open_page(host: Host, _: str) -> LedgerPage | Content:
    """See `ui/pages.py`."""
    return LedgerPage(host) if host.main.conversation else ours("No conversation yet")


class LedgerPage(Listing):
    """Entries with scope, age, use and revoke."""

    BINDINGS = [
        Binding(
            "d,delete", "revoke", "revoke", id="ledger.revoke", tooltip="Revoke the entry; press twice for a setting"
        ),
    ]
    title_words = "Remembered and allowed"

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._host = host
        self._rows: dict[str, words.LedgerRow] = {}

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.post_message(CommandWanted(ReadLedger(conversation=self._host.main.conversation)))

    def handle(self, event: ev.Event) -> None:
        match event:
            case ev.LedgerRead(entries=entries):
                self.listed(entries)
            case ev.Refused(message=message, advice=advice):
                self.confirmation.drop()
                self.show_refusal(message, advice)
            case _:
                pass

    def listed(self, entries: tuple[LedgerEntry, ...]) -> None:
        """Show the current entries."""
        found = words.rows(entries)
        self._rows = {row.key: row for row in found}
        if not self.confirmation.pending:
            self.show_message(blank())
        self.show([_item(row) for row in found], ours(words.EMPTY))

    def action_revoke(self) -> None:
        row = self._rows.get(self.chosen.key) if self.chosen else None
        if row is None:
            return
        if not row.revocable:
            self.show_message(ours(words.NOT_HERE, place=row.place or ours("where it is set")))
            return
        asks = ours(words.EDITS, place=row.place or ours("your settings"))
        if not row.asks_again or self.confirmation.given(("d", "delete"), row.key, asks):
            self.show_message(ours(words.TAKING))
            self.post_message(CommandWanted(RevokeEntry(conversation=self._host.main.conversation, key=row.key)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable revoking in an empty list, and reading again: the list is live (E5)."""
        return action != "again" and (action != "revoke" or bool(self._rows))


def _item(row: words.LedgerRow) -> Item:
    first = join(
        foreign(row.what, mode="line", style="bold"),
        ours("  "),
        foreign(row.answer, mode="line", style="$done-foreground", limit=40),
    )
    about = [foreign(Foreign(row.about), mode="line", style="$muted-foreground")]
    told = [ours("asked: {text}", text=foreign(row.text, mode="line"))] if row.text else []
    if row.since:
        told.append(foreign(Foreign(row.since), mode="line"))
    if row.place:
        short = Foreign(shortened(row.place.raw, "", 24))
        about.append(foreign(short, mode="line", style="$muted-foreground"))
        told.append(ours("set in {place}", place=foreign(row.place, mode="line")))
    second = join(*about, sep=ours(" · ", style="$muted-foreground"))
    return Item(row.key, (first, second), join(*told, sep=ours("\n")))
