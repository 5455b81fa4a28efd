"""Reviewing models: selection, request settings, and an opened provider (inquiries.md R70, R130, R131).

A provider is opened once for each server and reused; its user closes it at the end. Errors name the override at fault.
Nothing is opened and no models file is read before the first question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jp_tui.conversation.model import ModelError
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.dependencies import ModelSetup, RetryPolicy
from jp_tui.providers.port import Provider
from jp_tui.providers.registry import open_provider
from jp_tui.settings import providers as servers
from jp_tui.settings import reviewers
from jp_tui.settings import typed_settings as config
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.known_models import Facts, KnownModels, read
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.models import effort, endpoint, prices

CORRECT = "Fix the configuration, or set another model there."


class ReviewerFactory:
    """Opens the models of questions by `settings`, which `follow` replaces."""

    def __init__(self, settings: Settings, environment: Mapping[str, str], models_file: str) -> None:
        self._settings, self._environment, self._models_file = settings, environment, models_file
        self._opened: dict[tuple[object, ...], Provider] = {}
        self._models: KnownModels | None = None

    def follow(self, settings: Settings) -> None:
        """Use these settings from now on."""
        self._settings, self._models = settings, None

    async def open(self, overrides: JsonObject, main: ModelSetup, tool: str, question: str) -> ModelSetup:
        """Return the model for a question of a tool; `main` is the conversation's. Raises ModelError that names the
        override."""
        return self._open(overrides, main, tool, question)

    async def side(self) -> ModelSetup:
        """Return the model for side questions, if one is set for questions (E30). Raises ModelError."""
        return self._open({}, None, "", "")

    def _open(self, overrides: JsonObject, main: ModelSetup | None, tool: str, question: str) -> ModelSetup:
        settings, words = self._settings, f"question {question} of tool {tool}"
        try:
            known = servers.providers(settings, self._environment)
            asked = reviewers.choose_reviewer(settings, known, overrides, tool, question)
            words = asked.words
            assistant = reviewers.assistant(settings, overrides)
            id_ = str(asked.model) if asked.model is not None else main.id if main is not None else ""
            server = known.get(id_.partition("/")[0])
            if server is None:
                raise ModelError("unknown_model", f"Unknown provider for {id_} ({words}).", CORRECT)
            can = reviewers.support(server, self._facts(id_))
            if can.none:
                raise ModelError("other", f"{id_} doesn't support structured output ({words}).", CORRECT)
            provider = self._provider(server, id_, assistant.request, main, words)
        except (SettingsError, ValueError, OSError) as problem:
            said = str(problem) if words in str(problem) else f"{problem} ({words})"
            raise ModelError("other", said, CORRECT) from problem
        return replace(self._asked(id_, provider, assistant), structured=can.how)

    def _asked(self, id_: str, provider: Provider, assistant: config.AssistantSettings) -> ModelSetup:
        facts, request = self._facts(id_), assistant.request
        return ModelSetup(
            id=id_,
            name=id_.partition("/")[2],
            provider=provider,
            system=assistant.system_prompt,
            max_tokens=assistant.max_tokens,
            temperature=assistant.temperature,
            retry=RetryPolicy(request.max_retries, request.base_backoff_ms, request.max_backoff_secs),
            extra=dict(assistant.extra),
            effort=effort(facts, assistant.effort),
            cache=request.cache,
            window=facts.window,
            prices=prices(facts),
        )

    def _facts(self, id_: str) -> Facts:
        """Raises SettingsError."""
        if self._models is None:
            self._models = read(self._models_file)
        return self._models.facts(id_)

    def _provider(
        self,
        server: servers.ProviderSettings,
        id_: str,
        request: config.RequestSettings,
        main: ModelSetup | None,
        words: str,
    ) -> Provider:
        """Return the conversation's own provider if server and limits are the same, else a separate one (R131). Raises
        ModelError, SettingsError, ValueError, OSError."""
        if (
            main is not None
            and id_ == main.id
            and _bounds(request) == _bounds(config.assistant(self._settings).request)
        ):
            return main.provider
        key = _key(server, id_, request)
        if key not in self._opened:
            self._opened[key] = self._made(server, id_, request, words)
        return self._opened[key]

    def _made(
        self, server: servers.ProviderSettings, id_: str, request: config.RequestSettings, words: str
    ) -> Provider:
        from jp_tui.providers.http import is_loopback

        keyless = not server.api_key_env or is_loopback(server.base_url)
        if not keyless and servers.credential(server, self._environment) is None:
            said = f"{server.name} needs a key, but {server.api_key_env} is not set ({words})."
            raise ModelError("no_credentials", said, f"Set {server.api_key_env}, or name another model there.")
        return open_provider(endpoint(server, self._environment, request), id_.partition("/")[2])


def _bounds(request: config.RequestSettings) -> tuple[int, int]:
    """Return the limits fixed in a provider, which no request can change."""
    return request.stream_idle_timeout_secs, request.max_response_bytes


def _key(server: servers.ProviderSettings, id_: str, request: config.RequestSettings) -> tuple[object, ...]:
    if not server.is_server:  # its provider is one model
        return (id_,)
    headers: tuple[Any, ...] = tuple(sorted(server.headers.items()))
    hosts = (server.auth, tuple(sorted(server.query.items())), server.ca_file, server.proxy, server.api_key_command)
    return (server.name, server.wire, server.base_url, server.api_key_env, headers, hosts, *_bounds(request))
