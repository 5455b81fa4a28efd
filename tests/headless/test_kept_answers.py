"""A question that a setting answers, asked again with the same words (intake.md N10): answered as before as long as all
files of settings are the same, and on record as any other."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from jp_tui.startup import run
from jp_tui.startup.outside import at_once, kept_answers
from jp_tui.startup.outside.kept_answers import NAME

SETTING = "[conversation.tools.'outside.*'.questions.quick]\nanswer = {}\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    setting(tmp_path, "true")
    return tmp_path


def setting(home: Path, answer: str) -> None:
    (home / "config" / "config.toml").write_text(SETTING.format(answer))


def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a question that is decided by reading the settings fail, with exit status 1."""
    monkeypatch.setattr(at_once, "answered_at_once", None)


def stored(home: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(home / "data" / "conversations.db") as db:
        found = db.execute("SELECT kind, payload FROM events ORDER BY rowid").fetchall()
    db.close()
    return found


def ask(*words: str) -> int:
    return run(["ask", "--id", "quick", *words])


def test_n10_the_same_question_is_answered_again_and_recorded_alike(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask("Go on?") == 0
    unread(monkeypatch)
    assert ask("Go on?") == 0
    assert capsys.readouterr().out == "yes\nyes\n"
    rows = [(kind, json.loads(payload)) for kind, payload in stored(home)]
    half = len(rows) // 2
    assert half == 3
    for (kind, one), (other_kind, other) in zip(rows[:half], rows[half:], strict=True):
        assert one.pop("timestamp") <= other.pop("timestamp")
        assert (kind, one) == (other_kind, other)


@pytest.mark.parametrize("words", [("Go off?",), ("Go on?", "--type", "text"), ("Go on?", "--timeout", "9")], ids=str)
def test_n10_other_words_are_decided_anew(home: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask("Go on?") == 0
    unread(monkeypatch)
    assert ask(*words) == 1


@pytest.mark.parametrize("file", ["config/config.toml", ".jp-tui/rules.toml", "config/models.toml"])
def test_n10_any_change_of_settings_counts_at_once(home: Path, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask("Go on?") == 0
    (home / file).parent.mkdir(exist_ok=True)
    (home / file).write_text("# another\n")
    unread(monkeypatch)
    assert ask("Go on?") == 1


def test_n10_the_other_answer_of_a_changed_file_is_given(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask("Go on?") == 0
    setting(home, "false")
    assert ask("Go on?") == 5 and ask("Go on?") == 5
    assert capsys.readouterr().out == "yes\nno\nno\n"


@pytest.mark.parametrize("how", ["variable", "--cfg"])
def test_n10_nothing_is_kept_of_variables_and_options(home: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "variable":
        monkeypatch.setenv("JP_TUI_CONVERSATION_UNDO_ENABLE", "false")
        words = ["Go on?"]
    else:
        words = ["Go on?", "--cfg", "ui.sidebar=hide"]
    assert ask(*words) == 0
    assert not (home / "state" / NAME).exists()
    monkeypatch.delenv("JP_TUI_CONVERSATION_UNDO_ENABLE", raising=False)
    assert ask("Go on?") == 0 and (home / "state" / NAME).exists()
    if how == "--cfg":
        unread(monkeypatch)
        assert ask(*words) == 1


@pytest.mark.parametrize("content", [b"", b"[", b"[1]", b'{"a": 1}', b"\xff", b"x" * (1 << 19)], ids=repr)
def test_n10_a_damaged_file_decides_nothing(home: Path, content: bytes) -> None:
    (home / "state").mkdir()
    (home / "state" / NAME).write_bytes(content)
    assert ask("Go on?") == 0 and ask("Go on?") == 0


def test_n10_the_file_stays_small(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "MOST", 2)
    for number in range(3):
        assert ask(f"Go on {number}?") == 0
    every = json.loads((home / "state" / NAME).read_text())
    assert [one["title"] for one in every.values()] == ["Go on 1?", "Go on 2?"]
    monkeypatch.setattr(kept_answers, "MOST_OF_ONE", 100)
    assert ask("Go on?") == 0
    assert json.loads((home / "state" / NAME).read_text()) == every
