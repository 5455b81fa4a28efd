"""Activity of the turn: its tool calls, their inquiries with who answered, and what waits for the user.

A pure reducer over the engine's events (inquiries.md R96, R99, R244); the time is an input. A reloaded conversation
goes through the same functions as a live one, so both look identical. Only the latest turn, no formatting: words and
icons are in `lines.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import cast, get_args

from jp_tui.conversation import events as stored
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import CallEnd, CallState, PromptKind, PromptRequest, StoredEvent, UsageTotals
from jp_tui.view.activity.plan import PlanView, planned
from jp_tui.view.questions.approval_text import Decision, decisions
from jp_tui.view.questions.inquiry import NOTHING, InquiryView, handed, question, text_at, with_response
from jp_tui.view.questions.prompt_line import asker, headline
from jp_tui.view.questions.queue import Key, key_of
from jp_tui.view.transcript.calls import agent_words, subject

_OPEN = ("open", "deferred")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallActivity:
    """One tool call. `began` is when it first ran, `since` when it entered its state, on the front end's clock; its
    duration excludes the user's time. `said` is its latest output line while it runs."""

    id: str
    tool: Foreign
    title: Foreign = NOTHING
    state: CallState = "queued"
    end: CallEnd | None = None
    ms: int | None = None
    began: float | None = None
    since: float | None = None
    hidden: bool = False
    inquiries: tuple[InquiryView, ...] = ()
    decided: tuple[Decision, ...] = ()
    said: Foreign = NOTHING

    @property
    def busy(self) -> bool:
        """True if its duration grows."""
        return self.began is not None and self.state in ("running", "awaiting_assistant")


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingQuestion:
    """Question that waits for the user."""

    id: str
    conversation: str = ""
    text: Foreign
    asker: Foreign


NO_PLAN = PlanView()


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """Latest turn of a conversation; `loose` are inquiries without a known call."""

    turn: int = 0
    calls: tuple[CallActivity, ...] = ()
    loose: tuple[InquiryView, ...] = ()
    waits: Mapping[Key, WaitingQuestion] = field(default_factory=dict)
    running: bool = False
    outcome: str = ""
    usage: UsageTotals | None = None
    ms: int | None = None
    plan: PlanView = NO_PLAN

    @property
    def waiting(self) -> tuple[WaitingQuestion, ...]:
        """Return what waits for the user, oldest first."""
        return tuple(self.waits.values())

    @property
    def shows(self) -> bool:
        """True if a front end shows a call, an inquiry or a plan of it."""
        plan = bool(self.plan.steps) or self.plan.planning
        return plan or bool(self.loose) or any(not call.hidden or call.inquiries for call in self.calls)

    @property
    def ticking(self) -> bool:
        """True if a displayed duration grows."""
        return any(call.busy for call in self.calls)


def rebuilt(page: Iterable[StoredEvent]) -> Activity:
    """Return the activity of the last turn of a stored page; calls without a result are unfinished."""
    found = Activity()
    for one in page:
        found = _fact(found, one)
    return _still(found)


def applied(activity: Activity, event: ev.Event, now: float, *, here: bool = True) -> Activity:
    """Return the activity after an event at `now` (seconds on the front end's clock); the same object if nothing
    changed. Of another conversation (not `here`) only what waits for the user counts."""
    match event:
        case ev.QuestionAsked(prompt=prompt) if not here:
            return _waits(activity, prompt)
        case ev.QuestionSettled() if not here:
            return _gone(activity, event)
        case _ if not here:
            return activity
        case ev.ConversationOpened(page=page):
            return rebuilt(page)
        case ev.EventAppended(stored=one):
            return _fact(activity, one)
        case ev.TurnStarted(turn=turn):
            return replace(_turn(activity, turn), running=True, outcome="")
        case ev.TurnCompleted(turn=turn, outcome=outcome, usage=usage, ms=ms):
            ended = replace(_turn(activity, turn), outcome=outcome, usage=usage, ms=ms)
            return _still(ended, event.conversation)
        case ev.CallChanged():
            return _changed(activity, event, now)
        case ev.PlanModeSet(on=on):
            return replace(activity, plan=replace(activity.plan, planning=on))
        case ev.PlanFound(events=events):
            return reduce(_earlier_plan, events, activity)
        case ev.QuestionAsked(prompt=prompt):
            return _asked(activity, prompt)
        case ev.QuestionSettled():
            return _on_settled(activity, event)
        case ev.ReviewStarted(inquiry=id_, model=model):
            return _inquiry(activity, id_, lambda one: replace(one, reviewer=Foreign(model), heard=NOTHING))
        case ev.ReviewDelta(kind="reason"):
            return _inquiry(activity, event.inquiry, lambda one: replace(one, heard=_more(one.heard, event)))
        case _:
            return activity


