"""Settings whose effective value differs from the configured one (R130, Z4).

Each is reported when settings load and in `config show`. A value changes if it exceeds a bound in `layers/bounds.py`,
if another setting limits it, or if a server doesn't offer it. Invalid values are refused elsewhere; built-in defaults
are never reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jp_tui.settings import toolset
from jp_tui.settings.errors import SettingsError, printable
from jp_tui.settings.layers import bounds
from jp_tui.settings.layers.layers import Origin, Settings, SettingsNotice
from jp_tui.settings.layers.merge import get, merge
from jp_tui.settings.layers.toml import Path
from jp_tui.settings.questions import read_target
from jp_tui.settings.schema import shapes
from jp_tui.settings.schema.assistant import ASSISTANT
from jp_tui.settings.schema.keys import dotted
from jp_tui.settings.wires import WIRES

if TYPE_CHECKING:
    from jp_tui.settings.providers import ModelId, ProviderSettings

MAIN = ("assistant",)
REVIEWERS = ("conversation", "inquiry", "assistant")
_MAX_TOKENS = ("model", "parameters", "max_tokens")
_BASE = ("request", "base_backoff_ms")
_MOST = ("request", "max_backoff_secs")
_BYTES = ("request", "max_response_bytes")
_CACHE = ("request", "cache")
_EFFORT = ("model", "effort")


@dataclass(frozen=True, slots=True)
class Adjusted:
    """One adjusted setting. `path` is its key (also inside the table of a `target`), `used` the value used instead,
    None if the setting has no effect; `why` is a sentence with both values."""

    path: Path
    value: Any
    used: Any
    why: str

    @property
    def key(self) -> str:
        return dotted(self.path)

    @property
    def leaf(self) -> Path:
        """Return the key in the tree: a `target` with its table counts as one value."""
        return self.path[:6] if self.path[:2] == toolset.TOOLS and self.path[3:4] == ("questions",) else self.path

    def json(self) -> dict[str, Any]:
        return {"key": self.key, "value": self.value, "used": self.used, "why": self.why}


@dataclass(frozen=True, slots=True)
class _Assistant:
    """Settings of one assistant: `own` is set under `path`, `all` is everything that applies to it."""

    path: Path
    own: Mapping[str, Any]
    all: Mapping[str, Any]
    reviews: bool

    def set(self, key: Path) -> Any:
        return get(dict(self.own), key)


def adjusted(settings: Settings, environment: Mapping[str, str]) -> list[Adjusted]:
    """Return all adjusted settings, each key once, in the order of the assistants and the tools."""
    found: dict[Path, Adjusted] = {}
    for one in _all(settings, environment):
        origin = _origin(settings, one)
        if origin is not None and origin.layer != "built-in":
            found.setdefault(one.path, one)
    return list(found.values())


def notices(settings: Settings, environment: Mapping[str, str]) -> tuple[SettingsNotice, ...]:
    """Return them as text for every front end, each with the setting's place."""
    return tuple(_notice(settings, one) for one in adjusted(settings, environment))


def _notice(settings: Settings, one: Adjusted) -> SettingsNotice:
    origin = _origin(settings, one)
    place = f"{origin.words()}: " if origin is not None else ""
    return SettingsNotice((one.key,), printable(f"{place}{one.key} = {one.value}: {one.why}", 1_000))


def _origin(settings: Settings, one: Adjusted) -> Origin | None:
    """Return the origin: the key itself, a `target`, or the setting for all tools."""
    places = (one.path, one.leaf, *(((*toolset.TOOLS, "*", *one.path[3:]),) if one.path[:2] == toolset.TOOLS else ()))
    return next((found for path in places if (found := settings.origin(*path)) is not None), None)


def _all(settings: Settings, environment: Mapping[str, str]) -> Iterator[Adjusted]:
    for assistant in _assistants(settings):
        yield from _tokens(assistant)
        yield from _waits(assistant)
        yield from _bytes(assistant)
        yield from _cache(settings, environment, assistant)
        yield from _effort(settings, environment, assistant)
        yield from _choice(assistant)
    if toolset.reviewed(settings):
        yield from _inherited(settings)
    yield from _formatters(settings)


