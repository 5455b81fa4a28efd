"""Servers for the page (mcp.md P3, P14, P31), and files that they start (P2)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jp_tui.mcp.approval import fingerprint, offered
from jp_tui.mcp.configured import identity, servers, started_files
from jp_tui.mcp.store import Contact, McpStore
from jp_tui.mcp.values import McpServer, McpTool
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.mcp.admin import Admin, last_lines
from jp_tui.startup.parts import Parts, RunLocation
from jp_tui.tools.files import guard

SEARCH = McpTool("search", "Search", "Find pages.", {"type": "object"}, annotations={"readOnlyHint": True})
DOCS = "[providers.mcp.docs]\ncommand = 'x'\nargs = ['a b', 'c']\n"


class Up:
    """Servers of a run, of which `docs` is up."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def alive(self, name: str) -> bool:
        return name == "docs"

    def taken(self, name: str) -> None:
        self.done.append(f"taken {name}")

    async def start(self, settings: Settings) -> tuple[str, ...] | None:
        return None

    async def restart(self, name: str, settings: Settings) -> None:
        self.done.append(f"restart {name}")


class Here:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / "ws"
        self.folder.mkdir()
        self.place = RunLocation(CommandLine(workspace=str(self.folder)))
        self.place.paths.config.mkdir(parents=True)
        self.up = Up()

    def admin(self, text: str = DOCS, *, up: bool = False) -> Admin:
        self.place.paths.config_file.write_text(text)
        settings = self.place.sources.load()
        parts = Parts(settings, {}, self.place.paths, self.place.workspace, {}, self.place.sources)
        return Admin(parts, self.up if up else None)

    def listed(self, *tools: McpTool, first: bool = True) -> McpStore:
        store = McpStore(self.place.paths.data, self.place.paths.state, self.place.workspace)
        server = servers(self.place.sources.load())["docs"]
        if first:
            store.save_pins("docs", offered("docs", identity(server), tools, None)[1], folder=False)
        store.save_contact("docs", Contact("ok", "2026-03-05T20:11:12Z", protocol="p", tools=tools), folder=False)
        return store


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return Here(tmp_path)


def test_p14_servers_with_their_tools_as_known_now(here: Here) -> None:
    admin = here.admin(
        DOCS + "[providers.mcp.off]\nurl = 'https://x.example'\nenabled = false\n"
        "[conversation.tools.find]\nsource = 'mcp.docs.search'\nenable = false\n"
    )
    assert [(one.name, one.state) for one in admin.read(()).servers] == [("docs", "never"), ("off", "off")]
    store = here.listed(SEARCH)
    store.log("docs").write_text("".join(f"line {at}\n" for at in range(5000)))
    docs = admin.read(()).servers[0]
    assert (docs.state, docs.target.raw, docs.log.raw.splitlines()[0]) == ("listed", "x a b c", "line 4980")
    (tool,) = docs.tools
    assert (tool.name, tool.wire, tool.on, tool.locked, tool.state) == ("find", "find", False, False, "pinned")
    assert tool.hints.raw == '{\n  "readOnlyHint": true\n}' and tool.fingerprint == fingerprint(SEARCH)
    assert here.admin(up=True).read(()).servers[0].state == "running"
    delta: dict[str, Any] = {"conversation": {"tools": {"mcp.docs.search": {"enable": False}}}}
    assert not here.admin().read([delta]).servers[0].tools[0].on, "a conversation's switches count"


def test_p14_a_folders_server_that_is_not_trusted_is_shown_only(here: Here) -> None:
    (here.folder / ".jp-tui").mkdir()
    (here.folder / ".jp-tui/config.toml").write_text("[providers.mcp.team]\ncommand = './run'\n")
    (team,) = here.admin("").read(()).servers
    assert (team.name, team.state) == ("team", "untrusted")
    with pytest.raises(ValueError, match="no MCP server team"):
        here.admin("").accept("team", [])


