"""The first-run page without a screen: every way through it, back out of it, and that nothing is written before its end
(issue 8 "First minutes")."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.protocol.events import ModelsListed, ModelTested, Refused, SetupFound, SetupSaved
from jp_tui.protocol.models import ListModels, MissingKey, ModelInfo, ServerProblem, ServerSpec
from jp_tui.protocol.setup import FoundAgent, FoundServer, ProbeSetup, SaveSetup, TestModel
from jp_tui.view.pages import first_run as view
from jp_tui.view.pages.first_run import Wizard
from jp_tui.view.wording.models import facts, tags

WIRES = ("openai-chat", "anthropic")

FILE = "/home/ada/.config/jp-tui/config.toml"
FOUND = SetupFound(
    servers=(
        FoundServer(
            provider="openai", wire="openai-chat", base_url="https://api.openai.com/v1", variable="OPENAI_API_KEY"
        ),
        FoundServer(
            provider="ollama", wire="openai-chat", base_url="http://127.0.0.1:11434/v1", local=True, models=("a", "b")
        ),
    ),
    file=FILE,
    exists=False,
    looked=("GROQ_API_KEY", "llamacpp at http://127.0.0.1:8080/v1"),
)
MODELS = (
    ModelInfo(id="ollama/llama", provider="ollama", model="llama", window=8192),
    ModelInfo(id="ollama/qwen", provider="ollama", model="qwen", default=True, input=0.0, output=0.0),
    ModelInfo(id="ollama/old", provider="ollama", model="old", listed=False),
)
LISTED = ModelsListed(provider="ollama", models=MODELS)


def keys(now: Wizard, words: str = "") -> list[str]:
    return [row.key for row in view.rows(now, words)]


def at_models() -> Wizard:
    now, wanted = view.begin(WIRES)
    assert wanted == (ProbeSetup(),) and not keys(now) and "Looking" in view.lead(now)
    now, _ = view.apply_event(now, FOUND)
    assert keys(now) == ["openai", "ollama", view.OWN, view.AGAIN]
    now, wanted = view.choose_row(now, "ollama")
    assert wanted == (ListModels(provider="ollama"),) and not keys(now)
    now, _ = view.apply_event(now, LISTED)
    return now


def at_reviewer() -> Wizard:
    now, wanted = view.choose_row(at_models(), "ollama/llama")
    assert wanted == (TestModel(model="ollama/llama"),) and "Testing" in view.lead(now)
    now, _ = view.apply_event(now, ModelTested(model="ollama/llama", ok=True, ms=340))
    assert now.step == "reviewer" and "answered (340 ms)" in view.lead(now)
    return now


def test_from_what_is_found_to_what_is_written() -> None:
    now = at_reviewer()
    assert keys(now) == [view.NONE, view.SAME, "ollama/qwen"], "what its server does not list reviews nothing"
    now, wanted = view.choose_row(now, "ollama/qwen")
    assert not wanted and view.plan(now) == (
        ("assistant.model.id", "ollama/llama"),
        ("conversation.inquiry.assistant.model.id", "ollama/qwen"),
    )
    now, wanted = view.choose_row(now, view.WRITE)
    assert wanted == (SaveSetup(model="ollama/llama", reviewer="ollama/qwen"),)
    saved = SetupSaved(model="ollama/llama", file=FILE, created=True, keys=(("assistant.model.id", '"ollama/llama"'),))
    now, _ = view.apply_event(now, saved)
    assert now.step == "done" and view.plan(now) == saved.keys and FILE in view.summary_note(now)
    assert view.back(now) is None
    hidden, _ = view.apply_event(now, saved.model_copy(update={"hidden_by": "--model"}))
    assert "--model still sets another" in view.summary_note(hidden) and "still" not in view.summary_note(now)


@pytest.mark.parametrize(("key", "reviewer"), [(view.NONE, ""), (view.SAME, "inherit")])
def test_a_reviewer_or_none(key: str, reviewer: str) -> None:
    now, _ = view.choose_row(at_reviewer(), key)
    _, (wanted,) = view.choose_row(now, view.WRITE)
    assert isinstance(wanted, SaveSetup) and wanted.reviewer == reviewer


def test_every_step_has_a_way_back_and_none_of_them_writes() -> None:
    now: Wizard | None = view.choose_row(at_reviewer(), view.NONE)[0]
    seen = []
    while now is not None:
        seen.append(now.step)
        now = view.back(now)
    assert seen == ["confirm", "reviewer", "models", "servers"]


def test_the_usual_model_is_first_and_words_narrow_the_rest() -> None:
    now = at_models()
    assert keys(now) == ["ollama/qwen", "ollama/llama", "ollama/old"] and view.filtered(now)
    assert keys(now, "LLA") == ["ollama/llama", "ollama/LLA"]
    assert keys(now, "wen") == ["ollama/qwen", "ollama/wen"]
    assert keys(now, "mistral:7b") == ["ollama/mistral:7b"], "a name that nobody lists can be used"
    assert keys(now, "no such thing") == []


def test_a_server_without_a_list_is_no_dead_end() -> None:
    now, _ = view.choose_row(view.apply_event(view.begin(WIRES)[0], FOUND)[0], "openai")
    trouble = ServerProblem(provider="openai", kind="unauthorised", message="It was refused.", advice="Check it.")
    missing = MissingKey(provider="openai", variable="OPENAI_API_KEY")
    now, _ = view.apply_event(now, ModelsListed(provider="openai", models=(), problems=(trouble,), missing=(missing,)))
    assert now.trouble == "It was refused. Check it. OPENAI_API_KEY isn't set."
    assert keys(now) == [view.AGAIN] and keys(now, "gpt-9") == ["openai/gpt-9", view.AGAIN]
    again, wanted = view.choose_row(now, view.AGAIN)
    assert wanted == (ListModels(provider="openai"),) and again.models is None and not again.trouble


def test_a_model_that_does_not_answer() -> None:
    now, _ = view.choose_row(at_models(), "ollama/llama")
    now, _ = view.apply_event(
        now, ModelTested(model="ollama/llama", ok=False, message="It is gone.", advice="Start it.")
    )
    assert (now.step, now.trouble) == ("failed", "It is gone.\nStart it.")
    assert view.choose_row(now, view.AGAIN)[1] == (TestModel(model="ollama/llama"),)
    assert view.choose_row(now, view.OTHER)[0].step == "models"
    assert view.choose_row(now, view.ASIS)[0].step == "reviewer"


def test_what_nobody_waits_for_any_more_changes_nothing() -> None:
    """The page went back while it was asked: a late answer is not taken for another question's."""
    now, _ = view.choose_row(at_models(), "ollama/llama")
    left = view.back(now)
    assert left is not None
    late = ModelTested(model="ollama/llama", ok=True)
    assert view.apply_event(left, late)[0] == left
    other, _ = view.choose_row(left, "ollama/qwen")
    assert view.apply_event(other, late)[0] == other
    servers = view.back(left)
    assert servers is not None and view.apply_event(servers, LISTED)[0] == servers


