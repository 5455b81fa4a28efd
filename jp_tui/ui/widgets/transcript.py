"""The conversation pane: one windowed column of painted rows (traps.md T4, T21, T22; designs.md B and D).

A plain widget with its own `top`: it hands finished rows to the compositor and repaints only those that changed.
What it shows comes from `Pane`, what is painted from the painter's thread. It asks for pages by message, sends no
command, and at rest has no timer and writes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from textual.geometry import Region
from textual.message import Message
from textual.theme import Theme
from textual.timer import Timer

import jp_tui.ui.gate  # noqa: F401  rows of ours pass the gate as well
from jp_tui.protocol import events as ev
from jp_tui.ui.keys import users
from jp_tui.ui.paint import Desk, Growth, Painted, Result
from jp_tui.ui.painting.look import look
from jp_tui.ui.painting.rows import Hit
from jp_tui.ui.pane import Pane
from jp_tui.ui.widgets.folding import FOLDING
from jp_tui.ui.widgets.readying import Readying
from jp_tui.ui.widgets.resending import RESENDING
from jp_tui.ui.widgets.rowview import scrolling
from jp_tui.ui.widgets.taking import TAKING
from jp_tui.view.transcript.blocks import Said, Thought
from jp_tui.view.transcript.reducer import Changes

FRAME = 1 / 20
"""Seconds between two repaints while text arrives (designs.md B)."""
SLOWEST = 0.5
"""The most of them, however long what came took to paint: a lot at once says nothing about what comes then."""
NEARLY = 0.005
"""Seconds before its time that a frame may come, when its text is there."""
AT_ONCE = 16
"""Events that are each seen at once before the rest is seen once a frame."""


class Transcript(Readying):
    """The conversation: scrolls, selects, follows what is written."""

    BINDINGS = [
        *scrolling("transcript"),
        *FOLDING,
        *TAKING,
        *RESENDING,
    ]

    DEFAULT_CSS = """
    Transcript { width: 1fr; height: 1fr; background: $background; color: $foreground; }
    """

    @dataclass
    class NeedEvents(Message):
        """A page is missing: up to `count` events about number `around`, to be answered with `apply(EventsRead)`."""

        around: int
        count: int

    @dataclass
    class WordPicked(Message):
        """An item of the greeting's menu was clicked: its name or number, to be sent as if it were typed."""

        text: str

    @dataclass
    class _Results(Message):
        """What the painter made; from its thread."""

        results: Sequence[Result]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._pane: Pane = Pane(1, look({}))
        self._desk = Desk(self._deliver)
        self._conversation = ""
        self._texts: dict[str, list[str]] = {}
        self._runs: dict[str, int] = {}
        self._busy: set[str] = set()
        self._frame: asyncio.TimerHandle | None = None
        self._next_frame = 0.0
        self._asked: int | None = None
        self._waiting: set[str] = set()
        self._free, self._free_at = float(AT_ONCE), 0.0  # how often it may settle at once, as of then
        self._settle_later: asyncio.TimerHandle | None = None
        self._grew = False
        self._ticker: Timer | None = None
        self._counted = 0.0

    # --- what the app tells --------------------------------------------------------------------------------

    def open(self, opened: ev.ConversationOpened) -> None:
        """Show a conversation from its end."""
        self.clear()
        self._conversation = opened.conversation
        self._pane.story.held = bool(opened.held_by)
        if opened.greeting is not None and not opened.page:
            self._pane.changed(self._pane.story.greet(opened.greeting, opened.model))
        self._pane.load(opened.spans, opened.page, opened.last_seq)
        self._settle()

    def apply(self, event: ev.Event) -> None:
        """An event of the engine; what does not concern the pane changes nothing."""
        if isinstance(event, ev.ConversationOpened):
            self.open(event)
        elif isinstance(event, ev.EventsRead):
            self._read(event)
        elif getattr(event, "conversation", "") == self._conversation:
            before = self._pane.column.total
            changes = self._pane.apply(event)
            self._count_waits()
            self._follow_parts(changes)
            if changes.changed or changes.renamed:
                self._settle_soon(grown=self._pane.column.total > before)

    def _count_waits(self) -> None:
        """Count down while something waits to be tried again, and only then."""
        retries = self._pane.story.retries
        if retries.blocks and self._ticker is None:
            retries.key = users(self, "interrupt") or "Esc"
            self._counted = asyncio.get_running_loop().time()
            self._ticker = self.set_interval(1.0, self._second)
        elif not retries.blocks and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _second(self) -> None:
        before, self._counted = self._counted, asyncio.get_running_loop().time()
        if self._pane.passed(self._counted - before).changed:
            self._settle_soon(grown=False)

    def asking(self, calls: frozenset[tuple[int, str]]) -> None:
        """The calls, each by turn and id, whose sub-agents wait for the human now."""
        before = self._pane.column.total
        if self._pane.asking(calls).changed:
            self._settle_soon(grown=self._pane.column.total > before)

    def clear(self) -> None:
        """Show nothing."""
        self._desk.close()
        if self._frame is not None:
            self._frame.cancel()
        if self._settle_later is not None:
            self._settle_later.cancel()
        self._frame, self._settle_later, self._asked, self._conversation = None, None, None, ""
        self.mark("")
        self._desk = Desk(self._deliver)
        self._pane = Pane(self._pane.width, self._pane.look)
        self._count_waits()
        for held in (self._texts, self._runs):
            held.clear()
        self._busy.clear()
        self._waiting.clear()
        self.reset()

    @property
    def settled(self) -> bool:
        """Whether everything in sight is painted and no page is awaited."""
        later = self._frame or self._settle_later
        return not (self._waiting or self._busy or later or self._asked or self._pane.story.has_fresh)

    @property
    def painted(self) -> bool:
        """True if a conversation is open and everything of it that is in sight is painted."""
        if not self._conversation or not self.height:
            return False
        last = self.top + self.height - 1
        return not self._pane.unpainted(self.top, last) and not (self._asked and self._pane.missing(self.top, 0))

    @property
    def plain_end(self) -> int:
        """The number of the last event, if the end of the log is in sight as a resumed conversation shows it: nothing
        streams, is unfolded, marked or selected. Else 0."""
        story = self._pane.story
        streams = story.live or story.has_fresh or self._busy or self._settle_later or self._asked
        plain = self.painted and self.following and not streams
        touched = self._pane.unfolded or self.text_selection
        return self._pane.pages.last if plain and not touched else 0

    # --- pages ---------------------------------------------------------------------------------------------

    def _read(self, event: ev.EventsRead) -> None:
        if event.conversation != self._conversation:
            return
        self._asked = None
        if not self._pane.read(event.events):
            self._pane.close_gap(event.around)
        self._settle()

    def _settle(self, *, grown: bool = False) -> None:
        """After any change of the column: keep the place, paint and ask for what is near, show it."""
        self.place(grown=grown)
        self._demand()
        self.refresh()

    def _settle_soon(self, *, grown: bool) -> None:
        """Now; where event comes after event, once a frame for all of them."""
        if not self.is_attached:
            self._settle(grown=grown)
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
        self._settle(grown=grown)

    def _demand(self) -> None:
        """Ask the painter and the app for what is missing near the viewport."""
        if not self.height or not self._conversation:
            return
        self._pane.trim(self.top, self.height)
        orders = self._pane.wanted(self.top, self.height)
        self._waiting = {order.block.key for order in orders}
        self._desk.want(orders)
        if self._asked is None and (missing := self._pane.missing(self.top, self.height)):
            self._asked = missing[0]
            self.post_message(self.NeedEvents(*missing))

    def moved(self) -> None:
        super().moved()
        self._demand()

    # --- text that arrives ---------------------------------------------------------------------------------

    def _follow_parts(self, changes: Changes) -> None:
        """Begin, rename and end growing parts at the painter; arm the frame when there is text."""
        growing = {block.key for block in self._pane.story.live if isinstance(block, Said | Thought) and block.growing}
        for key in [key for key in self._runs if key not in growing]:
            self._desk.end(key)
            self._busy.discard(key)
            del self._runs[key]
            self._texts.pop(key, None)
        for old, new in changes.renamed:
            self.renamed(old, new)
        for block in self._pane.story.live:
            if block.key in growing and block.key not in self._runs:
                self._begin(block.key, isinstance(block, Thought))
        self._arm()

    def _begin(self, key: str, thought: bool) -> None:
        """Have a part painted from its first character on."""
        pane = self._pane
        run = self._desk.begin(key, "reasoning" if thought else "message", pane.width, pane.look, key in pane.unfolded)
        self._runs[key] = run
        pane.begin(key, run)
        if text := "".join(self._texts.get(key, ())):
            self._busy.add(key)
            self._desk.feed(key, text)

    def _arm(self) -> None:
        """One repaint for all text that comes within a frame; nothing runs while none comes."""
        if self._frame is None and self._pane.story.has_fresh and not self._busy and self.is_attached:
            loop = asyncio.get_running_loop()
            if loop.time() + NEARLY >= self._next_frame:
                self._tick()
            else:
                self._frame = loop.call_at(self._next_frame, self._tick)

    def _tick(self) -> None:
        self._frame = None
        self._next_frame = asyncio.get_running_loop().time() + FRAME
        for key, text in self._pane.story.take().items():
            self._texts.setdefault(key, []).append(text)
            if key in self._runs and (growth := self._desk.grown(key, text)) is not None:
                self._grow(growth)
            elif key in self._runs:
                self._busy.add(key)
                self._desk.feed(key, text)

    def _grow(self, growth: Growth) -> None:
        self._busy.discard(growth.key)
        self._next_frame = max(self._next_frame, asyncio.get_running_loop().time() + min(4 * growth.cost, SLOWEST))
        if self._runs.get(growth.key) == growth.run and (found := self._pane.grow(growth)) is not None:
            first, resized = found
            moved = self.place(grown=resized)
            if moved or (first < self.top and resized):
                self.refresh()
            else:
                start = max(first - self.top, 0)
                if start < self.height:
                    self.refresh(Region(0, start, self.size.width, self.height - start))
        self._arm()

    # --- folding -------------------------------------------------------------------------------------------

    def hit(self, hit: Hit, number: int) -> None:
        if hit.kind == "word":
            self.post_message(self.WordPicked(hit.value))
        else:
            super().hit(hit, number)

    def toggle(self, key: str) -> None:
        self._pane.unfolded ^= {key}
        self.hold()
        if key in self._runs:
            self._begin(key, thought=True)
        self._settle()

    # --- painted rows --------------------------------------------------------------------------------------

    def _deliver(self, results: Sequence[Result]) -> None:
        """On the painter's thread: `post_message` is the one call that Textual makes safe there."""
        with suppress(RuntimeError):  # the app's loop may have ended meanwhile
            self.post_message(self._Results(results))

    def on_transcript__results(self, message: Transcript._Results) -> None:
        message.stop()
        changed = False
        for result in message.results:
            if isinstance(result, Painted):
                self._waiting.discard(result.order.block.key)
                changed |= self._pane.paint(result)
            else:
                self._grow(result)
        if changed:
            self._settle_soon(grown=False)

    # --- size and colours ----------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._pane.look = look(self.app.get_css_variables())
        self.app.theme_changed_signal.subscribe(self, self._recolour)

    def on_unmount(self) -> None:
        self.clear()
        self._desk.close()

    def _recolour(self, _: Theme) -> None:
        self._pane.look = look(self.app.get_css_variables())
        self._again()

    def on_resize(self) -> None:
        width = max(self.size.width - 1, 1)
        if width != self._pane.width:
            self._pane.resize(width)
            self._again()
        else:
            self._settle()

    def _again(self) -> None:
        """Another width or other colours: what grows is painted from its beginning, the rest as it comes near."""
        for key in list(self._runs):
            block = next((one for one in self._pane.story.live if one.key == key), None)
            self._begin(key, isinstance(block, Thought))
        self._settle()
