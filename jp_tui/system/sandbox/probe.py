"""Test whether a sandbox works here by trying to escape from one, once (Z18).

A temporary folder acts as home and workspace. The result of the command there is judged from outside.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jp_tui.system.children import ChildProblem, child_environment, run
from jp_tui.system.sandbox.command import Bubblewrap
from jp_tui.system.sandbox.mounts import Mount, SandboxProblem, beneath, planned
from jp_tui.system.sandbox.places import own_folders
from jp_tui.system.sandbox.runner import Box, empty_file, run_inside

_SECONDS = 10.0
_SECRET = "jp-tui-probe-secret"
_TRIES = (
    "echo $$; cat .env ../home/key; mv sub sub2; mv sub/.env sub/x; touch .git/made sub/.git/made "
    "../made /made; mkdir -p .jp-tui/made; mv .jp-tui old; ln sub/.env linked; cat linked; touch done"
)
"""Every successful escape leaves a trace, in the folder or in the output."""


@dataclass(frozen=True, slots=True)
class SandboxProbe:
    """Result: `bubblewrap` if children can run in a sandbox, else `reason`, as a clause."""

    bubblewrap: Bubblewrap | None = None
    reason: str = ""


class Sandboxes:
    """Result of the test for a workspace, run once on first use."""

    def __init__(self) -> None:
        self._found: SandboxProbe | None = None

    async def found(self, root: str | Path) -> SandboxProbe:
        """Return the result for this workspace."""
        if reason := _impossible(root):
            return SandboxProbe(reason=reason)
        if self._found is None:
            self._found = await probed()
        return self._found


async def probed(root: str | Path | None = None) -> SandboxProbe:
    """Run the test now."""
    if root is not None and (reason := _impossible(root)):
        return SandboxProbe(reason=reason)
    program = _program()
    if not program:
        return SandboxProbe(reason="bwrap is not installed")
    first = ""
    for bubblewrap in await _candidates(program):
        reason = await _tried(bubblewrap)
        if not reason:
            return SandboxProbe(bubblewrap)
        first = first or reason
    return SandboxProbe(reason=f"bwrap doesn't work here: {first}")


def _program() -> str:
    return shutil.which("bwrap", path=child_environment(os.environ)["PATH"]) or ""


def _impossible(given: str | Path) -> str:
    """Return why no sandbox is possible around this workspace; "" if one is."""
    program, root = _program(), os.path.realpath(given)
    if root == "/":
        return "the workspace is the whole disk"
    if program and beneath(os.path.realpath(program), root):
        return "the only bwrap is in this workspace"
    if any(beneath(root, one) for one in ("/proc", "/sys")):
        return "the workspace is a part of the running system"
    if any(beneath(root, one) for one in own_folders(os.environ)):
        return "the workspace is one of jp-tui's own folders"
    return ""


async def _candidates(program: str) -> list[Bubblewrap]:
    """Return the program with the options of its version, and without them: an installation may forbid them."""
    try:
        done = await run([program, "--version"], cwd="/", timeout=_SECONDS, output_limit=256)
    except ChildProblem:
        return [Bubblewrap(program, userns=False, size=False)]
    found = re.search(rb"(\d+)\.(\d+)", done.stdout)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    best = Bubblewrap(program, userns=version >= (0, 8), size=version >= (0, 7))
    return list(dict.fromkeys([best, Bubblewrap(program, userns=False, size=False)]))


async def _tried(bubblewrap: Bubblewrap) -> str:
    """Return what fails, as a clause; "" if everything works."""
    folder = _scratch()
    try:
        root, home = folder / "workspace", folder / "home"
        for one in (root / ".git", root / "sub" / ".git", root / ".jp-tui", home):
            one.mkdir(parents=True)
        for file in (root / ".env", root / "sub" / ".env", home / "key"):
            file.write_text(_SECRET)
        box = Box(bubblewrap, _plan(str(root), str(home)), str(root), empty_file(folder / "ours"))
        done = await run_inside(box, ["/bin/sh", "-c", _TRIES], timeout=_SECONDS, output_limit=16_384)
        return _judged(root, done.stdout.decode("utf-8", "replace"))
    except SandboxProblem as problem:
        return str(problem)
    except (ChildProblem, OSError) as problem:
        return f"{problem}."
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _scratch() -> Path:
    return Path(os.path.realpath(tempfile.mkdtemp(prefix="jp-tui-sandbox-")))


def _plan(root: str, home: str) -> tuple[Mount, ...]:
    wishes = [Mount("private", "/tmp", "temporary files"), Mount("private", home, "a home folder")]
    wishes += [Mount("mask", f"{root}/{name}", "a secret") for name in (".env", "sub/.env")]
    wishes += [Mount("read", f"{root}/{name}", "kept", fixed=True) for name in (".git", "sub/.git", ".jp-tui")]
    return planned(root, wishes)


def _judged(root: Path, said: str) -> str:
    """Return the forbidden effect of a command, as a clause. (`verify` has checked that it has no network.)"""
    made = {path.relative_to(root).as_posix() for path in root.rglob("*")}
    kept = {".git", "sub", "sub/.git", "sub/.env", ".env", ".jp-tui"}
    traces: Mapping[str, bool] = {
        "nothing in it ran": "done" not in made,
        "what it hides can be read": _SECRET in said,
        "what it protects can be changed": not kept <= made or not made <= kept | {"done", "linked"},
        "the disk can be written": os.path.lexists("/made") or (root.parent / "made").exists(),
        "other processes are visible": not re.match(r"\d{1,2}\n", said),
    }
    return next((f"{words}." for words, wrong in traces.items() if wrong), "")
