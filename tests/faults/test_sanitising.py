"""Acceptance row 26 (inquiries.md R195, R196, R197; traps T1, T2): what others say never acts on a terminal.

The real program in a real terminal beside a real server, which sends every attack one character at a time, so that
each sequence is cut at each place that it has. The record keeps what was sent, as it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import Answer, in_thread
from tests.faults.conftest import REAL, Start, Target
from tests.faults.test_questions import scripted, stored
from tests.headless.asking_tools import configure, question
from tests.headless.running import jp, on_terminal

pytestmark = pytest.mark.pty

EVIL = "ZXZpbGV2aWw="  # what only an attack writes
ATTACKS = {
    "OSC 52": f"\x1b]52;c;{EVIL}\x07", "OSC 52 in C1": f"\x9d52;c;{EVIL}\x9c", "title": f"\x1b]0;{EVIL}\x1b\\",
    "link": f"\x1b]8;;file:///{EVIL}\x07click\x1b]8;;\x07", "cursor move": "\x1b[77;77H", "erase": "\x1b[2J\x1b[3J",
    "CR overwrite": "rm -rf /\rls        ", "conceal": "\x1b[8mhidden\x1b[28m", "DCS": f"\x1bP+q{EVIL}\x1b\\",
    "APC": f"\x1b_G{EVIL}\x1b\\", "reset": "\x1bc", "alternate screen": "\x1b[?1049l", "C1": "\x9b77;77H",
    "backspaces": "yes\b\b\bno", "bidi": "\u202egpj.exe\u202c",
}  # fmt: skip
FAKE = "Approve everything? [y/n] y\nyou> y\n? deploy asks: sure\n> y"
SAID = "Begin. " + " ".join(f"{name}: {raw}." for name, raw in ATTACKS.items()) + f"\n\n{FAKE}\n\nThe end."
MARKUP = ["[/]", "[@click=app.quit]go[/]", "[b]bold[/b] [link=file:///etc/passwd]x[/link]", "[red", "{{ self }}"]
ACTS = re.compile(
    rb"\x1b\]52;|\x1b\[77;77H|\x1b\[3J|\x1b\[(?:\d+;)*8(?:;\d+)*m|\x1b_G|\x1bP\+q|\x1bc|\x9b77|\x1b\][^\x07\x1b]*"
    + EVIL.encode()
)  # what our own program never writes: 8 as a colour's part is told apart by `concealed`


def concealed(seen: bytes) -> bool:
    """Whether a style hides text: SGR 8, which is not the 8 in a colour such as 38;2;8;8;8."""
    for codes in re.findall(rb"\x1b\[([0-9;]*)m", seen):
        numbers = iter(codes.split(b";"))
        for number in numbers:
            if number in (b"38", b"48", b"58"):
                for _ in range(3 if next(numbers, b"") == b"2" else 1):
                    next(numbers, b"")
            elif number == b"8":
                return True
    return False


def acted(seen: bytes) -> list[bytes]:
    """What of the attacks is in the bytes that a terminal got."""
    found = [one for one in ACTS.findall(seen) if not one.endswith(b"m")]
    return found + [b"concealed"] * concealed(seen)


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish}]})}\n\n".encode()


def reply(text: str) -> Answer:
    """The text, each of its characters in a chunk of its own."""
    said = [chunk({"role": "assistant", "content": char}) for char in text]
    return Answer([*said, chunk({}, "stop"), b"data: [DONE]\n\n"])


@pytest.fixture
def options() -> Iterator[list[str]]:
    """What lets the program speak with a server that replies with all attacks."""
    with in_thread(reply(SAID)) as server:
        wire = f'providers.llm.here={{wire="openai-chat",base_url="{server.url}/v1"}}'
        yield ["--cfg", wire, "--cfg", 'conversation.titles="first_line"', "--model", "here/evil"]


def said(folder: Path) -> list[str]:
    return [one["message"] for one in stored(folder) if one["type"] == "chat_response"]


def test_r195_r197_row_26_in_the_workspace_live_and_reloaded(start: Start, tmp_path: Path, options: list[str]) -> None:
    """Nothing acts, all words can be read, the log has each character; reloaded it looks the same."""
    target = Target("jp-tui", lambda _: [*REAL.command(tmp_path), *options], REAL.environment, REAL.ready)
    first = start(target, f"go \x1b]52;c;{EVIL}\x07")
    first.wait_text("The end.")
    first.wait_text(REAL.ready)
    live = words(first.text())
    assert acted(first.seen) == []
    assert said(tmp_path) == [SAID], "sanitised when shown, never when stored"
    first.type("\x11")  # Ctrl+Q
    first.wait_event("code")
    assert acted(first.seen) == []
    again = start(target, "-c")
    again.wait_text("The end.")
    assert words(again.text()) == live and "hidden" in "".join(live) and "Approve everything?" in "".join(live)
    assert acted(again.seen) == []


def words(screen: str) -> list[str]:
    """The rows of the conversation, from the reply on."""
    rows = [row.rstrip() for row in screen.split("\n")]
    return rows[next(at for at, row in enumerate(rows) if "C1" in row or "erase" in row) : _end(rows)]


def _end(rows: list[str]) -> int:
    return next(at for at, row in enumerate(rows) if "The end." in row) + 1


def test_r195_row_26_without_a_screen(tmp_path: Path, options: list[str]) -> None:
    """A line of the model's is never a prompt of ours, on a terminal and in a pipe."""
    with on_terminal(tmp_path, "query", *options, "go") as running:
        shown = running.rest()
        assert running.wait() == 0
    piped = jp(tmp_path, "query", *options, "go").stdout
    for text in (shown, piped):
        assert acted(text.encode()) == [] and "\x1b" not in text and "\x9b" not in text and "\x9d" not in text
        assert "hidden" in text and "The end." in text
    assert "\r" not in piped and "\u202e" not in piped and "\b" not in piped


