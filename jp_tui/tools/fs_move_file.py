"""`fs_move_file`: move or rename one file or link (S40).

Needs approval to replace a file or to move one with uncommitted changes. Both files must still be as the questions
described. Folders aren't moved.
"""

from __future__ import annotations

from typing import ClassVar

from jp_tui.conversation.outcomes import Success
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.system.files import FileProblem, Root, StaleBase
from jp_tui.system.problem import display_path
from jp_tui.tools.files.approval import ApprovalStep, Plan, carry_out, may_change, yes_or_no
from jp_tui.tools.files.file_state import FileState, describe
from jp_tui.tools.files.git import dirty
from jp_tui.tools.files.guard import why_protected
from jp_tui.tools.files.workspace import CallArguments, FileTool, ToolRefusal
from jp_tui.tools.files.writing import folder_of, is_there, place
from jp_tui.tools.port import Outcome, ToolCall


class MoveFile(FileTool):
    """The tool; see `jp_tui.tools.port.Tool`."""

    name: ClassVar[str] = "fs_move_file"
    keys: ClassVar[frozenset[str]] = frozenset({"source", "target"})
    about: ClassVar[str] = "source"

    def title(self, arguments: JsonObject) -> str:
        target = arguments.get("target")
        return f"{super().title(arguments)} → {target[:200]}" if isinstance(target, str) else super().title(arguments)

    async def work(self, call: ToolCall, arguments: CallArguments, root: Root) -> Outcome:
        source = arguments.text("source", required=True)
        target = arguments.text("target", required=True)
        arguments.check()

        async def plan() -> Plan:
            what, to = describe(root, source), place(root, target)
            may_change(call, what.real)
            may_change(call, to)
            if what.real == to:
                raise ToolRefusal(f"{display_path(to)} is both source and target.")
            over = describe(root, to) if is_there(root, to) else None
            changed = await dirty(call.root, {what.real: what.data})
            refused = not call.refused.isdisjoint((what.real, to))
            return _plan(root, what, to, over, bool(changed), refused)

        return await carry_out(call, plan)


def _plan(root: Root, what: FileState, to: str, over: FileState | None, changed: bool, refused: bool) -> Plan:
    """`refused`: a change of one of the two was refused in this turn, so moving needs approval as well. A file that
    others obey concerns both its old and its new place: only a person decides."""
    source, target = display_path(what.real), display_path(to)
    no = f"{source} was not moved: the question about it was answered with no."
    steps: list[ApprovalStep] = []
    if over is not None or why_protected(to) or why_protected(what.real) or refused:
        text = f"Replace {target} with {source}?" if over else f"Move {source} to {target}?"
        context = "\n\n".join(one.words for one in (over, what) if one is not None)
        question = yes_or_no("overwrite_file", text, context, default=False, decides=[to, what.real])
        steps.append(ApprovalStep(question, no))
    if changed:
        text = f"Move {source}, which has uncommitted changes, to {target}?"
        steps.append(ApprovalStep(yes_or_no("move_dirty_source", text, what.words, default=False), no))

    def act() -> Success:
        root.mkdirs(folder_of(to))
        what.check(root)
        if over is not None:
            over.check(root)
        try:
            root.move(
                what.real,
                to,
                overwrite=over is not None,
                expect_sha256=what.sha256,
                expect_target_sha256=over.sha256 if over else None,
            )
        except FileProblem as problem:
            if problem.kind == "exists":
                raise StaleBase(to, "came to be meanwhile") from problem
            raise
        return Success(f"Moved {source} to {target}{', which was replaced' if over else ''}.")

    return Plan(tuple(steps), act)
