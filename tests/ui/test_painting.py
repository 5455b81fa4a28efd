"""Markdown, code, diffs and tables as rows of exact width (issue 3, 7; T1, T2, T4, R196)."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import diff, plain, table
from jp_tui.ui.painting.blocks import MARGIN, message_rows, page, paint
from jp_tui.ui.painting.code import CodeLines
from jp_tui.ui.painting.context import context
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.rows import LINE_CELLS, ClickTarget, Piece, Row, wrap
from jp_tui.view.transcript.blocks import Ending, TextBlock, ToolBlock, User
from jp_tui.view.transcript.heights import PROSE
from tests.hostile.recorded import cases
from tests.ui.look_of import look_of, texts

LOOK = look_of()


def md(text: str, width: int = 60) -> list[Row]:
    return message_rows(TextBlock(key="e1", place=(1, 0), text=Foreign(text)), width, LOOK)


def shown(text: str, width: int = 60) -> list[str]:
    return [line.removeprefix("   ") for line in texts(md(text, width))]


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("# One\ntext", ["One", "", "text"]),
        ("a *b* **c** `d` ~~e~~", ["a b c d e"]),
        ("one\ntwo", ["one two"]),
        ("one  \ntwo\\\nthree", ["one", "two", "three"]),
        ("- a\n- b\n  - c", [" • a", " • b", "    ◦ c"]),
        ("1. a\n2. b", [" 1. a", " 2. b"]),
        ("9. a\n10. b", [" 9. a", "10. b"]),
        ("- a\n\n- b", [" • a", "", " • b"]),
        ("- [ ] a\n- [x] b", [" ☐ a", " ☑ b"]),
        ("> a\n> b", ["▎ a b"]),
        ("```py\nx = 1\n\ny\n```", [" x = 1", "", " y"]),
        ("    code", [" code"]),
        ("a\n\n---", ["a", "", "─" * 55]),
        ("<b>x</b> <script>1</script>", ["<b>x</b> <script>1</script>"]),
        ("<div>\nx\n</div>", ["<div> x </div>"]),
        ("&lt;x&gt; &amp; \\*", ["<x> & *"]),
        ("[t](https://a.example/x)", ["t"]),
        ("[t][1]\n\n[1]: https://a.example/", ["t"]),
        ("![alt](https://a.example/i.png)", ["▧ alt a.example"]),
        ("", []),
    ],
)
def test_markdown_by_example(source: str, rows: list[str]) -> None:
    assert shown(source) == rows


@pytest.mark.parametrize(
    "text",
    ["[/]", "[red]x[/]", "[@click=app.quit]x[/]", "[bold", "[/foo]", "[link='javascript:alert(1)']x[/link]", ":skull:"],
)
def test_markup_is_shown_as_it_is(text: str) -> None:
    """T2, R196, MARK-*: nothing is interpreted, nothing can be clicked."""
    rows = md(text)
    assert [row.text for row in rows] == [text]
    assert not any(row.hits for row in rows)
    assert not any(
        segment.style and (segment.style.meta or segment.style.link) for row in rows for segment in row.strip
    )


@pytest.mark.parametrize(
    ("text", "said_so", "urls"),
    [
        ("[x](https://a.example/p)", "x", ["https://a.example/p"]),
        ("see https://a.example/p, ok", "see https://a.example/p, ok", ["https://a.example/p"]),
        ("(https://a.example/p_(x))", "(https://a.example/p_(x))", ["https://a.example/p_(x)"]),
        ("<https://a.example/>", "https://a.example/", ["https://a.example/"]),
        ("<https://github.com@evil.example/>", "<https://github.com@evil.example/>", []),
        ("[good.example](https://evil.example/)", "good.example (evil.example)", ["https://evil.example/"]),
        (
            "[https://good.example/a](https://evil.example/)",
            "https://good.example/a (evil.example)",
            ["https://evil.example/"],
        ),
        (
            "[`bank.example`](https://bank.example.evil.example/)",
            "bank.example (bank.example.evil.example)",
            ["https://bank.example.evil.example/"],
        ),
        (
            "[evil.example or bank.example](https://evil.example/)",
            "evil.example or bank.example (evil.example)",
            ["https://evil.example/"],
        ),
        ("[bank。example](https://evil.example/)", "bank。example (evil.example)", ["https://evil.example/"]),
        ("[www.same.example:443](https://same.example/)", "www.same.example:443", ["https://same.example/"]),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))", []),
        ("[x](ftp://a.example/)", "x (ftp://a.example/)", []),
        ("[x](https://a.example/&#x202E;b)", "x", ["https://a.example/%E2%80%AEb"]),
    ],
)
def test_links_act_only_when_their_address_is_clean(text: str, said_so: str, urls: list[str]) -> None:
    """T1, TERM-007: http(s) only, and a name that is not the target's is told from it."""
    (row,) = md(text, 90)
    assert row.text == said_so
    found = list(dict.fromkeys(hit.value for _, _, hit in row.hits))
    assert found == urls
    assert all(segment.style is None or segment.style.link in (None, *urls) for segment in row.strip)


