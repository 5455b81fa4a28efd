"""The conversation pane in an app: following, streaming, folding, clicking, selecting (issue 3, bone 4, 7 and 8)."""

from __future__ import annotations

import pytest
from textual.geometry import Offset, Region
from textual.selection import Selection

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.ui.transcript.transcript import Transcript
from tests.ui.transcript_host import Host, chat, screen, settled
from tests.view.events_of import HERE, appended, changed, delta, log, turn

GREETING = "Hello.\n\n1. `change` – edit a file\n2. `boolean` – yes or no"


async def test_a_conversation_opens_at_its_end() -> None:
    host = Host(log(*turn()))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        rows = screen(host)
        assert rows[-1].strip() == "Done: green tea brews at 80 °C now."
        assert " ? Which branch should I use?" in [row[2:] for row in rows]
        assert host.transcript.following


async def test_live_and_reloaded_conversations_look_alike() -> None:
    """Issue 3, 8: the same rows, whether the turn was watched or read back."""
    events = log(*turn())
    reloaded = Host(events)
    async with reloaded.run_test(size=(80, 60)) as pilot:
        await settled(pilot)
        expected = screen(reloaded)
    live = Host([])
    async with live.run_test(size=(80, 60)) as pilot:
        pane = live.transcript
        pane.apply(ev.TurnStarted(conversation=HERE, turn=1, model="anthropic/claude-sonnet-4-5"))
        for event in events:
            if event.event["type"] == "chat_response":
                kind = "reasoning" if "reasoning" in event.event else "message"
                text = str(event.event[kind])
                for at in range(0, len(text), 9):
                    pane.apply(delta(f"part{event.seq}", text[at : at + 9], kind))
                    await pilot.pause()
                pane.apply(appended(event, f"part{event.seq}"))
            else:
                if event.event["type"] == "tool_call_response":
                    pane.apply(changed(str(event.event["id"]), "completed", end="ok", ms=5))
                pane.apply(appended(event))
        pane.apply(ev.TurnCompleted(conversation=HERE, turn=1, outcome="done"))
        await settled(pilot)
        assert screen(live) == expected


async def test_streamed_text_shows_while_it_comes_and_only_changed_rows_are_painted_again() -> None:
    """T22: with room left, a repaint covers the rows from the changed one on, not the pane."""
    host = Host(log(stored.ChatRequest(content="hi")))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        regions: list[Region] = []
        pane, refresh = host.transcript, host.transcript.refresh

        def noted(*given: Region, **more: bool) -> Transcript:
            regions.extend(given or [Region(0, 0, 80, 24)])
            return refresh(*given, **more)

        pane.apply(delta("p", "First line\n\n"))
        await settled(pilot)
        assert screen(host)[4] == "   First line"
        pane.refresh = noted  # type: ignore[method-assign]
        pane.apply(delta("p", "second"))
        await settled(pilot)
        assert screen(host)[6] == "   second"
        assert regions and all(region.y >= 5 for region in regions)
        regions.clear()
        pane.apply(appended(log(stored.ChatResponse(kind="message", content="First line\n\nsecond"), first=2)[0], "p"))
        await settled(pilot)
        assert screen(host)[4:7] == ["   First line", "", "   second"]


async def test_at_rest_there_is_no_timer_and_no_repaint() -> None:
    """T24, designs.md C: nothing runs when nothing comes, also after text came."""
    host = Host(chat(30))
    async with host.run_test(size=(80, 24)) as pilot:
        host.transcript.apply(delta("p", "text"))
        await settled(pilot)
        assert host.transcript._frame is None
        assert not [timer for timer in host.transcript._timers if timer is not None]
        painted: list[Region] = []
        host.transcript.render_lines = lambda crop: painted.append(crop) or []  # type: ignore[method-assign,func-returns-value,assignment]
        for _ in range(5):
            await pilot.pause()
        assert not painted


def said(host: Host) -> list[str]:
    """The rows with something on them."""
    return [row for row in screen(host) if row.strip()]


async def test_a_wait_before_a_retry_counts_down_in_the_conversation() -> None:
    """Z21: the cause, the time and the key that stops it; no timer is left when it is over."""
    host = Host(log(stored.ChatRequest(content="hi")))
    async with host.run_test(size=(80, 24)) as pilot:
        pane = host.transcript
        told = "Rate limited by acme (429)."
        pane.apply(ev.TurnPhase(conversation=HERE, turn=1, phase="retrying", detail=told, retry_in=20.0))
        await settled(pilot)
        assert said(host)[-1] == f" ↻ {told} Retrying in 20 s · Esc stops"
        assert pane._ticker is not None
        pane._counted -= 3.5  # so many seconds ago it was last looked at
        pane._second()
        await settled(pilot)
        assert said(host)[-1] == f" ↻ {told} Retrying in 17 s · Esc stops"
        pane.apply(ev.TurnPhase(conversation=HERE, turn=1, phase="waiting_for_model"))
        await settled(pilot)
        assert not any("Retrying" in row for row in screen(host))
        pane._counted -= 8.5
        pane._second()
        await settled(pilot)
        assert any("Waiting for" in row and "Esc stops" in row for row in screen(host)), "S53"
        pane.apply(ev.TurnPhase(conversation=HERE, turn=1, phase="streaming"))
        await settled(pilot)
        assert pane._ticker is None and not any("Waiting for" in row for row in screen(host))


