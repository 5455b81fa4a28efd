"""`jp-tui conversations search | fork | import | rename | archive | rm`, as text or as JSON lines (surface S1, S2).

Asks nothing; slow commands report progress on stderr, and Ctrl+C undoes unfinished work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.reading import read_event
from jp_tui.headless.lists.request import ask, lookup
from jp_tui.headless.output import FAILED, TextOutput
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol import library as p
from jp_tui.protocol.base import Model
from jp_tui.protocol.compaction import Compacted
from jp_tui.protocol.values import ConversationInfo
from jp_tui.view.export.events import plain

E = TypeVar("E", bound=Model)
JOB = "command"
STEP = 0.1
"""Minimum progress between two reports, as a share."""
_DOING = {"index": "Indexing", "import": "Importing", "fork": "Copying", "delete": "Removing"}


def search(link: Link, text: str, output: TextOutput, *, archived: bool, limit: int = 50) -> int:
    """Print the matches, titles and newest first; return 1 if there are none. Raises OutputEnded."""

    def said(found: p.ConversationsFound) -> int:
        for one in found.found:
            if output.as_json:
                output.line(one.model_dump(mode="json"))
            else:
                _found(one, output)
        if found.notice:
            output.tell(found.notice)
        if found.more:
            output.tell(f"More than {len(found.found)} matches. Add words to narrow the search.")
        if not found.found and not output.as_json:
            output.tell("No matches.")
        return 0 if found.found else FAILED

    command = p.SearchConversations(text=text, archived=archived, limit=limit, whole=True, job=JOB)
    return _carry(link, command, p.ConversationsFound, output, said)


def fork(link: Link, conversation: str, at: int, output: TextOutput) -> int:
    """Create a conversation with the events up to `at`; print its id. Raises OutputEnded."""

    def said(forked: p.ConversationForked) -> int:
        _info(forked.info, f"{forked.info.id}  from {forked.info.forked_from} at {forked.info.forked_at}", output)
        return 0

    return _carry(
        link, p.ForkConversation(conversation=conversation, at=at, job=JOB), p.ConversationForked, output, said
    )


def compact(link: Link, conversation: str, focus: str, output: TextOutput, *, undo: bool) -> int:
    """Summarise its older messages for the model, or undo that; 1 when nothing was done. Raises OutputEnded."""

    def said(done: Compacted) -> int:
        if done.stored is None:
            output.tell(f"jp-tui: {done.message}")
            return FAILED
        event = done.stored.event
        if output.as_json:
            output.line({**event, "seq": done.stored.seq, "conversation": done.conversation})
        else:
            output.print(neutralise(plain(read_event(event))))
        return 0

    command = c.CompactConversation(conversation=conversation, focus=focus, undo=undo)
    return _carry(link, command, Compacted, output, said)


def rename(link: Link, conversation: str, title: str, output: TextOutput) -> int:
    """Raises OutputEnded."""
    command = p.RenameConversation(conversation=conversation, title=title)
    return _carry(link, command, p.ConversationChanged, output, lambda done: _changed(done, "renamed to", output))


def archive(link: Link, conversation: str, output: TextOutput, *, undo: bool) -> int:
    """Hide it from the lists, or show it again. Raises OutputEnded."""
    command = p.ArchiveConversation(conversation=conversation, archived=not undo)
    word = "unarchived:" if undo else "archived:"
    return _carry(link, command, p.ConversationChanged, output, lambda done: _changed(done, word, output))


def remove(link: Link, conversation: str, output: TextOutput, *, undo: bool, now: bool) -> int:
    """Delete, or restore. Raises OutputEnded."""
    if undo:
        back = p.RestoreConversation(conversation=conversation)
        return _carry(link, back, p.ConversationChanged, output, lambda done: _changed(done, "restored:", output))

    def said(done: p.ConversationChanged) -> int:
        _changed(done, "permanently deleted:" if done.gone else "deleted:", output)
        if not done.gone:
            again = f"jp-tui conversations rm --undo {done.info.id}"
            output.tell(f"Run `{again}` within 7 days to restore it.")
        return 0

    command = p.DeleteConversation(conversation=conversation, now=now, job=JOB)
    return _carry(link, command, p.ConversationChanged, output, said)


def import_from(link: Link, path: str, output: TextOutput) -> int:
    """Import conversations of jp; return 1 if there were some and none could be read. Raises OutputEnded."""

    def said(done: p.ConversationsImported) -> int:
        for info in done.imported:
            _info(info, f"{info.id}  {info.events:>5} events  {_title(info)}  ({info.imported_from})", output)
        for problem in done.problems:
            if output.as_json:
                output.line({"problem": problem.reason, "path": problem.path, "events": problem.events})
            output.tell(f"{problem.path}: {problem.reason}")
        if not output.as_json:
            before = f", {done.before} existed already" if done.before else ""
            output.print(f"{len(done.imported)} imported{before}.")
        return FAILED if done.problems and not done.imported and not done.before else 0

    return _carry(link, p.ImportConversations(path=path, job=JOB), p.ConversationsImported, output, said)


# --- helpers ----------------------------------------------------------------------------------------------------


@lookup
def _carry(link: Link, command: c.Command, kind: type[E], output: TextOutput, said: Callable[[E], int]) -> int:
    """Print progress until the reply."""
    told = 0.0

    def progress(event: e.Event) -> None:
        nonlocal told
        if isinstance(event, p.LibraryProgress) and event.job == JOB:
            told = _progress(event, told, output)

    return said(ask(link, command, kind, output, progress=progress))


def _progress(event: p.LibraryProgress, told: float, output: TextOutput) -> float:
    share = event.done / event.total if event.total else 0.0
    if told and share < told + STEP:
        return told
    of = f" of {event.total}" if event.total else ""
    detail = f"  {neutralise(event.detail, 'line')}" if event.detail else ""
    output.tell(f"{_DOING[event.what]}: {event.done}{of}{detail}")
    return share or 0.001


def _found(one: p.Found, output: TextOutput) -> None:
    output.print(f"{one.info.id:<10} {one.info.updated[:16]}  {_title(one.info)}")
    for hit in one.hits:
        if hit.seq:
            output.print(f"  {hit.seq:>6}  {neutralise(hit.text, 'line')}")
    if one.more:
        output.print("          …")


def _changed(done: p.ConversationChanged, word: str, output: TextOutput) -> int:
    _info(done.info, f"{done.info.id} {word} {_title(done.info)}", output)
    return 0


def _info(info: ConversationInfo, words: str, output: TextOutput) -> None:
    if output.as_json:
        output.line(info.model_dump(mode="json"))
    else:
        output.print(words)


def _title(info: ConversationInfo) -> str:
    return neutralise(info.title, "line") or "(no title)"
