"""vi's keys on a text, pure (S55)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.view.composer.vi import ViKeys


def play(text: str, at: int, keys: str) -> tuple[str, int, bool]:
    """The text, the cursor and whether the mode is insert, after these keys in normal mode."""
    vi = ViKeys()
    vi.leave_insert(text, at)
    for key in keys:
        step = vi.press(key, text, at)
        if step.span is not None:
            start, end = step.span
            assert 0 <= start <= end <= len(text)
            text = text[:start] + step.text + text[end:]
        if step.cursor >= 0:
            at = step.cursor
        assert 0 <= at <= len(text)
    return text, at, vi.inserting


def marked(shown: str) -> tuple[str, int]:
    return shown.replace("|", ""), shown.index("|")


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ("|one two three", "w", "one |two three"),
        ("|one two three", "2w", "one two |three"),
        ("|one.two", "w", "one|.two"),
        ("|one.two x", "W", "one.two |x"),
        ("one two |three", "b", "one |two three"),
        ("|one two", "e", "on|e two"),
        ("one t|wo", "0", "|one two"),
        ("  |  x", "^", "    |x"),
        ("|one", "$", "on|e"),
        ("a\n|b\nc", "G", "a\nb\n|c"),
        ("a\nb\n|c", "gg", "|a\nb\nc"),
        ("a\nb\n|c", "2G", "a\n|b\nc"),
        ("ab|c\nx\nabc", "j", "abc\n|x\nabc"),
        ("|find the x", "fx", "find the |x"),
        ("|find the x", "tx", "find the| x"),
        ("|a,b,c", "f,;", "a,b|,c"),
        ("|(a (b) c)", "%", "(a (b) c|)"),
        ("|one two", "dw", "|two"),
        ("one |two", "dw", "one| "),
        ("|one two three", "2dw", "|three"),
        ("|one two three", "d2w", "|three"),
        ("|one two", "dd", "|"),
        ("a\n|b\nc", "dd", "a\n|c"),
        ("a\nb\n|c", "dd", "a\n|b"),
        ("|a\nb\nc", "2dd", "|c"),
        ("|a\nb\nc", "dj", "|c"),
        ("one| two", "D", "on|e"),
        ("|abc", "x", "|bc"),
        ("ab|c", "x", "a|b"),
        ("ab|c", "X", "a|c"),
        ("|abc", "rx", "|xbc"),
        ("|abc", "2~", "AB|c"),
        ("|a\n  b", "J", "a| b"),
        ("|a b", "ywP", "a| a b"),
        ("|a\nb", "yyp", "a\n|a\nb"),
        ("a\n|b", "ddp", "a\n|b"),
        ("say 'on|e two' x", "di'", "say '|' x"),
        ("f(a, |b)", "di(", "f(|)"),
        ("f(a, |b) x", "da(", "f| x"),
        ("one t|wo three", "daw", "one |three"),
        ("|abc", "l", "a|bc"),
        ("a|bc", "h", "|abc"),
        ("ab\nc|d", "k", "a|b\ncd"),
        ("one two.x |y", "B", "one |two.x y"),
        ("|a.b c", "E", "a.|b c"),
        ("a,b,|c", "Fa", "|a,b,c"),
        ("a,b,|c", "Ta", "a|,b,c"),
        ("|a\nb", "Yjp", "a\nb\n|a"),
        ("|ab", "xp", "b|a"),
        ("|abc", "v", "|abc"),
        ("|abc", "Vd", "|abc"),
        ("|abc", "zq", "|abc"),
    ],
)
def test_s55_a_command(before: str, keys: str, after: str) -> None:
    assert play(*marked(before), keys) == (*marked(after), False)


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ("one t|wo three", "ciw", "one | three"),
        ("one |two three", "cw", "one | three"),
        ("a\n  |b\nc", "cc", "a\n|\nc"),
        ("ab|c", "a", "abc|"),
        ("a|bc", "A", "abc|"),
        ("  a|b", "I", "  |ab"),
        ("|a\nb", "o", "a\n|\nb"),
        ("a\n|b", "O", "a\n|\nb"),
        ("a|bc", "C", "a|"),
        ("|abc", "s", "|bc"),
        ("a\n|b", "S", "a\n|"),
        ('say "o|ne"', 'ci"', 'say "|"'),
        ("|one two", "c2w", "|"),
        ("|", "i", "|"),
    ],
)
def test_s55_a_command_that_ends_in_insert_mode(before: str, keys: str, after: str) -> None:
    assert play(*marked(before), keys) == (*marked(after), True)


@pytest.mark.parametrize(("keys", "act"), [("u", "undo"), ("k", "older"), ("j", "newer")])
def test_s55_what_the_field_does_itself(keys: str, act: str) -> None:
    vi = ViKeys()
    vi.leave_insert("one", 1)
    assert vi.press(keys, "one", 1).act == act and vi.press("ctrl+r", "one", 1).act == "redo"


def test_s55_escape_forgets_what_was_begun() -> None:
    vi = ViKeys()
    vi.leave_insert("one two", 0)
    vi.press("d", "one two", 0)
    assert vi.pending
    vi.press("escape", "one two", 0)
    assert not vi.pending and vi.press("w", "one two", 0).span is None


@given(
    st.text(alphabet="ab .,('\n", max_size=30),
    st.text(alphabet="hjklwbeWBE0^$gGfFtT;,%dcyxXsSDCYpPr~JuiIaAoO123(w'a", max_size=12),
)
def test_s55_no_keys_break_it(text: str, keys: str) -> None:
    play(text, 0, keys)
