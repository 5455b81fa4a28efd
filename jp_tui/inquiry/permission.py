"""Decisions about a call: may it run, may its result be delivered (inquiries.md 5.2, 5.3).

They share the queue with questions (R116, R253) but aren't recorded as inquiries: `decision` travels with the call's
response and is stored there.
"""

from __future__ import annotations

from jp_tui.conversation.events import Responder
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import messages, refusals, repeats, transitions, why
from jp_tui.inquiry import values as v
from jp_tui.inquiry.closing import (
    Decision,
    complete,
    drop_open,
    drop_recorded,
    find,
    leave_open,
    record_answer,
    rememberable,
)
from jp_tui.inquiry.parts import UNWRITABLE, writable
from jp_tui.inquiry.route import key

OTHER_DECISION = "this prompt asks for another decision"


def _slot(tool: str, exact: str) -> str:
    """Return the key of a remembered decision: the tool, or exactly what was shown (R30, Z16)."""
    found = key(tool, v.PERMISSION)
    return f"{found}#{exact}" if exact else found


def _begun(state: v.State, call: str, tool: str) -> Decision:
    """Start the call if this prompt is its first input."""
    state, steps = drop_open(state, call)
    return (state if call in state.calls else transitions.add_call(state, call, tool)), steps


def permission_wanted(state: v.State, given: v.PermissionWanted) -> Decision:
    """Apply a remembered decision or policy `run`, else ask (R85, R89, R91, R145)."""
    state, steps = _begun(state, given.call, given.tool)
    if (ended := repeats.refuse(state, given.call)) is not None:
        state, more = ended
        return state, [*steps, *more]
    place = _slot(given.tool, given.exact)
    held = state.ledger.permissions.get(place)
    if held is not None and _covers(held, given.floor, given.insists):
        state, more = _remembered(state, given.call, place)
        return state, [*steps, *more, s.LedgerChanged()]
    if state.client:
        state, inquiry = transitions.attempt(state, given.call, v.PERMISSION)
        edit = given.mode == "edit"
        opened = v.OpenPermission(
            inquiry,
            given.call,
            given.digest,
            edit,
            given.floor,
            given.exact,
            given.text,
            given.insists,
            given.covers,
        )
        words = why.permission(given.tool, given.mode, given.place, exact=bool(given.exact))
        if given.why:
            words = given.why
        if given.floor:
            words = why.permission_floor(refusals.refused_by(state.ledger, given.floor))
        if state.gone:
            state, more = leave_open(state, opened)
            return state, [*steps, *more]
        return transitions.enqueue_prompt(state, opened), [*steps, s.AskPermission(opened, words)]
    if given.policy == "auto" and not given.floor and not given.insists:
        return state, [*steps, s.Permit(given.call, None, {"choice": "run", "by": "policy"})]
    refuse = messages.not_run_refused if given.floor else messages.not_run
    text = refuse(given.tool, _mode(given.policy))
    skip: JsonObject = {"choice": "skip", "by": "policy"}
    state, more = complete(state, given.call, text, is_error=True, decision=skip)
    return state, [*steps, *more]


def delivery_wanted(state: v.State, given: v.DeliveryWanted) -> Decision:
    """Apply policy `deliver`, else ask (R93, R94, R145)."""
    state, steps = _begun(state, given.call, given.tool)
    if state.client:
        state, inquiry = transitions.attempt(state, given.call, v.DELIVERY)
        opened = v.OpenDelivery(inquiry, given.call, given.digest, given.mode == "edit")
        if state.gone:
            state, more = leave_open(state, opened)
            return state, [*steps, *more]
        ask = s.AskDelivery(opened, why.delivery(given.tool, given.mode, given.place))
        return transitions.enqueue_prompt(state, opened), [*steps, ask]
    if given.policy == "auto":
        state, more = _delivered(state, given.call, None, {"choice": "deliver", "by": "policy"})
        return state, [*steps, *more]
    text = messages.not_delivered(given.tool, _mode(given.policy))
    skip: JsonObject = {"choice": "skip", "by": "policy"}
    state, more = complete(state, given.call, text, is_error=True, decision=skip)
    return state, [*steps, *more]


