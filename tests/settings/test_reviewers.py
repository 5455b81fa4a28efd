"""Acceptance row 9, the part of the settings: which model reviews, how it is asked, what keeps it from it (R70, R72,
R130-R132, R135, S20b)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from jp_tui.settings import providers, reviewers, toolset
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.known_models import Facts
from jp_tui.settings.layers import explain
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.toml import parse_key
from jp_tui.settings.providers import ProviderSettings
from jp_tui.settings.reviewers import Support
from tests.headless.running import jp
from tests.settings.conftest import Home

GLOBAL = "conversation.inquiry.assistant"
TARGET = "conversation.tools.fs_modify_file.questions.apply_changes.target"


def asked(settings: Settings, overrides: Mapping[str, Any] | None = None) -> str:
    known = providers.providers(settings, {})
    return str(reviewers.choose_reviewer(settings, known, overrides, "fs_modify_file", "apply_changes").model)


def test_r130_r70_the_question_before_the_inquiry_before_the_main_assistant(home: Home) -> None:
    main = "assistant.model.id = 'openai/gpt-5'\n"
    both = f"{main}{GLOBAL}.model.id = 'anthropic/claude-haiku-4-5'\n"
    own = {"model": {"id": "openai/gpt-4o"}}
    assert asked(home.load(both), own) == "openai/gpt-4o"
    assert asked(home.load(both), {}) == "anthropic/claude-haiku-4-5"
    assert asked(home.load(both), {"system_prompt": "x"}) == "anthropic/claude-haiku-4-5"
    assert asked(home.load(both), {"model": {"id": "inherit"}}) == "None", "the conversation's, past the inquiry's"
    assert asked(home.load(main), {}) == "None"
    assert asked(home.load(main), own) == "openai/gpt-4o"
    assert asked(home.load(f"{main}{GLOBAL}.model.id = 'inherit'\n"), {}) == "None"


def test_an_alias_and_a_provider_alone_are_resolved(home: Home) -> None:
    settings = home.load("providers.llm.aliases.judge = 'openai/gpt-4o'\n")
    assert asked(settings, {"model": {"id": "judge"}}) == "openai/gpt-4o"
    assert asked(settings, {"model": {"id": "cerebras"}}) == "cerebras/gpt-oss-120b"


def test_r130_every_field_by_itself(home: Home) -> None:
    settings = home.load(
        "[assistant]\nsystem_prompt = 'main'\nsystem_prompt_sections = ['section']\n"
        "model.parameters = { temperature = 1, max_tokens = 100, seed = 1, a = { x = 1, y = 1 } }\n"
        "request = { max_retries = 9, base_backoff_ms = 9, max_backoff_secs = 9, cache = 'long', "
        "max_response_bytes = 4096, stream_idle_timeout_secs = 7 }\n"
        f"[{GLOBAL}]\nmodel.parameters = {{ temperature = 0, seed = 2, a = {{ x = 2 }} }}\nrequest.cache = 'off'\n"
    )
    plain = reviewers.assistant(settings)
    assert plain.system_prompt == "main\n\nsection"
    assert (plain.temperature, plain.max_tokens) == (0.0, 100)
    assert plain.extra == {"seed": 2, "a": {"x": 2, "y": 1}}
    request = plain.request
    assert (request.cache, request.max_response_bytes, request.stream_idle_timeout_secs) == ("off", 4096, 7)
    assert (request.max_retries, request.base_backoff_ms, request.max_backoff_secs) == (2, 1000, 30), "R135"
    own = reviewers.assistant(
        settings,
        {
            "system_prompt": "judge",
            "system_prompt_sections": [],
            "model": {"id": "a/b", "parameters": {"seed": 3}},
            "request": {"max_retries": 0, "cache": "1h"},
        },
    )
    assert (own.system_prompt, own.temperature) == ("judge", 0.0)
    assert own.extra == {"seed": 3, "a": {"x": 2, "y": 1}}
    assert (own.request.max_retries, own.request.base_backoff_ms, own.request.cache) == (0, 1000, "1h")


# --- what is wrong (R71, R131, R132) --------------------------------------------------------------------------


def refused(home: Home, text: str, models: str = "", **environment: str) -> str:
    """What keeps it from starting; empty when nothing does."""
    settings = home.load(text)
    file = home.user.with_name("models.toml")
    file.write_text(models)
    try:
        reviewers.refuse(settings, toolset.tools(settings), environment, str(file))
    except SettingsError as error:
        return str(error)
    return ""


def test_r131_an_unknown_model_names_the_override_and_its_line(home: Home) -> None:
    said = refused(home, f"\n{GLOBAL}.model.id = 'anthropc/x'\n")
    assert said == f"{home.user}:2:1: {GLOBAL}.model.id: no provider anthropc. Did you mean anthropic/x?"
    said = refused(home, f"\n{TARGET} = {{ model = {{ id = 'nobody/x' }} }}\n")
    where = f"{home.user}:2:80: {TARGET}.model.id"
    assert said.startswith(f"{where}: no provider nobody; there are anthropic, ")
    assert said.endswith(" (question apply_changes of tool fs_modify_file, model nobody/x)")
    both = refused(home, f"{GLOBAL}.model.id = 'judge'\n{TARGET} = {{ model = {{ id = 'ollama' }} }}\n")
    assert both.count("\n") == 1 and "no provider judge" in both and "name a model: ollama/MODEL" in both


def test_a_tool_that_is_off_refuses_nothing(home: Home) -> None:
    text = f"{TARGET} = {{ model = {{ id = 'nobody/x' }} }}\n"
    assert "nobody" in refused(home, text)
    assert refused(home, f"{text}conversation.tools.fs_modify_file.enable = false\n") == ""


def test_the_slot_of_the_models_own_questions_is_looked_at(home: Home) -> None:
    text = "conversation.tools.ask_user.questions.answer.target = { model = { id = 'nobody/x' } }"
    assert "question answer of tool ask_user" in refused(home, text)


def test_r132_a_model_that_is_known_not_to_answer_by_a_schema_is_an_error(home: Home) -> None:
    said = refused(home, f"{GLOBAL}.model.id = 'deepseek/deepseek-reasoner'\n")
    assert said.startswith(
        f"{home.user}:1:1: {GLOBAL}.model.id: deepseek/deepseek-reasoner doesn't support structured output"
    )
    main = f"{TARGET} = 'assistant'\nassistant.model.id = 'deepseek/deepseek-reasoner'\n"
    assert "question apply_changes of tool fs_modify_file, the conversation's model" in refused(home, main)
    allowed = "providers.llm.deepseek.structured = 'tool'\n"
    assert refused(home, f"{GLOBAL}.model.id = 'deepseek/deepseek-reasoner'\n{allowed}") == ""
    own = '["deepseek/*"]\nstructured = "tool"\n'
    assert refused(home, f"{GLOBAL}.model.id = 'deepseek/deepseek-reasoner'\n", own) == ""


def test_r132_what_nobody_knows_is_a_notice_once_for_a_model(home: Home) -> None:
    server = "[providers.llm.mine]\nwire = 'openai-chat'\nbase_url = 'http://h/v1'\n"
    settings = home.load(f"{GLOBAL}.model.id = 'mine/llama'\n{TARGET} = 'assistant'\n{server}")
    (notice,) = settings.notices
    assert notice.words.startswith("it isn't known whether mine/llama supports the form of a verdict")
    assert f"{GLOBAL}.model.id = mine/llama" in notice.words
    assert home.load(f"{GLOBAL}.model.id = 'mine/llama'\n{server}structured = 'tool'\n").notices == ()
    assert home.load(f"{GLOBAL}.model.id = 'anthropic/claude-haiku-4-5'\n").notices == ()
    assert home.load(server).notices == ()
    home.user.with_name("models.toml").write_text('["mine/*"]\nstructured = "native"\n')
    assert home.load(f"{GLOBAL}.model.id = 'mine/llama'\n{server}").notices == ()


def test_a_file_about_models_is_read_only_for_a_reviewer(home: Home) -> None:
    assert refused(home, "", "[broken") == ""
    assert "models.toml:1:" in refused(home, f"{GLOBAL}.model.id = 'openai/gpt-5'\n", "[broken")
    assert home.load(f"{GLOBAL}.model.id = 'openai/gpt-5'\n").notices == (), "told where it is refused"


@pytest.mark.parametrize(
    ("provider", "facts", "can"),
    [
        (ProviderSettings("x", "openai-chat", "http://h"), Facts(), Support("native", certain=False)),
        (ProviderSettings("x", "openai-chat", "http://h"), Facts(structured="native"), Support("native")),
        (ProviderSettings("x", "openai-chat", "http://h"), Facts(structured="tool"), Support("tool")),
        (ProviderSettings("x", "openai-chat", "http://h"), Facts(structured="none"), Support("tool", none=True)),
        (
            ProviderSettings("x", "openai-chat", "http://h", structured="native"),
            Facts(structured="none"),
            Support("native"),
        ),
        (ProviderSettings("x", "openai-chat", "http://h", structured="tool"), Facts(), Support("tool")),
        (
            ProviderSettings("x", "anthropic", "https://api.anthropic.com"),
            Facts(structured="native"),
            Support("native"),
        ),
        (ProviderSettings("x", "anthropic", "https://api.anthropic.com"), Facts(), Support("tool", certain=False)),
        (
            ProviderSettings("x", "anthropic", "https://api.anthropic.com.evil"),
            Facts(structured="native"),
            Support("tool"),
        ),
        (ProviderSettings("x", "anthropic", "http://127.0.0.1:8080"), Facts(structured="native"), Support("tool")),
        (ProviderSettings("x", "anthropic", "http://h", structured="native"), Facts(), Support("native")),
        (ProviderSettings("demo", "demo"), Facts(structured="native"), Support("native")),
    ],
)
def test_s20b_how_a_verdict_is_asked_for(provider: ProviderSettings, facts: Facts, can: Support) -> None:
    assert reviewers.support(provider, facts) == can


# --- config show (R72) ----------------------------------------------------------------------------------------


def shown(settings: Settings, key: str) -> str:
    (row,) = [row for row in explain.explained(settings, parse_key(key, ""), {}) if row.key == TARGET]
    return row.why


def test_r72_config_show_says_who_reviews_what_and_which_model(home: Home) -> None:
    assert shown(home.load(), TARGET) == f"{GLOBAL}.model.id is not set"
    settings = home.load(f"{GLOBAL}.model.id = 'openai/gpt-4o'\n")
    for key in (TARGET, "conversation.tools.fs_modify_file"):
        assert shown(settings, key) == f"{GLOBAL}.model.id is set; reviewer: openai/gpt-4o"
    assert shown(home.load(f"{TARGET} = 'assistant'"), TARGET) == "reviewer: the conversation's model"
    own = home.load(f"{TARGET} = {{ model = {{ id = 'groq/x' }}, escalation = true }}")
    assert shown(own, TARGET) == "reviewer: groq/x"
    assert shown(home.load(f"{TARGET} = 'user'\n{GLOBAL}.model.id = 'openai/gpt-4o'\n"), TARGET) == ""
    assert shown(home.load(f"{TARGET} = {{ model = {{ id = 'nobody/x' }} }}"), TARGET) == ""


def test_the_folder_of_the_users_file_has_the_one_about_models(tmp_path: Path) -> None:
    from jp_tui.settings.sources import Sources

    sources = Sources(tmp_path / "config" / "config.toml", tmp_path, tmp_path, {})
    assert sources.models == str(tmp_path / "config" / "models.toml")


def test_r131_such_a_configuration_ends_with_status_2_before_anything_starts(tmp_path: Path) -> None:
    config = tmp_path / "config" / "config.toml"
    config.parent.mkdir()
    config.write_text(f"{TARGET} = {{ model = {{ id = 'nobody/x' }} }}\n")
    for words in (("query", "--non-interactive", "hi"), ("config", "check")):
        done = jp(tmp_path, *words)
        assert done.returncode == 2, words
        assert f"{config}:1:80: {TARGET}.model.id: no provider nobody" in done.stdout + done.stderr
        assert "question apply_changes of tool fs_modify_file" in done.stdout + done.stderr
