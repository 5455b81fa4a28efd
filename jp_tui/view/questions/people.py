"""People of a question as text: the addressee, approvals so far, who looks at it (store.md D14-D16). Names are
roles of a server and untrusted text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from jp_tui.protocol.people import Approvals, PeopleListed, PersonInfo

WITHDRAW: Final = "You can withdraw it, not answer it."
OTHERS_ANSWERED: Final = "{who}'s question was answered by those it was for."
OTHERS: Final = "Other people answer it."
WAITS_FOR: Final = "It waits for {who}. Esc opens the menu to withdraw it."
WITHDRAW_IT: Final = "Withdraw"
KEEP_WAITING: Final = "Keep waiting"
CLAIMED: Final = "{who} looks at it. Answer again to overrule that."
HAND_OVER: Final = "Hand over to"
ALONE: Final = "You are alone in this store."
COUNTED: Final = "Your answer counts: {approvals}."
PEOPLE: Final = ("to", "claimed_by", "approvals", "yours")
"""Fields that name the people of a question, in a prompt and in an entry of the inbox."""
GROUP = "role:"
LOOKED_AT: Final = "{who} looks at this question. Give the answer again to override that"


class AskedOf(Protocol):
    """A prompt, an entry of the inbox, or a recorded question."""

    @property
    def to(self) -> str: ...
    @property
    def claimed_by(self) -> str: ...
    @property
    def approvals(self) -> Approvals | None: ...
    @property
    def yours(self) -> bool: ...


def named(names: Sequence[str]) -> str:
    """Return names as text: `a`, `a and b`, `a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def approvals_text(approvals: Approvals) -> str:
    """Return `1 of 2 approvals: second`."""
    names = f": {named(approvals.by)}" if approvals.by else ""
    return f"{len(approvals.by)} of {approvals.needed} approvals{names}"


def addressee(to: str) -> str:
    """Return an addressee for people: `lead`, or `ops (a group)`."""
    return f"{to.removeprefix(GROUP)} (a group)" if to.startswith(GROUP) else to


def people_line(asked: AskedOf) -> str:
    """Return one line about the people that are asked; empty for a question to the user alone."""
    parts = [f"for {addressee(asked.to)}"] if asked.to else []
    parts += [approvals_text(asked.approvals)] if asked.approvals is not None else []
    parts += [f"{asked.claimed_by} looks at it"] if asked.claimed_by else []
    return " · ".join(parts)


def counted_text(approvals: Approvals) -> str:
    """Return `1 of 2: second`, for a row."""
    names = f": {named(approvals.by)}" if approvals.by else ""
    return f"{len(approvals.by)} of {approvals.needed}{names}"


def row_line(asked: AskedOf, owner: str = "") -> str:
    """Return the people of a question in a row: whose it is if another's, whom it asks, approvals, who looks at it."""
    parts = [f"from {owner}"] if owner else []
    parts += [f"for {asked.to.removeprefix(GROUP)}"] if asked.to else []
    parts += [counted_text(asked.approvals)] if asked.approvals is not None else []
    parts += [f"{asked.claimed_by} looks at it"] if asked.claimed_by else []
    return " · ".join(parts)


def choices(listed: PeopleListed) -> dict[str, str]:
    """Return whom a question can be handed over to, as the addressee by its text: people, then groups."""
    found = {_person(one): one.name for one in listed.people if not one.you}
    return found | {addressee(group): group for group in listed.groups}


def _person(one: PersonInfo) -> str:
    """Return `ada · ops, dev · away until 2026-12-01`."""
    away = f"away until {one.away_until[:16].replace('T', ' ')}" if one.away_until else ""
    return " · ".join(part for part in (one.name, ", ".join(one.groups), away) if part)


def awaited(asked: AskedOf) -> str:
    """Return whom a question waits for, as words in a sentence."""
    return addressee(asked.to) if asked.to else "other people"


def yours_is(asked: AskedOf) -> str:
    """Return `your yes is the 2nd of 2`; empty where one answer is enough, or the user doesn't answer."""
    several = asked.approvals
    if several is None or not asked.yours:
        return ""
    place = min(len(several.by) + 1, several.needed)
    return f"your yes is the {ordinal(place)} of {several.needed}"


def ordinal(number: int) -> str:
    """Return `1st`, `2nd`, `11th`."""
    last = 0 if number % 100 in (11, 12, 13) else number % 10
    return f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(last, 'th')}"


def sheet_line(asked: AskedOf) -> str:
    """Return the line of a sheet about the people that are asked; empty for a question to the user alone."""
    found = [one for one in (people_line(asked), yours_is(asked)) if one]
    line = " · ".join(found)
    return f"{line[:1].upper()}{line[1:]}"


def people_lines(asked: AskedOf) -> list[str]:
    """Return the same, and what the user can do with a question that waits for others."""
    line = people_line(asked)
    line = f"{line[0].upper()}{line[1:]}." if line else ""
    return [one for one in (line, "" if asked.yours else WITHDRAW) if one]
