"""The recorded attacks of `cases/`, by group and id (its README says how to read one).

The project's own cases are always there. Where JP_TUI_FIXTURES names a folder with `hostile/<group>.json`, the cases in
it whose ids are not ours come behind them; tests that have one function a case look at ours alone.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

Case = dict[str, Any]
FOLDER = Path(__file__).with_name("cases")
GROUPS = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


@cache
def ours(group: str) -> dict[str, Case]:
    """The project's own cases of a group, by id."""
    return _read(FOLDER / f"{group}.json")


@cache
def cases(group: str) -> dict[str, Case]:
    """The project's own cases of a group, and those that JP_TUI_FIXTURES adds."""
    named = os.environ.get("JP_TUI_FIXTURES")
    more = Path(named, "hostile", f"{group}.json") if named else None
    added = _read(more) if more is not None and more.is_file() else {}
    return ours(group) | {id_: case for id_, case in added.items() if id_ not in ours(group)}


def every() -> list[Case]:
    """All cases of all groups."""
    return [case for group in GROUPS for case in cases(group).values()]


def _read(path: Path) -> dict[str, Case]:
    return {case["id"]: case for case in json.loads(path.read_text("utf-8"))["cases"]}
