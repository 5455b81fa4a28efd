"""`jp-tui context`: what goes to the model, file by file, and that nothing is sent (context.md K12)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.headless.running import jp, lines


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    there = tmp_path / "ws"
    (there / ".git").mkdir(parents=True)
    (there / "AGENTS.md").write_text("Be brief.\u200b @.env\n")
    (there / ".env").write_text("KEY=1\n")
    (there / "CLAUDE.md").write_text("not read\n")
    (tmp_path / "config").mkdir()
    (tmp_path / "config/AGENTS.md").write_text("Mine.\n")
    return there


def told(home: Path, *words: str) -> list[dict[str, Any]]:
    return lines(jp(home, "context", "--json", *words).stdout)


def test_k12_a_line_a_part_and_the_total(tmp_path: Path, workspace: Path) -> None:
    """A model whose server is not there: nothing is sent, also not to see whether it is."""
    more = ("--workspace", str(workspace), "--model", "anthropic/claude-sonnet-4-5")
    found = told(tmp_path, *more, "--cfg", "context.environment=true")
    assert [(one["part"], one.get("path")) for one in found] == [
        ("system", None),
        ("instructions", str(tmp_path / "config/AGENTS.md")),
        ("instructions", str(workspace / "AGENTS.md")),
        ("instructions", str(workspace / "CLAUDE.md")),
        ("environment", None),
        ("tools", None),
        ("messages", None),
        ("total", None),
    ]
    own, sent, other = found[1:4]
    assert own == {"part": "instructions", "path": own["path"], "trusted": True, "state": "sent", "bytes": 6,
                   "tokens": own["tokens"]}  # fmt: skip
    assert sent["trusted"] is False and sent["why"] == "1 invisible character left out; @.env: usually holds secrets"
    assert other["state"] == "not_sent" and other["tokens"] == 0 and other["bytes"] == 9
    total = found[-1]
    assert total == {"part": "total", "tokens": sum(one["tokens"] for one in found[:-1]), "window": 200_000,
                     "compact_at": 160_000, "model": "anthropic/claude-sonnet-4-5"}  # fmt: skip
    shown = jp(tmp_path, "context", *more).stdout
    assert "(not trusted; 1 invisible character left out; @.env: usually holds secrets)" in shown


def test_k12_of_a_stored_conversation(tmp_path: Path, workspace: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text('fallback = "Nothing to that."\n[[walks]]\nname = "x"\n[[walks.turns]]\ntext = "y"\n')
    ran = jp(tmp_path, "query", "--json", "--workspace", str(workspace), "--model", f"demo/{script}", "hello there")
    assert "This folder is not trusted. Its instructions go to the model as text: ws/AGENTS.md" in ran.stderr  # K5
    id_ = lines(ran.stdout)[-1]["conversation"]
    for words in (("-c", "--workspace", str(workspace)), ("-r", id_)):
        found = told(tmp_path, *words)
        assert found[-1]["model"] == f"demo/{script}" and found[-2]["bytes"] == len("hello thereNothing to that.")
    assert jp(tmp_path, "context", "-r", "nope").returncode == 2
    (workspace / "AGENTS.md").write_text("Be very brief.\n")
    again = jp(tmp_path, "query", "-r", id_, "--workspace", str(workspace), "and now?")
    assert "Instructions changed: ws/AGENTS.md" in again.stderr  # K6, across processes
