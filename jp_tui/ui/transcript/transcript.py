"""The conversation on the screen: a virtual list of painted blocks (traps.md T4, T21, T22; designs.md B and D).

Blocks and painted rows are in a `TranscriptDocument`; rows are painted on the painter's thread. The widget owns the
cursor on folds, the selected message and the text that streams in. It asks for missing events by message and sends no
command; while nothing happens it has no timer and writes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import thread_time

from textual.binding import Binding
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.theme import Theme
from textual.timer import Timer

import jp_tui.ui.textual_patches.output_gate  # noqa: F401  its filter also covers rows painted here
from jp_tui.protocol import events as ev
from jp_tui.ui.keys.bindings import users
from jp_tui.ui.painting.look import look
from jp_tui.ui.painting.painter import Growth, PaintedBlock, PaintQueue, Result
from jp_tui.ui.painting.rows import ClickTarget
from jp_tui.ui.painting.trail import WHY
from jp_tui.ui.transcript import prefetch
from jp_tui.ui.transcript.copying import COPY_KEYS, MessageSelection
from jp_tui.ui.transcript.document import TranscriptDocument
from jp_tui.ui.transcript.fold_cursor import FOLD_KEYS, FoldCursor
from jp_tui.ui.transcript.virtual_list import VirtualList, scroll_bindings
from jp_tui.view.transcript.blocks import LIVE, ReasoningBlock, TextBlock
from jp_tui.view.transcript.reducer import BlockChanges

FRAME = 1 / 20
"""Seconds between two repaints while text arrives (designs.md B)."""
SLOWEST = 0.5
"""The longest pause between two of them, however long the last text took to paint: the next may be short."""
NEARLY = 0.005
"""Seconds by which a frame may come early, if its text is there."""
AT_ONCE = 16
"""Events that are each shown at once before the rest is shown once a frame: more than a user's own action causes."""


