"""Texts about trust in a workspace's own configuration (surface S10). Literals and their selection; no widgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, LiteralString

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.trust import ProposedSetting, TrustRead

NONE: Final = "This folder has no configuration of its own: there is nothing to trust."
BROKEN: Final = "The folder's configuration cannot be used, and nothing of it counts:"
UNTRUSTED: Final = (
    "Not trusted. Until you trust exactly this content, only what displays or makes things stricter counts."
)
CHANGED: Final = "It has changed since you trusted it, so it is not trusted now. What is different stands first."
UNCOMPARED: Final = "It has changed since you trusted it, so it is not trusted now. What it said then is not known."
TRUSTED: Final = "Trusted, with exactly this content. Once it changes, you are asked again."
NOTHING: Final = "It sets nothing."
DONE: Final = "Trusted. Tools and what they ask follow at once; models, servers and the rest when jp-tui starts again."
UNDONE: Final = "Trusted no longer. Tools follow at once; models, servers and the rest when jp-tui starts again."
SURE: Final = "{n} settings would count that do not count now. Press t again to trust exactly this content."
SURE_NONE: Final = "Nothing more would count than now. Press t again to trust exactly this content."
SURE_OFF: Final = "Press x again: it is trusted no longer."
DOING: Final = "one moment…"
_COUNTS = {
    "waits": "with your trust",
    "never": "never, no folder may decide this",
    "always": "counts already",
}
_CHANGES = {"same": "", "new": "new", "changed": "changed", "gone": "gone"}


@dataclass(frozen=True, slots=True)
class TrustRow:
    """One setting: `does` as text, `sets` KEY = VALUE, `counts` and `change` in a word, the place, and its former
    value."""

    key: str
    does: Foreign
    sets: Foreign
    counts: str
    change: str
    place: Foreign
    before: Foreign
    waits: bool
    acts: bool


def rows(told: TrustRead) -> list[TrustRow]:
    """Return everything that the file sets, in reading order: changes first, if known."""
    found = [_row(one, told) for one in told.settings]
    return sorted(found, key=lambda row: not row.change) if told.compared else found


def _row(one: ProposedSetting, told: TrustRead) -> TrustRow:
    gone = one.change == "gone"
    sets = f"{one.key.raw} = {one.before.raw if gone else one.value.raw}"
    counts = "" if gone else "counts" if told.state == "trusted" and one.counts == "waits" else _COUNTS[one.counts]
    change = _CHANGES[one.change] if told.compared else ""
    place = one.place.raw.rpartition("/")[2]
    before = one.before if one.change == "changed" else Foreign("")
    waits = one.counts == "waits" and not gone
    return TrustRow(one.key.raw, one.does, Foreign(sets), counts, change, Foreign(place), before, waits, one.acts)


def state(told: TrustRead) -> LiteralString:
    """Describe the present state in one sentence."""
    match told.state:
        case "none":
            return NONE
        case "broken":
            return BROKEN
        case "untrusted":
            return UNTRUSTED
        case "changed":
            return CHANGED if told.compared else UNCOMPARED
        case "trusted":
            return TRUSTED
