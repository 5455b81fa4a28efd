"""What the engine asks of a log, and the values that cross that line.

The journal never interprets a payload: kind, turn, inquiry, searchable text and sizes are passed beside it,
and only these are indexed (HOUSE, rooms table). Nothing here opens a file or starts a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Literal, Protocol, TypeVar

Trouble = Literal[
    "missing", "readonly", "unusable", "corrupt", "newer", "full", "busy", "io",
    "unknown", "ambiguous", "exists", "invalid", "closed", "index", "foreign", "held",
]  # fmt: skip
STORAGE: frozenset[Trouble] = frozenset(
    {"missing", "readonly", "unusable", "corrupt", "newer", "full", "busy", "io", "closed", "index", "foreign"}
)
"""What is wrong with the store, not with what was asked of it (Z20)."""
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

SPAN = 256
"""Events per span (HOUSE "The way of a page")."""


class JournalError(Exception):
    """Something about the log that a person must hear; `str(error)` is plain words with the path in them.

    `kind`: missing (no database yet), readonly, unusable (cannot be opened or made), corrupt, newer (made by
    a newer version), full (no space), busy (another process held it too long), io, unknown (no such
    conversation), ambiguous (several conversations begin so), exists, invalid (cannot be stored), closed, index
    (only what a search reads is damaged: see `renew_index`), foreign (a database of another program), held (that
    conversation is not ours to write).
    Nothing of the failed call was written.
    """

    def __init__(self, kind: Trouble, message: str) -> None:
        super().__init__(message)
        self.kind: Trouble = kind


@dataclass(frozen=True, slots=True)
class StoreNotice:
    """Something that happened to the store and that the user must hear; nothing failed. In plain words with paths."""

    message: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class NewEvent:
    """One event to store. `payload` is JSON text, kept byte for byte; `at` its timestamp (inquiries.md R58).

    `text` is what a search may find, `lines` its line breaks, `characters` its size (by default `len(text)`):
    the two sizes feed the spans. `turn` counts from 1. `inquiry` is the inquiry's id for inquiry events.
    """

    kind: str
    turn: int
    payload: str
    _: KW_ONLY
    at: str
    inquiry: str | None = None
    text: str = ""
    lines: int = 0
    characters: int | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry with its place: `seq` counts from 1 within the conversation, only grows, has no gaps. Where events are
    gone all the same (a damaged or foreign file), one entry of the kind MISSING stands for them, `characters` many; it
    has the first of their numbers, or, once the file was examined, the last."""

    conversation: str
    seq: int
    entry: NewEvent


Titled = Literal["first_line", "model", "user"]
TITLED: tuple[Titled, ...] = ("first_line", "model", "user")
MAKING = "making"
MISSING = "missing"
Shown = Literal["active", "archived", "deleted", "all"]


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation as lists show it; times as given by the engine, `turns` is the highest turn stored.

    `deleted` is the time at which it was, empty for others. Its first `copied` events came from the conversation
    `origin`, or from one that another program calls `imported`.
    """

    id: str
    title: str
    workspace: str
    model: str
    created: str
    updated: str
    events: int
    turns: int
    last_seq: int
    parent: str | None
    archived: bool
    deleted: str = ""
    origin: str | None = None
    imported: str | None = None
    copied: int = 0
    titled: Titled = "first_line"


@dataclass(frozen=True, slots=True)
class Copied:
    """A conversation that is to be made of events that stand elsewhere; the fields as in ConversationRow."""

    id: str
    workspace: str
    model: str
    at: str
    title: str
    titled: Titled = "first_line"
    origin: str | None = None
    imported: str | None = None
    copied: int = 0


@dataclass(frozen=True, slots=True)
class SearchHitRef:
    """Where a search found something: a conversation's key in this file, and a number."""

    key: int
    seq: int


