"""Methods of `jp-tui rpc` and their sessions (surface S30).

Transports messages and stores no answers. Each session has its own engine, so that folders, models and failures stay
separate. A limited number of idle ones stays open; the others reopen with their next prompt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jp_tui import __version__
from jp_tui.headless.rpc import messages as m
from jp_tui.headless.rpc.peer import Peer, PendingReply
from jp_tui.headless.rpc.session import Opening, RpcSession, unknown_session
from jp_tui.headless.rpc.stored_sessions import StoredSessions
from jp_tui.headless.rpc.wire import INTERNAL, METHOD, REQUEST, RpcCall, RpcError
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


class RpcServer:
    """`tell` prints a message, `wake` is called from other threads."""

    def __init__(
        self, opens: Opens, write: Callable[[str], None], tell: Callable[[str], None], wake: Callable[[], None]
    ) -> None:
        self._opens, self._tell, self._wake = opens, tell, wake
        self.peer = Peer(write, self._call, tell)
        self._sessions: dict[str, RpcSession] = {}
        self._opening: list[RpcSession] = []
        self._reopening: dict[str, RpcSession] = {}
        self._parked: set[str] = set()
        self._shelf: StoredSessions | None = None
        self._first = 0
        self._initialized = self._secrets = self._leaving = False
        self._methods: dict[str, Callable[[RpcCall, PendingReply], None]] = {
            m.INITIALIZE: self._initialize,
            m.NEW: self._new,
            m.RESUME: self._resume,
            m.LIST: self._list,
            m.PROMPT: self._prompt,
            m.CANCEL: self._cancel,
            m.COMPACT: self._compact,
            m.CONTEXT: self._context,
        }

    def _call(self, call: RpcCall, slot: PendingReply) -> None:
        """Raises RpcError."""
        method = self._methods.get(call.method)
        if method is None:
            raise RpcError(METHOD, f"Unknown method {call.method[:80]!r}.", {"methods": list(self._methods)})
        method(call, slot)

    # --- methods ----------------------------------------------------------------------------------------------

    def _initialize(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.InitializeParams, call.params)
        if self._initialized:
            raise RpcError(REQUEST, "Already initialized. Capabilities can't change.")
        self._initialized, self._secrets = True, m.SECRET in params.capabilities
        server = m.Server(name="jp-tui", version=__version__)
        slot.result(m.wire(m.Initialized(protocol_version=m.PROTOCOL_VERSION, server=server)))

    def _new(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.NewParams, call.params)
        blame = "/model" if params.model is not None else ""

        def opened(event: e.ConversationOpened) -> None:
            told = m.SessionOpened(session_id=event.conversation, workspace=event.workspace, model=event.model)
            slot.result(m.wire(told))

        session = self._session(params.workspace, params.model, blame or ("/workspace" if params.workspace else ""))
        session.open(c.OpenConversation(which="new"), Opening(slot, opened, blame))

    def _resume(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.ResumeParams, call.params)
        self._find(params.session_id, params.after, slot, lambda info: self._go_on_with(info, slot))

    def _list(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.ListParams, call.params)

        def listed(event: e.ConversationsListed) -> None:
            slot.result(m.wire(m.SessionsListed(sessions=tuple(map(m.session_info, event.conversations)))))

        command = c.ListConversations(workspace=params.workspace or "", limit=params.limit)
        self._on_shelf().list(command, slot, listed)

    def _prompt(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.PromptParams, call.params)
        session = self._sessions.get(params.session_id)
        if session is not None:
            self._sessions[params.session_id] = self._sessions.pop(params.session_id)  # the most recently used is last
            session.prompt(params.prompt, slot)
            return
        if params.session_id not in self._parked:
            raise unknown_session(params.session_id)

        def again(event: e.ConversationOpened) -> None:
            self._carry_on(event.conversation, params.prompt, slot)

        self._find(params.session_id, None, slot, lambda info: self._reopen(info, Opening(slot, again)))

    def _carry_on(self, id_: str, text: str, slot: PendingReply) -> None:
        try:
            self._sessions[id_].prompt(text, slot)
        except RpcError as problem:
            slot.error(problem)

    def _cancel(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.CancelParams, call.params)
        session = self._sessions.get(params.session_id)
        if session is None and params.session_id not in self._parked:
            raise unknown_session(params.session_id)
        slot.result(m.wire(m.SessionCancelled(cancelled=session is not None and session.cancel())))

    def _compact(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.CompactParams, call.params)
        if params.undo and params.focus:
            raise m.bad_params(("/focus", "an undo takes none"))
        session = self._sessions.get(params.session_id)
        if session is None:
            raise unknown_session(params.session_id)
        session.compact(params.focus, slot, undo=params.undo)

    def _context(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.ContextParams, call.params)
        session = self._sessions.get(params.session_id)
        if session is None:
            raise unknown_session(params.session_id)
        session.context(slot)

    # --- stored conversations ---------------------------------------------------------------------------------

    def _find(
        self, id_: str, after: int | None, slot: PendingReply, then: Callable[[e.ConversationRead], None]
    ) -> None:
        """Look up a conversation, and send its events after a number."""

        def refused(words: str) -> RpcError:
            return m.bad_params(("/session_id", words))

        def read(event: e.ConversationRead) -> None:
            last = -1
            for stored in event.events if after is not None else ():
                last = stored.seq
                told = {**stored.event, "seq": stored.seq, "conversation": event.info.id}
                self.peer.notify(m.EVENT, {"session_id": event.info.id, "event": told})
            if after is not None and event.more:
                self._on_shelf().read(event.info.id, last, slot, read, refused)
            else:
                then(event)

        if after is None:
            self._on_shelf().read(id_, 0, slot, read, refused, 1)
        else:
            self._on_shelf().read(id_, after, slot, read, refused)

    def _go_on_with(self, event: e.ConversationRead, slot: PendingReply) -> None:
        """Open it, unless it is already open and owned here."""

        def opened(found: e.ConversationOpened) -> None:
            told = m.SessionResumed(
                session_id=found.conversation,
                title=found.title,
                workspace=found.workspace,
                model=found.model,
                turns=found.turns,
                last_seq=found.last_seq,
                held_by=found.held_by,
            )
            slot.result(m.wire(told))

        known = self._sessions.get(event.info.id)
        if known is None or (known.held_by and not known.busy):
            self._reopen(event, Opening(slot, opened))
            return
        told = m.SessionResumed(
            session_id=known.id,
            title=event.info.title,
            workspace=known.workspace,
            model=known.model,
            turns=event.info.turns,
            last_seq=known.last_seq,
            held_by=known.held_by,
        )
        slot.result(m.wire(told))

    def _reopen(self, event: e.ConversationRead, opening: Opening) -> None:
        """Open it in its original folder."""
        id_ = event.info.id
        if id_ in self._reopening:
            opening.slot.error(RpcError(INTERNAL, "This conversation is still opening."))
            return
        if (known := self._sessions.pop(id_, None)) is not None:
            known.close(SECONDS_TO_PARK)
        try:
            session = self._session(event.info.workspace, None, "")
        except RpcError as problem:
            opening.slot.error(problem)
            return
        self._reopening[id_] = session
        session.open(c.OpenConversation(which="id", conversation=id_), opening)

    # --- engines ------------------------------------------------------------------------------------------

    def _session(self, workspace: str | None, model: str | None, blame: str) -> RpcSession:
        """Return a session with an engine, not opened yet. Raises RpcError."""
        self._make_room()
        link = self._link(workspace, model, blame)
        session = RpcSession(link, self.peer, self._tell, self._wake, self._opened)
        self._opening.append(session)
        return session

    def _opened(self, session: RpcSession) -> None:
        self._opening.remove(session)
        self._sessions[session.id] = session
        self._parked.discard(session.id)
        self._reopening.pop(session.id, None)

    def _link(self, workspace: str | None, model: str | None, blame: str) -> Link:
        if self._leaving:
            raise RpcError(INTERNAL, "End of input.")
        try:
            return self._opens(workspace, model, secrets=self._secrets)
        except Unopened as problem:
            words = str(problem)
            raise (m.bad_params((blame, words)) if blame else RpcError(INTERNAL, words)) from None

    def _on_shelf(self) -> StoredSessions:
        """Raises RpcError."""
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
