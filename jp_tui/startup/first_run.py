"""First run: detection of models on this machine, a test, and the configuration to write.

Before a choice only local servers are queried. Nothing is written without a request, and never a key: the file names
its variable (S20).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.conversation.model import Finished, Message, ModelError, ModelRequest, PartGrew, TextPart
from jp_tui.conversation.text import shortened
from jp_tui.engine.base.dependencies import ModelSetup
from jp_tui.protocol.models import ModelsListed, ServerSpec
from jp_tui.protocol.setup import FoundAgent, FoundServer, ModelTested, SetupFound, SetupSaved
from jp_tui.settings import providers as servers
from jp_tui.settings.errors import SettingsError
from jp_tui.startup.catalogue import CurrentSettings, listed, server_of

if TYPE_CHECKING:
    from jp_tui.settings.layers.layers import Settings
    from jp_tui.startup.parts import Parts

TEST_SECS = 30.0
"""Time for a model's first word; a local one is loaded first."""
TEST_TOKENS = 16


class SetupCatalogue:
    """The engine's catalogue over the parts of this run (`engine.base.catalogue.Catalogue`). `added` is called with the
    settings once they have another agent."""

    def __init__(self, parts: Parts, added: Callable[[Settings], None] = lambda _: None) -> None:
        self._parts, self._added = parts, added
        self._chosen = ""

    # -- models of conversations

    async def open_model(self, held_with: str) -> ModelSetup:
        """Return the model for a conversation (as EngineDependencies); once one was chosen here, new conversations use
        it. Raises ModelError."""
        from jp_tui.startup.models import model_for, named_model

        if self._chosen:  # the file was written since this run began
            try:
                known = CurrentSettings.of(self._parts)
            except ValueError as problem:
                raise ModelError("other", str(problem), "Correct the configuration.") from problem
            now = replace(self._parts, settings=known.settings)
            if not held_with:
                return named_model(now, known.providers, self._chosen)
            return await model_for(now, known.providers, held_with)
        return await model_for(self._parts, servers.providers(self._parts.settings, self._parts.environment), held_with)

    # -- the catalogue

    async def models(self, provider: str, server: ServerSpec | None) -> ModelsListed:
        return await listed(self._parts, provider, server)

    async def found(self) -> SetupFound:
        """Return variables that are set and local servers that respond, in the order of S21."""
        from jp_tui.providers.http import is_loopback

        known = CurrentSettings.of(self._parts)
        real = [one for one in known.providers.values() if one.is_server]
        keyed = [one for one in real if servers.credential(one, known.environment) is not None]
        local = [one for one in real if known.keyless(one) and one not in keyed]
        serving = await asyncio.gather(*(_serving(one) for one in local))
        far = [one for one in local if not is_loopback(one.base_url)]  # the user's own; queried only once selected
        here = [_found(one) for one in (*keyed, *far)]
        here += [_found(one, models) for one, models in zip(local, serving, strict=True) if models]
        silent = [one for one, models in zip(local, serving, strict=True) if not models and one not in far]
        unset = [one.api_key_env for one in real if one not in keyed and one not in local and one.api_key_env]
        file = self._parts.sources.user
        return SetupFound(
            servers=tuple(here),
            file=str(file),
            exists=file.exists(),
            model=known.settings.get("assistant", "model", "id") or "",
            reviewer=known.settings.get(*_reviewer()) or "",
            agents=tuple(_installed(known.settings)),
            looked=(*unset, *(f"{one.name} at {one.base_url}" for one in silent)),
        )

    async def tested(self, model: str, server: ServerSpec | None, agent: FoundAgent | None = None) -> ModelTested:
        """Send one request of a few tokens, without tools; an agent is started as far as its first reply."""
        if agent is not None:
            return await self._started(model, agent)
        from jp_tui.startup.models import named_model

        known = CurrentSettings.of(self._parts)
        providers = dict(known.providers)
        if server is not None:
            providers[server.name] = server_of(server)
        begun = time.monotonic()
        try:
            opened = named_model(replace(self._parts, settings=known.settings), providers, model)
            try:
                async with asyncio.timeout(TEST_SECS):
                    await _one_word(opened)
            finally:
                await opened.provider.close()
        except TimeoutError:
            said = f"{model} didn't answer within {TEST_SECS:g} s."
            advice = "Try again: a local server may be loading the model. Or select another."
            return ModelTested(model=model, ok=False, message=said, advice=advice)
        except ModelError as problem:
            said = problem.message + (f" It says: {shortened(problem.detail, 600)}" if problem.detail else "")
            return ModelTested(model=model, ok=False, message=said, advice=problem.advice)
        return ModelTested(model=model, ok=True, ms=round((time.monotonic() - begun) * 1000))

    async def _started(self, model: str, agent: FoundAgent) -> ModelTested:
        from jp_tui.tools.agents.connection import AgentProgram
        from jp_tui.tools.agents.installed import check

        begun = time.monotonic()
        found = await check(AgentProgram(agent.name, agent.command), str(self._parts.workspace))
        if found.state != "ok":
            return ModelTested(model=model, ok=False, message=found.detail, advice=found.mend)
        return ModelTested(model=model, ok=True, ms=round((time.monotonic() - begun) * 1000))

    def save(self, model: str, reviewer: str, server: ServerSpec | None, agent: FoundAgent | None = None) -> SetupSaved:
        """Raises ValueError; the file is unchanged then."""
        from jp_tui.settings.edit.first_file import SetupChoice, write

        known = CurrentSettings.of(self._parts)
        if server is not None:
            server_of(server)
        own = None if server is None else (server.name, server.wire, server.base_url, server.api_key_env)
        file = self._parts.sources.user
        try:
            if server is None and agent is None:
                servers.parse_model(model, known.settings, known.providers)
            written = write(
                Path(file), SetupChoice(model, reviewer, own, (agent.name, agent.command) if agent else None)
            )
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem
        self._chosen = model
        if agent is not None:
            self._added(self._parts.sources.load())
        return SetupSaved(
            model=model, file=str(file), created=written.created, keys=written.keys, hidden_by=self._hidden_by()
        )

    def _hidden_by(self) -> str:
        """Return the origin that overrides the user's file, as text."""
        origin = CurrentSettings.of(self._parts).settings.origin("assistant", "model", "id")
        return "" if origin is None or origin.layer == "user" else origin.words()