def test_character_references_cannot_smuggle_controls() -> None:
    """R195: `&#x202E;` becomes a character only in the parser, so it is neutralised after it."""
    assert shown("a&#x202E;b &#27;[31m &rlm; &#8232;") == ["a\\u{202E}b �[31m \\u{200F}"]


def test_character_references_hide_nothing() -> None:
    """Z22: an invisible character that only the parser makes is visible too."""
    assert shown("pay&#x200B;pal&#xE0041;") == ["pay\\u{200B}pal\\u{E0041}"]


def test_a_joiner_belongs_to_the_letter_in_front_of_it_in_bold_or_not() -> None:
    """Z22: Persian, with the beginning of a word in bold."""
    assert shown("**خانه**\u200cای") == ["خانه\u200cای"]
    assert shown("**ab**\u200ccd") == ["ab\\u{200C}cd"]


def test_hostile_texts_paint_without_harm() -> None:
    """TERM-*, UNI-*, MARK-*: every case as a message and as the user's words, at several widths."""
    for group in ("terminal", "unicode", "markup"):
        for case in cases(group).values():
            text = case["payload"].get("utf8") or case["payload"].get("text")
            if not isinstance(text, str):
                continue
            for width in (20, 80):
                for block in (
                    TextBlock(key="e1", place=(1, 0), text=Foreign(text)),
                    User(key="e1", place=(1, 0), text=Foreign(text)),
                ):
                    for row in paint(block, width, LOOK):
                        assert row.strip.cell_length == width == sum(segment.cell_length for segment in row.strip)
                        assert row.strip.text.isprintable() or all(
                            c.isprintable() or not c.isascii() for c in row.strip.text
                        )
                        assert neutralise(row.strip.text) == row.strip.text, case["id"]


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# h\n",
            "para ",
            "你好世界 ",
            "👨\u200d👩\u200d👧 ",
            "**b** ",
            "`c` ",
            "\n",
            "\n\n",
            "- item\n",
            "  - sub\n",
            "1. one\n",
            "> q\n",
            "```\n",
            "```py\n",
            "x = 1\n",
            "| a | b |\n",
            "|---|--:|\n",
            "\t",
            "é́ ",
            "a" * 70 + " ",
            "---\n",
            "[l](https://e.example) ",
        ]
    ),
    max_size=25,
).map("".join)


@given(MARKDOWN, st.integers(12, 100))
@example("- item\nx = 1\n", 12)
@example("> - " * 30 + "x = 1\n", 12)
@example("> - " * 30 + "x = 1\n", 100)
def test_every_row_has_exactly_the_width(text: str, width: int) -> None:
    for row in md(text, width):
        assert row.strip.cell_length == width == sum(segment.cell_length for segment in row.strip)
        assert row.strip.text[row.lead :].startswith(row.text)


