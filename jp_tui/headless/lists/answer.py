"""`jp-tui answer INQUIRY VALUE`: answer a waiting question from another process (surface S6, S12, asking.md E53).

INQUIRY is an id, or CONVERSATION/ID. It calls no model: the conversation's owner continues the turn, otherwise the next
start does. An existing answer stays and is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless.lists.request import ask_about, lookup
from jp_tui.headless.output import FAILED, TextOutput
from jp_tui.headless.unanswered import resume_command
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e

_STATUS = {
    "accepted": 0, "counted": 0,
    "answered": FAILED, "stale": FAILED, "no_reaction": FAILED, "not_yours": FAILED, "claimed": FAILED,
}  # fmt: skip
"""S1, S6, store.md D15, D16; an invalid answer or an ambiguous question is wrong usage (2)."""
_WORDS = {
    "accepted": "The answer is recorded.",
    "answered": "This question was already answered.",
    "invalid": "The value isn't valid for this question.",
    "stale": "This question is no longer open.",
    "unknown": "No open question has this id. Run `jp-tui inquiries --pending` to list them.",
    "ambiguous": "Several questions have this id. Use one of these:",
    "counted": "Your yes counts. Other people must approve it too.",
    "not_yours": "This question waits for other people.",
    "claimed": "Another person looks at this question.",
    "no_reaction": "The process that has this conversation open didn't respond within 5 seconds. Nothing was recorded.",
}


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """Answer of the command line (S6, N8): `comments` are N=TEXT on steps (K42), `reason` the explanation; `hidden`:
    the value came from standard input, so that it may be a secret. `remember`: for the rest of that program's session
    (N3); `anyway`: also where another person looks at it (store.md D16)."""

    inquiry: str
    value: str = field(default="", repr=False)
    comments: Sequence[str] = ()
    reason: str = ""
    decline: bool = False
    hidden: bool = False
    remember: bool = False
    anyway: bool = False

    @property
    def note(self) -> str:
        return "\n".join([*(one.replace("=", ": ", 1) for one in self.comments), *filter(None, [self.reason])])


def answer(link: Link, given: AnswerWords, output: TextOutput) -> int:
    """Offer the answer to the inquiry; return the exit status. Raises OutputEnded."""
    for one in given.comments:
        number, equals, words = one.partition("=")
        if not (equals and number.isascii() and number.isdigit() and words.strip()):
            output.tell(f"jp-tui: --comment is N=TEXT, the number of a step and what is said of it: {one}")
            return 2
    return _answer(link, given, output)


@lookup
def _answer(link: Link, given: AnswerWords, output: TextOutput) -> int:
    settled = ask_about(link, given.inquiry, partial(_offer, given), e.OfferSettled, output)
    _report(settled, output)
    return _STATUS.get(settled.status, 2)


def _offer(given: AnswerWords, conversation: str, inquiry: str) -> c.OfferAnswer:
    return c.OfferAnswer(
        conversation=conversation,
        inquiry=inquiry,
        value=given.value,
        note=given.note,
        decline=given.decline,
        hidden=given.hidden,
        remember=given.remember,
        anyway=given.anyway,
    )


def _report(settled: e.OfferSettled, output: TextOutput) -> None:
    if output.as_json:
        output.line(_described(settled))
        return
    message = result_text(settled)
    if settled.status == "counted":
        output.print(message)
        return
    if settled.status == "accepted":
        output.print(message)
        if settled.outside:
            return  # the process that asked goes on by itself
        command = resume_command(settled.conversation) if settled.conversation else "jp-tui query -c"
        if settled.worker:
            output.print(f"Its turn resumes now, where the conversation is open or in a worker: {settled.worker}.")
            return
        output.print(
            "If the conversation is open somewhere, its turn resumes now. No worker will resume it; otherwise "
            f"`{command}` does."
        )
        return
    output.tell(f"jp-tui: {message}")
    if settled.status == "claimed":
        output.tell("Add --anyway to answer it all the same.")
    for candidate in settled.candidates:
        output.tell(f"  {candidate}")


def result_text(settled: e.OfferSettled) -> str:
    """Return the result as a sentence."""
    message = settled.message or _WORDS[settled.status]
    return f"{message} ({settled.by})" if settled.by and settled.by not in message else message


def _described(settled: e.OfferSettled) -> JsonObject:
    found: JsonObject = {
        "status": settled.status,
        "inquiry": settled.inquiry,
        "conversation": settled.conversation,
        "message": settled.message or _WORDS[settled.status],
    }
    if settled.by:
        found["by"] = settled.by
    if settled.approvals is not None:
        found["approvals"] = {"needed": settled.approvals.needed, "by": list(settled.approvals.by)}
    if settled.status == "accepted" and not settled.outside:
        found["worker"] = settled.worker
    if settled.candidates:
        found["candidates"] = list(settled.candidates)
    return found