def test_p31_only_what_was_shown_is_accepted(here: Here) -> None:
    admin = here.admin(up=True)
    here.listed(SEARCH)
    changed = replace(SEARCH, description="Else.")
    here.listed(changed, first=False)
    (tool,) = admin.read(()).servers[0].tools
    assert tool.state == "changed" and "+Else." in tool.difference.raw
    here.listed(replace(SEARCH, description="And else."), first=False)
    with pytest.raises(ValueError, match="lists search differently by now"):
        admin.accept("docs", [("search", tool.fingerprint)])
    here.listed(changed, first=False)
    admin.accept("docs", [("search", tool.fingerprint)])
    assert admin.read(()).servers[0].tools[0].state == "pinned" and here.up.done == ["taken docs"]


async def test_p14_restarting_needs_servers_that_run_here(here: Here) -> None:
    await here.admin(up=True).restart("docs")
    assert here.up.done == ["restart docs"]
    with pytest.raises(ValueError, match="can't be started here"):
        await here.admin().restart("docs")
    assert await here.admin().start() is None


def test_a_log_that_is_not_there_has_no_lines(tmp_path: Path) -> None:
    assert last_lines(tmp_path / "none.log") == ""


def test_p2_files_of_the_workspace_that_a_command_line_names_are_guarded(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    for name in ("serve.py", "tools/run", "tools/config.ini"):
        (tmp_path / name).write_text("")
    (tmp_path / "link.py").symlink_to("serve.py")
    server = McpServer("s", "./tools/run", ("link.py", "--config=tools/config.ini", "/etc/passwd", "..", "tools"))
    assert started_files(server, str(tmp_path)) == {"tools/run", "serve.py", "tools/config.ini"}
    assert started_files(McpServer("s", "run", ("serve.py",), cwd="tools"), str(tmp_path)) == {"tools/run"}
    assert guard.why_protected("guarded_by_test/serve.py") is None
    guard.guard_started({"guarded_by_test/serve.py"})
    assert guard.why_protected("guarded_by_test/serve.py") == "an MCP server that your settings start runs it"


def test_p2_reports_hold_nothing_that_a_server_gets(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    from jp_tui.startup.parts import kept_secret

    for name in ("ONE", "TWO", "THREE", "FOUR"):
        monkeypatch.setenv(name, f"canary-{name}")
    here.admin(
        "[providers.mcp.docs]\ncommand = 'x'\nenv = { A = 'literal-canary', B = '1' }\nenv_from = { C = 'ONE' }\n"
        "[providers.mcp.web]\nurl = 'https://x.example'\nheaders_from = { X-K = 'TWO' }\nbearer_env = 'THREE'\n"
        "[providers.mcp.own]\nurl = 'https://y.example'\noauth = { client_id = 'me', client_secret_env = 'FOUR' }\n"
    )
    found = kept_secret(here.place.sources.load())
    secret = {"canary-ONE", "canary-TWO", "canary-THREE", "canary-FOUR", "literal-canary"}
    assert secret <= set(found) and not {"1", "me"} & set(found)


def test_p21_tools_lists_what_servers_offered_last(here: Here) -> None:
    from jp_tui.settings.cli.toggles import Toggle
    from jp_tui.startup.mcp.known import last_tools

    here.admin(DOCS + "[conversation.tools.'mcp.docs.*']\nrun = 'unattended'\n")
    here.listed(SEARCH)
    here.listed(SEARCH, McpTool("new"), first=False)
    settings = here.place.sources.load()
    found = last_tools(settings, here.place, [Toggle(False, "mcp.docs.*")])
    assert {name: (one.run, one.enable.state) for name, one in found.items()} == {
        "mcp.docs.search": ("unattended", False)
    }


async def test_p14_without_the_extra_a_run_says_so_once_and_starts_nothing(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jp_tui.mcp import host
    from jp_tui.startup.mcp.running import RunningServers

    monkeypatch.setattr(host, "installed", lambda: False)
    here.place.paths.config_file.write_text(DOCS + "[providers.mcp.web]\nurl = 'https://x.example'\n")
    settings = here.place.sources.load()
    running = RunningServers(Parts(settings, {}, here.place.paths, here.place.workspace, {}, here.place.sources))
    assert list(await running.ready()) == ['MCP servers need the extra: pip install "jp-tui[mcp]"']
    assert list(await running.ready()) == [] and running.tools(settings) == {}
    assert await running.start(settings) is None
    with pytest.raises(ValueError, match="need the extra"):
        await running.restart("docs", settings)
    assert not running.alive("docs")