@given(st.text(alphabet="ab 你好é\u0301👍🏽-", max_size=120), st.integers(2, 40))
def test_wrapping_loses_nothing_and_fits(text: str, width: int) -> None:
    lines = wrap([Piece(text, LOOK.text)], width)
    rebuilt = "".join((line.join or "") + "".join(piece.text for piece in line.pieces) for line in lines)
    assert rebuilt.rstrip(" ") == text.rstrip(" ") or rebuilt.strip() == text.strip()
    assert all(cell_len("".join(piece.text for piece in line.pieces)) <= max(width, 2) for line in lines)


def test_code_is_the_same_line_by_line_and_a_peek_changes_nothing() -> None:
    """Designs B: a streamed fence and a whole one are equal, also where a string spans lines."""
    lines = ["def f():", '    """Doc', '    more"""', "    return 1  # one"]
    frame = Frame(LOOK, 60, LOOK.text)
    whole = CodeLines("python", frame)
    rows = [row for line in lines for row in whole.line(line)]
    streamed = CodeLines("python", Frame(LOOK, 60, LOOK.text))
    found = []
    for line in lines:
        for end in range(0, len(line), 3):
            streamed.peek(line[:end])
        found += streamed.line(line)
    assert all(one.same(other) for one, other in zip(rows, found, strict=True))
    colours = {segment.text: segment.style.color for segment in rows[2].strip if segment.style}
    assert colours['    more"""'] == LOOK.syntax["string"].color


def test_code_keeps_its_tabs_for_copying_and_breaks_anywhere() -> None:
    rows = shown("```\n\tx\n```")
    assert rows == ["     x"]
    (row,) = md("```\n\tx\n```")
    assert row.full == "\tx" and row.text == "    x"
    first, second = md("```\n" + "y" * 70 + "\n```", 60)
    assert second.join == "" and first.text + second.text == "y" * 70


@pytest.mark.parametrize(
    "language", ["python", "json", "yaml", "html", "rust", "bash", "markdown", "no-such", "../../etc"]
)
def test_any_language_paints_its_text_unchanged(language: str) -> None:
    source = 'key: "v" # c\n<a href=x>&amp;</a>\nif (x) { y }\n'
    frame = Frame(LOOK, 70, LOOK.text)
    painter = CodeLines(language, frame)
    assert [row.text for line in source.split("\n") for row in painter.line(line)] == source.split("\n")


def test_a_diff_has_numbers_signs_and_colours() -> None:
    found = diff.unified(
        "--- a/x\n+++ b/x\n@@ -9,3 +9,3 @@ f\n a\n-old line\n+new line\n b\n", Frame(LOOK, 40, LOOK.text)
    )
    assert texts(found.rows) == [
        " --- a/x",
        " +++ b/x",
        " @@ -9,3 +9,3 @@ f",
        "  9  a",
        "-10  old line",
        "+10  new line",
        " 11  b",
    ]
    assert (found.hunks, found.added, found.removed) == ([2], 1, 1)
    styles = [next(iter(row.strip)).style for row in found.rows]
    assert styles[4].bgcolor == LOOK.remove.bgcolor and styles[5].bgcolor == LOOK.add.bgcolor  # type: ignore[union-attr]
    assert found.rows[5].text == "new line"  # copied without number and sign


def test_content_of_a_diff_cannot_pass_for_a_header() -> None:
    """Inside a hunk a line is what its first character says."""
    changes = diff.read("@@ -1,2 +1,2 @@\n--- a/etc/passwd\n+++ b/etc/passwd\n x\n")
    assert [change.sign for change in changes] == ["@", "-", "+", " "]
    assert changes[1].text == "-- a/etc/passwd"


