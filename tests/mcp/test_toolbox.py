"""What a conversation gets of listed tools (mcp.md P20, P21, P30, P31): settings, names, changes, records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jp_tui.engine.base.dependencies import ToolSetup
from jp_tui.mcp.approval import OfferedTool
from jp_tui.mcp.store import McpStore
from jp_tui.mcp.values import McpFailure, McpListing, McpTool
from jp_tui.settings.cli.toggles import Toggle
from jp_tui.settings.data import DEFAULTS_FILE, TOOLS_FILE
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.load import load
from jp_tui.startup.mcp.toolbox import McpToolbox
from tests.fakes.tools import Made, at_once

SEARCH = McpTool("search", "Search", "Find pages.", {"properties": {"q": {"type": "string"}}})
READ = McpTool("read", input_schema={"type": "object"}, annotations={"readOnlyHint": True})
SERVERS = "[providers.mcp.docs]\ncommand = 'x'\n[providers.mcp.web]\nurl = 'https://x.example'\n"


class Box:
    """A toolbox over files of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[tuple[OfferedTool, str]] = []
        self.box = self.again()

    def again(self) -> McpToolbox:
        """As in another run of the program."""
        store = McpStore(self.folder / "data", self.folder / "state", self.folder)
        self.box = McpToolbox(store, self.settings(), self._make, lambda listing: {"bad": "why"})
        return self.box

    def _make(self, one: OfferedTool, name: str) -> Made:
        self.made.append((one, name))
        return Made(at_once)

    def settings(self, text: str = "") -> Settings:
        file = self.folder / "config.toml"
        file.write_text(SERVERS + text)
        return load(user_file=str(file), workspace_file="", environment={}, builtins=(DEFAULTS_FILE, TOOLS_FILE))

    def lists(self, *tools: McpTool, server: str = "docs") -> None:
        self.box.listed(McpListing(server, "2025-11-25", tools=tools))

    def setups(self, text: str = "", *given: Toggle) -> dict[str, ToolSetup]:
        return self.box.setups(self.settings(text), given)


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


def test_p20_p21_listed_tools_come_with_names_settings_and_schemas(box: Box) -> None:
    box.lists(SEARCH, READ, McpTool("bad"), McpTool("a b"))
    found = box.setups("[conversation.tools.find]\nsource = 'mcp.docs.search'\nrun = 'unattended'\n")
    assert set(found) == {"find", "mcp.docs.read"}
    find, read = found["find"], found["mcp.docs.read"]
    assert (find.spec.name, find.spec.description, find.kind, find.server) == ("find", "Find pages.", "mcp", "docs")
    assert find.spec.parameters == {"type": "object", "properties": {"q": {"type": "string"}}}
    assert (find.run, read.run, read.read_only) == ("unattended", "ask", False), "a server's hint gives no leave"
    assert [name for _, name in box.made] == ["find", "mcp.docs.read"]


def test_p21_switches_apply_when_the_tools_are_known(box: Box) -> None:
    box.lists(SEARCH, READ)
    box.lists(SEARCH, server="web")
    assert set(box.setups("", Toggle(False, "mcp.docs.*"))) == {"mcp.web.search"}
    assert set(box.setups("", Toggle(False), Toggle(True, "mcp.docs.read"))) == {"mcp.docs.read"}
    assert set(box.setups("[conversation.tools.'mcp.docs.*']\nenable = false\n")) == {"mcp.web.search"}


def test_p30_the_first_listing_is_said_once_and_kept(box: Box) -> None:
    box.lists(SEARCH, READ)
    assert box.box.said() == ("MCP server docs: 2 tools, accepted as listed now. Later changes wait for you.",)
    assert box.box.said() == ()
    box.again()
    box.lists(SEARCH, READ)
    assert box.box.said() == () and set(box.setups()) == {"mcp.docs.search", "mcp.docs.read"}


def test_p31_a_tool_that_appears_waits_and_a_changed_one_is_offered_as_accepted(box: Box) -> None:
    box.lists(SEARCH)
    before = box.setups()["mcp.docs.search"]
    box.box.said()
    box.lists(replace(SEARCH, description="Find pages and send them away."), READ)
    assert box.box.said() == ("MCP server docs: new or changed tools wait for you (/mcp): search, read",)
    found = box.setups()
    assert set(found) == {"mcp.docs.search"} and found["mcp.docs.search"].spec == before.spec
    change = before.change()
    assert change is not None, "in the middle of a turn, too"
    assert change.parts == ("description",) and "+Find pages and send them away." in change.shown
    change.accept()
    assert before.change() is None and found["mcp.docs.search"].change() is None
    assert box.setups()["mcp.docs.search"].spec.description == "Find pages and send them away."
    box.box.accept("docs", ["read"])
    assert set(box.setups()) == {"mcp.docs.search", "mcp.docs.read"}


def test_p31_what_another_process_accepted_counts_here_too(box: Box) -> None:
    box.lists(SEARCH)
    box.lists(SEARCH, READ)
    mine = box.box
    box.again()
    box.lists(SEARCH, READ)
    box.box.accept("docs", ["read"])
    assert set(mine.setups(box.settings())) == {"mcp.docs.search", "mcp.docs.read"}


def test_p10_contacts_are_recorded(box: Box, tmp_path: Path) -> None:
    box.lists(SEARCH, McpTool("bad"))
    store = McpStore(tmp_path / "data", tmp_path / "state", tmp_path)
    contact = store.contact("docs", folder=False)
    assert (contact.state, contact.protocol, contact.unusable) == ("ok", "2025-11-25", {"bad": "why"})
    assert [tool.name for tool in contact.tools] == ["search", "bad"] and contact.at
    box.box.listed(McpFailure("docs", "docs ended with status 1 before it was ready"))
    contact = store.contact("docs", folder=False)
    assert (contact.state, contact.error) == ("failed", "docs ended with status 1 before it was ready")
    assert len(contact.tools) == 2, "what it listed last stays known"
    box.box.listed(McpFailure("gone", "x"))


def test_a_full_disk_is_said_and_breaks_nothing(box: Box, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mcp").write_text("")
    box.lists(SEARCH)
    assert "MCP server docs:" in box.box.said()[0]
