"""Words and signs of the tool activity, a list of lines as data (R96, R244; asking.md E4, E60).

A sign always has a word beside it, since meaning must not depend on a glyph or a colour alone. Independent of width and
widgets: the front end truncates and styles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol.values import CallEnd, CallState, UsageTotals
from jp_tui.view.activity.activity import Activity, CallActivity
from jp_tui.view.activity.agents import Agent, agent_state
from jp_tui.view.activity.plan import SIGNS, PlanView
from jp_tui.view.questions import approval_text
from jp_tui.view.questions.forms import discarded_answers
from jp_tui.view.questions.inbox import InboxEntry
from jp_tui.view.questions.inquiry import NOTHING, InquiryView
from jp_tui.view.questions.outcome_line import SUB_AGENT, Role, asker, declined, outcome
from jp_tui.view.questions.queue import NONE, Key
from jp_tui.view.wording.amounts import count, duration, seconds

STATES: dict[CallState, tuple[str, str, Role]] = {
    "receiving_arguments": ("⋯", "writing", "quiet"),
    "queued": ("○", "queued", "quiet"),
    "awaiting_permission": ("?", "asks to run", "waiting"),
    "running": ("▸", "running", "running"),
    "awaiting_input": ("◐", "waiting", "waiting"),
    "awaiting_assistant": ("◇", "reviewer decides", "reviewer"),
    "awaiting_result_edit": ("✎", "result edit", "waiting"),
    "completed": ("✓", "done", "good"),
}
ENDS: dict[CallEnd, tuple[str, str, Role]] = {
    "ok": ("✓", "", "good"),
    "error": ("✗", "failed", "bad"),
    "declined": ("⊘", "declined", "quiet"),
    "cancelled": ("⊘", "cancelled", "quiet"),
    "skipped": ("↷", "skipped", "quiet"),
}
OUTCOMES = {"failed": "failed", "deferred": "waits for an answer", "interrupted": "interrupted"}
MOST_CALLS = 200
TAKE_OVER = "F9 decide yourself"
ALL_THAT_WAITS = "F4 {n} more"
OPEN_AGENT = "F3 open its conversation"
MOST_OF_AGENT, MOST_OF_ALL, MOST_AGENTS = 8, 64, 16
"""Visible calls per sub-agent, and of all together; beyond that many sub-agents, only their name, task and number of
calls. Waiting questions are listed above, and each sub-agent has its own conversation."""
MOST_WAITING = 20
"""Visible waiting entries; the inbox has all of them."""
NOBODY: Mapping[str, Agent] = MappingProxyType({})
TAKEN_BACK = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityLine:
    """A sign, a text, secondary text, and text at the right edge; `depth` indents. `key` belongs to a waiting
    question."""

    role: Role
    sign: str = ""
    text: Foreign = NOTHING
    aside: Foreign = NOTHING
    right: str = ""
    depth: int = 0
    key: Key = NONE


BLANK = ActivityLine(role="blank")


def lines(
    activity: Activity,
    now: float,
    agents: Mapping[str, Agent] = NOBODY,
    waiting: Sequence[InboxEntry] = (),
    open_: Key = NONE,
) -> list[ActivityLine]:
    """Return the sidebar's lines at `now` (the clock of `applied`); `agents` are sub-agents by the call that runs them,
    `waiting` is everything that waits in the workspace (E51). What is open as a sheet, `open_`, is left out of both:
    its call keeps one line (Z14)."""
    waiting = [one for one in waiting if one.key != open_]
    found = [*_waiting(waiting), BLANK] if waiting else []  # first: nested calls must not push it out of sight
    found += _plan(activity.plan)
    found.append(ActivityLine(role="heading", text=Foreign("Activity")))
    if activity.turn:
        found += [BLANK, ActivityLine(role="turn", text=Foreign(f"turn {activity.turn}"), right=_ending(activity))]
    shown = [call for call in activity.calls if not call.hidden or call.inquiries]
    if len(shown) > MOST_CALLS:
        found.append(ActivityLine(role="quiet", text=Foreign(f"{len(shown) - MOST_CALLS} earlier calls")))
    most = 0 if len(agents) > MOST_AGENTS else min(MOST_OF_AGENT, MOST_OF_ALL // max(len(agents), 1))
    for call in shown[-MOST_CALLS:]:
        agent = agents.get(call.id)
        told = _call(call, now) if agent is None else _agent(call, agent, now, most)
        found += told[:1] if any(one.how == "open" and one.id == open_[1] for one in call.inquiries) else told
    for inquiry in activity.loose:
        found += _inquiry(inquiry, 0, None, now)
    if not shown and not activity.loose:
        found += [*([] if activity.turn else [BLANK]), ActivityLine(role="quiet", text=Foreign("no tools yet"))]
    if activity.usage and (activity.usage.input or activity.usage.output):
        found += [BLANK, ActivityLine(role="heading", text=Foreign("Turn"), aside=Foreign(_tokens(activity.usage)))]
    return found


_STEPS: dict[str, Role] = {"completed": "good", "in_progress": "running", "pending": "quiet"}
MOST_STEPS = 20
"""Steps of the plan that are shown; what is done goes first."""


def _plan(plan: PlanView) -> list[ActivityLine]:
    """Lines for the plan, and that it is plan mode (K40, K41)."""
    if not plan.steps and not plan.planning:
        return []
    mode = Foreign("plan mode") if plan.planning else NOTHING
    found = [ActivityLine(role="heading", text=Foreign("Plan"), aside=mode, right=plan.progress if plan.steps else "")]
    shown, first = plan.steps, 0
    if len(shown) > MOST_STEPS:
        first = min(plan.done, len(shown) - MOST_STEPS)
        shown = shown[first : first + MOST_STEPS]
        if first:
            found.append(ActivityLine(role="quiet", text=Foreign(f"{first} earlier steps")))
    for status, step in shown:
        right = "now" if status == "in_progress" else ""
        found.append(ActivityLine(role=_STEPS[status], sign=SIGNS[status], text=step, right=right))
    if len(plan.steps) > MOST_STEPS and (more := len(plan.steps) - MOST_STEPS - first) > 0:
        found.append(ActivityLine(role="quiet", text=Foreign(f"{more} more steps")))
    return [*found, BLANK]


def _waiting(entries: Sequence[InboxEntry]) -> list[ActivityLine]:
    """Lines for waiting questions, oldest first; snoozed ones and those of other conversations are marked."""
    found = [ActivityLine(role="heading", text=Foreign("Waiting for you"), aside=Foreign(str(len(entries))))]
    for one in entries[:MOST_WAITING]:
        if one.off:
            found.append(ActivityLine(role="put_off", sign="☾", text=one.text, aside=Foreign("snoozed"), key=one.key))
        else:
            title = "" if one.here else f" · {first_line(one.title.raw) or 'another conversation'}"
            who = Foreign(one.who.raw + title)
            found.append(ActivityLine(role="waiting", sign="▌", text=one.text, aside=who, key=one.key))
    if len(entries) > MOST_WAITING:
        found.append(ActivityLine(role="inbox", text=Foreign(ALL_THAT_WAITS.format(n=len(entries) - MOST_WAITING))))
    return found


def _ending(activity: Activity) -> str:
    took = duration(activity.ms) if activity.ms else ""
    return " · ".join(part for part in (OUTCOMES.get(activity.outcome, ""), took) if part)


def _tokens(usage: UsageTotals) -> str:
    return f"{count(usage.input)} in · {count(usage.output)} out"


def _call(call: CallActivity, now: float) -> list[ActivityLine]:
    if call.state == "completed":
        sign, word, role = ENDS[call.end or "ok"]
        word = declined(call.inquiries) if call.end == "declined" else word
        took = "" if call.ms is None or call.end == "declined" else duration(call.ms)
        right = f"{word} {took}" if word and took else word or took
    else:
        sign, right, role = STATES[call.state]
        if call.busy and call.began is not None:
            right = seconds(now - call.began)
    repeats = any(first_line(inquiry.text.raw) == call.title.raw for inquiry in call.inquiries)  # a call that only asks
    first = ActivityLine(role=role, sign=sign, text=call.tool, aside=NOTHING if repeats else call.title, right=right)
    told = [line for one in call.decided for line in _decision(one)]
    told += [ActivityLine(role="quiet", text=call.said, depth=1)] if call.said and call.busy else []
    back = discarded_answers(call.inquiries)
    for at, one in enumerate(call.inquiries):
        if not (one.moved or one.restores):  # after Back only the last one counts
            told += _inquiry(one, 1, call, now, back=at in back)
    return [first, *told]


def _agent(call: CallActivity, agent: Agent, now: float, most: int) -> list[ActivityLine]:
    """Lines for a sub-agent in the place of its call: name, task, and its calls below. Its questions are listed with
    them, not again as the parent's (R222)."""
    own = tuple(one for one in call.inquiries if not one.asker.raw.startswith(SUB_AGENT))
    first, *rest = _call(replace(call, inquiries=own), now)
    name = agent.info.name or Foreign("agent")
    inner = agent.activity.calls
    number = f"{len(inner)} calls" if len(inner) != 1 else "1 call"
    aside = agent.info.task or NOTHING
    sign, word, waits = agent_state(agent)
    if waits and call.state in ("running", "awaiting_input"):
        head = replace(first, role="waiting", sign=sign, text=name, aside=aside, right=word)
    else:
        head = replace(first, text=name, aside=aside, right=" ".join(part for part in (number, first.right) if part))
    if not most:
        return [head]
    below = [line for one in inner[-most:] if not one.hidden or one.inquiries for line in _call(one, now)]
    below += [line for inquiry in agent.activity.loose for line in _inquiry(inquiry, 0, None, now)]
    if len(inner) > most:
        below.insert(0, ActivityLine(role="quiet", text=Foreign(f"{len(inner) - most} earlier calls")))
    opens = [ActivityLine(role="agent", text=Foreign(OPEN_AGENT), depth=1)] if not agent.over else []
    return [head, *rest, *(replace(line, depth=line.depth + 1) for line in below), *opens]