def test_the_fence_round_a_tools_diff_is_not_content() -> None:
    """Only outside hunks: a file's own fences have a sign before them."""
    changes = diff.read("why\n```diff\n@@ -1,1 +1,2 @@\n ```diff\n+```\n```\n")
    assert [(change.sign, change.text) for change in changes] == [
        (" ", "why"),
        ("@", "@@ -1,1 +1,2 @@"),
        (" ", "```diff"),
        ("+", "```"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [("celsius=100, x", "celsius=80, x", ((8, 11), (8, 10))), ("same", "same", None), ("abc", "xyz", None)],
)
def test_the_words_that_changed_are_whole(before: str, after: str, expected: object) -> None:
    assert diff.changed_words(before, after) == expected


WHITE = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-\treturn 1\r\n+    return 1\n-x = 2\n+x = 3\n end\n"


@pytest.mark.parametrize("approval", [True, False])
def test_white_space_alone_is_marked_by_signs_and_said(approval: bool) -> None:
    """Z26: where something is approved and where it is read; no sign stands by its colour alone."""
    rows = texts(diff.unified(WHITE, Frame(look_of(), 70, look_of().block), approval=approval).rows)
    assert rows[0] == "2 of 4 changed lines: only white space (· space, → tab, ␍ CR)"
    assert "-1  →return 1␍" in rows and "+1  ····return 1" in rows and "-2  x = 2" in rows


def test_two_columns_mark_white_space_too() -> None:
    """Z26"""
    rows = texts(context(Foreign(WHITE), 100, look_of(), split=True).rows)
    assert rows[1].startswith("2 of 4 changed lines: only white space"), "below the badge"
    assert any("→return 1␍" in row and "····return 1" in row for row in rows)


def test_what_the_log_has_of_a_diff_marks_a_line_end_that_neutralising_drops() -> None:
    """Z26"""
    rows = texts(diff.recorded("@@ -1 +1 @@\n-a\r\n+a\n", Frame(look_of(), 60, look_of().block)))
    assert rows[0] == "only white space changed (· space, → tab, ␍ CR)" and "-1  a␍" in rows


def test_a_failed_turn_shows_the_beginning_of_the_servers_words_and_unfolds_all() -> None:
    """Z26: with how much is folded."""
    block = Ending(key="e1", place=(1, 0), how="failed", message=Foreign("No."), detail=Foreign("line\n" * 30 + "last"))
    folded, whole = (texts(paint(block, 60, look_of(), unfolded=keys)) for keys in (frozenset(), frozenset(("e1",))))
    assert folded[-1].strip() == "… 25 more lines" and len(folded) == 8
    assert whole[-1].strip() == "last" and len(whole) == 32


def test_of_long_arguments_so_much_is_shown_and_the_rest_counted() -> None:
    """Z26"""
    given = ((Foreign("text"), Foreign("x" * 20_000)),)
    tool = ToolBlock(key="e1", place=(1, 0), call="c", name=Foreign("t"), state="completed", end="ok", arguments=given)
    rows = " ".join(row.strip() for row in texts(paint(tool, 100, look_of(), unfolded=frozenset(("e1",)))))
    assert "⟨3,616 more characters not shown; an export (/conversations, e) has all⟩" in rows


def test_tables_fit_or_become_records() -> None:
    source = "| Name | Size |\n|:--|--:|\n| a long name of many words | 12 |\n| b | 3 |"
    assert shown(source, 60) == [
        "Name                      │ Size",
        "──────────────────────────┼─────",
        "a long name of many words │   12",
        "b                         │    3",
    ]
    assert shown(source, 30) == [
        "Name              │ Size",
        "──────────────────┼─────",
        "a long name of    │   12",
        "many words        │",
        "b                 │    3",
    ]
    narrow = shown("|" + "|".join(f" col{n} " for n in range(8)) + "|\n" + "|--" * 8 + "|\n" + "| value " * 8 + "|", 30)
    assert narrow[0] == "col0: value" and len(narrow) == 8


@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(5, 100))
def test_columns_never_exceed_the_room(natural: list[int], room: int) -> None:
    widths = table.fitted(natural, room)
    if widths is not None:
        assert sum(widths) <= max(room, sum(natural) if sum(natural) <= room else room)
        assert all(width <= own for width, own in zip(widths, natural, strict=True))


