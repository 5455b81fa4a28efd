"""Query and parse a server's list of models (surface.md S20). Pure: no I/O, no key.

Each wire has its own address and field names; unreadable entries are left out. An unprintable id is dropped, because it
can be neither typed nor shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import urlencode, urlsplit, urlunsplit

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse
from jp_tui.providers.wire import Wire, table, text

MAX_MODELS = 2000
MAX_ID = 200  # characters
_WINDOWS = ("context_length", "context_window", "max_context_length", "max_model_len", "max_input_tokens",
            "inputTokenLimit")  # fmt: skip
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class ListedModel:
    """Model as its server describes it: `window` in tokens, prices in dollars per million tokens; None is unknown."""

    id: str
    window: int | None = None
    input: float | None = None
    output: float | None = None
    cached: float | None = None
    images: bool | None = None


@dataclass(frozen=True, slots=True)
class CataloguePage:
    """Part of a list; `after` requests the next one, empty at the end."""

    models: tuple[ListedModel, ...]
    after: str = ""


def address(wire: Wire, base_url: str, path: str, more: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the URL of `path`, with its query and `more`. The base may end with a slash or a suffix of the wire."""
    parts = urlsplit(base_url)
    base = parts.path.rstrip("/")
    base = next((base.removesuffix(suffix) for suffix in wire.base_suffixes if base.endswith(suffix)), base)
    path, _, query = path.partition("?")
    query = "&".join(part for part in (parts.query, query, urlencode(more)) if part)
    return urlunsplit(parts._replace(path=base + path, query=query, fragment=""))


def list_address(wire: Wire, base_url: str, after: str = "", more: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the URL of a list of models, from `after` on."""
    return address(wire, base_url, f"{wire.list_path}?{wire.list_query(after)}", more)


def read(body: bytes, listed: Callable[[JsonObject], JsonObject | None] = lambda item: item) -> CataloguePage | None:
    """Parse a server's reply; None if it isn't a list of models. `listed` is the wire's reading of an entry."""
    try:
        said = parse(body)
    except JsonProblem:
        return None
    found: Json = said
    if isinstance(said, dict):
        found = said.get("data", said.get("models"))
    if not isinstance(found, list):
        return None
    items = [entry for item in found[:MAX_MODELS] if isinstance(item, dict) and (entry := listed(item)) is not None]
    models = [one for item in items if (one := _model(item)) is not None]
    more = isinstance(said, dict) and said.get("has_more") is True
    return CataloguePage(tuple(dict.fromkeys(models)), text(said, "last_id") if more else text(said, "nextPageToken"))


def _model(item: JsonObject) -> ListedModel | None:
    id_ = text(item, "id") or text(item, "model") or text(item, "name")
    if not id_.strip() or not id_.isprintable() or len(id_) > MAX_ID or " " in id_:
        return None
    prices = table(item, "pricing")
    return ListedModel(
        id_,
        _window(item),
        _price(prices.get("prompt")),
        _price(prices.get("completion")),
        _price(prices.get("input_cache_read")),
        _images(item),
    )


def _window(item: JsonObject) -> int | None:
    for value in (*(item.get(name) for name in _WINDOWS), table(item, "meta").get("n_ctx")):
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 100 * _MILLION:
            return value
    return None


def _price(value: Json) -> float | None:
    """Convert a price per token, in text form; a negative one means that it varies."""
    if isinstance(value, str) and len(value) < 24:
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1:
        return None
    return round(value * _MILLION, 6)


def _images(item: Json) -> bool | None:
    kinds = table(item, "architecture").get("input_modalities")
    if isinstance(kinds, list):
        return "image" in kinds
    sees = table(item, "capabilities").get("vision")
    return sees if isinstance(sees, bool) else None
