"""Wires: the protocols of model servers, by their configured name `wire` (surface S20).

A wire is a line here and a folder of `providers`, which `providers/registry.py` opens by name. The line has the facts
that settings need before the folder is loaded; nothing else names a wire.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Auth = Literal["bearer", "api-key", "x-api-key", "x-goog-api-key"]
AUTHS: tuple[Auth, ...] = get_args(Auth)
"""Ways to send a key (W3): as `authorization: Bearer`, or alone in a header of that name."""


@dataclass(frozen=True, slots=True)
class WireSettings:
    """Facts about a wire.

    `structured`: how a reply is bound to a schema by default; `enforcing` is a host with native support. `forces` is
    False if no tool can be forced. `caches`: hosts that keep a prompt for exactly 5 minutes or 1 hour; empty where
    servers decide. `server` is False for a model that runs in this process and that no configuration names. `folder`
    defaults to the wire's name with _ for -.
    """

    structured: Literal["native", "tool"] = "native"
    forces: bool = True
    enforcing: str = ""
    caches: str = ""
    server: bool = True
    folder: str = ""


WIRES = {
    "openai-chat": WireSettings(),
    "openai-responses": WireSettings(),
    "anthropic": WireSettings(structured="tool", enforcing="api.anthropic.com", caches="Anthropic servers"),
    "gemini": WireSettings(),
    "ollama": WireSettings(forces=False),
    "acp": WireSettings(server=False),
    "demo": WireSettings(server=False, folder="scripted"),
}
SERVER_WIRES = tuple(name for name, wire in WIRES.items() if wire.server)
"""Wires that a configuration may name."""
