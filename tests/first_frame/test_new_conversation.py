"""The kept first screen of a new conversation is shown for exactly what it was kept for (S51, designs.md A.2)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.first_frame import new_conversation
from jp_tui.view.pages.first_screen import FirstScreenView, RecentConversation, tips

AT = "2026-11-21T10:00:00.000Z"
HERE = "/home/ada/code/acme"
TALK = RecentConversation(id="a", title=Foreign("Fix \x1b[31mthe build"), updated=AT, facts="3 turns · x")
VIEW = FirstScreenView(model="bench/steady", folder=HERE, instructions="Instructions: AGENTS.md", recent=(TALK,))


def loaded(state: Path, facts: str = "facts", seed: str = "1") -> FirstScreenView | None:
    return new_conversation.load(state, facts, HERE, "/home/ada", seed)


def the_file(state: Path) -> Path:
    (file,) = (state / "new-conversations").iterdir()
    return file


def test_s51_it_comes_back_with_other_tips_each_time(tmp_path: Path) -> None:
    assert loaded(tmp_path) is None
    new_conversation.keep(tmp_path, "facts", VIEW)
    found = loaded(tmp_path)
    assert found is not None and (found.model, found.folder, found.home) == ("bench/steady", HERE, "/home/ada")
    assert found.instructions == VIEW.instructions and found.recent == (TALK,)
    assert found.tips == tips("1") and loaded(tmp_path, seed="2").tips == tips("2")  # type: ignore[union-attr]
    assert stat.S_IMODE(the_file(tmp_path).stat().st_mode) == 0o600


def test_other_facts_and_another_folder_have_none(tmp_path: Path) -> None:
    new_conversation.keep(tmp_path, "facts", VIEW)
    assert loaded(tmp_path, "other facts") is None
    assert new_conversation.load(tmp_path, "facts", "/elsewhere", "", "1") is None


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("'bench/steady'", "''"),
        ("'bench/steady'", "7"),
        ("'3 turns · x'", "3"),
        ("'updated'", "'parent': 'x', 'updated'"),
        ("'recent': [", "'recent': [1, 2, 3, 4, "),
        ("{'facts'", "__import__('os').abort() or {'facts'"),
        ("'recent'", "'other'"),
        ("'facts'", "'facts"),
    ],
)
def test_a_forged_file_is_no_screen(tmp_path: Path, what: str, instead: str) -> None:
    new_conversation.keep(tmp_path, "facts", VIEW)
    file = the_file(tmp_path)
    assert what in file.read_text()
    file.write_text(file.read_text().replace(what, instead))
    assert loaded(tmp_path) is None


def test_a_database_that_somebody_wrote_to_has_another_stamp(tmp_path: Path) -> None:
    file = tmp_path / "conversations.db"
    found = {new_conversation.database_stamp(file)}
    file.write_bytes(b"one")
    found.add(new_conversation.database_stamp(file))
    (tmp_path / "conversations.db-wal").write_bytes(b"two")
    found.add(new_conversation.database_stamp(file))
    os.utime(file, (1, 1))
    found.add(new_conversation.database_stamp(file))
    assert len(found) == 4 and new_conversation.database_stamp(file) in found


def test_the_newest_files_stay_and_a_deleted_conversation_leaves_none(tmp_path: Path) -> None:
    for at in range(new_conversation.KEPT + 3):
        new_conversation.keep(tmp_path, "facts", FirstScreenView(model="m/x", folder=f"/folder/{at}"))
    assert len(list((tmp_path / "new-conversations").iterdir())) == new_conversation.KEPT
    new_conversation.forget(tmp_path)
    assert not list((tmp_path / "new-conversations").iterdir())
    new_conversation.forget(tmp_path / "none")


def test_a_file_that_is_too_large_is_none(tmp_path: Path) -> None:
    new_conversation.keep(tmp_path, "facts", VIEW)
    new_conversation.keep(tmp_path, "x" * new_conversation.MOST, VIEW)
    assert not list((tmp_path / "new-conversations").iterdir())
