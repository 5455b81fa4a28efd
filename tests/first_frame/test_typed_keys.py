"""What is typed before the app is there, as bytes: text that is surely understood, and the rest as it came
(designs.md A.3)."""

from __future__ import annotations

import random

import pytest

from jp_tui.first_frame.typed_keys import CUT, KEEP, LONE, Typed, width


def typed(*pieces: bytes, room: int = 70) -> Typed:
    made = Typed()
    made.room = room
    for piece in pieces:
        made.feed(piece)
    return made


@pytest.mark.parametrize(
    ("sent", "text", "cursor", "rest"),
    [
        ("hello", "hello", 5, ""),
        ("é日ж", "é日ж", 3, ""),
        ("abc\x7f\x7fd", "ad", 2, ""),
        ("\x7fa", "a", 1, ""),
        ("abc\x1b[D\x1bODx\x1b[C", "axbc", 3, ""),
        ("\x1b[D\x1b[Ca\x1b[C", "a", 1, ""),
        ("a\x1b[200~b c\x1b[201~d", "ab cd", 5, ""),
        ("hello\rworld", "hello", 5, "\rworld"),
        ("a\x01b", "a", 1, "\x01b"),
        ("a\x03", "a", 1, "\x03"),
        ("a\x1a", "a", 1, "\x1a"),
        ("/model", "", 0, "/model"),
        ("!ls", "", 0, "!ls"),
        ("and/or!", "and/or!", 7, ""),
        ("see @file", "see ", 4, "@file"),
        ("a\x1b[Ab", "a", 1, "\x1b[Ab"),
        ("a\x1bb", "a", 1, "\x1bb"),
        ("a\tb", "a", 1, "\tb"),
        ("a🙂b", "a", 1, "🙂b"),
        ("ae\u0301x", "ae", 2, "\u0301x"),
        ("a\u200bx", "a", 1, "\u200bx"),
        ("a\u202ex", "a", 1, "\u202ex"),
        ("a\xadx", "a", 1, "\xadx"),
        ("a\x9bx", "a", 1, "\x9bx"),
        ("x\x1b[200~a\nb\x1b[201~y", "x", 1, "\x1b[200~a\nb\x1b[201~y"),
        ("x\x1b[200~/tmp/a.png\x1b[201~y", "x", 1, "\x1b[200~/tmp/a.png\x1b[201~y"),
        ("a\x1b[M !!b", "a", 1, "\x1b[M !!b"),
        ("a\x1b[I", "a", 1, "\x1b[I"),
    ],
)
def test_a_key(sent: str, text: str, cursor: int, rest: str) -> None:
    """In one piece and byte by byte."""
    data = sent.encode()
    for pieces in ((data,), tuple(bytes([one]) for one in data)):
        made = typed(*pieces)
        assert (made.text, made.cursor, made.rest.decode()) == (text, cursor, rest)
        assert made.frozen == bool(rest)


@pytest.mark.parametrize("sent", [b"a\xff", b"a\xc0\x80", b"a\xed\xa0\x80", b"a\xf0\x9f\x99\x82", b"a\x80"])
def test_bytes_that_are_no_character_of_ours_stay_as_they_came(sent: bytes) -> None:
    assert (typed(sent).text, typed(sent).rest) == ("a", sent[1:])


def test_what_would_need_a_second_line_is_the_apps() -> None:
    made = typed(b"abcde", room=4)
    assert (made.text, made.rest) == ("abcd", b"e")
    assert typed("日本".encode(), room=3).text == "日"


@pytest.mark.parametrize(
    ("sent", "waits"),
    [
        (b"", 0.0), (b"a", 0.0), (b"a\x1b", LONE), (b"a\x1b[", CUT), (b"a\xc3", CUT), (b"a\x1b[200~abc", CUT),
        (b"\x01", 0.0), (b"\x01\x1b", LONE), (b"\x01\x1b[1;", CUT), (b"\x01\x1b[1;5D", 0.0), (b"\x01\xe6\x97", CUT),
        (b"\x01\xe6\x97\xa5", 0.0), (b"\x01\x1b[200~ab", CUT), (b"\x01\x1b[200~ab\x1b[201~", 0.0),
    ],
)  # fmt: skip
def test_what_is_cut_waits_for_its_other_half(sent: bytes, waits: float) -> None:
    assert typed(sent).cut == waits


def test_nothing_is_read_without_end() -> None:
    made = typed(b"\x01" + b"x" * KEEP)
    assert made.full and not typed(b"x" * 60).full
    assert typed(b"\x1b[200~" + b"x" * KEEP).full, "a paste whose end never comes"


def test_random_bytes_in_random_pieces() -> None:
    """However it is cut: the same text, the same rest, and the rest is the end of what was sent."""
    dice = random.Random(9)
    parts = [b"a", b" ", "é".encode(), "日".encode(), b"\x7f", b"\x1b[D", b"\x1b[C", b"\x1b[200~x\x1b[201~", b"\x1b",
             b"\r", b"\xff", b"/", b"\x1b[", "🙂".encode()]  # fmt: skip
    for _ in range(3_000):
        data = b"".join(dice.choice(parts[:8] if dice.random() < 0.9 else parts) for _ in range(12))
        whole, cut, at = typed(data), typed(), 0
        while at < len(data):
            size = dice.randrange(1, 6)
            cut.feed(data[at : at + size])
            at += size
        assert (whole.text, whole.cursor, whole.rest, whole.frozen) == (cut.text, cut.cursor, cut.rest, cut.frozen)
        assert data.endswith(whole.rest) and 0 <= whole.cursor <= len(whole.text)


def test_the_widths_are_those_of_the_screen() -> None:
    """Each character that is echoed takes as many cells as the app gives it, and is no mark of its own."""
    import unicodedata

    from rich.cells import cell_len

    known = [chr(code) for code in range(0x20, 0x11000) if width(chr(code))]
    assert len(known) > 30_000
    for char in known:
        assert cell_len(char) == width(char), hex(ord(char))
        assert char.isprintable() and not unicodedata.combining(char), hex(ord(char))