def _assistants(settings: Settings) -> Iterator[_Assistant]:
    """Iterate over the main assistant, the default reviewer, and each question's reviewer."""
    main = settings.get(*MAIN) or {}
    shared = settings.get(*REVIEWERS) or {}
    yield _Assistant(MAIN, main, main, reviews=False)
    whole = merge(main, shared, ASSISTANT)
    yield _Assistant(REVIEWERS, shared, whole, reviews=True)
    for name, tool in (settings.get(*toolset.TOOLS) or {}).items():
        for id_, question in tool.get("questions", {}).items():
            own = dict(read_target(question.get("target"))[1])
            if own:
                path = (*toolset.TOOLS, name, "questions", id_, "target")
                yield _Assistant(path, own, merge(whole, own, ASSISTANT), reviews=True)


# --- reasons to adjust a value ------------------------------------------------------------------------------------


def _tokens(assistant: _Assistant) -> Iterator[Adjusted]:
    value = assistant.set(_MAX_TOKENS)
    if assistant.reviews and value is not None and value < bounds.LEAST_REVIEW_TOKENS:
        yield _few_tokens((*assistant.path, *_MAX_TOKENS), value, "a reviewer's reply needs that many")


def _few_tokens(path: Path, value: int, because: str) -> Adjusted:
    least = bounds.LEAST_REVIEW_TOKENS
    return Adjusted(path, value, least, f"{least} is used: {because}")


def _bytes(assistant: _Assistant) -> Iterator[Adjusted]:
    value, most = assistant.set(_BYTES), bounds.MOST_REVIEW_BYTES
    if assistant.reviews and value is not None and value > most:
        yield Adjusted((*assistant.path, *_BYTES), value, most, f"{most} is used: no reviewer's reply is longer")


def _inherited(settings: Settings) -> Iterator[Adjusted]:
    """Values of the main assistant that reviewers without their own value use in another form."""
    for key, past in ((_MAX_TOKENS, _too_few), (_BYTES, _too_many)):
        value = settings.get(*MAIN, *key)
        if value is not None and settings.get(*REVIEWERS, *key) is None and (used := past(value)):
            why = f"{used} is used for reviewers that have no {key[-1]} of their own"
            yield Adjusted((*MAIN, *key), value, used, why)


def _too_few(value: int) -> int:
    return bounds.LEAST_REVIEW_TOKENS if value < bounds.LEAST_REVIEW_TOKENS else 0


def _too_many(value: int) -> int:
    return bounds.MOST_REVIEW_BYTES if value > bounds.MOST_REVIEW_BYTES else 0


def _waits(assistant: _Assistant) -> Iterator[Adjusted]:
    """Z21: a retry always waits, and never longer than `max_backoff_secs`."""
    least = int(bounds.LEAST_BACKOFF_SECS * 1_000)
    longest = max(get(dict(assistant.all), _MOST) * 1_000, least)
    base, most = assistant.set(_BASE), assistant.set(_MOST)
    if base is not None and base < least:
        yield Adjusted((*assistant.path, *_BASE), base, least, f"{least} is used: no retry waits for less")
    elif base is not None and base > longest:
        why = f"{longest} is used: max_backoff_secs is the longest wait"
        yield Adjusted((*assistant.path, *_BASE), base, longest, why)
    if most is not None and most * 1_000 < least:
        why = f"{bounds.LEAST_BACKOFF_SECS} is used: no retry waits for less"
        yield Adjusted((*assistant.path, *_MOST), most, bounds.LEAST_BACKOFF_SECS, why)
    elif most is not None and most > bounds.LONGEST_ASKED_WAIT_SECS:
        asked = bounds.LONGEST_ASKED_WAIT_SECS
        why = f"{asked} is used when a server asks for the wait: after a request for more there is no retry"
        yield Adjusted((*assistant.path, *_MOST), most, asked, why)