async def test_the_line_of_a_wait_names_the_users_own_key() -> None:
    """Z21"""
    host = Host(log(stored.ChatRequest(content="hi")))
    async with host.run_test(size=(80, 24)) as pilot:
        host.set_keymap({"workspace.interrupt": "f7"})
        host.transcript.apply(ev.TurnPhase(conversation=HERE, turn=1, phase="retrying", detail="Busy.", retry_in=20.0))
        await settled(pilot)
        assert said(host)[-1].endswith("· F7 stops")


async def test_scrolled_up_it_stays_and_says_that_there_is_more() -> None:
    host = Host(chat(60))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("pageup")
        await settled(pilot)
        before = screen(host)
        assert not host.transcript.following
        host.transcript.apply(delta("p", "new words\n\n" * 5, turn=99))
        await settled(pilot)
        assert screen(host) == before
        last = host.transcript.render_lines(Region(0, 23, 80, 1))[0].text
        assert "↓ new" in last
        await pilot.press("end")
        await settled(pilot)
        assert screen(host)[-1] == "   new words"
        assert "↓ new" not in host.transcript.render_lines(Region(0, 23, 80, 1))[0].text


async def test_keys_scroll_by_rows_pages_and_to_both_ends() -> None:
    host = Host(chat(90))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        pane, end = host.transcript, host.transcript.top
        for key, top in (("up", end - 1), ("k", end - 2), ("pageup", end - 25), ("j", end - 24), ("pagedown", end - 1)):
            await pilot.press(key)
            assert pane.top == top, key
        await pilot.press("home")
        await settled(pilot)
        assert pane.top == 0 and screen(host)[1] == " ▌ Question 1?"
        await pilot.press("end")
        assert pane.following
        pane.scroll_pages(-2)
        assert pane.top < end and not pane.following


async def test_the_wheel_and_the_scroll_mark() -> None:
    host = Host(chat(90))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        pane, end = host.transcript, host.transcript.top
        await pilot._post_mouse_events([__import__("textual.events").events.MouseScrollUp], widget=pane, offset=(5, 5))
        assert pane.top == end - 3
        await pilot.mouse_down(pane, offset=(79, 22))
        await pilot.hover(pane, offset=(79, 0))
        await pilot.mouse_up(pane, offset=(79, 0))
        await settled(pilot)
        assert pane.top == 0


async def test_a_tool_call_unfolds_by_key_and_by_click_and_what_is_above_stays() -> None:
    """Issue 3, 7: long output folded; Enter and a click show it."""
    host = Host(log(*turn()))
    async with host.run_test(size=(80, 50)) as pilot:
        await settled(pilot)
        pane = host.transcript
        line = next(y for y, row in enumerate(screen(host)) if "fs_read_file" in row)
        above = screen(host)[:line]
        await pilot.click(pane, offset=(10, line))
        await settled(pilot)
        assert "path: docs/brewing.md" in screen(host)[line + 1] and screen(host)[:line] == above
        assert sum("Green tea: 80 °C" in row for row in screen(host)) == 12
        await pilot.press("enter")
        await settled(pilot)
        assert "Green tea: 80 °C" not in "".join(screen(host))
        await pilot.press("n", "enter")
        await settled(pilot)
        assert any('Tea("White tea"' in row for row in screen(host))
        assert pane.render_lines(Region(0, line + 1, 80, 1))[0].text.startswith("❯")


async def test_links_and_menu_words_are_told_not_run() -> None:
    """T2, issue 3, 2: a click posts an address or a word; markup in a message does nothing."""
    text = "see [docs](https://a.example/x) or [@click=app.quit]here[/]"
    host = Host(log((0, stored.ChatResponse(kind="message", content=GREETING, metadata={"greeting": True})),
                    stored.ChatRequest(content="x"), stored.ChatResponse(kind="message", content=text)))  # fmt: skip
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        pane, rows = host.transcript, screen(host)
        menu = next(y for y, row in enumerate(rows) if "change" in row)
        await pilot.click(pane, offset=(9, menu))
        await pilot.click(pane, offset=(20, menu + 1))
        link = next(y for y, row in enumerate(rows) if "docs" in row)
        await pilot.click(pane, offset=(8, link))
        await pilot.click(pane, offset=(rows[link].index("here") + 1, link))
        await pilot.pause()
        assert [getattr(one, "text", None) or one.url for one in host.heard] == [
            "change",
            "boolean",
            "https://a.example/x",
        ]
        assert host.is_running


