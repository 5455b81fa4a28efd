"""R60, R67: what a conversation's own log changes, and what a run's command line leaves in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from jp_tui.settings import toolset
from jp_tui.settings.cli import toggles
from jp_tui.settings.cli.toggles import Toggle
from jp_tui.settings.layers import layers
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.load import load as load_settings
from tests.settings.conftest import Home

RUN = "conversation.tools.fs_read_file.run"


def tool(name: str, **values: Any) -> dict[str, Any]:
    return {"conversation": {"tools": {name: values}}}


def load(home: Home, user: str, deltas: Sequence[dict[str, Any]], **more: Any) -> Settings:
    home.user.write_text(user)
    return load_settings(
        user_file=str(home.user),
        workspace_file=str(home.workspace),
        environment=more.get("environment", {}),
        assignments=more.get("cfg", ()),
        deltas=deltas,
    )


def test_r60_a_conversation_stands_over_the_environment_and_under_cfg(home: Home) -> None:
    variable = {"JP_TUI_CONVERSATION__TOOLS__FS_READ_FILE__RUN": "edit"}
    deltas = [tool("fs_read_file", run="skip")]
    settings = load(home, f"{RUN} = 'ask'", deltas, environment=variable)
    assert toolset.tools(settings)["fs_read_file"].run == "skip"
    origin = settings.origin(*RUN.split("."))
    assert origin is not None and (origin.layer, origin.words()) == ("conversation", "change 1 of this conversation")
    settings = load(home, "", deltas, environment=variable, cfg=[f"{RUN}=ask"])
    assert toolset.tools(settings)["fs_read_file"].run == "ask"


def test_r67_deltas_are_laid_over_each_other_in_the_order_of_the_stream(home: Home) -> None:
    deltas = [
        tool("fs_read_file", run="skip", enable={"state": False}),
        tool("fs_read_file", run="ask"),
        tool("ask_user", questions={"answer": {"target": {"model": {"id": "a/b"}}}}),
        tool("ask_user", questions={"answer": {"target": {"escalation": True}}}),
    ]
    tools = toolset.tools(load(home, "", deltas))
    assert (tools["fs_read_file"].run, tools["fs_read_file"].enable.state) == ("ask", False)
    question = tools["ask_user"].question("answer")
    assert (question.target, question.overrides) == ("assistant_with_escalation", {}), "R254"
    assert question.prompt_label == "Assistant"


@pytest.mark.parametrize(
    ("delta", "said"),
    [
        (
            tool("fs_read_file", run="maybe"),
            "change 2 of this conversation is ignored: conversation.tools.fs_read_file.run",
        ),
        ({"ui": {"theme": "jp-day"}}, "ui isn't a valid key"),
        ({"providers": {"llm": {"openai": {"base_url": "http://x"}}}}, "providers isn't a valid key"),
        ({"style": {"sanitize": "off"}}, "style isn't a valid key"),
        ({"conversation": 3}, "conversation expected a table, found 3"),
        ({"conversation": None}, "conversation expected a table"),
        (tool("gone", run="skip"), "conversation.tools.gone is no longer a tool"),
    ],
)
def test_a_bad_delta_is_told_and_ignored_as_a_whole(home: Home, delta: dict[str, Any], said: str) -> None:
    good = tool("fs_read_file", run="skip")
    settings = load(home, "", [good, delta])
    (notice,) = settings.notices
    assert said in notice.words and notice.words.isprintable()
    assert settings.tree == load(home, "", [good]).tree


def test_what_is_left_of_a_delta_that_names_a_tool_which_is_gone_counts(home: Home) -> None:
    both = {"conversation": {"tools": {"gone": {"run": "skip"}, "fs_read_file": {"run": "skip"}}}}
    settings = load(home, "", [both])
    assert toolset.tools(settings)["fs_read_file"].run == "skip"
    assert settings.notices[0].keys == ("conversation.tools.gone",)


def test_a_delta_of_any_depth_ends_in_words() -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = {"a": deep}
    layer, notices = layers.from_conversation([{"conversation": {"tools": {"x": {"options": deep}}}}], {})
    assert layer is None and "nested too deeply" in notices[0].words


def test_r67_what_the_command_line_leaves_in_the_log(home: Home) -> None:
    """`--cfg` on the conversation's keys and -t/-T; not the theme, not --tool-use (R78)."""
    cfg = ["ui.theme=jp-day", f"{RUN}=skip", "assistant.system_prompt=short", "conversation.tools.ask_user.enable=off"]
    settings = home.load(cfg=cfg, flags={"--tool-use": (("assistant", "tool_choice"), "required")})
    before = toolset.tools(settings)
    after = toggles.apply(before, [Toggle(False, "fs_grep_files"), Toggle(True, "fs_move_file")])
    assert toggles.delta(settings.own("--cfg"), before, after) == {
        "assistant": {"system_prompt": "short"},
        "conversation": {
            "tools": {
                "fs_read_file": {"run": "skip"},
                "ask_user": {"enable": {"state": False, "allow_toggle": "any"}},
                "fs_grep_files": {"enable": {"state": False}},
            }
        },
    }
    assert toggles.delta({}, before, before) == {}


def test_r67_replayed_it_gives_the_same_tools(home: Home) -> None:
    settings = home.load(cfg=[f"{RUN}=skip"])
    before = toolset.tools(settings)
    after = toggles.apply(before, [Toggle(False), Toggle(True, "fs_read_file")])
    again = toolset.tools(load(home, "", [toggles.delta(settings.own("--cfg"), before, after)]))
    assert {name: (t.run, t.enable) for name, t in again.items()} == {n: (t.run, t.enable) for n, t in after.items()}