class Transcript(VirtualList[TranscriptDocument]):
    """The conversation: scrolls, folds, selects and copies, and follows the text that streams in."""

    BINDINGS = [
        *scroll_bindings("transcript"),
        *FOLD_KEYS,
        *COPY_KEYS,
        Binding(
            "e", "resend", "Edit & fork", id="transcript.resend", tooltip="Edit your selected or last visible message"
        ),
        Binding(
            "f", "fork_here", "Fork", show=False, id="transcript.fork",
            tooltip="Fork from the selected or last visible message",
        ),
    ]  # fmt: skip

    DEFAULT_CSS = """
    Transcript { width: 1fr; height: 1fr; background: $background; color: $foreground; }
    """

    @dataclass
    class NeedEvents(Message):
        """A page is missing: up to `count` events around number `around`. The answer is `apply(EventsRead)`."""

        around: int
        count: int

    @dataclass
    class WordPicked(Message):
        """The user clicked an item of the greeting's menu: its name or number, to be sent as if it were typed."""

        text: str

    @dataclass
    class Copied(Message):
        """The user wants to copy this; `what` is its name, empty where the beginning of it says more."""

        text: str
        what: str = ""

    @dataclass
    class Resend(Message):
        """The user wants to edit a message of theirs and send it in a fork; `seq` is its number in the log."""

        seq: int
        text: str

    @dataclass
    class ForkHere(Message):
        """The user wants a copy of the conversation up to this event."""

        seq: int

    @dataclass
    class _Results(Message):
        """Painted rows, from the painter's thread."""

        results: Sequence[Result]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(TranscriptDocument(1, look({})), id=id)
        self._folds = FoldCursor(self)
        self._selection = MessageSelection(self)
        self._desk = PaintQueue(self._deliver)
        self._conversation = ""
        self._texts: dict[str, list[str]] = {}
        self._runs: dict[str, int] = {}
        self._busy: set[str] = set()
        self._frame: asyncio.TimerHandle | None = None
        self._next_frame = 0.0
        self._asked: int | None = None
        self._waiting: set[str] = set()
        self._free, self._free_at = float(AT_ONCE), 0.0  # how many updates may be shown at once, and as of when
        self._settle_later: asyncio.TimerHandle | None = None
        self._grew = False
        self._ticker: Timer | None = None
        self._counted = 0.0

    # --- events --------------------------------------------------------------------------------------------

    def open(self, opened: ev.ConversationOpened) -> None:
        """Show a conversation from its end."""
        self.clear()
        self._conversation = opened.conversation
        self.document.story.held = bool(opened.held_by)
        if opened.greeting is not None and not opened.page:
            self.document.changed(self.document.story.show_greeting(opened.greeting, opened.model))
        self.document.load(opened.spans, opened.page, opened.last_seq)
        self._refresh_layout()

    def apply(self, event: ev.Event) -> None:
        """Show an event of the engine; those of other conversations change nothing."""
        if isinstance(event, ev.ConversationOpened):
            self.open(event)
        elif isinstance(event, ev.EventsRead):
            self._read(event)
        elif getattr(event, "conversation", "") == self._conversation:
            before = self.document.positions.total
            changes = self.document.apply(event)
            self._count_waits()
            self._follow_parts(changes)
            if changes.changed or changes.renamed:
                self._settle_soon(grown=self.document.positions.total > before)

    def _count_waits(self) -> None:
        """Run the count of waits while there are any, and only then."""
        retries = self.document.story.retries
        if retries.counting and self._ticker is None:
            retries.key = users(self, "interrupt") or "Esc"
            self._counted = asyncio.get_running_loop().time()
            self._ticker = self.set_interval(1.0, self._second)
        elif not retries.counting and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _second(self) -> None:
        before, self._counted = self._counted, asyncio.get_running_loop().time()
        total = self.document.positions.total
        if self.document.passed(self._counted - before).changed:
            self._settle_soon(grown=self.document.positions.total > total)

    def asking(self, calls: frozenset[tuple[int, str]]) -> None:
        """Mark the calls, each by turn and id, whose sub-agents wait for the user now."""
        before = self.document.positions.total
        if self.document.asking(calls).changed:
            self._settle_soon(grown=self.document.positions.total > before)

    def in_sheet(self, call: tuple[int, str] | None) -> None:
        """Shrink the call whose question is open as a sheet, by turn and id, to one line; None for none (Z14)."""
        if self.document.in_sheet(call).changed:
            self._settle_soon(grown=call is None)

    def clear(self) -> None:
        """Show nothing."""
        self._desk.close()
        if self._frame is not None:
            self._frame.cancel()
        if self._settle_later is not None:
            self._settle_later.cancel()
        self._frame, self._settle_later, self._asked, self._conversation = None, None, None, ""
        self._folds.to("")
        self._desk = PaintQueue(self._deliver)
        self.document = TranscriptDocument(self.document.width, self.document.look)
        self._count_waits()
        for held in (self._texts, self._runs):
            held.clear()
        self._busy.clear()
        self._waiting.clear()
        self.reset()

    @property
    def is_idle(self) -> bool:
        """True if everything in sight is painted and no page is awaited."""
        later = self._frame or self._settle_later
        return not (self._waiting or self._busy or later or self._asked or self.document.story.has_fresh)

    @property
    def painted(self) -> bool:
        """True if a conversation is open and everything of it that is in sight is painted."""
        if not self._conversation or not self.height:
            return False
        document, last = self.document, self.top + self.height - 1
        return not document.unpainted(self.top, last) and not (self._asked and document.missing(self.top, 0))

    @property
    def fresh(self) -> bool:
        """True if `painted`, and as wide as it is now."""
        if not self.painted or self.document.width != max(self.size.width - 1, 1):
            return False
        in_sight = self.document.positions.blocks(self.top, self.top + self.height - 1)
        return all(self.document.fresh(block) for _, block in in_sight)

    @property
    def plain_end(self) -> int:
        """The number of the last event, if the visible end of the log is as a resumed conversation shows it: nothing
        streams, is unfolded, marked or selected. Else 0."""
        story = self.document.story
        streams = story.live or story.has_fresh or self._busy or self._settle_later or self._asked
        plain = self.painted and self.following and not streams
        touched = self.document.unfolded or self.text_selection
        return self.document.pages.last if plain and not touched else 0

    # --- pages ---------------------------------------------------------------------------------------------

    def _read(self, event: ev.EventsRead) -> None:
        if event.conversation != self._conversation:
            return
        self._asked = None
        if not self.document.read(event.events):
            self.document.close_gap(event.around)
        self._refresh_layout()

    def _refresh_layout(self, *, grown: bool = False) -> None:
        """Keep the place after any change of the document, paint and request the rows nearby, and show it."""
        self.place(grown=grown)
        self._demand()
        self.refresh()

    def _settle_soon(self, *, grown: bool) -> None:
        """Settle now, or once a frame while many events come."""
        if not self.is_attached:
            self._refresh_layout(grown=grown)
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._free = min(self._free + (now - self._free_at) / FRAME, AT_ONCE)
        self._free_at, self._grew = now, self._grew or grown
        if self._settle_later is None and self._free >= 1:
            self._settle_now()
        elif self._settle_later is None:
            self._settle_later = loop.call_at(now + FRAME, self._settle_now)

    def _settle_now(self) -> None:
        self._settle_later, self._free = None, max(self._free - 1, 0.0)
        grown, self._grew = self._grew, False
        self._refresh_layout(grown=grown)

    def _demand(self) -> None:
        """Request missing rows from the painter and missing events from the app, near the viewport."""
        if not self.height or not self._conversation:
            return
        self.document.trim(self.top, self.height)
        orders = self.document.wanted(self.top, self.height)
        self._waiting = {order.block.key for order in orders}
        self._desk.want(orders)
        if self._asked is None and (missing := self.document.missing(self.top, self.height)):
            self._asked = missing[0]
            self.post_message(self.NeedEvents(*missing))

    def before_scroll(self, rows: int) -> None:
        until = thread_time() + prefetch.BUDGET
        while prefetch.paint_small(
            self.document, self.top + min(rows, 0), self.top + self.height - 1 + max(rows, 0), until
        ):
            self.place()  # other heights may bring other blocks in sight

    def moved(self) -> None:
        self.before_scroll(0)
        self._demand()

    # --- text that streams in ------------------------------------------------------------------------------

    def _follow_parts(self, changes: BlockChanges) -> None:
        """Begin, rename and end growing parts at the painter; schedule a frame when there is text."""
        growing = {
            block.key
            for block in self.document.story.live
            if isinstance(block, TextBlock | ReasoningBlock) and block.growing
        }
        for key in [key for key in self._runs if key not in growing]:
            self._desk.end(key)
            self._busy.discard(key)
            del self._runs[key]
            self._texts.pop(key, None)
        for old, new in changes.renamed:
            self.renamed(old, new)
            self._folds.renamed(old, new)
        for block in self.document.story.live:
            if block.key in growing and block.key not in self._runs:
                self._begin(block.key, isinstance(block, ReasoningBlock))
        self._arm()

    def _begin(self, key: str, thought: bool) -> None:
        """Paint a part from its first character on."""
        pane = self.document
        run = self._desk.begin(key, "reasoning" if thought else "message", pane.width, pane.look, key in pane.unfolded)
        self._runs[key] = run
        pane.begin(key, run)
        if text := "".join(self._texts.get(key, ())):
            self._busy.add(key)
            self._desk.feed(key, text)

    def _arm(self) -> None:
        """Schedule one repaint for all text that comes within a frame; nothing runs while none comes."""
        if self._frame is None and self.document.story.has_fresh and not self._busy and self.is_attached:
            loop = asyncio.get_running_loop()
            if loop.time() + NEARLY >= self._next_frame:
                self._tick()
            else:
                self._frame = loop.call_at(self._next_frame, self._tick)

    def _tick(self) -> None:
        self._frame = None
        self._next_frame = asyncio.get_running_loop().time() + FRAME
        for key, text in self.document.story.drain().items():
            self._texts.setdefault(key, []).append(text)
            if key in self._runs and (growth := self._desk.grown(key, text)) is not None:
                self._grow(growth)
            elif key in self._runs:
                self._busy.add(key)
                self._desk.feed(key, text)

    def _grow(self, growth: Growth) -> None:
        self._busy.discard(growth.key)
        self._next_frame = max(self._next_frame, asyncio.get_running_loop().time() + min(4 * growth.cost, SLOWEST))
        if self._runs.get(growth.key) == growth.run and (found := self.document.grow(growth)) is not None:
            first, resized = found
            moved = self.place(grown=resized)
            if moved or (first < self.top and resized):
                self.refresh()
            else:
                start = max(first - self.top, 0)
                if start < self.height:
                    self.refresh(Region(0, start, self.size.width, self.height - start))
        self._arm()

    # --- folds and clicks ----------------------------------------------------------------------------------

    def hit(self, hit: ClickTarget, number: int) -> None:
        match hit.kind:
            case "word":
                self.post_message(self.WordPicked(hit.value))
            case "fold":
                self._folds.to(hit.value)
                self.toggle(hit.value)
            case _:
                super().hit(hit, number)

    def decorate(self, strip: Strip, number: int) -> Strip:
        return self._folds.decorate(strip, number) if self._folds.key else strip

    def focus_on_click(self) -> bool:
        """Return False: a user who clicks and types on is writing, and none of these letters is a key here."""
        return False

    def toggle(self, key: str) -> None:
        """Fold or unfold a part; the rows above it stay where they are."""
        self.document.unfolded ^= {key}
        self.hold()
        if key in self._runs:
            self._begin(key, thought=True)
        self._refresh_layout()

    # --- keys ----------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for `why` where no trail line can be explained (E5)."""
        return action != "why" or bool(self._folds.trail_line())

    def action_mark(self, step: int) -> None:
        self._folds.step(step)

    def action_unfold(self) -> None:
        """Unfold or fold the part under the cursor, else the last in sight."""
        sight = self._folds.folds_in_sight()
        if sight and self._folds.key not in sight:
            self._folds.to(list(sight)[-1])
        if self._folds.key in sight:
            self.toggle(self._folds.key)
            self.refresh_bindings()

    def action_open(self, unfolded: bool) -> None:
        """Unfold or fold the part under the cursor, if it isn't so already."""
        if (key := self._folds.key_in_sight) and (key in self.document.unfolded) is not unfolded:
            self.action_unfold()

    def action_why(self) -> None:
        """Show below a trail line why the user was asked, or was not; again to hide it (E42)."""
        if key := self._folds.trail_line():
            self._folds.to(key)
            self.toggle(key + WHY)

    def action_message(self, step: int) -> None:
        self._selection.step(step)

    def action_copy(self) -> None:
        if (found := self._selection.source()) is not None:
            self.post_message(self.Copied(*found))

    def action_copy_code(self) -> None:
        self.post_message(self.Copied(*self._selection.next_code()))

    def action_resend(self) -> None:
        if (block := self._selection.user_message()) is not None:
            self.post_message(self.Resend(block.place[0], block.text.raw))

    def action_fork_here(self) -> None:
        block = self._selection.message()
        if block is not None and block.place[0] < LIVE:  # text that still streams has no number yet
            self.post_message(self.ForkHere(block.place[0]))

    # --- painted rows --------------------------------------------------------------------------------------

    def _deliver(self, results: Sequence[Result]) -> None:
        """Take results on the painter's thread: `post_message` is the one call that Textual makes safe there."""
        with suppress(RuntimeError):  # the app's loop may have ended meanwhile
            self.post_message(self._Results(results))

    def on_transcript__results(self, message: Transcript._Results) -> None:
        message.stop()
        changed = False
        for result in message.results:
            if isinstance(result, PaintedBlock):
                self._waiting.discard(result.order.block.key)
                changed |= self.document.paint(result)
            else:
                self._grow(result)
        if changed:
            self._settle_soon(grown=False)

    # --- size and colours ----------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.document.look = look(self.app.get_css_variables())
        self.app.theme_changed_signal.subscribe(self, self._recolour)

    def on_unmount(self) -> None:
        self.clear()
        self._desk.close()

    def _recolour(self, _: Theme) -> None:
        self.document.look = look(self.app.get_css_variables())
        self._again()

    def on_resize(self) -> None:
        width = max(self.size.width - 1, 1)
        if width != self.document.width:
            self.document.resize(width)
            self._again()
        else:
            self._refresh_layout()

    def _again(self) -> None:
        """After a new width or theme: paint growing parts from their beginning, the rest as it comes near."""
        for key in list(self._runs):
            block = next((one for one in self.document.story.live if one.key == key), None)
            self._begin(key, isinstance(block, ReasoningBlock))
        self._refresh_layout()
