"""A page is whole in its first frame, though the painter has not come to it yet; what is large waits for it."""

from __future__ import annotations

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import code, painter
from jp_tui.ui.transcript.prefetch import SMALL, is_small
from jp_tui.view.transcript.blocks import TextBlock
from tests.ui.transcript_host import Host, chat, screen, settled


async def test_pages_without_a_painter_are_whole_and_overlap_by_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jp_tui.ui.transcript.prefetch.BUDGET", 60.0)  # whatever else the machine does
    host = Host(chat(900))
    async with host.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        monkeypatch.setattr(painter.PaintQueue, "want", lambda self, orders: None)
        before = screen(host)
        for step in (-1,) * 9 + (1,) * 4:
            host.transcript.scroll_pages(step)
            now = screen(host)
            assert not any(row.strip() == "⋯" for row in now)
            assert not any(not (a or b or c) for a, b, c in zip(now, now[1:], now[2:], strict=False)), now
            here, there = (now[-1], before[0]) if step < 0 else (now[0], before[-1])
            assert here == there, "one row of the old page stays in sight"
            before = now


def test_what_takes_long_is_left_to_the_painter(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(text: str, *, growing: bool = False) -> bool:
        return is_small(TextBlock(key="e1", place=(1, 0), text=Foreign(text), growing=growing))

    monkeypatch.setattr(code, "_ready", set[str]())
    assert said("a few words\n\n- and\n- a list")
    assert not said("x" * (SMALL + 1)) and not said("x", growing=True)
    assert said("```\nno language\n```") and not said("so:\n\n```rust\nfn main() {}\n```"), "its lexer is not loaded"
    code._lexer.cache_clear()
    code._lexer("rust")
    assert said("so:\n\n```rust\nfn main() {}\n```")
