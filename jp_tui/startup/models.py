"""Model of a conversation, and its provider, ready for requests (surface S20, S21).

A credential is read here and only stored in the endpoint. The only query is whether a local server runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from jp_tui.conversation.model import Effort, EffortLevel, ModelError
from jp_tui.engine.base.dependencies import ModelFacts, ModelSetup, Prices, RetryPolicy
from jp_tui.providers.endpoint import Endpoint, EndpointProblem
from jp_tui.providers.registry import open_provider
from jp_tui.settings import known_models
from jp_tui.settings import providers as servers
from jp_tui.settings import typed_settings as config
from jp_tui.settings.errors import SettingsError, printable
from jp_tui.settings.known_models import Facts

if TYPE_CHECKING:
    from jp_tui.startup.parts import Parts

TOUR = "demo/tour"


async def model_for(parts: Parts, known: Mapping[str, servers.ProviderSettings], held_with: str) -> ModelSetup:
    """Return the model for a conversation that last used `held_with` ("" for a new one). Raises ModelError."""
    return _open(parts, known, await _choose(parts, known, held_with))


def named_model(parts: Parts, known: Mapping[str, servers.ProviderSettings], name: str) -> ModelSetup:
    """Return the model of a sub-agent, by PROVIDER/MODEL or an alias. Raises ModelError."""
    try:
        found = servers.parse_model(name, parts.settings, known, where="`model`")
    except SettingsError as problem:
        first = problem.first
        near = f" Did you mean {printable(first.nearest)}?" if first.nearest else ""
        said = printable(first.message)
        raise ModelError("unknown_model", f"{said[:1].upper()}{said[1:]}.{near}", "Name another.") from problem
    return _open(parts, known, str(found))


def unopened(parts: Parts, held_with: str) -> ModelFacts:
    """Return the known facts about the model of a conversation that last used `held_with`, without a query of any
    server. Raises ValueError."""
    try:
        known = servers.providers(parts.settings, parts.environment)
        name = _named(parts, known, held_with) or str(servers.choose(parts.settings, known, parts.environment).id)
        facts = known_models.read(parts.sources.models).facts(name)
    except SettingsError as problem:
        raise ValueError(str(problem)) from problem
    return ModelFacts(name, facts.window, config.assistant(parts.settings).system_prompt)


def _named(parts: Parts, known: Mapping[str, servers.ProviderSettings], held_with: str) -> str:
    """Return the model set for this run, else the conversation's last one; empty if there is neither."""
    origin = parts.settings.origin("assistant", "model", "id")
    explicit = parts.settings.get("assistant", "model", "id") is not None
    if explicit and origin is not None and origin.layer in ("flag", "--cfg", "environment"):
        return str(servers.choose(parts.settings, known, parts.environment).id)
    if held_with and held_with != TOUR and held_with.partition("/")[0] in known:
        return held_with
    return ""


async def _choose(parts: Parts, known: Mapping[str, servers.ProviderSettings], held_with: str) -> str:
    """Select the model: set for this run, else the conversation's last one, else by S21."""
    if named := _named(parts, known, held_with):
        return named
    if not servers.needs_probe(parts.settings, known, parts.environment):
        return str(servers.choose(parts.settings, known, parts.environment).id)
    reachable = await _reachable(known)
    return str(servers.choose(parts.settings, known, parts.environment, reachable).id)


async def _reachable(known: Mapping[str, servers.ProviderSettings]) -> list[servers.Reachable]:
    from jp_tui.providers.local import serving

    found: list[servers.Reachable] = []
    for name in servers.LOCAL:
        if name in known and (models := await serving(known[name].base_url)):
            found.append(servers.Reachable(name, models))
    return found


