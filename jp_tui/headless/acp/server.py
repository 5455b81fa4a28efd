"""Methods of `jp-tui acp` (N50). Each session has an engine of its own, in the folder that the editor names."""

from __future__ import annotations

import os
from collections.abc import Callable

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.headless.acp import content, updates
from jp_tui.headless.acp import shapes as s
from jp_tui.headless.acp.voice import EditorVoice
from jp_tui.headless.rpc.messages import bad_params, read_params
from jp_tui.headless.rpc.peer import Peer, PendingReply
from jp_tui.headless.rpc.session import Opening, RpcSession
from jp_tui.headless.rpc.sessions import EngineSessions, Opens
from jp_tui.headless.rpc.wire import METHOD, PARAMS, RpcCall, RpcError
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e

_ID = "/sessionId"


class AcpServer:
    """`write` sends one line, `tell` prints a message, `wake` is called from other threads."""

    def __init__(
        self, opens: Opens, write: Callable[[str], None], tell: Callable[[str], None], wake: Callable[[], None]
    ) -> None:
        self._tell = tell
        self.peer = Peer(write, self._call, tell)
        self.sessions = EngineSessions(opens, tell, wake, self._voice)
        self._voices: dict[RpcSession, EditorVoice] = {}
        self._images = content.Images()
        self._forms = False
        self._methods: dict[str, Callable[[RpcCall, PendingReply], None]] = {
            s.INITIALIZE: self._initialize,
            s.AUTHENTICATE: lambda call, slot: slot.result({}),
            s.NEW: self._new,
            s.LOAD: self._load,
            s.RESUME: self._resume,
            s.LIST: self._list,
            s.CLOSE: self._close,
            s.PROMPT: self._prompt,
            s.CANCEL: self._cancel,
            s.SET_MODE: self._set_mode,
            s.SET_OPTION: self._set_option,
        }

    def _voice(self, session: RpcSession) -> EditorVoice:
        rests = [one for one in self._voices if one.id and self.sessions.find(one.id) is not one]
        for one in rests:
            del self._voices[one]
        voice = self._voices[session] = EditorVoice(self.peer, session, lambda: self._forms)
        return voice

    def _call(self, call: RpcCall, slot: PendingReply) -> None:
        """Raises RpcError."""
        method = self._methods.get(call.method)
        if method is not None:
            method(call, slot)
        elif not (call.method.startswith("$/") and not call.answered):
            raise RpcError(METHOD, f"Unknown method {call.method[:80]!r}.")

    # --- methods ----------------------------------------------------------------------------------------------

    def _initialize(self, call: RpcCall, slot: PendingReply) -> None:
        self._forms = read_params(s.AcpInitializeParams, call.params).forms
        slot.result(s.initialized())

    def _new(self, call: RpcCall, slot: PendingReply) -> None:
        params = read_params(s.AcpNewParams, call.params)
        if not os.path.isabs(params.cwd):
            raise bad_params(("/cwd", "expected an absolute path"))
        self._note_servers(params)

        def opened(event: e.ConversationOpened) -> None:
            slot.result({"sessionId": event.conversation, **self._state(event.conversation)})

        session = self.sessions.new(params.cwd, None, "/cwd")
        session.open(c.OpenConversation(which="new"), Opening(slot, opened))

    def _note_servers(self, params: s.AcpNewParams) -> None:
        if params.mcp_servers:
            self._tell(f"{len(params.mcp_servers)} MCP servers of the editor aren't used.")

    def _state(self, id_: str) -> JsonObject:
        session = self.sessions.find(id_)
        return self._voices[session].state() if session is not None else {}

    def _load(self, call: RpcCall, slot: PendingReply) -> None:
        self._go_on(call, slot, replay=True)

    def _resume(self, call: RpcCall, slot: PendingReply) -> None:
        self._go_on(call, slot, replay=False)

    def _go_on(self, call: RpcCall, slot: PendingReply, *, replay: bool) -> None:
        """Read a conversation to its end, sent as updates with `replay`, and then open it in its own folder."""
        params = read_params(s.AcpStoredParams, call.params)
        self._note_servers(params)
        mode: list[s.Mode] = ["ask"]

        def read(event: e.ConversationRead) -> None:
            last = 0
            for stored in event.events:
                last = stored.seq
                for update in updates.updates(stored.event, event.info.workspace):
                    if update["sessionUpdate"] == "current_mode_update":
                        mode[0] = "read-only" if update["currentModeId"] == "read-only" else "ask"
                    elif replay:
                        self.peer.notify(s.UPDATE, {"sessionId": event.info.id, "update": update})
            if event.more:
                self._read(event.info.id, last, slot, read)
            else:
                self._reopen(event, slot, mode[0])

        self._read(params.session_id, 0, slot, read)

    def _read(self, id_: str, after: int, slot: PendingReply, then: Callable[[e.ConversationRead], None]) -> None:
        self.sessions.shelf().read(id_, after, slot, then, lambda words: bad_params((_ID, words)))

    def _reopen(self, event: e.ConversationRead, slot: PendingReply, mode: s.Mode) -> None:
        known = self.sessions.find(event.info.id)
        if known is not None and (known.busy or not known.held_by):
            slot.result(self._voices[known].state())
            return

        def opened(found: e.ConversationOpened) -> None:
            session = self.sessions.find(found.conversation)
            if session is not None:
                self._voices[session].resumed_in(mode)
            slot.result(self._state(found.conversation))

        self.sessions.reopen(event, Opening(slot, opened))

    def _list(self, call: RpcCall, slot: PendingReply) -> None:
        params = read_params(s.AcpListParams, call.params)
        cursor = params.cursor or "0"
        if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):
            raise bad_params(("/cursor", "expected the cursor of an earlier page"))
        offset = int(cursor)

        def listed(event: e.ConversationsListed) -> None:
            found: list[Json] = [
                {"sessionId": one.id, "cwd": one.workspace, "title": one.title.raw, "updatedAt": one.updated}
                for one in event.conversations
            ]
            more: JsonObject = {"nextCursor": str(offset + s.LISTED)} if len(found) == s.LISTED else {}
            slot.result({"sessions": found, **more})

        command = c.ListConversations(workspace=params.cwd or "", limit=s.LISTED, offset=offset)
        self.sessions.shelf().list(command, slot, listed)

    def _close(self, call: RpcCall, slot: PendingReply) -> None:
        params = read_params(s.AcpSessionParams, call.params)
        session = self.sessions.find(params.session_id)
        if not self.sessions.shut(params.session_id):
            raise _unknown(params.session_id)
        if session is not None:
            self._voices.pop(session, None)
        slot.result({})

    def _prompt(self, call: RpcCall, slot: PendingReply) -> None:
        params = read_params(s.AcpPromptParams, call.params)
        text, images = content.read(params.prompt, self._images)
        session = self.sessions.use(params.session_id)
        if session is not None:
            if not self._voices[session].answer(text, slot):
                session.prompt(text, slot, images)
            return
        if not self.sessions.rests(params.session_id):
            raise _unknown(params.session_id)
        self._read(params.session_id, 0, slot, lambda info: self.sessions.reopen_and_prompt(info, text, slot, images))

    def _cancel(self, call: RpcCall, slot: PendingReply) -> None:
        params = read_params(s.AcpSessionParams, call.params)
        self._find(params.session_id).cancel()
        slot.result({})

    def _set_mode(self, call: RpcCall, slot: PendingReply) -> None:
        params = read_params(s.AcpModeParams, call.params)
        session = self._find(params.session_id)
        if not s.is_mode(params.mode_id):
            raise bad_params(("/modeId", "expected ask or read-only"))
        self._voices[session].set_mode("read-only" if params.mode_id == "read-only" else "ask", slot)

    def _set_option(self, call: RpcCall, slot: PendingReply) -> None:
        params = read_params(s.AcpOptionParams, call.params)
        session = self._find(params.session_id)
        if params.config_id != "model" or not isinstance(params.value, str):
            raise bad_params(("/configId", "expected model, with a text as its value"))
        self._voices[session].set_model(params.value, slot)

    def _find(self, id_: str) -> RpcSession:
        """Raises RpcError."""
        if (session := self.sessions.find(id_)) is None:
            raise _unknown(id_)
        return session


def _unknown(id_: str) -> RpcError:
    return RpcError(PARAMS, f"{_ID}: unknown session {id_[:80]}. Use session/new or session/load first.")
