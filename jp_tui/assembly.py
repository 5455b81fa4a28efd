"""From settings to an engine: the half of the composition root that knows providers, tools and the journal.

Everything is decided here once, at the start, and handed on as values (HOUSE: settings are data from below).
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from jp_tui.conversation.model import ModelError
from jp_tui.conversation.strict_json import Json
from jp_tui.engine.setup import CANCELLATION, HeldBy, Lock, ModelSetup, Policies, Retry, Setup, ToolSetup
from jp_tui.inquiry.values import Rule
from jp_tui.journal.port import Journal, JournalError
from jp_tui.providers.choose import Endpoint, EndpointProblem, WireName, open_demo, open_provider
from jp_tui.settings import model as config
from jp_tui.settings import providers as servers
from jp_tui.settings.data import DEMO
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.toolset import ToolSettings
from jp_tui.system.lock import Holder, LockError, acquire, lock_path
from jp_tui.system.paths import Paths, PathsError
from jp_tui.tools.registry import builtin
from jp_tui.tools.spec import published

if TYPE_CHECKING:
    from jp_tui.compose import Parts

TOUR = "demo/tour"
_LETTERS = "abcdefghjkmnpqrstvwxyz23456789"


def setup(parts: Parts, journal: Journal, *, client: bool, command: str) -> Setup:
    """The engine's setup. Raises SettingsError for what cannot be configured so."""
    assistant = config.assistant(parts.settings)
    known = servers.providers(parts.settings, parts.environment)

    async def open_model(held_with: str) -> ModelSetup:
        name = await _choose(parts, known, held_with)
        return _open(parts, known, name)

    tools = {name: _tool(tool) for name, tool in parts.tools.items() if tool.enable.state}
    return Setup(
        journal=journal,
        workspace=parts.workspace,
        scratch=parts.paths.cache / "scratch",
        client=client,
        tools=tools,
        tool_choice=assistant.tool_choice,
        open_model=open_model,
        lock=lambda conversation: _lock(parts.paths, conversation, command),
        save_setting=lambda key, value: _save(parts.paths, key, value),
        unset_setting=_not_yet,
        reload_tools=lambda _: tools,
        now=lambda: datetime.now(UTC),
        monotonic=time.monotonic,
        new_id=_new_id,
        max_attempts=config.max_attempts(parts.settings),
    )


def _not_yet(key: str) -> Path:
    raise ValueError(f"{key} cannot be unset here")


def _new_id() -> str:
    """Eight letters that nobody confuses, a letter first, so that it is never taken for an option."""
    return secrets.choice(_LETTERS[:22]) + "".join(secrets.choice(_LETTERS) for _ in range(7))


def _lock(paths: Paths, conversation: str, command: str) -> Lock | HeldBy:
    """Raises JournalError where nothing can be locked: without a lock nothing is written (S12)."""
    me = Holder.me(command, f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    try:
        held = acquire(lock_path(paths.locks, conversation), me)
    except (LockError, PathsError) as problem:
        raise JournalError("unusable", str(problem)) from problem
    return HeldBy(str(held)) if isinstance(held, Holder) else held


def _save(paths: Paths, key: str, value: Json) -> Path:
    from jp_tui.settings.edit import set_value  # tomlkit, only when something is written

    try:
        set_value(paths.config_file, key.split("."), value)
    except SettingsError as problem:
        raise ValueError(str(problem)) from problem
    return paths.config_file


def _tool(tool: ToolSettings) -> ToolSetup:
    kind, _, _ = tool.source.partition(".")
    executors = builtin()
    entry: dict[str, Json] = {
        "summary": tool.summary,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "options": dict(tool.options),
    }
    rules = {
        name: Rule(
            target=question.target,
            has_answer=question.has_answer,
            answer=question.answer,
            prompt_label=question.prompt_label,
            exclusive=question.exclusive,
            place=question.place,
        )
        for name, question in tool.questions.items()
    }
    return ToolSetup(
        name=tool.name,
        spec=published(tool.name, entry),
        tool=executors.get(tool.executor) if kind == "builtin" else None,
        run=tool.run,
        hidden=tool.style.hidden,
        options=dict(tool.options),
        rules=rules,
        policies=Policies(tool.detached.run, tool.detached.deliver, tool.detached.tool),
        cancellation=tool.cancellation_response or CANCELLATION,
    )


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
        raise ModelError("unknown_model", f"There is no provider {provider_name}.", "Name another with --model.")
    retry = Retry(assistant.request.max_retries, assistant.request.base_backoff_ms, assistant.request.max_backoff_secs)
    try:
        if provider.wire == "demo":
            opened = open_demo(_script(model))
        else:
            opened = open_provider(_endpoint(provider, provider.wire, parts, assistant.request))
    except (EndpointProblem, SettingsError, ValueError, OSError) as problem:
        raise ModelError("other", str(problem), "Correct the configuration, or name another model.") from problem
    return ModelSetup(
        id=name,
        name=model,
        provider=opened,
        system=assistant.system_prompt,
        max_tokens=assistant.max_tokens,
        temperature=assistant.temperature,
        retry=retry,
    )


def _script(model: str) -> Path:
    """`demo/tour` is ours; `demo/PATH.toml` any script (surface S20, S22)."""
    return Path(DEMO, "tour.toml") if model == "tour" else Path(os.path.abspath(os.path.expanduser(model)))


def _endpoint(provider: servers.Provider, wire: WireName, parts: Parts, request: config.RequestSettings) -> Endpoint:
    key = servers.credential(provider, parts.environment)
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
