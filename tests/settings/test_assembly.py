"""What the engine is given of the settings: tools, rules and policies (R53, R62, R63, R72, R79, R171), read anew (R67),
and settings taken back (E43)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.engine.base.dependencies import ToolSetup
from jp_tui.inquiry.values import Rule
from jp_tui.settings import toolset
from jp_tui.settings.cli import toggles
from jp_tui.settings.cli.toggles import Toggle
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.settings.layers import trust_store
from jp_tui.settings.sources import Sources
from jp_tui.startup.parts import Parts
from jp_tui.startup.setup import _unset as unset
from jp_tui.startup.setup import reloaded
from jp_tui.startup.tools import tool_setups
from jp_tui.system.paths import Paths
from jp_tui.tools.local.tool import FormattedTool
from jp_tui.tools.port import ToolCall
from tests.settings.conftest import Home

GREET = (
    "[conversation.tools.greet]\nsource = 'local'\n"
    "command = { program = 'sh', args = ['-c', 'echo hello {{ tool.arguments.name }}'] }\n"
    "parameters.name = { type = 'string', required = true }\n"
)


def setups(home: Home, user: str = "", **more: Any) -> dict[str, ToolSetup]:
    settings = home.load(user, **more)
    return tool_setups(settings, toolset.tools(settings))


def test_a_built_in_is_what_its_source_names(home: Home) -> None:
    tools = setups(
        home, "conversation.tools.mine.source = 'builtin.fs_read_file'\nconversation.tools.ask.source = 'builtin'"
    )
    assert tools["mine"].tool is not None and tools["mine"].kind == "built-in"
    assert tools["ask"].tool is None, "R63: an alias of ask_user by its own key is no executor"
    assert (tools["mine"].run, tools["fs_read_file"].run) == ("ask", "unattended")
    assert tools["mine"].run_place == "", "nobody but us said so"
    assert setups(home, "conversation.tools.'*'.run = 'unattended'")["fs_read_file"].run_place == ""
    own = setups(
        home, "conversation.tools.'*'.run = 'unattended'\nconversation.tools.mine.source = 'builtin.fs_read_file'"
    )
    assert own["mine"].run_place == f"{home.user}:1"


async def test_r83_a_configured_command_is_a_tool(home: Home, tmp_path: Path) -> None:
    greet = setups(home, GREET)["greet"]
    assert (greet.kind, greet.run, greet.format) == ("local", "ask", "ask") and greet.tool is not None
    assert greet.spec.parameters == {
        "type": "object",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {"name": {"type": "string"}},
    }
    outcome = await greet.tool.run(ToolCall({"name": "Ada"}, tmp_path))
    assert isinstance(outcome, Success) and outcome.content.strip() == "hello Ada"
    assert isinstance(await greet.tool.run(ToolCall({}, tmp_path)), Failure), "M28"


def test_a_command_that_is_none_names_its_line(home: Home) -> None:
    with pytest.raises(SettingsError, match=r"config\.toml:3:1: conversation\.tools\.x\.command: the quote"):
        setups(home, "[conversation.tools.x]\nsource = 'local'\ncommand = \"say 'hi\"")


def test_modes_policies_and_places_reach_the_engine(home: Home) -> None:
    text = (
        "[conversation.tools.fs_read_file]\nrun = 'edit'\nresult = 'ask'\nformat = 'unattended'\n"
        "detached = { run = 'auto' }\ncancellation_response = 'no'\nstyle.hidden = true\n"
    )
    tool = setups(home, text)["fs_read_file"]
    assert (tool.run, tool.result, tool.format, tool.hidden) == ("edit", "ask", "unattended", True)
    assert (tool.policies.run, tool.policies.deliver, tool.policies.tool) == ("auto", "unset", "unset")
    assert (tool.run_place, tool.cancellation) == (f"{home.user}:2", "no")


def test_r94_r144_places_of_result_and_of_each_policy_reach_the_engine(home: Home) -> None:
    text = (
        "[conversation.tools.fs_read_file]\nresult = 'ask'\ndetached.run = 'auto'\n"
        "[conversation.tools.'*'.detached]\nrun = 'deny'\ntool = 'defer'\n"
    )
    variable = "JP_TUI_CONVERSATION__TOOLS__ASK_USER__DETACHED__DELIVER"
    tools = setups(home, text, environment={variable: "auto"})
    read, ask = tools["fs_read_file"], tools["ask_user"]
    assert (read.result_place, ask.result_place) == (f"{home.user}:2", "")
    assert dict(read.policies.places) == {"run": f"{home.user}:3", "tool": f"{home.user}:6"}
    assert dict(ask.policies.places) == {"run": f"{home.user}:5", "deliver": variable, "tool": f"{home.user}:6"}
    assert dict(setups(home)["ask_user"].policies.places) == {}


def test_r90_a_command_as_text_shows_the_arguments(home: Home) -> None:
    shown = "style.parameters = \"printf '<%s>' {{ tool.arguments.name }}\"\n"
    tool = setups(home, GREET + shown)["greet"].tool
    assert isinstance(tool, FormattedTool)
    assert asyncio.run(tool.render(ToolCall({"name": "Ada Lovelace"}, home.user.parent))) == "<Ada Lovelace>"
    for before in ("", GREET):
        table = "[conversation.tools.'*']\n" if before else GREET
        with pytest.raises(SettingsError, match=r"config\.toml:\d+:1: conversation\.tools\..*parameters: the quote"):
            setups(home, before + table + 'style.parameters = "show \'x"\n')


def test_r72_the_rule_of_a_change_says_where_it_comes_from(home: Home) -> None:
    model = "conversation.inquiry.assistant.model.id = 'local/judge'"
    rule = setups(home, model)["fs_modify_file"].rules["apply_changes"]
    key = "conversation.inquiry.assistant.model.id"
    assert rule == Rule(target="assistant_with_escalation", place=f"{home.user}:1", key=key)
    assert setups(home)["fs_modify_file"].rules["apply_changes"] == Rule()


def test_rules_carry_everything_that_is_set(home: Home) -> None:
    text = (
        "[conversation.tools.fs_delete_file.questions.confirm]\ntarget = { model = { id = 'a/b' } }\n"
        "exclusive = false\ndeadline_secs = 5\nprompt_label = 'Files'\n"
        "[conversation.tools.fs_move_file.questions.overwrite_file]\nanswer = false\n"
    )
    tools = setups(home, text)
    assert tools["fs_delete_file"].rules["confirm"] == Rule(
        target="assistant",
        overrides={"model": {"id": "a/b"}},
        exclusive=False,
        deadline_secs=5,
        prompt_label="Files",
        place=f"{home.user}:2",
    )
    static = tools["fs_move_file"].rules["overwrite_file"]
    assert (static.has_answer, static.answer, static.place, static.slot) == (True, False, f"{home.user}:7", "")
    assert tools["fs_move_file"].rules.get("other") is None


def test_r171_questions_of_the_model_have_the_slot_behind_them(home: Home) -> None:
    text = (
        "[conversation.tools.ask_user.questions.answer]\nanswer = 'yes'\ndeadline_secs = 9\n"
        "[conversation.tools.ask_user.questions.env]\nprompt_label = 'Ops'\n"
    )
    rules = setups(home, text)["ask_user"].rules
    assert (rules["answer"].answer, rules["answer"].slot) == ("yes", "")
    for id_, label in (("env", "Ops"), ("anything", "Assistant")):
        rule = rules[id_]
        assert (rule.answer, rule.slot, rule.prompt_label, rule.deadline_secs) == ("yes", "answer", label, 9)
    assert set(rules) == {"answer", "env"} and len(rules) == 2


def test_r79_a_tool_that_is_merely_off_is_offered_when_the_configuration_forces_it(home: Home) -> None:
    off = "assistant.tool_choice = 'fs_read_file'\nconversation.tools.fs_read_file.enable = "
    settings = home.load(f"{off}false")
    configured = toolset.tools(settings)
    toggles.check_choice(configured, "fs_read_file", settings)
    assert "fs_read_file" in tool_setups(settings, configured)
    settings = home.load(f"{off}{{ state = false, allow_toggle = 'never' }}")
    with pytest.raises(UsageError) as caught:
        toggles.check_choice(toolset.tools(settings), "fs_read_file", settings)
    assert str(caught.value) == (
        f"assistant.tool_choice ({home.user}:1) names fs_read_file, "
        f"but conversation.tools.fs_read_file.enable ({home.user}:2) locks it off"
    )
    assert "fs_read_file" not in tool_setups(settings, toolset.tools(settings))


def test_r78_the_flag_wants_a_tool_that_is_on(home: Home) -> None:
    flag = {"--tool-use": (("assistant", "tool_choice"), "fs_read_file")}
    settings = home.load("conversation.tools.fs_read_file.enable = false", flags=flag)
    with pytest.raises(UsageError, match=r"not enabled\. Add -t fs_read_file"):
        toggles.check_choice(toolset.tools(settings), "fs_read_file", settings)


@pytest.fixture
def parts(home: Home, tmp_path: Path) -> Parts:
    home.load()
    paths = Paths(tmp_path, tmp_path / "data", tmp_path / "state", tmp_path / "cache")
    sources = Sources(home.user, home.workspace, tmp_path / trust_store.NAME, {})
    return Parts(home.load(), {}, paths, tmp_path / "ws", {}, sources, (Toggle(False, "fs_grep_files"),))


def delta(name: str, **values: Any) -> dict[str, Any]:
    return {"conversation": {"tools": {name: values}}}


def test_r67_the_tools_are_read_anew_with_what_the_conversation_changes(home: Home, parts: Parts) -> None:
    assert "fs_grep_files" not in reloaded(parts, [])
    home.user.write_text("conversation.tools.fs_read_file.run = 'ask'")
    tools = reloaded(parts, [delta("fs_move_file", run="skip"), delta("ask_user", enable={"state": False})])
    assert (tools["fs_read_file"].run, tools["fs_move_file"].run) == ("ask", "skip")
    assert "ask_user" not in tools and "fs_grep_files" not in tools


def test_r67_a_change_that_no_longer_goes_with_the_files_is_left_out(home: Home, parts: Parts) -> None:
    wrong = delta("fs_read_file", access={"fs": []})
    tools = reloaded(parts, [delta("fs_move_file", run="skip"), wrong, delta("fs_read_file", run="ask")])
    assert (tools["fs_move_file"].run, tools["fs_read_file"].run) == ("skip", "ask")


def test_a_file_that_became_unusable_is_said_and_the_tools_stay(home: Home, parts: Parts) -> None:
    home.user.write_text("[ui\n")
    for deltas in ([], [delta("fs_move_file", run="skip")]):
        with pytest.raises(ValueError, match=r"config\.toml:1:"):
            reloaded(parts, deltas)


def test_e43_a_setting_is_taken_back_where_it_stands_and_else_its_place_is_said(home: Home, parts: Parts) -> None:
    key = "conversation.tools.fs_read_file.run"
    home.user.write_text(f"# mine\n{key} = 'skip' # quick\n[ui]\ntheme = 'x' # night\n")
    assert unset(parts.sources, key) == home.user
    assert home.user.read_text() == "# mine\n[ui]\ntheme = 'x' # night\n"
    with pytest.raises(ValueError, match=rf"{key} isn't in .*config\.toml; it comes from .*tools\.toml:\d+"):
        unset(parts.sources, key)
    home.workspace.write_text("\nui.sidebar = 'hide'")
    with pytest.raises(ValueError, match=r"it comes from .*\.jp-tui/config\.toml:2"):
        unset(parts.sources, "ui.sidebar")
    for odd in ("assistant.model.id", "no.such.key", "a..b", ""):
        with pytest.raises(ValueError, match=r"isn't set anywhere|isn't a valid key"):
            unset(parts.sources, odd)
