"""Git information about workspace files: tracked files, and uncommitted changes.

Runs only plumbing commands and compares hashes itself, because `git status` would run filters from the workspace's
configuration. No hooks, no monitor, no network, no locks. Without git, the functions return nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from jp_tui.system.children import ChildExit, ChildProblem, run
from jp_tui.system.files import FileProblem, Root

_GIT = (
    "git", "--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
    "-c", "protocol.allow=never",
)  # fmt: skip
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
_SECONDS = 10.0
_LISTED = 32 << 20


async def listed(root: Path, folder: str) -> str | None:
    """Return the files below `folder` that git tracks or would track: entries `<tag> <path>`, each ended by NUL; None
    without git.

    Tags are those of `git ls-files -t`: H tracked, R tracked and deleted, ? untracked and not ignored.
    """
    found = await _ask(root, "ls-files", "-z", "-t", "-c", "-o", "-d", "--exclude-standard", "--", folder)
    if found is None or not found.ok or found.truncated:
        return None
    return os.fsdecode(found.stdout)


async def dirty(root: Path, files: Mapping[str, bytes]) -> list[str]:
    """Return which of these files (real path → current content) have uncommitted changes, in the given order.

    Changed, staged, and untracked files count unless ignored; files outside a work tree don't. If git times out, return
    all of them.
    """
    paths = list(files)
    here = await _ask(root, "ls-files", "-z", "-t", "-s", "-c", "-o", "--exclude-standard", "--", *paths)
    if here is None or here.status not in (0, None):
        return []
    there = await _ask(root, "ls-tree", "-z", "HEAD", "--", *paths)
    if here.timed_out or (there is not None and there.timed_out):
        return paths
    staged, untracked = _index(os.fsdecode(here.stdout))
    committed = _tree(os.fsdecode(there.stdout)) if there is not None and there.ok else {}
    return [
        path for path in paths if path in untracked or (path in staged and not _same(path, files, staged, committed))
    ]


def _same(path: str, files: Mapping[str, bytes], staged: Mapping[str, str], committed: Mapping[str, str]) -> bool:
    """True if commit, index and disk have the same content, allowing for git's conversion of line ends."""
    blob = staged[path]
    data = files[path]
    return committed.get(path) == blob and blob in (_blob(data, blob), _blob(data.replace(b"\r\n", b"\n"), blob))


def _blob(data: bytes, like: str) -> str:
    """Return git's object id for this content, in the repository's hash."""
    algorithm = "sha1" if len(like) == 40 else "sha256"
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _index(text: str) -> tuple[dict[str, str], set[str]]:
    """Return tracked paths with their blobs (none for a conflict), and untracked paths."""
    staged: dict[str, str] = {}
    untracked: set[str] = set()
    for entry in filter(None, text.split("\0")):
        tag, rest = entry[0], entry[2:]
        if tag == "?":
            untracked.add(rest)
            continue
        facts, _, path = rest.partition("\t")
        _, blob, stage = facts.split(" ")
        staged[path] = blob if stage == "0" else ""
    return staged, untracked


def _tree(text: str) -> dict[str, str]:
    pairs = (entry.partition("\t") for entry in filter(None, text.split("\0")))
    return {path: facts.split(" ")[2] for facts, _, path in pairs}


async def _ask(root: Path, *arguments: str) -> ChildExit | None:
    """Run git in the root; None if git isn't available."""
    try:
        return await run([*_GIT, *arguments], cwd=root, timeout=_SECONDS, output_limit=_LISTED, env_extra=_QUIET)
    except ChildProblem:
        return None


T = TypeVar("T")
STATUS_SECONDS = 1.0
STATUS_LINES = 20
_HASHED, _LOOKED_AT, _FILTERS = 1 << 20, 40, 100


@dataclass(frozen=True, slots=True)
class GitStatus:
    """The branch that is checked out, empty for none, and changes as `git status --short` writes them; `more` counts
    those beyond STATUS_LINES. None for a part that git did not say within its time."""

    branch: str | None = None
    lines: tuple[str, ...] | None = None
    more: int = 0


