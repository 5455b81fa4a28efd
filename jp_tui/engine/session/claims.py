"""People look at open questions, and hand them over (store.md D16). A claim is the store's; a hand-over is delivered as
an answer is."""

from __future__ import annotations

from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.base.people import is_shared, people_of
from jp_tui.engine.record.asked_people import asked_people
from jp_tui.engine.recovery.answer_stored import state_of
from jp_tui.engine.recovery.offered_answers import ALONE, GONE
from jp_tui.engine.session.answer_router import AnswerRouter, LocatedQuestion
from jp_tui.inquiry.people import GROUP, NOT_ASKED, too_few
from jp_tui.protocol.events import OfferSettled
from jp_tui.protocol.people import ClaimInquiry, ClaimSettled, PeopleListed, PersonInfo

CLAIMED = "Others see for 10 minutes that you look at it."
RELEASED = "You no longer look at it."


class Claims:
    """Handles ClaimInquiry; questions are found and handed over by `answers`."""

    def __init__(self, setup: EngineDependencies, answers: AnswerRouter) -> None:
        self._setup, self._answers = setup, answers

    async def claim(self, command: ClaimInquiry) -> ClaimSettled:
        """Return the result. Raises JournalError."""
        if not is_shared(self._setup):
            return ClaimSettled(status="invalid", inquiry=command.inquiry, message=_sentence(ALONE))
        located = await self._answers.locate(command.conversation, command.inquiry)
        if isinstance(located, OfferSettled):
            return _not_open(located)
        if command.to:
            return await self._hand_over(located, command.to)
        return await self._look(located, release=command.release)

    async def _look(self, located: LocatedQuestion, *, release: bool) -> ClaimSettled:
        setup, id_, inquiry = self._setup, located.row.conversation, located.request.id
        found = ClaimSettled(status="claimed", inquiry=inquiry, conversation=id_)
        rows = {id_: located.there} if located.there is not None else {}
        (people,) = asked_people(setup, [(located.row, located.request)], rows).values()
        if not (people.yours or release):
            return found.model_copy(update={"status": "not_yours", "message": _sentence(NOT_ASKED)})
        me, by = setup.journal.me(), await setup.journal.claim(id_, inquiry, release=release)
        if by is None and not release:
            return found.model_copy(update={"status": "stale", "message": _sentence(GONE)})
        if by and by != me:
            return found.model_copy(update={"status": "taken", "claimed_by": by, "message": f"{by} looks at it."})
        if release:
            return found.model_copy(update={"status": "released", "message": RELEASED})
        return found.model_copy(update={"claimed_by": me, "message": CLAIMED})

    async def _hand_over(self, located: LocatedQuestion, to: str) -> ClaimSettled:
        settled = await self._answers.hand_over(located, to)
        if isinstance(settled, OfferSettled):
            return _not_open(settled)
        (state, words), id_ = settled, located.row.conversation
        found = ClaimSettled(status="assigned", inquiry=located.request.id, conversation=id_, to=to)
        match state:
            case "accepted" | "counted" | "open":
                return found.model_copy(update={"message": f"Handed over to {to}.{self._lack(located)}"})
            case "answered":
                said = f"It was already answered{f' ({words})' if words else ''}."
                return found.model_copy(update={"status": state, "message": said})
            case "invalid":
                said = f"It can't be handed over: {words}."
                return found.model_copy(update={"status": state, "message": said})
            case "not_yours" | "stale":
                return found.model_copy(update={"status": state, "message": _sentence(words or GONE)})

    def _lack(self, located: LocatedQuestion) -> str:
        """Return a sentence if fewer people could approve it now than must. Raises JournalError."""
        owner = located.there.owner if located.there is not None else ""
        people = people_of(self._setup, owner)
        if people is None:
            return ""
        asked, _ = state_of(self._setup, located.row.conversation, located.request)
        lack = too_few(asked, people)
        return f" {lack}" if lack else ""

    def people(self) -> PeopleListed:
        """Return who answers in this store. Raises JournalError."""
        found = people_of(self._setup, "")
        if found is None:
            return PeopleListed()
        me, persons = self._setup.journal.me(), sorted(found.persons.values(), key=lambda one: one.name)
        return PeopleListed(
            people=tuple(
                PersonInfo(
                    name=one.name,
                    groups=tuple(sorted(one.groups)),
                    away_until=one.away,
                    deputy=one.deputy,
                    you=one.name == me,
                )
                for one in persons
            ),
            groups=tuple(sorted({f"{GROUP}{name}" for one in persons for name in one.groups})),
        )


def _not_open(settled: OfferSettled) -> ClaimSettled:
    """Return why no such question is open, as an answer says it."""
    status = settled.status
    assert status in ("ambiguous", "answered", "unknown", "no_reaction")
    return ClaimSettled(
        status=status,
        inquiry=settled.inquiry,
        conversation=settled.conversation,
        message=settled.message,
        candidates=settled.candidates,
    )


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
