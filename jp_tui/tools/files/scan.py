"""List and search files in a child process (traps.md T21c, T28), so that a scan never blocks the engine's loop.

Standard library and packages that need no more. Files are opened only through `system/files.py`, links aren't followed,
limits are counted, and the result reports what was left out. Called by `worker.py`.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NotRequired, TypedDict

from jp_tui.system.files import FileProblem, Root
from jp_tui.system.ignore_lists import IgnoreLists
from jp_tui.system.problem import display_path
from jp_tui.tools.files.guard import secret

MAX_LISTED = 2000
MAX_WALKED = 50_000
MAX_MATCHES = 500
MAX_FILE = 16 << 20
MAX_LINE = 400
SECONDS = 9.0
"""Time limit of a search, checked between files; the parent ends the child one second later."""


class ListingJob(TypedDict):
    """`folder` is a real path; `known` is git's list (tag and path, NUL between), None to walk the disk."""

    root: str
    folder: str
    known: str | None
    extensions: list[str]
    bytes: int
    ignored: NotRequired[list[tuple[str, str]]]


class SearchJob(TypedDict):
    """`files` are searched whatever their names; `folders` are listed first, each with git's list."""

    root: str
    pattern: str
    files: list[str]
    folders: list[tuple[str, str | None]]
    context: int
    rules: list[str]
    bytes: int
    ignored: NotRequired[list[tuple[str, str]]]


def listing(job: ListingJob) -> str:
    """Return one path per line, sorted; then what was left out and where."""
    wanted = tuple("." + one.lstrip(".").casefold() for one in job["extensions"])
    with Root(job["root"], hidden=_hidden(job.get("ignored", ()))) as root:
        candidates, cut = _candidates(root, job["folder"], job["known"], job.get("ignored", ()))
        paths = sorted(path for path in candidates if not wanted or path.casefold().endswith(wanted))
        lines: list[str] = []
        size = 0
        for path in paths[:MAX_LISTED]:
            line = display_path(path) + ("@" if _kind(root, path) == "link" else "")
            size += len(line.encode()) + 1
            if size > job["bytes"]:
                break
            lines.append(line)
    if not lines:
        lines.append("[no files" + (" with these extensions]" if wanted else "]"))
    elif len(lines) < len(paths):
        lines += _left_out(paths[len(lines) :], job["folder"])
    if cut:
        lines.append(f"[only the first {MAX_WALKED:,} entries were looked at; name a sub-folder as `path`]")
    return "\n".join(lines)


def _left_out(paths: list[str], folder: str) -> list[str]:
    """Return how many more files there are, and in which folders directly below this one."""
    base = "" if folder == "." else folder + "/"
    below = Counter(f"{base}{path[len(base) :].split('/')[0]}/" for path in paths if "/" in path[len(base) :])
    most = ", ".join(f"{display_path(name)} {count:,}" for name, count in below.most_common(15))
    where = f" Folders with most of them: {most}." if most else ""
    return [f"[{len(paths):,} more files are not listed; call again with `path` or `extensions`.{where}]"]


def _hidden(ignored: Sequence[Sequence[str]]) -> Callable[[str, bool], str] | None:
    """Return what hides a path (AR41); None if nothing does."""
    lists = IgnoreLists((name, text) for name, text in ignored)
    return lists.hidden if lists else None


def _candidates(root: Root, folder: str, known: str | None, ignored: Sequence[Sequence[str]]) -> tuple[set[str], bool]:
    """Return the files below a folder, and True if a limit cut the list. Ignored files are walked on request."""
    if known:
        entries = [(entry[0], entry[2:]) for entry in known.split("\0") if entry]
        gone = {path for tag, path in entries if tag == "R"}
        found = {path for _, path in entries} - gone
        if found and (hidden := _hidden(ignored)) is not None:
            found = {path for path in found if not hidden(path.rstrip("/"), path.endswith("/"))}
            if not found:
                return found, False
        if found:
            return {path for path in found if ".git" not in path.split("/")}, False
    walk = root.walk(folder, skip=lambda path, _: path.rsplit("/", 1)[-1] == ".git", limit=MAX_WALKED)
    return {entry.path for entry in walk if entry.kind in ("file", "link")}, walk.truncated


def _kind(root: Root, path: str) -> str:
    try:
        return root.stat(path.rstrip("/"), follow=False).kind
    except FileProblem:
        return "gone"


