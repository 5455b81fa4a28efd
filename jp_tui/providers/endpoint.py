"""Model server and its request settings, already resolved (surface.md S20, S20b). Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal
from urllib.parse import urlsplit

from jp_tui.settings.wires import SERVER_WIRES, Auth

Structured = Literal["auto", "native", "tool"]
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = re.compile(r"[\x20-\x7e]*")


class EndpointProblem(ValueError):
    """Endpoint that can't be used; the message names the configuration key."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Server and its request settings.

    `name` is the provider's (`anthropic`, `local`); `key_env` is the variable of `key`, also if unset, for messages.
    Times in seconds. `max_response_bytes` limits the content of one response (UTF-8 bytes of text, reasoning and
    arguments). `auth` is how the key is sent (None: as the wire does it), `query` is added to every address, `ca_file`
    to the known authorities; `proxy` is an address, "" for none, None for what the environment says. `key_command`
    prints the key, which is kept for `key_secs` seconds. Neither the key nor header values appear in `repr`.
    """

    name: str
    wire: str
    base_url: str
    key: str | None = field(default=None, repr=False)
    key_env: str = ""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    auth: Auth | None = None
    query: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    ca_file: str = ""
    proxy: str | None = None
    key_command: tuple[str, ...] = ()
    key_secs: float = 300.0
    structured: Structured = "auto"
    connect_timeout_secs: float = 10.0
    stream_idle_timeout_secs: float = 60.0
    max_response_bytes: int = 1024 * 1024


def check(endpoint: Endpoint) -> None:
    """Refuse an endpoint that can't build a request. Raises EndpointProblem."""
    where = f"providers.llm.{endpoint.name}"
    if endpoint.wire not in SERVER_WIRES:
        known = ", ".join(SERVER_WIRES)
        raise EndpointProblem(f"{where}.wire: `{endpoint.wire}` isn't a wire of this version ({known})")
    try:
        url = urlsplit(endpoint.base_url)
        host, _ = url.hostname, url.port
    except ValueError:
        host, url = None, urlsplit("")
    if url.scheme not in ("http", "https") or not host:
        raise EndpointProblem(f"{where}.base_url: `{endpoint.base_url}` isn't an http or https address")
    if url.username is not None or url.password is not None:
        raise EndpointProblem(f"{where}.base_url: the address can't have a user or password")
    for name, value in endpoint.headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise EndpointProblem(f"{where}.headers: `{name}` isn't a valid header")
