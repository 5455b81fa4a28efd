"""`update_plan`: the steps of the work, for the user to see (context.md K40). It asks and changes nothing."""

from __future__ import annotations

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.tools.files.workspace import CallArguments, ToolRefusal
from jp_tui.tools.port import Outcome, PlanStep, ToolCall

MOST_STEPS, LONGEST = 50, 500
STATUSES = ("pending", "in_progress", "completed")


class UpdatePlan:
    """The tool; see `jp_tui.tools.port.Tool`."""

    @property
    def source(self) -> SourceKind:
        return "tool"

    def title(self, arguments: JsonObject) -> str:
        """Return the step in progress."""
        listed = arguments.get("plan")
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, dict) and one.get("status") == "in_progress" and isinstance(one.get("step"), str):
                return str(one["step"])[:200]
        return ""

    async def run(self, call: ToolCall) -> Outcome:
        arguments = CallArguments("update_plan", call.arguments, frozenset({"explanation", "plan"}))
        explanation = arguments.text("explanation")
        if len(explanation) > LONGEST * 4:
            arguments.problem(f"`explanation` is longer than {LONGEST * 4:,} characters.")
        steps = read_steps(arguments, arguments.json("plan"))
        try:
            arguments.check()
        except ToolRefusal as problem:
            return Failure(str(problem))
        if call.plan is not None:
            await call.plan.update(steps, explanation)
        done = sum(one.status == "completed" for one in steps)
        return Success(f"The plan is updated: {done} of {len(steps)} steps completed.")


def read_steps(arguments: CallArguments, listed: Json) -> list[PlanStep]:
    """The steps; what is wrong with them is reported to `arguments`."""
    if not isinstance(listed, list) or not listed:
        arguments.problem("`plan` is required: a list of steps, each {step, status}.")
        return []
    if len(listed) > MOST_STEPS:
        arguments.problem(f"`plan` has {len(listed):,} steps; at most {MOST_STEPS} are possible.")
        return []
    found: list[PlanStep] = []
    for number, one in enumerate(listed, 1):
        step = one.get("step") if isinstance(one, dict) else None
        status = one.get("status") if isinstance(one, dict) else None
        if not isinstance(step, str) or not step.strip() or len(step) > LONGEST:
            arguments.problem(f"Step {number}: `step` must be text of 1 to {LONGEST} characters.")
        elif status not in STATUSES:
            arguments.problem(f"Step {number}: `status` must be one of {', '.join(STATUSES)}.")
        elif isinstance(one, dict) and (odd := sorted(one.keys() - {"step", "status"})):
            arguments.problem(f"Step {number}: `{odd[0][:60]}` is not a key of a step.")
        else:
            found.append(PlanStep(step.strip(), status))  # type: ignore[arg-type]  # one of STATUSES
    if sum(one.status == "in_progress" for one in found) > 1:
        arguments.problem("Only one step can be in_progress.")
    return found
