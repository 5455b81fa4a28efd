"""The context of a question or page: a diff, a plan, a command; scrolled, and seen to its end or not (E1, E15).

Reports how much of it was on the screen, so that a Yes can wait for that; decides nothing. It is painted at once, since
a sheet has to know its height; of a long text only the beginning, while the rest is laid out on another thread (T4) and
counts as unseen until then. Approval mode by default (traps.md T3).
"""

from __future__ import annotations

import re
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
from jp_tui.ui.painting.diff import PaintedDiff
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import PaintLook, look
from jp_tui.ui.painting.painter import SlowPaint
from jp_tui.ui.painting.rows import Row
from jp_tui.ui.transcript.positions import Anchor
from jp_tui.ui.transcript.virtual_list import VirtualList, scroll_bindings

FEW, LEAD = 12, 1
"""Rows below which a view of a diff begins at the first changed line; the number of rows shown above that line."""
LEADING = 6
"""Rows above that beginning that need not be seen; more of them count as unseen until they were on the screen."""

Key = tuple[int, bool]
"""A width, and True for a diff in two columns."""
_Made = tuple[int, Key, PaintedDiff]


class SeenRows:
    """The rows that were on the screen, as ranges from a first row to the one after the last (Z14)."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []

    @property
    def count(self) -> int:
        return sum(end - first for first, end in self._ranges)

    def add(self, first: int, end: int) -> bool:
        """Note these rows. Return True if some of them are new."""
        before, joined = self.count, list[tuple[int, int]]()
        for one in sorted([*self._ranges, *([(first, end)] if first < end else [])]):
            if joined and one[0] <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(joined[-1][1], one[1])
            else:
                joined.append(one)
        self._ranges = joined
        return self.count > before

    def cut(self, end: int) -> None:
        """Forget the rows from `end` on."""
        self._ranges = [(first, min(last, end)) for first, last in self._ranges if first < end]

    def scale(self, before: int, rows: int) -> None:
        """Convert `before` rows to `rows` rows with the same seen share, rounded down."""
        if self.count >= before:
            self._ranges = [(0, rows)] if rows else []
        else:
            scaled = [(-(-first * rows // before), last * rows // before) for first, last in self._ranges]
            self._ranges = [one for one in scaled if one[0] < one[1]]


class _Rows:
    """The document of a `VirtualList` whose rows are all painted."""

    def __init__(self, painted: PaintedDiff, width: int, colours: PaintLook) -> None:
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


def _laid_out(run: int, key: Key, whole: Callable[[], PaintedDiff], colours: PaintLook) -> _Made:
    """Paint all rows, on another thread. A text that a parser fails on must not end that thread: it stays unseen."""
    try:
        return run, key, whole()
    except Exception:
        words = [plain.words("⟨this couldn't be displayed⟩", colours.waiting)]
        return run, key, PaintedDiff(Frame(colours, key[0], colours.text).paragraph(words), whole=False)


def _alike(old: list[Row], new: list[Row]) -> int:
    """Return the number of equal rows at the beginning."""
    pairs = zip(old, new, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one.text != other.text), min(len(old), len(new)))


class ContextView(VirtualList[_Rows], can_focus=True):
    """A text for the user to decide about, unchanged."""

    BINDINGS = [
        *scroll_bindings("context"),
        Binding("t", "split", "Side by side", id="context.split", tooltip="Show the diff in one or two columns"),
        Binding("right_square_bracket", "hunk(1)", "Next hunk", id="context.next_hunk", tooltip="Go to the next hunk"),
        Binding(
            "left_square_bracket",
            "hunk(-1)",
            "Previous hunk",
            id="context.previous_hunk",
            tooltip="Go to the previous hunk",
        ),
    ]

    DEFAULT_CSS = """
    ContextView { height: auto; width: 1fr; background: $background; color: $foreground; }
    """

    @dataclass
    class Seen(Message):
        """More rows were on the screen; `unseen` of `lines` still were not."""

        unseen: int
        lines: int

    @dataclass
    class _Whole(Message):
        """All of it is laid out."""

        made: _Made

    def __init__(
        self, text: Foreign, *, approval: bool = True, focus: bool = True, named: str = "", id: str | None = None
    ) -> None:
        """`named` is a file whose name is shown beside the view: a diff of it alone doesn't repeat the name."""
        self._colours = look({})
        super().__init__(_Rows(PaintedDiff(), 1, self._colours), following=False, id=id)
        self.can_focus = focus
        self._text, self._approval, self._split, self._named = text, approval, False, named
        self._untouched = True
        """True until the user scrolls: the view is at its initial place."""
        self._made: dict[Key, PaintedDiff] = {}
        self._width, self._seen, self._of = 1, SeenRows(), 0
        self._errand: SlowPaint[_Made] = SlowPaint(self._deliver)
        self._run, self._asked = 0, (0, False)
        """A number for each new layout, by which late rows are recognised, and the key of the running layout."""
        self._held = False
        """True while the rows shown are of this text at another width or in other colours: they stay meanwhile."""
        self._to_end, self._to_hunk = False, 0
        """The places to go to when all of it is laid out: its end, or that hunk."""

    # --- text and state ------------------------------------------------------------------------------------

    def put(self, text: Foreign, *, approval: bool | None = None) -> None:
        """Show another text from its top; `approval` changes the mode."""
        self._approval = self._approval if approval is None else approval
        self._text, self._seen, self._of, self.top = text, SeenRows(), 0, 0
        self._untouched = True
        self.document = _Rows(PaintedDiff(), 1, self._colours)
        self._to_end, self._to_hunk = False, 0
        self._again()
        self.refresh(layout=True)

    def height_at(self, width: int) -> int:
        """Return the number of rows of all of it in a widget of that width."""
        return len(self._painted(width).rows)

    @property
    def lines(self) -> int:
        """The number of rows at the present width."""
        return self.document.total

    @property
    def unseen(self) -> int:
        """The number of rows that were never on the screen; at least 1 if the text is cut."""
        return max(self.lines - self._seen.count, 0 if self.document.painted.whole else 1) if self.is_mounted else 0

    @property
    def read_to_end(self) -> bool:
        """True if all of it was on the screen."""
        return self._seen.count > 0 and self.unseen == 0

    @property
    def complete(self) -> bool:
        """True if all of it is laid out, so that the numbers of rows and hunks are final."""
        return not self.document.painted.more

    @property
    def fits(self) -> bool:
        """True if all of it is in sight."""
        return self.complete and self.lines <= self.height

    @property
    def split(self) -> bool:
        """True if a diff is shown in two columns."""
        return self._split

    @property
    def hunk(self) -> tuple[int, int]:
        """The number of the hunk at the top, from 1, and the number of hunks; (0, 0) without a diff."""
        starts = self.document.painted.hunks
        bottom = self.top + self.height >= self.lines
        reached = len(starts) if bottom and starts else sum(start <= self.top + 1 for start in starts)
        return (max(reached, 1), len(starts)) if starts else (0, 0)

    @property
    def changes(self) -> tuple[int, int]:
        """The numbers of added and removed lines."""
        return self.document.painted.added, self.document.painted.removed

    def page(self, by: int) -> None:
        """Scroll by pages; one row of the old page stays in sight."""
        self.scroll_pages(by)

    def line(self, by: int) -> None:
        """Scroll by lines."""
        self.scroll_to_row(self.top + by)

    def action_split(self) -> None:
        """Switch between one column and two; the hunk at the top stays there."""
        self._to_hunk = self.hunk[0] - 1
        self._split = not self._split
        self._again()
        self.refresh(layout=True)

    def prefer_split(self, split: bool) -> None:
        """Show a diff in two columns, or in one; a new file, which would leave a column empty, in one."""
        if split:
            split = not _one_sided(self._text.raw)
        if split != self._split:
            self.action_split()

    def action_hunk(self, step: int) -> None:
        """Scroll to the next or previous hunk."""
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
        """Begin just above the first changed line in a low view, instead of the lines before it."""
        first = self.document.painted.first
        if self._untouched and first is not None and 0 < self.height < min(FEW, self.lines):
            super().scroll_to_row(first - LEAD)
            if self.top <= LEADING:  # a name and unchanged lines
                self._seen.add(0, self.top)

    # --- painting ------------------------------------------------------------------------------------------

    def _painted(self, width: int) -> PaintedDiff:
        """Return the rows for a width of the widget; its last column is for the scroll mark."""
        key = (max(width - 1, 1), self._split)
        if key not in self._made:
            if len(self._made) > 3:
                self._made.clear()
            self._made[key] = self.paint(key[0], self._colours, split=self._split)
        return self._made[key]

    @property
    def placed(self) -> bool:
        """True if the widget has a place on the screen."""
        return self._width > 1

    @property
    def painted(self) -> PaintedDiff:
        """The rows at the present width."""
        return self._painted(self._width)

    def drop_painted(self) -> None:
        """Drop the painted rows; they are painted again when they are needed."""
        self._made.clear()

    def paint(self, width: int, colours: PaintLook, *, split: bool) -> PaintedDiff:
        """Paint all of it, or the beginning of a long text; `split`: a diff in two columns."""
        return beginning(self._text, width, colours, **self._as()) or self._whole(width)()

    def _whole(self, width: int) -> Callable[[], PaintedDiff]:
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

    def _put(self, painted: PaintedDiff) -> None:
        """Show these rows."""
        before = self.lines
        end, hunk = self._to_end, self._to_hunk
        old, self._held = self.document.painted, False
        self.document = _Rows(painted, max(self._width - 1, 1), self._colours)
        if old.more:  # only hunks that the whole has as well
            self._seen.cut(_alike(old.rows, painted.rows))
        elif self._of and self.lines != before and before:  # the same share of it counts as seen
            self._seen.scale(before, self.lines)
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
        """Order the layout of all of it at a width, unless it is being made."""
        if key != self._asked:
            self._asked = key
            self._errand.want(partial(_laid_out, self._run, key, self._whole(key[0]), self._colours))

    def _deliver(self, made: _Made) -> None:
        """Take the rows on another thread: `post_message` is the one call that Textual makes safe there."""
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
        """Note which rows are on the screen now."""
        if self.height <= 0 or not self.lines or not self.display or not self.is_attached or self._held:
            return
        if self._seen.add(self.top, min(self.top + self.height, self.lines)) or not self._of:
            self._of = self.lines
            self.post_message(self.Seen(self.unseen, self.lines))

    def moved(self) -> None:
        self.look()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.height_at(width)

    def on_mount(self) -> None:
        self._recolour()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._recolour())

    def on_unmount(self) -> None:
        self.app.theme_changed_signal.unsubscribe(self)  # which would keep it in memory until another theme is chosen
        self._errand.close()

    def _recolour(self) -> None:
        self._colours = look(self.app.get_css_variables())
        self._again()

    def on_resize(self, event: events.Resize) -> None:
        self._width = event.size.width
        self._lay_out()
        self.look()


def _one_sided(text: str) -> bool:
    """Return True if all hunks of a diff have lines of only one of its files."""
    hunks = re.findall(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", text, re.MULTILINE)
    return bool(hunks) and any(all(hunk[side] == "0" for hunk in hunks) for side in (0, 1))