def test_caps_say_what_is_not_shown() -> None:
    """T4: 256 KiB of a message, 2,000 cells of a line, each with a visible note."""
    rows = md("word " * 80_000, 100)
    assert sum(len(row.text) for row in rows) < plain.SHOWN + 200
    assert "more characters not shown" in rows[-1].text
    line = "".join(texts(paint(User(key="e1", place=(1, 0), text=Foreign("x" * 9000)), 3000, LOOK)))
    assert f"{9000 - LINE_CELLS:,} more characters" in line and len(line) < LINE_CELLS + 100


def test_terminal_colours_become_the_themes_and_stay_readable() -> None:
    """R195, TERM-046: colours are kept; one that cannot be told from its ground is not taken."""
    block = User(key="e1", place=(1, 0), text=Foreign("\x1b[31mred\x1b[0m \x1b[38;2;16;18;27mhidden\x1b[0m"))
    (row,) = paint(block, 60, LOOK)
    colours = {segment.text: segment.style.color for segment in row.strip if segment.style}
    assert colours["red"] == LOOK.bad.color
    assert not any("hidden" in text and colour != LOOK.user.color for text, colour in colours.items())


@pytest.mark.parametrize(
    "name", ["jp-night", "jp-day", "jp-contrast", "jp-sixteen", "textual-dark", "textual-light", "ansi-dark"]
)
def test_every_theme_gives_a_look(name: str) -> None:
    """A theme of the terminal's sixteen colours has no backgrounds of its own, others never use those colours."""
    found = look_of(name)
    flat = name in ("jp-sixteen", "ansi-dark")
    for field in ("text", "muted", "code", "block", "add", "remove", "user", "hunk", "mark"):
        style = getattr(found, field)
        assert style.color is not None and style.bgcolor is not None
        assert style.color.is_default == (style.color.name == "default")
        assert flat or (style.color.triplet is not None and style.bgcolor.triplet is not None), field


def test_a_menu_can_be_clicked_by_name_or_number() -> None:
    """Issue 3, 2: an item of the greeting says its name, else its number; other lists say nothing."""
    text = Foreign("1. `change` – edit\n2. plain words")
    rows = message_rows(TextBlock(key="e1", place=(1, 0), text=text, greeting=True), 60, LOOK)
    assert [rows[number].at(rows[number].lead + 6) for number in (0, 1)] == [
        ClickTarget("word", "change"),
        ClickTarget("word", "2"),
    ]
    assert not any(row.hits for row in message_rows(TextBlock(key="e1", place=(1, 0), text=text), 60, LOOK))


def test_frames_copy_markers_but_not_bars() -> None:
    rows = md("- one two three four five six\n- b\n\n> quoted", 24)
    assert [row.text for row in rows if row.text] == [" • one two three", "four five six", " • b", "quoted"]
    assert page(20, LOOK).room == 15


def test_s52_prose_has_a_readable_width_and_code_output_and_tables_have_all_of_it() -> None:
    prose = md("word " * 200, 200)
    assert max(len(row.text) for row in prose) <= PROSE and len(prose) > 8
    nested = md("- " + "word " * 100, 200)
    assert max(row.lead + len(row.text) for row in nested) <= PROSE + MARGIN
    code = md("```\n" + "x" * 180 + "\n```", 200)
    assert [len(row.text) for row in code] == [180]
    table = md("|a|b|\n|-|-|\n|" + "word " * 30 + "|" + "word " * 30 + "|", 200)
    assert max(len(row.text) for row in table) > 150
    narrow = md("word " * 200, 60)
    assert max(len(row.text) for row in narrow) > 50, "a narrow screen is used as before"


def test_s52_code_and_diffs_show_where_a_line_is_cut_and_it_is_not_copied() -> None:
    for text in ("```\n" + "x" * 130 + "\n```", "```diff\n+" + "y" * 130 + "\n```"):
        rows = [row for row in md(text, 60) if row.text.strip()]
        marks = ["↩" in "".join(segment.text for segment in row.strip) for row in rows]
        assert marks == [True] * (len(rows) - 1) + [False] and len(rows) == 3
        assert not any("↩" in row.text for row in rows)
        assert all(row.strip.cell_length == 60 for row in rows)
