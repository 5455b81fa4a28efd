"""R62, R66, R68, R71: the keys of a tool, each form of them, and what is an error when it is read."""

from __future__ import annotations

import pytest

from jp_tui.settings import toolset
from jp_tui.settings.errors import SettingsError
from tests.settings.conftest import Home

LOCAL = "[conversation.tools.greet]\nsource = 'local'\n"


@pytest.mark.parametrize(
    "written",
    [
        "'./greet.sh {{ tool.arguments.name }}'",
        "{ program = 'greet' }",
        "{ program = 'greet', args = ['--name', '{{ tool.arguments.name }}'], shell = true, stdin = 'x' }",
    ],
)
def test_r68_forms_of_a_command(home: Home, written: str) -> None:
    tool = toolset.tools(home.load(f"{LOCAL}command = {written}"))["greet"]
    assert (tool.kind, tool.run, tool.result, tool.format) == ("local", "ask", "unattended", "ask")
    assert tool.command


def test_r68_what_only_a_local_tool_has(home: Home) -> None:
    settings = home.load(
        f"{LOCAL}command = 'x'\nrun = 'unattended'\ntimeout_secs = 5\nstyle.parameters = {{ program = 'show' }}\n"
        "[[conversation.tools.greet.access.fs]]\npath = '.'\nread = true\n"
    )
    tool = toolset.tools(settings)["greet"]
    assert tool.timeout_secs == 5 and tool.access == {"fs": [{"path": ".", "read": True}]}
    assert (tool.style.parameters, tool.style.command) == ("command", {"program": "show"})
    assert tool.format == "unattended", "follows run"
    assert (
        toolset.tools(home.load(f"{LOCAL}command = 'x'\nrun = 'unattended'\nformat = 'ask'"))["greet"].format == "ask"
    )


@pytest.mark.parametrize("written", ["'./show {{ tool.arguments.name }}'", "'show'", "'JSON'"])
def test_r68_a_command_that_shows_the_arguments_is_a_text_like_any_command(home: Home, written: str) -> None:
    style = toolset.tools(home.load(f"{LOCAL}command = 'x'\nstyle.parameters = {written}"))["greet"].style
    assert (style.parameters, style.command) == ("command", written.strip("'"))
    for word in ("json", "function_call", "off"):
        style = toolset.tools(home.load(f"{LOCAL}command = 'x'\nstyle.parameters = '{word}'"))["greet"].style
        assert (style.parameters, style.command) == (word, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{LOCAL}command = ''", ":3:1: conversation.tools.greet.command: expected text that is not empty"),
        (f"{LOCAL}command = 3", "expected text, or a table of program, args, shell, stdin; found 3"),
        (f"{LOCAL}command = {{ args = ['x'] }}", ":3:1: conversation.tools.greet.command: has no program"),
        (f"{LOCAL}command = {{ program = 'x', arg = [] }}", "Did you mean conversation.tools.greet.command.args?"),
        (f"{LOCAL}command = {{ program = 'x', args = ['a', 3] }}", "command.args[1]: expected text, found 3"),
        (f"{LOCAL}command = {{ program = 'x', shell = 1 }}", "command.shell: expected true or false, found 1"),
        (f"{LOCAL}command = 'x'\nformat = 'edit'", ':4:1: conversation.tools.greet.format: found "edit" (allowed: '),
        (f"{LOCAL}command = 'x'\ntimeout_secs = 0", "expected a whole number from 1 to 86400, found 0"),
        (f"{LOCAL}command = 'x'\naccess.fs = [{{ read = true }}]", "access.fs[0]: has no path"),
        (f"{LOCAL}command = 'x'\naccess.fs = [{{ path = '.', raed = true }}]", "access.fs[0].read?"),
        (f"{LOCAL}command = 'x'\naccess.fs = 'all'", "expected a list of tables with path"),
        (
            f"{LOCAL}command = 'x'\nstyle.parameters = ''",
            "(allowed: json, function_call, off, a command, as text or as a table with program)",
        ),
        (f"{LOCAL}command = 'x'\nsource = 'x'", "Cannot overwrite a value"),
        ("[conversation.tools.x]\nsource = 'remote'", "expected builtin, builtin.NAME, local, local.NAME, mcp.SERVER"),
        ("[conversation.tools.'*']\nsource = 'builtin'", "conversation.tools.'*'.source: isn't a valid key"),
        ("[conversation.tools.'*'.questions.q]\nanswer = 1", "conversation.tools.'*'.questions: isn't a valid key"),
        ("[conversation.tools.ask_user.questions.q]\ndeadline_secs = 0", "expected a whole number from 1"),
        ("assistant.request.cache = '10'", "(allowed: true, false, off, short, long, a duration like 10m or 1h)"),
        ("assistant.system_prompt_sections = [{ content = 'x', titel = 'y' }]", "sections[0].title?"),
        ("conversation.inquiry.list_tools = 'yes'", "(allowed: auto, true, false)"),
        ("conversation.inquiry.on_failure = 'retry'", "(allowed: ask, fail)"),
    ],
)
def test_a_wrong_value_says_what_is_allowed(home: Home, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        home.load(text)
    assert str(caught.value).startswith(f"{home.user}:") and said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[conversation.tools.x]\nsource = 'mcp.github'", 2, "the MCP server github is not configured"),
        ("[conversation.tools.x]\nsource = 'mcp.github.search'", 2, "the MCP server github is not configured"),
        (LOCAL, 2, "a local tool needs a command"),
        ("[conversation.tools.ask_user.access]\nfs = []", 1, "only a local tool has access rules; the source of this"),
        (
            "[conversation.tools.fs_raed_file]\nrun = 'ask'",
            1,
            "isn't a tool: it has no source. Did you mean fs_read_file?",
        ),
        ("[conversation.tools.deploy]\ncommand = 'x'", 1, "isn't a tool: it has no source"),
    ],
)
def test_r71_what_the_layers_say_wrongly_together(home: Home, text: str, line: int, said: str) -> None:
    settings = home.load(text)
    with pytest.raises(SettingsError) as caught:
        toolset.tools(settings)
    assert f"{home.user}:{line}:" in str(caught.value) and said in str(caught.value)


