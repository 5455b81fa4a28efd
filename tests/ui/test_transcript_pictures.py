"""Pictures of the conversation pane with every kind of block, and of a diff put before somebody (R255; issue 3).

The same on any machine: no clock, no blinking, everything painted before the picture. After a change that is meant:
`pytest tests/ui/test_transcript_pictures.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.ui.widgets.context import ContextView
from tests.sampling import partly
from tests.ui.transcript_host import Host, Themed, chat, settled
from tests.view.events_of import DIFF, appended, asked, changed, delta, log, turn

Compare = Callable[..., bool]
SIZES = [(80, 24), (120, 36)]
THEMES = ["jp-night"]
MARKDOWN = """# A heading

Some *emphasis*, **strong words**, `code`, ~~gone~~ and a [link](https://example.com/), 你好世界.

1. first
2. second with `code`
   - nested
   - [x] done

> A quote of **two** lines,
> wrapped as one.

```python
def brew(celsius: int = 80) -> str:  # green
    return f"{celsius} °C"
```

| Tea | °C | s |
|:----|---:|--:|
| Green | 80 | 120 |
| Black | 100 | 180 |
"""
HOSTILE = "[/] [red]x[/] [@click=app.quit]x[/] \x1b[2J\x1b]0;t\x07 rm\u202e -rf"


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


def ending(how: Any, **error: str) -> stored.TurnOutcome:
    return stored.TurnOutcome(outcome=how, model="demo/tour", ms=700, error=dict(error) or None)


def every_kind() -> list[Any]:
    """A conversation whose end shows all that is not in a usual turn."""
    return [
        *((1, event) for event in turn()),
        (2, stored.ChatRequest(content="Again, please.")),
        (2, stored.ToolCallRequest(id="q", name="fs_delete_file", arguments={"path": "old.txt"})),
        (2, asked("q", "Delete old.txt?")),
        (2, stored.InquiryCancelled(id="q.q.1", reason="timed_out")),
        (2, stored.ToolCallResponse(id="q", content="No answer.", metadata={"ms": 61_000, "end": "cancelled"})),
        (2, stored.ChatResponse(kind="message", content="Half an ans", metadata={"incomplete": True})),
        (
            2,
            ending(
                "failed", message="The server is overloaded (529).", advice="Try again in a minute.", detail=HOSTILE
            ),
        ),
        (3, stored.ChatRequest(content=HOSTILE)),
        (3, ending("interrupted")),
        (4, stored.Unknown({"type": "compaction"})),
    ]


@pytest.mark.parametrize("colours", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_end_of_a_conversation(snap_compare: Compare, size: tuple[int, int], colours: str) -> None:
    assert snap_compare(Host(log(*every_kind()), colours=colours), terminal_size=size, run_before=settled)


@pytest.mark.parametrize("colours", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_turn_with_tools(snap_compare: Compare, size: tuple[int, int], colours: str) -> None:
    assert snap_compare(Host(log(*turn()), colours=colours), terminal_size=size, run_before=settled)


@partly(2)
@pytest.mark.parametrize("colours", [*THEMES, "jp-day", "jp-sixteen", "jp-contrast"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_markdown(snap_compare: Compare, size: tuple[int, int], colours: str) -> None:
    events = log(stored.ChatRequest(content="Show me."), stored.ChatResponse(kind="message", content=MARKDOWN))
    assert snap_compare(Host(events, colours=colours), terminal_size=size, run_before=settled)


@pytest.mark.parametrize("colours", THEMES)
def test_a_call_unfolded(snap_compare: Compare, colours: str) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await pilot.press("p", "p", "p", "p", "p", "enter")
        await settled(pilot)

    assert snap_compare(Host(log(*turn()), colours=colours), terminal_size=(120, 36), run_before=before)


def fates() -> list[Any]:
    """Each way a question can end, and each decision about a call (E42, R86, R93)."""
    you = stored.Responder("user")
    ends: list[Any] = [
        stored.InquiryAnswered(id="x", answer=True, responder=stored.Responder("static")),
        stored.InquiryAnswered(id="x", answer=False, explanation="too wide", responder=you),
        stored.InquiryAnswered(
            id="x", answer=False, explanation="The change touches a file that nobody named.",
            responder=stored.Responder("assistant", model="haiku-4-5", ms=1400),
        ),
        stored.InquiryAnswered(id="x", answer=True, responder=stored.Responder("user", escalated=True)),
        stored.InquiryAnswered(id="x", answer=True, responder=stored.Responder("remembered")),
        stored.InquiryAnswered(id="x", answer=True, responder=stored.Responder("default")),
        stored.InquiryAnswered(id="x", answer="from the shell", responder=stored.Responder("user", via="process")),
        stored.InquiryRedacted(id="x"),
        *(stored.InquiryCancelled(id="x", reason=tag) for tag in (
            "user", "user_back", "user_reply", "user_edit", "timed_out", "backend_error", "no_prompt_backend",
            "assistant_routing_denied", "invalid_static_answer",
        )),
    ]  # fmt: skip
    found: list[Any] = [stored.ToolCallRequest(id="a", name="fs_modify_file", arguments={"path": "brew.py"})]
    for number, end in enumerate(ends, 1):
        found += [asked("a", "Apply this change?", number, context=DIFF), replace(end, id=f"a.q.{number}")]
    found.append(stored.ToolCallResponse(id="a", content="ok", metadata={"ms": 5400}))
    decided: list[dict[str, Any]] = [
        {"permission": {"choice": "run", "by": "user", "remember": True}},
        {"permission": {"choice": "edit", "by": "user"}, "edited_arguments": {"path": "other.py"}},
        {"permission": {"choice": "skip", "by": "user", "reason": "not in this branch"}, "end": "skipped"},
        {"permission": {"choice": "skip", "by": "policy"}, "end": "error"},
        {"permission": {"choice": "run", "by": "remembered"}, "delivery": {"choice": "skip", "by": "user"}},
    ]
    for number, metadata in enumerate(decided):
        request = stored.ToolCallRequest(id=f"d{number}", name="run_checks", arguments={"path": "brew.py"})
        content = "M10" if metadata.get("end") == "error" else "ok"
        found += [request, stored.ToolCallResponse(id=f"d{number}", content=content, metadata=metadata)]
    found += [stored.ToolCallRequest(id="o", name="fs_delete_file", arguments={"path": "old.txt"}), asked("o", "Sure?")]
    return [*found, stored.TurnOutcome(outcome="deferred", model="demo/tour")]


@pytest.mark.parametrize("colours", THEMES)
@pytest.mark.parametrize("size", [(80, 48), (120, 48)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_fate_of_a_question(snap_compare: Compare, size: tuple[int, int], colours: str) -> None:
    assert snap_compare(Host(log(*fates()), colours=colours), terminal_size=size, run_before=settled)


@partly(2)
@pytest.mark.parametrize("colours", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("keys", ["p p p p enter", "p p p p w"], ids=["unfolded", "why"])
def test_a_line_of_the_trail(snap_compare: Compare, size: tuple[int, int], colours: str, keys: str) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        for key in keys.split():
            await pilot.press(key)
        await settled(pilot)

    assert snap_compare(Host(log(*turn()), colours=colours), terminal_size=size, run_before=before)


@pytest.mark.parametrize("colours", THEMES)
def test_while_it_streams_and_tools_run(snap_compare: Compare, colours: str) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        host = pilot.app
        assert isinstance(host, Host)
        pane = host.transcript
        pane.apply(delta("r", "I look at the file first.", "reasoning"))
        pane.apply(delta("m", "## Plan\n\n- read\n- change `celsius` to **8"))
        for call, tool, state in (("x", "fs_read_file", "running"), ("y", "fs_modify_file", "receiving_arguments")):
            pane.apply(changed(call, state, tool))
            pane.apply(delta(f"t{call}", "{", "tool", call=call, tool=tool))
        await settled(pilot)

    host = Host(log(stored.ChatRequest(content="Make it cooler.")), colours=colours)
    assert snap_compare(host, terminal_size=(80, 24), run_before=before)


def test_scrolled_up_with_something_new(snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        host = pilot.app
        assert isinstance(host, Host)
        host.transcript.scroll_pages(-2)
        await settled(pilot)
        host.transcript.apply(appended(chat(91)[90]))
        await settled(pilot)

    assert snap_compare(Host(chat(90)), terminal_size=(80, 24), run_before=before)


class Shown(Themed):
    """A context alone."""

    def __init__(self, text: str, colours: str, *, approval: bool = True) -> None:
        super().__init__(colours)
        self._text, self._approval = Foreign(text), approval

    def compose(self) -> ComposeResult:
        yield ContextView(self._text, approval=self._approval)


HIDING = DIFF.replace("White tea", "Wh\u0456te\u202e tea" + " " * 30)


@partly(2)
@pytest.mark.parametrize("split", [False, True], ids=["one", "two"])
@pytest.mark.parametrize("colours", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_diff_that_is_approved(snap_compare: Compare, size: tuple[int, int], colours: str, split: bool) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await pilot.pause()
        if split:
            await pilot.press("t")
        await pilot.pause()

    assert snap_compare(Shown(HIDING, colours), terminal_size=size, run_before=before)


def test_a_preview_is_markdown(snap_compare: Compare) -> None:
    assert snap_compare(Shown(MARKDOWN, "jp-night", approval=False), terminal_size=(80, 36))
