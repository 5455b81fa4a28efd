"""Servers of `[providers.mcp.NAME]` (mcp.md P1, P2).

A server's table is one value: a higher layer replaces it whole, because half of one server and half of another would
start a program that no file names. Nothing in it is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from jp_tui.settings.schema import checks
from jp_tui.settings.schema.checks import BadValue, Check, describe_value, inside
from jp_tui.settings.schema.nodes import Group, Leaf

RESERVED = ("fs", "shell", "mcp", "builtin", "local", "jp-tui")
"""Names that no server may have: they are those of tools and sources."""
SERVER = r"[a-z0-9](?:[a-z0-9-]{0,22}[a-z0-9])?"
TOOL = r"[A-Za-z0-9_.-]{1,128}"
"""Names of servers and of their tools, as patterns."""
NOT_FROM_FOLDER = ("env_from", "headers_from", "bearer_env", "oauth")
"""Keys that hand a server something of the user's: they never count from a folder's file (P2)."""
CREDENTIALS = ("authorization", "x-api-key", "api-key", "cookie", "proxy-authorization", "x-auth-token")
"""Headers that carry a credential, in lower case."""
_HEADER_NAME = checks.matching(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", "the name of a header")
_variable = checks.matching(r"[A-Za-z_][A-Za-z0-9_]*", "the name of an environment variable")
_own_variable = checks.matching(
    r"[A-Za-z_][A-Za-z0-9_]*", "the name of an environment variable, never its value", quoted=False
)


def server_name(value: Any) -> str:
    """Accept the name of a server. Raises BadValue."""
    if value in RESERVED:
        raise BadValue(f"{value} is a reserved name. Name the server differently")
    said = "a server's name: lower-case letters, digits and -, at most 24, no - at an end"
    return str(checks.matching(SERVER, said)(value))


def _plain(value: Any) -> str:
    """Accept text in which nothing would have to be expanded."""
    if "\0" in checks.text(value):
        raise BadValue("expected text without a NUL")
    if "${" in value:
        raise BadValue(
            "variables aren't expanded here. Name the variable in env_from, headers_from or bearer_env instead"
        )
    return str(value)


def _filled(value: Any) -> str:
    if not _plain(value).strip():
        raise BadValue(f"expected text that is not empty, found {describe_value(value)}")
    return str(value)


def _header(value: Any) -> str:
    return str(checks.header(_plain(value)))


def _literal_name(value: Any) -> str:
    if str(_HEADER_NAME(value)).lower() in CREDENTIALS:
        raise BadValue("don't put a credential in a file. Name its variable in bearer_env or headers_from")
    return str(value)


def url(value: Any) -> str:
    """Accept the address of a server: https, or http to this machine, without a user part."""
    said = _plain(value)
    if re.match(r"[a-z]+://[^/?#]*@", said, re.IGNORECASE):
        raise BadValue("an address can't have a user or password. Name a variable in bearer_env or headers_from")
    found = re.fullmatch(r"(https?)://(\[[0-9A-Fa-f:.]+\]|[^\s/?#@\[\]:]+)(:\d{1,5})?([/?][^\s#]*)?", said)
    if found is None:
        raise BadValue(f"expected an https address, found {describe_value(value)}")
    if found[1] == "http" and not loopback(found[2]):
        raise BadValue("expected https; http is for a server on this machine (127.0.0.1, [::1], localhost)")
    return said


def _document(value: Any) -> str:
    """Accept the address of a client's description: https, with a path (P60)."""
    said = url(value)
    if not re.match(r"https://[^/?]+/[^?]", said):
        raise BadValue("expected an https address with a path")
    return said


def loopback(host: str) -> bool:
    """True for a host that is this machine."""
    return host.lower() in ("localhost", "[::1]") or bool(re.fullmatch(r"127(\.\d{1,3}){3}", host))


def _words(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise BadValue(f"expected a list of texts, found {describe_value(value)}")
    return [inside(at, _plain, word) for at, word in enumerate(value)]


def _mapping(name: Check, item: Check) -> Check:
    def check(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise BadValue(f"expected a table, found {describe_value(value)}")
        for key, one in value.items():
            inside(key, name, key)
            inside(key, item, one)
        return value

    return check


def _table(keys: dict[str, Check]) -> Callable[[Any], dict[str, Any]]:
    def check(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise BadValue(f"expected a table, found {describe_value(value)}")
        for key in value:
            if key not in keys:
                from jp_tui.settings.errors import nearest

                near = nearest(key, keys)
                raise BadValue("isn't a valid key", () if near else tuple(keys), (key,), near)
        return {key: inside(key, keys[key], item) for key, item in value.items()}

    return check


_OAUTH = _table(
    {
        "client_id": _filled,
        "client_secret_env": _own_variable,
        "client_metadata_url": _document,
        "scopes": _words,
        "redirect_port": checks.integer(1, 65_535),
    }
)
KEYS: dict[str, Check] = {
    "command": _filled,
    "args": _words,
    "cwd": _filled,
    "env": _mapping(_variable, _plain),
    "env_from": _mapping(_variable, _own_variable),
    "url": url,
    "headers": _mapping(_literal_name, _header),
    "headers_from": _mapping(_HEADER_NAME, _own_variable),
    "bearer_env": _own_variable,
    "oauth": _OAUTH,
    "enabled": checks.boolean,
    "protocol": checks.matching(r"auto|\d{4}-\d{2}-\d{2}", "auto or a revision such as 2025-11-25"),
    "start_timeout_secs": checks.number(1, 600),
    "call_timeout_secs": checks.number(1, 86_400),
    "max_call_secs": checks.number(1, 604_800),
    "max_message_bytes": checks.integer(1_024, 256 << 20),
    "max_result_bytes": checks.integer(1_024, 64 << 20),
    "max_questions": checks.integer(0, 1_000),
    "sampling": checks.choice("off", "ask"),
    "sampling_requests": checks.integer(1, 1_000),
    "sampling_tokens": checks.integer(1, 1_000_000),
    "instructions": checks.boolean,
}
_ONLY_STDIO = ("args", "cwd", "env", "env_from")
_ONLY_HTTP = ("headers", "headers_from", "bearer_env", "oauth")
_server_table = _table(KEYS)


def server(value: Any) -> dict[str, Any]:
    """Accept the table of one server, with exactly one of `command` and `url`. Raises BadValue."""
    found = _server_table(value)
    if ("command" in found) == ("url" in found):
        raise BadValue("needs exactly one of command and url")
    wrong = [key for key in (_ONLY_HTTP if "command" in found else _ONLY_STDIO) if key in found]
    if wrong:
        kind = "url" if "command" in found else "command"
        raise BadValue(f"is for a server with {kind}", inside=(wrong[0],))
    for key in found.get("headers_from", {}):
        if key.lower() in {name.lower() for name in found.get("headers", {})}:
            raise BadValue("is in headers as well; use one", inside=("headers_from", key))
    if "bearer_env" in found and any(key.lower() == "authorization" for key in found.get("headers_from", {})):
        raise BadValue("headers_from has authorization as well; use one", inside=("bearer_env",))
    return found


MCP = Group(
    named=Leaf(
        server,
        acts=True,
        yields=True,
        not_from_folder=NOT_FROM_FOLDER,
        help="an MCP server: command or url, and what it gets",
    ),
    key_check=server_name,
)