def _decision(decision: approval_text.Decision) -> list[ActivityLine]:
    one = approval_text.decision_text(decision)
    found = [ActivityLine(role=one.tone, sign=one.sign, text=Foreign(one.words), aside=Foreign(one.aside), depth=1)]
    return [*found, ActivityLine(role="reason", text=one.reason, depth=1)] if one.reason else found


def _inquiry(
    inquiry: InquiryView, depth: int, call: CallActivity | None, now: float, *, back: bool = False
) -> list[ActivityLine]:
    """Lines for a question, its asker if that isn't the call, and its outcome; `back`: Back discarded its answer."""
    who = asker(inquiry)
    own = call is not None and not inquiry.assistant and who.raw in (call.tool.raw, "a tool")
    text = Foreign(first_line(inquiry.text.raw))
    found = [
        ActivityLine(
            role="question", sign="└", text=text, aside=NOTHING if own or inquiry.assistant else who, depth=depth
        )
    ]
    reviewed = call is not None and call.state == "awaiting_assistant"
    if inquiry.how != "open" or reviewed or inquiry.handed:
        end = outcome(inquiry, reviewed=reviewed)
        took = end.took
        if call is not None and inquiry.how == "open" and reviewed and call.since is not None:
            took = seconds(now - call.since)
        if back:
            found.append(
                ActivityLine(role="quiet", sign="↶", text=end.word, aside=Foreign(TAKEN_BACK), depth=depth + 1)
            )
        else:
            found.append(
                ActivityLine(role=end.role, sign=end.sign, text=end.word, aside=end.who, right=took, depth=depth + 1)
            )
        if reviewed and inquiry.how == "open":
            found += [ActivityLine(role="reason", text=inquiry.heard, depth=depth + 1)] if inquiry.heard else []
            found.append(ActivityLine(role="take_over", text=Foreign(TAKE_OVER), depth=depth + 1))
    if any(inquiry.tokens):
        spent = f"{count(inquiry.tokens[0])} in · {count(inquiry.tokens[1])} out"
        found.append(ActivityLine(role="quiet", text=Foreign(spent), depth=depth + 1))
    if inquiry.explanation:
        found.append(ActivityLine(role="reason", text=inquiry.explanation, depth=depth + 1))
    return found
