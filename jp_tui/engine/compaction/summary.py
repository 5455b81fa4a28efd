"""The summary of a conversation: the request, and taking what the model says (context.md K24, K28).

Runs no call, records nothing and shows nothing of the reply but its text, at its end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from jp_tui.conversation import model as m
from jp_tui.engine.model.response_retry import request_for
from jp_tui.engine.model.text_response import text_deltas
from jp_tui.engine.record.sizes import measure, size

BEGINS = "Summarise the conversation above so that it can continue without it."
PROMPT = f"""{BEGINS}

Write plain text under these headings: Goal, State, Decisions and why, Files, Next steps. Keep names, numbers, paths, \
commands and error messages exactly. Call no tool. What the user answered or refused is kept elsewhere word for word: \
do not state that the user agreed to anything."""
SUMMARY = "conversation.summary"
"""Purpose of a summary's request; only scripted models read it."""
SHARE = 10
"""A summary has at most this part of the window."""
BLANK = "the summary was blank"


@dataclass(frozen=True, slots=True)
class Summarised:
    """`tokens` are what the request and the reply cost."""

    text: str
    tokens: m.Usage


def request(plain: m.ModelRequest, told: Sequence[m.Message], focus: str, room: int | None) -> m.ModelRequest:
    """`plain` is the request that the conversation would send; `told` what is to be summarised, of which as much is
    left out at its beginning as `room` (bytes) wants."""
    words = f"{PROMPT}\n\nFocus: {focus}" if focus else PROMPT
    fitted = list(fit(told, room - size(words) if room is not None else None))
    asked = m.TextPart(words)
    if fitted and fitted[-1].role == "user":
        fitted.append(m.Message("user", (*fitted.pop().parts, asked)))
    else:
        fitted.append(m.Message("user", (asked,)))
    choice = plain.tool_choice if plain.tool_choice == "auto" else "none"
    return replace(request_for(plain, tuple(fitted), choice), inquiry=SUMMARY)


def fit(told: Sequence[m.Message], room: int | None) -> Sequence[m.Message]:
    """The first message and the last ones, as many as have `room` bytes: between them whole exchanges are left out,
    the oldest first."""
    if room is None or measure(told) <= room or not told:
        return told
    first = told[:1] if measure(told[:1]) <= room // 2 else ()
    left = room - measure(first)
    at = len(told)
    while at > 1 and (left := left - measure(told[at - 1 : at])) >= 0:
        at -= 1
    while at < len(told) and (told[at].role != "assistant"):
        at += 1
    rest = told[at:]
    if first or not rest:
        return (*first, *rest)
    return (m.Message("user", (m.TextPart("[Older messages are left out.]"),)), *rest)


async def summarise(
    asked: m.ModelRequest, stream: Callable[[m.ModelRequest], AsyncIterator[m.Delta]], most: int
) -> Summarised:
    """Return the model's text, at most `most` characters: a longer reply is ended there. Raises ModelError, also for a
    reply that is blank or broke off."""
    found: list[str] = []
    length, usage, whole = 0, m.Usage(), False
    async with aclosing(text_deltas(stream(asked))) as texts:
        async for one in texts:
            if isinstance(one, m.Finished):
                usage, whole = one.usage, True
                continue
            found.append(one)
            length += len(one)
            if length >= most:
                whole = True
                break
    text = "".join(found)[:most].strip()
    if not whole:
        raise m.ModelError("cut", "the summary broke off", transient=True)
    if not text:
        raise m.ModelError("other", BLANK)
    return Summarised(text, usage)
