"""Texts about trust in a workspace's own configuration (surface S10). Literals and their selection; no widgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, LiteralString

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.trust import ProposedSetting, TrustRead

NONE: Final = "This folder has no configuration, commands or skills. There is nothing to trust."
BROKEN: Final = "The folder's configuration isn't valid. None of it applies:"
UNTRUSTED: Final = "Not trusted. Until you trust exactly this content, only display and stricter settings apply."
CHANGED: Final = "Not trusted: it has changed since you trusted it. Differences come first."
UNCOMPARED: Final = "Not trusted: it has changed since you trusted it. The earlier content isn't known."
TRUSTED: Final = "Trusted with exactly this content. Any change needs your trust again."
NOTHING: Final = "It has no settings."
DONE: Final = "Trusted. Tool settings apply now; models, servers and the rest after a restart."
UNDONE: Final = "Trust revoked. Tool settings apply now; models, servers and the rest after a restart."
SURE: Final = "{n} more settings would apply. Press t again to trust exactly this content."
SURE_FILES: Final = "{n} more settings and files would apply. Press t again to trust exactly this content."
SURE_NONE: Final = "No more settings would apply. Press t again to trust exactly this content."
SURE_OFF: Final = "Press x again to revoke trust."
DOING: Final = "working…"
_COUNTS = {
    "waits": "once trusted",
    "never": "never: folders can't set this",
    "always": "applies",
}
_CHANGES = {"same": "", "new": "new", "changed": "changed", "gone": "gone"}


@dataclass(frozen=True, slots=True)
class TrustRow:
    """One setting: `does` as text, `sets` KEY = VALUE, `counts` and `change` in a word, the place, and its former
    value. Of a `file`, `sets` is its text."""

    key: str
    does: Foreign
    sets: Foreign
    counts: str
    change: str
    place: Foreign
    before: Foreign
    waits: bool
    acts: bool
    file: bool = False


def rows(told: TrustRead) -> list[TrustRow]:
    """Return everything that the file sets, in reading order: changes first, if known."""
    found = [_row(one, told) for one in told.settings]
    return sorted(found, key=lambda row: not row.change) if told.compared else found


def _row(one: ProposedSetting, told: TrustRead) -> TrustRow:
    gone = one.change == "gone"
    value = one.before.raw if gone else one.value.raw
    sets = value if one.kind == "file" else f"{one.key.raw} = {value}"
    counts = "" if gone else "applies" if told.state == "trusted" and one.counts == "waits" else _COUNTS[one.counts]
    change = _CHANGES[one.change] if told.compared else ""
    place = one.place.raw if one.kind == "file" else one.place.raw.rpartition("/")[2]
    before = one.before if one.change == "changed" else Foreign("")
    waits = one.counts == "waits" and not gone
    return TrustRow(
        one.key.raw,
        one.does,
        Foreign(sets),
        counts,
        change,
        Foreign(place),
        before,
        waits,
        one.acts,
        one.kind == "file",
    )


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
