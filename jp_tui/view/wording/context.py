"""Texts about events that show what the model was sent (context.md K2, K5, K6)."""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import basename

from jp_tui.conversation.events import Unknown
from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.strict_json import Json, dump
from jp_tui.conversation.text import Foreign

NAMED = 5
PLAN_MODE = "Plan mode: the model can only read and ask, until you accept its plan or type /plan off."
PLAN_ENDED = "Plan mode has ended."
LEFT_OUT = "The server refused reasoning of earlier replies. The request was sent again without it."


def context_note(event: Unknown) -> str | None:
    """Return the line for such an event, empty if none is needed; None for any other event."""
    raw = event.raw
    if event.problem:
        return None
    match raw.get("type"):
        case "environment":
            return ""
        case "plan":
            return ""
        case "reasoning_left_out":
            return LEFT_OUT
        case "mode":
            return PLAN_MODE if raw.get("mode") == "plan" else PLAN_ENDED
        case "rule_added":
            return _rule(raw.get("rule"))
        case "rule_revoked":
            return f"Rule revoked: {_text(raw.get('id'))}"
        case "instructions" if "call" in raw:
            return f"The model reads {_names(_paths(raw.get('files')))} from now on."
        case "instructions" if "changed" in raw:
            return f"Instructions changed: {_names(_paths(raw.get('changed')))}"
        case "instructions":
            listed = raw.get("files")
            files = listed if isinstance(listed, list) else []
            untrusted: list[Json] = [one for one in files if isinstance(one, dict) and one.get("trusted") is False]
            if not untrusted:
                return ""
            return f"This folder is not trusted. Its instructions go to the model as text: {_names(_paths(untrusted))}"
        case _:
            return None


def _rule(table: Json) -> str:
    """A new rule in one line, from its table (rules.md AR2)."""
    said = table if isinstance(table, dict) else {}
    about = next((f"{key} {_json(said[key])}" for key in ("command", "path", "host", "arguments") if key in said), "")
    exact = "exactly " if said.get("exact") is True else ""
    where = f" in {_text(said['folder'])}" if said.get("folder") else ""
    what = f"{_text(said.get('effect'))} {_text(said.get('tool'))}, {exact}{about or 'every call'}{where}"
    return f"Rule added: {what} ({_text(said.get('id'))})"


def _json(value: Json) -> str:
    if isinstance(value, list):
        value = " ".join("|".join(map(str, one)) if isinstance(one, list) else str(one) for one in value)
    return _text(value if isinstance(value, str) else dump(value))


def _text(value: Json) -> str:
    return neutralise(Foreign(value if isinstance(value, str) else ""), "line")


def _paths(listed: Json) -> Iterable[str]:
    for one in listed if isinstance(listed, list) else ():
        path = one.get("path") if isinstance(one, dict) else one
        if isinstance(path, str):
            yield path


def _names(paths: Iterable[str]) -> str:
    """The last two parts of each path, the first few of them."""
    known = list(paths)
    names = [neutralise(Foreign("/".join([*path.split("/")[-2:-1], basename(path)])), "line") for path in known]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