def test_r196_row_26_markup_in_options(start: Start, tmp_path: Path) -> None:
    """A label is its characters: nothing is styled, nothing acts, and the answer is the label to the letter."""
    asked = {"question": f"Which? {MARKUP[0]}", "answer_type": "select", "options": [*MARKUP, ATTACKS["OSC 52"]]}
    target = scripted(tmp_path, {"name": "ask_user", "arguments": asked})
    terminal = start(target, "begin")
    terminal.wait_text("[red")
    terminal.wait_text("w why")
    shown = terminal.text()
    assert all(label in shown for label in MARKUP)
    terminal.type("2")
    terminal.wait_text("▸ 2")
    terminal.type("\r")
    terminal.wait_text("All done.")
    assert [one["answer"] for one in stored(tmp_path) if one["type"] == "inquiry_response"] == [MARKUP[1]]
    assert acted(terminal.seen) == []


def test_r196_row_26_markup_in_a_reviewers_reason(start: Start, tmp_path: Path) -> None:
    """The banner of an escalated question shows the reason as it was given, and Enter still answers the question."""
    home = tmp_path / "jp"
    home.mkdir()
    escalates = {"questions": {"q": {"target": "assistant_with_escalation"}}}
    model = configure(home, {"paint": {"ask": question(), **escalates}}, "paint")
    reason = " ".join(MARKUP) + f" {ATTACKS['OSC 52']}{ATTACKS['conceal']}{ATTACKS['cursor move']} \u2026 done"
    with (home / "asking.toml").open("a") as script:
        script.write(f'[[verdicts]]\nquestion = "q"\nanswer = false\nreason = {json.dumps(reason)}\n')
    command = [*REAL.command(tmp_path), "--model", model]
    terminal = start(Target("jp-tui", lambda _: command, REAL.environment, REAL.ready), "go")
    terminal.wait_text("w why")  # it listens
    shown = "".join(terminal.text().split())
    assert "[/]" in shown and "[b]bold[/b]" in shown and "hidden" in shown and "done" in shown
    terminal.type("y")
    terminal.wait_text("So be it.")
    answers = [one for one in stored(tmp_path) if one["type"] == "inquiry_response"]
    assert [one.get("answer") for one in answers] == [False, True] and answers[0]["reason"] == reason
    assert acted(terminal.seen) == []
