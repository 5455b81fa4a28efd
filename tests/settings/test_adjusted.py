"""A configured value that a bound or a server changes is reported when it is loaded and in `config show` (R130, Z4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation import model as m
from jp_tui.engine.base.dependencies import ModelSetup, RetryPolicy
from jp_tui.engine.model import response_retry
from jp_tui.engine.reviewer.request import output_tokens
from jp_tui.engine.reviewer.stream import Response, ReviewStreamRelay
from jp_tui.first_frame import cached_settings
from jp_tui.providers.anthropic.request import Anthropic
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.failures import Failures
from jp_tui.settings import adjusted
from jp_tui.settings.adjusted import Adjusted
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import bounds
from jp_tui.startup.parts import RunLocation
from tests.fakes.models import text
from tests.headless.rpc_peer import rpc
from tests.headless.running import jp, lines
from tests.settings.conftest import Home

SHARED = "conversation.inquiry.assistant"
TARGET = "conversation.tools.fs_modify_file.questions.apply_changes.target"
OPENAI, CLAUDE = "assistant.model.id = 'openai/gpt-5.1'", "assistant.model.id = 'anthropic/claude-sonnet-4-5'"
JUDGE = f"{SHARED}.model.id = 'anthropic/claude-haiku-4-5'"
LOCAL = "[conversation.tools.x]\nsource = 'local'\ncommand = 'echo'\n"


def found(home: Home, *said: str) -> dict[str, Any]:
    """Each adjusted key with the value that is used."""
    return {one.key: one.used for one in rows(home, *said)}


def rows(home: Home, *said: str) -> list[Adjusted]:
    return adjusted.adjusted(home.load("\n".join(said)), {})


CASES: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    ((f"{SHARED}.model.parameters.max_tokens = 1023",), {f"{SHARED}.model.parameters.max_tokens": 1024}),
    ((f"{SHARED}.model.parameters.max_tokens = 1024",), {}),
    ((f"{TARGET} = {{ model = {{ parameters = {{ max_tokens = 5 }} }} }}",),
     {f"{TARGET}.model.parameters.max_tokens": 1024}),
    (("assistant.model.parameters.max_tokens = 5",), {}),
    (("assistant.model.parameters.max_tokens = 5", JUDGE), {"assistant.model.parameters.max_tokens": 1024}),
    (("assistant.model.parameters.max_tokens = 5", JUDGE, f"{SHARED}.model.parameters.max_tokens = 2000"), {}),
    ((f"{SHARED}.request.max_response_bytes = 1048577",), {f"{SHARED}.request.max_response_bytes": 1048576}),
    ((f"{SHARED}.request.max_response_bytes = 1048576",), {}),
    (("assistant.request.max_response_bytes = 1048577",), {}),
    (("assistant.request.max_response_bytes = 1048577", JUDGE), {"assistant.request.max_response_bytes": 1048576}),
    (("assistant.request.base_backoff_ms = 499",), {"assistant.request.base_backoff_ms": 500}),
    (("assistant.request.base_backoff_ms = 500",), {}),
    (("assistant.request.base_backoff_ms = 60001",), {"assistant.request.base_backoff_ms": 60000}),
    (("assistant.request.base_backoff_ms = 60000",), {}),
    ((f"{SHARED}.request.base_backoff_ms = 30001",), {f"{SHARED}.request.base_backoff_ms": 30000}),
    ((f"{SHARED}.request.base_backoff_ms = 0",), {f"{SHARED}.request.base_backoff_ms": 500}),
    (("assistant.request.max_backoff_secs = 0",), {"assistant.request.max_backoff_secs": 0.5}),
    (("assistant.request.max_backoff_secs = 1",), {}),
    (("assistant.request.max_backoff_secs = 900",), {}),
    (("assistant.request.max_backoff_secs = 901",), {"assistant.request.max_backoff_secs": 900}),
    ((f"{TARGET} = {{ request = {{ max_backoff_secs = 0 }} }}",), {f"{TARGET}.request.max_backoff_secs": 0.5}),
    ((CLAUDE, "assistant.request.cache = '10m'"), {"assistant.request.cache": "1h"}),
    ((CLAUDE, "assistant.request.cache = '90s'"), {"assistant.request.cache": "5m"}),
    ((CLAUDE, "assistant.request.cache = '2h'"), {"assistant.request.cache": "1h"}),
    *(((CLAUDE, f"assistant.request.cache = '{same}'"), {}) for same in ("5m", "60m", "1h", "0s", "off", "long")),
    *(((OPENAI, f"assistant.request.cache = '{one}'"), {"assistant.request.cache": None})
      for one in ("off", "long", "10m")),
    ((OPENAI, "assistant.request.cache = 'short'"), {}),
    (("assistant.request.cache = '10m'",), {}),  # no model is known yet
    ((OPENAI, JUDGE, f"{SHARED}.request.cache = '10m'"), {f"{SHARED}.request.cache": "1h"}),
    ((OPENAI, f"{SHARED}.model.id = 'inherit'", f"{SHARED}.request.cache = '10m'"), {f"{SHARED}.request.cache": None}),
    ((f"{SHARED}.tool_choice = 'auto'",), {f"{SHARED}.tool_choice": None}),
    (("assistant.tool_choice = 'none'",), {}),
    ((LOCAL, "timeout_secs = 31", "style.parameters = 'echo'"), {"conversation.tools.x.timeout_secs": 30}),
    ((LOCAL, "timeout_secs = 30", "style.parameters = 'echo'"), {}),
    ((LOCAL, "timeout_secs = 31"), {}),
    ((LOCAL, "style.parameters = 'echo'", "[conversation.tools.'*']", "timeout_secs = 31"),
     {"conversation.tools.x.timeout_secs": 30}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "expected"), CASES, ids=lambda value: " ".join(value) if value else "nothing")
def test_what_is_used_instead(home: Home, said: tuple[str, ...], expected: dict[str, Any]) -> None:
    """(Z4)"""
    assert found(home, *said) == expected


def test_defaults_are_never_reported(home: Home) -> None:
    """(Z4)"""
    assert rows(home) == [] and home.load("").notices == ()
    assert list(found(home, "assistant.request.max_backoff_secs = 0")) == ["assistant.request.max_backoff_secs"]


def test_the_notice_names_the_place_the_value_and_what_is_used(home: Home) -> None:
    """(Z4) `load` gives it to every front end."""
    (notice,) = home.load("\n[assistant.request]\nbase_backoff_ms = 7").notices
    assert notice.words == (
        f"{home.user}:3: assistant.request.base_backoff_ms = 7: 500 is used: no retry waits for less"
    )
    variables = {"JP_TUI_ASSISTANT__REQUEST__BASE_BACKOFF_MS": "7"}
    assert "JP_TUI_ASSISTANT__REQUEST__BASE_BACKOFF_MS" in home.load(environment=variables).notices[0].words
    assert "--cfg" in home.load(cfg=["assistant.request.base_backoff_ms=7"]).notices[0].words
    (notice,) = home.load(f"{TARGET} = {{ model = {{ parameters = {{ max_tokens = 5 }} }} }}").notices[:1]
    assert notice.words.startswith(f"{home.user}:1: {TARGET}.model.parameters.max_tokens = 5: 1024 is used")


def test_what_no_one_can_use_is_left_to_the_errors(home: Home) -> None:
    """(Z4) A model that there is not is an error elsewhere, never one here."""
    settings = home.load("assistant.model.id = 'nowhere/x'\nassistant.request.cache = 'off'")
    assert adjusted.adjusted(settings, {}) == []
    with pytest.raises(SettingsError):
        home.load("assistant.request.base_backoff_ms = -1")


# --- what is shown is what is used ------------------------------------------------------------------------------


@pytest.mark.parametrize(("base", "most"), [(0, 60), (499, 60), (60001, 60), (5000, 0), (1000, 0), (700, 30)])
def test_the_first_wait_is_the_one_that_is_shown(
    home: Home, monkeypatch: pytest.MonkeyPatch, base: int, most: int
) -> None:
    """(Z4, Z21)"""
    monkeypatch.setattr(response_retry.random, "uniform", lambda low, high: high if high == 1 else low)
    error = m.ModelError("overloaded", "Busy.", transient=True)
    waits = response_retry.retry_delay(RetryPolicy(5, base, most), error, 1)
    used = found(home, f"assistant.request.base_backoff_ms = {base}", f"assistant.request.max_backoff_secs = {most}")
    assert waits is not None and waits * 1000 == used.get("assistant.request.base_backoff_ms", base)


def test_the_reviewer_gets_the_tokens_that_are_shown(home: Home) -> None:
    """(Z4)"""
    (one,) = rows(home, f"{SHARED}.model.parameters.max_tokens = 5")
    setup = ModelSetup(id="x/y", name="y", provider=None, max_tokens=one.value)  # type: ignore[arg-type]
    assert output_tokens(setup) == one.used


async def test_a_reviewers_reply_ends_at_the_bytes_that_are_shown(home: Home) -> None:
    """(Z4)"""
    (one,) = rows(home, f"{SHARED}.request.max_response_bytes = 4000000")

    async def deltas() -> Any:
        for delta in text("x" * (one.used + 1)):
            yield delta

    with pytest.raises(m.ModelError, match=f"longer than {one.used:,} bytes"):
        await Response("", ReviewStreamRelay(Nobody())).consume(deltas())  # type: ignore[arg-type]


class Nobody:
    def says(self, *_: Any, **__: Any) -> None:
        """Nothing is listened to."""


def test_the_cache_of_a_request_is_the_one_that_is_shown(home: Home) -> None:
    """(Z4, R134)"""
    for given in ("90s", "10m", "2h"):
        (one,) = rows(home, CLAUDE, f"assistant.request.cache = '{given}'")
        said = (m.Message("user", (m.TextPart("hi"),)),)
        body = Anthropic().body(m.ModelRequest(model="x", messages=said, system="s", cache=given))
        (block,) = body["system"]  # type: ignore[misc]
        assert block["cache_control"].get("ttl", "5m") == one.used  # type: ignore[index, call-overload, union-attr]


def test_the_longest_wait_that_a_server_can_ask_for(home: Home) -> None:
    """(Z4)"""
    (one,) = rows(home, "assistant.request.max_backoff_secs = 3600")
    endpoint = Endpoint(name="x", wire="openai-chat", base_url="http://127.0.0.1:9")
    for asked in (one.used, one.used + 1):
        assert Failures(endpoint).status(429, b"", "m", asked).transient is (asked == one.used)


# --- where it is shown ------------------------------------------------------------------------------------------

LOW = "assistant.request.base_backoff_ms = 7\n"
WORDS = "assistant.request.base_backoff_ms = 7: 500 is used: no retry waits for less"


@pytest.fixture
def low(tmp_path: Path) -> Path:
    """A home whose configuration has a value below a bound."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(LOW)
    return tmp_path


