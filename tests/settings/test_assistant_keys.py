"""R68, C38: the keys of the assistant and of the one that answers questions, with what they default to."""

from __future__ import annotations

import pytest

from jp_tui.settings import typed_settings
from jp_tui.settings.errors import SettingsError
from tests.settings.conftest import Home

WHO = "conversation.inquiry.assistant"


def test_defaults(home: Home) -> None:
    settings = home.load()
    inquiry = settings.get("conversation", "inquiry")
    tries = {"max_retries": 2, "base_backoff_ms": 1000, "max_backoff_secs": 30}  # R135
    assert (inquiry["assistant"], inquiry["retry_with_intent"]) == ({"request": tries}, False)
    assert (inquiry["list_tools"], inquiry["on_failure"]) == ("auto", "ask")
    assert typed_settings.assistant(settings).request.cache == "short"
    request = typed_settings.assistant(settings).request
    assert (request.max_retries, request.base_backoff_ms, request.max_backoff_secs) == (5, 1000, 60)
    assert (request.stream_idle_timeout_secs, request.max_response_bytes) == (60, 1_048_576)
    assert typed_settings.look_settings(settings).review is True and typed_settings.max_attempts(settings) == 20


def test_an_assistant_for_questions_is_a_part_of_one(home: Home) -> None:
    text = (
        f"[{WHO}]\nsystem_prompt = 'Judge.'\nsystem_prompt_sections = ['a', {{ title = 'B', content = 'b' }}]\n"
        f"tool_choice = 'none'\n[{WHO}.model]\nid = 'local/judge'\nparameters = {{ temperature = 0, seed = 1 }}\n"
        f"[{WHO}.request]\nmax_retries = 1\ncache = false\n"
        "[conversation.inquiry]\nretry_with_intent = true\nlist_tools = false\non_failure = 'fail'\n"
    )
    inquiry = home.load(text).get("conversation", "inquiry")
    assert inquiry["assistant"] == {
        "system_prompt": "Judge.",
        "system_prompt_sections": ["a", {"title": "B", "content": "b"}],
        "tool_choice": "none",
        "model": {"id": "local/judge", "parameters": {"temperature": 0.0, "seed": 1}},
        "request": {"max_retries": 1, "cache": "off", "base_backoff_ms": 1000, "max_backoff_secs": 30},
    }
    assert (inquiry["retry_with_intent"], inquiry["list_tools"], inquiry["on_failure"]) == (True, False, "fail")
    assert typed_settings.assistant(home.load(text)).model is None, "the main assistant is another one"


@pytest.mark.parametrize(
    ("written", "cache"),
    [("false", "off"), ("'off'", "off"), ("true", "short"), ("'short'", "short"), ("'long'", "long"), ("'90s'", "90s")],
)
def test_forms_of_cache(home: Home, written: str, cache: str) -> None:
    assert typed_settings.assistant(home.load(f"assistant.request.cache = {written}")).request.cache == cache


@pytest.mark.parametrize("written", ["'10'", "'m'", "'1.5h'", "'-1s'", "'5 m'", "3600", "''", "['off']", "'٣s'"])
def test_other_forms_of_cache_are_errors(home: Home, written: str) -> None:
    with pytest.raises(SettingsError, match=r"assistant\.request\.cache: found"):
        home.load(f"assistant.request.cache = {written}")


def test_sections_stand_behind_the_prompt(home: Home) -> None:
    text = "[assistant]\nsystem_prompt = 'Be brief.'\n"
    text += "system_prompt_sections = ['One.', { title = 'Two', content = '2' }, '']"
    assert typed_settings.assistant(home.load(text)).system_prompt == "Be brief.\n\nOne.\n\n# Two\n\n2"
    alone = home.load("[assistant]\nsystem_prompt = ''\nsystem_prompt_sections = ['One.']")
    assert typed_settings.assistant(alone).system_prompt == "One."
