"""Computation of a change before anyone is asked: texts, patterns and flags in; new texts, counts and diffs out.

Both sides are plain JSON values, because large jobs and regular expressions run in a child process (traps.md T21c, T28)
and small ones here, with the same function and result. Reads and writes no file.
"""

from __future__ import annotations

from typing import TypedDict

from jp_tui.tools.files.difference import changed_lines, unified
from jp_tui.tools.files.patterns import PatternProblem, Replacement, apply

SMALL = 16 * 1024
"""Characters up to which plain patterns are applied in this process. At this size it takes a few milliseconds."""


class PatternJob(TypedDict):
    """One pattern in JSON form."""

    old: str
    new: str
    regex: bool
    files: list[str]


class EditJob(TypedDict):
    """`texts` by path, in order; `names` are the paths as written in the diff headers."""

    texts: dict[str, str]
    names: dict[str, str]
    patterns: list[PatternJob]
    every: bool
    case_sensitive: bool


class EditedFile(TypedDict):
    """Result for one file; `broad` names the patterns that changed more than half of it, with the counts."""

    text: str
    diff: str
    count: int
    added: int
    removed: int
    broad: list[tuple[int, int, int]]


class EditResult(TypedDict):
    """Either all problems, or every changed file."""

    problems: list[str]
    files: dict[str, EditedFile]


def small(job: EditJob) -> bool:
    """True if the job is fast: no regular expression, little text."""
    plain = job["case_sensitive"] and not any(one["regex"] for one in job["patterns"])
    return plain and sum(map(len, job["texts"].values())) <= SMALL


def edit(job: EditJob) -> EditResult:
    """Apply every pattern to its files, in order."""
    texts = dict(job["texts"])
    counts = dict.fromkeys(texts, 0)
    broad: dict[str, list[tuple[int, int, int]]] = {path: [] for path in texts}
    problems: list[str] = []
    for number, one in enumerate(job["patterns"], 1):
        pattern = Replacement(number, one["old"], one["new"], one["regex"])
        for path in one["files"]:
            try:
                change = apply(texts[path], pattern, every=job["every"], case_sensitive=job["case_sensitive"])
            except PatternProblem as problem:
                problems.append(f"pattern {number} {problem} (in {job['names'][path]}).")
                continue
            texts[path] = change.text
            counts[path] += change.count
            if change.broad:
                broad[path].append((number, change.touched, change.lines))
    if problems:
        return {"problems": problems, "files": {}}
    files: dict[str, EditedFile] = {}
    for path, before in job["texts"].items():
        if texts[path] != before:
            files[path] = edited(job["names"][path], before, texts[path])
            files[path]["count"], files[path]["broad"] = counts[path], broad[path]
    return {"problems": [], "files": files}


def edited(name: str, before: str | None, after: str) -> EditedFile:
    """Return a file's change and its diff; `before` is None for a new file."""
    old = "/dev/null" if before is None else head("a/", name)
    added, removed = changed_lines(before or "", after)
    return {
        "text": after,
        "diff": unified(old, head("b/", name), before or "", after),
        "count": 1,
        "added": added,
        "removed": removed,
        "broad": [],
    }


class FileVersions(TypedDict):
    """Old and new text of a file, for one diff; `before` is None for a new file."""

    name: str
    before: str | None
    after: str


def head(side: str, name: str) -> str:
    """Return a path for a diff header; a quoted path keeps its quotes outside the prefix."""
    return f"{name[0]}{side}{name[1:]}" if name[:1] in ("'", '"') and name[-1:] == name[:1] else side + name
