"""`jp-tui mcp list | import | accept` (mcp.md P10, P12, P13): what they print and write, and their status."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from jp_tui.headless.output import TextOutput
from jp_tui.mcp.approval import offered
from jp_tui.mcp.configured import all_servers, identity
from jp_tui.mcp.store import Contact, McpStore
from jp_tui.mcp.values import McpTool
from jp_tui.settings.cli.arguments import CommandLine, parse
from jp_tui.settings.errors import UsageError
from jp_tui.settings.layers import trust_store
from jp_tui.startup.mcp import logins
from jp_tui.startup.mcp.commands import mcp
from jp_tui.startup.parts import RunLocation

SEARCH, READ = McpTool("search", description="Find pages."), McpTool("read")


class Here:
    """A home and a workspace."""

    def __init__(self, folder: Path) -> None:
        self.home, self.folder = folder / "home", folder / "ws"
        self.user, self.own = self.home / "jp/config/config.toml", self.folder / ".jp-tui/config.toml"
        for file in (self.user, self.own):
            file.parent.mkdir(parents=True)

    def place(self, *words: str) -> tuple[CommandLine, RunLocation]:
        arguments = parse(["mcp", *words, "--workspace", str(self.folder)])
        assert isinstance(arguments, CommandLine)
        return arguments, RunLocation(arguments)

    def run(self, *words: str) -> tuple[int, str, str]:
        """Status, standard output and messages of `jp-tui mcp WORDS`."""
        arguments, place = self.place(*words)
        out, err = io.StringIO(), io.StringIO()
        status = mcp(arguments, place.sources.load(), place, TextOutput(arguments.json, out, err))
        return status, out.getvalue(), err.getvalue()

    def json(self, *words: str) -> list[dict[str, object]]:
        status, out, err = self.run(*words, "--json")
        assert (status, err) == (0, "")
        return [json.loads(line) for line in out.splitlines()]

    def listed(self, *tools: McpTool, **about: str) -> McpStore:
        """Store what the server docs listed last; the first listing is pinned."""
        _, place = self.place("list")
        store = McpStore(place.paths.data, place.paths.state, place.workspace)
        server = all_servers(place.sources.load(), place.sources)["docs"]
        if (pins := store.pins("docs", folder=False)) is None:
            store.save_pins("docs", offered("docs", identity(server), tools, pins)[1], folder=False)
        store.save_contact("docs", replace(Contact("ok", protocol="2025-11-25", tools=tools), **about), folder=False)  # type: ignore[arg-type]
        return store


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    made = Here(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("JP_TUI_HOME", str(made.home / "jp"))
    made.user.write_text('[providers.mcp.docs]\ncommand = "npx"\nargs = ["-y", "docs"]\n')
    return made


def test_p10_a_line_a_server_from_the_last_contact(here: Here) -> None:
    here.own.write_text('[providers.mcp.web]\nurl = "https://x.example/mcp"\n')
    docs = {"name": "docs", "transport": "stdio", "enabled": True, "trusted": True, "origin": f"{here.user}:1"}
    web = {"name": "web", "transport": "http", "enabled": True, "trusted": False, "origin": f"{here.own}:1"}
    never = {"state": "never", "changed": []}
    assert here.json("list") == [{**docs, **never}, {**web, **never}]
    here.listed(SEARCH)
    here.listed(replace(SEARCH, description="Else."), READ)
    reached = {"state": "ok", "protocol": "2025-11-25", "tools": 2, "changed": ["search", "read"]}
    assert here.json("list")[0] == {**docs, **reached}
    here.listed(state="failed", error="docs did not start within 30 s")
    failed = {"state": "failed", "error": "docs did not start within 30 s", "protocol": "2025-11-25", "changed": []}
    assert here.json("list")[0] == {**docs, **failed}


def test_p10_the_list_in_words(here: Here) -> None:
    here.own.write_text('[providers.mcp.web]\nurl = "https://x.example/mcp"\n')
    here.listed(SEARCH, McpTool("a b"))
    here.listed(SEARCH, READ, McpTool("a\x1b[8m b"))
    status, out, _ = here.run("list")
    assert status == 0 and "\x1b" not in out
    said = out.splitlines()
    assert said[:4] == [
        "docs  stdio  npx -y docs",
        "  3 tools, protocol 2025-11-25",
        f"  {here.user}:1",
        "  waits for you: read (jp-tui mcp accept docs shows and accepts)",
    ]
    assert said[4].startswith("  off: a␛[8m b: its name isn't")
    assert said[6] == "  not started: its file isn't trusted (jp-tui config trust shows it)"


def test_p12_accept_prints_and_accepts_what_waits(here: Here) -> None:
    here.listed(SEARCH)
    here.listed(replace(SEARCH, description="Find pages.\nAlso \x1b]0;x\x07."), READ)
    status, out, _ = here.run("accept", "docs", "search")
    assert (status, out.splitlines()[0]) == (0, "mcp.docs.search  changed, accepted")
    assert "+Also ␛]0;x␇." in out and here.json("list")[0]["changed"] == ["read"]
    assert here.json("accept", "docs") == [{"server": "docs", "tool": "read", "was": "new", "changes": ""}]
    assert here.json("list")[0]["changed"] == [] and here.run("accept", "docs")[1].startswith("Nothing waits")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("accept", "dosc"), "no MCP server dosc. Did you mean docs?"),
        (("accept", "web"), "is in a file that isn't trusted"),
        (("accept", "docs", "serach"), "docs lists no tool serach. Did you mean search?"),
        (("import", "--to", "home"), "--to is user or folder, not home"),
    ],
)
def test_p12_what_cannot_be_meant_is_refused(here: Here, words: tuple[str, ...], said: str) -> None:
    here.own.write_text('[providers.mcp.web]\nurl = "https://x.example/mcp"\n')
    here.listed(SEARCH)
    here.listed(replace(SEARCH, title="Find"))
    with pytest.raises(UsageError, match=said):
        here.run(*words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("login", "pear"), "no MCP server pear. Did you mean peer?"),
        (("login", "docs"), "docs is a program; only a server with a url has a login"),
        (("logout", "keyed"), "keyed gets its credentials by bearer_env or headers"),
        (("login", "web"), "is in a file that isn't trusted"),
    ],
)
def test_p12_a_server_without_a_login_is_refused(here: Here, words: tuple[str, ...], said: str) -> None:
    here.user.write_text(
        '[providers.mcp.docs]\ncommand = "npx"\n[providers.mcp.peer]\nurl = "https://x.example/mcp"\n'
        '[providers.mcp.keyed]\nurl = "https://x.example/mcp"\nbearer_env = "X"\n'
    )
    here.own.write_text('[providers.mcp.web]\nurl = "https://x.example/mcp"\n')
    arguments, place = here.place(*words)
    output = TextOutput(False, io.StringIO(), io.StringIO())
    with pytest.raises(UsageError, match=said):
        (logins.login if words[0] == "login" else logins.logout)(arguments, place.sources.load(), place, output)


def test_p12_a_server_that_was_never_reached_has_nothing_to_accept(here: Here) -> None:
    with pytest.raises(UsageError, match="Run jp-tui mcp test docs"):
        here.run("accept", "docs")


def test_p13_the_workspaces_files_go_to_the_folder_and_homes_to_the_user(here: Here) -> None:
    (here.folder / ".mcp.json").write_text('{"mcpServers": {"wiki": {"command": "wiki", "args": ["--all"]}}}')
    (here.home / ".codex").mkdir()
    (here.home / ".codex/config.toml").write_text('model = "x"\n[mcp_servers.Issues]\ncommand = "issues"\n')
    (here.home / ".claude.json").write_text('{"numStartups": 3}')
    before = here.user.read_text()
    found = here.json("import")
    assert [(one["name"], one["taken"], one["notes"]) for one in found] == [
        ("wiki", True, []),
        ("issues", True, ["called issues here"]),
    ]
    assert here.own.read_text() == '[providers.mcp.wiki]\ncommand = "wiki"\nargs = ["--all"]\n'
    assert (
        here.user.read_text().startswith(before)
        and '[providers.mcp.issues]\ncommand = "issues"' in here.user.read_text()
    )
    servers = {one["name"]: one for one in here.json("list")}
    assert (servers["wiki"]["trusted"], servers["issues"]["trusted"]) == (False, True)
    assert [one["taken"] for one in here.json("import")] == [False, False]


def test_p13_a_dry_run_writes_nothing_and_shows_what_it_would(here: Here) -> None:
    (here.folder / ".mcp.json").write_text('{"mcpServers": {"wiki": {"command": "wiki"}}}')
    status, out, _ = here.run("import", "--dry-run")
    assert status == 0 and not here.own.exists() and '  | [providers.mcp.wiki]\n  | command = "wiki"' in out


def test_p13_one_file_and_where_it_goes(here: Here, tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    file.write_text('{"mcpServers": {"wiki": {"command": "wiki", "env": {"A": "1"}}}}')
    assert (
        here.json("import", str(file), "--to", "folder")[0]["taken"]
        and "[providers.mcp.wiki.env]" in here.own.read_text()
    )
    file.write_text('{"mcpServers": {"other": {"command": "wiki"}}}')
    assert here.json("import", str(file))[0]["taken"] and "other" in here.user.read_text()
    file.write_text("{]")
    status, out, err = here.run("import", str(file))
    assert (status, out) == (1, "No servers found.\n") and "isn't JSON" in err
    status, _, err = here.run("import", str(tmp_path / "none.json"))
    assert status == 1 and "No such file" in err


def test_p13_an_imported_folders_file_stays_untrusted_until_it_is_trusted_again(here: Here) -> None:
    here.own.write_text("ui.sidebar = 'hide'\n")
    _, place = here.place("list")
    trust_store.trust(place.sources.store, here.own, here.own.read_bytes())
    (here.folder / ".mcp.json").write_text('{"mcpServers": {"wiki": {"command": "wiki"}}}')
    assert here.json("import")[0]["taken"] and "ui.sidebar = 'hide'" in here.own.read_text()
    assert place.sources.load().get("providers", "mcp", "wiki") is None


def test_p14_doctor_names_each_server_and_what_is_missing(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    from jp_tui.startup.mcp import checkup

    here.user.write_text(
        '[providers.mcp.docs]\ncommand = "npx"\n[providers.mcp.off]\ncommand = "x"\nenabled = false\n'
        '[providers.mcp.web]\nurl = "https://x.example"\nbearer_env = "WEB_TOKEN"\n'
    )
    here.own.write_text('[providers.mcp.team]\ncommand = "./x"\n')

    def found(**environment: str) -> dict[str, tuple[str, str, str]]:
        _, place = here.place("list")
        findings = checkup.mcp_findings(place.sources.load(), place, environment)
        return {one.check: (one.state, one.detail, one.mend) for one in findings}

    monkeypatch.setattr(checkup, "installed", lambda: True)
    said = found()
    assert said["mcp web"] == ("bad", "$WEB_TOKEN isn't set", f"Set it, or change {here.user}:6.")
    assert said["mcp docs"][:2] == ("ok", "not reached yet") and said["mcp off"][0] == "ok"
    assert said["mcp team"][1] == "not started: its file isn't trusted"
    assert found(WEB_TOKEN="hush")["mcp web"][0] == "ok" and "hush" not in str(found(WEB_TOKEN="hush"))
    here.listed(SEARCH)
    here.listed(SEARCH, READ)
    assert found()["mcp docs"][:2] == ("warn", "2 tools, 1 new or changed")
    wants = '{"state": "failed", "error": "docs needs a login: jp-tui mcp login docs"}'
    (here.home / "jp/state/mcp/docs.json").write_text(wants)
    assert found()["mcp docs"][2] == "jp-tui mcp login docs logs in."
    monkeypatch.setattr(checkup, "installed", lambda: False)
    assert found()["mcp"] == ("bad", "no MCP server can start", 'MCP servers need the extra: pip install "jp-tui[mcp]"')
    here.user.write_text("")
    here.own.unlink()
    assert found() == {}


def test_ar24_rules_are_tried_on_the_tools_that_servers_offered_last(
    here: Here,
) -> None:
    from jp_tui.startup.rules import rules

    here.listed(SEARCH)
    (here.user.parent / "rules.toml").write_text('[[rule]]\nid = "mine"\neffect = "allow"\ntool = "mcp.docs.search"\n')
    arguments = parse(["rules", "test", "--tool", "mcp.docs.search", "--args", "{}", "--workspace", str(here.folder)])
    assert isinstance(arguments, CommandLine)
    place, out = RunLocation(arguments), io.StringIO()
    assert rules(arguments, place.sources.load(), place, TextOutput(False, out, out)) == 0
    assert out.getvalue() == "runs: {}  (mine)\n"
