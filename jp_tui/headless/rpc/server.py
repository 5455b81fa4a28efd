"""Methods of `jp-tui rpc` and their sessions (surface S30).

Transports messages and stores no answers. Each session has its own engine (`sessions.py`), so that folders, models and
failures stay separate.
"""

from __future__ import annotations

from collections.abc import Callable

from jp_tui import __version__
from jp_tui.headless.rpc import messages as m
from jp_tui.headless.rpc.peer import Peer, PendingReply
from jp_tui.headless.rpc.session import Opening, RpcSession, unknown_session
from jp_tui.headless.rpc.sessions import EngineSessions, Opens
from jp_tui.headless.rpc.voice import RpcVoice
from jp_tui.headless.rpc.wire import METHOD, REQUEST, RpcCall, RpcError
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e


class RpcServer:
    """`tell` prints a message, `wake` is called from other threads."""

    def __init__(
        self, opens: Opens, write: Callable[[str], None], tell: Callable[[str], None], wake: Callable[[], None]
    ) -> None:
        self.peer = Peer(write, self._call, tell)
        self.sessions = EngineSessions(opens, tell, wake, self._voice)
        self._initialized = False
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

    def _voice(self, session: RpcSession) -> RpcVoice:
        return RpcVoice(self.peer, session.send, lambda: session.id)

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
        self._initialized, self.sessions.secrets = True, m.SECRET in params.capabilities
        server = m.Server(name="jp-tui", version=__version__)
        slot.result(m.wire(m.Initialized(protocol_version=m.PROTOCOL_VERSION, server=server)))

    def _new(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.NewParams, call.params)
        blame = "/model" if params.model is not None else ""

        def opened(event: e.ConversationOpened) -> None:
            told = m.SessionOpened(session_id=event.conversation, workspace=event.workspace, model=event.model)
            slot.result(m.wire(told))

        session = self.sessions.new(params.workspace, params.model, blame or ("/workspace" if params.workspace else ""))
        session.open(c.OpenConversation(which="new"), Opening(slot, opened, blame))

    def _resume(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.ResumeParams, call.params)
        self._find(params.session_id, params.after, slot, lambda info: self._go_on_with(info, slot))

    def _list(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.ListParams, call.params)

        def listed(event: e.ConversationsListed) -> None:
            slot.result(m.wire(m.SessionsListed(sessions=tuple(map(m.session_info, event.conversations)))))

        command = c.ListConversations(workspace=params.workspace or "", limit=params.limit)
        self.sessions.shelf().list(command, slot, listed)

    def _prompt(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.PromptParams, call.params)
        session = self.sessions.use(params.session_id)
        if session is not None:
            session.prompt(params.prompt, slot)
            return
        if not self.sessions.rests(params.session_id):
            raise unknown_session(params.session_id)
        self._find(
            params.session_id, None, slot, lambda info: self.sessions.reopen_and_prompt(info, params.prompt, slot)
        )

    def _cancel(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.CancelParams, call.params)
        session = self.sessions.find(params.session_id)
        if session is None and not self.sessions.rests(params.session_id):
            raise unknown_session(params.session_id)
        slot.result(m.wire(m.SessionCancelled(cancelled=session is not None and session.cancel())))

    def _compact(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.CompactParams, call.params)
        if params.undo and params.focus:
            raise m.bad_params(("/focus", "an undo takes none"))
        self._open(params.session_id).compact(params.focus, slot, undo=params.undo)

    def _context(self, call: RpcCall, slot: PendingReply) -> None:
        params = m.read_params(m.ContextParams, call.params)
        self._open(params.session_id).context(slot)

    def _open(self, id_: str) -> RpcSession:
        """Return an open session. Raises RpcError."""
        if (session := self.sessions.find(id_)) is None:
            raise unknown_session(id_)
        return session

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
                self.sessions.shelf().read(event.info.id, last, slot, read, refused)
            else:
                then(event)

        if after is None:
            self.sessions.shelf().read(id_, 0, slot, read, refused, 1)
        else:
            self.sessions.shelf().read(id_, after, slot, read, refused)

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

        known = self.sessions.find(event.info.id)
        if known is None or (known.held_by and not known.busy):
            self.sessions.reopen(event, Opening(slot, opened))
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
