"""Route an answer to a question that waits anywhere: here, in a conversation that no process owns, or in another
process (surface S6, S12). Calls no model; the conversation's owner continues the turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import dump, parse_object
from jp_tui.engine.base.dependencies import EngineDependencies, HeldBy
from jp_tui.engine.base.people import is_shared
from jp_tui.engine.record.asked_people import asked_people
from jp_tui.engine.record.event_codec import entry
from jp_tui.engine.record.inquiries import (
    MOST,
    Answer,
    Asked,
    digest_of,
    last_response,
    names,
    waiting,
    waiting_with_rows,
)
from jp_tui.engine.record.log import Log
from jp_tui.engine.recovery.answer_stored import (
    answer_recorded,
    assign_recorded,
    assign_stored,
    decide_stored,
    parse_stored_answer,
    people_asked,
    state_of,
)
from jp_tui.engine.recovery.offered_answers import GONE, Settled, counted
from jp_tui.engine.schema_check.validation import Checks
from jp_tui.engine.session.outside import answer_outside, close_ended
from jp_tui.engine.session.session import Session
from jp_tui.engine.session.worker_presence import worker_of
from jp_tui.inquiry.approvals import decode_addressed
from jp_tui.inquiry.on_question import SERVES
from jp_tui.journal.port import ConversationRow, JournalError, Stored
from jp_tui.protocol.commands import OfferAnswer
from jp_tui.protocol.events import OfferSettled
from jp_tui.protocol.people import Approvals

PATIENCE_SECONDS = 5.0
CHANGED = "the question has changed"
LOOK_SECONDS = 0.05

_CLOSED = {"withdrawn": "It was withdrawn: the program that asked has ended.", "timed_out": "It timed out."}
Status = Literal[
    "accepted", "answered", "invalid", "stale", "unknown", "ambiguous", "no_reaction", "counted", "not_yours", "claimed"
]


@dataclass(frozen=True, slots=True)
class _Given:
    """An answer as text, with its note; `decline`: none, and the server that asks reads a no. With `to` it isn't an
    answer: the question is handed over to this person or group (store.md D16)."""

    text: str = field(repr=False)
    note: str
    decline: bool
    to: str = ""

    def offered(self, request: ev.InquiryRequest) -> str:
        """Return it as the payload of an offer."""
        digest = digest_of(request)
        if self.to:
            return dump({"to": self.to, "digest": digest})
        return dump({"value": self.text, "digest": digest, "note": self.note, "decline": self.decline})


@dataclass(frozen=True, slots=True)
class LocatedQuestion:
    """An open question: its request, with the row of its conversation."""

    row: Stored
    request: ev.InquiryRequest
    there: ConversationRow | None


def looked_at_by(setup: EngineDependencies, located: LocatedQuestion) -> str:
    """Return the other person who looks at a question that this process's user may answer, empty if no one does
    (store.md D16). Raises JournalError."""
    if not is_shared(setup):
        return ""
    rows = {located.there.id: located.there} if located.there is not None else {}
    (one,) = asked_people(setup, [(located.row, located.request)], rows).values()
    return one.claimed_by if one.yours and one.claimed_by != setup.journal.me() else ""


class _WorkerThere:
    """Looks up, once, whether a worker resumes turns of a conversation's folder (D21)."""

    def __init__(self, setup: EngineDependencies, conversation: str, row: ConversationRow | None) -> None:
        self._setup, self._conversation, self._row = setup, conversation, row
        self._words: str | None = None

    def words(self) -> str:
        """Return a description of the worker, empty if there is none or the store can't be read."""
        if self._words is None:
            self._words = ""
            with suppress(JournalError):
                row = self._row or self._setup.journal.conversation(self._conversation)
                if row is not None:
                    self._words = worker_of(row.machine, row.workspace, self._setup.holders)
        return self._words


