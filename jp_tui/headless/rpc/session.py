"""One session: a conversation in its own engine, for the client's prompts and events (surface S30).

Every durable event is sent before the reply to its prompt. A prompt during a resumed turn waits for its end; a second
concurrent prompt is refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from jp_tui.conversation.events import Ending
from jp_tui.conversation.strict_json import Json
from jp_tui.headless.rpc import messages as m
from jp_tui.headless.rpc.peer import PendingReply
from jp_tui.headless.rpc.wire import INTERNAL, PARAMS, RpcError, sentences
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import TurnError, UsageTotals
from jp_tui.view.wording.failures import words as failed
from jp_tui.view.wording.store import notice as store_notice

INPUT_ENDED = "End of input."
Opened = Callable[[e.ConversationOpened], None]


@dataclass(slots=True)
class _Prompt:
    """A prompt to send; `turn` is the turn it started, None before. `cancelled`: possibly before that."""

    slot: PendingReply
    text: str
    attachments: tuple[str, ...] = ()
    turn: int | None = None
    sent: bool = False
    cancelled: bool = False


@dataclass(slots=True)
class Opening:
    """Callbacks for a conversation that opened or failed to. `blame`: the parameter at fault."""

    slot: PendingReply
    opened: Opened
    blame: str = ""


class SessionVoice(Protocol):
    """Reports and questions to a session's client, in the client's protocol."""

    @property
    def waits(self) -> bool:
        """True if the client has a question to answer."""

    def hear(self, event: e.Event) -> None:
        """Report an event of the engine, or ask its question."""

    def finish(self, slot: PendingReply, outcome: Ending, usage: UsageTotals, error: TurnError | None = None) -> None:
        """Reply to a prompt whose turn has ended."""

    def over(self) -> None:
        """Take back all questions: the turn has ended."""

    def leave(self) -> None:
        """Stop asking and answering because the client left (Z9)."""


class RpcSession:
    """`link` isn't started yet; `tell` prints a message; `wake` is called from the engine's thread when events wait;
    `known` once the session has its id, before any callback; `voice` makes the session's voice."""

    def __init__(
        self,
        link: Link,
        tell: Callable[[str], None],
        wake: Callable[[], None],
        known: Callable[[RpcSession], None],
        voice: Callable[[RpcSession], SessionVoice],
    ) -> None:
        self._link, self._tell, self._wake, self._known = link, tell, wake, known
        self._voice = voice(self)
        self._events: deque[e.Event] = deque()
        self._rang = False
        self._opening: Opening | None = None
        self._prompt: _Prompt | None = None
        self._compacting: PendingReply | None = None
        self._turn: int | None = None
        self._leaving = False
        self._contexts: deque[PendingReply] = deque()
        self.deferred = False
        """True if a question stays open because the client left (Z9)."""
        self.id = self.workspace = ""
        self.used = False
        self.held_by = ""
        self.model, self.last_seq = "", 0
        self.failed = ""
        """Bug of the engine, as text."""
        self.unsaved = False
        """True if the last write failed, until one succeeds (Z20)."""

    @property
    def busy(self) -> bool:
        """True if a turn runs, or a reply is pending."""
        works = self._turn, self._prompt, self._opening, self._compacting
        return any(one is not None for one in works) or self._voice.waits

    def open(self, command: c.OpenConversation, opening: Opening) -> None:
        """Start the engine and open the conversation in it."""
        self._opening = opening
        self._link.start(self._ring)
        self.send(command)

    def context(self, slot: PendingReply) -> None:
        """Tell what the next request would hold."""
        self._contexts.append(slot)
        self.send(c.ReadContext(conversation=self.id))

    def _ring(self) -> None:
        self._rang = True
        self._wake()

    def send(self, command: c.Command) -> None:
        """Send a command to the engine."""
        self._link.send(command)

    # --- requests of the client -------------------------------------------------------------------------------

    def prompt(self, text: str, slot: PendingReply, attachments: tuple[str, ...] = ()) -> None:
        """Send it now, or after a resumed turn, with images as paths of files. Raises RpcError."""
        if not text.strip() and not attachments:
            raise m.bad_params(("/prompt", "the prompt is empty"))
        if self._leaving:
            raise RpcError(INTERNAL, INPUT_ENDED)
        if self.held_by:
            raise RpcError(INTERNAL, f"This conversation is open in {self.held_by}.")
        if self._prompt is not None:
            raise RpcError(INTERNAL, "The previous turn is still running. Use session/cancel to end it.")
        self._prompt = _Prompt(slot, text, attachments)
        self._continue()

    def pause(self, result: Json) -> None:
        """Reply to the prompt while its turn goes on."""
        prompt, self._prompt = self._prompt, None
        if prompt is not None:
            prompt.slot.result(result)

    def follow(self, slot: PendingReply) -> bool:
        """Reply to this prompt when the running turn ends; False if none runs, or has a prompt."""
        if self._turn is None or self._prompt is not None:
            return False
        self._prompt = _Prompt(slot, "", turn=self._turn, sent=True)
        return True

    def _continue(self) -> None:
        prompt = self._prompt
        if prompt is not None and not prompt.sent and self._turn is None and self._opening is None:
            prompt.sent = self.used = True
            self.send(c.StartTurn(conversation=self.id, text=prompt.text, attachments=prompt.attachments))

    def compact(self, focus: str, slot: PendingReply, *, undo: bool) -> None:
        """Summarise older messages, or undo that. Raises RpcError."""
        if self._leaving:
            raise RpcError(INTERNAL, INPUT_ENDED)
        if self._compacting is not None:
            raise RpcError(INTERNAL, "It is being compacted.")
        self._compacting = slot
        self.send(c.CompactConversation(conversation=self.id, focus=focus, undo=undo))

    def _compacted(self, event: e.Compacted) -> None:
        slot, self._compacting = self._compacting, None
        if slot is not None:
            stored = event.stored
            told = {**stored.event, "seq": stored.seq, "conversation": event.conversation} if stored else None
            slot.result(m.wire(m.SessionCompacted(event=told, message=event.message, waits=event.waits)))

    def cancel(self) -> bool:
        """Stop what runs, and drop waiting prompts; return True if there was anything."""
        prompt = self._prompt
        runs = self._turn is not None or (prompt is not None and prompt.sent)
        if prompt is not None and not prompt.sent:
            self._prompt = None
            self._voice.finish(prompt.slot, "interrupted", UsageTotals())
        elif prompt is not None:
            prompt.cancelled = True
        if runs:
            self._interrupt()
        return runs or prompt is not None

    def _interrupt(self) -> None:
        self.send(c.InterruptTurn(conversation=self.id, action="stop"))

    def leave(self) -> None:
        """The client left: nothing is answered for it, and no model is asked (Z9, S30)."""
        self._leaving = True
        self._voice.leave()
        prompt = self._prompt
        if prompt is not None and not prompt.sent:
            self._prompt = None
            self._voice.finish(prompt.slot, "interrupted", UsageTotals())
        if self.id:
            self.send(c.ClientGone())

    def shut(self) -> None:
        """Tell the engine to end; `close` waits for it."""
        self.send(c.Shutdown())

    def close(self, timeout: float) -> bool:
        """Wait for the engine's end, at most `timeout` seconds; return True if it ended."""
        return self._link.close(timeout)

    def drop(self, words: str) -> None:
        """Fail all pending requests."""
        problem = RpcError(INTERNAL, words)
        if self._opening is not None:
            self._opening.slot.error(problem)
        if self._prompt is not None:
            self._prompt.slot.error(problem)
        if self._compacting is not None:
            self._compacting.error(problem)
        self._opening = self._prompt = self._compacting = None

    # --- events of the engine ---------------------------------------------------------------------------------

    def pump(self, enough: Callable[[], bool]) -> None:
        """Process the engine's events until `enough` returns true; the rest stays in the link, where deltas merge and
        facts are safe."""
        if self._rang and not self._events and not enough():
            self._rang = False
            self._events.extend(self._link.collect())
        while self._events and not enough():
            self._handle(self._events.popleft())

    @property
    def has_more(self) -> bool:
        """True if events are waiting."""
        return bool(self._events) or self._rang

    def _handle(self, event: e.Event) -> None:
        self._voice.hear(event)
        match event:
            case e.EventAppended():
                self.unsaved = False
                if event.conversation == self.id:
                    self.last_seq = event.stored.seq
            case e.TurnStarted(conversation=self.id, turn=turn, resumed=resumed):
                self._started(turn, resumed=resumed)
            case e.TurnCompleted(conversation=self.id):
                self._completed(event)
            case e.Compacted(conversation=self.id):
                self._compacted(event)
            case e.ConversationOpened():
                self._opened(event)
            case e.ContextRead() if self._contexts:
                told = m.SessionContext.model_validate(event.model_dump(include=set(m.SessionContext.model_fields)))
                self._contexts.popleft().result(m.wire(told))
            case e.Refused(command="read_context", message=message) if self._contexts:
                self._contexts.popleft().error(RpcError(INTERNAL, message))
            case e.Refused():
                self._refused(event)
            case e.StorageFailed(message=message, advice=advice) | e.UserNotice(message=message, advice=advice):
                self.unsaved = self.unsaved or isinstance(event, e.StorageFailed)
                self._tell(sentences(message, advice))
            case e.StoreState() if (said := store_notice(event))[0]:
                self._tell(sentences(*said))
            case e.BackgroundFailed(message=message, file=file):
                self._tell(" ".join(failed(message, file)))
            case e.EngineFailed(message=message):
                self.failed = message
                self.drop(f"Internal error: {message}")
            case _:
                pass

    def _opened(self, event: e.ConversationOpened) -> None:
        self.id, self.workspace, self.held_by = event.conversation, event.workspace, event.held_by
        self.model, self.last_seq = event.model, event.last_seq
        self.used = self.used or not event.new
        self._known(self)
        opening, self._opening = self._opening, None
        if opening is not None:
            opening.opened(event)
        self._continue()

    def _started(self, turn: int, *, resumed: bool) -> None:
        self._turn = turn
        if self._prompt is not None and self._prompt.sent and not resumed:
            self._prompt.turn = turn
            if self._prompt.cancelled:
                self._interrupt()

    def _completed(self, event: e.TurnCompleted) -> None:
        announced, self._turn = self._turn is not None, None
        self.deferred = self.deferred or (self._leaving and event.outcome == "deferred")
        self._voice.over()
        prompt = self._prompt
        if prompt is not None and (prompt.turn == event.turn or (prompt.sent and not announced)):
            self._prompt = None
            self._voice.finish(prompt.slot, event.outcome, event.usage, event.error)
        elif self._leaving:
            self.drop(INPUT_ENDED)
        else:
            self._continue()

    def _refused(self, event: e.Refused) -> None:
        words = sentences(event.message, event.advice)
        self.unsaved = self.unsaved or event.storage
        if event.command == "open_conversation" and self._opening is not None:
            opening, self._opening = self._opening, None
            opening.slot.error(m.bad_params((opening.blame, words)) if opening.blame else RpcError(INTERNAL, words))
        elif event.command == "start_turn" and self._prompt is not None:
            prompt, self._prompt = self._prompt, None
            prompt.slot.error(RpcError(INTERNAL, words, {"pending": list(event.pending)} if event.pending else None))
        elif event.command == "compact_conversation" and self._compacting is not None:
            compacting, self._compacting = self._compacting, None
            compacting.error(RpcError(INTERNAL, words))
        elif event.command == "interrupt_turn" and self._leaving:
            pass  # it has already ended
        else:
            self._tell(words)


def unknown_session(id_: str) -> RpcError:
    """No session with this id exists here."""
    return RpcError(
        PARAMS,
        f"/session_id: unknown session {id_[:80]}",
        {"problems": [{"where": "/session_id", "problem": "use session/new or session/resume first"}]},
    )
