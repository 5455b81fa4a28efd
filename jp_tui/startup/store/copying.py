"""`jp-tui store copy`: conversations from one store to another (store.md D8).

A conversation is made hidden, filled, and shown when it is whole, so a killed copy leaves nothing that looks whole: run
again, it makes that one again and passes over the others, by their last numbers. Both sides are read back in the end,
which finds one that is there with other events.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.conversation.strict_json import dump
from jp_tui.engine.base.dependencies import HeldBy
from jp_tui.journal.port import (
    MAKING,
    MISSING,
    ConversationRow,
    Copied,
    Journal,
    JournalError,
    JournalReading,
    Shown,
    Stored,
)
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import UsageError
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.locks import Locks
from jp_tui.startup.parts import RunLocation

if TYPE_CHECKING:
    from hashlib import _Hash

    from jp_tui.headless.output import TextOutput
    from jp_tui.journal.reader import JournalReader

PAGE = 500
BATCH_BYTES = 4 << 20
HELD_SECONDS, LOOK_SECONDS = 10.0, 0.2
MOST = 10_000_000
"""Conversations of which a store is asked at once."""
SQLITE, PROGRAM = "sqlite", "jp-tui store copy"


@dataclass(slots=True)
class _Result:
    new: list[str] = field(default_factory=list)
    """Conversations that were made or have grown."""
    there: dict[str, int] = field(default_factory=dict)
    """Conversations that had as many events already, each with its last number."""
    events: int = 0
    differ: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def store_copy(arguments: CommandLine, settings: Settings, place: RunLocation, to: TextOutput) -> int:
    """Copy everything from one store to the other; return the exit status. Raises UsageError, JournalError."""
    source, target = arguments.source or "", arguments.to or ""
    if not source or not target:
        raise UsageError("store copy needs --from and --to: sqlite, sqlite:PATH or postgresql://…")
    if source == target:
        raise UsageError("--from and --to name the same store")
    with ExitStack() as opened:
        one, locks = opened.enter_context(_source(source, settings, place))
        other, locks_there = opened.enter_context(_target(target, settings, place))
        # two files of this machine share its lock files
        both = (locks,) if _file(source, place) and _file(target, place) else (locks, locks_there)
        found = _Result()
        unfinished = {id_ for id_, at in other.hidden() if at == MAKING}
        here, there = _lengths(one), _lengths(other)
        for id_ in one.everything():
            if id_ in here and here[id_] == there.get(id_):
                found.there[id_] = here[id_]
            elif words := _copy(one, other, both, id_, found, unfinished=id_ in unfinished):
                found.left_out.append(id_)
                to.tell(f"jp-tui: {id_} is left out: {words}")
        digests = _read_back(one, other, found)
    for id_ in found.differ:
        to.tell(f"jp-tui: {id_} is there with other events. It was not changed.")
    last: dict[str, Any] = {
        "type": "copied",
        "conversations": len(found.new),
        "events": found.events,
        "skipped": len(found.there),
        "differ": found.differ,
        "digest_from": digests[0],
        "digest_to": digests[1],
    }
    equal = digests[0] == digests[1]
    if to.as_json:
        to.line(last)
    else:
        to.print(
            f"Copied {last['conversations']} conversations with {found.events} events; {len(found.there)} were there."
        )
        to.print(f"Read back, both sides are equal: {digests[0]}" if equal else "Read back, the two sides differ.")
    return 0 if equal and not found.differ and not found.left_out else 1


@contextmanager
def _source(name: str, settings: Settings, place: RunLocation) -> Iterator[tuple[JournalReading, Locks]]:
    """Open the store to copy from. A file is only read, so that the next run needn't examine it if this one is
    killed; one of an older format, or a damaged one, is brought up to date first."""
    if (path := _file(name, place)) is None:
        with _target(name, settings, place) as opened:
            yield opened
        return
    from jp_tui.journal.reader import open_reader
    from jp_tui.journal.store import open_journal

    if not path.exists():
        raise JournalError("missing", f"{path} doesn't exist")
    try:
        reader: Journal | JournalReader = open_reader(path)
    except JournalError:
        reader = open_journal(path)
    try:
        yield reader, Locks(place.paths.locks, PROGRAM)
    finally:
        reader.close()


@contextmanager
def _target(name: str, settings: Settings, place: RunLocation) -> Iterator[tuple[Journal, Locks]]:
    if (path := _file(name, place)) is not None:
        from jp_tui.journal.store import open_journal

        if path == place.paths.database:
            place.paths.prepare()
        journal: Journal = open_journal(path)
    else:
        from jp_tui.startup.store.opening import open_on_server

        journal = open_on_server(settings, place.environment, name)
    try:
        yield journal, Locks(place.paths.locks, PROGRAM, journal.locks())
    finally:
        journal.close()


def _file(name: str, place: RunLocation) -> Path | None:
    """Return the file that a name means, None for a server."""
    if name == SQLITE or name.startswith(f"{SQLITE}:"):
        return Path(name.partition(":")[2] or place.paths.database)
    return None


def _exact(journal: JournalReading, id_: str) -> ConversationRow | None:
    """Return the conversation with exactly this id, also a deleted one."""
    for deleted in (False, True):
        with suppress(JournalError):  # it is the beginning of several ids
            row = journal.conversation(id_, deleted=deleted)
            if row is not None and row.id == id_:
                return row
    return None


def _lengths(journal: JournalReading) -> dict[str, int]:
    """Return the last number of each conversation, except of those that hold questions of other programs."""
    shown: tuple[Shown, ...] = ("all", "deleted")
    return {row.id: row.last_seq for one in shown for row in journal.conversations(limit=MOST, shown=one)}


def _copy(
    one: JournalReading, other: Journal, locks: Sequence[Locks], id_: str, found: _Result, *, unfinished: bool
) -> str:
    """Copy a conversation; return why it is left out, empty if it isn't."""
    with ExitStack() as held:
        for side in locks:
            until = time.monotonic() + HELD_SECONDS
            while isinstance(lock := side.take(id_), HeldBy):
                if time.monotonic() > until:
                    return f"held by {lock.words}"
                time.sleep(LOOK_SECONDS)
            held.callback(lock.release)
        while unfinished and other.remove(id_).result():
            pass
        row = _exact(one, id_)
        return _copied(one, other, row, found) if row is not None else "it is gone"