class AnswerRouter:
    """Handles OfferAnswer commands. `session` returns a conversation that is open in this engine."""

    def __init__(self, setup: EngineDependencies, checks: Checks, session: Callable[[str], Session | None]) -> None:
        self._setup, self._checks, self._session = setup, checks, session

    async def locate(self, conversation: str, inquiry: str) -> LocatedQuestion | OfferSettled:
        """Return the one open question with this id, or why there is none. Raises JournalError."""
        row = None
        if conversation and (row := self._setup.journal.conversation(conversation)) is not None:
            conversation = row.id
        found, rows = self._waiting(conversation, inquiry, row)
        sure = len(found) == 1 and found[0][1].source.kind != "outside"
        if not sure and await close_ended(self._setup):
            found, rows = self._waiting(conversation, inquiry, row)
        if len(found) > 1:
            words = "This ID matches several open questions. Enter the full ID of one."
            return self._reply_with("ambiguous", inquiry, message=words, candidates=names(found))
        if not found:
            return self._nothing(conversation, inquiry)
        return LocatedQuestion(*found[0], rows.get(found[0][0].conversation))

    async def offer(self, command: OfferAnswer) -> OfferSettled:
        """Return the result. Raises JournalError."""
        inquiry = command.inquiry
        located = await self.locate(command.conversation, inquiry)
        if isinstance(located, OfferSettled):
            return located
        row_, request, there = located.row, located.request, located.there
        if command.digest and command.digest != str(request.metadata.get("digest", "")):
            return self._reply(("stale", CHANGED), row_.conversation, request.id)
        if not command.anyway and (by := looked_at_by(self._setup, located)):
            return self._reply_with(
                "claimed", request.id, conversation=row_.conversation, by=by, message=f"{by} looks at this question."
            )
        if request.source.kind == "outside":
            answered = await answer_outside(
                self._setup,
                self._checks,
                (row_, request),
                command.value,
                command.note,
                decline=command.decline,
                hidden=command.hidden,
                remember=command.remember,
                rule=command.rule,
                arguments=command.arguments,
            )
            closed = _closed(last_response(self._setup.journal, row_.conversation, request.id))
            reply = self._reply(answered, row_.conversation, request.id, closed=closed)
            return reply.model_copy(update={"outside": True})
        if command.arguments is not None:
            words = "The arguments can't be edited here. Open its conversation to edit them."
            return self._reply_with("invalid", inquiry, conversation=row_.conversation, message=words)
        if command.remember or command.rule is not None:
            words = "An answer is remembered here only for a program's session. Open its conversation to remember it."
            return self._reply_with("invalid", inquiry, conversation=row_.conversation, message=words)
        if command.decline and request.metadata.get(SERVES) is not True:
            words = "Only a question of another program or an MCP server can be declined. Open its conversation."
            return self._reply_with("invalid", inquiry, conversation=row_.conversation, message=words)
        if command.decline and command.note:
            words = "An MCP server gets no reason. Decline without one."
            return self._reply_with("invalid", inquiry, conversation=row_.conversation, message=words)
        given = _Given(command.value, command.note, command.decline)
        worker = _WorkerThere(self._setup, row_.conversation, there)
        if there is not None and there.owner not in ("", self._setup.journal.me()):
            settled = await self._of_another(there, row_.entry.turn, request, given)
        else:
            settled = await self._deliver(row_.conversation, row_.entry.turn, request, given, worker)
        if isinstance(settled, OfferSettled):
            return settled
        reply = self._reply(self._so_far(settled, row_.conversation, request), row_.conversation, request.id)
        return reply.model_copy(update={"worker": worker.words()}) if settled[0] == "accepted" else reply

    async def hand_over(self, located: LocatedQuestion, to: str) -> Settled | OfferSettled:
        """Hand an open question over to a person or group, as an answer is given (store.md D16). Raises
        JournalError."""
        row, request, there = located.row, located.request, located.there
        given = _Given("", "", False, to)
        outside = request.source.kind == "outside"  # those have no holder
        if there is not None and (outside or there.owner not in ("", self._setup.journal.me())):
            return await self._of_another(there, row.entry.turn, request, given)
        worker = _WorkerThere(self._setup, row.conversation, there)
        return await self._deliver(row.conversation, row.entry.turn, request, given, worker)

    def _so_far(self, settled: Settled, conversation: str, request: ev.InquiryRequest) -> Settled:
        """Return the result of an answer to a question that several must approve: accepted only once they have (D15).
        Raises JournalError."""
        if settled[0] != "accepted" or decode_addressed(request.metadata).needed == 1:
            return settled
        if last_response(self._setup.journal, conversation, request.id) is not None:
            return settled
        asked, votes = state_of(self._setup, conversation, request)
        return "counted", counted(asked, votes)

    def _waiting(
        self, conversation: str, inquiry: str, row: ConversationRow | None
    ) -> tuple[list[Asked], Mapping[str, ConversationRow]]:
        """Find it by id, else by CONVERSATION/ID; ids may contain a slash. `row` is that of the conversation. Return it
        with the rows of the conversations that were looked at."""
        known = {row.id: row} if row is not None else None
        everything, rows = waiting_with_rows(self._setup.journal, conversation or None, known)
        found = [item for item in everything if item[1].id == inquiry]
        if found or conversation:
            return found, rows
        return [item for item in everything if inquiry in names([item])] or [
            (row, request)
            for row, request in everything
            if (head := inquiry.removesuffix(f"/{request.id}")) != inquiry and row.conversation.startswith(head)
        ], rows

    def _nothing(self, conversation: str, inquiry: str) -> OfferSettled:
        """Report that nothing waits under that id: already answered, or never asked."""
        journal, name, id_ = self._setup.journal, conversation, inquiry
        if not name and "/" in inquiry and (row := journal.conversation(inquiry.split("/", 1)[0])) is not None:
            name, id_ = row.id, inquiry.split("/", 1)[1]
        places = [name] if name else [row.id for row in journal.conversations(limit=MOST, include_archived=True)]
        for place in places:
            if (response := last_response(journal, place, id_)) is not None:
                if words := _CLOSED.get(_tag(response), ""):
                    return self._reply_with("answered", id_, conversation=place, by=self._by(response), message=words)
                return self._reply(("answered", self._by(response)), place, id_, closed=_closed(response))
        return self._reply_with("unknown", inquiry, message=f"No open question has the ID {inquiry}.")

    async def _deliver(
        self, conversation: str, turn: int, request: ev.InquiryRequest, given: _Given, worker: _WorkerThere
    ) -> Settled | OfferSettled:
        session = self._session(conversation)
        if session is not None and session.mine:
            return await session.offered(request, turn, given.text, given.note, decline=given.decline, to=given.to)
        held = self._setup.lock(conversation)
        if isinstance(held, HeldBy):
            return await self._ask_holder(conversation, turn, request, given, worker)
        try:
            return await self._alone(conversation, turn, request, given)
        finally:
            held.release()

    async def _alone(self, conversation: str, turn: int, request: ev.InquiryRequest, given: _Given) -> Settled:
        """Decide and append here, since no process owns it. Another may have answered before this one got the lock."""
        journal = self._setup.journal
        row = journal.conversation(conversation)
        if row is None or not any(item.id == request.id for _, item in waiting(journal, conversation)):
            response = last_response(journal, conversation, request.id)
            return ("answered", self._by(response)) if response is not None else ("stale", GONE)
        log = Log(self._setup, lambda _: None, row.id, row.model, row.title, exists=True, turn=turn)
        if given.to:
            return await assign_recorded(log, request, given.to)
        return await answer_recorded(log, self._checks, request, given.text, given.note, decline=given.decline)

    async def _of_another(
        self, row: ConversationRow, turn: int, request: ev.InquiryRequest, given: _Given
    ) -> Settled | OfferSettled:
        """Answer in another person's conversation (store.md D18): offered to who holds it, else recorded by the server,
        which judges it. Another answer or vote that comes between is read, and it is decided again."""
        journal, clock, id_ = self._setup.journal, self._setup.monotonic, row.id
        end, number, words = clock() + PATIENCE_SECONDS, 0, ""
        try:
            while clock() < end:
                if number and (seen := journal.offer(number)) is not None and seen.state != "open":
                    number = 0
                    return seen.state, seen.words
                if words := self._setup.holder(id_):
                    at = timestamp(self._setup.now())
                    number = number or await journal.make_offer(id_, request.id, given.offered(request), at)
                    await self._setup.commits.wait(LOOK_SECONDS)
                    continue
                if number:
                    await journal.withdraw_offer(number)
                    if (seen := journal.offer(number)) is not None:
                        number = 0
                        return seen.state, seen.words
                    number = 0
                if (settled := await self._appended(row, turn, request, given)) is not None:
                    return settled
        except JournalError as problem:
            if problem.kind not in ("refused", "unknown"):
                raise
            return ("invalid", str(problem)) if problem.kind == "refused" else ("stale", GONE)
        finally:
            if number:
                with suppress(Exception):
                    await journal.withdraw_offer(number)
        message = f"{words} has the conversation open but didn't respond."
        return self._reply_with("no_reaction", request.id, conversation=id_, message=message)

    async def _appended(
        self, row: ConversationRow, turn: int, request: ev.InquiryRequest, given: _Given
    ) -> Settled | None:
        """Decide, and append what comes of it if nothing came between; None if something did. Raises JournalError."""
        setup, journal = self._setup, self._setup.journal
        if not (events := journal.inquiry_events(row.id, request.id)):
            return "stale", GONE  # closed meanwhile, so that this user reads nothing of it any more
        last = events[-1].seq
        asked = people_asked(setup, row.id, request, lambda: row.owner)
        if given.to:
            decided = assign_stored(request, asked, given.to)
        else:
            decided = await decide_stored(
                setup, self._checks, request, given.text, given.note, decline=given.decline, asked=asked
            )
        if isinstance(decided, tuple):
            return decided
        if not decided.events:
            return decided.settled
        at = timestamp(setup.now())
        entries = [entry(replace(one, timestamp=at), turn, at)[0] for one in decided.events]
        try:
            if await journal.settle_outside(row.id, request.id, entries, last):
                return decided.settled
        except JournalError as problem:
            if problem.kind == "held":
                return None
            raise
        if not any(item.id == request.id for _, item in waiting(journal, row.id)):
            response = last_response(journal, row.id, request.id)
            return ("answered", self._by(response)) if response is not None else ("stale", GONE)
        return None

    async def _ask_holder(
        self, conversation: str, turn: int, request: ev.InquiryRequest, given: _Given, worker: _WorkerThere
    ) -> Settled | OfferSettled:
        """Offer it, and wait; if the owner ends meanwhile, take the lock."""
        journal, clock = self._setup.journal, self._setup.monotonic
        offered = given.offered(request)
        offering = journal.make_offer(conversation, request.id, offered, timestamp(self._setup.now()))
        worker.words()  # looked up while the offer is stored and decided about
        number = await offering
        end, words, done = clock() + PATIENCE_SECONDS, "somebody else", False
        try:
            while clock() < end:
                if (seen := journal.offer(number)) is not None and seen.state != "open":
                    done = True
                    return seen.state, seen.words
                held = self._setup.lock(conversation)
                if not isinstance(held, HeldBy):
                    try:
                        await journal.withdraw_offer(number)
                        if (seen := journal.offer(number)) is not None and seen.state != "open":
                            return seen.state, seen.words
                        settled = await self._alone(conversation, turn, request, given)
                        if settled[0] == "answered" and self._on_record(conversation, request, given):
                            return "accepted", ""  # accepted by an owner that ended before its reply
                        return settled
                    finally:
                        held.release()
                words = held.words
                await self._setup.commits.wait(LOOK_SECONDS)
        finally:
            if not done:
                with suppress(Exception):
                    await journal.withdraw_offer(number)
        if (seen := journal.offer(number)) is not None and seen.state != "open":
            return seen.state, seen.words
        message = f"{words} has the conversation open but didn't respond."
        return self._reply_with("no_reaction", request.id, conversation=conversation, message=message)

    def _on_record(self, conversation: str, request: ev.InquiryRequest, given: _Given) -> bool:
        """True if the recorded answer is this one, offered by a process."""
        response = last_response(self._setup.journal, conversation, request.id)
        if given.decline:
            return isinstance(response, ev.InquiryCancelled) and response.reason == "user_decline"
        if not isinstance(response, ev.InquiryAnswered) or response.responder is None:
            return False
        try:
            _, value = parse_stored_answer(request, given.text)
        except (ValueError, TypeError, KeyError):
            return False
        me, by = self._setup.journal.me(), response.responder
        return by.via == "process" and response.answer == value and by.who in ("", me)

    def _by(self, response: Answer) -> str:
        """Return who answered: the kind of responder, or another person's name."""
        by = None if isinstance(response, ev.InquiryRedacted) else response.responder
        if by is None:
            return ""
        return by.who if by.who and by.who != self._setup.journal.me() else by.kind

    def _reply(self, settled: Settled, conversation: str, inquiry: str, *, closed: bool = False) -> OfferSettled:
        state, words = settled
        match state:
            case "accepted" | "open":
                return self._reply_with(
                    "accepted", inquiry, conversation=conversation, message=words or "The answer is recorded."
                )
            case "counted":
                approvals = Approvals.model_validate(parse_object(words, max_bytes=1 << 20))
                names = f" ({', '.join(approvals.by)})" if approvals.by else ""
                message = f"Your yes counts: {len(approvals.by)} of {approvals.needed} approvals{names}."
                reply = self._reply_with("counted", inquiry, conversation=conversation, message=message)
                return reply.model_copy(update={"approvals": approvals})
            case "not_yours":
                message = f"Not taken: {words}."
                return self._reply_with("not_yours", inquiry, conversation=conversation, message=message)
            case "answered":
                done = "closed without an answer" if closed else "answered"
                message = f"It was already {done}" + (f" ({words})." if words else ".")
                return self._reply_with("answered", inquiry, conversation=conversation, by=words, message=message)
            case "invalid":
                return self._reply_with(
                    "invalid", inquiry, conversation=conversation, message=f"This answer isn't valid: {words}."
                )
            case "stale":
                return self._reply_with(
                    "stale", inquiry, conversation=conversation, message=f"Not taken: {words or GONE}."
                )

    def _reply_with(
        self,
        status: Status,
        inquiry: str,
        *,
        conversation: str = "",
        by: str = "",
        message: str = "",
        candidates: tuple[str, ...] = (),
    ) -> OfferSettled:
        return OfferSettled(
            status=status, inquiry=inquiry, conversation=conversation, by=by, message=message, candidates=candidates
        )


def _closed(response: object) -> bool:
    return isinstance(response, ev.InquiryCancelled)


def _tag(response: object) -> str:
    return response.reason if isinstance(response, ev.InquiryCancelled) else ""