@dataclass(frozen=True, slots=True)
class Hits:
    """The places that match in one conversation, the latest first; `more` when it has others."""

    row: ConversationRow
    places: tuple[int, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """Sums over the events `first_seq`..`last_seq` (at most 256), from which heights are estimated."""

    first_seq: int
    last_seq: int
    events: int
    characters: int
    lines: int


@dataclass(frozen=True, slots=True)
class Partial:
    """What is there of a part that was being streamed; `kind` is the writer's own word for it."""

    part: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """A prompt of the user's as it was sent, for the composer's history."""

    conversation: str
    seq: int
    text: str
    at: str


OfferState = Literal["open", "accepted", "answered", "invalid", "stale"]


@dataclass(frozen=True, slots=True)
class Offer:
    """An answer that another process offers to the holder of a conversation (surface S12).

    `payload` is the offerer's JSON, which the holder reads; `state` and `words` are what became of it (words: by whom
    it was answered, or what is wrong). Rows older than a day may be deleted.
    """

    id: int
    conversation: str
    inquiry: str
    payload: str
    at: str
    state: OfferState = "open"
    words: str = ""


class Receipt(Protocol[T_co]):
    """The outcome of a write: `await` it on an event loop, or block on `result()`. Raises JournalError.

    Giving up waiting does not call the write off.
    """

    def __await__(self) -> Generator[object, None, T_co]: ...

    def result(self, timeout: float | None = None) -> T_co:
        """Block until it is written (durable, where that was asked); TimeoutError after `timeout` seconds."""

    def done(self) -> bool:
        """Whether `result()` would return or raise at once."""


class JournalReading(Protocol):
    """The reading half: read-only, synchronous, each call one indexed query of the size of its answer.

    Any call may raise JournalError (`corrupt`, `io`, `busy`, `closed`). Unknown conversations read as empty.
    """

    def read(self, conversation: str, after: int = 0, limit: int = 256) -> list[Stored]:
        """Events with `seq > after`, in order."""

    def around(self, conversation: str, seq: int, count: int) -> list[Stored]:
        """`count` events about `seq`, in order, moved inwards at either end."""

    def tail(self, conversation: str, count: int) -> list[Stored]:
        """The last `count` events, in order."""

    def turn_events(self, conversation: str, turn: int) -> list[Stored]:
        """All events of one turn, in order."""

    def inquiry_events(self, conversation: str, inquiry: str | None = None) -> list[Stored]:
        """The events of one inquiry, or of all inquiries of the conversation, in order."""

    def open_inquiries(self, conversation: str | None = None) -> list[Stored]:
        """Requests that wait, of one conversation or of all: the inquiry_request events of a conversation's last turn
        that have fewer responses than requests (counted by id, R203), where that turn has no `turn_outcome` event.
        The latest request of an id, in the order they were asked."""

    def offers(self, conversation: str) -> list[Offer]:
        """Offers that are still open, oldest first; cheap enough to poll."""

    def offer(self, id: int) -> Offer | None:
        """One offer, for whoever made it."""

    def spans(self, conversation: str) -> list[Span]:
        """One row per 256 events, in order."""

    def last_seq(self, conversation: str) -> int:
        """The number of the last event, 0 when there is none: cheap enough to poll (S12)."""

    def changed(self) -> bool:
        """Whether anything was committed, by anybody, since the last call; the first call says yes."""

    def partials(self, conversation: str) -> list[Partial]:
        """Unfinished parts, joined, in the order in which they began."""

    def conversations(
        self,
        workspace: str | None = None,
        *,
        limit: int = 50,
        offset: int = 0,
        include_archived: bool = False,
        children: bool = True,
        shown: Shown | None = None,
    ) -> list[ConversationRow]:
        """The most recently updated first; without `children` only those that have no parent. `shown` says which
        instead of `include_archived`; deleted ones are nowhere else."""

    def conversation(self, prefix: str, *, deleted: bool = False) -> ConversationRow | None:
        """The one with this id, else the only one whose id begins so; `ambiguous` names the candidates. With `deleted`
        one that is, else none of them."""

    def children(self, conversation: str) -> list[str]:
        """The ids of all conversations that work for it, and of those that work for these, hidden ones, too."""

    def imports(self, imported: str) -> list[ConversationRow]:
        """What was imported under this id of another program and is not deleted."""

    def hidden(self) -> list[tuple[str, str]]:
        """The ids of conversations that nobody sees, each with the time at which it was deleted, or MAKING."""

    def can_search(self) -> bool:
        """Whether this SQLite can search texts."""

    def unindexed(self) -> int:
        """How many events a search does not find yet."""

    def search(self, text: str, *, limit: int, hits: int, shown: Shown, workspace: str | None) -> RunningSearch:
        """Begin to search the texts of events (`fts_query.py` says how `text` is read); raises nothing."""

    def latest(self, workspace: str) -> ConversationRow | None:
        """The most recently updated, not archived conversation of this workspace (`-c`) that has no parent."""

    def last_requests(self, workspace: str, limit: int = 100) -> list[SentPrompt]:
        """The newest prompts sent in this workspace (kind `chat_request`), newest first by their `at`; what stands in
        a conversation with a parent was not typed."""

    def drafts(self, conversation: str) -> dict[str, str]:
        """Unsent text by key."""


class RunningSearch(Protocol):
    """A search that goes on in slices. Newest conversations first, of each at most `hits` places."""

    @property
    def more(self) -> bool:
        """Whether there are conversations beyond the limit."""

    def go_on(self, seconds: float) -> bool:
        """Search for about so long; True when it is over. Raises JournalError, `index` where that cannot be read."""

    def found(self) -> list[Hits]:
        """What was found so far."""


@dataclass(frozen=True, slots=True)
class Holding:
    """The conversations that this process writes, and those that somebody else does now, with words for who."""

    held: frozenset[str] = frozenset()
    lost: Mapping[str, str] = field(default_factory=dict)


Again = Callable[[], Holding]


class Journal(JournalReading, Protocol):
    """The log of one process. Writes are queued for one writer and answered with a Receipt, in order.

    `durable` writes are on the disk when the receipt says so (R205); others survive the death of this
    process, not a power cut.
    """

    def create(
        self,
        conversation: str,
        *,
        workspace: str,
        model: str,
        at: str,
        title: str = "",
        parent: str | None = None,
    ) -> Receipt[None]:
        """A new, empty conversation; `exists` when the id is taken."""

    def append(
        self,
        conversation: str,
        entries: Sequence[NewEvent],
        *,
        durable: bool = True,
        closes_parts: Sequence[str] = (),
    ) -> Receipt[list[int]]:
        """Add all entries or none, and forget the parts that they finish; the answer is their numbers."""

    def partial(self, conversation: str, part: str, kind: str, chunk: str, *, durable: bool = False) -> Receipt[None]:
        """Add to a streaming part. May wait up to 0.2 s for more, unless it is to be durable: so do not await it while
        streaming."""

    def set_title(
        self, conversation: str, title: str, titled: Titled = "user", but: Titled | None = None
    ) -> Receipt[bool]:
        """Durable; `titled` says who made it. With `but` only a title that was made so is replaced; whether it was."""

    def make(self, copied: Copied) -> Receipt[None]:
        """A new, empty conversation that nobody sees before `reveal`; `exists` when the id is taken."""

    def reveal(self, conversation: str) -> Receipt[None]:
        """One that was made is whole; durable."""

    def hide(self, conversation: str, at: str) -> Receipt[None]:
        """Delete it, and those that work for it, as of this time; durable. What is appended to one restores it."""

    def restore(self, conversation: str) -> Receipt[None]:
        """Bring back what was deleted with it; durable."""

    def remove(self, conversation: str) -> Receipt[int]:
        """Remove a part of a hidden one for good; the number of its events, 0 when nothing of it is left.
        JournalError `index`."""

    def index(self) -> Receipt[int]:
        """Index a part of what is not yet; the number of its events, 0 when nothing is left to do. JournalError
        `index`."""

    def renew_index(self) -> Receipt[None]:
        """Take what is indexed away, whatever became of it: all is to be indexed again."""

    def set_model(self, conversation: str, model: str) -> Receipt[None]:
        """The model that a list shows beside it; durable."""

    def set_archived(self, conversation: str, archived: bool) -> Receipt[None]:
        """Out of the lists, or back; durable."""

    def save_draft(self, conversation: str, key: str, text: str) -> Receipt[None]:
        """Keep unsent text under a key; the conversation need not exist yet."""

    def clear_draft(self, conversation: str, key: str) -> Receipt[None]:
        """Forget it."""

    def make_offer(self, conversation: str, inquiry: str, payload: str, at: str) -> Receipt[int]:
        """Offer an answer to the holder; its number. Durable."""

    def settle_offer(self, id: int, state: OfferState, words: str = "") -> Receipt[None]:
        """What became of it; an offer that is settled stays as it is. Durable."""

    def withdraw_offer(self, id: int) -> Receipt[None]:
        """The offerer gave up: one that is still open is deleted."""

    def notices(self) -> list[StoreNotice]:
        """What happened to the store since the last call: it was repaired, or written to a new file."""

    def noticed(self) -> Receipt[None]:
        """Done when there is a notice. One waits at a time."""

    def holds(self, again: Again) -> None:
        """`again` is called, from any thread, when the store's folder may be another one: it takes the locks of this
        process once more, and says which conversations it holds, and which are somebody else's now."""

    def flush(self) -> Receipt[None]:
        """Done when everything that was handed over before is written (with the durability it asked for)."""

    def close(self) -> None:
        """Write what is queued, checkpoint, end the thread. Blocks; harmless when called twice."""
