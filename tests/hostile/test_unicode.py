"""The recorded group `unicode`, each case on every face: T3, R195. What hides is made visible and named, or is refused.

Ordinary writing of other scripts (the controls) loses nothing.
"""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation import visible
from jp_tui.conversation.neutral import clean_url, neutralise, warnings
from jp_tui.conversation.outcomes import Success
from jp_tui.tools.port import ToolCall
from jp_tui.tools.registry import builtin
from tests.engine.conftest import Bench
from tests.engine.wires import accepted
from tests.hostile.recorded import ours
from tests.hostile.seen import Seen, acting, flat, in_lines, on_sheets, on_transcript, reached, texts
from tests.hostile.wired import Wired, WireName, calls, says
from tests.sampling import whole
from tests.tools.running import content, once, shell

DECEIVES = [f"UNI-{n:03}" for n in (2, 3, 4, 5, 7, 8, 10, 11, 12, 15, 19, 21, 23, 24, 25, 27, 29, 31, 33, 34, 35)]
HALF, BYTES, WRITING = ["UNI-037"], ["UNI-040"], ["UNI-043", "UNI-044"]


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Any]]:
    return ours("unicode")


@pytest.fixture(scope="module")
def sheets(found: dict[str, dict[str, Any]]) -> dict[str, Seen]:
    both = dict(list(texts(found).items())[:: 1 if whole() else 8])
    return on_sheets(texts(found), "run") | on_sheets(both, "run", "choose")


@pytest.fixture(scope="module")
def talked(found: dict[str, dict[str, Any]]) -> dict[str, Seen]:
    return on_transcript(texts(found))


def test_no_case_is_left_out(found: dict[str, dict[str, Any]]) -> None:
    assert sorted(found) == sorted([*DECEIVES, *HALF, *BYTES, *WRITING])


@pytest.mark.parametrize("id", DECEIVES)
def test_what_is_approved_hides_nothing(found: dict[str, dict[str, Any]], sheets: dict[str, Seen], id: str) -> None:
    """Every listed code point is there as an escape or counted, on every sheet, its class is named, all can be read."""
    seen, text = sheets[id], found[id]["payload"]["utf8"]
    assert seen.faults == [] and seen.answers == 0
    odd = {char for char in text if visible.odd(char) is not None}
    for kind in seen.screens:
        shown = seen.screens[kind]
        assert not odd & set(shown), kind
        assert "▲ found in this question: " in shown and "▲ found in this text: " in shown, kind
        named = flat(shown)
        assert all(flat(why) in named for why in warnings(text)), kind
        for char in odd - set("\n\t"):
            assert f"\\u{{{ord(char):04X}}}" in flat(shown) or "⟨×" in shown or len(odd) > 8, (kind, hex(ord(char)))
        assert reached(neutralise(text, "approval"), seen.evidence[kind])


@pytest.mark.parametrize("id", DECEIVES)
def test_the_names_in_the_frame_are_not_another_name(
    found: dict[str, dict[str, Any]], sheets: dict[str, Seen], id: str
) -> None:
    """A tool's name and a path with a line break in it are not shown as if they ended there."""
    text = found[id]["payload"]["utf8"]
    frame = next(row for row in sheets[id].screens["run"].split("\n") if row.startswith("╭─"))
    one = neutralise(text, "approval").replace("\n", "⏎")
    cut = one.replace("2,000 marks⟩", "1,999 marks⟩…")  # a name is at most 2,000 characters long
    assert f"╭─ {one[:20]}" in frame or f"╭─ {cut[:20]}" in frame


@pytest.mark.parametrize("id", [*DECEIVES, *WRITING])
def test_in_the_conversation(found: dict[str, dict[str, Any]], talked: dict[str, Seen], id: str) -> None:
    """Nothing reorders and nothing acts but a clean address."""
    seen, text = talked[id], found[id]["payload"]["utf8"]
    assert [fault for fault in seen.faults if not (clean_url(fault.rpartition(" ")[2]))] == []
    whole = flat(seen.screens["top"] + seen.screens["bottom"])
    for line in neutralise(text).split("\n"):
        if id not in WRITING or "\u200c" not in line:
            assert flat(line)[:30] in whole
    assert all(char in whole for char in text if id in WRITING and not char.isspace())


@pytest.mark.parametrize("id", [*DECEIVES, *WRITING])
def test_in_lines(found: dict[str, dict[str, Any]], id: str) -> None:
    text = found[id]["payload"]["utf8"]
    for where, printed in in_lines(text).items():
        assert not list(acting(printed)), where
        wanted = neutralise(text, "conversation" if where in ("live", "record") else "approval")
        for line in wanted.split("\n"):
            assert line[:60] in printed, where
        if id in WRITING and where in ("live", "record"):
            assert text in printed, "marks and joiners too"


@pytest.mark.parametrize("wire", ["anthropic", "openai_chat"])
@pytest.mark.parametrize("tool", ["ask_user", "fs_create_file", "run"])
@pytest.mark.parametrize("id", HALF)
def test_half_a_character_in_arguments(
    found: dict[str, dict[str, Any]], bench: Bench, id: str, tool: str, wire: WireName
) -> None:
    """One structured error; every later request is UTF-8, and the conversation goes on, also after a restart."""
    raw = found[id]["payload"]["raw"]
    streams = [calls(wire, [(tool, raw)]), says(wire, "I see."), says(wire, "Still here.")]
    model = bench.script = Wired(wire, *streams)  # type: ignore[assignment]
    bench.start()
    bench.say("go")
    assert bench.turn().outcome == "done"
    (result,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    told = json.loads(result["content"])
    assert told["error"] == "invalid_arguments" and "/command" in [one["path"] for one in told["problems"]]
    bench.stop()
    bench.start("id", bench.conversation)
    bench.say("and now")
    assert bench.turn().outcome == "done"
    accepted(model.requests[-1])
    for body in model.bodies:
        json.dumps(body, ensure_ascii=False).encode()


@pytest.mark.parametrize("id", BYTES)
async def test_bytes_that_are_no_text(found: dict[str, dict[str, Any]], tmp_path: Path, id: str) -> None:
    """A file and a tool's output: readable as far as they go, U+FFFD or an escape where not, the file as it was."""
    raw = base64.b64decode(found[id]["payload"]["b64"])
    file = tmp_path / "f.txt"
    file.write_bytes(raw)
    read = await builtin()["fs_read_file"].run(ToolCall({"path": "f.txt"}, tmp_path))
    said = read.content if isinstance(read, Success) else str(read)
    printed = content(await once(shell("cat f.txt"), tmp_path))
    for text in (said, printed):
        text.encode()
        assert "\ufffd" in text or "\\x" in text or "UTF-8" in text
    assert printed.startswith("a\ufffd") and "b" in printed and "c" in printed and printed.rstrip()[-1] == "\ufffd"
    assert file.read_bytes() == raw
    seen = (await asyncio.to_thread(on_transcript, {id: printed}))[id]
    assert seen.faults == [] and "a\ufffd" in seen.screens["bottom"]
