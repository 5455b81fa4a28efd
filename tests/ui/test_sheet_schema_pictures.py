"""Pictures of the schema sheet, form and JSON, in every state it can be in (issue 5, "Snapshots"; E61).

After a change that is meant: `pytest tests/ui/test_sheet_schema_pictures.py --snapshot-update`, and look at it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from jp_tui.protocol.values import PromptRequest
from tests.sampling import partly
from tests.ui.schema_host import JOB, Checked
from tests.ui.sheet_host import schema

Compare = Callable[..., bool]
SMALL, LARGE = (80, 24), (120, 36)
FULL: Any = {
    "name": "nightly-backfill", "batch": 5000, "workers": 12, "mode": "safe", "notify": ["mail"],
    "schedule": [{"cron": "0 3 * * *", "zone": "UTC"}, {"cron": "@daily"}], "labels": {"team": "storage"},
}  # fmt: skip
MANY: Any = {
    "type": "object",
    "properties": {
        "branch": {"enum": [f"branch-{n}" for n in range(1, 31)]},
        "tags": {"type": "array", "uniqueItems": True, "items": {"enum": [f"tag-{n}" for n in range(1, 31)]}},
        "either": {"oneOf": [{"type": "string"}, {"type": "array"}], "title": "One or several"},
    },
}

LEVEL: Any = {
    "type": "object",
    "properties": {
        "level": {"enum": ["low", "high"]},
        "mail": {"type": "string", "pattern": "^[a-z0-9]+(?:[._-][a-z0-9]+)*@example\\.(?:com|org)$", "maxLength": 99},
        "either": {"enum": [1, "1"]},
        "limits": {"type": "object", "properties": {"cpu": {"type": "number"}}},
    },
}
HIDDEN: Any = {"level": "zzz", "mail": "a@example.com", "limits": {"cpu": 1, "mem": 2}, "delete_everything": True}


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


def look(compare: Compare, prompt: PromptRequest, keys: str, size: tuple[int, int], theme: str = "jp-night") -> None:
    """Compare the host with its picture, after the keys and the verdict."""
    app = Checked(prompt, theme=theme)

    async def before(pilot: Pilot[None]) -> None:
        await pilot.pause()
        await app.arm(pilot)
        await app.judged(pilot)
        for key in keys.split():
            await app.type(pilot, key)  # each on the laid out screen: a cursor scrolls by the height it has
        await app.judged(pilot)
        await app.still(pilot)

    assert compare(app, terminal_size=size, run_before=before)


STATES: dict[str, tuple[PromptRequest, str]] = {
    "begun": (schema(of=JOB), ""),
    "full": (schema(of=JOB, has_default=True, default=FULL), ""),
    "wrong": (schema(of=JOB, has_default=True, default=FULL | {"workers": 64}), "tab tab"),
    "no-number": (schema(of=JOB, has_default=True, default=FULL), "tab x"),
    "not-submitted": (schema(of=JOB), "n enter"),
    "choice": (schema(of=JOB, has_default=True, default=FULL), "tab tab tab right"),
    "entries": (schema(of=JOB, has_default=True, default=FULL), "tab tab tab tab tab enter down enter down"),
    "no-field": (schema(of=JOB, has_default=True, default=FULL), "escape end"),
    "long-choice": (schema(of=MANY), "enter down down enter"),
    "long-choice-open": (schema(of=MANY), "down enter down space down"),
    "json": (schema(of=JOB, has_default=True, default=FULL), "f6"),
    "json-wrong": (schema(of=JOB, has_default=True, default=FULL | {"workers": 64}), "f6 tab"),
    "json-broken": (schema(of=JOB, has_default=True, default=FULL), "f6 end x"),
    "no-form": (schema(of={"oneOf": [{"type": "string"}, {"type": "array"}]}), "f6"),
    "schema": (schema(of=JOB), "f7"),
    "out-of-the-field": (schema(of=JOB, has_default=True, default=FULL), "escape"),
    "menu": (schema(of=JOB), "n escape escape"),
    "more-than-the-form": (schema(of=LEVEL, has_default=True, default=HIDDEN), "end"),
    "wrong-at-length": (schema(of=LEVEL, has_default=True, default=HIDDEN | {"mail": "-"}), "down"),
    "a-list": (schema(of={"type": "array", "items": {"type": "string"}, "minItems": 1}), ""),
    "no-form-begun": (schema(of={"oneOf": [{"type": "string"}, {"type": "array"}]}), ""),
}


@partly(2)
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x36"])
@pytest.mark.parametrize("state", STATES)
def test_every_state(snap_compare: Compare, state: str, size: tuple[int, int]) -> None:
    prompt, keys = STATES[state]
    look(snap_compare, prompt, keys, size)


@partly(3)
@pytest.mark.parametrize("size", [SMALL, LARGE, (200, 50)], ids=["80x24", "120x36", "200x50"])
@pytest.mark.parametrize("theme", ["jp-day", "jp-sixteen", "jp-contrast"])
def test_in_other_themes(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    look(
        snap_compare, schema(of=JOB, has_default=True, default=FULL | {"workers": 64}), "tab tab tab right", size, theme
    )


def test_the_smallest_terminal(snap_compare: Compare) -> None:
    look(snap_compare, schema(of=JOB, has_default=True, default=FULL), "tab", (60, 16))
