"""`jp-tui claim INQUIRY [--release | --to WHO]`: look at a waiting question of a shared store, let it go, or hand it
over (store.md D16).

INQUIRY is an id, or CONVERSATION/ID, as for `jp-tui answer`. Nothing is answered, and no model is called.
"""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless.lists.request import ask_about, lookup
from jp_tui.headless.output import FAILED, TextOutput
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e

_STATUS = {
    "claimed": 0, "released": 0, "assigned": 0,
    "taken": FAILED, "answered": FAILED, "stale": FAILED, "no_reaction": FAILED, "not_yours": FAILED,
}  # fmt: skip
"""A bad addressee, an unknown or ambiguous question and a store of one person are wrong usage (2)."""


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """Claim of the command line: with `release` it ends, with `to` the question is handed over."""

    inquiry: str
    release: bool = False
    to: str = ""


@lookup
def claim(link: Link, given: ClaimWords, output: TextOutput) -> int:
    """Claim, release or hand over; return the exit status. Raises OutputEnded."""

    def command(conversation: str, inquiry: str) -> c.ClaimInquiry:
        return c.ClaimInquiry(conversation=conversation, inquiry=inquiry, release=given.release, to=given.to)

    settled = ask_about(link, given.inquiry, command, e.ClaimSettled, output)
    if output.as_json:
        output.line(_described(settled))
    elif _STATUS.get(settled.status) == 0:
        output.print(settled.message)
    else:
        output.tell(f"jp-tui: {settled.message}")
        for candidate in settled.candidates:
            output.tell(f"  {candidate}")
    return _STATUS.get(settled.status, 2)


def _described(settled: e.ClaimSettled) -> JsonObject:
    found: JsonObject = {
        "status": settled.status,
        "inquiry": settled.inquiry,
        "conversation": settled.conversation,
        "message": settled.message,
    }
    if settled.claimed_by:
        found["by"] = settled.claimed_by
    if settled.to:
        found["to"] = settled.to
    if settled.candidates:
        found["candidates"] = list(settled.candidates)
    return found
