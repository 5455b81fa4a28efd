"""The reports to a session's editor: the conversation as `session/update`s, and the ends of its prompts (N50, N52)."""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.conversation.events import Ending
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.headless.acp import shapes as s
from jp_tui.headless.acp import updates
from jp_tui.headless.acp.asks import EditorDialect
from jp_tui.headless.rpc.asks import ClientQuestions
from jp_tui.headless.rpc.peer import Peer, PendingReply
from jp_tui.headless.rpc.session import RpcSession
from jp_tui.headless.rpc.wire import INTERNAL, RpcError, sentences
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import TurnError, UsageTotals

AGAIN = "\n\n_The reply was cut off and begins again._\n\n"
_RUNNING = {"running": "in_progress", "awaiting_assistant": "in_progress"}


class EditorVoice:
    """`forms` says whether the editor shows forms."""

    def __init__(self, peer: Peer, session: RpcSession, forms: Callable[[], bool]) -> None:
        self._peer, self._of, self._forms = peer, session, forms
        self._dialect = EditorDialect(peer, self)
        self._asking = ClientQuestions(self._dialect, session.send)
        self._parts: dict[str, str] = {}
        self._models: tuple[str, ...] = ()
        self._pending: dict[str, PendingReply] = {}
        self._begun: set[str] = set()
        self._window: int | None = None
        self._mode: s.Mode = "ask"
        self._model = ""

    # --- the session --------------------------------------------------------------------------------------------

    @property
    def session(self) -> str:
        """The session's id."""
        return self._of.id

    @property
    def folder(self) -> str:
        """The conversation's folder."""
        return self._of.workspace

    @property
    def forms(self) -> bool:
        """True if the editor shows forms."""
        return self._forms()

    @property
    def waits(self) -> bool:
        """True if the editor has a question to answer."""
        return self._asking.waits

    def update(self, update: JsonObject) -> None:
        """Send a `session/update`."""
        self._peer.notify(s.UPDATE, {"sessionId": self.session, "update": update})

    def await_prompt(self, words: str) -> None:
        """Show a question as text, and end the running prompt: the next one answers (N51)."""
        self.update(updates.message(f"\n\n{words}\n"))
        self._of.pause({"stopReason": "end_turn"})

    def answer(self, words: str, slot: PendingReply) -> bool:
        """Take a prompt as the answer to the question shown as text; False if none is."""
        if not self._dialect.awaits_text:
            return False
        if not self._of.follow(slot):
            slot.error(RpcError(INTERNAL, "The previous turn is still running. Use session/cancel to end it."))
            return True
        self._dialect.answer(words)
        return True

    def state(self) -> JsonObject:
        """Return mode and options of the session."""
        return {"modes": s.modes(self._mode), "configOptions": self._options()}

    def _options(self) -> list[Json]:
        return [s.model_option(self._model or self._of.model, self._models)]

    def set_mode(self, mode: s.Mode, slot: PendingReply) -> None:
        """Change the mode; `slot` is answered once it is."""
        if mode == self._mode:
            slot.result({})
            return
        self._expect("set_plan_mode", slot)
        self._of.send(c.SetPlanMode(conversation=self.session, on=mode == "read-only"))

    def set_model(self, model: str, slot: PendingReply) -> None:
        """Use another model from the next turn on; `slot` is answered once that is certain."""
        self._expect("switch_model", slot)
        self._of.send(c.SwitchModel(conversation=self.session, model=model))

    def _expect(self, command: str, slot: PendingReply) -> None:
        if (earlier := self._pending.pop(command, None)) is not None:
            earlier.error(RpcError(INTERNAL, "Another request followed."))
        self._pending[command] = slot

    # --- events of the engine -----------------------------------------------------------------------------------

    def hear(self, event: e.Event) -> None:
        """Report an event of the engine, or ask its question."""
        match event:
            case e.ConversationOpened(conversation=id_, window=window):
                self._window = window
                self._of.send(c.ListModels(conversation=id_))
            case e.EventAppended() if event.conversation == self.session:
                self._appended(event)
            case e.PartDelta() if event.conversation == self.session:
                self._delta(event)
            case e.PartDropped(conversation=self.session, part=part):
                if self._parts.pop(part, ""):
                    self.update(updates.message(AGAIN))
            case e.CallChanged(conversation=self.session, call=call, state=state) if state in _RUNNING:
                if call in self._begun:
                    self.update(updates.status(call, _RUNNING[state]))
            case e.QuestionAsked(prompt=prompt):
                self._asking.asked(prompt)
            case e.PromptChanged():
                self._asking.changed(event)
            case e.QuestionSettled():
                self._asking.remove_settled(event)
            case e.AnswerRefused():
                self._asking.refused(event)
            case e.PlanModeSet(conversation=self.session, on=on):
                self._now("read-only" if on else "ask")
            case e.ModelSwitched(conversation=self.session, once=False):
                self._switched(event)
            case e.ModelsListed(models=models):
                self._models = tuple(one.id for one in models)
                if self.session:
                    self.update({"sessionUpdate": "config_option_update", "configOptions": self._options()})
            case e.TitleChanged(conversation=self.session, title=title):
                self.update({"sessionUpdate": "session_info_update", "title": title.raw})
            case e.WindowLearned(conversation=self.session, window=window):
                self._window = window
            case e.Refused(command=command, message=words, advice=advice) if command in self._pending:
                self._pending.pop(command).error(RpcError(INTERNAL, sentences(words, advice)))
            case e.TurnCompleted(conversation=self.session):
                self._used(event.usage)
            case _:
                pass

    def _appended(self, event: e.EventAppended) -> None:
        stored = event.stored.event
        streamed = self._parts.pop(event.closes, None)
        kind = stored.get("type")
        if kind == "chat_request":
            return  # the editor shows its own message
        if kind == "tool_call_request":
            self._begun.add(str(stored.get("id")))
        for update in updates.updates(stored, self.folder):
            if streamed is None:
                self._tell(update)
            elif (rest := _rest(update, streamed)) is not None:
                self.update(rest)

    def _tell(self, update: JsonObject) -> None:
        if update["sessionUpdate"] == "current_mode_update":
            self._now("read-only" if update["currentModeId"] == "read-only" else "ask")
        else:
            self.update(update)

    def _delta(self, event: e.PartDelta) -> None:
        if event.kind == "tool":
            return
        self._parts[event.part] = self._parts.get(event.part, "") + event.text.raw
        made = updates.message if event.kind == "message" else updates.thought
        self.update(made(event.text.raw, event.part))

    def _now(self, mode: s.Mode) -> None:
        changed, self._mode = mode != self._mode, mode
        if (slot := self._pending.pop("set_plan_mode", None)) is not None:
            slot.result({})
        if changed and self.session:
            self.update({"sessionUpdate": "current_mode_update", "currentModeId": mode})

    def resumed_in(self, mode: s.Mode) -> None:
        """The conversation that goes on is in this mode."""
        self._mode = mode

    def _switched(self, event: e.ModelSwitched) -> None:
        self._model, self._window = event.model, event.window
        if (slot := self._pending.pop("switch_model", None)) is not None:
            slot.result({"configOptions": self._options()})
        else:
            self.update({"sessionUpdate": "config_option_update", "configOptions": self._options()})

    def _used(self, usage: UsageTotals) -> None:
        if self._window and usage.context:
            told: JsonObject = {"sessionUpdate": "usage_update", "used": usage.context, "size": self._window}
            if usage.cost_usd is not None:
                told["cost"] = {"amount": usage.cost_usd, "currency": "USD"}
            self.update(told)

    def finish(self, slot: PendingReply, outcome: Ending, usage: UsageTotals, error: TurnError | None = None) -> None:
        """Reply to a prompt whose turn has ended."""
        self._begun.clear()
        if outcome == "failed" and error is not None:
            slot.error(RpcError(INTERNAL, sentences(error.message, error.advice), {"kind": error.kind}))
            return
        total = usage.input + usage.output
        used: JsonObject = {"totalTokens": total, "inputTokens": usage.input, "outputTokens": usage.output}
        slot.result({"stopReason": "end_turn" if outcome == "done" else "cancelled", "usage": used})

    def over(self) -> None:
        """Take back all questions: the turn has ended."""
        self._asking.over()
        self._dialect.forget()
        self._parts.clear()

    def leave(self) -> None:
        """Stop asking and answering because the editor left (Z9)."""
        self._asking.leave()


def _rest(update: JsonObject, streamed: str) -> JsonObject | None:
    """Return what of a finished part wasn't streamed; None if all was."""
    block = update.get("content")
    whole = block.get("text") if isinstance(block, dict) else None
    if not isinstance(whole, str) or not isinstance(block, dict):
        return update
    rest = whole.removeprefix(streamed) if whole.startswith(streamed) else ""
    return {**update, "content": {**block, "text": rest}} if rest else None
