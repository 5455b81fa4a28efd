"""The wires: the protocols of model servers, by the name that `wire` has in the configuration (surface S20).

A wire is a line here and a folder of `providers`, which `providers/registry.py` opens by its name. The line holds what
the settings need to know before the folder is loaded; nothing else names a wire.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class WireSettings:
    """What is known of a wire without speaking it.

    `structured`: how a reply is held to a schema where nothing else is known; `enforcing` is a host that does it
    natively all the same. `caches`: who keeps a prompt for 5 minutes or 1 hour as asked; empty where servers decide.
    `server` is False for a model that runs in this process, which no configuration names. `folder` is the name of the
    wire, with _ for -, where it is not given.
    """

    structured: Literal["native", "tool"] = "native"
    enforcing: str = ""
    caches: str = ""
    server: bool = True
    folder: str = ""


WIRES = {
    "openai-chat": WireSettings(),
    "openai-responses": WireSettings(),
    "anthropic": WireSettings(structured="tool", enforcing="api.anthropic.com", caches="Anthropic servers"),
    "gemini": WireSettings(),
    "ollama": WireSettings(),
    "demo": WireSettings(server=False, folder="scripted"),
}
SERVER_WIRES = tuple(name for name, wire in WIRES.items() if wire.server)
"""Those that a configuration may name."""
