"""An effort in the form that each wire and model takes (wires.md W8)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.model import Call, Effort, Message, ModelRequest, ReasoningPart, Result, TextPart, ToolSpec
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import make_wire
from jp_tui.settings.adjusted import adjusted
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.known_models import KnownModels, read
from jp_tui.startup.models import effort
from tests.settings.conftest import Home

from .decoding import HELLO

HIGH, TOKENS, SWITCH = Effort("high"), Effort("medium", "budget"), Effort("low", "switch")


def body(wire: str, request: ModelRequest) -> dict[str, Any]:
    return make_wire(Endpoint("x", wire, "http://h")).body(request)


@pytest.mark.parametrize(
    ("wire", "asked", "key", "sent"),
    [
        ("openai-chat", HIGH, "reasoning_effort", "high"),
        ("openai-responses", HIGH, "reasoning", {"effort": "high", "summary": "auto"}),
        ("anthropic", HIGH, "thinking", {"type": "adaptive"}),
        ("anthropic", HIGH, "output_config", {"effort": "high"}),
        ("anthropic", TOKENS, "thinking", {"type": "enabled", "budget_tokens": 16_384}),
        ("ollama", HIGH, "think", "high"),
        ("ollama", SWITCH, "think", True),
    ],
)
def test_w8_where_an_effort_stands(wire: str, asked: Effort, key: str, sent: Any) -> None:
    assert body(wire, replace(HELLO, effort=asked))[key] == sent
    assert key not in body(wire, HELLO)


def test_w8_gemini_takes_a_level_or_tokens() -> None:
    config = body("gemini", replace(HELLO, effort=HIGH))["generationConfig"]
    assert config["thinkingConfig"] == {"includeThoughts": True, "thinkingLevel": "high"}
    config = body("gemini", replace(HELLO, effort=TOKENS))["generationConfig"]
    assert config["thinkingConfig"] == {"includeThoughts": True, "thinkingBudget": 16_384}


def test_w6_w8_anthropic_is_not_asked_to_think_where_it_would_refuse() -> None:
    tool = ToolSpec("t", "", {"type": "object"})
    request = replace(HELLO, effort=TOKENS, tools=(tool,), temperature=0.5)
    assert "thinking" in body("anthropic", request) and "temperature" not in body("anthropic", request)
    assert "thinking" not in body("anthropic", replace(request, tool_choice="t"))
    assert "thinking" not in body("anthropic", replace(request, max_tokens=1_500))
    assert body("anthropic", replace(request, max_tokens=5_000))["thinking"]["budget_tokens"] == 3_976
    said = Message("user", (TextPart("go"),))
    result = Message("user", (Result("c", "t", "ok", is_error=False),))
    own = ReasoningPart("hm", {"anthropic_thinking_signature": "s"})
    for before, thinks in (((), False), ((own,), True)):
        running = (said, Message("assistant", (*before, Call("c", "t", {}))), result)
        assert ("thinking" in body("anthropic", replace(request, messages=running))) == thinks
        assert "thinking" in body("anthropic", replace(request, messages=(*running, said))), "a new turn"


def test_w8_the_form_comes_from_what_is_known_of_the_model(tmp_path: Path) -> None:
    known: KnownModels = read(str(tmp_path / "models.toml"))
    forms = {
        "anthropic/claude-sonnet-4-5": "budget",
        "anthropic/claude-opus-4-6": "level",
        "openai/gpt-5.1": "level",
        "gemini/gemini-2.5-pro": "budget",
        "new/model": "level",
    }
    for model, form in forms.items():
        asked = effort(known.facts(model), "low")
        assert asked is not None and asked.form == form, model
    assert effort(known.facts("openai/gpt-4.1-mini"), "low") is None and effort(known.facts("x/y"), None) is None


def test_w8_a_model_without_such_a_setting_says_so_and_an_unknown_level_is_an_error(tmp_path: Path) -> None:
    home = Home(tmp_path)
    settings = home.load('[assistant.model]\nid = "openai/gpt-4.1"\neffort = "high"\n')
    (said,) = [one for one in adjusted(settings, {}) if "effort" in one.path]
    assert said.why == "it has no effect: openai/gpt-4.1 has no such setting"
    with pytest.raises(SettingsError, match="allowed: low, medium, high"):
        home.load('[assistant.model]\neffort = "most"\n')


def test_w8_the_notice_reads_the_users_own_file(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "models.toml").write_text('["mine/*"]\neffort = "none"\n["openai/gpt-4.1"]\neffort = "level"\n')
    mine = '[providers.llm.mine]\nwire = "openai-chat"\nbase_url = "http://h"\n'

    def notices(model: str) -> int:
        settings = home.load(f'{mine}[assistant.model]\nid = "{model}"\neffort = "high"\n')
        return len([one for one in adjusted(settings, {}) if "effort" in one.path])

    assert (notices("mine/x"), notices("openai/gpt-4.1")) == (1, 0)
