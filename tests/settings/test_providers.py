"""S20, S20b, S21: providers as data, credentials that never show, and which model it is when nobody said."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace
from typing import cast

import pytest

from jp_tui.conversation.model import ModelError
from jp_tui.settings import providers
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.providers import ModelId, Reachable
from jp_tui.startup.models import named_model
from jp_tui.startup.parts import Parts
from tests.settings.conftest import Home

KEYS = (
    "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY",
    "CEREBRAS_API_KEY", "DEEPSEEK_API_KEY",
)  # fmt: skip


def chosen(home: Home, environment: dict[str, str], *reachable: Reachable, user: str = "") -> str:
    settings = home.load(user)
    known = providers.providers(settings, environment)
    return str(providers.choose(settings, known, environment, reachable).id)


def test_s20_the_built_in_table(home: Home) -> None:
    known = providers.providers(home.load(), {})
    assert list(known) == [
        "anthropic", "openai", "gemini", "openrouter", "mistral", "groq", "cerebras", "deepseek", "ollama", "llamacpp",
        "demo",
    ]  # fmt: skip
    assert [one.api_key_env for one in known.values() if one.api_key_env] == list(KEYS)
    for one in known.values():
        if one.name != "demo":
            assert not one.base_url.endswith(("/", "/chat/completions", "/messages"))
            assert one.base_url.startswith("http://127.0.0.1:" if one.name in providers.LOCAL else "https://")


def test_s20_any_server_in_three_lines(home: Home) -> None:
    settings = home.load(
        '[assistant.model]\nid = "local/llama-3"\n[providers.llm.local]\nwire = "openai-chat"\n'
        'base_url = "http://127.0.0.1:8080/v1/"\napi_key_env = "LOCAL_API_KEY"\nheaders = { "X-Team" = "blue" }\n'
    )
    environment = {"LOCAL_API_KEY": " k-123 "}
    known = providers.providers(settings, environment)
    choice = providers.choose(settings, known, environment)
    local = known["local"]
    assert choice.id == ModelId("local", "llama-3") and choice.why == f"named in {home.user}:2"
    assert (local.base_url, dict(local.headers)) == ("http://127.0.0.1:8080/v1", {"X-Team": "blue"})
    secret = providers.credential(local, environment)
    assert secret is not None and secret.reveal() == "k-123"


def test_a_credential_never_shows() -> None:
    secret = providers.Secret("sk-very-secret")
    for text in (repr(secret), str(secret), f"{secret}", f"{secret!r:>10}", f"{[secret]}", f"{secret:>9}"):
        assert "sk-" not in text
    for leak in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError):
            leak(secret)
    assert not hasattr(secret, "__dict__")


def test_an_unset_or_empty_variable_is_no_credential(home: Home) -> None:
    known = providers.providers(home.load(), {})
    assert providers.credential(known["openai"], {"OPENAI_API_KEY": "  "}) is None
    assert providers.credential(known["ollama"], {"OPENAI_API_KEY": "x"}) is None
    found = providers.secrets(known, {"OPENAI_API_KEY": "x", "GROQ_API_KEY": "y"})
    assert [secret.reveal() for secret in found] == ["x", "y"]


@pytest.mark.parametrize("index", range(len(KEYS)))
def test_s21_the_first_built_in_provider_with_a_credential(home: Home, index: int) -> None:
    name = KEYS[index].removesuffix("_API_KEY").lower()
    environment = dict.fromkeys(KEYS[index:], "k")
    assert chosen(home, environment).startswith(f"{name}/")
    assert chosen(home, environment, Reachable("ollama", ("m",))).startswith(f"{name}/")


def test_s21_then_a_reachable_server_then_the_tour(home: Home) -> None:
    assert chosen(home, {}) == "demo/tour"
    assert chosen(home, {}, Reachable("ollama", ()), Reachable("llamacpp", ("a.gguf",))) == "llamacpp/a.gguf"
    assert chosen(home, {"OPENAI_API_KEY": ""}) == "demo/tour"


def test_s21_a_name_wins_and_only_built_in_providers_are_guessed(home: Home) -> None:
    mine = "[providers.llm.mine]\nwire='anthropic'\nbase_url='http://x'\napi_key_env='MINE'\ndefault_model='m'\n"
    assert chosen(home, {"MINE": "k"}, user=mine) == "demo/tour"
    assert chosen(home, {"OPENAI_API_KEY": "k"}, user=mine + "[assistant.model]\nid='mine/z'") == "mine/z"
    assert chosen(home, {}, user="[assistant.model]\nid='demo/tour'") == "demo/tour"


def test_probing_is_only_for_who_named_nothing_and_has_no_key(home: Home) -> None:
    for user, environment, expected in (
        ("", {}, True),
        ("", {"OPENAI_API_KEY": "k"}, False),
        ("assistant.model.id = 'demo/tour'", {}, False),
    ):
        settings = home.load(user)
        assert providers.needs_probe(settings, providers.providers(settings, environment), environment) is expected


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("anthropic/claude-x", ModelId("anthropic", "claude-x")),
        ("openrouter/a/b:free", ModelId("openrouter", "a/b:free")),
        ("fast", ModelId("groq", "small")),
        ("demo//tmp/a walk.toml", ModelId("demo", "/tmp/a walk.toml")),
    ],
)
def test_s20b_what_follows_the_first_slash_is_the_model(home: Home, text: str, model: ModelId) -> None:
    settings = home.load("providers.llm.aliases.fast = 'groq/small'")
    assert providers.parse_model(text, settings, providers.providers(settings, {})) == model
    assert home.load(flags={"--model": (("assistant", "model", "id"), text)})


def test_a_provider_alone_means_its_default_model(home: Home) -> None:
    settings = home.load()
    known = providers.providers(settings, {})
    assert providers.parse_model("openai", settings, known).model == known["openai"].default_model
    with pytest.raises(SettingsError, match=r"--model: assistant\.model\.id: name a model: ollama/MODEL"):
        providers.parse_model("ollama", settings, known)
    with pytest.raises(SettingsError, match=r"no provider antropic\. Did you mean anthropic/claude"):
        providers.parse_model("antropic/claude", settings, known)


def test_a_provider_needs_a_wire_and_an_address(home: Home) -> None:
    settings = home.load("\n[providers.llm.opnai]\nheaders.X = 'y'")
    with pytest.raises(SettingsError, match=r":2:1: providers\.llm\.opnai: has no wire and no base_url\. .* openai\?"):
        providers.providers(settings, {})
    with pytest.raises(SettingsError, match="demo is built in"):
        providers.providers(home.load("providers.llm.demo.wire = 'anthropic'"), {})


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1:11500", "http://127.0.0.1:11500/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:1", "http://127.0.0.1:1/v1"),
        (":99", "http://127.0.0.1:99/v1"),
        ("box", "http://box:11434/v1"),
        ("https://ollama.example/", "https://ollama.example:443/v1"),
        ("http://box", "http://box:80/v1"),
        ("http://box:8/x/", "http://box:8/v1"),
        ("[::1]:7", "http://[::1]:7/v1"),
        ("[::1]", "http://[::1]:11434/v1"),
    ],
)
def test_ollama_host(home: Home, host: str, address: str) -> None:
    assert providers.providers(home.load(), {"OLLAMA_HOST": host})["ollama"].base_url == address
    named = home.load("providers.llm.ollama.base_url = 'http://here/v1'")
    assert providers.providers(named, {"OLLAMA_HOST": host})["ollama"].base_url == "http://here/v1"


def test_a_model_that_is_named_while_one_works_is_refused_in_words_for_people(home: Home) -> None:
    """What `/model` and a sub-agent's model say: no key of the configuration, which nobody wrote there."""
    parts = cast(Parts, SimpleNamespace(settings=home.load()))
    known = providers.providers(home.load(), {})
    for name, said in (("nosuch/x", "No provider nosuch; there are "), ("antropic/x", "Did you mean anthropic/x?")):
        with pytest.raises(ModelError) as raised:
            named_model(parts, known, name)
        assert said in raised.value.message and "assistant.model" not in raised.value.message
