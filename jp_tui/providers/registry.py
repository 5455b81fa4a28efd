"""From plain values to a provider. What a wire is called stands in `settings/wires.py`; its folder here has an entry.

Settings hand in an `Endpoint` that is already resolved (surface.md S20, S20b). The entry of a server's wire is
`request.wire(endpoint)`, that of any other `provider.open_provider(model)`. Nothing here reads a file of settings or
the environment, and no HTTP library is loaded before a request is sent.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from jp_tui.providers.endpoint import Endpoint, check
from jp_tui.providers.port import Provider
from jp_tui.settings.wires import WIRES

if TYPE_CHECKING:
    from jp_tui.providers.wire import Wire


def open_provider(endpoint: Endpoint, model: str = "") -> Provider:
    """A provider; opens no connection yet. `model` is for a wire without a server: its provider is one model.

    Raises EndpointProblem, and for a script ScriptProblem, which names file and line.
    """
    known = WIRES.get(endpoint.wire)
    if known is not None and not known.server:
        opened: Provider = _entry(endpoint.wire, "provider").open_provider(model)
        return opened
    check(endpoint)
    from jp_tui.providers.http import HttpProvider

    return HttpProvider(endpoint, make_wire(endpoint))


def make_wire(endpoint: Endpoint) -> Wire:
    """The wire that the endpoint's server speaks."""
    made: Wire = _entry(endpoint.wire, "request").wire(endpoint)
    return made


def _entry(wire: str, module: str) -> Any:
    folder = WIRES[wire].folder or wire.replace("-", "_")
    return import_module(f"{__package__}.{folder}.{module}")
