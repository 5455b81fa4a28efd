"""Identical calls that keep being rejected (Z17): after three rejections the engine refuses the call without asking.

A call is identified by its tool and its arguments, whatever its id. Declining to run it counts, so does cancelling one
of its questions, and so does a "no" after which the tool failed. A new message from the user starts the count again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import JsonObject, text_of
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import messages, transitions
from jp_tui.inquiry import values as v
from jp_tui.inquiry.closing import Decision, complete, drop_open

LIMIT = 3
BY_USER, BY_OTHERS = "user", "other"
REJECTED_BY = "rejected_by"
"""Metadata of a response: who gave the "no" that made the tool fail."""
REFUSED: JsonObject = {"choice": "skip", "by": "engine"}
"""Decision recorded with the response of a refused call."""


def identity(tool: str, arguments: JsonObject) -> str:
    """Return the SHA-256 of the tool and its arguments, independent of the order of keys."""
    canonical = json.dumps([tool, arguments], ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def refusal(ledger: v.Ledger, same: str) -> str:
    """Return M50 for a call that is refused without asking; empty for any other."""
    found = ledger.rejected.get(same)
    if found is None or found.times < LIMIT:
        return ""
    return messages.refused_unasked(by_user=found.by_user)


def refuse(state: v.State, call: str) -> Decision | None:
    """End this call if the engine refuses it; None when it may ask."""
    work = state.calls.get(call)
    text = refusal(state.ledger, work.identity) if work is not None else ""
    if not text:
        return None
    state, steps = drop_open(state, call)
    state, more = complete(state, call, text, is_error=True, decision=REFUSED)
    return state, [*steps, *more]


def count(ledger: v.Ledger, same: str, *, by_user: bool) -> v.Ledger:
    """Return the ledger with one more rejection of this call."""
    before = ledger.rejected.get(same, v.Rejected())
    after = v.Rejected(before.times + 1, before.by_user and by_user)
    return replace(ledger, rejected=transitions.with_entry(ledger.rejected, same, after))


def rejected(state: v.State, call: str, *, by_user: bool) -> Decision:
    """Count a rejection. After the last one, identical calls that wait for an answer end as well."""
    work = state.calls.get(call)
    if work is None or not work.identity:
        return state, []
    state = replace(state, ledger=count(state.ledger, work.identity, by_user=by_user))
    steps: list[s.Step] = []
    if refusal(state.ledger, work.identity):
        waiting = {item.call: None for item in (*state.waiting, *state.reviewed) if item.call != call}
        for other in waiting:
            if state.calls[other].identity == work.identity and (ended := refuse(state, other)) is not None:
                state, more = ended
                steps += more
    return state, steps


def rejecter(state: v.State, call: str) -> str:
    """Return the author of a "no" to the last question of this call: `user`, `other`, or empty without one."""
    work = state.calls.get(call)
    if work is None or work.last is None or not work.last.rejects:
        return ""
    return BY_USER if work.last.who.kind == "user" else BY_OTHERS


def failed(state: v.State, given: v.CallFailed) -> Decision:
    """Count a tool failure after a "no" to its last question as a rejection of the call."""
    who = rejecter(state, given.call)
    return rejected(state, given.call, by_user=who == BY_USER) if who else (state, [])


def reset_counts(state: v.State) -> Decision:
    """Reset the counts after a user message: identical calls may be asked about again."""
    return replace(state, ledger=replace(state.ledger, rejected=MappingProxyType({}))), []


def recorded(turn: Sequence[ev.Event]) -> dict[str, v.Rejected]:
    """Return the counts of an unfinished turn from its events."""
    ledger = v.Ledger()
    calls: dict[str, ev.ToolCallRequest] = {}
    asked: dict[str, str] = {}
    left: dict[str, bool] = {}
    for event in turn:
        match event:
            case ev.ToolCallRequest():
                calls[event.id] = event
                left.pop(event.id, None)
            case ev.InquiryRequest():
                asked[event.id] = text_of(event.metadata.get("call"))
            case ev.InquiryAnswered() | ev.InquiryCancelled() | ev.InquiryRedacted() if event.id in asked:
                left[asked[event.id]] = isinstance(event, ev.InquiryCancelled) and _by_user(event)
            case ev.ToolCallResponse() if event.id in calls:
                if event.content.startswith(messages.STOPPED_WITH_WORDS):
                    ledger = replace(ledger, rejected=MappingProxyType({}))
                elif who := _rejecter(event, left=left.get(event.id, False)):
                    ledger = count(ledger, _identity(calls[event.id], event), by_user=who == BY_USER)
            case _:
                pass
    return dict(ledger.rejected)


def _by_user(event: ev.InquiryCancelled) -> bool:
    return event.reason == "user" and event.responder is not None and event.responder.kind == "user"


def _rejecter(event: ev.ToolCallResponse, *, left: bool) -> str:
    """Return who rejected a call that ended with this response, as in `rejecter`. `left`: its last question was
    cancelled."""
    decision = event.metadata.get("permission")
    if isinstance(decision, dict) and decision.get("choice") in ("skip", "cancel"):
        return BY_USER if decision.get("by") == "user" and not event.is_error else ""
    if left and event.content == messages.CANCELLED:
        return BY_USER
    return text_of(event.metadata.get(REJECTED_BY))


def _identity(request: ev.ToolCallRequest, response: ev.ToolCallResponse) -> str:
    edited = response.metadata.get("edited_arguments")
    return identity(request.name, edited if isinstance(edited, dict) else request.arguments)
