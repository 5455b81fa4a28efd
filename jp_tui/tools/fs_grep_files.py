"""`fs_grep_files`: search lines by regular expression (surface.md S40).

The search runs in a child with a time limit, because a pattern may never end (traps.md T21c). Matches found until then
are returned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from jp_tui.conversation.outcomes import Success
from jp_tui.system.files import FileProblem, Root
from jp_tui.system.problem import display_path
from jp_tui.tools.files.git import listed
from jp_tui.tools.files.scan import SearchJob
from jp_tui.tools.files.workspace import MAX_SHOWN, CallArguments, FileTool, ToolRefusal, secrets
from jp_tui.tools.port import Outcome, ToolCall
from jp_tui.tools.worker import SECONDS, WorkerTimeout, ask

MAX_PATTERN = 4096
_SKIPPED = {
    "binary": "binary",
    "large": "over 16 MiB",
    "secret": "likely to hold secrets",
    "unreadable": "unreadable",
}


class GrepFiles(FileTool):
    """The tool; see `jp_tui.tools.port.Tool`."""

    name: ClassVar[str] = "fs_grep_files"
    keys: ClassVar[frozenset[str]] = frozenset({"pattern", "paths", "context"})
    about: ClassVar[str] = "pattern"

    async def work(self, call: ToolCall, arguments: CallArguments, root: Root) -> Outcome:
        pattern = arguments.text("pattern", required=True, blank=True)
        paths = arguments.texts("paths") or (".",)
        context = arguments.number("context", 0, 20, 0)
        if len(pattern) > MAX_PATTERN:
            arguments.problem(f"`pattern` has more than {MAX_PATTERN} characters.")
        arguments.check()
        files: list[str] = []
        folders: list[tuple[str, str | None]] = []
        for path in paths:
            there = root.stat(path)
            if there.kind == "file":
                files.append(there.real)
            elif there.kind == "folder":
                folders.append((there.real, await listed(call.root, there.real)))
            else:
                raise FileProblem("not_a_file", path, "is neither a file nor a folder")
        job: SearchJob = {
            "root": root.path,
            "pattern": pattern,
            "files": files,
            "folders": folders,
            "context": context,
            "rules": list(secrets(call)),
            "bytes": MAX_SHOWN,
            "ignored": list(call.ignored()),
        }
        try:
            lines = await ask("search", job)
        except WorkerTimeout as late:
            return _outcome(late.lines, f"ended after {SECONDS:.0f} seconds")
        return _outcome(lines, "")


def _outcome(lines: list[dict[str, Any]], ended: str) -> Outcome:
    """Return the matches, and a closing line in brackets with what was left out."""
    problem = next((line["problem"] for line in lines if "problem" in line), None)
    if problem is not None:
        raise ToolRefusal(f"fs_grep_files: `pattern` is no valid regular expression: {problem}.")
    texts = [str(line["text"]) for line in lines if "text" in line]
    if ended:
        at = [str(line["at"]) for line in lines if "at" in line]
        where = f" while searching {display_path(at[-1])}" if at else ""
        ended = f"{ended}{where}: the pattern is too slow for this text; use a simpler one, or fewer `paths`"
        if not texts:
            raise ToolRefusal(f"The search was {ended}.")
        return Success("\n".join([*texts, f"[{ended}]"]))
    done: Mapping[str, Any] = lines[-1]
    notes = [str(done["stopped"])] if done["stopped"] else []
    if notes:
        notes[0] += "; narrow the search with `paths` or a longer `pattern`"
    skipped = [f"{count:,} {_SKIPPED[why]}" for why, count in done["skipped"].items()]
    if skipped:
        notes.append(f"files left out: {', '.join(skipped)}")
    closing = f"[{'; '.join(notes)}]" if notes else ""
    if not texts:
        return Success("No matches." + (f"\n{closing}" if closing else ""))
    return Success("\n".join([*texts, closing] if closing else texts))
