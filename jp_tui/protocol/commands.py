"""What a face asks of the engine. Imperative names; every literal is pinned by a test."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from jp_tui.protocol.base import Model
from jp_tui.protocol.changes import ReadChanges as ReadChanges
from jp_tui.protocol.changes import UndoChanges as UndoChanges
from jp_tui.protocol.compaction import CompactConversation as CompactConversation
from jp_tui.protocol.composing import CheckImage as CheckImage
from jp_tui.protocol.composing import ComposingCommand
from jp_tui.protocol.composing import FindFiles as FindFiles
from jp_tui.protocol.composing import QueueTurn as QueueTurn
from jp_tui.protocol.composing import ReadQueue as ReadQueue
from jp_tui.protocol.composing import RunShell as RunShell
from jp_tui.protocol.composing import SendQueued as SendQueued
from jp_tui.protocol.composing import StopShell as StopShell
from jp_tui.protocol.composing import TakeQueued as TakeQueued
from jp_tui.protocol.context import ReadContext as ReadContext
from jp_tui.protocol.library import ArchiveConversation as ArchiveConversation
from jp_tui.protocol.library import CancelWork as CancelWork
from jp_tui.protocol.library import DeleteConversation as DeleteConversation
from jp_tui.protocol.library import ForkConversation as ForkConversation
from jp_tui.protocol.library import ImportConversations as ImportConversations
from jp_tui.protocol.library import RenameConversation as RenameConversation
from jp_tui.protocol.library import RestoreConversation as RestoreConversation
from jp_tui.protocol.library import SearchConversations as SearchConversations
from jp_tui.protocol.models import ListModels as ListModels
from jp_tui.protocol.plan import SetPlanMode as SetPlanMode
from jp_tui.protocol.settings import ReadSettings as ReadSettings
from jp_tui.protocol.settings import ResetSetting as ResetSetting
from jp_tui.protocol.setup import ProbeSetup as ProbeSetup
from jp_tui.protocol.setup import SaveSetup as SaveSetup
from jp_tui.protocol.setup import TestModel as TestModel
from jp_tui.protocol.trust import DistrustWorkspace as DistrustWorkspace
from jp_tui.protocol.trust import ReadTrust as ReadTrust
from jp_tui.protocol.trust import TrustWorkspace as TrustWorkspace
from jp_tui.protocol.usage import ReadUsage as ReadUsage
from jp_tui.protocol.usage import SwitchModel as SwitchModel
from jp_tui.protocol.values import Response

Interrupt = Literal["reply", "stop", "abort", "respond", "restart"]


class OpenConversation(Model):
    """Open for work: a new one, the workspace's latest, or one by id (a unique beginning is enough).

    Answered by ConversationOpened with the last `page` events, or by Refused.
    """

    type: Literal["open_conversation"] = "open_conversation"
    which: Literal["new", "latest", "id"] = "new"
    conversation: str = ""
    page: int = 400


class ReadEvents(Model):
    """Up to `count` events around number `around`; answered by EventsRead."""

    type: Literal["read_events"] = "read_events"
    conversation: str
    around: int
    count: int = 256


class StartTurn(Model):
    """Say something to the model. `attachments` are paths of images that go along, read now."""

    type: Literal["start_turn"] = "start_turn"
    conversation: str
    text: str
    attachments: tuple[str, ...] = ()


class InterruptTurn(Model):
    """Interrupt what runs (R211): while streaming reply, stop, abort; while tools run respond, stop, restart.

    `text` goes with reply and respond. Continue needs no command. With `after_calls` the calls that run come to their
    own ends, and whatever waits stays for an answer; then the turn stops as with stop, and no model is asked again.
    """

    type: Literal["interrupt_turn"] = "interrupt_turn"
    conversation: str
    action: Interrupt
    text: str = ""
    after_calls: bool = False


class AnswerQuestion(Model):
    """Answer by id and digest; anything else than the question that was shown is refused (R235)."""

    type: Literal["answer_question"] = "answer_question"
    conversation: str
    inquiry: str
    digest: str
    response: Response


class ListConversations(Model):
    """Answered by ConversationsListed, newest first; an empty workspace means all. Those of sub-agents are left out
    unless they are wanted. `which`: neither archived nor deleted ones, only one of these, or all that are not deleted.
    """

    type: Literal["list_conversations"] = "list_conversations"
    workspace: str = ""
    limit: int = 200
    agents: bool = False
    which: Literal["active", "archived", "deleted", "all"] = "active"
    offset: int = 0


class ReadConversation(Model):
    """Up to `count` events after number `after`, of a conversation that need not be open; answered by
    ConversationRead. A unique beginning of the id is enough."""

    type: Literal["read_conversation"] = "read_conversation"
    conversation: str
    after: int = 0
    count: int = 1000


class ReadHistory(Model):
    """What was typed before in this workspace; answered by HistoryRead, newest last."""

    type: Literal["read_history"] = "read_history"
    limit: int = 200


class SaveDraft(Model):
    """Keep unsent text; `key` is `composer` or an inquiry id; empty text forgets it."""

    type: Literal["save_draft"] = "save_draft"
    conversation: str
    key: str
    text: str = Field(repr=False)


class SetSetting(Model):
    """Write one key to the user's file, comments kept; answered by SettingChanged or Refused."""

    type: Literal["set_setting"] = "set_setting"
    key: str
    value: Any


