"""The sessions of one client, each with an engine of its own, and how they open, rest and end (surface S30).

A limited number of idle ones stays open; the others reopen with their next prompt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jp_tui.headless.rpc import messages as m
from jp_tui.headless.rpc.peer import PendingReply
from jp_tui.headless.rpc.session import Opening, RpcSession, SessionVoice
from jp_tui.headless.rpc.stored_sessions import StoredSessions
from jp_tui.headless.rpc.wire import INTERNAL, RpcError
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e

MOST_IDLE = 16
"""Idle sessions that keep their engine, to limit memory."""
MOST = 256
"""Maximum sessions with an engine."""
SECONDS_TO_PARK = 5.0


class Unopened(Exception):
    """An engine can't be created; the message gives the reason."""


class Opens(Protocol):
    """Creates an engine for a session. Raises Unopened."""

    def __call__(self, workspace: str | None, model: str | None, *, secrets: bool) -> Link:
        """Create it in this folder, with this model (None: as the program was started); `secrets`: its client may be
        asked for secrets."""


class EngineSessions:
    """`tell` prints a message, `wake` is called from other threads, `voice` makes a session's voice. With `secrets` the
    client may be asked for secrets."""

    def __init__(
        self,
        opens: Opens,
        tell: Callable[[str], None],
        wake: Callable[[], None],
        voice: Callable[[RpcSession], SessionVoice],
    ) -> None:
        self._opens, self._tell, self._wake, self._voice = opens, tell, wake, voice
        self._sessions: dict[str, RpcSession] = {}
        self._opening: list[RpcSession] = []
        self._reopening: dict[str, RpcSession] = {}
        self._parked: set[str] = set()
        self._shelf: StoredSessions | None = None
        self._first = 0
        self._leaving = False
        self.secrets = False

    # --- sessions ---------------------------------------------------------------------------------------------

    def find(self, id_: str) -> RpcSession | None:
        """Return an open session."""
        return self._sessions.get(id_)

    def use(self, id_: str) -> RpcSession | None:
        """Return an open session, which is the most recently used one now."""
        session = self._sessions.pop(id_, None)
        if session is not None:
            self._sessions[id_] = session
        return session

    def reopen_and_prompt(
        self, event: e.ConversationRead, text: str, slot: PendingReply, attachments: tuple[str, ...] = ()
    ) -> None:
        """Reopen an idle session and send it a prompt."""

        def again(found: e.ConversationOpened) -> None:
            session = self._sessions.get(found.conversation)
            try:
                if session is not None:
                    session.prompt(text, slot, attachments)
            except RpcError as problem:
                slot.error(problem)

        self.reopen(event, Opening(slot, again))

    def rests(self, id_: str) -> bool:
        """True if a session was closed to make room."""
        return id_ in self._parked

    def shut(self, id_: str) -> bool:
        """Close a session; False if there is none."""
        known = id_ in self._parked
        self._parked.discard(id_)
        session = self._sessions.pop(id_, None)
        if session is not None:
            session.drop("The session was closed.")
            session.leave()
            session.close(SECONDS_TO_PARK)
        return known or session is not None

    def new(self, workspace: str | None, model: str | None, blame: str) -> RpcSession:
        """Return a session with an engine, not opened yet. Raises RpcError; `blame` is the parameter at fault."""
        self._make_room()
        link = self._link(workspace, model, blame)
        session = RpcSession(link, self._tell, self._wake, self._opened, self._voice)
        self._opening.append(session)
        return session

    def reopen(self, event: e.ConversationRead, opening: Opening) -> None:
        """Open it in its original folder."""
        id_ = event.info.id
        if id_ in self._reopening:
            opening.slot.error(RpcError(INTERNAL, "This conversation is still opening."))
            return
        if (known := self._sessions.pop(id_, None)) is not None:
            known.close(SECONDS_TO_PARK)
        try:
            session = self.new(event.info.workspace, None, "")
        except RpcError as problem:
            opening.slot.error(problem)
            return
        self._reopening[id_] = session
        session.open(c.OpenConversation(which="id", conversation=id_), opening)

    def _opened(self, session: RpcSession) -> None:
        self._opening.remove(session)
        self._sessions[session.id] = session
        self._parked.discard(session.id)
        self._reopening.pop(session.id, None)

    def _link(self, workspace: str | None, model: str | None, blame: str) -> Link:
        if self._leaving:
            raise RpcError(INTERNAL, "End of input.")
        try:
            return self._opens(workspace, model, secrets=self.secrets)
        except Unopened as problem:
            words = str(problem)
            raise (m.bad_params((blame, words)) if blame else RpcError(INTERNAL, words)) from None

    def shelf(self) -> StoredSessions:
        """Return what looks up stored conversations. Raises RpcError."""
        if self._shelf is None:
            self._shelf = StoredSessions(self._link(None, None, ""), self._tell, self._wake)
            self._shelf.start()
        return self._shelf

    def _make_room(self) -> None:
        """Close the longest idle sessions above the limit. Raises RpcError if there are still too many."""
        idle = [id_ for id_, one in self._sessions.items() if not one.busy and one.used]
        for id_ in idle[: max(len(idle) - MOST_IDLE + 1, 0)]:
            session = self._sessions.pop(id_)
            session.close(SECONDS_TO_PARK)
            self._parked.add(id_)
        if len(self._sessions) + len(self._opening) >= MOST:
            raise RpcError(INTERNAL, f"Too many open sessions ({MOST}).")

    @property
    def _all(self) -> list[RpcSession]:
        return [*self._opening, *self._sessions.values()]

    @property
    def _engines(self) -> list[RpcSession | StoredSessions]:
        return [*self._all, *([self._shelf] if self._shelf is not None else [])]

    # --- the loop -----------------------------------------------------------------------------------------

    def pump(self, enough: Callable[[], bool]) -> None:
        """Process the engines' events, in turn, until `enough` returns true."""
        if self._shelf is not None:
            self._shelf.pump(enough)
        self._first += 1  # rotate, so that none is always last with a slow client
        sessions = self._all
        for at in range(len(sessions)):
            sessions[(self._first + at) % len(sessions)].pump(enough)
        for session in [one for one in self._opening if not one.busy and not one.has_more]:  # it couldn't be opened
            self._opening.remove(session)
            self._reopening = {id_: one for id_, one in self._reopening.items() if one is not session}
            session.close(SECONDS_TO_PARK)

    @property
    def has_more(self) -> bool:
        """True if events are waiting."""
        return any(one.has_more for one in self._engines)

    @property
    def failed(self) -> str:
        """Return an engine's bug, as text."""
        found = [session.failed for session in self._all]
        return next((words for words in (*found, self._shelf.failed if self._shelf else "") if words), "")

    @property
    def deferred(self) -> bool:
        """True if a question stays open because the client left (Z9)."""
        return any(session.deferred for session in self._all)

    @property
    def unsaved(self) -> bool:
        """True if an open session couldn't save its latest data."""
        return any(session.unsaved for session in self._all)

    @property
    def busy(self) -> bool:
        """True if anything runs or awaits a reply."""
        return any(session.busy for session in self._all) or (self._shelf is not None and self._shelf.busy)

    def leave(self) -> None:
        """End everything because the client left; afterwards `busy` becomes false."""
        self._leaving = True
        for session in self._all:
            session.leave()

    def close(self, seconds: Callable[[], float]) -> bool:
        """End all engines within so many `seconds`; return True on success."""
        for one in self._engines:
            one.shut()
        ended = [one.close(max(seconds(), 0.0)) for one in self._engines]
        return all(ended)

    def drop(self, words: str) -> None:
        """Fail all pending requests."""
        for one in self._engines:
            one.drop(words)
