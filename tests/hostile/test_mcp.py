"""The recorded attacks of the group `mcp`: what a server lists, says and asks (mcp.md).

Cases about a server's process and its messages are tried where such servers are: `ELSEWHERE` names the tests.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.mcp import questions
from jp_tui.mcp.approval import definition, difference, fingerprint, offered
from jp_tui.mcp.configured import identity, servers
from jp_tui.mcp.values import McpListing, McpServer, McpTool
from jp_tui.protocol.mcp import McpRead, McpServerInfo, McpToolInfo
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.load import load
from jp_tui.startup.mcp.running import unusable
from jp_tui.view.pages import mcp as page
from tests.engine.test_schemas import laughs
from tests.hostile import recorded

ROOT = Path(__file__).parents[1]
ELSEWHERE = {
    "MCP-012": "mcp/test_questions.py::test_a_result_that_breaks_its_own_schema_is_an_error",
    "MCP-013": "mcp/test_connection.py::test_noise_is_counted_and_dropped",
    "MCP-014": "mcp/test_connection.py::test_noise_is_counted_and_dropped",
    "MCP-017": "mcp/test_connection.py::test_noise_is_counted_and_dropped",
    "MCP-019": "mcp/test_connection.py::test_nothing_outlives_a_server",
    "MCP-020": "mcp/test_connection.py::test_nothing_outlives_a_server",
}
_TRIED: dict[str, Callable[[dict[str, Any], Path], Any]] = {}


def case(id_: str) -> Callable[[Callable[[dict[str, Any], Path], Any]], Callable[[dict[str, Any], Path], Any]]:
    def register(tries: Callable[[dict[str, Any], Path], Any]) -> Callable[[dict[str, Any], Path], Any]:
        _TRIED[id_] = tries
        return tries

    return register


def configured(folder: Path, user: str = "", workspace: str = "", *, trusted: bool = False) -> Settings:
    files = folder / "config.toml", folder / "ws.toml"
    for file, text in zip(files, (user, workspace), strict=True):
        file.write_text(text)
    return load(user_file=str(files[0]), workspace_file=str(files[1]), environment={}, trusted=trusted)


@pytest.mark.parametrize("id_", recorded.ours("mcp"))
async def test_mcp(id_: str, tmp_path: Path) -> None:
    if (named := ELSEWHERE.get(id_)) is not None:
        file, _, name = named.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text()
        return
    done = _TRIED[id_](recorded.ours("mcp")[id_]["payload"], tmp_path)
    if done is not None:
        await done


@case("MCP-002")
def hidden_description(payload: dict[str, Any], _: Path) -> None:
    """Before and after the sequence all is readable, in the list, in the whole and in a difference."""
    from jp_tui.ui.screens.mcp.page import _item
    from jp_tui.ui.text import foreign

    tool = McpTool("add", description="Adds numbers.")
    (changed,) = offered("s", "i", [replace(tool, description=payload["utf8"])], offered("s", "i", [tool], None)[1])[0]
    info = McpToolInfo(
        tool=Foreign("add"),
        name="mcp.s.add",
        wire="mcp__s__add",
        state="changed",
        description=Foreign(payload["utf8"]),
        difference=Foreign(difference(changed)),
    )
    server = McpServerInfo(
        name="s", transport="stdio", target=Foreign("x"), origin=Foreign("f:1"), state="listed", tools=(info,)
    )
    row = page.rows(McpRead(servers=(server,)))[1]
    item = _item(row)
    for shown in (*item.lines, item.detail, foreign(row.whole, mode="approval")):
        assert "\x1b" not in shown.plain
    assert "Adds numbers." in item.detail.plain and "send files" in item.detail.plain


@case("MCP-006")
def one_name_of_two_servers(_: dict[str, Any], __: Path) -> None:
    names = [offered(server, "i", [McpTool("search")], None)[0][0].name for server in ("a", "b")]
    assert names == ["mcp.a.search", "mcp.b.search"]


@case("MCP-007")
def server_with_a_reserved_name(_: dict[str, Any], folder: Path) -> None:
    for name in ("fs", "shell", "mcp", "builtin", "local", "jp-tui"):
        with pytest.raises(SettingsError, match="reserved name"):
            configured(folder, f"[providers.mcp.{name}]\ncommand = 'x'\n")


@case("MCP-011")
async def endless_schema(payload: dict[str, Any], _: Path) -> None:
    """The tool is off, the others of its server stay."""
    deep: dict[str, Any] = {"type": "object"}
    for _level in range(200):
        deep = {"type": "object", "properties": {"a": deep}}
    schemas = {
        "laughs": laughs(min(payload["json"]["$laughs"], 14)),  # one of 24 levels is longer than a message may be
        "deep": deep,
        "itself": {"$ref": "#"},
        "outside": {"$ref": "https://evil.example/schema.json"},
        "file": {"$ref": "file:///etc/passwd"},
        "pattern": {"type": "string", "pattern": "(a+)+$" * 2000},
        "large": {"description": "x" * (65 << 10)},
        "fine": {"type": "object"},
    }
    tools = tuple(McpTool(name, input_schema=schema) for name, schema in schemas.items())
    began = time.monotonic()
    why = await unusable(McpListing("s", "2025-11-25", tools=tools))
    assert time.monotonic() - began < 60
    assert {"laughs", "deep", "outside", "file", "large"} <= set(why) and "fine" not in why
    found, pins = offered("s", "i", tools, None, unusable=why)
    assert "fine" in pins and not set(why) & set(pins) and len(found) == len(tools)


@case("MCP-022")
def form_for_a_password(_: dict[str, Any], __: Path) -> None:
    for properties in ({"password": {"type": "string"}}, {"x": {"type": "string", "title": "API key"}}):
        asked = questions.asks(
            "elicitation/create",
            {"mode": "form", "message": "Log in", "requestedSchema": {"type": "object", "properties": properties}},
            host="",
        )
        assert not isinstance(asked, questions.UnaskedRequest) and asked.refused, "declined without being asked"


@case("MCP-024")
def message_in_our_name(_: dict[str, Any], __: Path) -> None:
    """The message is the server's, and the frame says whose tool asks."""
    from jp_tui.protocol.values import PromptRequest
    from jp_tui.ui.sheets import texts

    params = {
        "mode": "form",
        "message": "[jp_tui] session expired",
        "requestedSchema": {"type": "object", "properties": {}},
    }
    asked = questions.asks("elicitation/create", params, host="")
    assert not isinstance(asked, questions.UnaskedRequest) and asked.text == "[jp_tui] session expired"
    prompt = PromptRequest(
        conversation="c", inquiry="i", call="c1", tool="mcp.docs.search", turn=1, digest="d", source="tool",
        question=asked, tool_kind="mcp", server="docs", source_name="mcp.docs.search",
    )  # fmt: skip
    frame = texts.title(prompt).plain
    assert "docs" in frame and "search" in frame and "session expired" not in frame