class CheckAnswer(Model):
    """Does this value fit the question's schema? Answered by AnswerChecked with the same `revision`."""

    type: Literal["check_answer"] = "check_answer"
    conversation: str
    inquiry: str
    revision: int
    value: Any = Field(repr=False)


class ListInquiries(Model):
    """What was asked and answered in a conversation, or with an empty `conversation` in all of them; answered by
    InquiriesListed. `pending`: only what waits. A unique beginning of the conversation's id is enough."""

    type: Literal["list_inquiries"] = "list_inquiries"
    conversation: str = ""
    pending: bool = False


class OfferAnswer(Model):
    """Answer a waiting question, of this process or another (S6, S12); answered by OfferSettled. `conversation` may be
    empty when the inquiry's id is unique. `value` is what was typed, read by the question's type. With `carry_on` a
    conversation that nobody holds goes on with its turn then, as with CarryOn; `note` goes along with the answer
    (R182)."""

    type: Literal["offer_answer"] = "offer_answer"
    conversation: str = ""
    inquiry: str
    value: str = Field(repr=False)
    carry_on: bool = False
    note: str = ""


class CarryOn(Model):
    """Take a conversation that nobody holds and go on with its turn that was cut off, in the background (E51): what it
    asks comes as QuestionAsked, with its events, and AnswerQuestion is taken. For a sub-agent's, its parent goes on.
    Refused when somebody else holds it, or when nothing is left to go on with; nothing happens where it runs."""

    type: Literal["carry_on"] = "carry_on"
    conversation: str


class WatchWaiting(Model):
    """Answered by WaitingListed, now and whenever it changes, until it is sent with `on` false."""

    type: Literal["watch_waiting"] = "watch_waiting"
    on: bool = True


class ReadLedger(Model):
    """Answered by LedgerRead, now and whenever it changes while the conversation is open."""

    type: Literal["read_ledger"] = "read_ledger"
    conversation: str


class RevokeEntry(Model):
    """Take back an entry of the ledger; answered by LedgerRead, or Refused."""

    type: Literal["revoke_entry"] = "revoke_entry"
    conversation: str
    key: str


class AskAside(Model):
    """Talk about a question that waits, before it is answered (E30): a side question to a model, which is told what the
    conversation holds and what is asked, and can do nothing. AsideDelta and AsideEnded come back, or Refused."""

    type: Literal["ask_aside"] = "ask_aside"
    conversation: str
    inquiry: str
    text: str


class SendAside(Model):
    """What was and will be said aside about this question goes to the model, after the results of the calls that
    run now (E30); with `send` false it stays aside after all. Refused when nothing was said, or when it is too late."""

    type: Literal["send_aside"] = "send_aside"
    conversation: str
    inquiry: str
    send: bool = True


class TakeOver(Model):
    """Decide a question oneself that a reviewer is deciding (R156): it is asked then, or AnswerRefused comes back."""

    type: Literal["take_over"] = "take_over"
    conversation: str
    inquiry: str


class ReadReviewers(Model):
    """How reviewers fared, over all conversations; answered by ReviewersRead."""

    type: Literal["read_reviewers"] = "read_reviewers"


class ClientGone(Model):
    """The client cannot be asked any more: its input ended, or it went away (Z9). Nothing is answered in its name:
    questions of turns that can be resumed stay open, and no model is asked again. Calls that run may still end."""

    type: Literal["client_gone"] = "client_gone"


class Shutdown(Model):
    """Stop everything, close the log; answered by Stopped, the last event there is."""

    type: Literal["shutdown"] = "shutdown"


Command = Annotated[
    OpenConversation
    | ReadEvents
    | StartTurn
    | InterruptTurn
    | AnswerQuestion
    | ListConversations
    | ReadConversation
    | ReadHistory
    | SaveDraft
    | SetSetting
    | CheckAnswer
    | ListInquiries
    | OfferAnswer
    | CarryOn
    | WatchWaiting
    | ReadLedger
    | RevokeEntry
    | AskAside
    | SendAside
    | TakeOver
    | ReadReviewers
    | ReadChanges
    | UndoChanges
    | CompactConversation
    | SwitchModel
    | ReadUsage
    | ReadContext
    | SetPlanMode
    | ReadSettings
    | ResetSetting
    | ReadTrust
    | TrustWorkspace
    | DistrustWorkspace
    | ListModels
    | ProbeSetup
    | TestModel
    | SaveSetup
    | ArchiveConversation
    | CancelWork
    | DeleteConversation
    | ForkConversation
    | ImportConversations
    | RenameConversation
    | RestoreConversation
    | SearchConversations
    | ComposingCommand
    | ClientGone
    | Shutdown,
    Field(discriminator="type"),
]
