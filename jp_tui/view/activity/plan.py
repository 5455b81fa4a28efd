"""The plan of a conversation as every front end shows it (context.md K40)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jp_tui.conversation.events import Unknown
from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign

SIGNS = {"completed": "✓", "in_progress": "▸", "pending": "○"}
WORDS = {"completed": "done", "in_progress": "now", "pending": "open"}


@dataclass(frozen=True, slots=True)
class PlanView:
    """Steps with their status; `planning`: plan mode."""

    steps: tuple[tuple[str, Foreign], ...] = ()
    planning: bool = False

    @property
    def done(self) -> int:
        return sum(status == "completed" for status, _ in self.steps)

    @property
    def progress(self) -> str:
        """`2 of 5 done`."""
        return f"{self.done} of {len(self.steps)} done"


def planned(before: PlanView, event: Unknown) -> PlanView:
    """The plan after an event; the same object if that says nothing of it."""
    raw = event.raw
    match raw.get("type"):
        case "plan" if not event.problem and isinstance(raw.get("steps"), list):
            listed = raw["steps"]
            steps = tuple(
                (str(one.get("status")) if one.get("status") in SIGNS else "pending", Foreign(str(one.get("step", ""))))
                for one in (listed if isinstance(listed, list) else ())
                if isinstance(one, dict)
            )
            return PlanView(steps, before.planning)
        case "mode":
            return PlanView(before.steps, raw.get("mode") == "plan")
        case _:
            return before


def plan_lines(plan: PlanView) -> Iterator[str]:
    """The plan for a terminal that nothing is drawn on."""
    yield f"Plan, {plan.progress}:"
    for number, (status, step) in enumerate(plan.steps, 1):
        yield f"  {number}. [{WORDS[status]}] {neutralise(step, 'line')}"
