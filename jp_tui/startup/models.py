"""Which model a conversation is held with, and the provider behind it, ready to be asked (surface S20, S21).

A credential is looked up here and goes into the endpoint alone. Asks nothing but a local server whether it is there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from jp_tui.conversation.model import ModelError
from jp_tui.engine.base.dependencies import ModelSetup, Prices, Retry
from jp_tui.providers.endpoint import Endpoint, EndpointProblem, WireName
from jp_tui.providers.port import Provider
from jp_tui.providers.registry import open_demo, open_provider
from jp_tui.settings import known_models
from jp_tui.settings import providers as servers
from jp_tui.settings import typed_settings as config
from jp_tui.settings.data import DEMO
from jp_tui.settings.errors import SettingsError, printable
from jp_tui.settings.known_models import Facts

if TYPE_CHECKING:
    from jp_tui.startup.parts import Parts

TOUR = "demo/tour"


async def model_for(parts: Parts, known: Mapping[str, servers.Provider], held_with: str) -> ModelSetup:
    """The model for a conversation that was held with `held_with` ("" for a new one). Raises ModelError."""
    return _open(parts, known, await _choose(parts, known, held_with))


def named_model(parts: Parts, known: Mapping[str, servers.Provider], name: str) -> ModelSetup:
    """The model that a sub-agent is to have, by PROVIDER/MODEL or an alias. Raises ModelError."""
    try:
        found = servers.parse_model(name, parts.settings, known, where="`model`")
    except SettingsError as problem:
        first = problem.first
        near = f" Did you mean {printable(first.nearest)}?" if first.nearest else ""
        said = printable(first.message)
        raise ModelError("unknown_model", f"{said[:1].upper()}{said[1:]}.{near}", "Name another.") from problem
    return _open(parts, known, str(found))


async def _choose(parts: Parts, known: Mapping[str, servers.Provider], held_with: str) -> str:
    """Named for this run, else what the conversation was held with, else S21."""
    named = servers.choose(parts.settings, known, parts.environment)
    explicit = parts.settings.get("assistant", "model", "id") is not None
    origin = parts.settings.origin("assistant", "model", "id")
    if explicit and origin is not None and origin.layer in ("flag", "--cfg", "environment"):
        return str(named.id)
    if held_with and held_with != TOUR and held_with.partition("/")[0] in known:
        return held_with
    if not servers.needs_probe(parts.settings, known, parts.environment):
        return str(named.id)
    reachable = await _reachable(known)
    return str(servers.choose(parts.settings, known, parts.environment, reachable).id)


async def _reachable(known: Mapping[str, servers.Provider]) -> list[servers.Reachable]:
    from jp_tui.providers.local import serving

    found: list[servers.Reachable] = []
    for name in servers.LOCAL:
        if name in known and (models := await serving(known[name].base_url)):
            found.append(servers.Reachable(name, models))
    return found


def _open(parts: Parts, known: Mapping[str, servers.Provider], name: str) -> ModelSetup:
    """A provider ready to be asked. Raises ModelError, which the engine reports."""
    assistant = config.assistant(parts.settings)
    provider_name, _, model = name.partition("/")
    provider = known.get(provider_name)
    if provider is None:
        names = ", ".join(sorted(known))
        raise ModelError(
            "unknown_model", f"There is no provider {provider_name}.", f"There are: {names}. Name one with --model."
        )
    retry = Retry(assistant.request.max_retries, assistant.request.base_backoff_ms, assistant.request.max_backoff_secs)
    try:
        opened: Provider
        reviews, titles = None, True
        if provider.wire == "demo":
            scripted = open_demo(script(model))
            opened, reviews, titles = scripted, scripted.reviews, scripted.titles
        else:
            opened = open_provider(endpoint(provider, provider.wire, parts.environment, assistant.request))
    except (EndpointProblem, SettingsError, ValueError, OSError) as problem:
        raise ModelError("other", str(problem), "Correct the configuration, or name another model.") from problem
    facts = Facts() if provider.wire == "demo" else known_models.read(parts.sources.models).facts(name)
    return ModelSetup(
        id=name,
        name=model,
        provider=opened,
        system=assistant.system_prompt,
        max_tokens=assistant.max_tokens,
        temperature=assistant.temperature,
        retry=retry,
        extra=dict(assistant.extra),
        cache=assistant.request.cache,
        reviews=reviews,
        titles=titles,
        window=facts.window,
        images=facts.images,
        prices=prices(facts),
    )


def prices(facts: Facts) -> Prices | None:
    """What the tokens cost, where both directions are known."""
    if facts.input is None or facts.output is None:
        return None
    return Prices(facts.input, facts.output, facts.input if facts.cached is None else facts.cached)


def script(model: str) -> Path:
    """`demo/tour` is ours; `demo/PATH.toml` any script (surface S20, S22)."""
    return Path(DEMO, "tour.toml") if model == "tour" else Path(os.path.abspath(os.path.expanduser(model)))


def endpoint(
    provider: servers.Provider, wire: WireName, environment: Mapping[str, str], request: config.RequestSettings
) -> Endpoint:
    """A server with its credential, ready to be opened."""
    key = servers.credential(provider, environment)
    return Endpoint(
        name=provider.name,
        wire=wire,
        base_url=provider.base_url,
        key=key.reveal() if key is not None else None,
        key_env=provider.api_key_env or "",
        headers=dict(provider.headers),
        structured=provider.structured,
        stream_idle_timeout_secs=float(request.stream_idle_timeout_secs),
        max_response_bytes=request.max_response_bytes,
    )
