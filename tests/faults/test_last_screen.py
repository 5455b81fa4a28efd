"""A resumed conversation's last screen is on the screen before the app is, and is never another than the true one.

The real program in a real terminal, a scripted model. What the app itself shows is told from the early screen by UP.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation import events as ev
from jp_tui.engine.record.event_codec import entry
from jp_tui.first_frame.last_screen import painted, parse
from jp_tui.journal.reader import open_reader
from jp_tui.journal.store import open_journal
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.startup.parts import RunLocation
from jp_tui.startup.workspace import FirstScreenCache, LastScreens
from jp_tui.view.pages.first_screen import FirstScreenView
from tests.faults.conftest import Held
from tests.faults.handover import UP
from tests.faults.terminal import Terminal, descendants
from tests.faults.test_handover import TRUECOLOR
from tests.faults.test_questions import run, scripted
from tests.sampling import sampled

pytestmark = pytest.mark.pty

Opened = Callable[..., Terminal]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """`opened(*words, size, held)`: a terminal with the program and a scripted model; nothing is waited for."""
    target = scripted(tmp_path, {"name": "fs_list_files", "arguments": {}})
    command = target.command(tmp_path)
    started: list[Terminal] = []

    def open_it(*more: str, size: tuple[int, int] = (80, 24), held: Held | None = None) -> Terminal:
        env = target.environment(tmp_path) | TRUECOLOR | (held.env if held is not None else {})
        terminal = Terminal([*command, *more], env=env, cwd=tmp_path, size=size)
        started.append(terminal)
        return terminal

    yield open_it
    for terminal in started:
        terminal.close()


def left(terminal: Terminal) -> None:
    """Leave the workspace."""
    terminal.type("\x11")
    assert terminal.wait_event("code") == 0
    terminal.wait_clean()


def at_rest(terminal: Terminal) -> None:
    """The workspace has taken over, and the conversation is on the screen."""
    terminal.wait(lambda: UP in terminal.seen and "All done." in terminal.text(), "the conversation")


def talked(opened: Opened, size: tuple[int, int] = (80, 24)) -> None:
    """Hold a short conversation, and leave."""
    terminal = opened(size=size)
    terminal.wait_text("Ask anything")
    terminal.wait(lambda: UP in terminal.seen, "the workspace")
    terminal.type("look around\r")
    terminal.wait_text("All done.")
    terminal.wait_text("─ 1 tool call")
    terminal.wait_text("Ask anything")
    terminal.wait_quiet()  # a screen that is not painted to its end is not kept
    left(terminal)


def kept(folder: Path) -> list[Path]:
    state = folder / "jp" / "state" / "last-screens"
    return list(state.iterdir()) if state.exists() else []


def id_of(folder: Path) -> str:
    reader = open_reader(folder / "jp" / "data" / "conversations.db")
    try:
        return reader.conversations()[0].id
    finally:
        reader.close()


def cells(terminal: Terminal) -> list[list[tuple[str, str, str, bool]]]:
    screen = terminal.screen
    rows = [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]
    return [[(one.data, one.fg if one.data != " " else "", one.bg, one.bold) for one in row] for row in rows]


@pytest.mark.parametrize(
    ("way", "size"), sampled([(way, size) for way in ("-c", "-r") for size in ((80, 24), (120, 36))], 4, 1), ids=str
)
def test_it_is_there_before_the_app_and_nothing_jumps(
    opened: Opened, tmp_path: Path, held: Held, way: str, size: tuple[int, int]
) -> None:
    talked(opened, size)
    (file,) = kept(tmp_path)
    assert file.name == id_of(tmp_path)
    words = [way] if way == "-c" else [way, file.name[:12]]
    first = opened(*words, size=size)
    first.wait_text("All done.")
    at_rest(first)
    first.wait_text("7 out")
    left(first)
    text = file.read_text()
    rows = parse(text, text.split("\n")[1], *size)
    assert rows is not None
    again = opened(*words, size=size, held=held)
    again.wait(lambda: painted(rows).encode() in again.seen, "all of it, which a terminal reads in parts")
    assert "─ 1 tool call" in again.text()
    assert size[0] < 100 or again.text().count("▏") > size[1] - 6, "the sidebar too"
    before = cells(again)
    assert UP not in again.seen, "it is the guardian that painted it"
    held.release()
    at_rest(again)
    again.wait(lambda: cells(again) == before, "the same screen")
    left(again)


def test_what_is_typed_meanwhile_is_echoed_and_arrives(opened: Opened, held: Held) -> None:
    talked(opened)
    terminal = opened("-c", held=held)
    terminal.wait_text("All done.")
    terminal.type("more of it")
    terminal.wait(lambda: "│ more of it" in terminal.text(), "the echo")
    assert UP not in terminal.seen and "All done." in terminal.text()
    held.release()
    terminal.type(", plea\x7fse\x01so: \r")
    terminal.wait_text("Nothing more.")
    terminal.wait_text("so: more of it, plese")
    left(terminal)


def test_a_terminal_that_is_resized_meanwhile(opened: Opened, held: Held) -> None:
    """The last screen is of one size; the conversation comes at the new one."""
    talked(opened)
    terminal = opened("-c", held=held)
    terminal.wait_text("All done.")
    terminal.resize(100, 30)
    held.release()
    at_rest(terminal)
    terminal.wait(lambda: "F1 keys" in terminal.screen.display[29] and "Activity" in terminal.text(), "the new size")
    left(terminal)


@pytest.mark.parametrize("seed", sampled(range(4), 4))
def test_killed_at_any_moment_the_terminal_is_restored(opened: Opened, tmp_path: Path, seed: int) -> None:
    talked(opened)
    dice = random.Random(seed)
    terminal = opened("-c")
    terminal.wait_text("All done.")
    for _ in range(dice.randrange(0, 12)):
        terminal.pump(0.05)
    os.kill(descendants(terminal.wait_event("pid"))[-1], signal.SIGKILL)
    terminal.wait(lambda: any("code" in one or "signal" in one for one in terminal.events), "the end")
    terminal.wait_clean()
    again = opened("-c")
    at_rest(again)
    left(again)


def test_a_forged_file_shows_at_most_words_until_the_conversation_is_there(opened: Opened, tmp_path: Path) -> None:
    talked(opened)
    (file,) = kept(tmp_path)
    text = file.read_text()
    file.write_text(text.replace("All done.", "All \x1b]0;pwned\x07"))
    terminal = opened("-c")
    at_rest(terminal)
    assert b"pwned" not in terminal.seen
    file.write_text(text.replace("All done.", "Forged it"))
    left(terminal)
    file.write_text(text.replace("All done.", "Forged it"))
    terminal = opened("-c")
    at_rest(terminal)
    assert "Forged it" not in terminal.text()
    left(terminal)


def _more(folder: Path) -> None:
    """Another process writes to the conversation."""
    journal = open_journal(folder / "jp" / "data" / "conversations.db")
    at = "2026-11-22 17:00:00.000"
    journal.append(id_of(folder), [entry(ev.ChatResponse(timestamp=at, kind="message", content="And more."), 1, at)[0]])
    journal.flush().result()
    journal.close()


def _retitled(folder: Path) -> None:
    assert run(folder, "conversations", "rename", id_of(folder), "Another name").returncode == 0


def _themed(folder: Path) -> None:
    (folder / "jp" / "config").mkdir(exist_ok=True)
    (folder / "jp" / "config" / "config.toml").write_text("ui.theme = 'jp-day'")


def _own_settings(folder: Path) -> None:
    (folder / ".jp-tui").mkdir()
    (folder / ".jp-tui" / "config.toml").write_text("ui.sidebar = 'hide'")


def _damaged(folder: Path) -> None:
    (file,) = kept(folder)
    file.write_bytes(file.read_bytes()[:300])


CHANGES = {"more": _more, "another title": _retitled, "theme": _themed, "folder": _own_settings, "damage": _damaged}


@pytest.mark.parametrize("change", sampled(list(CHANGES), 3))
def test_where_anything_changed_nothing_is_shown(opened: Opened, tmp_path: Path, change: str) -> None:
    talked(opened)
    CHANGES[change](tmp_path)
    terminal = opened("-c")
    terminal.wait(lambda: UP in terminal.seen, "the workspace")
    before = terminal.seen[: terminal.seen.index(UP)]
    assert b"All done." not in before and b"look around" not in before
    at_rest(terminal)
    left(terminal)


def test_nothing_is_shown_with_another_size_a_prompt_or_in_another_process(opened: Opened, tmp_path: Path) -> None:
    talked(opened)
    holds = opened("-c", size=(100, 30))
    at_rest(holds)
    assert b"All done." not in holds.seen[: holds.seen.index(UP)], "another size"
    second = opened("-c")
    at_rest(second)
    assert b"All done." not in second.seen[: second.seen.index(UP)], "it is read-only here"
    left(second)
    left(holds)
    prompted = opened("-c", "and now?")
    at_rest(prompted)
    assert b"All done." not in prompted.seen[: prompted.seen.index(UP)], "a turn begins at once"
    prompted.wait_text("Nothing more.")
    left(prompted)


def test_a_deleted_conversation_takes_its_screen_with_it(opened: Opened, tmp_path: Path) -> None:
    talked(opened)
    assert len(kept(tmp_path)) == 1
    assert run(tmp_path, "conversations", "rm", id_of(tmp_path)).returncode == 0
    assert kept(tmp_path) == []


MODEL = """
assistant.model.id = "near/steady"

