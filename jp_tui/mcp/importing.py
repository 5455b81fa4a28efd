"""Servers from the files of other programs (mcp.md P13): Claude, Cursor, VS Code and Codex.

Pure. The content decides which format it is. Nothing is expanded and no credential is copied: what cannot be taken is
named, with the line to write, and its server is switched off.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from jp_tui.conversation.strict_json import JsonProblem, parse
from jp_tui.settings.layers.explain import toml_value
from jp_tui.settings.schema.checks import BadValue
from jp_tui.settings.schema.mcp import CREDENTIALS, NOT_FROM_FOLDER, RESERVED, loopback, server

MAX_BYTES = 32 << 20
"""Largest file that is read: Claude keeps more in its file than servers."""
_WHOLE = re.compile(
    r"\$\{(?:env:|(?!(?:workspaceFolder|workspaceFolderBasename|workspaceRoot|userHome|pathSeparator)\}))"
    r"([A-Za-z_][A-Za-z0-9_]*)\}"
)
"""A reference to a variable, and not to what VS Code and Cursor name so themselves."""
_BEARER = re.compile(r"Bearer +\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}", re.IGNORECASE)
_SECRET_NAME = re.compile(
    r"(?:^|[^a-z])(?:token|secret|password|passwd|passphrase|credentials?|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"auth(?:orization)?|pat|dsn)(?:$|[^a-z])",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(
    r"(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}|gh[pousr]_\w{16,}|github_pat_\w+|glpat-[\w-]{16,}|xox[abeprs]-[\w-]+|"
    r"AKIA[A-Z0-9]{12,}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*|npm_\w{20,}|hf_\w{20,}|\w+://[^/\s:@]+:[^/\s@]+@.*"
)
_TYPES = {"": "", "stdio": "stdio", "local": "stdio", "http": "http", "streamable-http": "http",
          "streamableHttp": "http", "streamable_http": "http", "remote": "http", "sse": "sse"}  # fmt: skip
_KNOWN = (
    "type", "transport", "command", "args", "cwd", "env", "envFile", "env_vars", "url", "serverUrl", "headers",
    "http_headers", "env_http_headers", "bearer_token_env_var", "enabled", "disabled", "startup_timeout_sec",
    "startup_timeout_ms", "tool_timeout_sec",
)  # fmt: skip


@dataclass(slots=True)
class ImportedServer:
    """A server of another program's file. `written` is its name there, `name` the one here. `values` is the table to
    write, empty if the server isn't taken."""

    written: str
    name: str
    values: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def taken(self) -> bool:
        return bool(self.values)


def read(text: str, workspace: str = "") -> list[tuple[str, Mapping[str, Any]]]:
    """Return names and tables of the servers in a file. Raises ValueError with a message if it has none.

    `workspace` selects the servers that Claude keeps for one folder.
    """
    tree = _parsed(text)
    found: list[tuple[str, Mapping[str, Any]]] = []
    projects = tree.get("projects")
    own = projects.get(workspace) if isinstance(projects, dict) and workspace else None
    tables = [tree.get(key) for key in ("mcpServers", "servers", "mcp_servers")]
    tables.append(own.get("mcpServers") if isinstance(own, dict) else None)
    if nested := tree.get("mcp"):  # VS Code's settings.json
        tables.append(nested.get("servers") if isinstance(nested, dict) else None)
    for table in tables:
        if isinstance(table, dict):
            found += [(str(name), one) for name, one in table.items() if isinstance(one, dict)]
    if not found and not any(isinstance(table, dict) for table in tables):
        raise ValueError("has no mcpServers, servers or mcp_servers")
    return found


def _parsed(text: str) -> dict[str, Any]:
    if not text.lstrip("\ufeff \t\r\n").startswith(("{", "/")):
        try:
            return tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as problem:
            raise ValueError(f"is neither JSON nor TOML: {problem}") from None
    try:
        tree = parse(without_comments(text.lstrip("\ufeff")), max_bytes=MAX_BYTES)
    except JsonProblem as problem:
        raise ValueError(f"isn't JSON: {problem}") from None
    if not isinstance(tree, dict):
        raise ValueError("isn't a JSON object")
    return tree


_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*(?:\n|$)|/\*.*?\*/)*[}\]])', re.S)


