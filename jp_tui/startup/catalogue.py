"""Lists of available models, from servers with a credential or without need of one (surface S20, S21).

All servers are queried concurrently, each with a time limit. Facts from the built-in data and the user's `models.toml`
take precedence over the server's. A credential is only sent in a request's header.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from jp_tui.conversation.model import ModelError
from jp_tui.protocol.models import MissingKey, ModelInfo, ModelsListed, ServerProblem, ServerSpec
from jp_tui.providers.catalogue import ListedModel
from jp_tui.settings import known_models
from jp_tui.settings import providers as servers
from jp_tui.settings import typed_settings as config
from jp_tui.settings.errors import SettingsError, nearest
from jp_tui.settings.layers.layers import Settings

if TYPE_CHECKING:
    from jp_tui.startup.parts import Parts

T = TypeVar("T")
SECONDS = 5.0
"""Time limit per server; a picker waits for the slowest."""


@dataclass(frozen=True, slots=True)
class CurrentSettings:
    """Present configuration."""

    settings: Settings
    providers: Mapping[str, servers.ProviderSettings]
    facts: known_models.KnownModels
    environment: Mapping[str, str]

    @classmethod
    def of(cls, parts: Parts) -> CurrentSettings:
        """Raises ValueError for an unreadable configuration."""
        try:
            settings = parts.sources.load()
            found = servers.providers(settings, parts.environment)
            return cls(settings, found, known_models.read(parts.sources.models), parts.environment)
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem

    def keyless(self, server: servers.ProviderSettings) -> bool:
        """True if it can be queried without a key: it names none, or is on this machine."""
        from jp_tui.providers.http import is_loopback

        return not server.api_key_env or is_loopback(server.base_url)


async def listed(parts: Parts, provider: str, spec: ServerSpec | None, seconds: float = SECONDS) -> ModelsListed:
    """Return the available models, of `provider` or of all; of `spec` only if given. Raises ValueError."""
    known = CurrentSettings.of(parts)
    if spec is not None:
        chosen = [server_of(spec)]
    elif provider:
        chosen = [_named(provider, known)] if provider != servers.AGENT else []
    else:
        chosen = [one for one in known.providers.values() if one.name != servers.AGENT]
    asked = [one for one in chosen if known.keyless(one) or servers.credential(one, known.environment)]
    missing = tuple(MissingKey(provider=one.name, variable=one.api_key_env or "") for one in chosen if one not in asked)
    answers = await asyncio.gather(*(_ask(one, known, seconds) for one in asked))
    models: list[ModelInfo] = []
    problems: list[ServerProblem] = []
    for server, answer in zip(asked, answers, strict=True):
        if isinstance(answer, ServerProblem):
            problems.append(answer)
            models += _merged(server, (), known) if not _absent(server, answer) else []
        else:
            models += _merged(server, answer, known)
    at = spec.name if spec is not None else provider
    if spec is None and provider in ("", servers.AGENT):
        names = servers.agents(known.settings)
        for name in names:
            models += _agent(parts, name)
    return ModelsListed(provider=at, models=tuple(models), problems=tuple(problems), missing=missing)


def _agent(parts: Parts, name: str) -> list[ModelInfo]:
    """Return an agent, and the models and modes that it offers where it runs (N44)."""
    at = f"{servers.AGENT}/{name}"
    found = [ModelInfo(id=at, provider=servers.AGENT, model=name, about="agent", effort="none")]
    running = next((one for one in parts.agents.values() if one.program.name == name and one.alive), None)
    for choice in running.offers.choices if running is not None else ():
        said = (choice.kind, choice.name if choice.name != choice.id else "", choice.about, choice.current and "in use")
        about = " · ".join(part for part in said if part)
        one = ModelInfo(
            id=f"{at}/{choice.suffix}",
            provider=servers.AGENT,
            model=f"{name}/{choice.suffix}",
            about=about,
            effort="none",
        )
        found.append(one)
    return found


def _named(provider: str, known: CurrentSettings) -> servers.ProviderSettings:
    found = known.providers.get(provider)
    if found is None:
        near = nearest(provider, list(known.providers))
        rest = f"did you mean {near}?" if near else "there are " + ", ".join(sorted(known.providers))
        raise ValueError(f"no provider {provider}; {rest}")
    return found


def server_of(spec: ServerSpec) -> servers.ProviderSettings:
    """Convert a server that isn't configured yet. Raises ValueError for values that a configuration would refuse."""
    from jp_tui.settings.edit.edit import check_value

    values: dict[str, str] = {"wire": spec.wire, "base_url": spec.base_url}
    if spec.api_key_env:
        values["api_key_env"] = spec.api_key_env
    try:
        check_value(("providers", "llm", spec.name), values)
    except SettingsError as problem:
        raise ValueError(str(problem)) from problem
    if spec.name in (servers.DEMO, "aliases"):
        raise ValueError(f"{spec.name} isn't a valid server name")
    return servers.ProviderSettings(spec.name, spec.wire, spec.base_url, spec.api_key_env or None)


