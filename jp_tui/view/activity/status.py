"""Status line as data: workspace, conversation, model, tokens, the turn's phase, waiting questions.

Values and words that fit a width; `status_reducer.py` derives them from the engine's events, so the first frame need
not import the protocol. The waiting count is never cut (asking.md E50).
"""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.conversation.text import Foreign
from jp_tui.view.wording.amounts import count, money, seconds, short_model

PHASES = {
    "waiting_for_model": "waiting for the model",
    "starting_servers": "starting",
    "streaming": "model is writing",
    "tools": "running tools",
    "retrying": "retrying",
    "compacting": "compacting the conversation",
    "resumed": "resuming an unfinished turn",
}
MODES = {"ask": "ask", "edits": "edits allowed", "unattended": "unattended in the sandbox"}
"""Approval modes as the status line names them (AR30)."""
UNTITLED = Foreign("")
CELLS = 8
"""Width of the context meter."""
TIGHT = 0.8
"""Share of the context from which the meter warns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """`phase` is empty when idle, `detail` names the MCP servers that start in it; `retry_at` is on the front end's
    clock; `held_by` names another writer; tokens in total, `context` of the last request and `window` its maximum,
    `cost` in US dollars if prices are known; `waiting` names what waits here, `others` counts those of it that ask
    other people, `put_off` snoozed questions, `elsewhere` those in conversations that aren't open; `mode` is the
    approval mode that counts and `chosen` the user's choice, both empty where nothing was ever changed; `reviewed` are
    inquiries with the models deciding them and since when, oldest first; `parent` is set for a sub-agent's
    conversation; `store` names a store on a server, `offline`: nothing can be recorded in it, because it doesn't
    answer, or is newer than this program (`outdated`); `weak` says what is weak about the connection (store.md D3, D7,
    D12)."""

    workspace: str = ""
    home: str = ""
    conversation: str = ""
    title: Foreign = UNTITLED
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    context: int = 0
    window: int | None = None
    cost: float | None = None
    waiting: tuple[str, ...] = ()
    others: int = 0
    put_off: int = 0
    elsewhere: int = 0
    reviewed: tuple[tuple[str, Foreign, float], ...] = ()
    working: bool = False
    phase: str = ""
    detail: str = ""
    retry_at: float | None = None
    held_by: str = ""
    parent: str = ""
    mode: str = ""
    chosen: str = ""
    trouble: str = ""
    advice: str = ""
    store: str = ""
    offline: bool = False
    outdated: bool = False
    weak: str = ""


def shortened(path: str, home: str, room: int) -> str:
    """Abbreviate a folder: `~` for home; then only the last parts, `…/acme`, if it is too long."""
    if home and (path == home or path.startswith(home.rstrip("/") + "/")):
        path = "~" + path[len(home.rstrip("/")) :]
    while len(path) > room and path.count("/") > 1:
        path = "…/" + path.removeprefix("…/").split("/", 1)[1]
    return path


def tokens(status: Status) -> str:
    """Return `12.4k in · 812 out`, or nothing before the first request."""
    if not status.tokens_in and not status.tokens_out:
        return ""
    paid = f" · {money(status.cost)}" if status.cost else ""
    return f"{count(status.tokens_in)} in · {count(status.tokens_out)} out{paid}"


def meter(status: Status) -> str:
    """Return `▰▰▱▱▱▱▱▱ 23% of 200k`: the used share of the model's context; nothing if unknown."""
    if not status.window or not status.context:
        return ""
    part = min(status.context / status.window, 1.0)
    full = max(round(part * CELLS), 1)
    return f"{'▰' * full}{'▱' * (CELLS - full)} {part:.0%} of {count(status.window)}"


def phase_text(status: Status, now: float) -> str:
    """Describe the turn's phase in a few words; empty when idle."""
    if status.phase == "retrying" and status.retry_at is not None:
        return f"retrying in {max(round(status.retry_at - now), 0)} s"
    if status.reviewed:
        _, model, since = status.reviewed[0]
        more = f" and {len(status.reviewed) - 1} more" if len(status.reviewed) > 1 else ""
        return f"{short_model(model.raw)} decides{more} · {seconds(now - since)}"
    if not status.working or (status.phase == "tools" and (status.waiting or status.put_off)):
        return ""  # the waiting question says it all
    words = PHASES.get(status.phase, "")
    return f"{words} {_few(status.detail)}" if status.phase == "starting_servers" else words


def _few(names: str) -> str:
    """Return the first two of some names, and how many more there are."""
    found = names.split(", ")
    return ", ".join(found[:2]) + (f" and {len(found) - 2} more" if len(found) > 2 else "")


def store_text(status: Status) -> str:
    """Return `db.example.org/jp`, with what is weak about the connection; nothing for a file."""
    return f"{status.store}, {status.weak}" if status.weak else status.store


def waiting_text(status: Status) -> str:
    """Return `2 waiting for you · 1 for others · 1 snoozed · 3 elsewhere`, or nothing."""
    counts = (
        (len(status.waiting) - status.others, "for you"), (status.others, "for others"), (status.put_off, "snoozed"),
        (status.elsewhere, "elsewhere"),
    )  # fmt: skip
    first, *more = [f"{number} {words}" for number, words in counts if number] or [""]
    if not first.endswith("snoozed"):
        first = first.replace(" ", " waiting ", 1)
    return " · ".join([first, *more])