class _Stop(Exception):
    """A limit was reached; the text names it."""


def search(job: SearchJob, emit: Callable[[dict[str, object]], None]) -> None:
    """Emit `at` (the current file), `text` (matches) and finally `done` with what was left out, or `problem` for an
    invalid pattern."""
    try:
        pattern = re.compile(job["pattern"])
    except (re.error, RecursionError, OverflowError) as error:
        emit({"problem": str(error)})
        return
    state = _State(job, pattern, emit)
    stopped = ""
    with Root(job["root"], hidden=_hidden(job.get("ignored", ()))) as root:
        try:
            for path, named in _targets(root, job):
                state.file(root, path, named)
        except _Stop as stop:
            stopped = str(stop)
    emit({"done": True, "matches": state.matches, "stopped": stopped, "skipped": dict(state.skipped)})


def _targets(root: Root, job: SearchJob) -> Iterator[tuple[str, bool]]:
    seen: set[str] = set()
    for path in job["files"]:
        if path not in seen:
            seen.add(path)
            yield path, True
    for folder, known in job["folders"]:
        candidates, cut = _candidates(root, folder, known, job.get("ignored", ()))
        for path in sorted(candidates - seen):
            yield path, False
        seen |= candidates
        if cut:
            raise _Stop(f"only the first {MAX_WALKED:,} entries of {display_path(folder)} were looked at")


class _State:
    """State of one search."""

    def __init__(self, job: SearchJob, pattern: re.Pattern[str], emit: Callable[[dict[str, object]], None]) -> None:
        self._job, self._pattern, self._emit = job, pattern, emit
        self._until = time.monotonic() + SECONDS
        self._left = job["bytes"]
        self.matches = 0
        self.skipped: Counter[str] = Counter()

    def file(self, root: Root, path: str, named: bool) -> None:
        """Search one file. Raises _Stop at a limit."""
        if time.monotonic() > self._until:
            raise _Stop(f"stopped after {SECONDS:.0f} seconds, before {display_path(path)}")
        if not named and _kind(root, path) != "file":
            return
        try:
            found = root.read(path, MAX_FILE)
        except FileProblem:
            self.skipped["unreadable"] += 1
            return
        if secret(found.real, self._job["rules"]):
            self.skipped["secret"] += 1
        elif found.truncated:
            self.skipped["large"] += 1
        elif found.binary:
            self.skipped["binary"] += 1
        else:
            self._emit({"at": path})
            lines = found.data.decode("utf-8", "replace").split("\n")
            self._lines(display_path(path), lines if lines[-1] else lines[:-1])

    def _lines(self, name: str, lines: list[str]) -> None:
        hits: dict[int, int] = {}
        for at, line in enumerate(lines):
            match = self._pattern.search(line.removesuffix("\r"))
            if match is not None:
                hits[at] = match.start()
                self.matches += 1
                if self.matches >= MAX_MATCHES:
                    break
        self._add_group(name, lines, hits)
        if self.matches >= MAX_MATCHES:
            raise _Stop(f"stopped after {MAX_MATCHES} matches")

    def _add_group(self, name: str, lines: list[str], hits: dict[int, int]) -> None:
        """Emit the matches with surrounding lines, groups separated. Raises _Stop at the size limit."""
        around = self._job["context"]
        near = {one for at in hits for one in range(max(0, at - around), min(len(lines), at + around + 1))}
        out: list[str] = []
        last = -1
        for at in sorted(near):
            if around and last >= 0 and at > last + 1:
                out.append("--")
            last = at
            mark = ":" if at in hits else "-"
            line = f"{name}{mark}{at + 1}{mark} {_cut(lines[at], hits.get(at, 0))}"
            self._left -= len(line.encode()) + 1
            if self._left < 0:
                break
            out.append(line)
        if out:
            self._emit({"text": "\n".join(out)})
        if self._left < 0:
            raise _Stop("stopped, the matches are too much text")


def _cut(line: str, start: int) -> str:
    """Return at most MAX_LINE characters around `start`."""
    line = line.removesuffix("\r")
    if len(line) <= MAX_LINE:
        return line
    first = min(max(0, start - MAX_LINE // 4), len(line) - MAX_LINE)
    last = first + MAX_LINE
    before = f"[{first:,} characters]…" if first else ""
    return before + line[first:last] + (f"…[{len(line) - last:,} characters]" if last < len(line) else "")
