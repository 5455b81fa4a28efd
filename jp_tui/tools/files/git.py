"""Git information about workspace files: tracked files, and uncommitted changes.

Runs only plumbing commands and compares hashes itself, because `git status` would run filters from the workspace's
configuration. No hooks, no monitor, no network, no locks. Without git, the functions return nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from jp_tui.system.children import ChildExit, ChildProblem, run

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
