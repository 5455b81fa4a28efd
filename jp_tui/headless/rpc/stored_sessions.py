"""Lookups of stored conversations, in an engine that opens none of them (surface S30: session/list, resume).

Replies arrive in the order of the requests, so each is matched to its caller.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from jp_tui.headless.rpc.peer import PendingReply
from jp_tui.headless.rpc.wire import INTERNAL, RpcError, sentences
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.view.wording.failures import words as failed

Read = Callable[[e.ConversationRead], None]
Listed = Callable[[e.ConversationsListed], None]
PAGE = 500


class StoredSessions:
    """`link` isn't started yet; `tell` prints a message; `wake` is called from the engine's thread."""

    def __init__(self, link: Link, tell: Callable[[str], None], wake: Callable[[], None]) -> None:
        self._link, self._tell, self._wake = link, tell, wake
        self._wanted: deque[tuple[PendingReply, Read | Listed, Callable[[str], RpcError]]] = deque()
        self._rang = False
        self.failed = ""

    def start(self) -> None:
        self._link.start(self._ring)

    def _ring(self) -> None:
        self._rang = True
        self._wake()

    @property
    def has_more(self) -> bool:
        """True if events are waiting."""
        return self._rang

    @property
    def busy(self) -> bool:
        """True if a reply is pending."""
        return bool(self._wanted)

    def list(self, command: c.ListConversations, slot: PendingReply, then: Listed) -> None:
        """Request the list of conversations."""
        self._wanted.append((slot, then, lambda words: RpcError(INTERNAL, words)))
        self._link.send(command)

    def read(
        self,
        conversation: str,
        after: int,
        slot: PendingReply,
        then: Read,
        refused: Callable[[str], RpcError],
        count: int = PAGE,
    ) -> None:
        """Request a conversation, and up to `count` events after number `after`."""
        self._wanted.append((slot, then, refused))
        self._link.send(c.ReadConversation(conversation=conversation, after=after, count=count))

    def pump(self, enough: Callable[[], bool]) -> None:
        """Deliver the results."""
        if not self._rang or enough():
            return
        self._rang = False
        for event in self._link.collect():
            match event:
                case e.ConversationsListed() | e.ConversationRead():
                    _, then, _ = self._wanted.popleft()
                    then(event)  # type: ignore[arg-type]
                case e.Refused(message=message, advice=advice):
                    slot, _, refused = self._wanted.popleft()
                    slot.error(refused(sentences(message, advice)))
                case e.BackgroundFailed(message=message, file=file):
                    self._tell(" ".join(failed(message, file)))
                case e.EngineFailed(message=message):
                    self.failed = message
                    self.drop(f"Internal error: {message}")
                case _:
                    pass

    def drop(self, words: str) -> None:
        """Fail all pending requests."""
        while self._wanted:
            self._wanted.popleft()[0].error(RpcError(INTERNAL, words))

    def shut(self) -> None:
        """Tell the engine to end."""
        self._link.send(c.Shutdown())

    def close(self, timeout: float) -> bool:
        """Wait for the engine's end, at most `timeout` seconds; return True if it ended."""
        return self._link.close(timeout)
