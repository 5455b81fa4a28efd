"""Reducer of the status line: the engine's events in, the next status out. Pure; the time is an input. `inbox.py`
counts what waits for the user, because it knows all conversations."""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import AgentInfo
from jp_tui.view.activity.status import Status


def applied(status: Status, event: ev.Event, now: float) -> Status:
    """Return the status after an event at `now` (seconds); the same object if nothing changed."""
    match event:
        case ev.ConversationOpened():
            return _opened(status, event)
        case ev.TitleChanged(title=title):
            return replace(status, title=title)
        case ev.TurnStarted(model=model, resumed=resumed):
            phase = "resumed" if resumed else "waiting_for_model"
            return replace(status, working=True, phase=phase, model=model or status.model)
        case ev.TurnPhase(phase=phase, detail=detail, retry_in=retry_in):
            at = None if retry_in is None else now + retry_in
            return replace(status, working=True, phase=phase, detail=detail, retry_at=at)
        case ev.TurnCompleted(usage=usage):
            read, written = status.tokens_in + usage.input, status.tokens_out + usage.output
            costs = [one for one in (status.cost, usage.cost_usd) if one is not None]
            return replace(
                status,
                working=False,
                phase="",
                reviewed=(),
                retry_at=None,
                tokens_in=read,
                tokens_out=written,
                context=usage.context or status.context,
                cost=sum(costs) if costs else None,
            )
        case ev.Compacted(waits=False, stored=stored):
            done = replace(status, working=False, phase="") if status.phase == "compacting" else status
            return _spent(done, stored.event.get("usage") if stored is not None else None)
        case ev.WindowLearned(window=window):
            return replace(status, window=window)
        case ev.ModelSwitched(model=model, window=window, once=False):
            return replace(status, model=model, window=window)
        case ev.ApprovalModeSet(mode=mode, chosen=chosen):
            return replace(status, mode=mode, chosen=chosen)
        case ev.QuestionSettled(inquiry=inquiry) if event.conversation == status.conversation and status.reviewed:
            return replace(status, reviewed=_others(status, inquiry))
        case ev.ReviewStarted(inquiry=inquiry, model=model):
            return replace(status, reviewed=(*_others(status, inquiry), (inquiry, Foreign(model), now)))
        case ev.StoreState(name=name, problem=problem, warning=warning, newer=newer):
            return replace(status, store=name, offline=bool(problem), outdated=newer, weak=warning)
        case ev.StorageFailed(message=message, advice=advice):
            return replace(status, trouble=message, advice=advice)
        case ev.EventAppended():
            return replace(status, trouble="", advice="") if status.trouble else status
        case _:
            return status


def _spent(status: Status, usage: object) -> Status:
    """Add what a summary took that was asked for by hand (context.md K24)."""
    if not isinstance(usage, dict):
        return status
    tokens = {name: value for name in ("input", "output") if isinstance(value := usage.get(name), int)}
    cost = usage.get("cost_usd")
    costs = [float(one) for one in (status.cost, cost) if isinstance(one, int | float)]
    return replace(
        status,
        tokens_in=status.tokens_in + tokens.get("input", 0),
        tokens_out=status.tokens_out + tokens.get("output", 0),
        cost=sum(costs) if costs else None,
    )


def _agent(agent: AgentInfo) -> Foreign:
    """Return the title of a sub-agent's conversation: its name and task."""
    return Foreign(" › ".join(part.raw for part in (agent.name or Foreign("agent"), agent.task) if part))


def _others(status: Status, inquiry: str) -> tuple[tuple[str, Foreign, float], ...]:
    return tuple(known for known in status.reviewed if known[0] != inquiry)


def _opened(status: Status, event: ev.ConversationOpened) -> Status:
    """Switch to another conversation of the same workspace; what waits, and problems with the log, concern all of
    them."""
    return Status(
        workspace=event.workspace or status.workspace,
        home=status.home,
        conversation=event.conversation,
        title=event.title if event.agent is None else _agent(event.agent),
        model=event.model,
        tokens_in=event.usage.input,
        tokens_out=event.usage.output,
        context=event.usage.context,
        window=event.window,
        cost=event.usage.cost_usd,
        held_by=event.held_by,
        parent=event.agent.parent if event.agent is not None else "",
        waiting=status.waiting,
        others=status.others,
        put_off=status.put_off,
        elsewhere=status.elsewhere,
        trouble=status.trouble,
        advice=status.advice,
        store=status.store,
        offline=status.offline,
        outdated=status.outdated,
        weak=status.weak,
    )
