"""Commands to the engine. Imperative names; every literal is pinned by a test."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

from jp_tui.protocol.base import Model, OneOf
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
from jp_tui.protocol.mcp import AcceptMcpTools as AcceptMcpTools
from jp_tui.protocol.mcp import FillServerPrompt as FillServerPrompt
from jp_tui.protocol.mcp import LogInToMcpServer as LogInToMcpServer
from jp_tui.protocol.mcp import OpenMcpLogin as OpenMcpLogin
from jp_tui.protocol.mcp import ReadMcp as ReadMcp
from jp_tui.protocol.mcp import ReadServerPrompt as ReadServerPrompt
from jp_tui.protocol.mcp import RestartMcpServer as RestartMcpServer
from jp_tui.protocol.mcp import StopMcpLogin as StopMcpLogin
from jp_tui.protocol.mcp import SwitchMcpTool as SwitchMcpTool
from jp_tui.protocol.mode import SetApprovalMode as SetApprovalMode
from jp_tui.protocol.models import ListModels as ListModels
from jp_tui.protocol.outside import AskOutside as AskOutside
from jp_tui.protocol.outside import AskOutsideForm as AskOutsideForm
from jp_tui.protocol.outside import PermitOutside as PermitOutside
from jp_tui.protocol.outside import ReadAgents as ReadAgents
from jp_tui.protocol.outside import WithdrawOutside as WithdrawOutside
from jp_tui.protocol.own_commands import ReadOwnCommands as ReadOwnCommands
from jp_tui.protocol.people import ClaimInquiry as ClaimInquiry
from jp_tui.protocol.people import ListPeople as ListPeople
from jp_tui.protocol.plan import SetPlanMode as SetPlanMode
from jp_tui.protocol.rules import ReadRules as ReadRules
from jp_tui.protocol.rules import RevokeRule as RevokeRule
from jp_tui.protocol.rules import TakeSuggestion as TakeSuggestion
from jp_tui.protocol.settings import ReadSettings as ReadSettings
from jp_tui.protocol.settings import ResetSetting as ResetSetting
from jp_tui.protocol.setup import ProbeSetup as ProbeSetup
from jp_tui.protocol.setup import SaveSetup as SaveSetup
from jp_tui.protocol.setup import TestModel as TestModel
from jp_tui.protocol.store import RetryStore as RetryStore
from jp_tui.protocol.store import StoreCommand
from jp_tui.protocol.store import TakeBackAnswer as TakeBackAnswer
from jp_tui.protocol.trust import DistrustWorkspace as DistrustWorkspace
from jp_tui.protocol.trust import ReadTrust as ReadTrust
from jp_tui.protocol.trust import TrustWorkspace as TrustWorkspace
from jp_tui.protocol.usage import ReadUsage as ReadUsage
from jp_tui.protocol.usage import SwitchModel as SwitchModel
from jp_tui.protocol.values import ChosenRule, Response

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
    """Read up to `count` events around number `around`; answered by EventsRead."""

    type: Literal["read_events"] = "read_events"
    conversation: str
    around: int
    count: int = 256


class StartTurn(Model):
    """Send a message to the model. `attachments` are paths of images, which are read now. With `command` a text `/NAME
    …` runs the own command of that name, if there is one (context.md K50); Refused with the code `command_refused` if
    it can't be used."""

    type: Literal["start_turn"] = "start_turn"
    conversation: str
    text: str
    attachments: tuple[str, ...] = ()
    command: bool = False


class InterruptTurn(Model):
    """Interrupt the turn (R211): while streaming reply, stop, abort; while tools run respond, stop, restart.

    `text` goes with reply and respond. Continue needs no command. With `after_calls` running calls finish, and open
    questions stay open; then the turn stops as with stop, and the model gets no further request.
    """

    type: Literal["interrupt_turn"] = "interrupt_turn"
    conversation: str
    action: Interrupt
    text: str = ""
    after_calls: bool = False


class AnswerQuestion(Model):
    """Answer by id and digest; an answer to anything else than the question that was shown is refused (R235)."""

    type: Literal["answer_question"] = "answer_question"
    conversation: str
    inquiry: str
    digest: str
    response: Response


class ListConversations(Model):
    """List conversations, newest first; an empty workspace means all. Answered by ConversationsListed. Those of
    sub-agents are left out unless requested. `which`: neither archived nor deleted ones, only one of these, or all but
    the deleted.
    """

    type: Literal["list_conversations"] = "list_conversations"
    workspace: str = ""
    limit: int = 200
    agents: bool = False
    which: Literal["active", "archived", "deleted", "all"] = "active"
    offset: int = 0


class ReadConversation(Model):
    """Read up to `count` events after number `after`, of a conversation that need not be open; answered by
    ConversationRead. A unique beginning of the id is enough."""

    type: Literal["read_conversation"] = "read_conversation"
    conversation: str
    after: int = 0
    count: int = 1000


class ReadHistory(Model):
    """Read the messages typed in this workspace before; answered by HistoryRead, newest last."""

    type: Literal["read_history"] = "read_history"
    limit: int = 200


class SaveDraft(Model):
    """Keep unsent text; `key` is `composer` or an inquiry id; empty text forgets it."""

    type: Literal["save_draft"] = "save_draft"
    conversation: str
    key: str
    text: str = field(repr=False)