def _cache(settings: Settings, environment: Mapping[str, str], assistant: _Assistant) -> Iterator[Adjusted]:
    """R134: the cache duration that the server offers."""
    value = assistant.set(_CACHE)
    if value is None or value == "short":
        return
    path, wire = (*assistant.path, *_CACHE), _wire(settings, environment, assistant)
    if (known := WIRES.get(wire)) is None or not known.server:
        return
    if not known.caches:
        yield Adjusted(path, value, None, f"it has no effect: {wire} servers manage their own cache")
    elif (seconds := bounds.cache_seconds(value)) is not None:
        used = bounds.cache_span(value)
        if seconds != {"off": 0, "short": 300, "long": 3_600}[used]:
            span = "5m" if used == "short" else "1h"
            yield Adjusted(path, value, span, f"{span} is used: {known.caches} keep a prompt for 5m or 1h")


def _effort(settings: Settings, environment: Mapping[str, str], assistant: _Assistant) -> Iterator[Adjusted]:
    """W8: a model without such a setting is asked nothing."""
    value = assistant.set(_EFFORT)
    if value in (None, "default") or (model := _model(settings, environment, assistant)) is None:
        return
    from jp_tui.settings import known_models

    file = next((layer.name for layer in settings.layers if layer.kind == "user"), "")
    try:
        facts = known_models.read(known_models.user_models_file(file) if file else "").facts(str(model))
    except SettingsError:  # reported when the model is opened
        return
    if facts.effort == "none":
        yield Adjusted((*assistant.path, *_EFFORT), value, None, f"it has no effect: {model} has no such setting")


def _wire(settings: Settings, environment: Mapping[str, str], assistant: _Assistant) -> str:
    """Return the wire of the assistant's model; empty if it isn't known yet or can't be used."""
    model = _model(settings, environment, assistant)
    return "" if model is None else _providers(settings, environment)[model.provider].wire


def _providers(settings: Settings, environment: Mapping[str, str]) -> Mapping[str, ProviderSettings]:
    from jp_tui.settings import providers  # few configurations need them here

    return providers.providers(settings, environment)


def _model(settings: Settings, environment: Mapping[str, str], assistant: _Assistant) -> ModelId | None:
    """Return the assistant's model; None if it isn't known yet or can't be used."""
    from jp_tui.settings import (
        providers,
        reviewers,  # few configurations need reviewers
    )

    try:
        known = _providers(settings, environment)
        named = get(dict(assistant.all), ("model", "id"))
        if not assistant.reviews or named in (None, reviewers.INHERIT):
            if providers.needs_probe(settings, known, environment):
                return None
            return providers.choose(settings, known, environment).id
        return providers.parse_model(named, settings, known)
    except SettingsError:  # reported at the model selection
        return None


def _choice(assistant: _Assistant) -> Iterator[Adjusted]:
    value = assistant.set(("tool_choice",))
    if assistant.reviews and value is not None:
        yield Adjusted((*assistant.path, "tool_choice"), value, None, "it has no effect: a reviewer can't call tools")


def _formatters(settings: Settings) -> Iterator[Adjusted]:
    """Local tools with a command that formats their arguments (R90): a limit bounds its `timeout_secs`."""
    most = bounds.MOST_FORMAT_SECS
    tools: Mapping[str, Any] = settings.get(*toolset.TOOLS) or {}
    for name, own in tools.items():
        both = merge(tools.get("*", {}), own, None)
        value, shown = both.get("timeout_secs"), get(both, ("style", "parameters"))
        local = str(own.get("source", "")).partition(".")[0] == "local"
        if local and value is not None and value > most and shown not in shapes.SHOWN:
            why = f"{most} is used for the command that shows the arguments"
            yield Adjusted((*toolset.TOOLS, name, "timeout_secs"), value, most, why)
