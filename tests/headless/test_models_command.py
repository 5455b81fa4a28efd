"""`jp-tui models` from outside: the servers' own lists with what is known of each; no key is shown (S1, S2, S20)."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from pathlib import Path

import pytest

from jp_tui.settings.cli.commands import ENTRIES
from tests.fakes.model_server import Answer, ModelServer, in_thread
from tests.headless.running import ROOT, command, environment, jp, lines
from tests.limits import LIMIT

JSON = {"content-type": "application/json"}
KEY = "sk-very-secret-1234567890"
LIST = Answer([b'{"data":[{"id":"gpt-5-mini"},{"id":"new\\u0041","context_length":64000},{"id":"b\\u001b[31md"}]}'],
              headers=JSON)  # fmt: skip


def local(server: ModelServer) -> dict[str, str]:
    return {
        "JP_TUI_PROVIDERS__LLM__OPENAI__BASE_URL": server.url,
        "JP_TUI_PROVIDERS__LLM__LLAMACPP__BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_API_KEY": KEY,
    }


def test_a_table_and_a_line_for_each_server_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text('[providers.llm.aliases]\nfast = "openai/gpt-5-mini"\n')
    (tmp_path / "config" / "models.toml").write_text('["openai/newA"]\ninput = 1\noutput = 2.5\nimages = true\n')
    with in_thread(LIST) as server:
        ran = jp(tmp_path, "models", **local(server))
        (request,) = server.received
    assert ran.returncode == 0 and request.headers["authorization"] == f"Bearer {KEY}"
    shown = ran.stdout.splitlines()
    assert "openai/gpt-5-mini  400k tokens · $0.25 in, $2 out · images · alias fast" in shown
    assert "openai/newA        64k tokens · $1 in, $2.50 out · images" in shown
    assert (
        "openai/gpt-5.1     400k tokens · $1.25 in, $10 out · images · the default · not listed by its server" in shown
    )
    assert "Nothing listens at 127.0.0.1:9" in ran.stderr and "anthropic (ANTHROPIC_API_KEY)" in ran.stderr
    assert KEY not in ran.stdout + ran.stderr and "\x1b" not in ran.stdout


def test_one_provider_as_json(tmp_path: Path) -> None:
    with in_thread(LIST) as server:
        ran = jp(tmp_path, "models", "openai", "--json", **local(server))
    found = lines(ran.stdout)
    assert [one["id"] for one in found] == ["openai/gpt-5-mini", "openai/newA", "openai/gpt-5.1"] and not ran.stderr
    assert found[0] == {
        "id": "openai/gpt-5-mini", "provider": "openai", "model": "gpt-5-mini", "aliases": [], "window": 400_000,
        "input": 0.25, "output": 2.0, "cached": 0.025, "images": True, "listed": True, "default": False,
        "effort": "level", "about": "",
    }  # fmt: skip


def test_what_cannot_be_listed(tmp_path: Path) -> None:
    unknown = jp(tmp_path, "models", "opanai")
    assert unknown.returncode == 2 and "did you mean openai?" in unknown.stderr
    away = jp(tmp_path, "models", "ollama")
    assert (away.returncode, away.stdout) == (1, "") and "Nothing listens at 127.0.0.1:9" in away.stderr


async def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    """S1: 130, and the server is let go."""
    async with ModelServer(Answer(blackhole=True)) as server:
        running = subprocess.Popen(  # noqa: ASYNC220
            command("models", "openai"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(tmp_path, **local(server)), cwd=ROOT,
        )  # fmt: skip
        try:
            request = await asyncio.wait_for(server.wait_for_request(), LIMIT)
            running.send_signal(signal.SIGINT)
            await asyncio.wait_for(request.gone.wait(), LIMIT)
            said = await asyncio.to_thread(running.communicate, timeout=30)
        finally:
            running.kill()
    assert running.returncode == 130 and b"Traceback" not in said[1]


def test_every_command_has_help_with_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 8 "Help": what it is for, its options, and examples that begin with the command itself."""
    from jp_tui.settings.cli.arguments import Show, parse

    monkeypatch.setenv("COLUMNS", "80")
    root = parse(["--help"])
    assert isinstance(root, Show)
    for name, entry in ENTRIES.items():
        shown = parse([*name.split(" "), "--help"])
        assert isinstance(shown, Show) and f"usage: jp-tui {name}" in shown.text and "examples:" in shown.text
        assert f"jp-tui {name}" in entry.examples and entry.what.endswith("."), name
        assert f"\n  {name.split(' ')[0]} " in root.text, f"{name} is not in the list of jp-tui --help"
        before, _, _ = shown.text.partition("examples:")
        assert all(len(line) <= 80 for line in before.splitlines()), name
