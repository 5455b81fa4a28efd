"""The people of a shared store, as the machine takes them (store.md D13-D17). In a store of one person there are none,
and nothing is asked of the store."""

from __future__ import annotations

from types import MappingProxyType

from jp_tui.conversation.ids import timestamp
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.inquiry.people import Answerer, People, Person


def is_shared(setup: EngineDependencies) -> bool:
    """True if others may answer in this store."""
    return bool(setup.machine or setup.journal.me())


def people_of(setup: EngineDependencies, owner: str) -> People | None:
    """Return everyone who answers in this store now, for a conversation of `owner`; None in a store of one person.
    Raises JournalError."""
    if not is_shared(setup):
        return None
    now = timestamp(setup.now())
    found = {
        one.name: Person(one.name, frozenset(one.groups), one.away_until if one.away_until > now else "", one.deputy)
        for one in setup.journal.people()
    }
    return People(MappingProxyType(found), owner or setup.journal.me())


def answerer(
    setup: EngineDependencies, owner: str, name: str = "", machine: str = "", offer: int = 0
) -> Answerer | None:
    """Return who answers, by default the user of this process; None in a store of one person. Raises JournalError."""
    people = people_of(setup, owner)
    if people is None:
        return None
    return Answerer(name or setup.journal.me(), people, machine if name else setup.machine, offer)
