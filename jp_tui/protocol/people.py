"""People of a shared store and an open question: approvals, looking at it, handing it over, and who there is (store.md
D15-D17)."""

from __future__ import annotations

from typing import Literal

from jp_tui.protocol.base import Model


class Approvals(Model):
    """Approvals that a question needs of different people, and who gave one (store.md D15)."""

    needed: int
    by: tuple[str, ...] = ()


class ClaimInquiry(Model):
    """Say that you look at an open question, for 10 minutes; with `release` that you don't any more, with `to` hand it
    over to that person or `role:GROUP`. Answered by ClaimSettled. `conversation` may be empty when the inquiry's id is
    unique. While a sheet is open, sent again to renew it."""

    type: Literal["claim_inquiry"] = "claim_inquiry"
    conversation: str = ""
    inquiry: str
    release: bool = False
    to: str = ""


class ClaimSettled(Model):
    """The result of a ClaimInquiry: yours, released, handed over `to`, or why not; `taken`: another person looks at it,
    `claimed_by`. That is who looks at it now, empty if no one does. `message` is for people."""

    type: Literal["claim_settled"] = "claim_settled"
    status: Literal[
        "claimed", "released", "assigned",
        "taken", "answered", "invalid", "stale", "unknown", "ambiguous", "no_reaction", "not_yours",
    ]  # fmt: skip
    inquiry: str
    conversation: str = ""
    claimed_by: str = ""
    to: str = ""
    message: str = ""
    candidates: tuple[str, ...] = ()


class ListPeople(Model):
    """List who answers in the store. Answered by PeopleListed."""

    type: Literal["list_people"] = "list_people"


class PersonInfo(Model):
    """A person of a shared store; `away_until` is a timestamp (inquiries.md R58), empty for who is there; `you`: the
    user of this process."""

    name: str
    groups: tuple[str, ...] = ()
    away_until: str = ""
    deputy: str = ""
    you: bool = False


class PeopleListed(Model):
    """Everyone who answers questions of the store, by name, and the groups to which a question may be handed over, as
    `role:GROUP`. Both are empty in a store of one person."""

    type: Literal["people_listed"] = "people_listed"
    people: tuple[PersonInfo, ...] = ()
    groups: tuple[str, ...] = ()
