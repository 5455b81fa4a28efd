"""`jp-tui answer INQUIRY VALUE`: answer a waiting question from another process (surface S6, S12, asking.md E53).

INQUIRY is an id, or CONVERSATION/ID. It calls no model: the conversation's owner continues the turn, otherwise the next
start does. An existing answer stays and is reported.
"""

from __future__ import annotations

from collections.abc import Sequence

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless.lists.request import NoAnswer, ask
from jp_tui.headless.output import FAILED, TextOutput
from jp_tui.headless.unanswered import resume_command
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e

_STATUS = {"accepted": 0, "answered": FAILED, "stale": FAILED, "no_reaction": FAILED}
"""S1, S6; an invalid answer or an ambiguous question is wrong usage (2)."""
_WORDS = {
    "accepted": "The answer is recorded.",
    "answered": "This question was already answered.",
    "invalid": "The value isn't valid for this question.",
    "stale": "This question is no longer open.",
    "unknown": "No open question has this id. Run `jp-tui inquiries --pending` to list them.",
    "ambiguous": "Several questions have this id. Use one of these:",
    "no_reaction": "The process that has this conversation open didn't respond within 5 seconds. Nothing was recorded.",
}


def answer(link: Link, inquiry: str, value: str, output: TextOutput, comments: Sequence[str] = ()) -> int:
    """Offer `value` to the inquiry, with comments N=TEXT on steps (K42); return the exit status. Raises OutputEnded."""
    note = "\n".join(one.replace("=", ": ", 1) for one in comments)
    for one in comments:
        number, equals, words = one.partition("=")
        if not (equals and number.isascii() and number.isdigit() and words.strip()):
            output.tell(f"jp-tui: --comment is N=TEXT, the number of a step and what is said of it: {one}")
            return 2
    link.start(lambda: None)
    try:
        settled = _offered(link, inquiry, value, output, note)
    except NoAnswer as trouble:
        return trouble.status
    finally:
        link.close(5.0)
    _report(settled, output)
    return _STATUS.get(settled.status, 2)


def _offered(link: Link, inquiry: str, value: str, output: TextOutput, note: str) -> e.OfferSettled:
    """Return the result. An id is the model's own text and may contain a slash, so both readings are tried."""
    conversation, slash, rest = inquiry.partition("/")
    if slash and conversation and rest:
        offer = c.OfferAnswer(conversation=conversation, inquiry=rest, value=value, note=note)
        try:
            settled = ask(link, offer, e.OfferSettled, output, quiet=True)
        except NoAnswer as trouble:
            if trouble.status == FAILED:
                output.tell(f"jp-tui: {trouble}")
                raise
        else:
            if settled.status != "unknown":
                return settled
    return ask(link, c.OfferAnswer(inquiry=inquiry, value=value, note=note), e.OfferSettled, output)


def _report(settled: e.OfferSettled, output: TextOutput) -> None:
    if output.as_json:
        output.line(_described(settled))
        return
    message = result_text(settled)
    if settled.status == "accepted":
        output.say(message)
        command = resume_command(settled.conversation) if settled.conversation else "jp-tui query -c"
        output.say(f"If the conversation is open somewhere, its turn resumes now. Otherwise `{command}` resumes it.")
        return
    output.tell(f"jp-tui: {message}")
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
    if settled.candidates:
        found["candidates"] = list(settled.candidates)
    return found
