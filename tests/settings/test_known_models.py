"""What is known of models (R128, R132, R133, S20b): our file, the user's over it, and what is wrong with theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from jp_tui.settings import data
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.known_models import MODELS, Facts, read, user_models_file
from jp_tui.settings.layers import toml
from jp_tui.settings.layers.merge import check


def facts(tmp_path: Path, model: str, text: str = "") -> Facts:
    file = tmp_path / "models.toml"
    if text:
        file.write_text(text)
    return read(user_models_file(tmp_path / "config.toml")).facts(model)


def test_our_own_file_is_sound_and_knows_every_default_model(tmp_path: Path) -> None:
    document = toml.read(data.MODELS_FILE)
    assert document is not None
    tree, flaws = check(document.tree, MODELS)
    assert not flaws and len(tree) > 40
    for name, values in tree.items():
        priced = {"input", "output"} & values.keys()
        assert len(priced) != 1, name
        if priced:
            assert 0 <= values.get("cached", 0) <= values["input"] <= values["output"], name
    defaults = toml.read(data.DEFAULTS_FILE)
    assert defaults is not None
    for provider, values in defaults.tree["providers"]["llm"].items():
        if (model := values.get("default_model")) and provider != "openrouter":
            assert facts(tmp_path, f"{provider}/{model}").structured is not None, (provider, model)


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("anthropic/claude-haiku-4-5", Facts(200_000, 1.0, 5.0, 0.1, "native", True, "budget")),
        ("anthropic/claude-haiku-4-5-20251001", Facts(200_000, 1.0, 5.0, 0.1, "native", True, "budget")),
        ("openai/gpt-5.2", Facts(400_000, 1.75, 14.0, 0.175, "native", True)),
        ("openai/gpt-5.2-pro", Facts(400_000, None, None, None, "native", True)),
        ("openai/gpt-4.1-mini", Facts(1_047_576, 0.4, 1.6, 0.1, "native", True, "none")),
        ("deepseek/deepseek-chat", Facts(structured="tool")),
        ("deepseek/deepseek-reasoner", Facts(structured="none")),
        ("groq/openai/gpt-oss-120b", Facts(131_072, 0.15, 0.6, 0.075, "tool")),
        ("llamacpp/anything", Facts(structured="native")),
        ("mine/anything", Facts()),
        ("openai/gpt-55", Facts(structured="native", images=True)),
        ("anthropic", Facts()),
    ],
)
def test_the_longest_name_that_fits_holds_key_by_key(tmp_path: Path, model: str, known: Facts) -> None:
    assert facts(tmp_path, model) == known


def test_the_users_file_goes_before_ours_key_by_key(tmp_path: Path) -> None:
    text = (
        '["anthropic/*"]\nwindow = 100_000\n["anthropic/claude-haiku-4-5*"]\ninput = 2\n'
        '["mine/llama"]\ninput = 1\noutput = 2.5\nstructured = "tool"\n["mine/*"]\nstructured = "none"\nwindow = 8192\n'
    )
    assert facts(tmp_path, "anthropic/claude-haiku-4-5", text) == Facts(
        100_000, 2.0, 5.0, 0.1, "native", True, "budget"
    )
    assert facts(tmp_path, "mine/llama") == Facts(8192, 1.0, 2.5, None, "tool")
    assert facts(tmp_path, "mine/other") == Facts(8192, structured="none")
    assert facts(tmp_path, "openai/gpt-4o").input == 2.5, "the rest is as it was"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('\n["a/b"]\nwindow = 5\n', "models.toml:3:1: 'a/b'.window: expected a whole number from 1000"),
        ('["a/b"]\ninput = -1\n', "models.toml:2:1: 'a/b'.input: expected a number"),
        ('["a/b"]\nprice = 1\n', "models.toml:2:1: 'a/b'.price: isn't a valid key"),
        ('["a/b"]\nstructured = "yes"\n', 'found "yes" (allowed: native, tool, none)'),
        ("[ab]\nwindow = 9000\n", "models.toml:1:1: ab: expected provider/model"),
        ('["a/*b"]\nwindow = 9000\n', "expected provider/model, or its beginning with *"),
        ("x = 1\n", "models.toml:1:1: x: expected provider/model"),
        ("[x\n", "models.toml:1:"),
    ],
)
def test_what_is_wrong_names_file_and_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        facts(tmp_path, "a/b", text)
    assert said in str(caught.value) and str(tmp_path) in str(caught.value)
