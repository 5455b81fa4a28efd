"""The recorded group `terminal`, each case on every face: T1, R195-R197. Nothing of it is obeyed, the rest is read.

What is rendered is read by `obeyed.py`, which knows no more than what our own code may write. What is stored stays as
it came.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure
from jp_tui.ui.failures.crash_report import report_text
from tests.engine.conftest import Bench
from tests.faults import obeyed, painter
from tests.hostile.recorded import ours
from tests.hostile.seen import Seen, acting, flat, in_lines, on_sheets, on_transcript, screen, texts
from tests.hostile.wired import Wired, says
from tests.tools.running import once, shell
from tests.ui.look_of import look_of
from tests.ui.transcript_host import Host, settled
from tests.view.events_of import delta, opened

NUMBERS = (
    1, 7, 9, 10, 13, 16, 19, 23, 26, 27, 28, 31, 33, 34, 37, 41, 42, 44, 46, 48, 50, 55, 56, 57, 58, 61, 63, 69, 70, 72,
)  # fmt: skip
TEXTS = [f"TERM-{number:03}" for number in NUMBERS]
SPLIT, CRASH, CHILD, KEPT = "TERM-075", "TERM-083", "TERM-085", "TERM-088"
AROUND = {
    "TERM-001": ("ok", "done"), "TERM-007": ("https://github.com/org/repo",), "TERM-009": ("ok",),
    "TERM-031": ("Read-only command",), "TERM-033": ("spoof",), "TERM-046": ("safe", "rm -rf ~", "text"),
    "TERM-048": ("A",), "TERM-058": ("text",), "TERM-069": ("abc",), "TERM-070": ("rm -rf ~", "ls -la"),
}  # fmt: skip
"""Words that stand before, in and after the sequences of a case, and are read in spite of them."""


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Any]]:
    return ours("terminal")


@pytest.fixture(scope="module")
def sheets(found: dict[str, dict[str, Any]]) -> dict[str, Seen]:
    """All in one, one below the other: what is approved drops nothing, so none can eat another."""
    return on_sheets({"all": "\n".join(f"{id_} {texts(found)[id_]}" for id_ in TEXTS)}, "run", "choose")


@pytest.fixture(scope="module")
def talked(found: dict[str, dict[str, Any]]) -> dict[str, Seen]:
    return on_transcript({id_: texts(found)[id_] for id_ in (*TEXTS, KEPT)})


def test_no_case_is_left_out(found: dict[str, dict[str, Any]]) -> None:
    assert sorted(found) == sorted([*TEXTS, SPLIT, CRASH, CHILD, KEPT])


@pytest.mark.parametrize("id", TEXTS)
def test_in_every_sheet(found: dict[str, dict[str, Any]], sheets: dict[str, Seen], id: str) -> None:
    """T3: on what is approved nothing of it is dropped: each control is there as a sign."""
    seen, text = sheets["all"], found[id]["payload"]["utf8"]
    assert seen.faults == [] and seen.answers == 0
    signs = {chr(0x2400 + ord(char)) for char in text if char < " " and char not in "\n\r\t"}
    for kind in ("run", "choose"):
        shown = seen.evidence[kind].partition(id)[2].partition("TERM-")[0]
        assert all(sign in shown for sign in signs) and (signs or "\\u{009D}" in shown or "␡" in shown), kind
        assert all(flat(word) in shown for word in AROUND.get(id, ())), kind
        assert "▲ found in this text: control sequences" in seen.screens[kind]


@pytest.mark.parametrize("id", [*TEXTS, KEPT])
def test_in_the_conversation(talked: dict[str, Seen], id: str) -> None:
    seen = talked[id]
    assert [fault for fault in seen.faults if "https://github.com/org/repo" not in fault] == [], (
        "a clean address is a link"
    )
    shown = flat(seen.screens["top"] + seen.screens["bottom"])
    assert all(flat(word) in shown for word in AROUND.get(id, ("red",) if id == KEPT else ()))


@pytest.mark.parametrize("id", [*TEXTS, CRASH])
def test_in_lines(found: dict[str, dict[str, Any]], id: str) -> None:
    for where, printed in in_lines(found[id]["payload"]["utf8"]).items():
        assert not list(acting(printed)), where
        assert all(word in printed for word in AROUND.get(id, ())), where


@pytest.mark.parametrize("id", [*TEXTS, CRASH, KEPT])
def test_what_is_written_to_the_terminal_is_our_own(found: dict[str, dict[str, Any]], id: str) -> None:
    """Every way that paints, by another eye than the gate's; and the lines, titles and notifications."""
    text = found[id]["payload"]["utf8"]
    for seed in range(4):
        for name, (_, way) in painter.WAYS.items():
            assert painter.judged(way(text, Random(seed), look_of()))[1] == [], name
        for name, (_, said) in painter.LINES.items():
            terminal = obeyed.Terminal()
            terminal.feed(" ".join(said(text, Random(seed))).replace("\n", " ").replace("\t", " "), last=True)
            assert terminal.faults == [] and not terminal.kinds, name


@pytest.mark.parametrize("id", [SPLIT])
async def test_a_sequence_in_two_kinds_of_content_is_never_joined(found: dict[str, dict[str, Any]], id: str) -> None:
    """Reasoning that ends in ESC, and a reply that goes on as if it were one."""
    payload = found[id]["payload"]
    host = Host([])
    async with host.run_test(size=(80, 20)) as pilot:
        host.transcript.open(opened([]))
        for number, (kind, text) in enumerate(zip(payload["kinds"], payload["utf8"], strict=True)):
            host.transcript.apply(delta(f"1.{number}", text, {"text": "message"}.get(kind, kind)))
        host.transcript.apply(delta("1.1", " and more"))
        await settled(pilot)
        shown = screen(host, seen := Seen())
    assert seen.faults == [] and "]52;c;QUFB and more" in shown


@pytest.mark.parametrize("id", [CRASH])
def test_what_an_exception_says_is_not_obeyed_after_the_end(found: dict[str, dict[str, Any]], id: str) -> None:
    """T7: the report is a file that people look at in a terminal."""
    report = report_text(FileNotFoundError(found[id]["payload"]["utf8"]), {"TERM": "xterm"})
    assert "FileNotFoundError" in report and not list(acting(report))


@pytest.mark.parametrize("id", [CHILD])
async def test_a_child_has_no_terminal_to_write_to(found: dict[str, dict[str, Any]], tmp_path: Path, id: str) -> None:
    """T10: a session of its own, so that /dev/tty cannot be opened."""
    outcome = await once(shell(found[id]["payload"]["command"]), tmp_path)
    assert isinstance(outcome, Failure) and "APPROVED" not in json.dumps(outcome.message)


@pytest.mark.parametrize("id", [KEPT])
def test_what_is_stored_and_sent_is_what_was_typed(found: dict[str, dict[str, Any]], bench: Bench, id: str) -> None:
    """R195: it is made harmless where it is shown, and nowhere else."""
    text = found[id]["payload"]["utf8"]
    model = bench.script = Wired("anthropic", says("anthropic", "I see."))  # type: ignore[assignment]
    bench.start()
    bench.say(text)
    assert bench.turn().outcome == "done"
    assert [event["content"] for event in bench.log() if event["type"] == "chat_request"] == [text]
    assert text in json.dumps(model.bodies[0], ensure_ascii=False).replace("\\u001b", "\x1b")
