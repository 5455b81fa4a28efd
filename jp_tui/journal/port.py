"""Interface between engine and log, with its values.

The journal never interprets a payload: kind, turn, inquiry, searchable text and sizes are passed beside it, and only
these are indexed (HOUSE, rooms table). Opens no file, starts no thread.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Literal, Protocol, TypeVar

Trouble = Literal[
    "missing", "readonly", "unusable", "corrupt", "newer", "full", "busy", "io",
    "unknown", "ambiguous", "exists", "invalid", "closed", "index", "foreign", "held", "offline", "withdrawn",
    "refused",
]  # fmt: skip
STORAGE: frozenset[Trouble] = frozenset(
    {
        "missing",
        "readonly",
        "unusable",
        "corrupt",
        "newer",
        "full",
        "busy",
        "io",
        "closed",
        "index",
        "foreign",
        "offline",
    }
)
"""Problems of the store itself, not of a request (Z20)."""
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

SPAN = 256
"""Events per span (HOUSE "The way of a page")."""


class JournalError(Exception):
    """Log error to show to the user; `str(error)` is plain text with the path.

    `kind`: missing (no database yet), readonly, unusable (can't be opened or created), corrupt, newer (made by a newer
    version), full (disk full), busy (locked too long by another process), io, unknown (no such conversation), ambiguous
    (several conversations match the prefix), exists, invalid (can't be stored), closed, index (only the search index is
    damaged: see `renew_index`), foreign (another program's database), held (another process owns that conversation),
    offline (the store's server can't be reached), withdrawn (an offered answer was withdrawn by its maker),
    refused (the store lets another role do that, not this one).
    Nothing of the failed call was written.
    """

    def __init__(self, kind: Trouble, message: str) -> None:
        super().__init__(message)
        self.kind: Trouble = kind


@dataclass(frozen=True, slots=True)
class StoreNotice:
    """Event of the store to show to the user, not an error. Plain text with paths."""

    message: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class StoreConnection:
    """Connection to a store on a server (store.md D12). `name` is what a line of status has room for; `problem` says
    why nothing can be recorded, empty while it can be; `warning` says what is weak about the connection (D3). `newer`:
    the problem is a schema that is too new for this program, which writes nothing more (D7)."""

    name: str
    problem: str = ""
    warning: str = ""
    newer: bool = False


@dataclass(frozen=True, slots=True)
class NewEvent:
    """Event to store.

    `payload` is JSON text, kept byte for byte; `at` its timestamp (inquiries.md R58). `text` is searchable, `lines` its
    line breaks, `characters` its size (by default `len(text)`): the two sizes feed the spans. `turn` counts from 1.
    `inquiry` is the inquiry's id for inquiry events.
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
    """Entry with its number: `seq` counts from 1 within the conversation, without gaps. If events are lost nonetheless
    (a damaged or foreign file), one entry of kind MISSING represents `characters` of them; its number is that of the
    first, or, once the file was examined, of the last."""

    conversation: str
    seq: int
    entry: NewEvent


RoleKind = Literal["owner", "person", "worker", "auditor", "none"]
"""Rights of a role of the server in a store (store.md D5)."""


@dataclass(frozen=True, slots=True)
class StorePerson:
    """A person who may answer in a store (store.md D13): a role of its server, `owner` or `person`, with the roles that
    it is a member of. `away_until` is a timestamp in UTC, empty for one who isn't away; `deputy` answers until then
    what is addressed to the name (D17)."""

    name: str
    kind: RoleKind
    groups: tuple[str, ...] = ()
    away_until: str = ""
    deputy: str = ""


Titled = Literal["first_line", "model", "user"]
TITLED: tuple[Titled, ...] = ("first_line", "model", "user")
MAKING = "making"
MISSING = "missing"
OUTSIDE = "outside"
"""Kind of the first event of a conversation that holds a question of another program (N1). Lists leave it out."""
Shown = Literal["active", "archived", "deleted", "all"]


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """Conversation as lists show it; times as given by the engine, `turns` is the highest turn stored.

    `deleted` is the time of deletion, empty for others. Its first `copied` events came from the conversation `origin`,
    or from one that another program calls `imported`. `outside`: it holds a question of another program (N1).
    `machine`: where it was begun, empty in a store of this machine (D1). `owner`: the role whose it is, empty there; of
    another's conversation only id, machine, folder and times are known (D18).
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
    outside: bool = False
    machine: str = ""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Copied:
    """Conversation to create from existing events; the fields as in ConversationRow."""

    id: str
    workspace: str
    model: str
    at: str
    title: str
    titled: Titled = "first_line"
    origin: str | None = None
    imported: str | None = None
    copied: int = 0
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class SearchHitRef:
    """Place of a search hit: a conversation's key in this file, and a number."""

    key: int
    seq: int


@dataclass(frozen=True, slots=True)
class Hits:
    """Matches in one conversation, latest first; `more` if it has others."""

    row: ConversationRow
    places: tuple[int, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """Sums over the events `first_seq`..`last_seq` (at most 256), used to estimate heights."""

    first_seq: int
    last_seq: int
    events: int
    characters: int
    lines: int


@dataclass(frozen=True, slots=True)
class Partial:
    """Unfinished streamed part; `kind` is the writer's own name for it."""

    part: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """Sent prompt of the user, for the composer's history."""

    conversation: str
    seq: int
    text: str
    at: str


OfferState = Literal["open", "accepted", "answered", "invalid", "stale", "counted", "not_yours"]


@dataclass(frozen=True, slots=True)
class Offer:
    """Answer that another process offers to a conversation's writer (surface S12).

    `payload` is the offerer's JSON, which the writer reads: the answer as a line of text in `value`, `decline`, or the
    addressee of a hand-over in `to`. The server compares what comes of another's with it.
    `state` and `words` are the result (words: who answered, the problem, or the approvals so far as JSON). Rows older
    than a day may be deleted. `who` and `machine` made it, empty in a file of one user: where that isn't `me`, the
    event that comes of it has them and the offer's number in its `responder` (store.md D13).
    """

    id: int
    conversation: str
    inquiry: str
    payload: str
    at: str
    state: OfferState = "open"
    words: str = ""
    who: str = ""
    machine: str = ""


@dataclass(frozen=True, slots=True)
class InquiryAct:
    """Something that a person did about an open inquiry: an approval or a hand-over, `payload` being its event, or a
    `claim`, `payload` being the role that looks at it now (store.md D15, D16)."""

    conversation: str
    inquiry: str
    seq: int
    kind: str
    payload: str


class Receipt(Protocol[T_co]):
    """Outcome of a write: `await` it on an event loop, or block on `result()`. Raises JournalError. A cancelled wait
    doesn't cancel the write."""

    def __await__(self) -> Generator[object, None, T_co]: ...

    def result(self, timeout: float | None = None) -> T_co:
        """Block until it is written (durably, if requested). Raises TimeoutError after `timeout` seconds."""

    def done(self) -> bool:
        """True if `result()` would return or raise at once."""


class NamedLock(Protocol):
    """A name that is locked for writing."""

    def release(self) -> None:
        """Free it; may be called twice."""


class NamedLocks(Protocol):
    """Locks of a store that several machines share: leases in place of lock files (D9)."""

    def take(self, name: str, program: str, pid: int) -> NamedLock | str:
        """Lock a name without waiting, or return a description of its holder. Raises JournalError."""

    def holder(self, name: str) -> str:
        """Return a description of the holder, empty if there is none. Raises JournalError."""

    def holders(self, names: Sequence[str]) -> dict[str, str]:
        """Return a description of the holder of each of these names that has one. Raises JournalError."""


class JournalReading(Protocol):
    """Reading half: read-only, synchronous; each call is one indexed query whose cost depends on the result's size.

    Any call may raise JournalError (`corrupt`, `io`, `busy`, `closed`). Unknown conversations read as empty.
    """

    def me(self) -> str:
        """Return the role as which this client is logged in to the store's server (store.md D13). Empty for a file, and
        before the server answered for the first time."""

    def people(self) -> list[StorePerson]:
        """Return all who may answer in the store, by name; for a file only the owner of the process."""

    def read(self, conversation: str, after: int = 0, limit: int = 256) -> list[Stored]:
        """Return events with `seq > after`, in order."""

    def around(self, conversation: str, seq: int, count: int) -> list[Stored]:
        """Return `count` events around `seq`, in order, shifted inwards at either end."""

    def tail(self, conversation: str, count: int) -> list[Stored]:
        """Return the last `count` events, in order."""

    def turn_events(self, conversation: str, turn: int) -> list[Stored]:
        """Return all events of one turn, in order."""

    def inquiry_events(self, conversation: str, inquiry: str | None = None) -> list[Stored]:
        """Return the events of one inquiry, or of all inquiries of the conversation, in order."""

    def of_kinds(
        self,
        conversation: str,
        kinds: Sequence[str],
        holding: str = "",
        after: int = 0,
        limit: int = 256,
        before: int = 0,
    ) -> list[Stored]:
        """Return events of these kinds with `seq > after`, and `seq < before` unless that is 0, whose payload contains
        the text `holding`, in order. Unlike the others it looks at all events of the conversation between these."""

    def open_inquiries(self, conversation: str | None = None) -> list[Stored]:
        """Return open requests of one conversation or of all: the inquiry_request events of a conversation's last turn
        that have fewer responses than requests (counted by id, R203), if that turn has no `turn_outcome` event. The
        latest request of an id, in order of the requests."""

    def acts(self) -> list[InquiryAct]:
        """Return what people did about the open inquiries that this role asks or may answer, in order; nothing in a
        store of one person."""

    def offers(self, conversation: str) -> list[Offer]:
        """Return open offers, oldest first; fast enough to poll."""

    def offer(self, id: int) -> Offer | None:
        """Return one offer, for its maker."""

    def spans(self, conversation: str) -> list[Span]:
        """Return one row per 256 events, in order."""

    def last_seq(self, conversation: str) -> int:
        """Return the number of the last event, 0 if there is none; fast enough to poll (S12)."""

    def changed(self) -> bool:
        """True if any process committed since the last call, and at the first call."""

    def write_events(self) -> int | None:
        """Return a descriptor that becomes readable when any process writes to the store, until `close`; None where
        only `changed` tells. A commit becomes visible within 2 s after its last write."""

    def partials(self, conversation: str) -> list[Partial]:
        """Return unfinished parts, joined, in order of their start."""

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
        """Return conversations, most recently updated first; without `children` only those without a parent. `shown`
        replaces `include_archived`; only it can select deleted ones."""

    def conversation(self, prefix: str, *, deleted: bool = False) -> ConversationRow | None:
        """Return the conversation with this id, else the only one whose id has this prefix. Raises JournalError
        `ambiguous` with the candidates. With `deleted` only deleted ones match, else none of them."""

    def rows(self, conversations: Sequence[str]) -> dict[str, ConversationRow]:
        """Return those of these conversations that aren't deleted, by id; on a server in one query."""

    def newest_of(self, prefix: str) -> ConversationRow | None:
        """Return the conversation with the greatest id that begins so, also a deleted one."""

    def children(self, conversation: str) -> list[str]:
        """Return the ids of all conversations that work for it, and of those that work for these, also hidden ones."""

    def imports(self, imported: str) -> list[ConversationRow]:
        """Return conversations imported under this id of another program, except deleted ones."""

    def everything(self) -> list[str]:
        """Return the ids of all conversations, also deleted ones and those of other programs, in the order in which
        they were made; not those that are being made."""

    def hidden(self) -> list[tuple[str, str]]:
        """Return the ids of hidden conversations, each with its time of deletion, or MAKING."""

    def can_search(self) -> bool:
        """True if this SQLite supports full-text search."""

    def unindexed(self) -> int:
        """Return the number of events that aren't indexed yet."""

    def search(self, text: str, *, limit: int, hits: int, shown: Shown, workspace: str | None) -> RunningSearch:
        """Start a search in the texts of events (`fts_query.py` defines how `text` is read). Doesn't raise."""

    def latest(self, workspace: str) -> ConversationRow | None:
        """Return the most recently updated conversation of this workspace that isn't archived (`-c`) and has no
        parent."""

    def unfinished(self, workspaces: Sequence[str], among: int = 2000) -> list[ConversationRow]:
        """Return the conversations of these workspaces whose last turn has no `turn_outcome` event and no open inquiry,
        most recently updated first; of each workspace only the `among` last updated are looked at. Also archived ones,
        and those with a parent; neither hidden ones nor those of other programs."""

    def last_requests(self, workspace: str, limit: int = 100) -> list[SentPrompt]:
        """Return the newest prompts sent in this workspace (kind `chat_request`), newest first by their `at`.
        Conversations with a parent are skipped: their prompts weren't typed."""

    def drafts(self, conversation: str) -> dict[str, str]:
        """Return unsent text by key."""


class RunningSearch(Protocol):
    """Search in slices. Newest conversations first, at most `hits` places of each."""

    @property
    def more(self) -> bool:
        """True if there are conversations beyond the limit."""

    def run_for(self, seconds: float) -> bool:
        """Search for about `seconds`; return True at the end. Raises JournalError, `index` if the index can't be
        read."""

    def found(self) -> list[Hits]:
        """Return the matches so far."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Conversations that this process writes, and those that another process now writes, with a text that names it."""

    held: frozenset[str] = frozenset()
    lost: Mapping[str, str] = field(default_factory=dict)


Again = Callable[[], Holding]


class Journal(JournalReading, Protocol):
    """Log of one process.

    Writes are queued for one writer, in order, and return a Receipt. `durable` writes are on the disk once the receipt
    is done (R205); others survive the end of this process, but not a power failure.
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
        """Create an empty conversation. Raises JournalError `exists`."""

    def append(
        self,
        conversation: str,
        entries: Sequence[NewEvent],
        *,
        durable: bool = True,
        closes_parts: Sequence[str] = (),
        accepts: Sequence[int] = (),
        copied: bool = False,
    ) -> Receipt[list[int]]:
        """Add all entries or none, drop the parts that they finish, and record these open offers as accepted. The
        result is their numbers. `copied`: they come from another store, which says who answered; this one doesn't.
        Raises JournalError `withdrawn` if one of the offers isn't open any more, and `refused` for an answer in
        another's name."""

    def ask_outside(
        self,
        conversation: str,
        entries: Sequence[NewEvent],
        *,
        workspace: str,
        at: str,
        title: str,
        admits: Callable[[Sequence[str]], None],
        joins: bool = False,
    ) -> Receipt[None]:
        """Create a conversation with these events, the first of kind OUTSIDE, in one durable transaction. `admits` gets
        the payloads of all open requests of such conversations and raises JournalError to refuse this one. `joins`:
        where there is such a conversation, all but the first are added to it."""

    def settle_outside(
        self, conversation: str, inquiry: str, entries: Sequence[NewEvent], after: int | None = None
    ) -> Receipt[bool]:
        """Append these events if the inquiry is still open, in one durable transaction; the first one wins. With
        `after`, only if that is the number of the inquiry's last event. The result is True if they were appended.

        Where the conversation is another's, it is one response, vote or assignment of an inquiry that asks this role,
        and the server checks all of it (store.md D18). Raises JournalError `unknown` for an inquiry that this role
        doesn't see, `held` while a process writes the conversation: then it is offered (`make_offer`); `refused` with
        the reason."""

    def partial(self, conversation: str, part: str, kind: str, chunk: str, *, durable: bool = False) -> Receipt[None]:
        """Add to a streaming part. The write may wait up to 0.2 s for more unless it is durable, so don't await it
        while streaming."""

    def set_title(
        self, conversation: str, title: str, titled: Titled = "user", but: Titled | None = None
    ) -> Receipt[bool]:
        """Set the title durably; `titled` says who made it. With `but`, replace only a title made that way. The result
        is True if it was set."""

    def make(self, copied: Copied) -> Receipt[None]:
        """Create a conversation that stays hidden until `reveal`. Raises JournalError `exists`."""

    def reveal(self, conversation: str) -> Receipt[None]:
        """Show a complete new conversation; durable."""

    def hide(self, conversation: str, at: str) -> Receipt[None]:
        """Delete it, and those that work for it, as of this time; durable. An append restores it."""

    def restore(self, conversation: str) -> Receipt[None]:
        """Restore it with everything deleted at the same time; durable."""

    def remove(self, conversation: str) -> Receipt[int]:
        """Remove a part of a hidden conversation for good. The result is the number of its events, 0 when nothing is
        left. Raises JournalError `index`."""

    def index(self) -> Receipt[int]:
        """Index some more events. The result is their number, 0 at the end. Raises JournalError `index`."""

    def renew_index(self) -> Receipt[None]:
        """Drop the index in any state; everything must be indexed again."""

    def set_model(self, conversation: str, model: str) -> Receipt[None]:
        """Set the model that lists show; durable."""

    def set_archived(self, conversation: str, archived: bool) -> Receipt[None]:
        """Hide it from the lists, or show it again; durable."""

    def save_draft(self, conversation: str, key: str, text: str) -> Receipt[None]:
        """Save unsent text under a key; the conversation need not exist yet."""

    def clear_draft(self, conversation: str, key: str) -> Receipt[None]:
        """Delete it."""

    def set_away(self, until: str, deputy: str) -> Receipt[None]:
        """Record that this user is away until a timestamp, or is back if it is empty; a `deputy` answers meanwhile what
        asks the user (store.md D17). Raises JournalError `refused` with the reason; a file has no other people."""

    def claim(self, conversation: str, inquiry: str, *, release: bool = False) -> Receipt[str | None]:
        """Say that this role looks at an open inquiry, for 10 minutes by the server's clock, or no longer does
        (store.md D16). The result is who looks at it then, empty if no one does; None if it isn't open for this role.
        Raises JournalError `refused` in a store of one person."""

    def make_offer(self, conversation: str, inquiry: str, payload: str, at: str) -> Receipt[int]:
        """Offer an answer to the conversation's writer. The result is its number. Durable."""

    def settle_offer(self, id: int, state: OfferState, words: str = "") -> Receipt[None]:
        """Record the offer's result; a recorded result is final. Durable."""

    def withdraw_offer(self, id: int) -> Receipt[None]:
        """Delete the offer if it is still open, because its maker gave up."""

    def notices(self) -> list[StoreNotice]:
        """Return the store's notices since the last call: it was repaired, or written to a new file."""

    def noticed(self) -> Receipt[None]:
        """Done when there is a notice, or another state of the connection. Only one caller may wait."""

    def connection(self) -> StoreConnection | None:
        """Return the state of the connection to the store's server; None for a file."""

    def retry(self) -> None:
        """Try now to reach a server that was lost, instead of at the next time (D12)."""

    def holds(self, again: Again) -> None:
        """Register `again`, which is called from any thread when the store's folder may have changed. It takes this
        process's locks again and returns which conversations it owns and which another process owns now."""

    def locks(self) -> NamedLocks | None:
        """Return the store's own locks; None where files on this machine lock its conversations (S12)."""

    def flush(self) -> Receipt[None]:
        """Done when everything submitted before is written (with the requested durability)."""

    def close(self) -> None:
        """Write what is queued, checkpoint, end the thread. Blocks; may be called twice."""