def test_a_server_of_ones_own() -> None:
    now, _ = view.choose_row(view.apply_event(view.begin(WIRES)[0], FOUND)[0], view.OWN)
    assert keys(now) == [*view.FIELDS, view.GO]
    now = view.set_field(now, "name", " mine ")
    now = view.set_field(now, "api_key_env", "MINE_KEY")
    now, _ = view.choose_row(now, "wire")
    assert now.draft.wire == "anthropic" and view.choose_row(now, "wire")[0].draft.wire == "openai-chat"
    empty, wanted = view.choose_row(view.set_field(now, "base_url", ""), view.GO)
    assert not wanted and empty.trouble == "Address is empty."
    now, wanted = view.choose_row(now, view.GO)
    spec = ServerSpec(name="mine", wire="anthropic", base_url="http://127.0.0.1:8080/v1", api_key_env="MINE_KEY")
    assert wanted == (ListModels(server=spec),)
    refused = Refused(command="list_models", message="base_url: is no address")
    assert view.apply_event(now, refused)[0].step == "own" and view.apply_event(now, refused)[0].trouble
    now, _ = view.apply_event(now, ModelsListed(provider="mine", models=()))
    now, wanted = view.choose_row(now, "mine/x")
    assert wanted == (TestModel(model="mine/x", server=spec),)
    now, _ = view.apply_event(now, ModelTested(model="mine/x", ok=True, ms=1))
    now, _ = view.choose_row(now, view.NONE)
    assert ("providers.llm.mine.api_key_env", "MINE_KEY") in view.plan(now)
    assert view.choose_row(now, view.WRITE)[1] == (SaveSetup(model="mine/x", server=spec),)