[providers.llm.near]
wire = "openai-chat"
base_url = "http://127.0.0.1:9/v1"
"""


def test_leaving_keeps_the_first_screen_of_a_new_conversation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S51: for a model that the settings name, until a setting or the database changes."""
    target = scripted(tmp_path, {"name": "fs_list_files", "arguments": {}})
    config = tmp_path / "jp" / "config" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(MODEL)
    words, environment = target.command(tmp_path), target.environment(tmp_path) | TRUECOLOR
    terminal = Terminal(words[: words.index("--model")], env=environment, cwd=tmp_path, size=(80, 24))
    try:
        terminal.wait_text("near/steady")
        terminal.wait(lambda: terminal.text().count("· ") >= 4, "the tips")
        left(terminal)
    finally:
        terminal.close()

    for name in [one for one in os.environ if one.startswith("JP_TUI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("JP_TUI_HOME", environment["JP_TUI_HOME"])

    def shown(**given: Any) -> FirstScreenView | None:
        arguments = CommandLine(workspace=str(tmp_path), **given)
        place = RunLocation(arguments)
        return FirstScreenCache(arguments, place, LastScreens(arguments, place).stamp).shown

    found = shown()
    assert found is not None and (found.model, found.folder) == ("near/steady", str(tmp_path))
    assert shown(continue_last=True) is shown(prompt="do it") is shown(mode="edits") is None
    database = tmp_path / "jp" / "data" / "conversations.db"
    before = database.stat()
    os.utime(database, ns=(1, 1))
    assert shown() is None
    os.utime(database, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert shown() is not None
    config.write_text(MODEL + "ui.sidebar = 'hide'\n")
    assert shown() is None
