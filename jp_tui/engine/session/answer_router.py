"""Route an answer to a question that waits anywhere: here, in a conversation that no process owns, or in another
process (surface S6, S12). Calls no model; the conversation's owner continues the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import dump
from jp_tui.engine.base.dependencies import EngineDependencies, HeldBy
from jp_tui.engine.record.inquiries import MOST, Asked, last_response, names, waiting
from jp_tui.engine.record.log import Log
from jp_tui.engine.recovery.answer_stored import answer_recorded, parse_stored_answer
from jp_tui.engine.recovery.offered_answers import GONE, Settled
from jp_tui.engine.schema_check.validation import Checks
from jp_tui.engine.session.session import Session
from jp_tui.protocol.commands import OfferAnswer
from jp_tui.protocol.events import OfferSettled

PATIENCE_SECONDS = 5.0
LOOK_SECONDS = 0.05

Status = Literal["accepted", "answered", "invalid", "stale", "unknown", "ambiguous", "no_reaction"]


class AnswerRouter:
    """Handles OfferAnswer commands. `session` returns a conversation that is open in this engine."""

    def __init__(self, setup: EngineDependencies, checks: Checks, session: Callable[[str], Session | None]) -> None:
        self._setup, self._checks, self._session = setup, checks, session

    async def offer(self, command: OfferAnswer) -> OfferSettled:
        """Return the result. Raises JournalError."""
        conversation, inquiry = command.conversation, command.inquiry
        if conversation and (row := self._setup.journal.conversation(conversation)) is not None:
            conversation = row.id
        found = self._waiting(conversation, inquiry)
        if len(found) > 1:
            words = "Several questions wait under that id; name one of them."
            return self._said("ambiguous", inquiry, message=words, candidates=names(found))
        if not found:
            return self._nothing(conversation, inquiry)
        row_, request = found[0]
        settled = await self._settle(row_.conversation, row_.entry.turn, request, command.value, command.note)
        if isinstance(settled, OfferSettled):
            return settled
        return self._told(settled, row_.conversation, request.id)

    def _waiting(self, conversation: str, inquiry: str) -> list[Asked]:
        """Find it by id, else by CONVERSATION/ID; ids may contain a slash."""
        everything = waiting(self._setup.journal, conversation or None)
        found = [item for item in everything if item[1].id == inquiry]
        if found or conversation:
            return found
        return [item for item in everything if inquiry in names([item])] or [
            (row, request)
            for row, request in everything
            if (head := inquiry.removesuffix(f"/{request.id}")) != inquiry and row.conversation.startswith(head)
        ]

    def _nothing(self, conversation: str, inquiry: str) -> OfferSettled:
        """Report that nothing waits under that id: already answered, or never asked."""
        journal, name, id_ = self._setup.journal, conversation, inquiry
        if not name and "/" in inquiry and (row := journal.conversation(inquiry.split("/", 1)[0])) is not None:
            name, id_ = row.id, inquiry.split("/", 1)[1]
        places = [name] if name else [row.id for row in journal.conversations(limit=MOST, include_archived=True)]
        for place in places:
            if (response := last_response(journal, place, id_)) is not None:
                return self._told(("answered", _by(response)), place, id_, closed=_closed(response))
        return self._said("unknown", inquiry, message=f"No question waits under {inquiry}.")

    async def _settle(
        self, conversation: str, turn: int, request: ev.InquiryRequest, text: str, note: str
    ) -> Settled | OfferSettled:
        session = self._session(conversation)
        if session is not None and session.mine:
            return await session.offered(request, turn, text, note)
        held = self._setup.lock(conversation)
        if isinstance(held, HeldBy):
            return await self._ask_holder(conversation, turn, request, text, note)
        try:
            return await self._alone(conversation, turn, request, text, note)
        finally:
            held.release()

    async def _alone(self, conversation: str, turn: int, request: ev.InquiryRequest, text: str, note: str) -> Settled:
        """Decide and append here, since no process owns it. Another may have answered before this one got the lock."""
        journal = self._setup.journal
        row = journal.conversation(conversation)
        if row is None or not any(item.id == request.id for _, item in waiting(journal, conversation)):
            response = last_response(journal, conversation, request.id)
            return ("answered", _by(response)) if response is not None else ("stale", GONE)
        log = Log(self._setup, lambda _: None, row.id, row.model, row.title, exists=True, turn=turn)
        return await answer_recorded(log, self._checks, request, text, note)

    async def _ask_holder(
        self, conversation: str, turn: int, request: ev.InquiryRequest, text: str, note: str
    ) -> Settled | OfferSettled:
        """Offer it, and wait; if the owner ends meanwhile, take the lock."""
        journal, clock = self._setup.journal, self._setup.monotonic
        offered = dump({"value": text, "digest": str(request.metadata.get("digest", "")), "note": note})
        number = await journal.make_offer(conversation, request.id, offered, timestamp(self._setup.now()))
        end, words = clock() + PATIENCE_SECONDS, "somebody else"
        try:
            while clock() < end:
                if (seen := journal.offer(number)) is not None and seen.state != "open":
                    return seen.state, seen.words
                held = self._setup.lock(conversation)
                if not isinstance(held, HeldBy):
                    try:
                        await journal.withdraw_offer(number)
                        if (seen := journal.offer(number)) is not None and seen.state != "open":
                            return seen.state, seen.words
                        settled = await self._alone(conversation, turn, request, text, note)
                        if settled[0] == "answered" and self._on_record(conversation, request, text):
                            return "accepted", ""  # accepted by an owner that ended before its reply
                        return settled
                    finally:
                        held.release()
                words = held.words
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            with suppress(Exception):
                await journal.withdraw_offer(number)
        if (seen := journal.offer(number)) is not None and seen.state != "open":
            return seen.state, seen.words
        message = f"{words} holds the conversation and did not react."
        return self._said("no_reaction", request.id, conversation=conversation, message=message)

    def _on_record(self, conversation: str, request: ev.InquiryRequest, text: str) -> bool:
        """True if the recorded answer is this one, offered by a process."""
        response = last_response(self._setup.journal, conversation, request.id)
        if not isinstance(response, ev.InquiryAnswered) or response.responder is None:
            return False
        try:
            _, value = parse_stored_answer(request, text)
        except (ValueError, TypeError, KeyError):
            return False
        return response.responder.via == "process" and response.answer == value

    def _told(self, settled: Settled, conversation: str, inquiry: str, *, closed: bool = False) -> OfferSettled:
        state, words = settled
        match state:
            case "accepted" | "open":
                return self._said("accepted", inquiry, conversation=conversation, message="The answer is recorded.")
            case "answered":
                done = "closed without an answer" if closed else "answered"
                message = f"It was already {done}" + (f" ({words})." if words else ".")
                return self._said("answered", inquiry, conversation=conversation, by=words, message=message)
            case "invalid":
                return self._said(
                    "invalid", inquiry, conversation=conversation, message=f"That is no answer to it: {words}."
                )
            case "stale":
                return self._said("stale", inquiry, conversation=conversation, message=f"Not taken: {words or GONE}.")

    def _said(
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


def _by(response: ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted) -> str:
    if isinstance(response, ev.InquiryRedacted) or response.responder is None:
        return ""
    return response.responder.kind


def _closed(response: object) -> bool:
    return isinstance(response, ev.InquiryCancelled)
