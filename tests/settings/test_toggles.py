"""R73 to R79: the matrix of R76 cell by cell, and what follows from it."""

from __future__ import annotations

from typing import Literal

import pytest

from jp_tui.settings import toolset
from jp_tui.settings.cli import toggles
from jp_tui.settings.cli.toggles import Toggle
from jp_tui.settings.errors import UsageError
from jp_tui.settings.toolset import Enable, ToolSettings
from tests.settings.conftest import Home

ON, OFF = True, False
SAME, ERROR = "same", "error"


@pytest.fixture
def tool(home: Home) -> ToolSettings:
    return toolset.tools(home.load())["fs_read_file"]


@pytest.mark.parametrize(
    ("state", "policy", "named_on", "named_off", "all_on", "all_off"),
    [
        (ON, "any", SAME, OFF, SAME, OFF),
        (ON, "never", SAME, ERROR, SAME, SAME),
        (ON, "if_named", SAME, OFF, SAME, SAME),
        (ON, "if_named_or_group", SAME, OFF, SAME, SAME),
        (OFF, "any", ON, SAME, ON, SAME),
        (OFF, "never", ERROR, SAME, SAME, SAME),
        (OFF, "if_named", ON, SAME, SAME, SAME),
        (OFF, "if_named_or_group", ON, SAME, SAME, SAME),
    ],
)
def test_r76(
    tool: ToolSettings,
    state: bool,
    policy: Literal["any", "never", "if_named", "if_named_or_group"],
    named_on: object,
    named_off: object,
    all_on: object,
    all_off: object,
) -> None:
    from dataclasses import replace

    known = {"t": replace(tool, name="t", enable=Enable(state, policy))}
    for toggle, expected in (
        (Toggle(True, "t"), named_on),
        (Toggle(False, "t"), named_off),
        (Toggle(True), all_on),
        (Toggle(False), all_off),
    ):
        if expected is ERROR:
            with pytest.raises(UsageError) as caught:
                toggles.apply(known, [toggle])
            verb, lock = ("enable", "locked-off") if toggle.on else ("disable", "locked-on")
            assert str(caught.value) == f"cannot {verb} `t`: this tool is configured as {lock}"  # M24
            continue
        after = toggles.apply(known, [toggle])["t"].enable
        assert after == Enable(state if expected is SAME else expected is ON, policy), toggle


def test_r77_bare_ones_leave_what_must_be_named(home: Home) -> None:
    known = toolset.tools(
        home.load("[conversation.tools]\nfs_read_file.enable = 'always'\nfs_move_file.enable = 'off'")
    )

    def on(*directives: Toggle) -> set[str]:
        return {name for name, tool in toggles.apply(known, directives).items() if tool.enable.state}

    locked = {"describe_tools", "fs_read_file"}
    every = set(known) - {"shell_run"}  # which has to be named
    assert on(Toggle(False)) == {"ask_user", *locked}
    assert on(Toggle(False), Toggle(False, "ask_user")) == locked
    assert on(Toggle(False, "ask_user")) == every - {"ask_user", "fs_move_file"}
    assert on(Toggle(False), Toggle(True)) == every, "also the one that was off before"
    assert on(Toggle(True), Toggle(False)) == {"ask_user", *locked}, "the later one wins"
    assert on(Toggle(False, "ask_user"), Toggle(True)) == every - {"ask_user"}, "only by name"
    assert on(Toggle(True), Toggle(True, "shell_run")) == set(known)
    assert on(Toggle(False), Toggle(True, "fs_grep_files")) == {"ask_user", "fs_grep_files", *locked}


def test_r74_an_unknown_name_is_an_error_before_anything_else(home: Home) -> None:
    known = toolset.tools(home.load("conversation.tools.fs_read_file.enable = 'always'"))
    with pytest.raises(UsageError, match=r"no tool fs_gerp_files. Did you mean fs_grep_files\?"):
        toggles.apply(known, [Toggle(False, "fs_read_file"), Toggle(True, "fs_gerp_files")])


def test_r78_r79_a_forced_tool_has_to_be_there_and_on(home: Home) -> None:
    known = toolset.tools(home.load("[conversation.tools]\nask_user.enable = 'off'\nfs_move_file.enable = "
        "{ state = false, allow_toggle = 'never' }"))  # fmt: skip
    for choice in ("auto", "none", "required", "fs_read_file"):
        toggles.check_choice(known, choice)
    for choice, said in (
        ("ask_user", "not enabled. Add -t ask_user"),
        ("fs_move_file", "assistant.tool_choice names fs_move_file, but conversation.tools.fs_move_file.enable"),
        ("fs_raed_file", "no tool fs_raed_file to use. Did you mean fs_read_file"),
        ("autt", "Did you mean auto"),
    ):
        with pytest.raises(UsageError, match=said):
            toggles.check_choice(known, choice)
