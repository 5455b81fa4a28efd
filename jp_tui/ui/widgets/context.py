"""A question's context in a sheet: a diff, a plan, a command; scrolled, and seen to its end or not (E1, E15).

Reports how much of it was on the screen, so that a Yes can wait for that; decides nothing. Painted at once, since a
sheet must know how high it is; of what is long the beginning, while the rest is laid out beside the loop (T4), and
until then it was not seen. Approval mode unless it is told otherwise (traps.md T3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypedDict

from textual import events
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message

from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import plain
from jp_tui.ui.painting.context import beginning, context
from jp_tui.ui.painting.diff import Painted
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import Look, look
from jp_tui.ui.painting.painter import Errand
from jp_tui.ui.painting.rows import Row
from jp_tui.ui.transcript.positions import Anchor
from jp_tui.ui.transcript.virtual_list import VirtualList, scroll_bindings

FEW, LEAD = 12, 1
"""Rows below which a diff begins with its first changed line, and the rows shown above that."""

Key = tuple[int, bool]
"""A width and whether a diff stands in two columns."""
_Made = tuple[int, Key, Painted]


class _Rows:
    """Rows that are all there, in the form that a VirtualList scrolls."""

    def __init__(self, painted: Painted, width: int, colours: Look) -> None:
        self.painted, self.look, self._blank = painted, colours, Frame(colours, width, colours.text).blank()

    @property
    def total(self) -> int:
        return len(self.painted.rows)

    def row(self, number: int) -> Row:
        return self.painted.rows[number] if 0 <= number < self.total else self._blank

    def rows(self, first: int, last: int) -> Iterator[tuple[int, Row]]:
        yield from enumerate(self.painted.rows[first : last + 1], first)

    def anchor(self, row: int) -> Anchor:
        return Anchor("", row, 0)

    def row_of(self, anchor: Anchor) -> int | None:
        return anchor.seq


class _As(TypedDict):
    approval: bool
    split: bool
    named: str


def _laid_out(run: int, key: Key, whole: Callable[[], Painted], colours: Look) -> _Made:
    """On another thread: all rows. What trips a parser must not end that thread; it is never seen to its end."""
    try:
        return run, key, whole()
    except Exception:
        words = [plain.words("⟨this could not be laid out⟩", colours.waiting)]
        return run, key, Painted(Frame(colours, key[0], colours.text).paragraph(words), whole=False)


def _alike(old: list[Row], new: list[Row]) -> int:
    """How many rows both begin with."""
    pairs = zip(old, new, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one.text != other.text), min(len(old), len(new)))


class ContextView(VirtualList[_Rows], can_focus=True):
    """What is asked about, as it is."""

    BINDINGS = [
        *scroll_bindings("context"),
        Binding("t", "split", "Side by side", id="context.split", tooltip="A diff in one column or in two"),
        Binding("right_square_bracket", "hunk(1)", "Next hunk", id="context.next_hunk", tooltip="To the next hunk"),
        Binding(
            "left_square_bracket", "hunk(-1)", "Previous hunk", id="context.previous_hunk", tooltip="To the hunk above"
        ),
    ]

    DEFAULT_CSS = """
    ContextView { height: auto; width: 1fr; background: $background; color: $foreground; }
    """

    @dataclass
    class Seen(Message):
        """More of it was on the screen; `unseen` of `lines` still were not."""

        unseen: int
        lines: int

    @dataclass
    class _Whole(Message):
        """All of it is laid out."""

        made: _Made

    def __init__(
        self, text: Foreign, *, approval: bool = True, focus: bool = True, named: str = "", id: str | None = None
    ) -> None:
        """`named` is a file that stands beside it already, so that a diff of it alone need not name it again."""
        self._colours = look({})
        super().__init__(_Rows(Painted(), 1, self._colours), following=False, id=id)
        self.can_focus = focus
        self._text, self._approval, self._split, self._named = text, approval, False, named
        self._untouched = True
        """Nobody scrolled yet: it stands where it should begin."""
        self._made: dict[Key, Painted] = {}
        self._width, self._seen, self._of = 1, 0, 0
        self._errand: Errand[_Made] = Errand(self._deliver)
        self._run, self._asked = 0, (0, False)
        """How often it began anew, so that late rows are known as such, and the key that is being laid out."""
        self._held = False
        """What stands there is all of this text at another width or in other colours: it stays until it is laid out."""
        self._to_end, self._to_hunk = False, 0
        """Where to go when all of it is laid out: its end, or that hunk."""

    # --- what a sheet asks ---------------------------------------------------------------------------------

    def put(self, text: Foreign, *, approval: bool | None = None) -> None:
        """Show another text from its top; `approval` as at the beginning, if it changes."""
        self._approval = self._approval if approval is None else approval
        self._text, self._seen, self._of, self.top = text, 0, 0, 0
        self._untouched = True
        self.document = _Rows(Painted(), 1, self._colours)
        self._to_end, self._to_hunk = False, 0
        self._again()
        self.refresh(layout=True)

    def height_at(self, width: int) -> int:
        """Rows that all of it takes in a widget of that width."""
        return len(self._painted(width).rows)

    @property
    def lines(self) -> int:
        """Rows of all of it at its present width."""
        return self.document.total

    @property
    def unseen(self) -> int:
        """Rows below the lowest that was on the screen; all that is cut off counts."""
        return max(self.lines - self._seen, 0 if self.document.painted.whole else 1) if self.is_mounted else 0

    @property
    def seen_to_end(self) -> bool:
        """Whether its end was on the screen once."""
        return self._seen > 0 and self.unseen == 0

    @property
    def complete(self) -> bool:
        """Whether all of it is laid out, so that its rows and hunks are counted."""
        return not self.document.painted.more

    @property
    def fits(self) -> bool:
        """Whether all of it is visible at once."""
        return self.complete and self.lines <= self.height

    @property
    def split(self) -> bool:
        """Whether a diff stands in two columns."""
        return self._split

    @property
    def hunk(self) -> tuple[int, int]:
        """The number of the hunk at the top, from 1, and how many there are; (0, 0) when it is no diff."""
        starts = self.document.painted.hunks
        bottom = self.top + self.height >= self.lines
        reached = len(starts) if bottom and starts else sum(start <= self.top + 1 for start in starts)
        return (max(reached, 1), len(starts)) if starts else (0, 0)

    @property
    def changes(self) -> tuple[int, int]:
        """Lines added and removed."""
        return self.document.painted.added, self.document.painted.removed

    def page(self, by: int) -> None:
        """Scroll by pages, a row of the old one staying."""
        self.scroll_pages(by)

    def line(self, by: int) -> None:
        """Scroll by lines."""
        self.scroll_to_row(self.top + by)

    def action_split(self) -> None:
        """One column or two; the hunk at the top stays there."""
        self._to_hunk = self.hunk[0] - 1
        self._split = not self._split
        self._again()
        self.refresh(layout=True)

    def action_hunk(self, step: int) -> None:
        """To the next or previous hunk."""
        starts = self.document.painted.hunks
        later = [start for start in starts if start > self.top]
        earlier = [start for start in starts if start < self.top]
        if step > 0 and later:
            self.scroll_to_row(later[0])
        elif step < 0 and earlier:
            self.scroll_to_row(earlier[-1])

    def scroll_to_row(self, row: int) -> None:
        self._untouched = False
        self._to_end, self._to_hunk = False, 0
        super().scroll_to_row(row)

    def scroll_to_end(self) -> None:
        super().scroll_to_end()
        self._to_end = self._held or not self.complete

    def _begin(self) -> None:
        """Where few rows are, begin just above the first line that changes, not with what leads up to it."""
        first = self.document.painted.first
        if self._untouched and first is not None and 0 < self.height < min(FEW, self.lines):
            super().scroll_to_row(first - LEAD)

    # --- painting ------------------------------------------------------------------------------------------

    def _painted(self, width: int) -> Painted:
        """The rows at a width of the widget, whose last column is the scroll mark's."""
        key = (max(width - 1, 1), self._split)
        if key not in self._made:
            if len(self._made) > 3:
                self._made.clear()
            self._made[key] = self.paint(key[0], self._colours, split=self._split)
        return self._made[key]

    @property
    def placed(self) -> bool:
        """Whether it has cells on the screen."""
        return self._width > 1

    @property
    def painted(self) -> Painted:
        """The rows at the present width."""
        return self._painted(self._width)

    def drop_painted(self) -> None:
        """Drop the rows: they have to be painted again the next time they are needed."""
        self._made.clear()

    def paint(self, width: int, colours: Look, *, split: bool) -> Painted:
        """Paint all of it at a width, or its beginning; `split`: a diff in two columns."""
        return beginning(self._text, width, colours, **self._as()) or self._whole(width)()

    def _whole(self, width: int) -> Callable[[], Painted]:
        return partial(context, self._text, width, self._colours, **self._as())

    def _as(self) -> _As:
        return {"approval": self._approval, "split": self._split, "named": self._named}

    def _again(self) -> None:
        self._made.clear()
        self._run, self._asked = self._run + 1, (0, False)
        self._errand.want(None)
        self._lay_out()

    def _lay_out(self) -> None:
        if not self.placed:
            return
        painted = self._painted(self._width)
        self._held = painted.more and self.complete and self.lines > 0
        if painted.more:
            self._order(self._key)
        if not self._held:
            self._put(painted)

    def _put(self, painted: Painted) -> None:
        """Show these rows."""
        before = self.lines
        end, hunk = self._to_end, self._to_hunk
        old, self._held = self.document.painted, False
        self.document = _Rows(painted, max(self._width - 1, 1), self._colours)
        if old.more:  # only what the whole has as well
            self._seen = min(self._seen, _alike(old.rows, painted.rows))
        elif self._of and self.lines != before and before:  # the same share of it counts as seen
            self._seen = self.lines if self._seen >= before else self._seen * self.lines // before
        self._of = self.lines
        super().scroll_to_row(self.lines if end else self.top)
        if 0 < hunk < len(painted.hunks):
            self.scroll_to_row(painted.hunks[hunk])
        self._to_end, self._to_hunk = end and painted.more, hunk if painted.more else 0
        self._begin()
        self.look()
        self.refresh()

    @property
    def _key(self) -> Key:
        return max(self._width - 1, 1), self._split

    def _order(self, key: Key) -> None:
        """Have all of it laid out at a width, if nobody does so."""
        if key != self._asked:
            self._asked = key
            self._errand.want(partial(_laid_out, self._run, key, self._whole(key[0]), self._colours))

    def _deliver(self, made: _Made) -> None:
        """On another thread: `post_message` is the one call that Textual makes safe there."""
        with suppress(RuntimeError):  # the app's loop may have ended meanwhile
            self.post_message(self._Whole(made))

    def on_context_view__whole(self, message: ContextView._Whole) -> None:
        message.stop()
        run, key, painted = message.made
        if run != self._run or key != self._asked:
            return
        self._asked, self._made[key] = (0, False), painted
        if key != self._key:
            return
        self._put(painted)
        self.post_message(self.Seen(self.unseen, self.lines))
        self.refresh(layout=True)

    def look(self) -> None:
        """Note what is on the screen now."""
        if self.height <= 0 or not self.lines or not self.display or not self.is_attached or self._held:
            return
        seen = max(self._seen, min(self.top + self.height, self.lines))
        if seen != self._seen or not self._of:
            self._seen, self._of = seen, self.lines
            self.post_message(self.Seen(self.unseen, self.lines))

    def moved(self) -> None:
        self.look()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.height_at(width)

    def on_mount(self) -> None:
        self._recolour()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._recolour())

    def on_unmount(self) -> None:
        self._errand.close()

    def _recolour(self) -> None:
        self._colours = look(self.app.get_css_variables())
        self._again()

    def on_resize(self, event: events.Resize) -> None:
        self._width = event.size.width
        self._lay_out()
        self.look()
