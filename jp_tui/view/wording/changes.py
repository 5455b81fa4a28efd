"""Texts about files that a turn or a conversation changed, the same in every front end (issue 8, 7). Pure."""

from __future__ import annotations

from typing import Final, Literal

from jp_tui.conversation.neutral import neutralise
from jp_tui.protocol.changes import ChangesRead, ChangesUndone, FileChange, LeftFile, Way

SIGNS: Final = {"created": "A", "modified": "M", "deleted": "D", "moved": "R", "none": "="}
"""As in other programs' lists of changes."""
STATES: Final = {
    "made": "",
    "taken_back": "undone",
    "changed": "changed since by something else",
    "later": "changed since by a later turn",
}
HOWS: Final = {"created": "new", "modified": "", "deleted": "deleted", "moved": "moved", "none": ""}
NAMED: Final = 3


def counts(added: int, removed: int) -> str:
    """`+12 −3`; empty for none."""
    return " ".join(part for part in (f"+{added:,}" if added else "", f"−{removed:,}" if removed else "") if part)


def files(number: int) -> str:
    """`1 file`, `4 files`."""
    return "1 file" if number == 1 else f"{number:,} files"


def title(found: ChangesRead) -> str:
    """Describe what was changed, in one line."""
    who = "This conversation" if found.scope == "conversation" else f"Turn {found.turn}"
    if not found.files:
        return "No files changed in this conversation" if not found.turns else f"{who} changed no files"
    some = counts(sum(one.added for one in found.files), sum(one.removed for one in found.files))
    gone = " · undone" if way(found) == "again" else ""
    return f"{who} changed {files(len(found.files))}{f' · {some}' if some else ''}{gone}"


def path(one: FileChange) -> str:
    """Return its path in one line, with the previous one."""
    name = neutralise(one.path, "line")
    return f"{neutralise(one.was, 'line')} → {name}" if one.was else name


def about(one: FileChange) -> str:
    """Describe its state, beside its name."""
    how = "moved, content unchanged" if one.how == "moved" and not (one.diff or one.note) else HOWS[one.how]
    parts = [how, STATES[one.state], one.note]
    if one.why_not and one.why_not not in parts:
        parts.append(f"can't be {'restored' if one.state == 'taken_back' else 'undone'}: {one.why_not}")
    return " · ".join(part for part in parts if part)


def body(one: FileChange) -> str:
    """Return its diff without the lines that name the file."""
    lines = one.diff.raw.split("\n", 2)
    return lines[2] if len(lines) == 3 and lines[0].startswith("--- ") and lines[1].startswith("+++ ") else one.diff.raw


def place(found: ChangesRead) -> str:
    """Describe which of several turns is shown; empty if there is only one, or all are."""
    if found.turn not in found.turns or len(found.turns) < 2:
        return ""
    return f"{found.turns.index(found.turn) + 1} of {len(found.turns)} turns that changed files · ← →"


def way(found: ChangesRead) -> Way:
    """Return what undo does now: redo if everything is already undone."""
    return "again" if found.files and all(one.state == "taken_back" for one in found.files) else "back"


def change_kind(one: FileChange) -> Way:
    """Return the same for one file."""
    return "again" if one.state == "taken_back" else "back"


def asks(way: Way, what: str) -> str:
    """Return the confirmation question."""
    did = "Undo" if way == "back" else "Redo"
    return f"{did} {what}? Press y to confirm, any other key to cancel."


def whose(found: ChangesRead) -> str:
    """Return the phrase for all of it, for use in `asks`."""
    where = "of this conversation" if found.scope == "conversation" else f"of turn {found.turn}"
    return f"the changes {where} to {files(len(found.files))}"


def done(event: ChangesUndone) -> str:
    """Describe the result, and what was left out, in sentences."""
    did = "Undone" if event.way == "back" else "Redone"
    names = [neutralise(one, "line") for one in event.done]
    said = [f"{did}: {_some(names)}. The model is informed with your next message."] if names else []
    said += [f"{neutralise(one.path, 'line')} was skipped: {one.why}." for one in event.left if not one.asks]
    return "\n".join(said)


def overwrites(left: tuple[LeftFile, ...]) -> str:
    """Return the question about files changed since; empty if there are none."""
    names = [neutralise(one.path, "line") for one in left if one.asks]
    if not names:
        return ""
    why = next(one.why for one in left if one.asks)
    what = "that" if len(names) == 1 else "them"
    return f"{_some(names)}: {why}. Press y to overwrite {what} (a copy is kept), any other key to cancel."


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


Role = Literal["good", "bad", "waiting", "quiet"]


def role(one: FileChange) -> Role:
    """Return its colour: a file changed since is marked."""
    if one.state in ("changed", "later"):
        return "waiting"
    if one.state == "taken_back":
        return "quiet"
    return "bad" if one.how == "deleted" else "good"
