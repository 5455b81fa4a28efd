"""E50 in a real terminal: the exact bytes that call somebody who looks away, none for who looks, none at rest (T24);
the title is that of before whenever the screen is left (T26)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from jp_tui.ui.notify.channels import QUERY
from tests.faults.conftest import REAL, Start
from tests.faults.terminal import Terminal, descendants
from tests.faults.test_questions import ASK, scripted

pytestmark = pytest.mark.pty

AWAY, HERE = "\x1b[O", "\x1b[I"
WORDS = (b"jp-tui: 1 question is waiting in ", b"From Assistant: Which name shall the file have?")
KITTY = {"TERM": "xterm-kitty"}


def asks(folder: Path, start: Start, *options: str, env: dict[str, str], focus: str) -> Terminal:
    """A program that asks, in a terminal that reported its focus just before."""
    terminal = start(scripted(folder, {"name": "ask_user", "arguments": ASK}, options=options), env=env)
    terminal.type("go on")
    terminal.wait_text("go on")
    terminal.type(f"\r{focus}")
    terminal.wait_text("Which name shall the file have?")
    return terminal


def calls(terminal: Terminal) -> list[bytes]:
    """Every notification and bell in what was written; the title's own end is no bell."""
    found = []
    rest = terminal.seen.replace(QUERY.encode(), b"")
    while rest:
        at = min((place for place in (rest.find(b"\x1b]"), rest.find(b"\x07")) if place >= 0), default=-1)
        if at < 0:
            break
        if rest[at : at + 1] == b"\x07":
            end = at + 1
        else:
            ends = [place + len(mark) for mark in (b"\x07", b"\x1b\\") if (place := rest.find(mark, at)) >= 0]
            end = min(ends, default=len(rest))
        if rest[at:end].startswith((b"\x07", b"\x1b]9")) or rest[at:end].startswith(b"\x1b]777"):
            found.append(rest[at:end])
        rest = rest[end:]
    return found


@pytest.mark.parametrize(
    ("env", "written"),
    [
        (KITTY, [b"\x1b]99;i=jp-tui-%d:d=0;%s\x1b\\", b"\x1b]99;i=jp-tui-%d:d=1:p=body;%s\x1b\\"]),
        ({"TERM_PROGRAM": "ghostty"}, [b"\x1b]777;notify;%s;%s\x07"]),
        ({"TERM_PROGRAM": "iTerm.app"}, [b"\x1b]9;%s: %s\x07"]),
        ({}, [b"\x07"]),
    ],
    ids=["kitty", "ghostty", "iterm2", "xterm"],
)
def test_e50_who_looks_away_is_called_once(
    tmp_path: Path, start: Start, env: dict[str, str], written: list[bytes]
) -> None:
    terminal = asks(tmp_path, start, env=env, focus=AWAY)
    terminal.wait(lambda: calls(terminal), "a call")
    title = WORDS[0] + os.fsencode(tmp_path.name)
    (app, *_) = descendants(terminal.wait_event("pid"))
    if written[0].count(b"%d"):
        wanted = [written[0] % (app, title), written[1] % (app, WORDS[1])]
    else:
        wanted = [written[0] % (title, WORDS[1]) if b"%s" in written[0] else written[0]]
    terminal.wait_quiet()
    assert calls(terminal) == wanted
    before = len(terminal.seen)
    terminal.wait_quiet()
    assert len(terminal.seen) == before, "T24: at rest not a byte"


def test_through_tmux_it_is_wrapped_and_the_bell_goes_along(tmp_path: Path, start: Start) -> None:
    env = {"TERM": "tmux-256color", "TMUX": "/tmp/x,1,0", "LC_TERMINAL": "iTerm2"}
    terminal = asks(tmp_path, start, env=env, focus=AWAY)
    terminal.wait(lambda: b"\x1bPtmux;" in terminal.seen, "a call")
    terminal.wait_quiet()
    title = WORDS[0] + os.fsencode(tmp_path.name)
    assert b"\x1bPtmux;\x1b\x1b]9;" + title + b": " + WORDS[1] + b"\x07\x1b\\\x07" in terminal.seen


