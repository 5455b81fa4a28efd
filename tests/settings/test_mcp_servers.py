"""Settings of MCP servers (mcp.md P1, P2; surface S10, S11): keys, layers, what counts from a folder's file."""

from __future__ import annotations

import pytest

from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import toml
from jp_tui.settings.layers.trust_preview import proposed
from tests.settings.conftest import Home

DOCS = '[providers.mcp.docs]\ncommand = "npx"\nargs = ["-y", "@acme/docs"]\n'


def problem(home: Home, text: str) -> str:
    with pytest.raises(SettingsError) as refused:
        home.load(text)
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[providers.mcp.fs]\ncommand = 'x'", 1, "fs is a reserved name"),
        ("[providers.mcp.jp-tui]\ncommand = 'x'", 1, "reserved name"),
        ("[providers.mcp.Docs]\ncommand = 'x'", 1, "lower-case letters, digits and -"),
        ("[providers.mcp.docs-]\ncommand = 'x'", 1, "no - at an end"),
        ("[providers.mcp.aaaaaaaaaaaaaaaaaaaaaaaaa]\ncommand = 'x'", 1, "at most 24"),
        ("[providers.mcp.'a b']\ncommand = 'x'", 1, "lower-case letters"),
        ("[providers.mcp.docs]\nenabled = true", 1, "needs exactly one of command and url"),
        ("[providers.mcp.docs]\ncommand = 'x'\nurl = 'https://x.example'", 1, "needs exactly one of command and url"),
        ("[providers.mcp.docs]\ncommand = 'x'\nargz = []", 3, "Did you mean providers.mcp.docs.args?"),
        ("[providers.mcp.docs]\ncommand = 'x'\nargs = ['a', '${HOME}']", 3, "env_from, headers_from or bearer_env"),
        ("[providers.mcp.docs]\ncommand = '${X}/bin'", 2, "env_from, headers_from or bearer_env"),
        ("[providers.mcp.docs]\ncommand = 'x'\nenv = { T = '${T}' }", 3, "env_from, headers_from or bearer_env"),
        ("[providers.mcp.docs]\nurl = 'http://docs.example/mcp'", 2, "expected https"),
        ("[providers.mcp.docs]\nurl = 'http://localhost.evil.example/mcp'", 2, "expected https"),
        ("[providers.mcp.docs]\nurl = 'https://me:pw@docs.example/mcp'", 2, "can't have a user or password"),
        ("[providers.mcp.docs]\nurl = 'HTTPS://me@docs.example'", 2, "can't have a user or password"),
        ("[providers.mcp.docs]\nurl = 'ftp://docs.example'", 2, "expected an https address"),
        ("[providers.mcp.docs]\nurl = 'https://x.example'\nheaders = { Authorization = 'Bearer 1' }", 3, "bearer_env"),
        ("[providers.mcp.docs]\nurl = 'https://x.example'\nheaders = { X-A = \"a\\nb\" }", 3, "printable"),
        ("[providers.mcp.docs]\nurl = 'https://x.example'\nargs = []", 3, "is for a server with command"),
        ("[providers.mcp.docs]\ncommand = 'x'\nbearer_env = 'T'", 3, "is for a server with url"),
        ("[providers.mcp.docs]\nurl = 'https://x.example'\nbearer_env = 'sk-1234 5'", 3, "never its value"),
        ("[providers.mcp.docs]\ncommand = 'x'\nprotocol = 'latest'", 3, "auto or a revision"),
        ("[providers.mcp.docs]\ncommand = 'x'\nsampling = 'on'", 3, "allowed: off, ask"),
        ("[providers.mcp.docs]\ncommand = 'x'\nmax_questions = true", 3, "a whole number"),
        ("[providers.mcp.docs]\nurl = 'https://x.example'\noauth = { secret = 'x' }", 3, "isn't a valid key"),
        (
            "[providers.mcp.docs]\nurl = 'https://x.example'\noauth = { client_metadata_url = 'https://x.example/' }",
            3,
            "expected an https address with a path",
        ),
    ],
)
def test_p1_p2_a_bad_table_names_file_line_and_key(home: Home, text: str, line: int, said: str) -> None:
    message = problem(home, text)
    assert said in message and f"{home.user}:{line}" in message and "sk-1234" not in message


