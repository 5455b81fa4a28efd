"""People of a question as text: the addressee, approvals so far, who looks at it (store.md D14-D16). Names are
roles of a server and untrusted text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from jp_tui.protocol.people import Approvals

WITHDRAW: Final = "You can withdraw it, not answer it."
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


def people_lines(asked: AskedOf) -> list[str]:
    """Return the same, and what the user can do with a question that waits for others."""
    line = people_line(asked)
    line = f"{line[0].upper()}{line[1:]}." if line else ""
    return [one for one in (line, "" if asked.yours else WITHDRAW) if one]