@case("MCP-025")
def sampling_is_off(_: dict[str, Any], folder: Path) -> None:
    assert servers(configured(folder, "[providers.mcp.s]\ncommand = 'x'\n"))["s"].sampling == "off"


@case("MCP-026")
def roots_are_the_workspace(_: dict[str, Any], folder: Path) -> None:
    from jp_tui.settings.cli.arguments import CommandLine
    from jp_tui.startup.mcp.running import launch
    from jp_tui.startup.parts import Parts, RunLocation

    place = RunLocation(CommandLine(workspace=str(folder)))
    parts = Parts(configured(folder), {}, place.paths, place.workspace, {}, place.sources)
    assert launch(McpServer("s", "x"), parts).root == place.workspace.as_uri()


@case("MCP-027")
def server_of_a_folder(payload: dict[str, Any], folder: Path) -> None:
    """Neither in another program's words nor in ours; the trust page shows the whole command line."""
    from jp_tui.settings.layers import toml
    from jp_tui.settings.layers.trust_preview import proposed

    assert servers(configured(folder, "", payload["toml"])) == {}
    ours = payload["toml"].replace("mcp_servers", "providers.mcp")
    assert servers(configured(folder, "", ours)) == {}
    (shown,) = proposed(toml.parse(ours.encode(), "f"), "f", configured(folder), None)
    assert shown.does == 'runs the program "sh" "-c" "touch /tmp/pwned" as the MCP server x' and shown.counts == "waits"


@case("MCP-028")
def command_that_changes(_: dict[str, Any], folder: Path) -> None:
    """A pull changes the file, so it isn't trusted any more; and what was accepted was accepted for another command."""
    before, after = (McpServer("s", "npx", ("-y", version)) for version in ("docs@1", "docs@2"))
    tool = McpTool("read")
    pins = offered("s", identity(before), [tool], None)[1]
    assert offered("s", identity(after), [tool], pins)[0][0].state == "changed"
    text = "[providers.mcp.s]\ncommand = 'npx'\nargs = ['docs@%d']\n"
    assert set(servers(configured(folder, "", text % 1, trusted=True))) == {"s"}
    assert servers(configured(folder, "", text % 2)) == {}


def test_unicode_of_names_and_descriptions_changes_no_fingerprint_by_itself() -> None:
    """What looks the same isn't: each character counts, and none is normalised away."""
    for first, second in (("café", "cafe\u0301"), ("a", "a\u200b"), ("a", "\u0430")):
        assert fingerprint(McpTool("x", first)) != fingerprint(McpTool("x", second))
        assert definition(McpTool("x", first))["title"] == first
