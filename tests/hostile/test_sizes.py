"""The recorded group `sizes`, each case on its surface: T4. What is shown is bounded, the rest is told with its size.

Work is counted (rows, characters that are parsed), not timed: a machine may be busy. How long a step of the loop works
is measured for two of them in a real terminal; `python -m tests.faults --only slots` does so for all, in every slot.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation import neutral, visible
from jp_tui.conversation.text import Foreign
from jp_tui.questions.types import Part
from jp_tui.ui import text as widgets
from jp_tui.ui.painting import blocks as painting
from jp_tui.ui.painting import code, markdown, plain
from jp_tui.ui.painting.context import APPROVED, context
from jp_tui.ui.painting.stream import StreamedMessage
from jp_tui.ui.painting.tools import OUTPUT_LINES
from jp_tui.ui.sheets.areas.hunks import by_hunks
from jp_tui.ui.sheets.json import text as json_text
from jp_tui.view.composer import pastes
from jp_tui.view.schema.edit import field_text
from jp_tui.view.schema.form import SchemaOutline
from jp_tui.view.transcript import blocks as b
from tests.faults import slots
from tests.faults.painter import judged
from tests.hostile.recorded import ours
from tests.ui.look_of import look_of, texts
from tests.ui.sheet_host import hunky
from tests.ui.transcript_host import Host, settled
from tests.view.events_of import log

OUTPUT, STREAMED, REPLY, DIFF, CALLS = (
    ["SIZE-001", "SIZE-003"], ["SIZE-002"], ["SIZE-004", "SIZE-005", "SIZE-006", "SIZE-009"], ["SIZE-010"],
    ["SIZE-017"],
)  # fmt: skip
PLACED: dict[str, Any] = {"key": "1", "place": (1, 0)}
WIDTH = 100
IN_A_TERMINAL = (
    ("SIZE-001", "conversation", "output"), ("SIZE-001", "refusals", "refusal"),
    ("SIZE-003", "sheet: permission", "what the tool shows"), ("SIZE-001", "sheet: hunks", "words before the diff"),
    ("SIZE-001", "page: settings", "default"),
)  # fmt: skip


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Any]]:
    return ours("sizes")


def text_of(case: dict[str, Any]) -> str:
    return "".join(piece * times for piece, times in slots.expanded(case["payload"]))


def test_no_case_is_left_out(found: dict[str, dict[str, Any]]) -> None:
    assert sorted(found) == sorted([*OUTPUT, *STREAMED, *REPLY, *DIFF, *CALLS])


@pytest.mark.parametrize("id", OUTPUT)
def test_of_a_tool_s_output_so_much_is_laid_out_and_the_rest_is_counted(found: dict[str, Any], id: str) -> None:
    said = Foreign(text_of(found[id]))
    block = b.ToolBlock(call="c", name=Foreign("run"), state="completed", end="ok", output=said, **PLACED)
    assert len(painting.paint(block, WIDTH, look_of())) == 1, "folded it is one row"
    rows = painting.paint(block, WIDTH, look_of(), unfolded=frozenset(("1",)))
    shown = texts(rows)
    assert len(rows) <= OUTPUT_LINES + 5 and any("more characters not shown; an export" in one for one in shown)
    assert any("more line" in one or "more characters⟩" in one for one in shown)


@pytest.mark.parametrize("id", STREAMED)
def test_of_a_message_that_arrives_nothing_is_parsed_beyond_what_is_shown(
    found: dict[str, Any], id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, parsed, parse = text_of(found[id]), [0], markdown.parse

    def counted(source: str, env: dict[str, Any]) -> Any:
        parsed[0] += len(source)
        return parse(source, env)

    monkeypatch.setattr(markdown, "parse", counted)
    message = StreamedMessage(WIDTH, look_of())
    message.feed(text[: plain.SHOWN])
    before = parsed[0]
    monkeypatch.setattr(StreamedMessage, "_open", lambda _: pytest.fail("laid out again for what is not shown"))
    for at in range(plain.SHOWN, len(text), 65_536):
        message.feed(text[at : at + 65_536])
    assert parsed[0] == before, "what is beyond is counted, and that is all"
    missing = len(text) - plain.SHOWN
    assert f"⟨{missing:,} more characters not shown" in "".join(texts(message.tail))


@pytest.mark.parametrize("id", REPLY)
def test_a_reply_is_laid_out_within_bounds(found: dict[str, Any], id: str) -> None:
    text = text_of(found[id])
    rows = painting.paint(b.TextBlock(text=Foreign(text), **PLACED), WIDTH, look_of())
    assert judged([row.strip for row in rows[:60]])[1] == []
    assert len(rows) <= plain.SHOWN // 6 + 10, "a row for the shortest line of them"
    assert rows and ("more characters not shown" in texts(rows[-1:])[0]) == (len(text) > plain.SHOWN)


@pytest.mark.parametrize("depth", [1, 8, 9, 10, 18, 19, 20, 40, 2000])
@pytest.mark.parametrize("mark", ["> ", ">", "- ", "1. ", "> - "])
def test_however_deep_it_is_nested_nothing_of_it_is_lost(mark: str, depth: int) -> None:
    """The parser follows to a level, and drops what is below it: there the source is shown."""
    text = f"before\n\n{mark * depth}word\n\nafter"
    shown = "".join(texts(painting.paint(b.TextBlock(text=Foreign(text), **PLACED), WIDTH, look_of())))
    message = StreamedMessage(WIDTH, look_of())
    message.feed(text)
    streamed = "".join(texts([*message.frozen, *message.tail]))
    for said in (shown, streamed):
        assert "before" in said and "word" in said.replace(" ", "") and "after" in said


def test_of_a_long_block_of_code_its_beginning_is_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, lex = [0], code.Highlighter._tokens

    def counted(self: code.Highlighter, text: str) -> Any:
        calls[0] += 1
        return lex(self, text)

    monkeypatch.setattr(code.Highlighter, "_tokens", counted)
    monkeypatch.setattr(code, "LEXED_LINES", 50)
    lines = ["x = 1"] * 300
    assert len(code.code(lines, "python", painting.page(WIDTH, look_of()))) == 300 and calls[0] == 50


@pytest.mark.parametrize("id", DIFF)
def test_a_change_that_is_too_long_to_be_seen_whole_says_so(found: dict[str, Any], id: str) -> None:
    line = text_of(found[id])
    diff = f"--- a/min.js\n+++ b/min.js\n@@ -1 +1 @@\n-{line}\n+{line}x\n"
    painted = context(Foreign(diff), WIDTH, look_of())
    assert not painted.whole and len(painted.rows) <= APPROVED // (WIDTH - 10) + 10
    assert f"{len(diff.strip()) - APPROVED:,} more characters not shown" in texts(painted.rows[-1:])[0]


@pytest.mark.parametrize("id", CALLS)
async def test_of_ten_thousand_calls_those_in_sight_are_painted(found: dict[str, Any], id: str) -> None:
    count = found[id]["payload"]["n"]
    calls = [ev.ToolCallRequest(id=f"c{n}", name="run", arguments={"n": n}) for n in range(count)]
    host = Host(log(ev.ChatRequest(content="go"), *calls))
    painted: list[str] = []
    made = painting.paint

    def counted(block: b.Block, *given: Any, **more: Any) -> Any:
        painted.append(block.key)
        return made(block, *given, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(painting, "paint", counted)
        async with host.run_test(size=(WIDTH, 40)) as pilot:
            await settled(pilot)
            assert host.given <= 1_000 and 0 < len(painted) <= 1_000, "a page of them, and of that what is near"


@pytest.mark.parametrize("size", [10_000_000, 300_000])
@pytest.mark.parametrize("mode", ["conversation", "approval", "line"])
@pytest.mark.parametrize("piece", ["x", "y\n", "word ", "漢", "\x1b[31mx\x1b[0m", "\u202e", " "])
def test_a_widget_is_given_so_much_and_the_rest_is_counted(piece: str, mode: Any, size: int) -> None:
    """T4: whatever the slot, no text beyond these bounds is ever laid out."""
    text = piece * (size // len(piece))
    given = widgets.foreign(Foreign(text), mode=mode).plain
    assert len(given) <= widgets.MOST * 9 and given.count("\n") <= widgets.MOST_LINES
    assert mode == "line" or f"{len(text) - widgets.MOST:,} more characters⟩" in given or piece == "y\n"
    assert mode == "line" or "more characters⟩" in given
    assert len(widgets.whole(Foreign(text), 80).plain) <= 80


@pytest.fixture(scope="module")
def running() -> Iterator[slots.Program]:
    with slots.program() as one:
        yield one


@pytest.mark.parametrize(("id", "scene", "slot"), IN_A_TERMINAL)
def test_in_a_terminal_no_step_of_the_loop_works_over_100_ms(
    running: slots.Program, found: dict[str, Any], id: str, scene: str, slot: str
) -> None:
    """Nor does memory grow by more than 200 MB."""
    before = memory(running.process.pid)
    shown = running.show(scene, id, slots.expanded(found[id]["payload"]), [slot])
    assert shown.wrong == [] and slot not in shown.unseen
    assert memory(running.process.pid) - before < found[id]["limits"]["rss_growth_mb"] * 2**20


def memory(pid: int) -> int:
    """Bytes of a process in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


