"""The results of reviewing models, and the policy change that the figures suggest (issue "trust figures", E42).

A table of their approvals, rejections and overruled verdicts, with a strip of the latest outcomes. A change of the
user's file needs a confirmation. It counts nothing itself.
"""

from __future__ import annotations

from textual.binding import Binding
from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import ReadReviewers, SetSetting
from jp_tui.protocol.values import ReviewerFigures
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import foreign, join, ours
from jp_tui.view.pages import reviewers as words
from jp_tui.view.pages.reviewers import ReviewerRow
from jp_tui.view.wording.amounts import short_model

_QUIET = "$muted-foreground"
_STRIP = 21
"""Cells for the strip of outcomes at 80 columns."""


def open_page(_: Host, __: str) -> Reviewers:
    """See `ui/pages.py`. The figures are of all conversations: none need be open."""
    return Reviewers()


class Reviewers(Listing):
    """A row for each reviewer and question, the most asked first."""

    BINDINGS = [
        Binding(
            "c", "change", "change the setting", id="reviewers.change", tooltip="Apply the suggestion; press twice"
        ),
    ]
    title_words = "Reviewer results"

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[str, ReviewerRow] = {}

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.post_message(CommandWanted(ReadReviewers()))

    def handle(self, event: ev.Event) -> None:
        match event:
            case ev.ReviewersRead(reviewers=reviewers):
                self.listed(reviewers)
            case ev.SettingChanged(file=file):
                self.confirmation.drop()
                self.show_message(ours(words.CHANGED, file=foreign(Foreign(file), mode="line")))
            case ev.Refused(message=message, advice=advice):
                self.confirmation.drop()
                self.show_refusal(message, advice)
            case _:
                pass

    def listed(self, found: tuple[ReviewerFigures, ...]) -> None:
        """Show the current figures."""
        rows = words.rows(found)
        self._rows = {str(number): row for number, row in enumerate(rows)}
        self.show([_item(key, row) for key, row in self._rows.items()], ours(words.EMPTY))

    def action_change(self) -> None:
        row = self._offered
        if row is None or self.chosen is None:
            return
        asks = ours(words.EDITS, key=Foreign(row.key), value=Foreign(str(row.value)))
        if self.confirmation.given(("c",), self.chosen.key, asks):
            self.post_message(CommandWanted(SetSetting(key=row.key, value=row.value)))
            self.post_message(CommandWanted(ReadReviewers()))

    @property
    def _offered(self) -> ReviewerRow | None:
        """The highlighted row, if it suggests a change."""
        row = self._rows.get(self.chosen.key) if self.chosen else None
        return row if row is not None and row.offer else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "change" or self._offered is not None


def _item(key: str, row: ReviewerRow) -> Item:
    model = Foreign(short_model(row.model.raw))
    first = join(
        foreign(row.what, mode="line", style="bold", limit=48),
        ours("  "),
        foreign(model, mode="line", style="$reviewer-foreground", limit=30),
    )
    if row.offer:
        first += ours("  ! ", style="bold $waiting-foreground") + ours("suggests a change", style="$waiting-foreground")
    strip = foreign(Foreign(row.marks[-_STRIP:]), mode="line").pad_right(max(_STRIP - len(row.marks), 0))
    second = strip + join(*(_cell(cell) for cell in row.cells))
    return Item(key, (first, second), _detail(row))


def _cell(cell: str) -> Content:
    """Return a cell of the table, right-aligned by blanks."""
    bare = cell.lstrip(" ")
    return foreign(Foreign(bare), mode="line", style=_QUIET).pad_left(len(cell) - len(bare) + 2)


def _detail(row: ReviewerRow) -> Content:
    about = (row.counts, " · ".join(part for part in (row.overturned, row.time) if part), row.cost)
    lines = [foreign(Foreign(row.offer), mode="line", style="$waiting-foreground")] if row.offer else []
    lines += [ours("{model} · {span}", model=foreign(row.model, mode="line"), span=Foreign(row.span))]
    lines += [foreign(Foreign(part), mode="line") for part in about if part]
    lines.append(foreign(Foreign(words.LEGEND), mode="line"))
    return join(*lines, sep=ours("\n"))
