"""`jp-tui conversations list` and `show`: stored conversations, as a table or as JSON lines (surface S2, S3)."""

from __future__ import annotations

from jp_tui.conversation.neutral import neutralise
from jp_tui.headless.lists.request import heed, status_of
from jp_tui.headless.output import TextOutput
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import ConversationInfo, StoredEvent
from jp_tui.view.export.events import exported
from jp_tui.view.wording.amounts import turns


def list_conversations(link: Link, output: TextOutput, which: str = "active") -> int:
    """List all conversations, newest first, or the `archived` or `deleted` ones; return the exit status. Raises
    OutputEnded."""
    found = _ask(link, output, c.ListConversations.model_validate({"limit": 100_000, "which": which}))
    try:
        if not isinstance(found, e.ConversationsListed):
            return _failed(found, output)
        for info in found.conversations:
            if output.as_json:
                output.line(info.model_dump(mode="json"))
        if not output.as_json:
            _table(found.conversations, output, which)
        return 0
    finally:
        link.close(5.0)


def show_conversation(link: Link, conversation: str, output: TextOutput) -> int:
    """Print every event of one conversation, in order; return the exit status. Raises OutputEnded."""
    after = 0
    started = False
    held: list[StoredEvent] = []
    try:
        while True:
            command = c.ReadConversation(conversation=conversation, after=after)
            found = _ask(link, output, command, start=not started)
            started = True
            if not isinstance(found, e.ConversationRead):
                return _failed(found, output)
            if after == 0 and not output.as_json:
                title = neutralise(found.info.title, "line") or "(no title)"
                output.print(f"{title} · {found.info.id} · {found.info.model}")
            if output.as_json:
                for stored in found.events:
                    output.line({**stored.event, "seq": stored.seq, "conversation": found.info.id})
            else:
                held = _print_turns([*held, *found.events], found.more, output)
            if not found.more:
                return 0
            after = found.events[-1].seq
    finally:
        link.close(5.0)


def _ask(link: Link, output: TextOutput, command: c.Command, *, start: bool = True) -> e.Event:
    if start:
        link.start(lambda: None)
    link.send(command)
    answers = (e.ConversationsListed, e.ConversationRead, e.Refused, e.StorageFailed, e.EngineFailed)
    while True:
        link.wait()
        for event in link.collect():
            heed(event, output)
            if isinstance(event, answers):
                return event


def _failed(event: e.Event, output: TextOutput) -> int:
    message = getattr(event, "message", "The store didn't respond.")
    output.tell(f"jp-tui: {message}")
    if advice := getattr(event, "advice", ""):
        output.tell(str(advice))
    return status_of(event)


def _table(conversations: tuple[ConversationInfo, ...], output: TextOutput, which: str) -> None:
    if not conversations:
        none = "No conversations yet. `jp-tui` starts one." if which == "active" else f"No {which} conversations."
        output.print(none)
        return
    for info in conversations:
        title = neutralise(info.title, "line") or "(no title)"
        output.print(f"{info.id:<10} {info.updated[:16]}  {turns(info.turns):>10}  {info.model:<32} {title}")


def _print_turns(events: list[StoredEvent], more: bool, output: TextOutput) -> list[StoredEvent]:
    """Print whole turns as text; return the rest for the next page, where the last turn may continue."""
    turn = events[-1].turn if more and events else None
    for text in exported(one for one in events if one.turn != turn):
        output.print()
        output.print(text)
    return [one for one in events if one.turn == turn]
