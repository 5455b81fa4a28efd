"""The painter: a thread that turns blocks into rows beside the UI's loop, and another for long jobs (T4, T22, T28).

Each pane has a queue: it orders blocks to paint, and gets the results on the painter's thread, to post them to its
widget. New orders replace the old ones, so that no block is painted after it leaves the screen. Streamed text comes
first, and a few words of it are painted without the thread. The painter touches no widget, and sleeps without a timer
while there is nothing to do.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import Generic, Literal, Protocol, TypeVar

from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import blocks, plain
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import Row
from jp_tui.ui.painting.stream import StreamedMessage, Thinking
from jp_tui.view.transcript.blocks import Block, ReasoningBlock, TextBlock

SLICE = 0.008
"""Seconds of painting after which results are handed over."""
AT_ONCE, LITTLE = 0.002, 1_000
"""Limits for painting a piece of a stream without the thread: seconds that the last piece took, and characters."""
_LOADS = re.compile("[`~]")
"""May begin a code fence: only the thread loads the lexer of a language."""


@dataclass(frozen=True, slots=True)
class Order:
    """A block to be painted at a width, in colours. `unfolded` has the keys of the unfolded parts, its own included."""

    block: Block
    width: int
    look: PaintLook
    unfolded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PaintedBlock:
    """The rows of an order."""

    order: Order
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Growth:
    """The result of more text in a growing part: rows that are final now, and the current tail. `cost` in seconds."""

    key: str
    run: int
    frozen: list[Row]
    tail: list[Row]
    cost: float


@dataclass(slots=True)
class _Stream:
    """A streamed part. `run` counts its beginnings, so that late results of an older one can be recognised."""

    run: int
    make: Callable[[], StreamedMessage | Thinking]
    texts: list[str]
    state: StreamedMessage | Thinking | None = None
    given: int = 0
    cost: float = 0.0


Result = PaintedBlock | Growth
Made = TypeVar("Made")


class PaintQueue:
    """The orders of one pane. Used in the pane's thread; `deliver` is called in the painter's."""

    def __init__(self, deliver: Callable[[Sequence[Result]], None]) -> None:
        self._deliver = deliver
        self._orders: deque[Order] = deque()
        self._streams: dict[str, _Stream] = {}
        self._runs = 0
        self.closed = False

    def want(self, orders: Sequence[Order]) -> None:
        """Paint these, in this order, in place of earlier orders."""
        with _painter.lock:
            self._orders = deque(orders)
            if orders:
                _painter.wake(self)

    def begin(
        self, key: str, kind: Literal["message", "reasoning"], width: int, look: PaintLook, unfolded: bool
    ) -> int:
        """Begin a streamed part, or begin it again at another width. Return the number of this beginning."""
        with _painter.lock:
            self._runs += 1
            make: Callable[[], StreamedMessage | Thinking] = (
                (lambda: StreamedMessage(width, look))
                if kind == "message"
                else (lambda: Thinking(key, width, look, unfolded=unfolded))
            )
            self._streams[key] = _Stream(self._runs, make, [])
            return self._runs

    def feed(self, key: str, text: str) -> None:
        """Add text to a streamed part."""
        with _painter.lock:
            if key in self._streams:
                self._streams[key].texts.append(text)
                _painter.wake(self)

    def grown(self, key: str, text: str) -> Growth | None:
        """Paint a little more of a streamed part at once, if nothing else of it waits.

        Return None if that may take longer than passing it to the thread and back: then it has to be fed.
        """
        with _painter.lock:
            stream = self._streams.get(key)
            if stream is None or stream.state is None or stream.texts or stream.cost > AT_ONCE:
                return None
        return None if len(text) > LITTLE or _LOADS.search(text) else _grown(key, stream, text)

    def end(self, key: str) -> None:
        """End a streamed part. Its waiting text isn't painted."""
        with _painter.lock:
            self._streams.pop(key, None)

    def close(self) -> None:
        """Drop everything: the pane is closed."""
        with _painter.lock:
            self.closed = True
            self._orders.clear()
            self._streams.clear()

    # --- on the painter's thread ---------------------------------------------------------------------------

    def _next(self) -> tuple[str, _Stream, str] | Order | None:
        """Return the next job. Called with the lock held."""
        for key, stream in self._streams.items():
            if stream.texts:
                text, stream.texts = "".join(stream.texts), []
                return key, stream, text
        return self._orders.popleft() if self._orders else None

    def work(self) -> None:
        """Paint until nothing is left. Results are delivered in slices."""
        results: list[Result] = []
        began = perf_counter()
        while True:
            with _painter.lock:
                job = self._next()
            if job is None:
                break
            results.append(_carry_out(job))
            if perf_counter() - began > SLICE:
                self._hand_over(results)
                results, began = [], perf_counter()
        self._hand_over(results)

    def _hand_over(self, results: list[Result]) -> None:
        if results and not self.closed:
            self._deliver(results)


