"""`submit_plan`: the user accepts a plan, or not, before anything is changed (context.md K42).

Its question goes to people only and is never remembered. Comments come as the note beside the answer, one line a step:
`2: text`.
"""

from __future__ import annotations

import re

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.questions.options import Option
from jp_tui.questions.types import Question, SelectAnswer
from jp_tui.tools.files.workspace import CallArguments, ToolRefusal
from jp_tui.tools.port import NeedsInput, Outcome, PlanStep, ToolCall
from jp_tui.tools.update_plan import LONGEST, MOST_STEPS

MOST_PLAN = 32_000
QUESTION = "accept_plan"
_OPTIONS = (
    Option("accept", "Plan mode ends and the work begins; each change is asked about as usual."),
    Option("accept_edits", "The same, and changes of files are applied without asking until the turn ends."),
    Option("keep_planning", "Plan mode stays; c adds comments."),
)
_ENDS = {
    "accept": "The user accepted the plan. Plan mode has ended: begin with the first step, and keep the plan up to "
    "date with update_plan.",
    "accept_edits": "The user accepted the plan, and changes of files are applied without asking until this turn ends. "
    "Plan mode has ended: begin with the first step, and keep the plan up to date with update_plan.",
    "keep_planning": "The user did not accept the plan yet. Plan mode stays: change the plan, then submit it again.",
}
_COMMENT = re.compile(r"\s*(\d{1,3})\s*[:.)]\s*(.+)")


class SubmitPlan:
    """The tool; see `jp_tui.tools.port.Tool`."""

    @property
    def source(self) -> SourceKind:
        return "tool"

    def title(self, arguments: JsonObject) -> str:
        """Return the plan's first line."""
        plan = arguments.get("plan")
        return plan.strip().partition("\n")[0][:200] if isinstance(plan, str) else ""

    async def run(self, call: ToolCall) -> Outcome:
        arguments = CallArguments("submit_plan", call.arguments, frozenset({"plan", "steps"}))
        plan, steps = arguments.text("plan", required=True), arguments.texts("steps")
        if len(plan) > MOST_PLAN:
            arguments.problem(f"`plan` is longer than {MOST_PLAN:,} characters.")
        if not steps or len(steps) > MOST_STEPS or any(len(one) > LONGEST or not one.strip() for one in steps):
            arguments.problem(f"`steps` must be 1 to {MOST_STEPS} texts of at most {LONGEST} characters.")
        try:
            arguments.check()
        except ToolRefusal as problem:
            return Failure(str(problem))
        given = call.answers.get(QUESTION)
        if given is None:
            return NeedsInput(question(plan, steps))
        chosen = given.value if isinstance(given.value, str) else ""
        if chosen not in _ENDS:
            return Failure("The answer is none of the choices.")
        if chosen != "keep_planning" and call.plan is not None and not call.cancel.called:
            await call.plan.accepted([PlanStep(one.strip()) for one in steps], edits=chosen == "accept_edits")
        said = comments(given.note, len(steps))
        told = f"\n\nThe user's comments by step: {dump(said)}" if said else ""
        return Success(_ENDS[chosen] + told)


def question(plan: str, steps: tuple[str, ...]) -> Question:
    """Ask about this plan."""
    listed = "\n".join(f"{number}. {one.strip()}" for number, one in enumerate(steps, 1))
    return Question(
        id=QUESTION,
        text="Accept this plan?",
        answer_type=SelectAnswer(_OPTIONS),
        context=f"{plan.strip()}\n\nSteps:\n{listed}",
        exclusive=True,
        persistence="none",
        acts=True,
    )


def comments(note: str, steps: int) -> JsonObject:
    """Comments by the number of their step; lines without one belong to the line before."""
    found: dict[str, Json] = {}
    last = ""
    for line in note.splitlines():
        match = _COMMENT.match(line)
        if match is not None and 1 <= int(match[1]) <= steps:
            last = str(int(match[1]))
            found[last] = f"{found[last]}\n{match[2]}" if last in found else match[2]
        elif last and line.strip():
            found[last] = f"{found[last]}\n{line}"
    return found