def test_r71_every_problem_of_all_tools_is_named_at_once(home: Home) -> None:
    settings = home.load("[conversation.tools]\na.source = 'mcp.x'\nb.source = 'local'\nask_user.access = { fs = [] }")
    with pytest.raises(SettingsError) as caught:
        toolset.tools(settings)
    assert [problem.key.split(".")[2] for problem in caught.value.problems] == ["ask_user", "a", "b"]


def test_r62_another_source_keeps_everything_else_of_a_built_in(home: Home) -> None:
    before = toolset.tools(home.load())["fs_modify_file"]
    settings = home.load("[conversation.tools.fs_modify_file]\nsource = 'local'\ncommand = './mine'")
    after = toolset.tools(settings)["fs_modify_file"]
    assert (after.source, after.kind, after.command) == ("local", "local", "./mine")
    for name in ("parameters", "description", "style", "run", "result", "enable"):
        assert getattr(after, name) == getattr(before, name), name
    assert after.questions.keys() == before.questions.keys()
    other = toolset.tools(home.load("[conversation.tools.fs_modify_file]\nsource = 'builtin.fs_read_file'"))
    assert other["fs_modify_file"].executor == "fs_read_file"


def test_r66_what_holds_for_all_tools(home: Home) -> None:
    settings = home.load(f"[conversation.tools.'*']\nformat = 'unattended'\ntimeout_secs = 9\n{LOCAL}command = 'x'\n")
    tool = toolset.tools(settings)["greet"]
    assert (tool.format, tool.timeout_secs, tool.run) == ("unattended", 9, "ask")


def test_settings_of_a_tool_that_nothing_defines_wait_and_are_told(home: Home) -> None:
    settings = home.load("[conversation.tools.deploy.questions.sure]\nexclusive = true")
    assert "deploy" not in toolset.tools(settings)
    (notice,) = settings.notices
    assert notice.keys == ("conversation.tools.deploy",) and "deploy" in notice.words
