"""An effort of the command line reaches the server, and stays with the conversation (wires.md W8, R67)."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.model_server import Answer, in_thread
from tests.headless.running import jp
from tests.providers.makers import SPEAKS


def test_w8_an_effort_of_the_command_line_stays_until_another_is_set(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    with in_thread(Answer([SPEAKS["openai-chat"](False)])) as server:
        (tmp_path / "config" / "config.toml").write_text(
            "[assistant.model]\nid = 'mine/m'\neffort = 'medium'\n"
            f"[providers.llm.mine]\nwire = 'openai-chat'\nbase_url = '{server.url}/v1'\n"
        )
        for words in (("a",), ("--effort", "high", "-c", "b"), ("-c", "c"), ("--effort", "default", "-c", "d"), ("e",)):
            done = jp(tmp_path, "query", "--non-interactive", *words)
            assert done.returncode == 0, done.stderr
    sent = [one.json.get("reasoning_effort") for one in server.received]
    assert sent == ["medium", "high", "high", None, "medium"], "a new conversation has what is configured"
