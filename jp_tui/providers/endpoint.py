"""A model server and how to talk to it, already resolved by the settings (surface.md S20, S20b). Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal
from urllib.parse import urlsplit

from jp_tui.settings.wires import SERVER_WIRES

Structured = Literal["auto", "native", "tool"]
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = re.compile(r"[\x20-\x7e]*")


class EndpointProblem(ValueError):
    """An endpoint that cannot be used; the message names the configuration key."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and how to talk to it.

    `name` is the provider's (`anthropic`, `local`); `key_env` the variable that `key` came from or would come
    from, for messages. Times in seconds. `max_response_bytes` bounds what one response may say (UTF-8 bytes of
    text, reasoning and arguments). Neither the key nor header values ever show in `repr`.
    """

    name: str
    wire: str
    base_url: str
    key: str | None = field(default=None, repr=False)
    key_env: str = ""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    structured: Structured = "auto"
    connect_timeout_secs: float = 10.0
    stream_idle_timeout_secs: float = 60.0
    max_response_bytes: int = 1024 * 1024


def check(endpoint: Endpoint) -> None:
    """Refuse what no request could be built from; raises EndpointProblem."""
    where = f"providers.llm.{endpoint.name}"
    if endpoint.wire not in SERVER_WIRES:
        known = ", ".join(SERVER_WIRES)
        raise EndpointProblem(f"{where}.wire: `{endpoint.wire}` is not a wire of this version ({known})")
    try:
        url = urlsplit(endpoint.base_url)
        host, _ = url.hostname, url.port
    except ValueError:
        host, url = None, urlsplit("")
    if url.scheme not in ("http", "https") or not host:
        raise EndpointProblem(f"{where}.base_url: `{endpoint.base_url}` is not an http or https address")
    if url.username is not None or url.password is not None:
        raise EndpointProblem(f"{where}.base_url: a user or password does not belong in the address")
    for name, value in endpoint.headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise EndpointProblem(f"{where}.headers: `{name}` is not a header that can be sent")
