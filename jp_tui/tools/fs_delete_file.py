"""`fs_delete_file`: delete one file or link after its content was shown (S40, R235).

No folders, no patterns. The answer is bound to the content's hash, so exactly what the question described is deleted.
"""

from __future__ import annotations

from typing import ClassVar

from jp_tui.conversation.outcomes import Success
from jp_tui.system.files import Root
from jp_tui.system.problem import display_path
from jp_tui.tools.files.approval import ApprovalStep, Plan, carry_out, may_change, yes_or_no
from jp_tui.tools.files.file_state import describe
from jp_tui.tools.files.git import dirty
from jp_tui.tools.files.workspace import CallArguments, FileTool
from jp_tui.tools.port import Outcome, ToolCall


class DeleteFile(FileTool):
    """The tool; see `jp_tui.tools.port.Tool`."""

    name: ClassVar[str] = "fs_delete_file"
    keys: ClassVar[frozenset[str]] = frozenset({"path"})

    async def work(self, call: ToolCall, arguments: CallArguments, root: Root) -> Outcome:
        path = arguments.text("path", required=True)
        arguments.check()

        async def plan() -> Plan:
            there = describe(root, path)
            may_change(call, there.real)
            name = display_path(there.real)
            no = f"{name} was not deleted: the question about it was answered with no."
            steps: list[ApprovalStep] = []
            if await dirty(call.root, {there.real: there.data}):
                text = f"Delete {name}, which has uncommitted changes?"
                steps.append(ApprovalStep(yes_or_no("delete_dirty_file", text, there.words, default=False), no))
            confirm = yes_or_no("confirm", f"Delete {name}?", there.words, default=False, decides=[there.real])
            steps.append(ApprovalStep(confirm, no))

            def act() -> Success:
                there.check(root)
                root.delete(there.real, expect_sha256=there.sha256)
                return Success(f"Deleted {name}.")

            return Plan(tuple(steps), act)

        return await carry_out(call, plan)
