"""The painter: a thread that turns blocks into rows beside the UI's loop, one for what is long (traps.md T4, T22, T28).

A pane has a desk: it says what it wants painted, and is handed results on this thread, to be posted to its widget.
Wishes are replaced, not queued, so nothing is painted that nobody looks at any more; streamed text comes first, and a
few words of it are painted by whoever has them. Sleeps without a timer while there is nothing to do. Touches no widget.
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
from jp_tui.ui.painting.look import Look
from jp_tui.ui.painting.rows import Row
from jp_tui.ui.painting.stream import Message, Thinking
from jp_tui.view.transcript.blocks import Block, Said, Thought

SLICE = 0.008
"""Seconds of painting after which results are handed over."""
AT_ONCE, LITTLE = 0.002, 1_000
"""Seconds of work that the last piece of a part may have been, and characters of the next, to be painted without it."""
_LOADS = re.compile("[`~]")
"""What may begin a fence: the lexer of a language is loaded by the painter only."""


@dataclass(frozen=True, slots=True)
class Order:
    """A block to be painted at a width, in colours; `unfolded` has its own key and those of its parts that are."""

    block: Block
    width: int
    look: Look
    unfolded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Painted:
    """An order carried out."""

    order: Order
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Growth:
    """A growing part after more text: rows that are final now, and the tail as it is. `cost` in seconds."""

    key: str
    run: int
    frozen: list[Row]
    tail: list[Row]
    cost: float


@dataclass(slots=True)
class _Stream:
    """A growing part at the painter; `run` counts its beginnings, so that late results of an older one are known."""

    run: int
    make: Callable[[], Message | Thinking]
    texts: list[str]
    state: Message | Thinking | None = None
    given: int = 0
    cost: float = 0.0


Result = Painted | Growth
Made = TypeVar("Made")


class Desk:
    """One pane's place at the painter; used from the pane's thread. `deliver` is called on the painter's thread."""

    def __init__(self, deliver: Callable[[Sequence[Result]], None]) -> None:
        self._deliver = deliver
        self._orders: deque[Order] = deque()
        self._streams: dict[str, _Stream] = {}
        self._runs = 0
        self.closed = False

    def want(self, orders: Sequence[Order]) -> None:
        """Paint these, in this order, and forget what was wanted before."""
        with _painter.lock:
            self._orders = deque(orders)
            if orders:
                _painter.wake(self)

    def begin(self, key: str, kind: Literal["message", "reasoning"], width: int, look: Look, unfolded: bool) -> int:
        """A part starts, or starts anew at another width; the answer is the number of this beginning."""
        with _painter.lock:
            self._runs += 1
            make: Callable[[], Message | Thinking] = (
                (lambda: Message(width, look))
                if kind == "message"
                else (lambda: Thinking(key, width, look, unfolded=unfolded))
            )
            self._streams[key] = _Stream(self._runs, make, [])
            return self._runs

    def feed(self, key: str, text: str) -> None:
        """More text of a part that was begun."""
        with _painter.lock:
            if key in self._streams:
                self._streams[key].texts.append(text)
                _painter.wake(self)

    def grown(self, key: str, text: str) -> Growth | None:
        """A little more of a part that nothing else is to be painted of, painted here and now; None where that may take
        longer than a hop to the painter and back, which costs more than a few words: then it is to be fed."""
        with _painter.lock:
            stream = self._streams.get(key)
            if stream is None or stream.state is None or stream.texts or stream.cost > AT_ONCE:
                return None
        return None if len(text) > LITTLE or _LOADS.search(text) else _grown(key, stream, text)

    def end(self, key: str) -> None:
        """The part is over; what is still to be painted of it is not needed."""
        with _painter.lock:
            self._streams.pop(key, None)

    def close(self) -> None:
        """The pane is gone."""
        with _painter.lock:
            self.closed = True
            self._orders.clear()
            self._streams.clear()

    # --- on the painter's thread ---------------------------------------------------------------------------

    def _next(self) -> tuple[str, _Stream, str] | Order | None:
        """What to do next; called with the lock held."""
        for key, stream in self._streams.items():
            if stream.texts:
                text, stream.texts = "".join(stream.texts), []
                return key, stream, text
        return self._orders.popleft() if self._orders else None

    def work(self) -> None:
        """Paint until there is nothing left, handing over in slices."""
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


class Errand(Generic[Made]):
    """A widget's place for one thing that takes long and is no block: a thread of its own carries it out, so that no
    reply that streams waits for it. Used from the widget's thread; `deliver` is called on the other one."""

    def __init__(self, deliver: Callable[[Made], None]) -> None:
        self._deliver = deliver
        self._make: Callable[[], Made] | None = None
        self.closed = False

    def want(self, make: Callable[[], Made] | None) -> None:
        """Make this instead of what was wanted before; it touches no widget and raises nothing. None wants nothing."""
        with _slow.lock:
            self._make = make
            if make is not None:
                _slow.wake(self)

    def close(self) -> None:
        """The widget is gone."""
        with _slow.lock:
            self.closed, self._make = True, None

    def work(self) -> None:
        """On the other thread: what is wanted. What is not any more when it is made is let go."""
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
        return Painted(job, painted(job))
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
    """The rows of an order. What trips a parser is shown as plain text: no message may end the painter."""
    try:
        return blocks.paint(order.block, order.width, order.look, unfolded=order.unfolded)
    except Exception:
        text = order.block.text if isinstance(order.block, Said | Thought) else Foreign("")
        frame = blocks.page(order.width, order.look)
        said = plain.paragraphs(plain.lines(Foreign(plain.cut(text.raw)[0]), order.look.text, order.look), frame)
        return [*said, *frame.paragraph([plain.words("⟨this could not be laid out⟩", order.look.waiting)])]


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
        """A desk has work; called with the lock held."""
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
            except Exception as error:  # the next block may be sound, and nobody else would paint it
                threading.excepthook(threading.ExceptHookArgs((type(error), error, None, threading.current_thread())))
            del desk  # nothing here keeps a widget that is gone


_painter, _slow = _Painter("painter"), _Painter("painter of what is long")