async def test_the_greeting_shows_before_anything_is_logged() -> None:
    host = Host([], greeting=Foreign(GREETING))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert screen(host)[1].strip() == "assistant  demo/tour" and screen(host)[2].strip() == "Hello."
        before = screen(host)
        event = log((0, stored.ChatResponse(kind="message", content=GREETING, metadata={"greeting": True})))[0]
        host.transcript.apply(appended(event, "greeting"))
        await settled(pilot)
        assert screen(host) == before


async def test_selected_text_is_the_source_without_gutters() -> None:
    """Designs D: wrapped rows are joined again, bars and margins are left out, markers stay."""
    words = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda"
    host = Host(log(stored.ChatRequest(content=words), stored.ChatResponse(kind="message", content="- one\n- two")))
    async with host.run_test(size=(40, 24)) as pilot:
        await settled(pilot)
        pane = host.transcript
        last = pane.document.total - 1
        everything, _ = pane.get_selection(Selection(None, None)) or ("", "")
        assert everything == f"\n{words}\n\nassistant  \n • one\n • two" or everything.startswith(f"\n{words}\n")
        assert everything.endswith(" • one\n • two")
        part, _ = pane.get_selection(Selection(Offset(0, 1), Offset(9, 2))) or ("", "")
        assert part == words[: words.index("delta") + 0].rstrip() or part in words
        assert last > 5


async def test_a_double_click_takes_a_word_a_triple_click_the_line() -> None:
    words = "alpha beta-gamma delta epsilon zeta eta theta iota kappa lambda"
    host = Host(log(stored.ChatRequest(content=words)))
    async with host.run_test(size=(40, 12)) as pilot:
        await settled(pilot)
        await pilot.click(host.transcript, offset=(12, 1), times=2)
        await pilot.pause()
        assert host.heard[-1].text == "beta-gamma"
        await pilot.click(host.transcript, offset=(12, 2), times=3)
        await pilot.pause()
        assert host.heard[-1].text == words
        assert host.screen.get_selected_text() == words


async def test_a_drag_selects_and_tells_the_text() -> None:
    host = Host(
        log(stored.ChatRequest(content="alpha beta"), stored.ChatResponse(kind="message", content="gamma delta"))
    )
    async with host.run_test(size=(60, 12)) as pilot:
        await settled(pilot)
        pane = host.transcript
        row = next(y for y, text in enumerate(screen(host)) if "gamma" in text)
        await pilot.mouse_down(pane, offset=(3, 1))
        await pilot.hover(pane, offset=(7, row))
        await pilot.mouse_up(pane, offset=(7, row))
        await pilot.pause()
        assert host.heard and host.heard[-1].text.startswith("alpha beta") and host.heard[-1].text.endswith("gamma")


async def test_a_drag_that_rests_at_the_edge_scrolls_and_ends_wherever_it_is_let_go() -> None:
    """Designs D: rows that come into sight are taken in; a button released over another widget ends it."""
    host = Host(chat(90))
    async with host.run_test(size=(60, 12)) as pilot:
        await settled(pilot)
        pane, start = host.transcript, host.transcript.top
        await pilot.mouse_down(pane, offset=(5, 6))
        host.screen._selecting = True
        pane._pointer = Offset(5, 0)
        for _ in range(4):
            pane._drag_on()
        selection = pane.text_selection
        assert pane.top == start - 4 and selection is not None and selection.start is not None
        assert selection.start.y == start - 4 and selection.end is not None and selection.end.y == start + 6
        host.screen._selecting = False
        pane._drag_on()
        assert pane.top == start - 4


@pytest.mark.parametrize("keep", ["jp-day", "textual-light"])
async def test_another_theme_paints_everything_again(keep: str) -> None:
    from tests.ui.look_of import theme

    host = Host(chat(30))
    async with host.run_test(size=(80, 24)) as pilot:
        host.transcript.apply(delta("p", "growing words"))
        await settled(pilot)
        before = screen(host)
        old = next(iter(host.transcript.render_line(20))).style
        if keep not in host.available_themes:
            host.register_theme(theme(keep))
        host.theme = keep
        await pilot.pause()
        await settled(pilot)
        assert screen(host) == before
        assert next(iter(host.transcript.render_line(20))).style != old


async def test_another_width_wraps_again_and_keeps_the_place() -> None:
    host = Host(chat(300))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("pageup", "pageup")
        await settled(pilot)
        first = next(row.strip() for row in screen(host) if "Question" in row)
        await pilot.resize_terminal(50, 20)
        await settled(pilot)
        assert any(first[2:] in row for row in screen(host)[:20])
        assert all(len(row) <= 49 for row in screen(host))
        await pilot.resize_terminal(100, 30)
        await settled(pilot)
        assert any(first[2:] in row for row in screen(host))


async def test_events_of_other_conversations_change_nothing() -> None:
    host = Host(chat(9))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        before = screen(host)
        host.transcript.apply(delta("p", "x").model_copy(update={"conversation": "other"}))
        host.transcript.apply(ev.TurnPhase(conversation=HERE, turn=3, phase="streaming"))
        await settled(pilot)
        assert screen(host) == before
        host.transcript.clear()
        await settled(pilot)
        assert not any(screen(host))