async def status(root: Path, seconds: float = STATUS_SECONDS) -> GitStatus:
    """Return the changes below `root`, without running any filter, hook or monitor of the repository. Empty without
    git."""
    branch, found = await asyncio.gather(_in_time(_branch(root), seconds), _in_time(_changed(root), seconds))
    if branch is None or found is None:
        return GitStatus(branch)
    return GitStatus(branch, tuple(found[:STATUS_LINES]), max(len(found) - STATUS_LINES, 0))


async def _in_time(work: Coroutine[object, object, T | None], seconds: float) -> T | None:
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError:
        return None


async def _branch(root: Path) -> str | None:
    named = await _ask(root, "symbolic-ref", "--quiet", "--short", "HEAD")
    if named is None or named.status not in (0, 1):
        return None
    return named.stdout.decode("utf-8", "replace").strip() if named.ok else "(detached)"


async def _changed(root: Path) -> list[str] | None:
    """Short lines, sorted by path; None where git gives no answer."""
    if (off := await _filters_off(root)) is None:
        return None
    quiet = ("-z", "--name-status", "--relative", "--no-renames", "--no-ext-diff", "--ignore-submodules=all")
    staged, unstaged, others = await asyncio.gather(
        _ask(root, *off, "diff-index", "--cached", *quiet, "HEAD"),
        _ask(root, *off, "diff-files", *quiet),
        _ask(root, "ls-files", "-z", "-o", "--exclude-standard", "--directory"),
    )
    if staged is None or unstaged is None or others is None or not (unstaged.ok and others.ok):
        return None
    if staged.truncated or unstaged.truncated or others.truncated:
        return None
    first = _pairs(staged.stdout) if staged.ok else {}  # no commit yet
    second = _pairs(unstaged.stdout)
    for name in await _same_bytes(root, [name for name in sorted(second) if second[name] == "M"][:_LOOKED_AT]):
        del second[name]
    lines = [f"{first.get(name, ' ')}{second.get(name, ' ')} {name}" for name in sorted({*first, *second})]
    return lines + [f"?? {name}" for name in os.fsdecode(others.stdout).split("\0") if name]


async def _filters_off(root: Path) -> list[str] | None:
    """Options that turn every configured filter off: git compares the content of files that it is not sure of. None
    where git says nothing, or a filter has a name that no option takes."""
    found = await _ask(root, "config", "-z", "--name-only", "--get-regexp", r"^filter\..*")
    if found is None or found.status not in (0, 1) or found.truncated:
        return None
    names = {key[len("filter.") :].rpartition(".")[0] for key in os.fsdecode(found.stdout).split("\0") if key}
    if len(names) > _FILTERS or any("=" in name or "\n" in name for name in names):
        return None
    each = [f"filter.{name}.{key}" for name in sorted(names) for key in ("clean=", "smudge=", "process=", "required=0")]
    return [word for key in each for word in ("-c", key)]


def _pairs(output: bytes) -> dict[str, str]:
    """Path → letter, of `--name-status -z`."""
    words = os.fsdecode(output).split("\0")
    return {path: letter[:1] for letter, path in zip(words[::2], words[1::2], strict=False) if path}


async def _same_bytes(root: Path, paths: Sequence[str]) -> list[str]:
    """Those of the files that only look changed: git knows them by the times of a copy that was made elsewhere."""
    here = await _ask(root, "ls-files", "-z", "-s", "--", *paths) if paths else None
    if here is None or not here.ok or here.truncated:
        return []
    blobs = {path: facts.split(" ")[1] for facts, path in _staged(os.fsdecode(here.stdout))}
    found: list[str] = []
    with contextlib.suppress(FileProblem), Root(root) as files:
        for path in paths:
            with contextlib.suppress(FileProblem):
                held, blob = files.read(path, _HASHED), blobs.get(path, "")
                if blob and not held.truncated and _blob(held.data, blob) == blob:
                    found.append(path)
    return found


def _staged(text: str) -> Iterator[tuple[str, str]]:
    for entry in filter(None, text.split("\0")):
        facts, _, path = entry.partition("\t")
        yield facts, path
