"""The first run on an empty home (issue 8 "First minutes"): with nothing, with a local server, with a key; what is
asked of whom, what is written, and that no key is in it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tomllib
from pathlib import Path

import pytest

from jp_tui.protocol.models import ServerSpec
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.edit.first_file import SetupChoice, fresh, write
from jp_tui.settings.layers.layers import from_text
from jp_tui.settings.wires import SERVER_WIRES
from jp_tui.startup.catalogue import listed
from jp_tui.startup.first_run import SetupCatalogue
from jp_tui.startup.parts import Parts, RunLocation, parts
from tests.fakes.model_server import Answer, ModelServer
from tests.limits import LIMIT
from tests.providers.decoding import sample
from tests.providers.makers import SPEAKS

JSON = {"content-type": "application/json"}
KEY = "sk-very-secret-1234567890"
LIST = Answer([b'{"data":[{"id":"llama-3","context_length":8192},{"id":"qwen"}]}'], headers=JSON)
NOBODY = "http://127.0.0.1:9/v1"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.endswith("_API_KEY") or name.startswith("JP_TUI"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    monkeypatch.setenv("JP_TUI_PROVIDERS__LLM__LLAMACPP__BASE_URL", NOBODY)
    return tmp_path


def made(home: Path, **options: object) -> Parts:
    arguments = CommandLine(workspace=str(home), **options)  # type: ignore[arg-type]
    place = RunLocation(arguments)
    return parts(arguments, place.sources.load(), place)


def written_in(home: Path) -> str:
    """The user's file, for nobody else to read; empty when there is none."""
    file = home / "home" / "config" / "config.toml"
    assert not file.exists() or file.stat().st_mode & 0o777 == 0o600
    return file.read_text() if file.exists() else ""


