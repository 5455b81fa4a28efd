"""Model servers, their credentials, and the default model (S20, S21).

Pure: the environment and the reachable servers are arguments. A credential is read when needed and never stored, shown
or compared; it leaves `Secret` only where a request is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from jp_tui.settings.errors import SettingsError, SettingsProblem, nearest
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.merge import get
from jp_tui.settings.wires import WIRES, Auth

Structured = Literal["auto", "native", "tool"]

DEMO = "demo"
AGENT = "agent"
"""`agent/NAME` is the agent of that name as a model (N40)."""
LOCAL = ("ollama", "llamacpp")  # in the order they are tried; local, no key


class Secret:
    """Credential without a text form: it never appears in a log, repr, crash report or pickle."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the credential, for a request header only."""
        return self._value

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return "***"

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError("a credential is not copied or stored")


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """One model server. `base_url` is empty for the scripted model only."""

    name: str
    wire: str
    base_url: str = ""
    api_key_env: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    auth: Auth | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    ca_file: str = ""
    proxy: str | None = None
    api_key_command: tuple[str, ...] = ()
    api_key_secs: float = 300.0
    structured: Structured = "auto"
    default_model: str = ""

    @property
    def is_server(self) -> bool:
        """False for a model that runs in this process."""
        return WIRES[self.wire].server


@dataclass(frozen=True, slots=True)
class ModelId:
    """`provider/model`: the part after the first slash is sent as the model (S20b)."""

    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Selected model and the reason, as text for the status line and the tour."""

    id: ModelId
    why: str


@dataclass(frozen=True, slots=True)
class Reachable:
    """Local server that responded, and the models it offers."""

    provider: str
    models: tuple[str, ...]


def providers(settings: Settings, environment: Mapping[str, str]) -> dict[str, ProviderSettings]:
    """Return every provider by name, built-in ones first. Raises SettingsError for one without a wire or an address."""
    found: dict[str, ProviderSettings] = {}
    for name, values in settings.get("providers", "llm").items():
        if name != "aliases":
            found[name] = _provider(settings, name, values, environment)
    found[DEMO] = ProviderSettings(DEMO, DEMO, default_model="tour")
    if names := list(settings.get("agents") or ()):
        found[AGENT] = ProviderSettings(AGENT, "acp", default_model=names[0] if len(names) == 1 else "")
    return found


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """An agent of another maker (N40)."""

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    mode: str = ""
    model: str = ""


def agents(settings: Settings) -> dict[str, AgentSettings]:
    """Return the agents by name. Raises SettingsError for one without a command."""
    found: dict[str, AgentSettings] = {}
    for name, values in (settings.get("agents") or {}).items():
        if "command" not in values:
            raise SettingsError(settings.problem(("agents", name), "has no command"))
        own = {**values, "command": tuple(values["command"])}
        found[name] = AgentSettings(name, **own)
    return found


def _provider(
    settings: Settings, name: str, values: dict[str, Any], environment: Mapping[str, str]
) -> ProviderSettings:
    path = ("providers", "llm", name)
    if name in (DEMO, AGENT):
        raise SettingsError(settings.problem(path, f"the provider {name} is built in and has no settings"))
    missing = [key for key in ("wire", "base_url") if key not in values]
    if missing:
        known = [other for other in settings.get("providers", "llm") if other not in (name, "aliases")]
        message = f"has no {' and no '.join(missing)}"
        raise SettingsError(settings.problem(path, message, nearest=nearest(name, known)))
    values = dict(values)
    origin = settings.origin(*path, "base_url")
    if name == "ollama" and origin is not None and origin.layer == "built-in" and environment.get("OLLAMA_HOST"):
        values["base_url"] = ollama_address(environment["OLLAMA_HOST"])
    _apply_origins(settings, name, values)
    return ProviderSettings(name=name, **values)


def _apply_origins(settings: Settings, name: str, values: dict[str, Any]) -> None:
    """Set what depends on the setting's origin (W2, W3); `values` is changed. Raises SettingsError."""
    path = ("providers", "llm", name)

    def own(key: str) -> bool:
        origin = settings.origin(*path, key)
        return origin is not None and origin.layer != "built-in"

    if name == "openai" and own("base_url") and not own("wire"):
        values["wire"] = "openai-chat"  # what that address was written for
    if values.get("structured") == "tool" and not WIRES[values["wire"]].forces:
        raise SettingsError(settings.problem((*path, "structured"), f"{values['wire']} has no way to force a tool"))
    if "api_key_command" in values:
        if own("api_key_env"):
            raise SettingsError(settings.problem((*path, "api_key_command"), "api_key_env is set as well; use one"))
        values["api_key_command"] = tuple(values["api_key_command"])
        values["api_key_env"] = None
    if file := values.get("ca_file"):
        at = Path(file).expanduser()
        try:
            at.open("rb").close()
        except OSError as problem:
            why = problem.strerror or "unreadable"
            raise SettingsError(settings.problem((*path, "ca_file"), f"{at} can't be read: {why}")) from None
        values["ca_file"] = str(at)