def _covers(held: v.RememberedAnswer, floor: tuple[str, ...], insists: v.Insists) -> bool:
    """Return True if a remembered decision applies. A remembered yes doesn't for a call that names a refused target
    (R247), or that always needs a person (AR9)."""
    return not (floor or insists == "always") or held.value is not True


def _mode(policy: v.Policy) -> str:
    """Return the policy; unset means deny for these prompts (R144)."""
    return "deny" if policy == "unset" else policy


def _remembered(state: v.State, call: str, place: str) -> Decision:
    """Apply the decision remembered under `place` to this call as well (R89)."""
    run = state.ledger.permissions[place].value is True
    state = transitions.count_use(state, place, permission=True)
    if run:
        return state, [s.Permit(call, None, {"choice": "run", "by": "remembered"})]
    skip: JsonObject = {"choice": "skip", "by": "remembered"}
    return complete(state, call, messages.SKIPPED_REMEMBERED, is_error=False, decision=skip)


def permitted(state: v.State, given: v.HumanPermitted) -> Decision:
    """Run or skip, once or for the turn, a skip with its reason (R86, R88)."""
    opened = find(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    if not isinstance(opened, v.OpenPermission):
        return state, [s.Refuse(given.inquiry, OTHER_DECISION, False)]
    reason = "" if given.run else (given.reason or "").strip()
    if not writable(reason):
        return state, [s.Refuse(given.inquiry, UNWRITABLE, False)]
    decision = _decision("run" if given.run else "skip", given.via, given.ms)
    if opened.floor:
        decision["refused"] = list(opened.floor)
    remember = given.remember and not (given.run and (opened.floor or opened.insists == "always"))
    if remember or given.rules:
        decision["remember"] = True
    if given.rules:
        decision["made_rules"] = list(given.rules)
    if reason:
        decision["reason"] = reason
    tool = state.calls[opened.call].tool
    state, steps = _over(state, opened)
    if given.run:
        steps.append(s.Permit(opened.call, None, decision))
    else:
        text = messages.skipped(reason) if reason else messages.SKIPPED
        state, others = repeats.rejected(state, opened.call, by_user=True)
        state, more = complete(state, opened.call, text, is_error=False, decision=decision)
        steps = [*steps, *more, *others]
    if not remember:
        return state, steps
    held = v.RememberedAnswer(tool, v.PERMISSION, given.run, opened.text if opened.exact else "", since=given.at)
    place = _slot(tool, opened.exact)
    state, more = _catch_up(transitions.remember_permission(state, place, held), place)
    return state, [*steps, *more, s.LedgerChanged()]


def rule_decided(state: v.State, given: v.RuleDecided) -> Decision:
    """Decide a waiting prompt by rules that were made meanwhile, without showing it (R252)."""
    item = next((one for one in state.waiting if one.inquiry == given.inquiry), None)
    if isinstance(item, v.OpenQuestion) and given.run and item.asked.needed > 1:
        return state, []  # only people count (store.md D15)
    if isinstance(item, v.OpenQuestion) and (rememberable(item) or not given.run):
        return record_answer(state, item, given.run, Responder("remembered"), about={"rules": list(given.rules)})
    if not isinstance(item, v.OpenPermission) or (given.run and (item.floor or item.insists == "always")):
        return state, []
    state = transitions.close_inquiry(state, item.inquiry, "remembered")
    steps: list[s.Step] = [s.Settled(item.inquiry, "answered", "remembered")]
    decision: JsonObject = {"choice": "run" if given.run else "skip", "by": "rule", "rules": list(given.rules)}
    if given.run:
        return state, [*steps, s.Permit(item.call, None, decision)]
    state, more = complete(state, item.call, given.told, is_error=True, decision=decision)
    return state, [*steps, *more]


def _catch_up(state: v.State, place: str) -> Decision:
    """Decide waiting calls that a remembered decision covers, without showing them (R252)."""
    steps: list[s.Step] = []
    held = state.ledger.permissions[place]
    for item in state.waiting:
        if not isinstance(item, v.OpenPermission) or _slot(state.calls[item.call].tool, item.exact) != place:
            continue
        if _covers(held, item.floor, item.insists):
            state = transitions.close_inquiry(state, item.inquiry, "remembered")
            state, more = _remembered(state, item.call, place)
            steps = [*steps, s.Settled(item.inquiry, "answered", "remembered"), *more]
    return state, steps


def delivered(state: v.State, given: v.HumanDelivered) -> Decision:
    """Deliver, deliver as edited, or skip (R93); an emptied edit delivers the original."""
    opened = find(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    if not isinstance(opened, v.OpenDelivery):
        return state, [s.Refuse(given.inquiry, OTHER_DECISION, False)]
    text = given.text if given.deliver and given.text and given.text.strip() else None
    if not writable(text):
        return state, [s.Refuse(given.inquiry, UNWRITABLE, False)]
    choice = "skip" if not given.deliver else "deliver" if text is None else "edit"
    decision = _decision(choice, given.via, given.ms)
    state, steps = _over(state, opened)
    if given.deliver:
        state, more = _delivered(state, opened.call, text, decision)
    else:
        state, more = complete(state, opened.call, messages.RESULT_SKIPPED, is_error=False, decision=decision)
    return state, [*steps, *more]


def edited(state: v.State, opened: v.OpenPermission | v.OpenDelivery, given: v.HumanEdited) -> Decision:
    """The call runs with the edited arguments (R87)."""
    if isinstance(opened, v.OpenDelivery):
        return state, [s.Refuse(opened.inquiry, OTHER_DECISION, False)]
    state, steps = _over(state, opened)
    state = transitions.start_edited(
        state, opened.call, repeats.identity(state.calls[opened.call].tool, given.arguments)
    )
    return state, [*steps, s.Permit(opened.call, given.arguments, _decision("edit", given.via, given.ms))]


def cancelled(state: v.State, opened: v.OpenPermission | v.OpenDelivery, failed: str = "") -> Decision:
    """Close the prompt without a decision: the call doesn't run (M14), its result isn't delivered (M20). `failed`
    replaces the model's message when no client could be asked."""
    others: list[s.Step] = []
    if isinstance(opened, v.OpenPermission):
        text = messages.SKIPPED
        if not failed:
            state, others = repeats.rejected(state, opened.call, by_user=True)
    else:
        text = messages.EDIT_CANCELLED if opened.edit else messages.RESULT_CANCELLED
    state, steps = _over(state, opened, "cancelled")
    decision = _decision("cancel", "", None)
    state, more = complete(state, opened.call, failed or text, is_error=bool(failed), decision=decision)
    return state, [*steps, *more, *others]


def replied(state: v.State, opened: v.OpenPermission | v.OpenDelivery, words: str) -> Decision:
    """Skip and reply (M34): the reply at a permission prompt is the reason of the skip."""
    if isinstance(opened, v.OpenDelivery):
        return state, [s.Refuse(opened.inquiry, OTHER_DECISION, False)]
    return permitted(state, v.HumanPermitted(opened.inquiry, opened.digest, False, reason=words))


def _over(state: v.State, opened: v.OpenPermission | v.OpenDelivery, how: s.How = "answered") -> Decision:
    return transitions.close_inquiry(state, opened.inquiry, "user"), [s.Settled(opened.inquiry, how, "user")]


def _delivered(state: v.State, call: str, text: str | None, decision: JsonObject) -> Decision:
    """Send the result to the model and end the call."""
    state, steps = drop_recorded(state, call)
    return transitions.remove_call(state, call), [*steps, s.Deliver(call, text, decision)]


def _decision(choice: str, via: str, ms: int | None) -> JsonObject:
    decision: JsonObject = {"choice": choice, "by": "user"}
    if via:
        decision["via"] = via
    if ms is not None:
        decision["ms"] = ms
    return decision
