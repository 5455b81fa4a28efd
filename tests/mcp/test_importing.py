"""Servers of other programs' files (mcp.md P13): formats, what is taken, and what is named instead."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jp_tui.mcp.importing import ImportedServer, fitting_name, imported, read


def one(table: dict[str, Any], name: str = "docs", *, folder: bool = False) -> ImportedServer:
    found = read(json.dumps({"mcpServers": {name: table}}))
    return next(imported(found, {}, folder=folder))


def test_formats_are_told_by_their_content() -> None:
    table = {"command": "x"}
    claude = json.dumps({"mcpServers": {"a": table}, "projects": {"/w": {"mcpServers": {"b": table}}, "/v": {}}})
    assert [name for name, _ in read(claude, "/w")] == ["a", "b"] and [name for name, _ in read(claude)] == ["a"]
    code = '// VS Code\n{"servers": {"a": {"type": "stdio", "command": "x", /* y */ "args": ["//", "a,]",],},}}'
    assert read(code) == [("a", {"type": "stdio", "command": "x", "args": ["//", "a,]"]})]
    assert read('[mcp_servers.a]\ncommand = "x"\n') == [("a", table)]
    assert read('\ufeff{"mcpServers": {}}') == []


@pytest.mark.parametrize(
    ("text", "said"),
    [("{}", "has no mcpServers"), ("{]", "isn't JSON"), ("a b", "neither JSON nor TOML"), ('{"servers": 3}', "has no")],
)
def test_a_file_without_servers_says_so(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(text)


def test_references_become_names_of_variables() -> None:
    env = one({"command": "x", "env": {"TOKEN": "${GH_TOKEN}", "K": "${env:OTHER}", "MODE": "fast"}})
    assert env.values == {"command": "x", "env_from": {"TOKEN": "GH_TOKEN", "K": "OTHER"}, "env": {"MODE": "fast"}}
    web = one(
        {"url": "https://x.example", "headers": {"Authorization": "Bearer ${env:T}", "X-Key": "${K}", "X-A": "1"}}
    )
    assert web.values == {
        "url": "https://x.example",
        "bearer_env": "T",
        "headers_from": {"X-Key": "K"},
        "headers": {"X-A": "1"},
    }
    codex = {
        "url": "https://x.example",
        "bearer_token_env_var": "T",
        "env_http_headers": {"X-K": "K"},
        "http_headers": {"X-A": "1"},
        "startup_timeout_sec": 20,
    }
    assert one(codex).values == {
        "url": "https://x.example",
        "headers": {"X-A": "1"},
        "headers_from": {"X-K": "K"},
        "bearer_env": "T",
        "start_timeout_secs": 20,
    }
    assert not env.notes and not web.notes


SECRET = "ghp_" + "a1" * 12


@pytest.mark.parametrize(
    ("table", "note"),
    [
        ({"command": "x", "env": {"GH_TOKEN": "anything"}}, 'env_from = { GH_TOKEN = "GH_TOKEN" }'),
        ({"command": "x", "env": {"githubApiKey": "anything"}}, "env.githubApiKey is a credential"),
        ({"command": "x", "env": {"HARMLESS": SECRET}}, "env.HARMLESS is a credential"),
        ({"command": "x", "env": {"DB": "postgres://me:pw@host/db"}}, "env.DB is a credential"),
        ({"command": "x", "args": ["--api-key", "abc"]}, "args[1] looks like a credential"),
        ({"command": "x", "args": ["--token=abc"]}, "args[0] looks like a credential"),
        ({"command": "x", "args": [SECRET]}, "args[0] looks like a credential"),
        ({"command": "x", "args": ["${workspaceFolder}/a"]}, "isn't expanded: add what it stands for to args"),
        ({"command": "x", "env": {"A": "${input:key}"}}, "isn't expanded: env_from"),
        ({"command": "x", "env": {"A": "${B:-c}"}}, "isn't expanded: env_from"),
        ({"command": "${HOME}/x"}, "write command with what it stands for"),
        ({"command": "x", "envFile": ".env"}, "envFile isn't read"),
        ({"type": "sse", "url": "https://x.example/sse"}, "sse isn't supported"),
        ({"url": "https://x.example", "headers": {"Authorization": "Bearer abc"}}, 'bearer_env = "VARIABLE"'),
        ({"url": "https://x.example", "headers": {"X-Api-Key": "abc"}}, 'headers_from = { X-Api-Key = "X_API_KEY" }'),
        ({"url": "https://me:pw@x.example/"}, "url holds a credential"),
        ({"url": "http://x.example/mcp"}, "write url with https"),
        ({"url": "https://x.example/mcp?lang=en&xApiKey=abc"}, "url holds a credential"),
        ({"command": "x", "env": {"A": "${workspaceFolder}"}}, "isn't expanded: env_from"),
        ({"command": "x", "url": "https://x.example"}, "it has a command and a url, and url isn't taken: say which"),
        ({"type": "http", "command": "x", "url": "https://x.example"}, "a url, and command isn't taken: say which"),
    ],
)
def test_what_cannot_be_taken_is_named_and_the_server_is_off(table: dict[str, Any], note: str) -> None:
    found = one(table)
    assert found.taken and found.values["enabled"] is False and note in "\n".join(found.notes)
    written = json.dumps([found.values, found.notes])
    assert SECRET not in written and "abc" not in written and "me:pw" not in written


@pytest.mark.parametrize(
    "table", [{"env": {"AUTHOR": "me", "MONKEY": "x", "USE_TOKEN": "true"}}, {"args": ["--keyboard", "a"]}]
)
def test_ordinary_values_are_no_credentials(table: dict[str, Any]) -> None:
    found = one({"command": "x", **table})
    assert found.values.get("enabled", True) and not found.notes


def test_a_folders_server_is_off_where_it_needs_what_only_the_user_may_hand_over() -> None:
    found = one({"command": "x", "env": {"A": "${A}"}}, folder=True)
    assert found.values["enabled"] is False and "--to user" in found.notes[0]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("GitHub MCP", "github-mcp"),
        ("fs", "fs-server"),
        ("a" * 40, "a" * 24),
        ("--x__y--", "x-y"),
        ("é!", ""),
        ("x" * 23 + " y", "x" * 23),
    ],
)
def test_names_are_made_to_fit(written: str, name: str) -> None:
    assert fitting_name(written) == name


def test_an_existing_name_stays_and_so_does_the_first_of_two() -> None:
    found = read(
        json.dumps({"mcpServers": {"Docs": {"command": "a"}, "docs": {"command": "b"}, "web": {"command": "c"}}})
    )
    first, second, web = imported(found, {"web": "/home/me/config.toml:3"}, folder=False)
    assert first.notes == ["called docs here"] and first.taken and not second.taken and not web.taken
    assert web.notes == ["web is configured already (/home/me/config.toml:3) and stays as it is"]


def test_a_switched_off_server_stays_off_and_unknown_keys_are_named() -> None:
    found = one({"command": "x", "disabled": True, "autoApprove": ["*"]})
    assert found.values == {"command": "x", "enabled": False} and found.notes == ["not used here: autoApprove"]
    assert one({"type": "quic", "url": "x"}).notes == ['not taken: its type "quic" isn\'t known here']