async def _ask(
    server: servers.ProviderSettings, known: CurrentSettings, seconds: float
) -> tuple[ListedModel, ...] | ServerProblem:
    from jp_tui.providers.endpoint import EndpointProblem
    from jp_tui.providers.registry import open_provider
    from jp_tui.startup.models import endpoint

    def wrong(kind: str, message: str, advice: str = "") -> ServerProblem:
        return ServerProblem(provider=server.name, kind=kind, message=message, advice=advice)

    try:
        at = endpoint(server, known.environment, config.assistant(known.settings).request)
        opened = open_provider(at, server.default_model)
    except EndpointProblem as problem:
        return wrong("other", str(problem), "Correct the configuration.")
    try:
        async with asyncio.timeout(seconds):
            return await opened.models()
    except TimeoutError:
        said = f"{server.name} didn't answer within {seconds:g} s."
        return wrong("stalled", said, "Try again, or check that the server is running.")
    except ModelError as problem:
        return wrong(problem.kind, problem.message, problem.advice)
    finally:
        await opened.close()


def _absent(server: servers.ProviderSettings, problem: ServerProblem) -> bool:
    """True for a server of this machine that isn't running; it has no models."""
    return server.name in servers.LOCAL and problem.kind in ("refused", "unreachable")


def _merged(server: servers.ProviderSettings, answer: Iterable[ListedModel], known: CurrentSettings) -> list[ModelInfo]:
    """Return the server's models, then those of the configuration; without a reply also those of the built-in data."""
    said = {one.id: one for one in answer}
    aliases, default = _aliases(server.name, known), _default(known)
    own = {model for model in aliases if model not in said}
    if default.startswith(f"{server.name}/"):
        own.add(default.partition("/")[2])
    if not said:
        own |= {name.partition("/")[2] for name in known.facts.named(server.name)} | {server.default_model} - {""}
    names = [*said, *sorted(own - said.keys())]
    return [_info(server.name, name, said.get(name), aliases.get(name, ()), default, known) for name in names]


def _info(
    provider: str, model: str, said: ListedModel | None, aliases: tuple[str, ...], default: str, known: CurrentSettings
) -> ModelInfo:
    id_ = f"{provider}/{model}"
    facts, told, server = known.facts.facts(id_), said or ListedModel(model), known.providers.get(provider)
    return ModelInfo(
        id=id_,
        provider=provider,
        model=model,
        aliases=aliases,
        window=_first(facts.window, told.window),
        input=_first(facts.input, told.input),
        output=_first(facts.output, told.output),
        cached=_first(facts.cached, told.cached if facts.input is None else None),
        images=_first(facts.images, told.images),
        listed=said is not None,
        default=id_ == default,
        effort=facts.effort or "level" if server is None or server.is_server else "none",
    )


def _first(ours: T | None, theirs: T | None) -> T | None:
    return ours if ours is not None else theirs


def _aliases(provider: str, known: CurrentSettings) -> dict[str, tuple[str, ...]]:
    """Return the aliases of each model of `provider`."""
    found: dict[str, tuple[str, ...]] = {}
    named: Mapping[str, str] = known.settings.get("providers", "llm", "aliases") or {}
    for alias, target in named.items():
        at, _, model = target.partition("/")
        if at == provider and model:
            found[model] = (*found.get(model, ()), alias)
    return found


def _default(known: CurrentSettings) -> str:
    """Return the default model; the tour if nothing was found or searched."""
    try:
        return str(servers.choose(known.settings, known.providers, known.environment).id)
    except SettingsError:
        return ""