@pytest.mark.parametrize("cut", [0, 20, 40])
def test_a_terminal_that_says_what_it_is_is_believed_and_its_answer_is_not_typed(
    tmp_path: Path, start: Start, cut: int
) -> None:
    terminal = start(scripted(tmp_path, {"name": "ask_user", "arguments": ASK}))
    terminal.wait(lambda: QUERY.encode() in terminal.seen, "the question to the terminal")
    answer = "\x1b]99;i=jp-tui:p=?;a=focus\x1b\\\x1bP>|kitty(0.41.0)\x1b\\"
    terminal.type(f"go{answer[:cut]}")
    terminal.type(f"{answer[cut:]} on")
    terminal.wait_text("│ go on")
    terminal.type(f"\r{AWAY}")
    terminal.wait_text("Which name shall the file have?")
    terminal.wait(lambda: calls(terminal)[1:], "a call")
    assert [call[:5] for call in calls(terminal)] == [b"\x1b]99;", b"\x1b]99;"]
    assert "kitty" not in terminal.text() and terminal.seen.count(QUERY.encode()) == 1


@pytest.mark.parametrize("settings", [("--cfg", "notify.bell=false"), ("--cfg", "notify.desktop=off")])
def test_what_is_switched_off_is_not_sent(tmp_path: Path, start: Start, settings: tuple[str, ...]) -> None:
    terminal = asks(tmp_path, start, *settings, "--cfg", "notify.title=false", env={}, focus=AWAY)
    wanted = [] if "notify.bell=false" in settings else [b"\x07"]
    terminal.wait(lambda: len(calls(terminal)) == len(wanted), "no more and no less")
    terminal.wait_quiet()
    assert calls(terminal) == wanted
    assert b"\x1b]0;" not in terminal.seen and b"\x1b[22;0t" not in terminal.seen


def test_e50_who_looks_is_not_called_and_at_rest_nothing_is_written(tmp_path: Path, start: Start) -> None:
    terminal = asks(tmp_path, start, env=KITTY, focus="")
    terminal.wait_quiet()
    assert calls(terminal) == []
    terminal.type(HERE)
    terminal.wait_quiet()
    before = len(terminal.seen)
    terminal.wait_quiet()
    assert (calls(terminal), len(terminal.seen)) == ([], before)


def test_a_command_is_run_instead(tmp_path: Path, start: Start) -> None:
    out = tmp_path / "called"
    command = f'notify.command=["sh", "-c", "printf %s \\"$JP_NOTIFY_TITLE\\" > \\"$1\\"", "sh", "{out}"]'
    terminal = asks(tmp_path, start, "--cfg", command, env=KITTY, focus=AWAY)
    terminal.wait(lambda: out.exists() and out.read_text(), "the command's file")
    assert out.read_text() == f"jp-tui: 1 question is waiting in {tmp_path.name}"
    terminal.wait_quiet()
    assert calls(terminal) == []


@pytest.mark.parametrize("way", ["key", "outside"])
def test_the_title_is_put_back_when_suspended_and_is_there_again_after(tmp_path: Path, start: Start, way: str) -> None:
    """Saved once more than put back while the screen is ours, as often when it is not."""
    terminal = start(REAL)
    title = f"\x1b]0;{tmp_path.name} - jp\x07".encode()
    terminal.wait(lambda: title in terminal.seen, "the title")
    assert terminal.modes.titles == 1
    (app, *_) = descendants(terminal.wait_event("pid"))
    if way == "key":
        terminal.type("\x1a")
    else:
        os.kill(app, signal.SIGSTOP)
    terminal.wait_event("stopped")
    terminal.wait_clean()
    seen = len(terminal.seen)
    terminal.order(b"f")
    terminal.wait(lambda: title in terminal.seen[seen:], "the title again")
    assert terminal.modes.titles == 1
    terminal.type("\x11")
    assert terminal.wait_event("code") == 0
    terminal.wait_clean()