class SetSetting(Model):
    """Write one key to the user's file, comments kept; answered by SettingChanged or Refused."""

    type: Literal["set_setting"] = "set_setting"
    key: str
    value: Any


class CheckAnswer(Model):
    """Check a value against the question's schema. Answered by AnswerChecked with the same `revision`."""

    type: Literal["check_answer"] = "check_answer"
    conversation: str
    inquiry: str
    revision: int
    value: Any = field(repr=False)


class ListInquiries(Model):
    """List the questions and answers of a conversation, or with an empty `conversation` of all; answered by
    InquiriesListed. `pending`: only open ones that this user may answer, with `every` also those that wait for others
    (store.md D19). A unique beginning of the conversation's id is enough."""

    type: Literal["list_inquiries"] = "list_inquiries"
    conversation: str = ""
    pending: bool = False
    every: bool = False


class OfferAnswer(Model):
    """Answer an open question, of this process or another (S6, S12); answered by OfferSettled. `conversation` may be
    empty when the inquiry's id is unique. `value` is the text as typed, read by the question's type. With `carry_on` a
    conversation that no process holds then resumes its turn, as with CarryOn; `note` is sent with the answer (R182).
    `decline`: there is no answer, only, perhaps, a note (N8); for questions of other programs. `hidden`: the value was
    on no command line, so that a secret is accepted. `remember`: for the rest of the program's session (N3); `rule`:
    also make these rules, of those that the question offers. `arguments`: the yes is to the call with these, where the
    question takes them. With a `digest`, only a question with that digest is answered. `anyway`: also one that another
    person looks at (store.md D16)."""

    type: Literal["offer_answer"] = "offer_answer"
    conversation: str = ""
    inquiry: str
    value: str = field(repr=False)
    carry_on: bool = False
    note: str = ""
    decline: bool = False
    hidden: bool = False
    remember: bool = False
    rule: ChosenRule | None = None
    arguments: dict[str, Any] | None = None
    digest: str = ""
    anyway: bool = False


class CarryOn(Model):
    """Open a conversation that no process holds and resume its unfinished turn in the background (E51). Its questions
    come as QuestionAsked, with its events, and AnswerQuestion answers them. For a sub-agent's, its parent resumes.
    Refused when another process holds it, or when there is nothing to resume; without effect where it runs already."""

    type: Literal["carry_on"] = "carry_on"
    conversation: str


class WatchWaiting(Model):
    """Report what waits as WaitingListed, now and whenever it changes, until it is sent with `on` false."""

    type: Literal["watch_waiting"] = "watch_waiting"
    on: bool = True


class ReadLedger(Model):
    """Report the ledger as LedgerRead, now and whenever it changes while the conversation is open."""

    type: Literal["read_ledger"] = "read_ledger"
    conversation: str


class RevokeEntry(Model):
    """Revoke an entry of the ledger; answered by LedgerRead, or Refused."""

    type: Literal["revoke_entry"] = "revoke_entry"
    conversation: str
    key: str


class AskAside(Model):
    """Ask a model a side question about an open question before answering it (E30). The model gets the conversation and
    the question, and can call no tools. Answered by AsideDelta and AsideEnded, or Refused."""

    type: Literal["ask_aside"] = "ask_aside"
    conversation: str
    inquiry: str
    text: str


class SendAside(Model):
    """Send the side questions and replies about this question, so far and to come, to the model after the results of
    the calls that run now (E30); with `send` false don't send them. Refused when there are none, or when it is too
    late."""

    type: Literal["send_aside"] = "send_aside"
    conversation: str
    inquiry: str
    send: bool = True


class TakeOver(Model):
    """Take a question over from the reviewer that is deciding it (R156). QuestionAsked follows, or AnswerRefused."""

    type: Literal["take_over"] = "take_over"
    conversation: str
    inquiry: str


class ReadReviewers(Model):
    """Read the results of reviewers over all conversations; answered by ReviewersRead."""

    type: Literal["read_reviewers"] = "read_reviewers"


class ClientGone(Model):
    """The client takes no more questions: its input ended, or it disconnected (Z9). Nothing is answered in its name:
    questions of turns that can be resumed stay open, and the model gets no further request. Running calls may still
    finish."""

    type: Literal["client_gone"] = "client_gone"


class Shutdown(Model):
    """Stop everything and close the log; answered by Stopped, the last event."""

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
    | ClaimInquiry
    | ListPeople
    | CarryOn
    | AskOutside
    | PermitOutside
    | AskOutsideForm
    | WithdrawOutside
    | ReadAgents
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
    | ReadOwnCommands
    | SetApprovalMode
    | ReadSettings
    | ResetSetting
    | ReadTrust
    | TrustWorkspace
    | DistrustWorkspace
    | ReadRules
    | RevokeRule
    | TakeSuggestion
    | ReadMcp
    | ReadServerPrompt
    | FillServerPrompt
    | AcceptMcpTools
    | SwitchMcpTool
    | RestartMcpServer
    | LogInToMcpServer
    | OpenMcpLogin
    | StopMcpLogin
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
    | StoreCommand
    | ClientGone
    | Shutdown,
    OneOf("type"),
]
