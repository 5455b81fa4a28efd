"""People who answer a question, and who of them may, counts or is missing (store.md D14, D15, D17). Pure: people are
a value, as the store knows them at that moment. Data of an open question and functions over it; no steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

GROUP = "role:"
"""Prefix of an addressee that is a group."""


@dataclass(frozen=True, slots=True)
class WantedPeople:
    """Settings of who answers: `to` a person or `role:GROUP`, empty for the owner; the places are key and origin in
    words. `own`: the question itself sets `approvals`, not what it inherits from."""

    to: str = ""
    to_place: str = ""
    approvals: int = 1
    approvals_place: str = ""
    own: bool = False

    @property
    def anyone(self) -> bool:
        """True if nothing is set: whoever answers the conversation's questions answers this one."""
        return not self.to and self.approvals == 1


ANYONE = WantedPeople()


@dataclass(frozen=True, slots=True)
class Person:
    """Database role that answers questions. `groups` are the roles it is a member of; `away` is until when it is away,
    in words, empty while it is there; `deputy` answers meanwhile."""

    name: str
    groups: frozenset[str] = frozenset()
    away: str = ""
    deputy: str = ""


@dataclass(frozen=True, slots=True)
class People:
    """Everyone who answers questions of a store, by name, as of now; workers and auditors aren't among them. `owner`
    owns the conversation."""

    persons: Mapping[str, Person] = field(default_factory=lambda: MappingProxyType({}))
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Vote:
    """Yes of a person that counts. `who` gave it, for `stands_for` if that isn't empty."""

    who: str
    stands_for: str = ""

    @property
    def counts_for(self) -> str:
        return self.stands_for or self.who


@dataclass(frozen=True, slots=True)
class Addressed:
    """Addressee of a question: `to` as in WantedPeople, resolved; `needed` approvals; `asker` is the role whose process
    asks, which never counts as one of several. `first` is the addressee before a hand-over, None if there was none."""

    to: str = ""
    needed: int = 1
    asker: str = ""
    first: str | None = None

    @property
    def anyone(self) -> bool:
        """True for a question as in a store of one person."""
        return not self.to and self.needed == 1

    def same(self, other: Addressed) -> bool:
        """True if both were asked of the same people at first, and want as many approvals."""
        to, its = (one.to if one.first is None else one.first for one in (self, other))
        return to == its and self.needed == other.needed


OWNER = Addressed()


@dataclass(frozen=True, slots=True)
class Answerer:
    """Person at a front end or another process, with everyone of the store as of now. `machine` is where that is,
    `offer` the number of the offer through which the answer came, 0 for the writer of the conversation (D13)."""

    name: str
    people: People
    machine: str = ""
    offer: int = 0


@dataclass(frozen=True, slots=True)
class AnswerStanding:
    """Right of a person to answer, and for whom if not in their own name; `why` if they may not."""

    may: bool
    stands_for: str = ""
    why: str = ""


OWN = "you can't approve your own question"
NOT_ASKED = "it waits for other people"
NOBODY = "this role doesn't answer questions of this store"


def addressed(wanted: WantedPeople, people: People | None, asker: str = "") -> tuple[Addressed, str]:
    """Return who is asked, and why as text for people; empty if nothing is set. An unknown addressee is the owner.
    `people` is None in a store of one person."""
    if wanted.anyone:
        return OWNER, ""
    known, several = people or People(), wanted.approvals > 1
    to, said = wanted.to, list[str]()
    if to and not named(to, known):
        said.append(_unknown(wanted, known))
        to = to if several else ""  # no others than were named approve it
    elif to:
        said.append(f"{wanted.to_place or 'It'} asks {in_words(to, known)}.")
    asked = Addressed("" if to == known.owner and not several else to, wanted.approvals, asker)
    if several:
        place = wanted.approvals_place or "It"
        said.append(f"{place} wants {asked.needed} approvals; who asks never counts.")
        if lack := too_few(asked, known):
            said.append(lack)
    return asked, " ".join(said)


def _unknown(wanted: WantedPeople, people: People) -> str:
    place, group = wanted.to_place or "It", wanted.to.removeprefix(GROUP)
    if not people.persons:
        found, owner = "only you use this store", "you decide"
    else:
        found = f"nobody in this store is a member of {group}" if group != wanted.to else f"{group} isn't in this store"
        owner = f"its owner {people.owner} decides"
    return f"{place} names {wanted.to}, and {found}" + ("." if wanted.approvals > 1 else f", so {owner}.")


def named(to: str, people: People) -> tuple[str, ...]:
    """Return the people that an addressee names: one, the members of a group, everyone for an empty one."""
    if to.startswith(GROUP):
        group = to.removeprefix(GROUP)
        return tuple(sorted(one.name for one in people.persons.values() if group in one.groups))
    if to:
        return (to,) if to in people.persons else ()
    return tuple(sorted(people.persons))


def in_words(to: str, people: People) -> str:
    """Return an addressee with what readers need to know: members of a group, who is away and who answers meanwhile."""
    found = [_with_deputy(one, people) for one in named(to, people)]
    if to.startswith(GROUP):
        return f"{to} ({', '.join(found) or 'no members'})"
    return found[0] if found else to


def _with_deputy(name: str, people: People) -> str:
    one = people.persons[name]
    if not one.away:
        return name
    deputy = f"; {one.deputy} answers too" if _deputy(one, people) else ""
    return f"{name} (away until {one.away}{deputy})"


def _deputy(one: Person, people: People) -> str:
    """Return the deputy of a person who is away; there are no chains (D17)."""
    return one.deputy if one.away and one.deputy in people.persons and one.deputy != one.name else ""


def targets(asked: Addressed, people: People) -> tuple[str, ...]:
    """Return the people in whose name it can be answered: without an addressee the owner, or everyone else where
    several must agree (D15)."""
    if asked.needed > 1:
        return tuple(one for one in named(asked.to, people) if one not in (people.owner, asked.asker))
    to = asked.to or people.owner
    return named(to, people) if to else ()


def standing(asked: Addressed, people: People, name: str, votes: Sequence[Vote] = ()) -> AnswerStanding:
    """Return whether a person may answer now. `votes` so far: no one counts twice, neither in their own name nor for
    another; a no is never too many."""
    if name not in people.persons:
        return AnswerStanding(False, why=NOBODY)
    if asked.needed > 1 and name in (people.owner, asked.asker):
        return AnswerStanding(False, why=OWN)
    names = list(_stands_for(asked, people, name))
    if not names:
        return AnswerStanding(False, why=NOT_ASKED)
    counted = {one.counts_for for one in votes}
    free = [one for one in names if one not in counted]
    found = free[0] if free else names[0]
    return AnswerStanding(True, "" if found == name else found)


def _stands_for(asked: Addressed, people: People, name: str) -> Iterator[str]:
    """Yield those in whose name this person may answer, themselves first."""
    found = targets(asked, people)
    if name in found:
        yield name
    yield from (one for one in found if one != name and _deputy(people.persons[one], people) == name)


def counts(vote: Vote, votes: Sequence[Vote]) -> bool:
    """True if this yes adds to those that are there: a new person, in a name that no one has voted in."""
    return all(one.who != vote.who and one.counts_for != vote.counts_for for one in votes)


def too_few(asked: Addressed, people: People) -> str:
    """Return a sentence if fewer people could approve than must; empty otherwise."""
    could = len(targets(asked, people))
    if asked.needed <= 1 or could >= asked.needed:
        return ""
    who = "nobody" if not could else "only 1 person" if could == 1 else f"only {could} people"
    return f"It needs {asked.needed} approvals, and {who} could give one. It stays open."
