"""The status line as data: workspace, conversation, model, tokens, what the turn does, what waits for the human.

A pure reducer over the engine's events, and the words that fit a width. What waits is never cut away, since
it is what the human must not miss (asking.md E50). Knows no widget; the waiting count is by inquiry id.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import UsageTotals
from jp_tui.view.amounts import count

PHASES = {
    "waiting_for_model": "waiting for the model",
    "streaming": "the model is writing",
    "tools": "tools are running",
    "retrying": "trying again",
}

UNTITLED = Foreign("")
NONE_YET = UsageTotals()


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """`phase` is empty at rest; `retry_at` is on the face's clock; `held_by` names another writer."""

    workspace: str = ""
    home: str = ""
    conversation: str = ""
    title: Foreign = UNTITLED
    model: str = ""
    usage: UsageTotals = NONE_YET
    waiting: tuple[str, ...] = ()
    working: bool = False
    phase: str = ""
    retry_at: float | None = None
    held_by: str = ""
    trouble: str = ""
    advice: str = ""


def applied(status: Status, event: ev.Event, now: float) -> Status:
    """The status after an event at `now` (seconds); the same object when nothing changed."""
    match event:
        case ev.ConversationOpened():
            return Status(
                workspace=event.workspace or status.workspace,
                home=status.home,
                conversation=event.conversation,
                title=event.title,
                model=event.model,
                usage=event.usage,
                held_by=event.held_by,
                trouble=status.trouble,
                advice=status.advice,
            )
        case ev.TurnStarted(model=model):
            return replace(status, working=True, phase="waiting_for_model", model=model or status.model)
        case ev.TurnPhase(phase=phase, retry_in=retry_in):
            at = None if retry_in is None else now + retry_in
            return replace(status, working=True, phase=phase, retry_at=at)
        case ev.TurnCompleted(usage=usage):
            total = _sum(status.usage, usage)
            return replace(status, working=False, phase="", retry_at=None, usage=total)
        case ev.QuestionAsked(prompt=prompt):
            others = tuple(known for known in status.waiting if known != prompt.inquiry)
            return replace(status, waiting=(*others, prompt.inquiry))
        case ev.QuestionSettled(inquiry=inquiry):
            return replace(status, waiting=tuple(known for known in status.waiting if known != inquiry))
        case ev.StorageFailed(message=message, advice=advice):
            return replace(status, trouble=message, advice=advice)
        case ev.EventAppended():
            return replace(status, trouble="", advice="") if status.trouble else status
        case _:
            return status


def _sum(total: UsageTotals, turn: UsageTotals) -> UsageTotals:
    return UsageTotals(
        input=total.input + turn.input,
        output=total.output + turn.output,
        cached=total.cached + turn.cached,
        reasoning=total.reasoning + turn.reasoning,
        context=turn.context or total.context,
    )


def shortened(path: str, home: str, room: int) -> str:
    """A folder as people write it: `~` for home; then the last parts only, `…/acme`, when it is too long."""
    if home and (path == home or path.startswith(home.rstrip("/") + "/")):
        path = "~" + path[len(home.rstrip("/")) :]
    while len(path) > room and path.count("/") > 1:
        path = "…/" + path.removeprefix("…/").split("/", 1)[1]
    return path


def tokens(usage: UsageTotals) -> str:
    """`12.4k in · 812 out`, or nothing before the first request."""
    if not usage.input and not usage.output:
        return ""
    return f"{count(usage.input)} in · {count(usage.output)} out"


def doing(status: Status, now: float) -> str:
    """What the turn does now, in a few words; empty at rest."""
    if status.phase == "retrying" and status.retry_at is not None:
        return f"trying again in {max(round(status.retry_at - now), 0)} s"
    return PHASES.get(status.phase, "") if status.working else ""


def waits(status: Status) -> str:
    """`2 waiting for you`, or nothing."""
    return f"{len(status.waiting)} waiting for you" if status.waiting else ""
