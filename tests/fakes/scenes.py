"""What an engine would report in the scenes that pictures and tests are made of; every value fixed."""

from __future__ import annotations

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import Control, PromptRequest, StoredEvent, TurnError, UsageTotals
from jp_tui.questions.types import AnswerType, BooleanAnswer, Option, Question, SelectAnswer, TextAnswer
from jp_tui.questions.wire import digest, recorded
from tests.fakes.link import CONVERSATION

AT = "2026-03-05 21:21:16.5"
PATH = "docs/rfd/008-knowledge-base.md"
GREETING = Foreign(
    "Hello. This is the offline tour.\n\n1. change a file\n2. answer a question\n\nType a number or a name."
)
PROMPT = "Add a cross-reference to RFD 016 in the knowledge-base RFD, then tell me what else links there."
REPLY = (
    "I'll read the file first, then propose **one** small change:\n\n"
    "1. insert a `TIP` admonition under *Storage*\n2. leave the surrounding section as it is\n"
)
DIFF = (
    f"--- a/{PATH}\n+++ b/{PATH}\n@@ -40,3 +40,6 @@\n ## Storage\n+> [!TIP]\n"
    "+> [RFD 016] adds a plugin architecture.\n+\n Entries are kept as Markdown files under `.jp/kb`.\n"
)


def appended(seq: int, event: stored.Event, *, turn: int = 1, closes: str = "") -> ev.EventAppended:
    """A fact with its number."""
    one = StoredEvent(seq=seq, turn=turn, event=event.wire())
    return ev.EventAppended(conversation=CONVERSATION, stored=one, closes=closes)


def call(
    name: str, state: str, *, id_: str = "call_1", ms: int | None = None, end: str | None = None
) -> ev.CallChanged:
    """A call of this turn in some state."""
    return ev.CallChanged.model_validate(
        {
            "conversation": CONVERSATION,
            "turn": 1,
            "call": id_,
            "tool": name,
            "state": state,
            "title": PATH,
            "ms": ms,
            "end": end,
        }
    )


def started(model: str = "demo/tour") -> list[ev.Event]:
    """The user spoke, the model is asked."""
    return [
        ev.TurnStarted(conversation=CONVERSATION, turn=1, model=model),
        appended(1, stored.TurnStart(timestamp=AT)),
        appended(2, stored.ChatRequest(timestamp=AT, content=PROMPT)),
        ev.TurnPhase(conversation=CONVERSATION, turn=1, phase="waiting_for_model"),
    ]


def streaming() -> list[ev.Event]:
    """The model writes."""
    return [
        *started(),
        ev.TurnPhase(conversation=CONVERSATION, turn=1, phase="streaming"),
        ev.PartDelta(conversation=CONVERSATION, turn=1, part="1.0.0", kind="message", text=Foreign(REPLY)),
    ]


def tools() -> list[ev.Event]:
    """One tool is done, one runs."""
    read = stored.ToolCallRequest(timestamp=AT, id="call_1", name="fs_read_file", arguments={"path": PATH})
    change = stored.ToolCallRequest(timestamp=AT, id="call_2", name="fs_modify_file", arguments={"path": PATH})
    content = "\n".join(f"line {n}" for n in range(1, 13))
    return [
        *streaming(),
        appended(3, stored.ChatResponse(timestamp=AT, kind="message", content=REPLY), closes="1.0.0"),
        appended(4, read),
        appended(5, change),
        ev.TurnPhase(conversation=CONVERSATION, turn=1, phase="tools"),
        call("fs_read_file", "running"),
        call("fs_modify_file", "running", id_="call_2"),
        call("fs_read_file", "completed", ms=38, end="ok"),
        appended(6, stored.ToolCallResponse(timestamp=AT, id="call_1", content=content, metadata={"ms": 38})),
    ]