def _installed(settings: Settings) -> Iterator[FoundAgent]:
    """Yield the agents that are installed and not set up."""
    from jp_tui.tools.agents.installed import there

    for name, command in there(list(servers.agents(settings))):
        yield FoundAgent(name=name, command=command)


def _reviewer() -> tuple[str, ...]:
    from jp_tui.settings.questions import REVIEWER

    return REVIEWER


async def _serving(server: servers.ProviderSettings) -> tuple[str, ...]:
    from jp_tui.providers.http import is_loopback
    from jp_tui.providers.local import serving

    near = is_loopback(server.base_url)  # a user's remote server isn't queried before it is selected
    return await serving(server.base_url) if near else ()


def _found(server: servers.ProviderSettings, models: tuple[str, ...] = ()) -> FoundServer:
    return FoundServer(
        provider=server.name,
        wire=server.wire,
        base_url=server.base_url,
        variable="" if models else server.api_key_env or "",
        local=bool(models),
        default_model=server.default_model,
        models=models,
    )


async def _one_word(opened: ModelSetup) -> None:
    """Raise ModelError unless the model responds. Closes what it opens."""
    request = ModelRequest(
        model=opened.name,
        messages=(Message("user", (TextPart("Answer with one word: ready."),)),),
        max_tokens=TEST_TOKENS,
        cache="off",
        extra=_safe(opened.extra),
    )
    stream = opened.provider.stream(request)
    try:
        async for delta in stream:
            if isinstance(delta, PartGrew | Finished):  # text arrived, so requests and responses work
                return
    finally:
        close: Any = getattr(stream, "aclose", None)
        if close is not None:
            await close()


def _safe(extra: Any) -> dict[str, Any]:
    """Return a conversation's parameters, without those that need more tokens than a test should cost."""
    return {key: value for key, value in extra.items() if key not in ("thinking", "reasoning", "max_tokens")}