@pytest.mark.parametrize(("size", "taken_apart"), [(1_000, True), (APPROVED + 1, False)])
def test_a_change_of_a_huge_line_is_not_taken_apart(size: int, taken_apart: bool) -> None:
    """A part that nobody can see to its end is not offered by itself; the change is answered as a whole."""
    huge = Part("1", "d1", "min.js, line 1", f"@@ -1 +1 @@\n-old\n+{'x' * size}\n")
    parts = (huge, Part("2", "d2", "b.md, line 9", "@@ -9 +9 @@\n-a\n+b\n"))
    assert by_hunks(hunky(parts=parts)) == taken_apart


@pytest.mark.parametrize(("size", "taken_apart"), [(1_000, True), (widgets.MOST + 500, False), (10_000_000, False)])
@pytest.mark.parametrize("slot", ["title", "words before", "lines before"])
def test_a_change_with_huge_words_beside_it_is_not_taken_apart(slot: str, size: int, taken_apart: bool) -> None:
    """Titles and what stands before the hunks are laid out at once; longer ones are scrolled, as a whole."""
    title = "x" * size if slot == "title" else "a.md"
    before = {"title": "", "words before": "x" * size + "\n", "lines before": "x\n" * size}[slot]
    parts = (
        Part("1", "d1", f"{title}, line 1", "@@ -1 +1 @@\n-old\n+new\n"),
        Part("2", "d2", "b.md, line 9", "@@ -9 +9 @@\n-a\n+b\n"),
    )
    assert by_hunks(hunky(parts=parts, before=before)) == taken_apart


def test_megabytes_with_nothing_odd_in_them_are_not_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """T4: a default, a result, arguments are cleaned whole; what is plain costs a single look."""
    assert [pastes.cleaned(one) for one in ("a\r\nb\rc", "a\x1b\x7f\x00\tb", "é\x9b\x07ü")] == ["a\nb\nc", "a\tb", "éü"]
    for name, module in (("_SEQUENCE", neutral), ("_CONTROLS", pastes), ("_ODD", json_text)):
        monkeypatch.setattr(module, name, None)
    assert neutral.neutralise("x\ty\n" * 9) == pastes.cleaned("x\ty\n" * 9) == "x\ty\n" * 9
    assert json_text.laid_out({"a": "x\ty"}) == '{\n  "a": "x\\ty"\n}'
    looked: list[str] = []
    monkeypatch.setattr(visible, "odd", looked.append)
    shape = SchemaOutline({"type": "object", "properties": {"a": {"type": "string"}}}).at(("a",))
    assert field_text(shape, "plain " * 999) == "plain " * 999 and looked == []
    monkeypatch.undo()
    monkeypatch.setattr(visible, "odd", looked.append)
    assert field_text(shape, "é and ü " * 999) == "é and ü " * 999 and sorted(looked) == ["é", "ü"]
