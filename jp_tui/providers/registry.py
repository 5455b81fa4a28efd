"""Factory for providers. `settings/wires.py` names the wires; each folder here has an entry point.

Settings pass a resolved `Endpoint` (surface.md S20, S20b). A server's wire has `request.wire(endpoint)`, any other
`provider.open_provider(model)`. No settings file or environment is read here, and no HTTP library is imported before
the first request.
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
    """Create a provider without opening a connection.

    `model` is for a wire without a server, whose provider is one model. Raises EndpointProblem, and for a script
    ScriptProblem with file and line.
    """
    known = WIRES.get(endpoint.wire)
    if known is not None and not known.server:
        opened: Provider = _entry(endpoint.wire, "provider").open_provider(model)
        return opened
    check(endpoint)
    from jp_tui.providers.http import HttpProvider

    return HttpProvider(endpoint, make_wire(endpoint))


def make_wire(endpoint: Endpoint) -> Wire:
    """Return the wire of the endpoint's server."""
    made: Wire = _entry(endpoint.wire, "request").wire(endpoint)
    return made


def _entry(wire: str, module: str) -> Any:
    folder = WIRES[wire].folder or wire.replace("-", "_")
    return import_module(f"{__package__}.{folder}.{module}")
