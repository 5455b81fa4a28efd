"""R60, R61, R64, R65, S5, S11: layers over layers, each value with its place, each error with its file and line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from jp_tui.settings import toolset, typed_settings
from jp_tui.settings.errors import SettingsError
from tests.settings.conftest import Home


def test_r60_each_layer_wins_over_the_one_below(home: Home) -> None:
    """R60 and S11, from the bottom to the top."""
    variables = {"JP_TUI_UI__THEME": "from-variable"}
    flag = {"--theme": (("ui", "theme"), "from-flag")}
    told = "[ui]\ntheme = 'from-user'"
    assert typed_settings.look_settings(home.load()).theme == "jp-night"
    assert typed_settings.look_settings(home.load(told)).theme == "from-user"
    assert typed_settings.look_settings(home.load(told, "ui.theme = 'from-workspace'")).theme == "from-workspace"
    assert (
        typed_settings.look_settings(home.load(told, "ui.theme = 'w'", environment=variables)).theme == "from-variable"
    )
    settings = home.load(told, environment=variables, cfg=["ui.theme=from-cfg"])
    assert typed_settings.look_settings(settings).theme == "from-cfg"
    settings = home.load(told, environment=variables, cfg=["ui.theme=from-cfg"], flags=flag)
    assert typed_settings.look_settings(settings).theme == "from-flag"


def test_every_value_knows_its_place(home: Home) -> None:
    settings = home.load(
        "# mine\n[assistant.request]\nmax_retries = 2\n",
        "\n[ui]\nsidebar = 'hide'\n",
        environment={"JP_TUI_ASSISTANT__MODEL__ID": "local/x"},
        cfg=["notify.bell=false", "inquiry.max_attempts=3"],
    )
    words = {
        key: origin.words()
        for key in ("assistant.request.max_retries", "ui.sidebar", "assistant.model.id", "inquiry.max_attempts")
        if (origin := settings.origin(*key.split(".")))
    }
    assert words == {
        "assistant.request.max_retries": f"{home.user}:3",
        "ui.sidebar": f"{home.workspace}:3",
        "assistant.model.id": "JP_TUI_ASSISTANT__MODEL__ID",
        "inquiry.max_attempts": "--cfg (2)",
    }
    builtin = settings.origin("ui", "theme")
    assert builtin is not None and builtin.layer == "built-in" and builtin.name.endswith("defaults.toml")
    assert "jp-night" in Path(builtin.name).read_text().splitlines()[(builtin.line or 0) - 1]


def test_r61_one_leaf_over_a_built_in_tool_keeps_the_rest(home: Home) -> None:
    before = toolset.tools(home.load())["ask_user"]
    after = toolset.tools(home.load("[conversation.tools.ask_user.questions.answer]\nprompt_label = 'Opal'"))[
        "ask_user"
    ]
    assert after.question("answer").prompt_label == "Opal"
    assert before.question("answer").prompt_label == "Assistant"
    for name in ("source", "enable", "run", "result", "style", "parameters", "description", "options"):
        assert getattr(after, name) == getattr(before, name), name


def test_r65_built_in_then_user_then_cfg_on_enable_and_questions(home: Home) -> None:
    settings = home.load(
        "[conversation.tools.ask_user]\nenable = { state = false }\n"
        "questions.answer = { target = 'assistant', exclusive = true }\n",
        cfg=["conversation.tools.ask_user.questions.answer.target=user"],
    )
    tool = toolset.tools(settings)["ask_user"]
    assert tool.enable == toolset.Enable(False, "if_named")  # R69: keeps the built-in's allow_toggle
    question = tool.question("answer")
    assert (question.target, question.exclusive, question.prompt_label) == ("user", True, "Assistant")
    assert question.place == "--cfg"


def test_r66_values_of_all_tools_lie_under_each_tools_own(home: Home) -> None:
    settings = home.load("[conversation.tools.'*']\nrun = 'skip'\nresult = 'ask'\nstyle.inline_results = 'off'\n")
    tools = toolset.tools(settings)
    assert tools["fs_read_file"].run == "unattended"  # its own
    assert tools["fs_read_file"].result == "ask"
    assert tools["fs_read_file"].style.inline_results == 0
    assert "*" not in tools


def test_r254_a_target_is_one_value_and_r64_tables_merge(home: Home) -> None:
    key = "conversation.tools.fs_create_file.questions.apply_changes"
    settings = home.load(
        f"[{key}]\ntarget = {{ model = {{ id = 'a/b' }}, escalation = true }}\n"
        "[conversation.tools.fs_create_file.options]\na = {b = 1, c = 2}\n",
        cfg=[f"{key}.target={{system_prompt = 'x'}}", "conversation.tools.fs_create_file.options.a.b=3"],
    )
    tool = toolset.tools(settings)["fs_create_file"]
    question = tool.question("apply_changes")
    assert (question.target, question.overrides) == ("assistant", {"system_prompt": "x"})
    assert tool.options == {"a": {"b": 3, "c": 2}}


@pytest.mark.parametrize(
    ("written", "target", "overrides"),
    [
        ("'user'", "user", {}),
        ("'assistant'", "assistant", {}),
        ("'assistant_with_escalation'", "assistant_with_escalation", {}),
        ("{escalation = true}", "assistant_with_escalation", {}),
        ("{escalation = false, model = {id = 'inherit'}}", "assistant", {"model": {"id": "inherit"}}),
    ],
)
def test_r52_forms_of_a_target(home: Home, written: str, target: str, overrides: object) -> None:
    settings = home.load(f"[conversation.tools.ask_user.questions.q]\ntarget = {written}")
    question = toolset.tools(settings)["ask_user"].question("q")
    assert (question.target, question.overrides) == (target, overrides)


@pytest.mark.parametrize(
    ("written", "enable"),
    [
        ("true", (True, "any")),
        ("'on'", (True, "any")),
        ("false", (False, "any")),
        ("'off'", (False, "any")),
        ("'always'", (True, "never")),
        ("'explicit'", (False, "if_named")),
        ("{state = false}", (False, "if_named")),
        ("{allow_toggle = 'never'}", (True, "never")),
        ("{}", (True, "if_named")),
    ],
)
def test_r54_forms_of_enable(home: Home, written: str, enable: tuple[bool, str]) -> None:
    tool = toolset.tools(home.load(f"[conversation.tools.ask_user]\nenable = {written}"))["ask_user"]
    assert (tool.enable.state, tool.enable.allow_toggle) == enable


def test_r144_detached_is_resolved_by_kind(home: Home) -> None:
    settings = home.load(
        "[conversation.tools]\n'*'.detached = 'defaults'\nfs_read_file.detached = 'deny'\n"
        "fs_create_file.detached = {run = 'auto'}\n"
    )
    tools = toolset.tools(settings)
    assert tools["ask_user"].detached == toolset.DetachedSettings("defaults", "defaults", "defaults")
    assert tools["fs_read_file"].detached == toolset.DetachedSettings("deny", "deny", "deny")
    assert tools["fs_create_file"].detached == toolset.DetachedSettings("auto", "defaults", "defaults")
    assert toolset.tools(home.load())["ask_user"].detached == toolset.DetachedSettings("unset", "unset", "unset")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[ui]\nthem = 'x'", ":2:1: ui.them: isn't a valid key. Did you mean ui.theme?"),
        ("uui.theme = 1", ":1:1: uui: isn't a valid key. Did you mean ui?"),
        ("[ui]\nsidebar = 'left'", ':2:1: ui.sidebar: found "left" (allowed: auto, show, hide)'),
        ("ui = 3", ":1:1: ui: expected a table, found 3"),
        ("[assistant.request]\n\nmax_retries = true", ":3:1: assistant.request.max_retries: expected a whole number"),
        ("[conversation.tools.fs_read_file]\nrun = 'maybe'", "(allowed: unattended, edit, ask, skip)"),
        ("[conversation.tools.x]\nenable = 'yes'", 'found "yes" (allowed: true, false, on, off, always, explicit'),
        ("[conversation.tools.x.enable]\nstates = true", "Did you mean conversation.tools.x.enable.state?"),
        (
            "[conversation.tools.a.questions.b]\ntarget = 'me'",
            'found "me" (allowed: user, assistant, assistant_with_escalation)',
        ),
        ("[conversation.tools.a.questions.b]\ntarget = {escalation = 1}", "target.escalation: expected true or false"),
        (
            "[providers.llm.aliases]\ninherit = 'a/b'",
            ":2:1: providers.llm.aliases.inherit: the name inherit is reserved",
        ),
        ("[providers.llm.x]\nwire = 'soap'", "(allowed: openai-chat, openai-responses, anthropic, gemini, ollama)"),
        ("[providers.llm.x]\nbase_url = 'ftp://x'", "expected an http or https address"),
        ("[providers.llm.x]\nbase_url = 'http://me:pw@x/v1'", "an address can't have a user or password"),
        ("[providers.llm.x.headers]\nAuthorization = 'Bearer sk'", "don't put a key in a file"),
        ('[providers.llm.x.headers]\nX = "a\\nb"', "expected one line of printable ASCII"),
        ("[assistant.model.parameters]\ntop_p = nan", "expected a finite number, found nan"),
        ("[assistant.model.parameters]\nday = 2026-01-01", "expected a value that JSON has too, found a date or time"),
        ("[assistant.model.parameters]\ntemperature = inf", "expected a number from 0 to 2, found inf"),
    ],
)
def test_an_error_names_file_line_key_what_was_found_and_what_is_allowed(home: Home, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        home.load(text)
    assert str(caught.value).startswith(f"{home.user}:") and said in str(caught.value)


def test_every_problem_of_a_file_is_named_at_once(home: Home) -> None:
    with pytest.raises(SettingsError) as caught:
        home.load("[ui]\nthem = 1\nsidebar = 2\n[nottify]\nbell = true")
    assert [(problem.line, problem.key) for problem in caught.value.problems] == [
        (2, "ui.them"),
        (3, "ui.sidebar"),
        (4, "nottify"),
    ]


def test_an_error_is_found_in_its_layer_even_where_a_higher_one_hides_it(home: Home) -> None:
    with pytest.raises(SettingsError, match=r"config\.toml:1:1: ui: expected a table"):
        home.load("ui = 1", cfg=["ui.theme=x"])


def test_foreign_names_come_out_printable(home: Home) -> None:
    with pytest.raises(SettingsError) as caught:
        home.load('"\\u001b[31m\\u202e" = 1')
    assert str(caught.value).replace("\n", "").isprintable() and r"\u{1B}" in str(caught.value)


def test_s11_variables(home: Home) -> None:
    settings = home.load(
        environment={
            "JP_TUI_CONVERSATION__TOOLS__FS_READ_FILE__ENABLE": "false",
            "JP_TUI_PROVIDERS__LLM__LOCAL__BASE_URL": "http://127.0.0.1:9/v1/",
            "JP_TUI_ASSISTANT__REQUEST__MAX_RETRIES": "1",
            "JP_TUI_UI__THEME": "",
            "JP_TUI_HOME": "/nowhere",
            "JP_TUI_DEBUG": "1",
            "JP_TUI_FIXTURES": "x",
            "PATH": "/bin",
        }
    )
    assert settings.get("conversation", "tools", "fs_read_file", "enable", "state") is False
    assert settings.get("providers", "llm", "local", "base_url") == "http://127.0.0.1:9/v1"
    assert typed_settings.assistant(settings).request.max_retries == 1
    assert typed_settings.look_settings(settings).theme == "jp-night", "an empty variable is an unset one"
    assert settings.notices == ()


def test_s11_a_wrong_value_names_the_variable_and_an_unknown_one_is_told(home: Home) -> None:
    with pytest.raises(SettingsError, match=r'^JP_TUI_UI__SIDEBAR: ui\.sidebar: found "x"'):
        home.load(environment={"JP_TUI_UI__SIDEBAR": "x"})
    settings = home.load(environment={"JP_TUI_PERMISSION_MODE": "bypass", "JP_TUI_UI__THEM": "x"})
    (notice,) = settings.notices
    assert notice.keys == ("JP_TUI_PERMISSION_MODE", "JP_TUI_UI__THEM")


def test_conf_021_what_the_environment_loosens_is_not_silent(home: Home) -> None:
    settings = home.load(environment={"JP_TUI_CONVERSATION__TOOLS__FS_READ_FILE__RESULT": "unattended"})
    assert settings.notices == (), "it was so already"
    settings = home.load(
        "[conversation.tools.fs_read_file]\nrun = 'ask'",
        environment={"JP_TUI_CONVERSATION__TOOLS__FS_READ_FILE__RUN": "unattended", "JP_TUI_STYLE__SANITIZE": "off"},
    )
    assert [notice.words for notice in settings.notices] == [
        "less strict by the environment: JP_TUI_CONVERSATION__TOOLS__FS_READ_FILE__RUN, JP_TUI_STYLE__SANITIZE"
    ]


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("ui.theme", "--cfg: expected KEY=VALUE, found ui.theme"),
        ("ui..theme=x", "--cfg: isn't a valid key: ui..theme"),
        ("ui.them=x", "--cfg: ui.them: isn't a valid key. Did you mean ui.theme?"),
        ("ui={theme = 1}", "--cfg: ui.theme: expected text, found 1"),
        ("=x", "--cfg: isn't a valid key: "),
        ("a." * 20_000 + "a=1", "--cfg: is no key"),
    ],
)
def test_s5_wrong_assignments(home: Home, assignment: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        home.load(cfg=[assignment])
    assert said in str(caught.value) or "a key has more than 32 parts" in str(caught.value)


def test_a_tool_without_a_source_is_an_error_with_the_nearest(home: Home) -> None:
    settings = home.load("[conversation.tools.fs_raed_file]\nrun = 'ask'")
    with pytest.raises(SettingsError, match=r":1:1: conversation\.tools\.fs_raed_file: isn't a tool.*fs_read_file\?"):
        toolset.tools(settings)


def test_reading_the_configuration_costs_no_start(home: Home) -> None:
    """Under ten milliseconds of work on a quiet machine; caches that others use cost some more."""
    home.load()
    best = 1.0
    for _ in range(5):
        begun = time.process_time()
        toolset.tools(home.load("[ui]\ntheme = 'jp-day'"))
        best = min(best, time.process_time() - begun)
    assert best < 0.02
