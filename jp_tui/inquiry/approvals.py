"""Questions for other people than the owner (store.md D14-D16): who may answer, approvals of several, handing over.

The addressee, the number of approvals and the asker are recorded with the request (`ADDRESSED`), each approval but the
last and each hand-over as an event of its own, so that a turn that is resumed, and every other process, reads the same
(`restored`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jp_tui.conversation.events import Event, InquiryAssigned, InquiryRequest, InquiryVote, Responder
from jp_tui.conversation.strict_json import JsonObject, text_of
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import parts, transitions
from jp_tui.inquiry import values as v
from jp_tui.inquiry.closing import Decision, find, record_answer
from jp_tui.inquiry.people import (
    NOT_ASKED,
    OWN,
    OWNER,
    Addressed,
    Answerer,
    AnswerStanding,
    Vote,
    counts,
    in_words,
    named,
    standing,
    too_few,
)

TO, APPROVALS, ASKER = "to", "approvals", "asked_by"
"""Metadata of a request: the addressee, the number of approvals if there must be several, and the role that asks."""
DIGEST = "digest"
MOST = 20
WHOLE = "several people approve it as a whole, or reject it"


def encode_addressed(asked: Addressed) -> JsonObject:
    """Return what a request records of who is asked, nothing for a question as in a store of one person."""
    about: JsonObject = {}
    if asked.anyone:
        return about
    if asked.to:
        about[TO] = asked.to
    if asked.needed > 1:
        about[APPROVALS] = asked.needed
    if asked.asker:
        about[ASKER] = asked.asker
    return about


def decode_addressed(about: JsonObject) -> Addressed:
    """Return who a recorded request asks."""
    if TO not in about and APPROVALS not in about:
        return OWNER
    number = about.get(APPROVALS)
    needed = number if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= MOST else 1
    if number is not None and needed == 1:
        needed = MOST  # unreadable: no number of approvals is enough by mistake
    return Addressed(text_of(about.get(TO)), needed, text_of(about.get(ASKER)))


def restored(request: InquiryRequest, later: Iterable[Event]) -> tuple[Addressed, tuple[Vote, ...]]:
    """Return who is asked and the approvals that count, from a request and the events behind it."""
    asked, votes = decode_addressed(request.metadata), tuple[Vote, ...]()
    for event in later:
        if isinstance(event, InquiryVote | InquiryAssigned) and event.id == request.id:
            asked, votes = after(asked, votes, text_of(request.metadata.get(DIGEST)), event)
    return asked, votes


def after(
    asked: Addressed, votes: tuple[Vote, ...], digest: str, event: InquiryVote | InquiryAssigned
) -> tuple[Addressed, tuple[Vote, ...]]:
    """Return who is asked and the approvals that count once this event of the inquiry is recorded. A vote counts only
    for the digest of what was asked, and no one's twice."""
    if isinstance(event, InquiryAssigned):
        return handed(asked, event.to), votes
    vote = _vote(event)
    if vote is None or not event.vote or event.metadata.get(DIGEST) != digest or asked.needed == 1:
        return asked, votes
    return asked, (*votes, vote) if counts(vote, votes) else votes


def handed(asked: Addressed, to: str) -> Addressed:
    """Return who is asked once it is handed over."""
    return replace(asked, to=to, first=asked.to if asked.first is None else asked.first)


def _vote(event: InquiryVote) -> Vote | None:
    """Return a recorded approval, None if it doesn't say whose."""
    who = event.responder
    return Vote(who.who, who.on_behalf) if who is not None and who.kind == "user" and who.who else None


def answering(via: str, ms: int | None, by: Answerer | None = None, stands_for: str = "") -> Responder:
    """Return the author of an answer; `by` and `stands_for` in a shared store (D13, D17)."""
    if by is None:
        return Responder("user", via=via, ms=ms)
    return Responder("user", via=via, ms=ms, who=by.name, machine=by.machine, on_behalf=stands_for, offer=by.offer)


def may_answer(opened: v.OpenQuestion, by: Answerer | None) -> AnswerStanding | s.Refuse:
    """Return the standing of who answers, or why they may not. Without `by` it is the owner at the conversation's own
    front end."""
    if by is None:
        if opened.asked.anyone:
            return AnswerStanding(True)
        return s.Refuse(opened.inquiry, OWN if opened.asked.needed > 1 else NOT_ASKED, False, not_yours=True)
    found = standing(opened.asked, by.people, by.name, opened.votes)
    return found if found.may else s.Refuse(opened.inquiry, found.why, False, not_yours=True)


def approve(state: v.State, opened: v.OpenQuestion, given: v.HumanAnswered, found: AnswerStanding) -> Decision:
    """Count a yes to a question that several must approve; the last one settles it (D15)."""
    if parts.partial(opened.question, given.taken):
        return state, [s.Refuse(opened.inquiry, WHOLE, False)]
    if given.by is None:
        return state, [s.Refuse(opened.inquiry, OWN, False, not_yours=True)]
    who = answering(given.via, given.ms, given.by, found.stands_for)
    vote = Vote(given.by.name, found.stands_for)
    if not counts(vote, opened.votes):
        return state, [s.PeopleChanged(opened)]
    votes = (*opened.votes, vote)
    if len(votes) >= opened.asked.needed:
        return record_answer(state, opened, True, who, given.note, approved_by=[one.who for one in votes])
    opened = replace(opened, votes=votes)
    about: JsonObject = {DIGEST: opened.digest}
    event = InquiryVote(id=opened.inquiry, vote=True, explanation=given.note or None, responder=who, metadata=about)
    return transitions.update_question(state, opened), [s.Record(event), s.PeopleChanged(opened)]


def assign(state: v.State, given: v.HumanAssigned) -> Decision:
    """Hand a question over (D16): by its owner or someone it waits for, to a person or group of the store, and never to
    who asks where several must approve."""
    opened = find(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    if not isinstance(opened, v.OpenQuestion):
        return state, [s.Refuse(given.inquiry, "only a question can be handed over", False)]
    people, to = given.by.people, given.to
    wrong = ""
    if given.by.name != people.owner and not standing(opened.asked, people, given.by.name).may:
        return state, [s.Refuse(given.inquiry, NOT_ASKED, False, not_yours=True)]
    if not to or not named(to, people):
        wrong = f"{to or 'an empty name'} is nobody who answers questions of this store"
    elif opened.asked.needed > 1 and to in (people.owner, opened.asked.asker):
        wrong = f"it needs {opened.asked.needed} approvals, and {to} asks it"
    to = "" if to == people.owner else to
    if wrong:
        return state, [s.Refuse(given.inquiry, wrong, False)]
    if to == opened.asked.to:
        return state, [s.PeopleChanged(opened)]
    who = answering(given.via, None, given.by)
    event = InquiryAssigned(id=opened.inquiry, sender=opened.asked.to, to=to, responder=who)
    opened = replace(opened, asked=handed(opened.asked, to))
    why = f"{given.by.name} handed it over to {in_words(given.to, people)}."
    if lack := too_few(opened.asked, people):
        why = f"{why} {lack}"
    return transitions.update_question(state, opened), [s.Record(event), s.PeopleChanged(opened, why)]
