"""Settings of MCP tools, by tool and by server (mcp.md P20, P21), and `-t`, `-T` for them (R38, R73-R76)."""

from __future__ import annotations

import pytest

from jp_tui.settings import toolset
from jp_tui.settings.cli import toggles
from jp_tui.settings.cli.toggles import Toggle
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.settings.layers.explain import explained
from jp_tui.settings.toolset import ToolSettings
from tests.settings.conftest import Home

DOCS = "[providers.mcp.docs]\ncommand = 'x'\n"
LISTED = {"docs": ["search", "a.b"]}


def tools(home: Home, text: str = "") -> dict[str, ToolSettings]:
    return toolset.mcp_tools(home.load(DOCS + text), LISTED)


def test_p21_a_tools_settings_stand_over_its_servers_and_those_over_all(home: Home) -> None:
    found = tools(
        home,
        "[conversation.tools.'*']\nresult = 'ask'\n"
        "[conversation.tools.'mcp.docs.*']\nrun = 'unattended'\nenable = false\nquestions.elicit.target = 'assistant'\n"
        "[conversation.tools.'mcp.docs.a.b']\nenable = true\nrun = 'edit'\nquestions.elicit.exclusive = false\n",
    )
    search, dotted = found["mcp.docs.search"], found["mcp.docs.a.b"]
    assert (search.kind, search.run, search.result, search.enable.state) == ("mcp", "unattended", "ask", False)
    assert (dotted.run, dotted.result, dotted.enable.state) == ("edit", "ask", True)
    assert search.question("elicit").target == dotted.question("elicit").target == "assistant"
    assert (search.question("elicit").exclusive, dotted.question("elicit").exclusive) == (None, False)


def test_p21_by_default_a_tool_asks_before_it_runs(home: Home) -> None:
    assert {tool.run for tool in tools(home).values()} == {"ask"}


def test_p21_source_under_another_key_renames(home: Home) -> None:
    found = tools(home, "[conversation.tools.find]\nsource = 'mcp.docs.search'\nrun = 'unattended'\n")
    assert set(found) == {"find", "mcp.docs.a.b"}
    assert (found["find"].source, found["find"].run, found["find"].kind) == ("mcp.docs.search", "unattended", "mcp")
    assert set(tools(home, "[conversation.tools.search]\nsource = 'mcp.docs'\n")) == {"search", "mcp.docs.a.b"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[conversation.tools.'mcp.docs.search']\nsource = 'local'\ncommand = 'x'", "takes no such key"),
        ("[conversation.tools.'mcp.docs.*']\ncommand = 'x'", "takes no such key"),
        ("[conversation.tools.find]\nsource = 'mcp.docs.search'\nparameters.x.type = 'string'", "takes no such key"),
        ("[conversation.tools.find]\nsource = 'mcp.other.search'", "the MCP server other is not configured"),
        ("[conversation.tools.'mcp.Docs.search']\nrun = 'ask'", "mcp.SERVER.TOOL"),
        ("[conversation.tools.'mcp.docs.a b']\nrun = 'ask'", "mcp.SERVER.TOOL"),
        ("[conversation.tools.'mcp.docs']\nrun = 'ask'", "mcp.SERVER.TOOL"),
    ],
)
def test_r71_what_a_servers_tool_cannot_be_is_an_error(home: Home, text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        toolset.tools(home.load(f"{DOCS}{text}\n"))


def test_settings_of_a_tool_that_no_server_lists_yet_are_no_fault(home: Home) -> None:
    settings = home.load(DOCS + "[conversation.tools.'mcp.docs.later']\nrun = 'unattended'\n")
    assert not settings.notices and "mcp.docs.later" not in toolset.tools(settings)


def states(home: Home, text: str, *given: Toggle) -> dict[str, bool]:
    changed = toggles.apply(tools(home, text), given, {"docs"})
    return {name.removeprefix("mcp.docs."): tool.enable.state for name, tool in changed.items()}


def test_r38_a_group_switches_what_its_lock_leaves_to_groups(home: Home) -> None:
    off = Toggle(False, "mcp.docs.*")
    assert states(home, "", off) == {"search": False, "a.b": False}
    assert states(home, "", off, Toggle(True, "mcp.docs.search")) == {"search": True, "a.b": False}
    lock = "[conversation.tools.'mcp.docs.search']\nenable = { state = true, allow_toggle = '%s' }\n"
    assert states(home, lock % "if_named_or_group", off)["search"] is False
    assert states(home, lock % "if_named_or_group", Toggle(False))["search"] is True
    assert states(home, lock % "if_named", off)["search"] is True
    assert states(home, lock % "never", off)["search"] is True
    with pytest.raises(UsageError, match="locked-on"):
        states(home, lock % "never", Toggle(False, "mcp.docs.search"))


def test_r74_a_tool_of_a_server_may_be_named_before_its_server_runs(home: Home) -> None:
    settings = home.load(DOCS)
    known = toolset.tools(settings)
    given = [Toggle(False, "mcp.docs.later"), Toggle(False, "mcp.docs.*")]
    assert toggles.apply(known, given, {"docs"}) == known
    with pytest.raises(UsageError, match=r"no tool mcp\.other\.x"):
        toggles.apply(known, [Toggle(True, "mcp.other.x")], {"docs"})
    delta = toggles.delta({}, known, known, toggles=given)
    off = {"enable": {"state": False}}
    assert delta == {"conversation": {"tools": {"mcp.docs.later": off, "mcp.docs.*": off}}}
    toggles.check_choice(known, "mcp.docs.search", settings)


def test_s10_a_folder_cannot_loosen_what_is_set_for_a_server(home: Home) -> None:
    """The user asks for all of a server, though tools in general run; `edit` is stricter than the second only."""
    user = (
        DOCS + "[conversation.tools.'*']\nrun = 'unattended'\n[conversation.tools.'mcp.docs.*']\nrun = 'ask'\n"
        "[conversation.tools.'mcp.docs.search']\nstyle.hidden = false\n"
    )
    settings = home.load(user, "[conversation.tools.'mcp.docs.search']\nrun = 'edit'\n")
    assert toolset.mcp_tools(settings, LISTED)["mcp.docs.search"].run == "ask"


def test_config_show_names_the_place_of_a_servers_value(home: Home) -> None:
    text = (
        DOCS
        + "[conversation.tools.'mcp.docs.*']\nrun = 'edit'\n[conversation.tools.'mcp.docs.search']\nresult = 'ask'\n"
    )
    shown = explained(home.load(text), ("conversation", "tools", "mcp.docs.search", "run"), {})
    assert [(one.value, one.place) for one in shown] == [("edit", f"{home.user}:4")]
