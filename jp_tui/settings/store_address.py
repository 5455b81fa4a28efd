"""A store's URL: what it names, and whether it may be connected to (store.md D1-D3, D24). Connects to nothing and
loads no driver."""

from __future__ import annotations

import configparser
import ipaddress
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, quote, unquote, urlencode

Tls = Literal["verify", "require", "off"]
SCHEMES = ("postgresql://", "postgres://")
HAS_PASSWORD = "The store's URL holds a password; put it into ~/.pgpass or PGPASSWORD."
"""Exact (D2)."""
_SECRETS = frozenset({"password", "sslpassword", "passfile_password", "scram_client_key", "scram_server_key"})
_STRONG = "verify-full"
_BY_TLS: Mapping[Tls, frozenset[str]] = {
    "verify": frozenset({_STRONG}),
    "require": frozenset({_STRONG, "verify-ca", "require"}),
    "off": frozenset({_STRONG, "verify-ca", "require", "prefer", "allow", "disable"}),
}
_DEFAULT: Mapping[Tls, str] = {"verify": _STRONG, "require": "require", "off": "prefer"}


class AddressError(ValueError):
    """The URL can't be used; a message without any password."""


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """A checked URL. `url` is without secrets and may be shown, `hosts` are its hosts with ports, `sslmode` is what is
    asked of the server; `verified`: the connection is local, or its TLS is verified."""

    url: str
    hosts: tuple[str, ...]
    sslmode: str
    verified: bool

    @property
    def name(self) -> str:
        """Return a short name: the first host and the database."""
        database = self.url.partition("://")[2].partition("?")[0].partition("/")[2]
        first = self.hosts[0].removesuffix(":5432") if self.hosts else ""
        host = "local" if not first or first.startswith(("/", "@", "socket")) else first
        return f"{host}/{unquote(database)}" if database else host

    @property
    def where(self) -> str:
        """Return HOST:PORT of each host."""
        return ", ".join(self.hosts)


def read_address(url: str, tls: Tls, environment: Mapping[str, str]) -> StoreAddress:
    """Check a URL. Raises AddressError."""
    scheme = next((one for one in SCHEMES if url.startswith(one)), None)
    if scheme is None:
        shown = url.partition("://")[0] if "://" in url else "this"
        raise AddressError(f"The store's URL begins with postgresql://, not with {shown[:40]!r}.")
    rest, _, query = url.removeprefix(scheme).partition("?")
    place, _, database = rest.partition("/")
    user, at, hosts = place.rpartition("@")
    parameters = dict(parse_qsl(query, keep_blank_values=True))
    if holds_password(url):
        raise AddressError(HAS_PASSWORD)
    named = [_host_and_port(one) for one in hosts.split(",")] if hosts else []
    service = _service(parameters.get("service") or environment.get("PGSERVICE", ""), environment)
    found = named or _named(parameters, service, environment)
    wrong = [port for _, port in found if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536)]
    if wrong:
        raise AddressError(f"The store's URL postgresql:// has port {wrong[0][:20]!r}; ports are 1 to 65535.")
    far = [host for host, _ in found if not _is_near(host)]
    said = parameters.get("sslmode") or environment.get("PGSSLMODE", "")
    if far and said and said not in _BY_TLS[tls]:
        raise AddressError(
            f"The store at {far[0]} needs verified TLS (sslmode={_STRONG}), and sslmode={said[:20]} is weaker. "
            'Set [store] tls to "require" or "off" in your own configuration to allow it.'
        )
    sslmode = said or (_DEFAULT[tls] if far else "prefer")
    shown = f"postgresql://{user.partition(':')[0]}{at}{hosts}/{database}"
    if kept := {name: value for name, value in parameters.items() if name not in _SECRETS}:
        shown += f"?{urlencode(kept, quote_via=quote)}"
    where = tuple(host if host.startswith("/") else f"{host or 'socket'}:{port}" for host, port in found)
    return StoreAddress(shown, where, sslmode, not far or sslmode == _STRONG)


def holds_password(url: str) -> bool:
    """True if a password is anywhere in this URL, whatever its scheme."""
    rest, _, query = url.partition("://")[2].partition("?")
    place = rest.rpartition("@")[0] if "@" in rest else ""
    return bool(place.partition(":")[2]) or any(
        value and name.strip().lower() in _SECRETS for name, value in parse_qsl(query, keep_blank_values=True)
    )


def _host_and_port(text: str) -> tuple[str, str]:
    if text.startswith("["):
        host, _, port = text[1:].partition("]")
        return unquote(host), port.removeprefix(":") or "5432"
    host, _, port = text.partition(":")
    return unquote(host), port or "5432"


def _named(
    parameters: Mapping[str, str], service: Mapping[str, str], environment: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return the hosts that a URL without one means, as libpq finds them."""

    def value(name: str, variable: str) -> str:
        return parameters.get(name) or service.get(name) or environment.get(variable, "")

    hosts = (value("hostaddr", "PGHOSTADDR") or value("host", "PGHOST")).split(",")
    ports = value("port", "PGPORT").split(",")
    return [(host, (ports[at] if at < len(ports) else ports[0]) or "5432") for at, host in enumerate(hosts)]


def _service(name: str, environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return a service's parameters, as far as they can be read."""
    if not name:
        return {}
    home = environment.get("HOME", "")
    found = configparser.ConfigParser(interpolation=None)
    with suppress(OSError, configparser.Error, UnicodeDecodeError):
        found.read(environment.get("PGSERVICEFILE") or Path(home, ".pg_service.conf"), encoding="utf-8")
    return dict(found[name]) if found.has_section(name) else {"host": f"service {name}"}


def _is_near(host: str) -> bool:
    """True for this machine: a socket, 127.0.0.0/8, ::1."""
    if not host or host.startswith(("/", "@")) or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def root_certificates(url: str, environment: Mapping[str, str]) -> str:
    """Return `system` where neither the URL, a variable nor the usual file names certificates to trust."""
    if "sslrootcert=" in url or environment.get("PGSSLROOTCERT") or environment.get("PGSERVICE") or "service=" in url:
        return ""
    return "" if os.path.exists(os.path.expanduser("~/.postgresql/root.crt")) else "system"