def without_comments(text: str) -> str:
    """Return JSON without the comments and trailing commas that VS Code allows."""
    return _TOKEN.sub(lambda at: at[0] if at[0].startswith('"') else "", text)


def imported(
    found: list[tuple[str, Mapping[str, Any]]], existing: Mapping[str, str], *, folder: bool
) -> Iterator[ImportedServer]:
    """Yield each server in our terms. `existing` has the names that are configured, with their places; `folder`: they
    are for a folder's file."""
    taken = dict(existing)
    for written, table in found:
        one = _Conversion(written, table, folder=folder).result
        if one.taken and one.name in taken:
            one.values = {}
            one.notes = [f"{one.name} is configured already ({taken[one.name]}) and stays as it is"]
        elif one.taken:
            taken[one.name] = "imported just now"
        yield one


def fitting_name(written: str) -> str:
    """Return a name that P1 allows; "" if nothing of it is left."""
    name = re.sub(r"[^a-z0-9]+", "-", written.lower()).strip("-")[:24].strip("-")
    return f"{name}-server" if name in RESERVED else name


class _Conversion:
    """One table. Notes name what isn't taken, with the line to write instead."""

    def __init__(self, written: str, table: Mapping[str, Any], *, folder: bool) -> None:
        self._table, self._folder = table, folder
        self.result = ImportedServer(written, fitting_name(written))
        self._values: dict[str, Any] = {}
        self._off = False
        self._convert()

    def _convert(self) -> None:
        result = self.result
        if not result.name:
            result.notes.append("its name has no letter or digit; name it and write it by hand")
            return
        if result.name != result.written:
            self._note(f"called {result.name} here")
        kind = self._kind()
        if kind is None:
            return
        (self._program if kind == "stdio" else self._address)()
        self._times()
        if unknown := [key for key in self._table if key not in _KNOWN]:
            self._note(f"not used here: {', '.join(sorted(unknown)[:12])}")
        if self._table.get("enabled") is False or self._table.get("disabled") is True:
            self._values["enabled"] = False
        if self._folder and (lost := [key for key in NOT_FROM_FOLDER if key in self._values]):
            self._refuse(f"{', '.join(lost)} never counts from a folder's file; take it with --to user")
        if self._off:
            self._values["enabled"] = False
        try:
            result.values = server(self._values)
        except BadValue as bad:
            place = ".".join(map(str, bad.inside))
            self._note(f"not taken: {f'{place} ' if place else ''}{bad.message}")

    def _kind(self) -> str | None:
        table = self._table
        given = table.get("type", table.get("transport", ""))
        kind = _TYPES.get(given if isinstance(given, str) else "?")
        if kind is None:
            self._note(f"not taken: its type {toml_value(given)} isn't known here")
        elif kind == "sse":
            self._refuse("the transport sse isn't supported: ask its maker for a streamable HTTP address and write url")
            kind = "http"
        elif not kind:
            kind = "stdio" if "command" in table else "http"
        if "command" in table and (other := next((key for key in ("url", "serverUrl") if key in table), "")):
            left = other if kind == "stdio" else "command"
            self._refuse(f"it has a command and a {other}, and {left} isn't taken: say which it is")
        return kind

    def _program(self) -> None:
        table = self._table
        command = table.get("command")
        words = table.get("args", [])
        if isinstance(command, list):  # some programs keep both in one list
            command, words = (command[0] if command else ""), command[1:]
        if isinstance(command, str) and self._literal("command", command):
            self._values["command"] = command
        else:
            self._values["command"] = "FILL-IN"
            self._refuse("write command")
        self._words(words if isinstance(words, list) else [])
        cwd = table.get("cwd")
        if isinstance(cwd, str) and cwd and self._literal("cwd", cwd):
            self._values["cwd"] = cwd
        self._pairs("env", table.get("env"), "env", "env_from")
        names = table.get("env_vars")
        for name in names if isinstance(names, list) else []:
            if isinstance(name, str):
                self._values.setdefault("env_from", {})[name] = name
        if "envFile" in table:
            self._refuse('envFile isn\'t read: write env_from = { NAME = "NAME" } for each variable the server needs')

    def _words(self, words: list[Any]) -> None:
        """Take arguments; one after an option that names a credential is one."""
        kept: list[str] = []
        before = ""
        for at, word in enumerate(words):
            said = str(word) if isinstance(word, (str, int, float)) and not isinstance(word, bool) else ""
            option, equals, value = said.partition("=")
            named = equals and option.startswith("-") and _SECRET_NAME.search(option)
            after = before.startswith("-") and "=" not in before and bool(_SECRET_NAME.search(before))
            before = said
            if "${" in said or "$(" in said:
                self._refuse(f"args[{at}] {toml_value(said)} isn't expanded: add what it stands for to args")
            elif (named and value) or (after and not said.startswith("-")) or _SECRET_VALUE.search(said):
                self._refuse(
                    f"args[{at}] looks like a credential: use a variable that the server reads, "
                    'env_from = { NAME = "NAME" }'
                )
            else:
                kept.append(said)
        if kept:
            self._values["args"] = kept

    def _address(self) -> None:
        table = self._table
        url = table.get("url", table.get("serverUrl"))
        if isinstance(url, str) and self._literal("url", url):
            if url.startswith("http://") and not loopback(url[7:].split("/")[0].rsplit(":", 1)[0]):
                self._refuse(f"{toml_value(url)} isn't https: write url with https")
                url = "https://" + url[7:]
            self._values["url"] = url
        else:
            self._values["url"] = "https://FILL-IN.invalid"
            self._refuse("write url")
        for key in ("headers", "http_headers"):
            self._pairs(key, table.get(key), "headers", "headers_from")
        named = table.get("env_http_headers")
        for header, variable in named.items() if isinstance(named, dict) else ():
            self._values.setdefault("headers_from", {})[header] = variable
        if isinstance(variable := table.get("bearer_token_env_var"), str):
            self._values["bearer_env"] = variable

    def _pairs(self, key: str, found: object, literal: str, named: str) -> None:
        """Take a table of variables or headers: whole references by name, other literal values as they are."""
        for name, value in found.items() if isinstance(found, dict) else ():
            said = str(value).lower() if isinstance(value, bool) else str(value)
            if whole := _WHOLE.fullmatch(said):
                self._values.setdefault(named, {})[name] = whole[1]
            elif key != "env" and name.lower() == "authorization" and (bearer := _BEARER.fullmatch(said)):
                self._values["bearer_env"] = bearer[1]
            elif (key != "env" and name.lower() in CREDENTIALS) or _secret(name, said):
                self._credential(key, name, named)
            elif "${" in said:
                self._refuse(f"{key}.{name} {toml_value(said)} isn't expanded: {_line(named, name)}")
            else:
                self._values.setdefault(literal, {})[name] = said

    def _credential(self, key: str, name: str, named: str) -> None:
        instead = 'bearer_env = "VARIABLE"' if name.lower() == "authorization" else _line(named, name)
        self._refuse(f"{key}.{name} is a credential and isn't copied: set a variable to it and write {instead}")

    def _literal(self, key: str, value: str) -> bool:
        if "${" in value:
            self._refuse(f"{key} {toml_value(value)} isn't expanded: write {key} with what it stands for")
            return False
        query = parse_qsl(urlsplit(value).query) if key == "url" and "[" not in value else []
        if _SECRET_VALUE.search(value) or any(_secret(name, said) for name, said in query):
            self._refuse(f"{key} holds a credential and isn't copied")
            return False
        return True

    def _times(self) -> None:
        pairs = (("startup_timeout_sec", "start_timeout_secs"), ("tool_timeout_sec", "call_timeout_secs"))
        for theirs, ours in pairs:
            value = self._table.get(theirs)
            if isinstance(value, (int, float)) and not isinstance(value, bool) and 1 <= value <= 600:
                self._values[ours] = value

    def _refuse(self, note: str) -> None:
        self._off = True
        self._note(note)

    def _note(self, note: str) -> None:
        self.result.notes.append(note)


def _secret(name: str, value: str) -> bool:
    """True if a value is probably a credential, by its name or its form."""
    if not value or value.lower() in ("true", "false", "0", "1"):
        return False
    return "${" not in value and bool(_SECRET_NAME.search(_words_of(name)) or _SECRET_VALUE.search(value))


def _words_of(name: str) -> str:
    """Return a name with its words apart, so that AUTHOR isn't taken for AUTH."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)


def _line(named: str, name: str) -> str:
    variable = re.sub(r"[^A-Za-z0-9]+", "_", name).upper().strip("_") or "NAME"
    key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)
    return f'{named} = {{ {key} = "{variable}" }}'
