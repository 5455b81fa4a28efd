"""Words about a store on a server (store.md D12)."""

from __future__ import annotations

from typing import Final

from jp_tui.protocol.store import StoreState

WAITS: Final = "Nothing is recorded until it answers: no tool and no request to a model starts."
KEPT: Final = "What you type is kept on this machine. Messages and answers are sent when it answers."
OVERTAKEN_KEPT: Final = "What you type is kept on this machine, also when you quit."
AGAIN: Final = "The store {name} answers again."
ANSWER_HELD: Final = "Not sent, the store doesn't answer. It is sent when it does, if the question is still the same."
LONGEST: Final = 150
"""Characters of a server's message in the workspace."""
MACHINE: Final = 24
"""Characters of a machine's name."""
UNOPENED: Final = "Not sent: the store doesn't answer."
UNOPENED_ADVICE: Final = "Your message stays here until the conversation can be opened."


def printable(text: str) -> str:
    """Return the printable characters of a text from another machine."""
    return "".join(filter(str.isprintable, text))


def machine(name: str) -> str:
    """Return a machine's name as it is shown."""
    return printable(name)[:MACHINE]


def notice(state: StoreState, *, kept: bool = False) -> tuple[str, str]:
    """Return a message and advice about a changed connection, empty if there is nothing to say. `kept`: what is typed
    is kept until the store answers."""
    if state.newer:
        return state.problem, OVERTAKEN_KEPT if kept else ""
    if state.problem and kept:
        said = state.problem if len(state.problem) <= LONGEST else f"{state.problem[: LONGEST - 1]}…"
        return said, f"{WAITS} {KEPT}"
    if state.problem:
        return state.problem, WAITS
    return (AGAIN.format(name=state.name), "") if state.back else ("", "")