def _copied(source: JournalReading, target: Journal, row: ConversationRow, found: _Result) -> str:
    there = _exact(target, row.id)
    after = 0
    if there is None:
        target.make(
            Copied(
                row.id, row.workspace, row.model, row.created, row.title, row.titled, row.origin, row.imported,
                row.copied, row.parent,
            )
        ).result()  # fmt: skip
    else:
        same, after = _begins_alike(source, target, row.id)
        if not same:
            found.differ.append(row.id)
            return ""
    copied = 0
    while page := source.read(row.id, after, PAGE):
        if any(one.entry.kind == MISSING for one in page):
            return "events of it are missing in its store"
        for batch in _batches(page):
            numbers = target.append(row.id, [one.entry for one in batch], copied=True).result()
            if numbers != [one.seq for one in batch]:
                return "its numbers have gaps"
        after, copied = page[-1].seq, copied + len(page)
    if there is None:
        for part in source.partials(row.id):
            target.partial(row.id, part.part, part.kind, part.text, durable=True).result()
    if there is None:
        target.reveal(row.id).result()
    _mark(source, target, row)
    if there is None or copied:
        found.new.append(row.id)
    else:
        found.there[row.id] = after
    found.events += copied
    return ""


def _mark(source: JournalReading, target: Journal, row: ConversationRow) -> None:
    """Give the target's conversation the drafts and marks that it has in the source."""
    known = target.drafts(row.id)
    for key, text in source.drafts(row.id).items():
        if known.get(key) != text:
            target.save_draft(row.id, key, text).result()
    now = _exact(target, row.id)
    if now is None:
        return
    if (now.title, now.titled) != (row.title, row.titled):
        target.set_title(row.id, row.title, row.titled).result()
    if now.model != row.model:
        target.set_model(row.id, row.model).result()
    if now.archived != row.archived:
        target.set_archived(row.id, row.archived).result()
    if now.deleted and not row.deleted:
        target.restore(row.id).result()
    if row.deleted and not now.deleted:
        target.hide(row.id, row.deleted).result()


def _batches(page: Sequence[Stored]) -> Iterator[list[Stored]]:
    batch: list[Stored] = []
    size = 0
    for one in page:
        batch.append(one)
        size += len(one.entry.payload) + len(one.entry.text)
        if size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _begins_alike(source: JournalReading, target: Journal, id_: str) -> tuple[bool, int]:
    """Return whether all that the target has is the beginning of the source, and its last number."""
    after = 0
    while page := target.read(id_, after, PAGE):
        if source.read(id_, after, len(page)) != page:
            return False, 0
        after = page[-1].seq
    return True, after


def _read_back(source: JournalReading, target: Journal, found: _Result) -> tuple[str, str]:
    """Return the SHA-256 of these conversations in both stores. One that was there and has other events is moved to
    `differ` unchanged, and isn't counted."""
    whole, theirs = hashlib.sha256(), hashlib.sha256()
    for id_ in sorted([*found.new, *found.there]):
        row = _exact(source, id_)
        last = found.there.get(id_, row.last_seq if row is not None else 0)
        events = [_events(side, id_, last) for side in (source, target)]
        if id_ in found.there:
            if row is None or events[0] != events[1]:
                del found.there[id_]
                found.differ.append(id_)
                continue
            _mark(source, target, row)
        drafts = tuple(source.drafts(id_))
        for digest, side, content in ((whole, source, events[0]), (theirs, target, events[1])):
            digest.update(_header(side, id_, drafts) + content)
    return whole.hexdigest(), theirs.hexdigest()


def _header(journal: JournalReading, id_: str, drafts: Sequence[str]) -> bytes:
    """Return the digest of a conversation's fields, and of the drafts under these keys."""
    row, kept = _exact(journal, id_), journal.drafts(id_)
    assert row is not None
    found = hashlib.sha256()
    _add(
        found, row.id, row.workspace, row.title, row.titled, row.model, row.created, row.updated, row.parent,
        row.archived, row.deleted, row.origin, row.imported, row.copied, row.outside, row.last_seq,
        {key: kept.get(key) for key in drafts},
    )  # fmt: skip
    return found.digest()


def _events(journal: JournalReading, id_: str, last: int) -> bytes:
    """Return the digest of a conversation's events up to this number."""
    found, after = hashlib.sha256(), 0
    while after < last and (page := journal.read(id_, after, min(PAGE, last - after))):
        for one in page:
            event = one.entry
            _add(
                found, one.seq, event.turn, event.kind, event.inquiry, event.at, event.lines, event.characters,
                event.payload, event.text,
            )  # fmt: skip
        after = page[-1].seq
    return found.digest()


def _add(digest: _Hash, *values: object) -> None:
    digest.update(dump(list(values)).encode("utf-8", "surrogatepass"))
