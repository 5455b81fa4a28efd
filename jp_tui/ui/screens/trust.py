"""The effects of the folder's own configuration, key by key, and the user's trust in it (surface S10; issue 8, line
10).

It shows what the engine reads, and sends the user's decision with the digest of what was shown; two presses of one key,
so that none is by accident. Nothing is preselected, and nothing applies before.
"""

from __future__ import annotations

from textual.binding import Binding
from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import DistrustWorkspace, ReadTrust, TrustWorkspace
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing, Rows
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.view.wording import trust as say

_QUIET = "$muted-foreground"
_VALUE = 2_000


def open_page(_: Host, __: str) -> TrustPage:
    """See `ui/pages.py`."""
    return TrustPage()


class TrustPage(Listing):
    """A row for each setting of the folder's file, below the current state."""

    BINDINGS = [
        Binding("t", "trust", "trust", id="trust.trust", tooltip="Trust exactly this content; press twice"),
        Binding("x", "distrust", "revoke trust", id="trust.distrust", tooltip="Revoke trust; press twice"),
    ]
    DEFAULT_CSS = """
    TrustPage {
        OptionList, OptionList:focus { max-height: 50vh; }
        #detail { max-height: 10; }
    }
    """
    title_words = "Folder configuration"
    rows = Rows

    def __init__(self) -> None:
        super().__init__()
        self._told: ev.TrustRead | None = None

    # -- the engine

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.confirmation.drop()
        self.post_message(CommandWanted(ReadTrust()))

    def handle(self, event: ev.Event) -> None:
        match event:
            case ev.TrustRead():
                self._read(event)
            case ev.Refused(command="trust_workspace", message=message):
                self.show_refusal(message)
                self.post_message(CommandWanted(ReadTrust()))
            case ev.Refused(message=message, advice=advice):
                self.show_refusal(message, advice)
            case _:
                pass

    def _read(self, told: ev.TrustRead) -> None:
        self._told = told
        self.confirmation.drop()
        file = foreign(told.file, mode="line", style=_QUIET, limit=200)
        style = "bold $done-foreground" if told.state == "trusted" else "bold $waiting-foreground"
        parts = [file, ours(say.state(told), style=style)]
        if told.problem:
            parts.append(foreign(told.problem, limit=600))
        self.show_state(*parts)
        self.show([_item(at, row) for at, row in enumerate(say.rows(told))], _empty(told))
        if told.done:
            self.show_message(ours(say.DONE if told.done == "trusted" else say.UNDONE))

    # -- the decision

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        state = self._told.state if self._told is not None else "none"
        if action == "trust":
            return state in ("untrusted", "changed")
        if action == "distrust":
            return state in ("trusted", "changed")
        return True

    def action_trust(self) -> None:
        if self._told is None:
            return
        waits = [row for row in say.rows(self._told) if row.waits]
        sure = say.SURE_FILES if any(row.file for row in waits) else say.SURE
        if self._confirmed("t", ours(sure, n=len(waits)) if waits else ours(say.SURE_NONE)):
            self.show_message(ours(say.DOING))
            self.post_message(CommandWanted(TrustWorkspace(digest=self._told.digest)))

    def action_distrust(self) -> None:
        if self._confirmed("x", ours(say.SURE_OFF)):
            self.show_message(ours(say.DOING))
            self.post_message(CommandWanted(DistrustWorkspace()))

    def _confirmed(self, key: str, question: Content) -> bool:
        """Return True at the second press of the key. The decision is on the whole file, so any row will do."""
        return self.confirmation.given((key,), self.chosen.key if self.chosen else "", question)


def _empty(told: ev.TrustRead) -> Content:
    return blank() if told.state in ("none", "broken") else ours(say.NOTHING)


def _item(at: int, row: say.TrustRow) -> Item:
    mark = ours("{change} ", style="bold $waiting-foreground", change=Foreign(row.change)) if row.change else blank()
    strong = "bold" if row.waits and row.acts else ""
    first = join(mark, foreign(row.does, mode="approval", style=strong, limit=160))
    notes = [ours("{counts}", style=_QUIET, counts=Foreign(row.counts))] if row.counts else []
    notes += [foreign(row.place, mode="line", style=_QUIET, limit=60)] if row.place else []
    second = join(*notes, foreign(row.sets, mode="line", style=_QUIET, limit=120), sep=ours(" · ", style=_QUIET))
    detail = foreign(row.sets, mode="approval", limit=_VALUE)
    if row.before:
        detail = join(
            detail, ours("before: {was}", was=foreign(row.before, mode="approval", limit=_VALUE)), sep=ours("\n")
        )
    return Item(f"{at}", (first, second), detail)
