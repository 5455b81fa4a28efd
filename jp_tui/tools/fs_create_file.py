"""`fs_create_file`: create a file with the content that was shown (S40, R235).

Replacing a file needs its own approval. A new file never overwrites one that appeared meanwhile; an old one is replaced
only while it is unchanged.
"""

from __future__ import annotations

from typing import ClassVar, cast

from jp_tui.conversation.outcomes import Success
from jp_tui.questions import hunks
from jp_tui.system.files import FileProblem, Root, StaleBase
from jp_tui.system.problem import display_path
from jp_tui.tools.files.approval import REJECTED, ApprovalStep, Plan, carry_out, fenced, may_change, yes_or_no
from jp_tui.tools.files.edits import SMALL, EditedFile, FileVersions, edited
from jp_tui.tools.files.file_state import describe
from jp_tui.tools.files.partial_changes import partial_result
from jp_tui.tools.files.workspace import CallArguments, FileTool, ToolRefusal
from jp_tui.tools.files.writing import PlannedWrite, folder_of, is_there, place, write_all
from jp_tui.tools.port import Outcome, ToolCall
from jp_tui.tools.worker import ask

MAX_FILE = 1 << 20


class CreateFile(FileTool):
    """The tool; see `jp_tui.tools.port.Tool`."""

    name: ClassVar[str] = "fs_create_file"
    keys: ClassVar[frozenset[str]] = frozenset({"path", "content"})

    async def work(self, call: ToolCall, arguments: CallArguments, root: Root) -> Outcome:
        path = arguments.text("path", required=True)
        content = arguments.text("content")
        if len(content) > MAX_FILE or len(content.encode("utf-8", "replace")) > MAX_FILE:
            arguments.problem(f"`content` has more than {MAX_FILE >> 20} MiB.")
        arguments.check()

        async def plan() -> Plan:
            real = place(root, path)
            may_change(call, real)
            if is_there(root, real):
                return await _replace(root, real, content)
            return _make(root, real, content)

        return await carry_out(call, plan)


def _make(root: Root, real: str, content: str) -> Plan:
    """Plan a new file."""
    name, folder = display_path(real), folder_of(real)
    parts = [] if is_there(root, folder) else [f"The folder {display_path(folder)} is made for it."]
    parts.append(fenced("diff", edited(name, None, content)["diff"]) if content else f"{name} is created empty.")
    question = yes_or_no("apply_changes", f"Create {name}?", "\n".join(parts), default=True, decides=[real])

    def act() -> Success:
        root.mkdirs(folder)
        try:
            root.write(real, content.encode(), expect_sha256=None)
        except FileProblem as problem:
            if problem.kind == "exists":
                raise StaleBase(real, "came to be meanwhile") from problem
            raise
        return Success(f"Created {name} ({_size(content)}).")

    return Plan((ApprovalStep(question, REJECTED),), act)


async def _replace(root: Root, real: str, content: str) -> Plan:
    """Plan the replacement of an existing file."""
    name, there = display_path(real), describe(root, real)
    if there.link is not None:
        raise ToolRefusal(f"{name} is a link to {display_path(there.link)}; name the file itself.")
    before = there.text
    if before is None or there.sha256 is None or len(there.data) > MAX_FILE:
        raise ToolRefusal(f"{name} exists and is not UTF-8 text of at most {MAX_FILE >> 20} MiB; delete it first.")
    if before == content:
        return Plan((), lambda: Success(f"{name} holds exactly this already; nothing was changed."))
    pair: FileVersions = {"name": name, "before": before, "after": content}
    small = len(before) + len(content) <= SMALL
    change = edited(**pair) if small else cast(EditedFile, (await ask("diff", pair))[0])
    changes = [hunks.FileDiff(name, before, change["diff"])]
    over = f"{there.words}\nIt would be replaced by {_size(content)}."
    steps = (
        ApprovalStep(
            yes_or_no("overwrite_file", f"Replace {name}, which exists?", over, default=False),
            f"{name} exists and was not replaced: the question about it was answered with no.",
        ),
        ApprovalStep(
            yes_or_no(
                "apply_changes",
                f"Apply this change to {name}?",
                fenced("diff", change["diff"]),
                default=True,
                decides=[real],
                parts=hunks.parts(changes),
            ),
            REJECTED,
        ),
    )

    def act() -> Success:
        write_all(root, [PlannedWrite(real, content.encode(), there.data)])
        return Success(f"Replaced {name}: +{change['added']:,} -{change['removed']:,} lines.")

    def some(accepted: frozenset[str]) -> Success:
        (made,) = hunks.apply_accepted(changes, accepted)
        assert made is not None, "a yes accepts at least one part"
        write_all(root, [PlannedWrite(real, made.text.encode(), there.data)])
        return Success(partial_result(name, made))

    return Plan(steps, act, some)


def _size(content: str) -> str:
    lines = content.count("\n") + (not content.endswith("\n") and bool(content))
    return f"{lines:,} {'line' if lines == 1 else 'lines'}, {len(content.encode()):,} bytes"
