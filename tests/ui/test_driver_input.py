"""Bytes that no key sends: nothing of them is typed, nothing breaks, and the keys after them are heard (RUN-022)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

from jp_tui.ui.driver.input_filter import ONE_KEY, STALLED, InputFilter


def read(*chunks: str | float) -> list[Message]:
    """What the app is told when a terminal sends these; a number is a silence of so many seconds."""
    typed, parser, now, found = InputFilter(), XTermParser(), 0.0, list[Message]()
    for chunk in chunks:
        if isinstance(chunk, str):
            text = typed.feed(chunk, now)
        else:
            now += chunk
            assert typed.due is None or typed.due <= now or chunk < STALLED
            text = typed.overdue(now)
        if text:
            found += parser.feed(text)
    return found


def told(*chunks: str | float) -> list[str]:
    """The same in words: names of keys, what is pasted, and what else there is."""
    words = []
    for event in read(*chunks):
        match event:
            case events.Key(key=key):
                words.append(key)
            case events.Paste(text=text):
                words.append(f"paste {text!r}")
            case events.Resize(size=size):
                words.append(f"size {size.width}x{size.height}")
            case _:
                words.append(type(event).__name__)
    return words


@pytest.mark.parametrize(
    "junk",
    [
        "\x1b[<NaN;NaN;NaNM", "\x1b[<0;NaN;1m", "\x1b[<999999999999;1;1M", "\x1b[<0;99999999;1M", "\x1b[<;;M",
        "\x1b[<0;1;1;1;1M", "\x1b[<-1;-1;-1M", "\x1b[99999999999u", "\x1b[55296u", "\x1b[1114112u", "\x1b[97;1:9u",
        "\x1b[97;5;99999999999u", "\x1b[97;99999999999u", "\x1b[97;1:3u", "\x1b[48;0;0;0;0t", "\x1b[<M",
        "\x1b[48;99999;99999;1;1t", "\x1b[48;30;100;999999999;1t", "\x1b[?62;4;22c", "\x1b[>1;4000;29c", "\x1b[0n",
        "\x1b[32;10;10M", "\x1b[4;600;800t", "\x1b[<" + "0;" * 99 + "M",
        "\x1b]11;rgb:1e1e/1e1e/1e1e\x07", "\x1b]10;?\x1b\\", "\x1bP1$r0m\x1b\\", "\x1bP>|XTerm(379)\x1b\\",
        "\x1b_Gi=31;OK\x1b\\", "\x1b^secret\x1b\\", "\x1b[" + "1;" * 40 + "Z", "\x1b[" + "9" * 5000 + "~",
    ],
    ids=repr,
)  # fmt: skip
def test_nothing_of_it_is_typed_and_the_next_key_is_heard(junk: str) -> None:
    assert told(junk + "x") == ["x"]
    assert told(junk, "x") == ["x"]
    for cut in range(2, len(junk), max(1, len(junk) // 7)) if junk.startswith("\x1b[") else ():
        assert told(junk[:cut], junk[cut:], "x") == ["x"], f"cut at {cut}"


@pytest.mark.parametrize("begun", ["\x1b[<", "\x1b[<0;1", "\x1b[<NaN;N", "\x1b[1;", "\x1b[48;30;1"])
def test_a_sequence_that_broke_off_is_forgotten(begun: str) -> None:
    assert told("a" + begun, ONE_KEY, "b") == ["a", "b"]


@pytest.mark.parametrize(
    ("sent", "heard"),
    [
        ("a\x1b[A\x1bOP\x1b[3~\x1b[1;5C\x1b[Z", ["a", "up", "f1", "delete", "ctrl+right", "shift+tab"]),
        ("\x1b[97u\x1b[97;5u\x1b[13;3u\x1b[27u", ["a", "ctrl+a", "alt+enter", "escape"]),
        ("\x1b[97:65;2u", ["shift+a"]), ("\x1b[97;5:1u\x1b[97;5:2u\x1b[97;5:3u", ["ctrl+a", "ctrl+a"]),
        ("\x1b[57358;1u", ["caps_lock"]), ("\x1b[228;1;228u", ["ä"]), ("\x1b[I\x1b[O", ["AppFocus", "AppBlur"]),
        ("\x1b[<0;5;6M\x1b[<0;5;6m\x1b[<65;5;6M", ["MouseDown", "MouseUp", "MouseScrollDown"]),
        ("\x1b[48;30;100;600;1000t", ["size 100x30"]), ("äß雪", ["ä", "ß", "雪"]),
        ("\x1b[200~two\nlines\x1b[201~x", ["paste 'two\\nlines'", "x"]),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_what_keys_send_is_heard_however_it_comes(sent: str, heard: list[str]) -> None:
    assert told(sent) == heard
    for cut in range(1, len(sent)):
        if sent[cut - 1] != "\x1b":  # an ESC at the end of what came is a key of its own, or the parser's to wait for
            assert told(sent[:cut], sent[cut:]) == heard, cut


def test_a_paste_without_an_end_does_not_take_the_keyboard_away() -> None:
    assert told("\x1b[200~", STALLED, "h", "i") == ["paste ''", "h", "i"]
    assert told("\x1b[200~half", STALLED, "hi", "\r") == ["paste 'half'", "h", "i", "enter"]
    assert told("\x1b[200~half\x1b[2", STALLED, "\x1b[A") == ["paste 'half[2'", "up"]


def test_what_is_pasted_types_nothing() -> None:
    """Behind an ESC the parser gave it out as keys, Enter included: a pasted text could answer a question (T5)."""
    inside = "a\x1by\r" + "z" * 40 + "\x1b[31mred\x1b\x1b[A"
    assert told(f"\x1b[200~{inside}\x1b[201~") == ["paste " + repr(inside.replace("\x1b", ""))]


def test_a_paste_that_stalls_stays_a_paste() -> None:
    """What comes later in one go is more of it, so that no Enter in it is a key."""
    rest = " of a long text\nrm -rf it\n"
    whole = ["paste 'the first half'", f"paste {rest!r}"]
    assert told("\x1b[200~the first half", STALLED, rest + "\x1b[201~") == whole
    assert told("\x1b[200~the first half", STALLED, rest, "\x1b[201~") == whole
    assert told("\x1b[200~the first half", STALLED, "\r", "\x1b[201~x") == [
        "paste 'the first half'",
        "paste '\\r'",
        "x",
    ]
    assert told("\x1b[200~the first half", STALLED, "\x1b[201~x") == ["paste 'the first half'", "paste ''", "x"]


@given(st.lists(st.one_of(st.text(alphabet="\x1b[<>?0123456789;:MmuAtRc~$y]P_\\\x07Nab\r", max_size=30), st.just(1.5))))
def test_no_input_breaks_it(chunks: list[str | float]) -> None:
    for event in read(*chunks):
        if isinstance(event, events.Resize):
            assert 0 < event.size.width <= 2000 and 0 < event.size.height <= 2000