def local(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("JP_TUI_PROVIDERS__LLM__LLAMACPP__BASE_URL", f"{url}/v1")


async def test_with_nothing_it_says_what_it_looked_for(home: Path) -> None:
    run = SetupCatalogue(made(home))
    found = await run.found()
    assert not found.servers and not found.exists and not found.model
    assert "ANTHROPIC_API_KEY" in found.looked and "ollama at http://127.0.0.1:9/v1" in found.looked
    assert (await run.open_model("")).id == "demo/tour"
    assert not written_in(home), "looking writes nothing"


async def test_with_a_local_server_from_nothing_to_an_answer(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Answer([sample("openai_parallel")[0]])
    async with ModelServer(LIST, LIST, LIST, answer) as server:
        local(monkeypatch, server.url)
        run = SetupCatalogue(made(home))
        (one,) = (await run.found()).servers
        assert (one.provider, one.local, one.models, one.variable) == ("llamacpp", True, ("llama-3", "qwen"), "")
        models = (await run.models("llamacpp", None)).models
        assert [(each.id, each.window, each.listed) for each in models] == [
            ("llamacpp/llama-3", 8192, True), ("llamacpp/qwen", None, True),
        ]  # fmt: skip
        assert (await run.open_model("")).id == "llamacpp/llama-3", "S21: the first that answers"
        tested = await run.tested("llamacpp/qwen", None)
        assert tested.ok and tested.ms >= 0 and not tested.message
        sent = server.received[-1].json
    assert sent["model"] == "qwen" and sent["max_tokens"] == 16 and "tools" not in sent
    saved = run.save("llamacpp/qwen", "", None)
    assert saved.created and saved.keys == (("assistant.model.id", '"llamacpp/qwen"'),)
    assert (await run.open_model("")).id == "llamacpp/qwen", "at once, in this run"
    assert (await SetupCatalogue(made(home)).open_model("")).id == "llamacpp/qwen", "and in the next"


async def test_with_a_key_only_the_server_that_it_belongs_to_is_asked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ModelServer(LIST) as server, ModelServer(Answer(status=401, headers=JSON)) as other:
        monkeypatch.setenv("JP_TUI_PROVIDERS__LLM__OPENAI__BASE_URL", server.url)
        monkeypatch.setenv("JP_TUI_PROVIDERS__LLM__MISTRAL__BASE_URL", other.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        run = SetupCatalogue(made(home))
        found = await run.found()
        first = found.servers[0]
        assert (first.provider, first.variable, first.default_model) == ("openai", "OPENAI_API_KEY", "gpt-5.1")
        assert not server.received, "a credential is only found; nobody is asked before a choice"
        assert not other.received or "authorization" not in other.received[0].headers
        said = await run.models("openai", None)
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
        run.save("openai/gpt-5.1", "openai/qwen", None)
    assert [one.model for one in said.models if one.default] == ["gpt-5.1"]
    assert [one.model for one in said.models if not one.listed] == ["gpt-5.1"]
    text = written_in(home)
    assert KEY not in text + repr(found) + repr(said) and 'id = "openai/qwen"' in text


async def test_a_server_of_ones_own_is_tested_before_it_is_written(home: Path) -> None:
    refused = Answer([json.dumps({"error": {"message": f"no {KEY}"}}).encode()], 401, JSON)
    async with ModelServer(LIST, refused, Answer([sample("anthropic_tools")[0]])) as server:
        spec = ServerSpec(name="mine", wire="openai-chat", base_url=f"{server.url}/v1")
        run = SetupCatalogue(made(home))
        said = await run.models("", spec)
        assert said.provider == "mine" and [one.id for one in said.models] == ["mine/llama-3", "mine/qwen"]
        tested = await run.tested("mine/llama-3", spec)
        assert not tested.ok and "mine requires a key (401)" in tested.message and "api_key_env" in tested.advice
        spoken = spec.model_copy(update={"wire": "anthropic"})
        assert (await run.tested("mine/llama-3", spoken)).ok
        run.save("mine/llama-3", "inherit", spoken)
        assert (await run.open_model("")).id == "mine/llama-3"
    again = SetupCatalogue(made(home))
    found = await again.found()
    assert (found.exists, found.model, found.reviewer) == (True, "mine/llama-3", "inherit")


_MODEL = {"inputTokenLimit": 8192, "supportedGenerationMethods": ["generateContent"]}
LISTS: dict[str, object] = {
    "openai-chat": {"data": [{"id": "m-1", "context_length": 8192}]},
    "openai-responses": {"data": [{"id": "m-1", "context_length": 8192}]},
    "anthropic": {"data": [{"id": "m-1", "type": "model", "max_input_tokens": 8192}], "has_more": False},
    "gemini": {
        "models": [
            {"name": "models/m-1", **_MODEL},
            {"name": "models/embeds", "supportedGenerationMethods": ["embedContent"]},
        ]
    },
    "ollama": {"models": [{"name": "m-1", "model": "m-1", "context_length": 8192}]},
}
"""As each wire lists a model."""


@pytest.mark.parametrize("wire", SERVER_WIRES)
async def test_w1_setup_connects_each_wire_and_models_lists_it_with_window_and_prices(wire: str, home: Path) -> None:
    (home / "home" / "config").mkdir(parents=True)
    (home / "home" / "config" / "models.toml").write_text('["mine/*"]\ninput = 1\noutput = 2\n')
    known = Answer([json.dumps(LISTS[wire]).encode()], headers=JSON)
    media = "application/x-ndjson" if wire == "ollama" else "text/event-stream"
    said = Answer([SPEAKS[wire](False)], headers={"content-type": media})
    async with ModelServer(known, said, known) as server:
        spec = ServerSpec(name="mine", wire=wire, base_url=server.url)
        run = SetupCatalogue(made(home))
        (one,) = (await run.models("", spec)).models
        assert (one.id, one.window, one.input, one.output, one.listed) == ("mine/m-1", 8192, 1.0, 2.0, True)
        assert (await run.tested("mine/m-1", spec)).ok
        run.save("mine/m-1", "", spec)
        again = SetupCatalogue(made(home))
        (one,) = (await again.models("mine", None)).models
        assert one.id == "mine/m-1" and one.default and (await again.open_model("")).id == "mine/m-1"


async def test_a_server_elsewhere_is_found_and_not_asked(home: Path) -> None:
    """S21: nobody but this machine is asked before a choice."""
    (home / "home" / "config").mkdir(parents=True)
    text = '[providers.llm.office]\nwire = "openai-chat"\nbase_url = "http://models.invalid:1/v1"\n'
    (home / "home" / "config" / "config.toml").write_text(text)
    found = await SetupCatalogue(made(home)).found()
    (one,) = found.servers
    assert (one.provider, one.local, one.variable) == ("office", False, "") and found.exists
    assert not [words for words in found.looked if "office" in words]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (ServerSpec(name="mine", wire="openai-chat", base_url="localhost:8080"), "base_url"),
        (ServerSpec(name="mine", base_url="http://h/v1", wire="telepathy"), "wire"),
        (ServerSpec(name="mine", wire="openai-chat", base_url="http://h/v1", api_key_env="sk-abc def"), "api_key_env"),
        (ServerSpec(name="demo", wire="openai-chat", base_url="http://h/v1"), "demo"),
    ],
)
async def test_what_no_configuration_takes_is_refused(home: Path, spec: ServerSpec, words: str) -> None:
    run = SetupCatalogue(made(home))
    for attempt in (lambda: run.models("", spec), lambda: run.tested("mine/x", spec)):
        with pytest.raises(ValueError, match=words):
            await attempt()
    with pytest.raises(ValueError, match=words):
        run.save("mine/x", "", spec)
    assert not (home / "home").exists()


async def test_a_silent_server_is_one_line(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with ModelServer(Answer(blackhole=True)) as silent, ModelServer(LIST) as server:
        local(monkeypatch, server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("JP_TUI_PROVIDERS__LLM__OPENAI__BASE_URL", silent.url)
        said = await listed(made(home), "", None, seconds=0.5)
    wrong = {one.provider: one for one in said.problems}
    assert wrong["openai"].message == "openai didn't answer within 0.5 s."
    assert wrong["ollama"].kind == "refused" and "\n" not in wrong["ollama"].message
    assert ("anthropic", "ANTHROPIC_API_KEY") in [(one.provider, one.variable) for one in said.missing]
    ids = [one.id for one in said.models]
    assert "llamacpp/llama-3" in ids and "demo/tour" in ids and "openai/gpt-5.1" in ids
    assert not [one for one in said.models if one.provider == "openai" and one.listed], "our data names them alone"


async def test_all_are_asked_at_once_and_let_go_when_nobody_waits(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with ModelServer(Answer(blackhole=True)) as silent:
        for name in ("OPENAI", "GROQ", "MISTRAL"):
            monkeypatch.setenv(f"{name}_API_KEY", KEY)
            monkeypatch.setenv(f"JP_TUI_PROVIDERS__LLM__{name}__BASE_URL", silent.url)
        asking = asyncio.ensure_future(listed(made(home), "", None, seconds=60))
        await asyncio.wait_for(silent.wait_for_request(3), LIMIT)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        for request in silent.received:
            await asyncio.wait_for(request.gone.wait(), LIMIT)


def test_a_new_file_explains_itself_and_loads(tmp_path: Path) -> None:
    for choice in (
        SetupChoice("openai/gpt-5.1"),
        SetupChoice("mine/a", "inherit", ("mine", "anthropic", "http://h/v1", "MINE_KEY")),
        SetupChoice('mine/quote"d', "", ("my-own", "openai-chat", "http://h/v1", "")),
    ):
        text = fresh(choice)
        from_text("user", "config.toml", text.encode())
        assert max(map(len, text.splitlines())) <= 120 and "/setup" in text
        for line in text.splitlines():
            assert not line or line.startswith(("#", "[", "id =")) or "#" in line, line


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        '# mine\n[ui]\ntheme = "jp-day"  # bright\n\n[conversation.inquiry.assistant.model]\nid = "inherit"\n'
    )
    written = write(file, SetupChoice("openai/gpt-5.1"))
    assert not written.created and written.keys[-1] == ("conversation.inquiry.assistant.model.id", "")
    text = file.read_text()
    assert text.startswith('# mine\n[ui]\ntheme = "jp-day"  # bright\n') and 'id = "openai/gpt-5.1"' in text
    assert "inherit" not in text


def test_what_still_names_another_model_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not SetupCatalogue(made(home)).save("openai/gpt-5.1", "", None).hidden_by
    monkeypatch.setenv("JP_TUI_ASSISTANT__MODEL__ID", "mistral/x")
    assert "JP_TUI_ASSISTANT__MODEL__ID" in SetupCatalogue(made(home)).save("openai/gpt-5.1", "", None).hidden_by
    assert "--model" in SetupCatalogue(made(home, model="groq/y")).save("openai/gpt-5.1", "", None).hidden_by


def test_a_broken_file_is_not_written_over(home: Path) -> None:
    run = SetupCatalogue(made(home))
    file = home / "home" / "config" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[ui\n")
    with pytest.raises(ValueError, match=r"config\.toml:1"):
        run.save("openai/gpt-5.1", "", None)
    assert file.read_text() == "[ui\n"


async def test_n40_an_installed_agent_is_found_started_and_set_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the command is written beside the model's name; the run knows the agent's calls at once."""
    programs = home / "bin"
    programs.mkdir()
    script = home / "agent.json"
    script.write_text('{"prompts": []}')
    player = Path(__file__).parents[1] / "fakes" / "agent.py"
    (programs / "opencode").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{player}" "{script}"\n')
    (programs / "opencode").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    added: list[list[str]] = []
    run = SetupCatalogue(made(home), lambda settings: added.append(list(settings.get("agents"))))
    (agent,) = [one for one in (await run.found()).agents if one.name == "opencode"]
    assert agent.command == ("opencode", "acp")
    assert (await run.tested("agent/opencode", None, agent)).ok
    assert run.save("agent/opencode", "", None, agent).created and added == [["opencode"]]
    written = tomllib.loads(written_in(home))
    assert written["agents"] == {"opencode": {"command": ["opencode", "acp"]}}
    assert written["assistant"]["model"]["id"] == "agent/opencode"
    again = SetupCatalogue(made(home))
    assert [one.name for one in (await again.found()).agents if one.name == "opencode"] == []
    assert (await again.open_model("")).id == "agent/opencode"