def test_what_could_not_be_written_is_said_where_it_was_asked_for() -> None:
    now, _ = view.choose_row(view.choose_row(at_reviewer(), view.NONE)[0], view.WRITE)
    assert now.step == "saving" and view.back(now) is None
    now, _ = view.apply_event(now, Refused(command="save_setup", message="config.toml:3: broken", advice="Mend it."))
    assert (now.step, now.trouble) == ("confirm", "config.toml:3: broken\nMend it.")


def test_with_nothing_found_it_says_what_to_do() -> None:
    now, _ = view.apply_event(view.begin(WIRES)[0], FOUND.model_copy(update={"servers": ()}))
    said = view.lead(now)
    assert "export GROQ_API_KEY=…" in said and "llamacpp at http://127.0.0.1:8080/v1" in said
    assert keys(now) == [view.OWN, view.AGAIN]
    refused, _ = view.apply_event(Wizard(), Refused(command="probe_setup", message="config.toml:1: broken"))
    assert refused.trouble and keys(refused) == [view.OWN, view.AGAIN]


def test_what_is_set_already_is_said() -> None:
    now, _ = view.apply_event(Wizard(), FOUND.model_copy(update={"model": "openai/gpt-5.1"}))
    assert "The current model is openai/gpt-5.1." in view.lead(now) and "Now" not in view.lead(
        view.apply_event(Wizard(), FOUND)[0]
    )


def test_a_file_that_is_there_is_said_to_be_kept() -> None:
    now = view.choose_row(at_reviewer(), view.NONE)[0]
    there = replace(now, found=FOUND.model_copy(update={"exists": True}))
    assert "Only these keys change" in view.summary_note(there) and "creates the file" in view.summary_note(now)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, ""),
        ({"window": 200_000, "input": 3.0, "output": 15.0, "images": True}, "200k tokens · $3 in, $15 out · images"),
        ({"input": 0.15, "output": 0.6}, "$0.15 in, $0.60 out"),
        ({"input": 0.075, "output": 1.25}, "$0.075 in, $1.25 out"),
        ({"input": 0.0, "output": 0.0}, "free"),
        ({"input": 1.0}, ""),
    ],
)
def test_what_is_known_of_a_model(given: dict[str, object], words: str) -> None:
    assert facts(ModelInfo(id="a/b", provider="a", model="b").model_copy(update=given)) == words


def test_what_a_model_is_here() -> None:
    one = ModelInfo(id="a/b", provider="a", model="b", aliases=("fast", "f"), listed=False, default=True)
    assert tags(one) == "the default · alias fast, f · not listed by its server"


def test_n40_an_installed_agent_is_offered_started_and_saved() -> None:
    """No model to choose and no reviewer; every step goes back to the list."""
    agent = FoundAgent(name="opencode", command=("opencode", "acp"))
    now, _ = view.apply_event(view.begin(WIRES)[0], FOUND.model_copy(update={"agents": (agent,), "servers": ()}))
    assert keys(now) == ["agent/opencode", view.OWN, view.AGAIN] and "Where do" in view.lead(now)
    now, wanted = view.choose_row(now, "agent/opencode")
    assert wanted == (TestModel(model="agent/opencode", agent=agent),)
    failed, _ = view.apply_event(now, ModelTested(model="agent/opencode", ok=False, message="no"))
    assert view.choose_row(failed, view.AGAIN)[1] == wanted
    for key, step in ((view.OTHER, "servers"), (view.ASIS, "confirm")):
        assert view.choose_row(failed, key)[0].step == step
    now, _ = view.apply_event(now, ModelTested(model="agent/opencode", ok=True, ms=3))
    assert now.step == "confirm" and (before := view.back(now)) is not None and before.step == "servers"
    assert view.plan(now) == (("agents.opencode.command", "opencode acp"), ("assistant.model.id", "agent/opencode"))
    _, wanted = view.choose_row(now, view.WRITE)
    assert wanted == (SaveSetup(model="agent/opencode", agent=agent),)
