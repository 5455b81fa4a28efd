"""`fs_modify_file`: replace text in one or more files after the diff was approved (S40, R234-R236).

All new texts are computed before the question, and again at each run; the written bytes are exactly those of the
approved diff. Only existing regular UTF-8 files change; line ends, mode and encoding are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast

from jp_tui.conversation.outcomes import Success
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions import hunks
from jp_tui.system.files import FileBytes, Root
from jp_tui.system.problem import display_path
from jp_tui.tools.files.approval import REJECTED, ApprovalStep, Plan, carry_out, fenced, may_change, yes_or_no
from jp_tui.tools.files.edits import EditedFile, EditJob, EditResult, PatternJob, edit, small
from jp_tui.tools.files.git import dirty
from jp_tui.tools.files.partial_changes import partial_result
from jp_tui.tools.files.workspace import CallArguments, FileTool, ToolRefusal, one_line_each
from jp_tui.tools.files.writing import PlannedWrite, write_all
from jp_tui.tools.port import Outcome, ToolCall
from jp_tui.tools.worker import ask

MAX_FILE = 1 << 20
MAX_TOTAL = 8 << 20
MAX_DIFF = 2 << 20
MAX_FILES = 50
MAX_PATTERNS = 200
_KEYS = frozenset({"old", "new", "paths", "regex"})


class ModifyFile(FileTool):
    """The tool; see `jp_tui.tools.port.Tool`."""

    name: ClassVar[str] = "fs_modify_file"
    keys: ClassVar[frozenset[str]] = frozenset({"path", "patterns", "replace_all", "case_sensitive"})

    def title(self, arguments: JsonObject) -> str:
        """Return the file, or the files that the patterns name."""
        alone = super().title(arguments)
        named = _paths_named(arguments.get("patterns"))
        return ", ".join(dict.fromkeys(([alone] if alone else []) + named))[:200]

    async def work(self, call: ToolCall, arguments: CallArguments, root: Root) -> Outcome:
        path = arguments.text("path")
        patterns = _patterns(arguments, path)
        every = arguments.flag("replace_all", False)
        case_sensitive = arguments.flag("case_sensitive", True)
        arguments.check()

        async def plan() -> Plan:
            files = _read(call, root, patterns)
            wanted = [{**one, "files": [files[path].real for path in one["files"]]} for one in patterns]
            job: EditJob = {
                "texts": {found.real: _text(found) for found in files.values()},
                "names": {found.real: display_path(found.real) for found in files.values()},
                "patterns": cast(list[PatternJob], wanted),
                "every": every,
                "case_sensitive": case_sensitive,
            }
            done = edit(job) if small(job) else cast(EditResult, (await ask("edit", job))[0])
            if done["problems"]:
                raise ToolRefusal(one_line_each("fs_modify_file", done["problems"]))
            if not done["files"]:
                raise ToolRefusal("fs_modify_file: the patterns change nothing; the files are as they were.")
            return await _plan(call, root, {found.real: found for found in files.values()}, done["files"])

        return await carry_out(call, plan)


def _patterns(arguments: CallArguments, path: str) -> list[PatternJob]:
    """Return the patterns with their paths, in the given order."""
    given = arguments.json("patterns")
    if not isinstance(given, list) or not 1 <= len(given) <= MAX_PATTERNS:
        arguments.problem(f"`patterns` is required: a list of 1 to {MAX_PATTERNS} objects with `old` and `new`.")
        return []
    found: list[PatternJob] = []
    for number, entry in enumerate(given, 1):
        if not isinstance(entry, dict):
            arguments.problem(f"pattern {number} must be an object with `old` and `new`.")
            continue
        one = CallArguments("", entry, _KEYS)
        old, new = one.text("old", required=True), one.text("new", required=True, blank=True)
        files = one.texts("paths") or ((path,) if path else ())
        regex = one.flag("regex", False)
        arguments.problems_of(one, f"pattern {number}")
        if not files:
            arguments.problem(f"pattern {number} has no file: give `path`, or `paths` in the pattern.")
        found.append({"old": old, "new": new, "regex": regex, "files": list(dict.fromkeys(files))})
    if len({file for one in found for file in one["files"]}) > MAX_FILES:
        arguments.problem(f"more than {MAX_FILES} files at once.")
    return found


def _paths_named(patterns: Json) -> list[str]:
    entries = patterns if isinstance(patterns, list) else []
    lists = [entry.get("paths") for entry in entries if isinstance(entry, dict)]
    return [path for paths in lists if isinstance(paths, list) for path in paths if isinstance(path, str)]


def _read(call: ToolCall, root: Root, patterns: list[PatternJob]) -> dict[str, FileBytes]:
    """Read every file, keyed by the given path."""
    found: dict[str, FileBytes] = {}
    for path in dict.fromkeys(path for one in patterns for path in one["files"]):
        file = root.read(path, MAX_FILE)
        may_change(call, file.real)
        if file.truncated:
            raise ToolRefusal(
                f"{display_path(file.real)} has {file.size:,} bytes, more than the {MAX_FILE >> 20} MiB changed here."
            )
        found[path] = file
    if sum({file.real: file.size for file in found.values()}.values()) > MAX_TOTAL:
        raise ToolRefusal(f"The files have more than {MAX_TOTAL >> 20} MiB together; change fewer at once.")
    return found


def _text(file: FileBytes) -> str:
    if not file.binary:
        try:
            return file.data.decode("utf-8")
        except UnicodeDecodeError:
            pass
    raise ToolRefusal(f"{display_path(file.real)} is not UTF-8 text, and only that is changed here.")


async def _plan(call: ToolCall, root: Root, files: Mapping[str, FileBytes], edits: dict[str, EditedFile]) -> Plan:
    """Return the questions of S40 in order, and the write."""
    paths = list(edits)
    steps: list[ApprovalStep] = []
    broad = [
        f"Pattern {number} changes {touched} of the {lines} lines of {display_path(path)}."
        for path in paths
        for number, touched, lines in edits[path]["broad"]
    ]
    several = f"{len(paths)} files" if len(paths) > 1 else display_path(paths[0])
    if broad:
        text = f"Replace text in most lines of {several}?"
        question = yes_or_no("broad_replacement", text, "\n".join(broad), default=False)
        steps.append(ApprovalStep(question, _no("a pattern changes over half of a file; use narrower ones")))
    changed = await dirty(call.root, {path: files[path].data for path in paths})
    if changed:
        names = "\n".join(f"{display_path(path)} has changes that are not committed." for path in changed)
        text = (
            "Modify files with uncommitted changes?"
            if len(changed) > 1
            else f"Modify {display_path(changed[0])}, which has uncommitted changes?"
        )
        question = yes_or_no("modify_dirty_file", text, names, default=False)
        steps.append(ApprovalStep(question, _no("files with uncommitted changes are not to be modified")))
    diff = "".join(edits[path]["diff"] for path in paths)
    if len(diff.encode()) > MAX_DIFF:
        raise ToolRefusal(
            f"The diff has more than {MAX_DIFF >> 20} MiB, too much to be reviewed; make smaller changes."
        )
    text = f"Apply these changes to {several}?" if len(paths) > 1 else f"Apply this change to {several}?"
    changes = [hunks.FileDiff(display_path(path), _text(files[path]), edits[path]["diff"]) for path in paths]
    parts = hunks.parts(changes)
    question = yes_or_no("apply_changes", text, fenced("diff", diff), default=True, decides=paths, parts=parts)
    steps.append(ApprovalStep(question, REJECTED))

    def act() -> Success:
        write_all(root, [PlannedWrite(path, edits[path]["text"].encode(), files[path].data) for path in paths])
        return Success("\n".join(_result_text(path, edits[path]) for path in paths))

    def some(accepted: frozenset[str]) -> Success:
        made = [(path, one) for path, one in zip(paths, hunks.apply_accepted(changes, accepted), strict=True) if one]
        write_all(root, [PlannedWrite(path, one.text.encode(), files[path].data) for path, one in made])
        return Success("\n".join(partial_result(display_path(path), one) for path, one in made))

    return Plan(tuple(steps), act, some)


def _no(why: str) -> str:
    return f"Changes were not applied, the question about them was answered with no: {why}."


def _result_text(path: str, edited: EditedFile) -> str:
    places = "1 place" if edited["count"] == 1 else f"{edited['count']:,} places"
    return f"Changed {display_path(path)} in {places}: +{edited['added']:,} -{edited['removed']:,} lines."