class SlowPaint(Generic[Made]):
    """One long job of a widget that isn't a block. A second thread runs it, so that no streamed reply waits for it.

    Used in the widget's thread; `deliver` is called in the other one.
    """

    def __init__(self, deliver: Callable[[Made], None]) -> None:
        self._deliver = deliver
        self._make: Callable[[], Made] | None = None
        self.closed = False

    def want(self, make: Callable[[], Made] | None) -> None:
        """Run `make` in place of an earlier one; None for nothing. It must touch no widget and raise nothing."""
        with _slow.lock:
            self._make = make
            if make is not None:
                _slow.wake(self)

    def close(self) -> None:
        """Drop the job: the widget is closed."""
        with _slow.lock:
            self.closed, self._make = True, None

    def work(self) -> None:
        """Run the job in the other thread. Its result is dropped if another one was wanted meanwhile."""
        with _slow.lock:
            make, self._make = self._make, None
        if make is not None:
            made = make()
            if not self._superseded():
                self._deliver(made)

    def _superseded(self) -> bool:
        return self.closed or self._make is not None


def _carry_out(job: tuple[str, _Stream, str] | Order) -> Result:
    if isinstance(job, Order):
        return PaintedBlock(job, painted(job))
    return _grown(*job)


def _grown(key: str, stream: _Stream, text: str) -> Growth:
    began, worked = perf_counter(), thread_time()
    if stream.state is None:
        stream.state = stream.make()
    state = stream.state
    state.feed(text)
    fresh = state.frozen[stream.given :]
    stream.given = len(state.frozen)
    stream.cost = thread_time() - worked
    return Growth(key, stream.run, fresh, state.tail, perf_counter() - began)


def painted(order: Order) -> list[Row]:
    """Return the rows of an order. A block that the parser fails on is shown as plain text: no message may end the
    painter."""
    try:
        return blocks.paint(order.block, order.width, order.look, unfolded=order.unfolded)
    except Exception:
        text = order.block.text if isinstance(order.block, TextBlock | ReasoningBlock) else Foreign("")
        frame = blocks.page(order.width, order.look)
        said = plain.paragraphs(plain.lines(Foreign(plain.cut(text.raw)[0]), order.look.text, order.look), frame)
        return [*said, *frame.paragraph([plain.words("⟨this couldn't be displayed⟩", order.look.waiting)])]


class _Place(Protocol):
    def work(self) -> None: ...


class _Painter:
    def __init__(self, name: str) -> None:
        self.lock = threading.Lock()
        self._name = name
        self._ready = threading.Condition(self.lock)
        self._desks: deque[_Place] = deque()
        self._thread: threading.Thread | None = None

    def wake(self, desk: _Place) -> None:
        """Note that a queue has work. Called with the lock held."""
        if desk not in self._desks:
            self._desks.append(desk)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self._ready.notify()

    def _run(self) -> None:
        while True:
            with self.lock:
                while not self._desks:
                    self._ready.wait()
                desk = self._desks.popleft()
            try:
                desk.work()
            except Exception as error:  # the next block may be fine, and has to be painted
                threading.excepthook(threading.ExceptHookArgs((type(error), error, None, threading.current_thread())))
            del desk  # or it would keep a closed widget in memory


_painter, _slow = _Painter("painter"), _Painter("painter of what is long")
