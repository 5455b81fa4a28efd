"""The words and signs of the tool activity, a list of lines as data (R96, R244; asking.md E4, E60).

A sign never stands without its word, since meaning may not rest on a glyph or a colour alone. Knows no width and
no widget: a face cuts what does not fit and decides how a role looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jp_tui.conversation.strict_json import Json, dump
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol.values import CallEnd, CallState, UsageTotals
from jp_tui.view.activity import NOTHING, Activity, Call, Inquiry
from jp_tui.view.amounts import count, duration, seconds

Role = Literal[
    "heading", "turn", "good", "bad", "waiting", "running", "reviewer", "quiet", "question", "reason", "blank",
]  # fmt: skip

STATES: dict[CallState, tuple[str, str, Role]] = {
    "receiving_arguments": ("⋯", "being written", "quiet"),
    "queued": ("○", "queued", "quiet"),
    "awaiting_permission": ("?", "asks to run", "waiting"),
    "running": ("▸", "running", "running"),
    "awaiting_input": ("◐", "waiting", "waiting"),
    "awaiting_assistant": ("◇", "reviewer", "reviewer"),
    "awaiting_result_edit": ("✎", "result edit", "waiting"),
    "completed": ("✓", "done", "good"),
}
ENDS: dict[CallEnd, tuple[str, str, Role]] = {
    "ok": ("✓", "", "good"),
    "error": ("✗", "failed", "bad"),
    "cancelled": ("⊘", "cancelled", "quiet"),
    "skipped": ("↷", "skipped", "quiet"),
}
RESPONDERS = {
    "user": "you",
    "assistant": "reviewer",
    "static": "settings",
    "remembered": "remembered",
    "default": "default",
}
TAGS = {
    "user": "cancelled",
    "user_back": "gone back",
    "user_reply": "answered in words",
    "user_edit": "arguments edited",
    "timed_out": "timed out",
    "backend_error": "the reviewer failed",
    "no_prompt_backend": "nobody was there to ask",
    "assistant_routing_denied": "only a human may answer",
    "invalid_static_answer": "the configured answer is not valid",
}
OUTCOMES = {"failed": "failed", "deferred": "waits for an answer", "interrupted": "interrupted"}
MOST_CALLS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sign, a text, what goes with it in a quiet voice, and something at the right edge; `depth` indents."""

    role: Role
    sign: str = ""
    text: Foreign = NOTHING
    aside: Foreign = NOTHING
    right: str = ""
    depth: int = 0


BLANK = Line(role="blank")


def lines(activity: Activity, now: float) -> list[Line]:
    """What the sidebar says at `now` (the clock that `applied` was given)."""
    found = [Line(role="heading", text=Foreign("Activity"))]
    if activity.turn:
        found += [BLANK, Line(role="turn", text=Foreign(f"turn {activity.turn}"), right=_ending(activity))]
    shown = [call for call in activity.calls if not call.hidden or call.inquiries]
    if len(shown) > MOST_CALLS:
        found.append(Line(role="quiet", text=Foreign(f"{len(shown) - MOST_CALLS} earlier calls")))
    for call in shown[-MOST_CALLS:]:
        found += _call(call, now)
    for inquiry in activity.loose:
        found += _inquiry(inquiry, 0)
    if not shown and not activity.loose:
        found += [*([] if activity.turn else [BLANK]), Line(role="quiet", text=Foreign("no tools so far"))]
    if activity.waiting:
        found += [BLANK, Line(role="heading", text=Foreign("Waiting for you"), aside=_number(activity))]
        found += [Line(role="waiting", sign="▌", text=one.text, aside=one.asker) for one in activity.waiting]
    if activity.usage and (activity.usage.input or activity.usage.output):
        found += [BLANK, Line(role="heading", text=Foreign("Turn"), aside=Foreign(_tokens(activity.usage)))]
    return found


def _number(activity: Activity) -> Foreign:
    return Foreign(str(len(activity.waiting)))


def _ending(activity: Activity) -> str:
    took = duration(activity.ms) if activity.ms else ""
    return " · ".join(part for part in (OUTCOMES.get(activity.outcome, ""), took) if part)


def _tokens(usage: UsageTotals) -> str:
    return f"{count(usage.input)} in · {count(usage.output)} out"


def _call(call: Call, now: float) -> list[Line]:
    if call.state == "completed":
        sign, word, role = ENDS[call.end or "ok"]
        took = "" if call.ms is None else duration(call.ms)
        right = f"{word} {took}" if word and took else word or took
    else:
        sign, right, role = STATES[call.state]
        if call.busy and call.began is not None:
            right = seconds(now - call.began)
    repeats = any(inquiry.text == call.title for inquiry in call.inquiries)  # a call that only asks
    first = Line(role=role, sign=sign, text=call.tool, aside=NOTHING if repeats else call.title, right=right)
    return [first, *(line for inquiry in call.inquiries for line in _inquiry(inquiry, 1))]


def _inquiry(inquiry: Inquiry, depth: int) -> list[Line]:
    found = [Line(role="question", sign="└", text=inquiry.text, depth=depth)]
    who = inquiry.model if inquiry.by == "assistant" and inquiry.model else Foreign(RESPONDERS.get(inquiry.by, ""))
    took = "" if inquiry.ms is None or inquiry.by == "user" else duration(inquiry.ms)
    if inquiry.how == "answered":
        no = inquiry.answer is False
        sign = "✗" if no else "✓"
        role: Role = "bad" if no else "good"
        found.append(Line(role=role, sign=sign, text=said(inquiry.answer), aside=who, right=took, depth=depth + 1))
    elif inquiry.how == "redacted":
        found.append(Line(role="good", sign="✓", text=Foreign("kept secret"), aside=who, depth=depth + 1))
    elif inquiry.how != "open":
        tag = inquiry.tag.raw or "user"
        word = TAGS.get(tag, tag) if inquiry.how == "cancelled" else "withdrawn"
        found.append(Line(role="quiet", sign="⊘", text=Foreign(word), aside=who, depth=depth + 1))
    if inquiry.explanation:
        found.append(Line(role="reason", text=inquiry.explanation, depth=depth + 1))
    return found


def said(answer: Json) -> Foreign:
    """An answer in a line: yes, no, the text, the chosen ones, else its JSON."""
    if isinstance(answer, bool):
        return Foreign("yes" if answer else "no")
    if isinstance(answer, str):
        return Foreign(first_line(answer) or "empty on purpose")
    if isinstance(answer, list) and all(isinstance(one, str) for one in answer):
        return Foreign(", ".join(str(one) for one in answer) or "none")
    return Foreign(dump(answer))