def test_config_show_says_it(low: Path) -> None:
    """(Z4) Beside the value and on stderr; in JSON the value, what is used and why."""
    ran = jp(low, "config", "show", "assistant.request")
    assert "base_backoff_ms = 7\n" in ran.stdout and "500 is used: no retry waits for less" in ran.stdout
    assert WORDS in ran.stderr
    row = next(row for row in lines(jp(low, "config", "show", "--json").stdout) if "adjusted" in row)
    assert row["value"] == 7 and row["key"] == "assistant.request.base_backoff_ms"
    why = "500 is used: no retry waits for less"
    assert row["adjusted"] == [{"key": row["key"], "value": 7, "used": 500, "why": why}] and row["why"] == why


def test_config_show_says_which_part_of_a_target(low: Path) -> None:
    """(Z4)"""
    (low / "config" / "config.toml").write_text(f"{TARGET} = {{ model = {{ parameters = {{ max_tokens = 5 }} }} }}")
    (row,) = lines(jp(low, "config", "show", TARGET, "--json").stdout)
    (part,) = row["adjusted"]
    assert (part["key"], part["value"], part["used"]) == (f"{TARGET}.model.parameters.max_tokens", 5, 1024)
    assert f"{TARGET}.model.parameters.max_tokens: 1024 is used" in row["why"]


