"""Working folder of a turn's tools: the workspace, or for a script with a sample a copy of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from jp_tui.conversation.model import ModelError


def prepare(sample: Path | None, scratch: Path, workspace: Path, *, keep: bool) -> Path:
    """Make `scratch` a fresh copy of the sample, or with `keep` leave it as the turn left it. Raises ModelError."""
    if sample is None:
        return workspace
    if keep and scratch.is_dir():
        return scratch
    try:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copytree(sample, scratch)
    except (OSError, shutil.Error) as problem:
        raise ModelError(
            "other",
            f"The sample files couldn't be copied: {problem}",
            f"Free disk space or fix {scratch.parent}.",
        ) from problem
    return scratch
