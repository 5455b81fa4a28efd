"""From plain values to a provider: which wire an endpoint speaks, and the scripted model.

Settings hand in an `Endpoint` that is already resolved (surface.md S20, S20b). Nothing here reads a file of
settings or the environment, and no HTTP library is loaded before a real model is opened.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jp_tui.providers.endpoint import Endpoint, check
from jp_tui.providers.port import Provider

if TYPE_CHECKING:
    from jp_tui.providers.scripted.provider import DemoProvider


def open_provider(endpoint: Endpoint) -> Provider:
    """A provider for a real model; opens no connection yet. Raises EndpointProblem."""
    check(endpoint)
    from jp_tui.providers.http import HttpProvider  # loads nothing heavy before the first request

    return HttpProvider(endpoint)


def open_demo(script_path: Path) -> DemoProvider:
    """The scripted model of one script (surface.md S22). Raises ScriptProblem, which names file and line."""
    from jp_tui.providers.scripted.provider import DemoProvider
    from jp_tui.providers.scripted.script import read_script

    return DemoProvider(read_script(script_path))
