"""The one way into a widget and the last gate before the terminal (traps.md T1, T2, T3; R195-R197)."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.strip import Strip
from textual.widgets import Button, Label, OptionList, Static

from jp_tui.conversation.text import Foreign
from jp_tui.ui.text import blank, cut, foreign, join, ours, styled
from jp_tui.ui.textual_patches import output_gate
from tests.hostile.recorded import cases

ACTS = re.compile("[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]")


def test_our_words_are_filled_and_never_read_as_markup() -> None:
    """T2: neither the template nor what fills it is markup."""
    said = ours(
        "{n} [b]waiting[/b] · {tool} asks: {text}", n=2, tool=Foreign("[red]x[/]"), text=Foreign("a\x1b]0;t\x07b")
    )
    assert said.plain == "2 [b]waiting[/b] · [red]x[/] asks: ab"
    assert not said.spans
    assert ours("{x:.1f} {{}}", x=1.26).plain == "1.3 {}"
    with pytest.raises(KeyError):
        ours("{missing}")


def test_foreign_text_has_no_other_way_to_become_text() -> None:
    with pytest.raises(TypeError):
        str(Foreign("x"))
    with pytest.raises(TypeError):
        f"{Foreign('x')}"


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("\n \n  first\nsecond", None, "first"),
        ("abcdef", 4, "abc…"),
        ("你好吗", 4, "你…"),
        ("ab", 2, "ab"),
        ("ab", 0, ""),
    ],
)
def test_a_line_is_one_line_of_so_many_cells(text: str, limit: int | None, shown: str) -> None:
    assert foreign(Foreign(text), mode="line", limit=limit).plain == shown


def test_styles_of_content_and_of_ours() -> None:
    """R195: colours of content are kept under ours; T3: our marks stand out from content."""
    kept = foreign(Foreign("a\x1b[1;31mb\x1b[0m"), style="italic")
    assert kept.plain == "ab" and [(span.start, span.end) for span in kept.spans] == [(0, 2), (1, 2)]
    marked = foreign(Foreign("x\u202ey"), mode="approval")
    assert marked.plain == "x\\u{202E}y" and [str(span.style) for span in marked.spans] == ["$warning"]
    assert join(ours("a"), ours("b"), sep=ours("·")).plain == "a·b"
    assert styled(ours("a"), "bold").spans[0].style == "bold"
    assert blank().plain == "" and cut(ours("abc"), 3).plain == "abc"


class Host(App[None]):
    """Every slot of the usual widgets, filled with one hostile text."""

    def __init__(self, text: Foreign) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        content = foreign(self._text)
        yield Static(content)
        yield Label(ours("said: {text}", text=self._text))
        yield Button(foreign(self._text, mode="line"))
        yield OptionList(content, foreign(self._text, mode="approval"))


async def test_hostile_text_shows_and_does_nothing_in_widgets() -> None:
    """MARK-*, TERM-*: no exception, no action, nothing that acts in any painted row."""
    found = [
        case
        for group in ("markup", "terminal")
        for case in cases(group).values()
        if isinstance(case["payload"].get("utf8"), str) and len(case["payload"]["utf8"]) < 200
    ]
    joined = Foreign("\n".join(case["payload"]["utf8"] for case in found))
    app = Host(joined)
    async with app.run_test(size=(100, 60)) as pilot:
        await pilot.pause()
        for widget in app.query("*"):
            for y in range(widget.size.height):
                for segment in widget.render_line(y):
                    assert not ACTS.search(segment.text)
                    meta = segment.style.meta if segment.style else {}
                    assert not any(key.startswith("@") for key in meta)


def rendered(*segments: Segment) -> str:
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor")
    return Strip(segments).render(console)


def test_the_gate_makes_what_got_this_far_visible() -> None:
    """T1: C0, DEL, C1 and surrogates; the row keeps its width, and neither a tab nor a newline moves the cursor."""
    assert output_gate.passed("a\tb\nc") == "a b⏎c"
    shown = rendered(Segment("a\x1b]0;t\x07b\x9bc\x7f\ud83dd", Style(bold=True)))
    assert shown == "\x1b[1ma␛]0;t␇b\x1b[0m" or "␛]0;t␇b" in shown
    assert not ACTS.search(shown.replace("\x1b[1m", "").replace("\x1b[0m", ""))


@pytest.mark.parametrize(
    ("url", "stays"),
    [
        ("https://example.com/x", True),
        ("javascript:alert(1)", False),
        ("https://a.example/\x1b\\x", False),
        ("https://user@evil.example/", False),
        ("file:///etc/passwd", False),
    ],
)
def test_the_gate_drops_links_that_are_not_clean(url: str, stays: bool) -> None:
    """T1, R197."""
    shown = rendered(Segment("words", Style(link=url)))
    assert ("\x1b]8;" in shown) is stays
    assert "words" in shown


@pytest.mark.parametrize("only_ascii", [False, True])
def test_a_row_without_anything_odd_is_rendered_as_textual_does(
    monkeypatch: pytest.MonkeyPatch, only_ascii: bool
) -> None:
    """T1: what passes is neither changed nor made again, and what doesn't keeps its style and its cells."""
    monkeypatch.setattr(output_gate, "_signs", [only_ascii])
    console = Console(color_system="truecolor", force_terminal=True)
    plain = Strip([Segment("plain", Style(bold=True)), Segment(" text ")])
    assert plain.render(console) == plain_render(plain, console)
    odd = Strip([Segment("a\x1b]52;c;x\x07\tb", Style(bold=True)), Segment(" 日本 ")])
    seen = Strip([Segment("a␛]52;c;x␇ b", Style(bold=True)), Segment(" 日本 ")]).crop(0, odd.cell_length)
    assert unnumbered(odd.render(console)) == unnumbered(seen.render(console))
    linked = Strip([Segment("x", Style(link="file:///etc/passwd")), Segment("y", Style(link="https://example.org/"))])
    assert "passwd" not in linked.render(console) and "example.org" in linked.render(console)


def plain_render(strip: Strip, console: Console) -> str:
    """As Textual renders a strip."""
    system = output_gate.color_system(console)
    assert system is not None
    pieces = [(text, style) for text, style, _ in strip]
    return "".join(text if style is None else Strip.render_style(style, text, system) for text, style in pieces)


def unnumbered(written: str) -> str:
    """Without the chance in the ids of links."""
    return re.sub(r"(\x1b\]8;id=)[^;]*", r"\1", written)