def ollama_address(host: str) -> str:
    """Return the address in OLLAMA_HOST by the rules of ollama's own tools: scheme and port are optional.

    A server that listens on 0.0.0.0 is reached at 127.0.0.1.
    """
    scheme, separator, rest = host.strip().rpartition("://")
    rest = rest.strip("/")
    address, _, _ = rest.partition("/")
    name, colon, port = address.rpartition(":")
    if not colon or name.endswith(":") or address.endswith("]"):
        name, port = address, "443" if scheme == "https" else "80" if separator else "11434"
    if name in ("", "0.0.0.0", "[::]"):
        name = "127.0.0.1"
    return f"{scheme or 'http'}://{name}:{port}/v1"


def credential(provider: ProviderSettings, environment: Mapping[str, str]) -> Secret | None:
    """Return the key of `provider`, None if it needs none or its variable is unset or empty."""
    value = environment.get(provider.api_key_env, "").strip() if provider.api_key_env else ""
    return Secret(value) if value else None


def secrets(known: Mapping[str, ProviderSettings], environment: Mapping[str, str]) -> tuple[Secret, ...]:
    """Return every credential that is set, and the configured headers, which may be credentials: crash reports and logs
    must not contain them."""
    found = (credential(provider, environment) for provider in known.values())
    headers = (Secret(value) for provider in known.values() for value in provider.headers.values() if len(value) >= 8)
    return (*(secret for secret in found if secret is not None), *headers)


def parse_model(
    text: str, settings: Settings, known: Mapping[str, ProviderSettings], *, where: str = "--model"
) -> ModelId:
    """Parse `provider/model`, an alias, or a provider alone (its default model). Raises SettingsError for anything
    else."""
    aliases: dict[str, str] = settings.get("providers", "llm", "aliases") or {}
    resolved = aliases.get(text, text)
    name, slash, model = resolved.partition("/")
    if name == AGENT and slash and model.partition("/")[0] not in (there := settings.get("agents") or {}):
        said = f"; there are {', '.join(there)}" if there else "; none is set up under [agents]"
        raise SettingsError(SettingsProblem(f"no agent {model}{said}", "agents", where, nearest=nearest(model, there)))
    provider = known.get(name)
    if provider is None:
        near = nearest(name, [*known, *aliases])
        suggestion = f"{near}/{model}" if near and slash else near
        there = "" if near else "; there are " + ", ".join(sorted(known))
        raise SettingsError(
            SettingsProblem(f"no provider {name}{there}", "assistant.model.id", where, nearest=suggestion)
        )
    if not (model or provider.default_model):
        raise SettingsError(SettingsProblem(f"name a model: {name}/MODEL", "assistant.model.id", where))
    return ModelId(name, model or provider.default_model)


def choose(
    settings: Settings,
    known: Mapping[str, ProviderSettings],
    environment: Mapping[str, str],
    reachable: Sequence[Reachable] = (),
) -> ModelChoice:
    """Select the model (S21): the configured one, else the first built-in provider with a credential, else a local
    server, else the tour. `reachable` may be empty if no server needs a probe."""
    named = settings.get("assistant", "model", "id")
    if named is not None:
        origin = settings.origin("assistant", "model", "id")
        place = origin.words() if origin else ""
        return ModelChoice(parse_model(named, settings, known, where=place), f"named in {place}")
    for provider in (known[name] for name in _builtin_names(settings)):
        if provider.default_model and provider.api_key_command:
            why = f"{provider.name} has a command that prints its key"
            return ModelChoice(ModelId(provider.name, provider.default_model), why)
        if provider.default_model and credential(provider, environment) is not None:
            return ModelChoice(ModelId(provider.name, provider.default_model), f"{provider.api_key_env} is set")
    for server in reachable:
        if server.models:
            return ModelChoice(
                ModelId(server.provider, server.models[0]), f"{server.provider} is running on this machine"
            )
    return ModelChoice(ModelId(DEMO, known[DEMO].default_model), "no API key or local server found")


def _builtin_names(settings: Settings) -> list[str]:
    trees = (get(layer.tree, ("providers", "llm")) for layer in settings.layers if layer.kind == "built-in")
    return [name for tree in trees for name in tree or {} if name != "aliases"]


def needs_probe(settings: Settings, known: Mapping[str, ProviderSettings], environment: Mapping[str, str]) -> bool:
    """True if `choose` would consider local servers: no model configured, no credential set."""
    return choose(settings, known, environment).id.provider == DEMO and not settings.get("assistant", "model", "id")