def _open(parts: Parts, known: Mapping[str, servers.ProviderSettings], name: str) -> ModelSetup:
    """Return an opened model. Raises ModelError, which the engine reports."""
    assistant = config.assistant(parts.settings)
    provider_name, _, model = name.partition("/")
    provider = known.get(provider_name)
    if provider is None:
        names = ", ".join(sorted(known))
        raise ModelError(
            "unknown_model", f"Unknown provider {provider_name}.", f"Available: {names}. Select one with --model."
        )
    if provider.name == servers.AGENT:
        return _agent(parts, model)
    retry = RetryPolicy(
        assistant.request.max_retries, assistant.request.base_backoff_ms, assistant.request.max_backoff_secs
    )
    try:
        opened = open_provider(endpoint(provider, parts.environment, assistant.request), model)
    except (EndpointProblem, SettingsError, ValueError, OSError) as problem:
        raise ModelError("other", str(problem), "Fix the configuration, or select another model.") from problem
    facts = known_models.read(parts.sources.models).facts(name) if provider.is_server else Facts()
    return ModelSetup(
        id=name,
        name=model,
        provider=opened,
        system=assistant.system_prompt,
        max_tokens=assistant.max_tokens,
        temperature=assistant.temperature,
        retry=retry,
        extra=dict(assistant.extra),
        effort=effort(facts, assistant.effort),
        takes_effort=(facts.effort or "level") if provider.is_server else "none",
        cache=assistant.request.cache,
        reviews=opened.reviews,
        people=getattr(opened, "people", None),  # a script's alone
        titles=opened.titles,
        window=facts.window,
        images=facts.images,
        prices=prices(facts),
    )


def _agent(parts: Parts, name: str) -> ModelSetup:
    """Return an agent as a model (N40): NAME, NAME/MODEL or NAME/mode=MODE. Raises ModelError."""
    from jp_tui.tools.agents.connection import AgentProgram
    from jp_tui.tools.agents.offers import MODE
    from jp_tui.tools.agents.provider import AgentProvider

    known = servers.agents(parts.sources.load())
    agent, _, choice = name.partition("/")
    found = known.get(agent)
    if found is None:
        there = f"Available: {', '.join(known)}." if known else "None is set up under [agents]."
        raise ModelError("unknown_model", f"Unknown agent {printable(agent)}.", there)
    mode = choice.removeprefix(MODE) if choice.startswith(MODE) else found.mode
    model = choice if choice and not choice.startswith(MODE) else found.model

    def noted(pid: int) -> Callable[[], None]:
        from jp_tui.startup.asking import note_agent

        return note_agent(parts.paths, agent, pid, str(parts.workspace))

    program = AgentProgram(found.name, found.command, found.env, mode, model, noted)
    provider = AgentProvider(program, str(parts.workspace), parts.agents)
    never = RetryPolicy(most=0)
    return ModelSetup(
        id=f"{servers.AGENT}/{name}", name=name, provider=provider, retry=never, takes_effort="none", titles=False
    )


def effort(facts: Facts, level: EffortLevel | None) -> Effort | None:
    """Return an effort in the form that the model takes (wires.md W8): a level, where nothing else is known."""
    return None if level is None or facts.effort == "none" else Effort(level, facts.effort or "level")


def prices(facts: Facts) -> Prices | None:
    """Return the token prices, if both directions are known."""
    if facts.input is None or facts.output is None:
        return None
    return Prices(facts.input, facts.output, facts.input if facts.cached is None else facts.cached)


def endpoint(
    provider: servers.ProviderSettings, environment: Mapping[str, str], request: config.RequestSettings
) -> Endpoint:
    """Return a server with its credential, ready to be opened."""
    key = servers.credential(provider, environment)
    return Endpoint(
        name=provider.name,
        wire=provider.wire,
        base_url=provider.base_url,
        key=key.reveal() if key is not None else None,
        key_env=provider.api_key_env or "",
        headers=dict(provider.headers),
        auth=provider.auth,
        query=dict(provider.query),
        ca_file=provider.ca_file,
        proxy=provider.proxy,
        key_command=provider.api_key_command,
        key_secs=float(provider.api_key_secs),
        structured=provider.structured,
        stream_idle_timeout_secs=float(request.stream_idle_timeout_secs),
        max_response_bytes=request.max_response_bytes,
    )
