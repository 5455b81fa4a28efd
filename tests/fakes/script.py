"""Scripts played without their pauses."""

from __future__ import annotations

import asyncio

import pytest


def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let scripted models and people go on at once.

    Only their own `sleep` is replaced: with that of asyncio each task of the engine that looks at something every so
    often would do nothing else.
    """
    for module in ("provider", "people"):
        monkeypatch.setattr(f"jp_tui.providers.scripted.{module}.sleep", _at_once)


async def _at_once(_: float) -> None:
    await asyncio.sleep(0)