def _turn(activity: Activity, turn: int) -> Activity:
    """Start the activity of `turn`; what waits outlives its turn."""
    return activity if turn <= activity.turn else Activity(turn=turn, waits=activity.waits, plan=activity.plan)


def _still(activity: Activity, conversation: str = "") -> Activity:
    """Mark everything as stopped: a call without a result is unfinished, unless the user is still asked."""
    asked = {id_ for home, id_ in activity.waits if home == conversation}

    def ended(call: CallActivity) -> CallActivity:
        if call.state == "completed" or any(one.id in asked or one.how == "deferred" for one in call.inquiries):
            return call if call.state == "completed" else replace(call, state="awaiting_input", end=None)
        return replace(call, state="completed", end="cancelled")

    return replace(activity, calls=tuple(map(ended, activity.calls)), running=False)


def _call(activity: Activity, call: CallActivity) -> Activity:
    """Replace the call with this id, or append it."""
    if all(known.id != call.id for known in activity.calls):
        return replace(activity, calls=(*activity.calls, call))
    calls = tuple(call if known.id == call.id else known for known in activity.calls)
    return replace(activity, calls=calls)


def _known(activity: Activity, call: str, tool: str) -> CallActivity:
    found = next((known for known in activity.calls if known.id == call), None)
    return found or CallActivity(id=call, tool=Foreign(tool))


def _changed(activity: Activity, event: ev.CallChanged, now: float) -> Activity:
    if event.turn < activity.turn:
        return activity
    activity = _turn(activity, event.turn)
    call = _known(activity, event.call, event.tool)
    if call.began is not None and call.since is not None and call.state == "awaiting_input" != event.state:
        call = replace(call, began=call.began + now - call.since)  # who was asked took that time, not the tool (Z15)
    runs = event.state in ("running", "awaiting_assistant")
    call = replace(
        call,
        tool=Foreign(event.tool),
        title=event.title or call.title,
        state=event.state,
        end=event.end,
        ms=call.ms if event.ms is None else event.ms,
        since=call.since if call.since is not None and call.state == event.state else now,
        began=now - (event.ms or 0) / 1000 if runs and call.began is None else call.began,
        hidden=event.hidden,
        said=event.said,
    )
    return _call(activity, call)


def _waits(activity: Activity, prompt: PromptRequest) -> Activity:
    waits = WaitingQuestion(
        id=prompt.inquiry,
        conversation=prompt.conversation,
        text=Foreign(headline(prompt)),
        asker=Foreign(asker(prompt)),
    )
    key = key_of(prompt)
    return replace(activity, waits={**_others(activity, key), key: waits})


def _others(activity: Activity, key: Key) -> Mapping[Key, WaitingQuestion]:
    if key not in activity.waits:
        return activity.waits
    left = dict(activity.waits)
    del left[key]
    return left


def _gone(activity: Activity, event: ev.QuestionSettled) -> Activity:
    return replace(activity, waits=_others(activity, (event.conversation, event.inquiry)))


def _asked(activity: Activity, prompt: PromptRequest) -> Activity:
    activity = _waits(activity, prompt)
    if prompt.turn < activity.turn:
        return activity
    activity = _turn(activity, prompt.turn)
    call = _known(activity, prompt.call, prompt.tool)
    if prompt.kind == "question":
        if all(known.id != prompt.inquiry for known in call.inquiries):
            call = replace(call, inquiries=(*call.inquiries, _inquired(prompt)))
        told = prompt.escalation
        why_me = "" if told is None else handed({"failed": told.failed, "cause": told.cause})
        shown = [
            replace(one, how="open", escalated=why_me == "rejected", handed=why_me) if one.id == prompt.inquiry else one
            for one in call.inquiries
        ]
        call = replace(call, inquiries=tuple(shown))
    return _call(activity, replace(call, state=_ASKS[prompt.kind], end=None))


def _more(heard: Foreign, delta: ev.ReviewDelta) -> Foreign:
    """Return the reason as streamed so far, with the new text appended."""
    return Foreign(("" if delta.fresh else heard.raw) + delta.text.raw)


def _inquired(prompt: PromptRequest) -> InquiryView:
    """Return a question that is shown before its fact arrives; the fact says the same."""
    return InquiryView(
        id=prompt.inquiry,
        text=Foreign(prompt.question.text),
        context=Foreign(prompt.question.context or ""),
        source=prompt.source,
        asker=Foreign(prompt.source_name or prompt.tool),
        why=Foreign(prompt.why),
    )


_ASKS: dict[PromptKind, CallState] = {
    "question": "awaiting_input",
    "permission": "awaiting_permission",
    "delivery": "awaiting_result_edit",
    "review": "awaiting_input",
}


