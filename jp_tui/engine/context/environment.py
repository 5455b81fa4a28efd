"""Environment of the model: read when a turn begins, and formatted as a block (context.md K10)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from jp_tui.conversation.strict_json import Json
from jp_tui.system.problem import display_path
from jp_tui.tools.files import git


def platform() -> str:
    """The system and its processor; not its release, which changes under a conversation."""
    there = os.uname()
    return f"{there.sysname} {there.machine}"


async def look(workspace: Path, now: datetime) -> dict[str, Json]:
    """Return date, branch and status. A part that is missing, or takes too long, is left out."""
    local = now.astimezone()
    found: dict[str, Json] = {"date": f"{local:%A %Y-%m-%d}, {local.tzname()} (UTC{local:%z})"}
    status = await git.status(workspace)
    if status.branch is not None:
        found["branch"] = _line(status.branch)
    if status.lines is not None:
        lines = [_line(line) for line in status.lines]
        more = [f"… and {status.more:,} more"] if status.more else []
        found["status"] = [*lines, *more]
    return found


def changed(before: Mapping[str, Json], now: Mapping[str, Json]) -> dict[str, Json]:
    """Return the parts that changed."""
    return {key: value for key, value in now.items() if key not in before or before[key] != value}


def environment_text(parts: Mapping[str, Json], *, first: bool) -> str:
    """The block. Names of files cannot end it."""
    lines = [] if first else ["Changed since this was told before:"]
    if "date" in parts:
        lines.append(f"Date: {parts['date']}")
    if "branch" in parts:
        lines.append(f"Git branch: {parts['branch']}")
    status = parts.get("status")
    if isinstance(status, list):
        lines += ["Git status:", *map(str, status)] if status else ["Git status: no changes"]
    return "\n".join(["<environment>", *lines, "</environment>"])


def _line(text: str) -> str:
    """A name as one line that holds no end of a block."""
    return display_path(text).replace("</", "<\\/")