def question(kind: str) -> Question:
    """A question of each type of this issue."""
    kinds: dict[str, tuple[str, str, AnswerType, str | None]] = {
        "boolean": ("apply_changes", "Apply this change?", BooleanAnswer(), DIFF),
        "select": (
            "branch",
            "Which branch should it go to?",
            SelectAnswer(
                (Option("main", "protected"), Option("next", "the default", recommended=True), Option("docs"))
            ),
            None,
        ),
        "text": ("message", "What should the commit message say?", TextAnswer(), None),
    }
    id_, text, answer_type, context = kinds[kind]
    return Question(id=id_, text=text, answer_type=answer_type, context=context)


def prompt(kind: str, *, inquiry: str = "", call_id: str = "call_2") -> PromptRequest:
    """The same as a request to the human."""
    asks = question(kind)
    controls: frozenset[Control] = frozenset({"reply", "end_turn", "cancel", "remember"})
    return PromptRequest(
        conversation=CONVERSATION,
        inquiry=inquiry or f"{call_id}.{asks.id}.1",
        call=call_id,
        tool="fs_modify_file",
        turn=1,
        digest=digest(asks),
        source="tool",
        source_name="fs_modify_file",
        question=asks,
        subject=Foreign(PATH),
        controls=controls,
        remember_covers="until this turn ends, every `apply_changes` of fs_modify_file",
        preselect=kind != "boolean",
        why="no setting answers for you",
        asked_at=AT,
    )


def asked(kind: str = "boolean", **given: str) -> list[ev.Event]:
    """A question waits for the human."""
    request = prompt(kind, **given)
    source = stored.Source("tool", "fs_modify_file")
    fact = stored.InquiryRequest(
        timestamp=AT,
        id=request.inquiry,
        source=source,
        question=recorded(request.question),
        metadata={"call": request.call},
    )
    return [
        appended(7, fact),
        call("fs_modify_file", "awaiting_input", id_=request.call),
        ev.QuestionAsked(conversation=CONVERSATION, prompt=request),
    ]


def answered(answer: object = True, *, id_: str = "call_2.apply_changes.1") -> list[ev.Event]:
    """The human's yes, and what came of it."""
    by = stored.Responder("user", ms=5200)
    return [
        appended(8, stored.InquiryAnswered(timestamp=AT, id=id_, answer=answer, responder=by)),
        ev.QuestionSettled(conversation=CONVERSATION, inquiry=id_, how="answered", by="user"),
        call("fs_modify_file", "running", id_="call_2"),
        call("fs_modify_file", "completed", id_="call_2", ms=5240, end="ok"),
        appended(9, stored.ToolCallResponse(timestamp=AT, id="call_2", content="changed", metadata={"ms": 5240})),
    ]


USAGE = UsageTotals(input=12_400, output=812, context=13_200)


def done() -> list[ev.Event]:
    """The model says its last word."""
    last = "Done. Nothing else links there.\n"
    numbers = {"input": 12_400, "output": 812, "context": 13_200}
    return [
        appended(10, stored.ChatResponse(timestamp=AT, kind="message", content=last)),
        appended(11, stored.TurnOutcome(timestamp=AT, outcome="done", model="demo/tour", usage=numbers, ms=9_300)),
        ev.TurnCompleted(conversation=CONVERSATION, turn=1, outcome="done", usage=USAGE, ms=9_300),
    ]


def failed() -> list[ev.Event]:
    """The server refuses the key; the prompt comes back."""
    error = TurnError(
        kind="auth",
        message="The server refused the key (401).",
        advice="Check ANTHROPIC_API_KEY, then send the message again.",
        detail=Foreign("invalid x-api-key"),
    )
    wire = {"kind": "auth", "message": error.message, "advice": error.advice, "detail": error.detail.raw}
    return [
        *started(),
        appended(3, stored.TurnOutcome(timestamp=AT, outcome="failed", model="demo/tour", ms=310, error={**wire})),
        ev.TurnCompleted(conversation=CONVERSATION, turn=1, outcome="failed", ms=310, error=error, returned=PROMPT),
    ]


def page(events: list[ev.Event]) -> tuple[StoredEvent, ...]:
    """The facts among them, as a reloaded conversation has them."""
    return tuple(event.stored for event in events if isinstance(event, ev.EventAppended))