def _on_settled(activity: Activity, event: ev.QuestionSettled) -> Activity:
    activity = _gone(activity, event)

    def settle(one: InquiryView) -> InquiryView:
        return replace(one, how=event.how, by=one.by or event.by) if one.how in _OPEN else one

    activity = _inquiry(activity, event.inquiry, settle)
    return activity if activity.running else _still(activity)


def _inquiry(activity: Activity, id_: str, change: Callable[[InquiryView], InquiryView]) -> Activity:
    """Apply `change` to the first open inquiry with that id, else the last: ids are opaque, and older logs repeat one
    within a turn (R29)."""

    def among(inquiries: tuple[InquiryView, ...]) -> tuple[InquiryView, ...]:
        same = [at for at, one in enumerate(inquiries) if one.id == id_]
        chosen = next((at for at in same if inquiries[at].how in _OPEN), same[-1])
        return tuple(change(one) if at == chosen else one for at, one in enumerate(inquiries))

    if any(one.id == id_ for one in activity.loose):
        return replace(activity, loose=among(activity.loose))
    for call in activity.calls:
        if any(one.id == id_ for one in call.inquiries):
            return _call(activity, replace(call, inquiries=among(call.inquiries)))
    return activity


def _fact(activity: Activity, one: StoredEvent) -> Activity:
    """Apply a fact of the log, live or reloaded."""
    if one.turn < activity.turn:
        return activity
    activity = _turn(activity, one.turn)
    match read_event(one.event):
        case stored.ToolCallRequest(id=id_, name=name, arguments=arguments, metadata=metadata):
            call = _known(activity, id_, name)
            title = call.title or Foreign(text_at(metadata, "title") or subject(arguments))
            return _call(activity, replace(call, title=title))
        case stored.ToolCallResponse(id=id_, is_error=failed, metadata=metadata):
            return _result(activity, id_, failed, metadata)
        case stored.InquiryRequest() as request:
            return _question(activity, request)
        case stored.InquiryAnswered() | stored.InquiryCancelled() | stored.InquiryRedacted() as response:
            return _inquiry(activity, response.id, lambda open_: with_response(open_, response))
        case stored.TurnOutcome(outcome=outcome, usage=usage, ms=ms):
            numbers = {key: value for key, value in usage.items() if key in UsageTotals.model_fields}
            ended = replace(activity, outcome=outcome, usage=UsageTotals.model_validate(numbers), ms=ms)
            return _deferred(ended) if outcome == "deferred" else ended
        case stored.Unknown() as event:
            plan = planned(activity.plan, event)
            return activity if plan is activity.plan else replace(activity, plan=plan)
        case _:
            return activity


def _earlier_plan(activity: Activity, one: StoredEvent) -> Activity:
    """Add an earlier plan or mode event; the page had none of its kind."""
    event = read_event(one.event)
    if not isinstance(event, stored.Unknown) or (plan := planned(activity.plan, event)) is activity.plan:
        return activity
    return replace(activity, plan=plan)


def _deferred(activity: Activity) -> Activity:
    """Mark a turn that was ended to wait: open questions stay open (R230)."""

    def put_off(call: CallActivity) -> CallActivity:
        if call.state == "completed":
            return call
        return replace(
            call, inquiries=tuple(replace(one, how="deferred") if one.how == "open" else one for one in call.inquiries)
        )

    return replace(activity, calls=tuple(map(put_off, activity.calls)))


def _result(activity: Activity, id_: str, failed: bool, metadata: JsonObject) -> Activity:
    call = next((known for known in activity.calls if known.id == id_), None)
    if call is None:
        return activity
    said, ms = metadata.get("end"), metadata.get("ms")
    end = cast(CallEnd, said) if said in get_args(CallEnd) else "error" if failed else "ok"
    took = ms if isinstance(ms, int) and not isinstance(ms, bool) else call.ms
    known = call.end if call.state == "completed" else None
    title = Foreign(agent_words(metadata.get("agent")) or text_at(metadata, "title")) or call.title
    return _call(
        activity,
        replace(call, title=title, state="completed", end=known or end, ms=took, decided=decisions(metadata)),
    )


def _question(activity: Activity, request: stored.InquiryRequest) -> Activity:
    """Add an inquiry of the log: under the call its metadata names, else the one whose id is its prefix."""
    asked = question(request)
    if any(one.id == asked.id and one.how == "open" for call in activity.calls for one in call.inquiries):
        return _inquiry(
            activity, asked.id, lambda shown: replace(asked, escalated=shown.escalated, handed=shown.handed)
        )
    named = text_at(request.metadata, "call")
    own = [call for call in activity.calls if call.id == named]
    own = own or [call for call in activity.calls if asked.id.startswith(f"{call.id}.")]
    if not own:
        return replace(activity, loose=(*activity.loose, asked))
    call = max(own, key=lambda known: len(known.id))
    return _call(activity, replace(call, inquiries=(*call.inquiries, asked)))