def test_p1_good_tables_are_taken_as_written(home: Home) -> None:
    both = DOCS + "env_from = { T = 'GH_TOKEN' }\n[providers.mcp.web]\nurl = 'http://127.0.0.1:3000/mcp'\n"
    found = home.load(both).get("providers", "mcp")
    assert found["docs"] == {"command": "npx", "args": ["-y", "@acme/docs"], "env_from": {"T": "GH_TOKEN"}}
    assert found["web"] == {"url": "http://127.0.0.1:3000/mcp"}


def test_p2_a_table_is_one_value_that_a_higher_layer_replaces_whole(home: Home) -> None:
    settings = home.load(DOCS + "env = { A = '1' }\n", cfg=['providers.mcp.docs={ command = "other" }'])
    assert settings.get("providers", "mcp", "docs") == {"command": "other"}
    origin = home.load(DOCS).origin("providers", "mcp", "docs")
    assert origin is not None and origin.words() == f"{home.user}:1"


@pytest.mark.parametrize("trusted", [False, True])
def test_p2_a_folders_server_never_replaces_the_users(home: Home, trusted: bool) -> None:
    settings = home.load(DOCS, '[providers.mcp.docs]\ncommand = "evil"\n', trusted=trusted)
    assert settings.get("providers", "mcp", "docs", "command") == "npx"
    assert [notice.keys for notice in settings.notices] == [("providers.mcp.docs",)]
    assert len(settings.notices[0].words.splitlines()) == 1


def test_p2_the_same_table_in_a_folder_takes_nothing_from_the_users(home: Home) -> None:
    own = DOCS + "env_from = { T = 'GH_TOKEN' }\n"
    settings = home.load(own, own, trusted=True)
    assert settings.get("providers", "mcp", "docs", "env_from") == {"T": "GH_TOKEN"} and not settings.notices


def test_p2_a_folders_server_counts_only_with_trust_and_without_what_hands_over_credentials(home: Home) -> None:
    """MCP-027: nothing of an untrusted file starts."""
    text = DOCS + "env_from = { T = 'GH_TOKEN' }\nenv = { A = '1' }\n"
    settings = home.load("", text)
    assert settings.get("providers", "mcp") is None and "not trusted" in settings.notices[0].words
    settings = home.load("", text, trusted=True)
    found = settings.get("providers", "mcp", "docs")
    assert found == {"command": "npx", "args": ["-y", "@acme/docs"], "env": {"A": "1"}}
    assert settings.notices[0].keys == ("providers.mcp.docs.env_from",) and "trusted" in settings.notices[0].words
    web = "[providers.mcp.web]\nurl = 'https://x.example'\nbearer_env = 'T'\nheaders_from = { X-K = 'K' }\noauth = {}\n"
    settings = home.load("", web, trusted=True)
    assert settings.get("providers", "mcp", "web") == {"url": "https://x.example"}


def test_p2_the_trust_page_shows_program_arguments_and_names_in_env(home: Home) -> None:
    text = DOCS + "env_from = { T = 'GH_TOKEN' }\nenv = { A = '1', B = '2' }\n"
    found = {one.key: one for one in proposed(toml.parse(text.encode(), "f"), "f", home.load(), None)}
    server, hidden = found["providers.mcp.docs"], found["providers.mcp.docs.env_from"]
    assert server.does == 'runs the program "npx" "-y" "@acme/docs" as the MCP server docs, with A, B set'
    assert (server.counts, server.acts, hidden.counts) == ("waits", True, "never") and "GH_TOKEN" not in server.value
    text = "[providers.mcp.web]\nurl = 'https://x.example/mcp'\nheaders = { X-Team = 'red' }\n"
    (web,) = proposed(toml.parse(text.encode(), "f"), "f", home.load(), None)
    assert web.does == "connects to the MCP server https://x.example/mcp with the headers X-Team"


def test_s11_no_variable_sets_a_server(home: Home) -> None:
    settings = home.load(environment={"JP_TUI_PROVIDERS__MCP__DOCS": '{ command = "evil" }'})
    assert settings.get("providers", "mcp") is None
    assert settings.notices[0].words.endswith("aren't keys: JP_TUI_PROVIDERS__MCP__DOCS")
