"""`jp-tui answer INQUIRY VALUE`: answer a question that waits, from another process (surface S6, S12, asking.md E53).

INQUIRY is an id, or CONVERSATION/ID. It calls no model: whoever holds the conversation carries the turn on, otherwise
the next start does. What was already answered stays as it is, and is said.
"""

from __future__ import annotations

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless.lists.request import NoAnswer, ask
from jp_tui.headless.output import FAILED, TextOutput
from jp_tui.headless.unanswered import resumes
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e

_STATUS = {"accepted": 0, "answered": FAILED, "stale": FAILED, "no_reaction": FAILED}
"""S1, S6; what cannot be an answer, or names no one question, is wrong usage (2)."""
_WORDS = {
    "accepted": "The answer is recorded.",
    "answered": "This question was already answered.",
    "invalid": "The value isn't valid for this question.",
    "stale": "This question is no longer open.",
    "unknown": "No open question has this id. Run `jp-tui inquiries --pending` to list them.",
    "ambiguous": "Several questions have this id. Use one of these:",
    "no_reaction": "The process that has this conversation open didn't respond within 5 seconds. Nothing was recorded.",
}


def answer(link: Link, inquiry: str, value: str, output: TextOutput) -> int:
    """Offer `value` to the inquiry; the exit status. Raises OutputEnded."""
    link.start(lambda: None)
    try:
        settled = _offered(link, inquiry, value, output)
    except NoAnswer as trouble:
        return trouble.status
    finally:
        link.close(5.0)
    _report(settled, output)
    return _STATUS.get(settled.status, 2)


def _offered(link: Link, inquiry: str, value: str, output: TextOutput) -> e.OfferSettled:
    """What became of it. An id is the model's own text and may have a slash in it, so both readings are tried."""
    conversation, slash, rest = inquiry.partition("/")
    if slash and conversation and rest:
        offer = c.OfferAnswer(conversation=conversation, inquiry=rest, value=value)
        try:
            settled = ask(link, offer, e.OfferSettled, output, quiet=True)
        except NoAnswer as trouble:
            if trouble.status == FAILED:
                output.tell(f"jp-tui: {trouble}")
                raise
        else:
            if settled.status != "unknown":
                return settled
    return ask(link, c.OfferAnswer(inquiry=inquiry, value=value), e.OfferSettled, output)


def _report(settled: e.OfferSettled, output: TextOutput) -> None:
    if output.as_json:
        output.line(_described(settled))
        return
    message = said_of(settled)
    if settled.status == "accepted":
        output.say(message)
        command = resumes(settled.conversation) if settled.conversation else "jp-tui query -c"
        output.say(f"If the conversation is open somewhere, its turn resumes now. Otherwise `{command}` resumes it.")
        return
    output.tell(f"jp-tui: {message}")
    for candidate in settled.candidates:
        output.tell(f"  {candidate}")


def said_of(settled: e.OfferSettled) -> str:
    """What became of it, in a sentence."""
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