def test_config_set_and_check_say_it(low: Path) -> None:
    """(Z4)"""
    key = "assistant.request.max_backoff_secs"
    said = jp(low, "config", "set", key, "0")
    assert said.returncode == 0 and f"{key} = 0: 0.5 is used" in said.stderr and WORDS not in said.stderr
    checked = jp(low, "config", "check")
    assert checked.returncode == 0 and WORDS in checked.stderr and f"{key} = 0: 0.5 is used" in checked.stderr


@pytest.mark.parametrize(
    "words", [("query", "--model", "demo/tour", "hi"), ("--plain", "--model", "demo/tour"), ("tools",)]
)
def test_a_command_says_it_at_its_start(low: Path, words: tuple[str, ...]) -> None:
    """(Z4) On stderr; what a script reads stays as it is."""
    ran = jp(low, *words, stdin="")
    assert WORDS in ran.stderr and WORDS not in ran.stdout


def test_rpc_says_it_once_and_a_folders_own_when_its_session_opens(low: Path) -> None:
    """(Z4) A session in another folder reads that folder's settings."""
    other = low / "other"
    (other / ".jp-tui").mkdir(parents=True)
    (other / ".jp-tui" / "config.toml").write_text("[assistant.request]\nmax_backoff_secs = 0\n")
    assert jp(low, "config", "trust", "--yes", "--workspace", str(other)).returncode == 0
    with rpc(low, "--model", "demo/tour") as running:
        running.session()
        running.session(workspace=str(other))
        running.session(workspace=str(other))
        running.ends()
    assert running.told.count(WORDS) == 1, running.told
    assert running.told.count("max_backoff_secs = 0: 0.5 is used") == 1, running.told


def test_the_workspace_gets_it_with_its_first_frame(low: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """(Z4)"""
    monkeypatch.setenv("JP_TUI_HOME", str(low))
    place = RunLocation(CommandLine(workspace=str(low)))
    found = cached_settings.of(place.sources.load(), str(place.paths.themes))
    assert [words.endswith(WORDS) for words in found.notices] == [True]


def test_the_bounds_are_named_once() -> None:
    """(Z4) The engine uses the constants that are reported."""
    assert RetryPolicy().least_secs == bounds.LEAST_BACKOFF_SECS
