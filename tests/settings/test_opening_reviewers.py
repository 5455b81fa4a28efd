"""Acceptance row 9, the part of the assembly: reviewers as they are opened, each failure with the override that wanted
it (R70, R130, R131, R135, S20b)."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jp_tui.conversation.model import ModelError
from jp_tui.engine.base.dependencies import ModelSetup, Prices, RetryPolicy
from jp_tui.engine.reviewer.reviewer import ReviewerModel
from jp_tui.providers.scripted.provider import open_provider
from jp_tui.settings import toolset
from jp_tui.settings.layers import trust_store
from jp_tui.settings.sources import Sources
from jp_tui.startup.parts import Parts
from jp_tui.startup.reviewers import ReviewerFactory
from jp_tui.startup.setup import reloaded, setup
from jp_tui.system.paths import Paths
from tests.settings.conftest import Home

GLOBAL = "conversation.inquiry.assistant"
TARGET = "conversation.tools.fs_modify_file.questions.apply_changes.target"
KEYS = {"ANTHROPIC_API_KEY": "k-1", "OPENAI_API_KEY": "k-2"}
NO_JOURNAL: Any = SimpleNamespace(holds=lambda again: None, locks=lambda: None)
"""Nothing is written here."""
SCRIPT = '[[turns]]\ntext = "x"\n'


@pytest.fixture
def main(tmp_path: Path) -> ModelSetup:
    script = tmp_path / "main.toml"
    script.write_text(SCRIPT)
    return ModelSetup("openai/gpt-5", "gpt-5", open_provider(str(script)))


def reviewers(home: Home, text: str = "", **environment: str) -> ReviewerFactory:
    return ReviewerFactory(home.load(text), environment, str(home.user.with_name("models.toml")))


async def opened(of: ReviewerFactory, main: ModelSetup, **overrides: Any) -> ModelSetup:
    return await of.open(overrides, main, "fs_modify_file", "apply_changes")


async def test_r130_everything_of_a_reviewer_is_resolved(home: Home, main: ModelSetup) -> None:
    text = (
        "[assistant]\nsystem_prompt = 'main'\nmodel.parameters = { seed = 1 }\nrequest.max_retries = 9\n"
        f"[{GLOBAL}]\nsystem_prompt = 'judge'\nmodel.id = 'anthropic/claude-haiku-4-5'\n"
        "model.parameters = { temperature = 0, max_tokens = 2000, thinking = { type = 'disabled' } }\n"
        "request.cache = '1h'\n"
    )
    made = await opened(reviewers(home, text, **KEYS), main, request={"max_retries": 1})
    assert (made.id, made.name, made.system) == ("anthropic/claude-haiku-4-5", "claude-haiku-4-5", "judge")
    assert (made.temperature, made.max_tokens, made.cache) == (0.0, 2000, "1h")
    assert made.extra == {"seed": 1, "thinking": {"type": "disabled"}}
    assert made.retry == RetryPolicy(1, 1000, 30)
    assert (made.window, made.prices, made.structured) == (200_000, Prices(1.0, 5.0, 0.1), "native")
    assert "k-1" not in repr(made)


async def test_r70_inherit_is_the_conversations_model_and_its_connection(home: Home, main: ModelSetup) -> None:
    of = reviewers(home, f"{GLOBAL}.model.id = 'anthropic/claude-haiku-4-5'\n", **KEYS)
    made = await opened(of, main, model={"id": "inherit"})
    assert made.id == "openai/gpt-5" and made.provider is main.provider
    assert (made.window, made.structured, made.retry) == (400_000, "native", RetryPolicy(2, 1000, 30))
    assert (await opened(reviewers(home), main)).provider is main.provider, "and so without any model of its own"
    other = await opened(of, main, model={"id": "inherit"}, request={"max_response_bytes": 4096})
    assert other.id == "openai/gpt-5" and other.provider is not main.provider, "one that is bounded otherwise"


async def test_r131_a_provider_is_made_once_and_reused(home: Home, main: ModelSetup, tmp_path: Path) -> None:
    (tmp_path / "judge.toml").write_text(SCRIPT)
    of = reviewers(home, **KEYS)
    one = await opened(of, main, model={"id": "anthropic/claude-haiku-4-5"})
    two = await opened(of, main, model={"id": "anthropic/claude-sonnet-4-5"}, system_prompt="x")
    assert one.provider is two.provider and two.system == "x"
    script = f"demo/{tmp_path}/judge.toml"
    assert (await opened(of, main, model={"id": script})).provider is (
        await opened(of, main, model={"id": script})
    ).provider
    of.follow(home.load("providers.llm.anthropic.base_url = 'http://127.0.0.1:9'\n"))
    moved = await opened(of, main, model={"id": "anthropic/claude-haiku-4-5"})
    assert moved.provider is not one.provider and moved.structured == "tool"


async def test_an_alias_is_resolved(home: Home, main: ModelSetup) -> None:
    of = reviewers(home, f"providers.llm.aliases.judge = 'openai/gpt-4o'\n{GLOBAL}.model.id = 'judge'\n", **KEYS)
    assert (await opened(of, main)).id == "openai/gpt-4o"


@pytest.mark.parametrize(
    ("text", "overrides", "kind", "said"),
    [
        (f"{GLOBAL}.model.id = 'anthropic/claude-haiku-4-5'", {}, "no_credentials",
         f"ANTHROPIC_API_KEY is not set ({GLOBAL}.model.id = anthropic/claude-haiku-4-5)."),
        ("", {"model": {"id": "groq/x"}}, "no_credentials",
         "GROQ_API_KEY is not set (question apply_changes of tool fs_modify_file, model groq/x)."),
        ("", {"model": {"id": "nobody/x"}}, "other",
         "openrouter (question apply_changes of tool fs_modify_file, model nobody/x)"),
        (f"{GLOBAL}.model.id = 'nobody/x'", {}, "other", f"{GLOBAL}.model.id: no provider nobody"),
        (f"{GLOBAL}.model.id = 'demo//nowhere/x.toml'", {}, "other", f"({GLOBAL}.model.id = demo//nowhere/x.toml)"),
        ("", {"model": {"id": "demo//nowhere/x.toml"}}, "other", "question apply_changes of tool fs_modify_file"),
        ("", {"model": {"id": "deepseek/deepseek-reasoner"}}, "other", "doesn't support structured output"),
    ],
)  # fmt: skip
async def test_r131_what_is_wrong_names_the_override(
    home: Home, main: ModelSetup, text: str, overrides: dict[str, Any], kind: str, said: str
) -> None:
    with pytest.raises(ModelError) as caught:
        await opened(reviewers(home, text), main, **overrides)
    assert caught.value.kind == kind and said in caught.value.message and not caught.value.transient


async def test_a_broken_file_about_models_is_named(home: Home, main: ModelSetup) -> None:
    home.user.with_name("models.toml").write_text("\n[x")
    with pytest.raises(ModelError, match=r"models\.toml:2:"):
        await opened(reviewers(home), main)


async def test_a_model_without_prices_and_a_main_of_a_provider_that_is_gone(home: Home, main: ModelSetup) -> None:
    of = reviewers(home, "[providers.llm.mine]\nwire = 'anthropic'\nbase_url = 'http://127.0.0.1:9'\n")
    made = await opened(of, main, model={"id": "mine/m"})
    assert (made.window, made.prices, made.structured) == (None, None, "tool")
    with pytest.raises(ModelError, match="Unknown provider for gone/m"):
        await opened(of, ModelSetup("gone/m", "m", main.provider))


# --- the engine's setup ---------------------------------------------------------------------------------------


def parts(home: Home, tmp_path: Path, text: str) -> Parts:
    settings = home.load(text)
    paths = Paths(tmp_path, tmp_path / "data", tmp_path / "state", tmp_path / "cache")
    sources = Sources(home.user, home.workspace, tmp_path / trust_store.NAME, {})
    return Parts(settings, {}, paths, tmp_path / "ws", toolset.tools(settings), sources)


async def test_e30_side_questions_go_where_questions_go(home: Home, tmp_path: Path) -> None:
    (tmp_path / "judge.toml").write_text(SCRIPT)
    text = f"{GLOBAL}.model.id = 'demo/{tmp_path}/judge.toml'\n{GLOBAL}.system_prompt = 'judge'\n"
    made = setup(parts(home, tmp_path, text), NO_JOURNAL, client=True, command="x")
    assert made.open_inquiry_model is not None
    side = await made.open_inquiry_model()
    assert (side.id, side.system) == (f"demo/{tmp_path}/judge.toml", "judge")
    for none in ("", f"{GLOBAL}.model.id = 'inherit'\n"):
        assert setup(parts(home, tmp_path, none), NO_JOURNAL, client=True, command="x").open_inquiry_model is None


def test_the_engine_has_a_reviewer_and_the_second_look(home: Home, tmp_path: Path) -> None:
    text = "[conversation.inquiry]\nretry_with_intent = true\nlist_tools = false\n"
    made = setup(parts(home, tmp_path, text), NO_JOURNAL, client=True, command="x")
    assert isinstance(made.reviewer, ReviewerModel) and made.reviewer.list_tools is False
    assert made.retry_with_intent is True
    assert setup(parts(home, tmp_path, ""), NO_JOURNAL, client=True, command="x").retry_with_intent is False


async def test_what_is_changed_while_it_runs_holds_for_the_next_question(
    home: Home, tmp_path: Path, main: ModelSetup
) -> None:
    made = parts(home, tmp_path, "")
    of = ReviewerFactory(made.settings, KEYS, made.sources.models)
    assert (await opened(of, main)).id == main.id
    home.user.write_text(f"{GLOBAL}.model.id = 'openai/gpt-4o'\n")
    tools = reloaded(made, [], of)
    assert tools["fs_modify_file"].rules["apply_changes"].target == "assistant_with_escalation"
    assert (await opened(of, main)).id == "openai/gpt-4o"
    home.user.write_text(f"{GLOBAL}.model.id = 'nobody/x'\n")
    with pytest.raises(ValueError, match=r"config\.toml:1:1: .*no provider nobody"):
        reloaded(made, [], of)
    assert (await opened(of, main)).id == "openai/gpt-4o", "what cannot be used changes nothing"


async def test_s40_a_sub_agents_model_is_opened_by_its_name_or_an_alias(home: Home, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(SCRIPT)
    text = f"providers.llm.aliases.mole = 'demo/{tmp_path}/other.toml'\nassistant.model.id = 'openai/gpt-5'\n"
    made = setup(parts(home, tmp_path, text), NO_JOURNAL, client=True, command="x")
    assert made.open_agent_model is not None
    for name in ("mole", f"demo/{tmp_path}/other.toml"):
        assert (await made.open_agent_model(name)).id == f"demo/{tmp_path}/other.toml"
    for wrong in ("nobody/m", "demo/gone.toml", ""):
        with pytest.raises(ModelError):
            await made.open_agent_model(wrong)
