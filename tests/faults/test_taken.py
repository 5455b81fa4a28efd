"""`python -m tests.faults --only taken`, a few of each (Z23, Z24, Z25)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.faults import taken
from tests.faults.conftest import REAL
from tests.faults.taken_away import AWAY
from tests.faults.taken_live import talked
from tests.faults.terminal import Terminal
from tests.headless.running import jp

SEED = 3
LAST = re.compile(rb"Resume this conversation with: jp-tui -r (\w+)")


def test_what_was_not_touched_is_there_and_what_is_derived_is_right() -> None:
    found = taken.tried(whole=False, seed=SEED)
    assert [wrong for one in found for wrong in one.failed] == [], f"seed {SEED}"
    assert [one.runs for one in found] == [taken.BOUNDED, taken.BOUNDED * 6, taken.BOUNDED]


def test_the_judge_does_not_pass_everything(tmp_path: Path) -> None:
    """The control: where nothing happened nothing is said of it, which is found wrong."""
    wrong = [*talked(tmp_path, "nothing", lambda path: None, beside=False)]
    assert len(wrong) == 1 and "says nothing of it" in wrong[0]


@pytest.mark.pty
@pytest.mark.parametrize("name", ["deleted", "its folder removed", "emptied with its log"])
def test_the_workspace_goes_on_and_its_last_line_names_what_can_be_opened(tmp_path: Path, name: str) -> None:
    """(Z23, Z24) Told on the screen; left by its own keys it ends with 0."""
    script = tmp_path / "reply.toml"
    script.write_text('fallback = "zqreply"\n[[walks]]\nname = "x"\n[[walks.turns]]\ntext = "y"\n')
    terminal = Terminal(
        [*REAL.command(tmp_path), "--model", f"demo/{script}", "zqfirst"],
        env=REAL.environment(tmp_path), cwd=tmp_path, size=(100, 30),
    )  # fmt: skip
    try:
        terminal.wait_text("zqreply")
        AWAY[name](tmp_path / "jp" / "data" / "conversations.db")
        terminal.type("zqsecond\r")
        terminal.wait(lambda: terminal.text().count("zqreply") == 2, "a second reply")
        # the path in front of it may end the line anywhere
        terminal.wait(lambda: re.search(r"in[\s▌]+use|was[\s▌]+damaged", terminal.text()), "a word of it")
        terminal.type("\x11")
        assert terminal.wait_event("code") == 0
        terminal.wait(lambda: LAST.search(terminal.seen), "the last line")
        (id_,) = LAST.findall(terminal.seen)
        shown = jp(tmp_path / "jp", "conversations", "show", id_.decode())
        assert shown.returncode == 0 and "zqfirst" in shown.stdout and "zqsecond" in shown.stdout
    finally:
        terminal.close()


@pytest.mark.pty
def test_a_workspace_whose_database_cannot_be_written_again_names_nothing(tmp_path: Path) -> None:
    """(Z23) And it says what is lost."""
    script = tmp_path / "reply.toml"
    script.write_text('fallback = "zqreply"\n[[walks]]\nname = "x"\n[[walks.turns]]\ntext = "y"\n')
    terminal = Terminal(
        [*REAL.command(tmp_path), "--model", f"demo/{script}", "zqfirst"],
        env=REAL.environment(tmp_path), cwd=tmp_path, size=(100, 30),
    )  # fmt: skip
    try:
        terminal.wait_text("zqreply")
        data = tmp_path / "jp" / "data"
        AWAY["its folder removed"](data / "conversations.db")
        data.write_text("a file where the folder was")
        terminal.type("\x11")
        assert terminal.wait_event("code") == 0
        terminal.wait(lambda: b"are lost when jp-tui quits" in terminal.seen, "the last words")
        assert not LAST.search(terminal.seen)
    finally:
        terminal.close()
