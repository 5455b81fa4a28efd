"""Foreign text is harmless when shown and unchanged when stored (inquiries.md R195-R197, traps.md T1, T3)."""

from __future__ import annotations

import base64
import json
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.neutral import Sanitizer, clean_url, first_line, neutralise, spans, warnings
from jp_tui.conversation.sgr import PLAIN, Sgr
from jp_tui.conversation.text import Foreign
from tests.hostile.recorded import cases

ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
MODES = ("conversation", "visualize", "approval", "line")


def hostile(*groups: str) -> list[dict[str, Any]]:
    return [case for group in groups for case in cases(group).values()]


def payload(case: dict[str, Any]) -> str | None:
    """The text of a case that is about text."""
    given = case["payload"]
    if given["kind"] == "text":
        return str(given["utf8"])
    if given["kind"] == "bytes":
        return base64.b64decode(given["b64"]).decode("utf-8", "replace")
    if given["kind"] == "json_source":
        return str(next(iter(json.loads(given["raw"]).values())))
    return None


def test_every_hostile_text_is_harmless_in_every_mode() -> None:
    """TERM-*, UNI-*, MARK-*: nothing of a sequence reaches the screen, and the text beside it stays readable."""
    seen = 0
    for case in hostile("terminal", "unicode", "markup"):
        text = payload(case)
        if text is None:
            continue
        seen += 1
        for mode in MODES:
            shown = neutralise(text, mode)
            assert not ACTS.search(shown), (case["id"], mode, shown)
            assert not BIDI.search(shown), (case["id"], mode, shown)
            shown.encode("utf-8")
            assert "".join(piece for piece, _ in spans(text, mode)) == shown or mode in ("visualize",), case["id"]
    assert seen > 60


def test_what_is_approved_shows_every_listed_code_point() -> None:
    """UNI-*: each is visible as an escape or counted, a warning names the class, and nothing is dropped."""
    for case in hostile("unicode"):
        text = payload(case)
        if text is None or case["control"] or "approval.command" not in case["surface"]:
            continue
        shown = neutralise(text, "approval")
        assert any(look.mark for _, look in spans(text, "approval")), case["id"]
        assert warnings(text), case["id"]
        for char in set(text):
            if char in "\n\t" or char.isprintable():
                continue
            assert f"\\u{{{ord(char):04X}}}" in shown or "⟨" in shown, (case["id"], hex(ord(char)))


def test_ordinary_writing_loses_nothing() -> None:
    """UNI-043, UNI-044: joiners stay in conversation text, marks stay, letters stay."""
    for case in hostile("unicode"):
        text = payload(case)
        if case["control"] and text is not None:
            assert neutralise(text) == text, case["id"]
    for text in ("naïve café", "👨‍👩‍👧 ❤️ 🇩🇪", "日本語、テスト", "שלום עולם", "tabs\tand\nlines"):
        assert neutralise(text) == text


def test_addresses_that_may_not_be_opened() -> None:
    """MARK-042…050, MARK-033, R197: http(s) with a visible ASCII host or nothing."""
    for case in hostile("markup"):
        if case["payload"]["kind"] != "open_url":
            continue
        found = clean_url(case["payload"]["url"])
        if case["expect"]["outcome"] == "denied":
            assert found is None, case["id"]
        else:
            assert found is None or found.isascii(), case["id"]


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("https://evil.example/\u202emoc.buhtig", "https://evil.example/%E2%80%AEmoc.buhtig"),
        ("https://github.com@evil.example/", None),
        ("https://user:pass@evil.example/", None),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("https://", None),
        ("https:///path", None),
        ("https://a b.example/", None),
        ("https://evil.example\\@good.example/", None),
        ("https://evil.example/\x1b]8;;x", None),
        ("https://evil.example/\x9c", None),
        ("-oProxyCommand=x", None),
        ("https://x.example/" + "a" * 3000, None),
        ("https://x.example:99999999/", None),
    ],
)
def test_clean_url(url: str, clean: str | None) -> None:
    assert clean_url(url) == clean


@pytest.mark.parametrize(
    ("text", "shown", "visualized"),
    [
        ("a\x1b]52;c;Y3Vy\x07b", "ab", "a␛b"),
        ("a\x1b]8;;http://e/x\x1b\\https://g\x1b]8;;\x1b\\b", "ahttps://gb", "a␛https://g␛b"),
        ("a\x1bP+q544e\x1b\\b", "ab", "a␛b"),
        ("a\x1b_Gf=32;AAAA\x1b\\b\x1b^pm\x1b\\c", "abc", "a␛b␛c"),
        ("a\x1b[2J\x1b[1;1Hb", "ab", "a␛␛b"),
        ("A\x1b[1000000000b", "A", "A␛"),
        ("a\x9b2Jb\x9d0;t\x9cc", "abc", "a␛b␛c"),
        ("a\x1b(Bb\x1b7c\x1bYd", "abcd", "a␛b␛c␛d"),
        ("a\rb\r\nc", "ab\nc", "a␛b\nc"),
        ("a\x00\x07\x08\x7f\x85b", "ab", "a␛␛␛␛␛b"),
        ("text\x1b", "text", "text␛"),
        ("text\x1b[12;", "text", "text␛"),
        ("\x1b]0;x\x18y\x1b[2\x1aJ", "yJ", "␛y␛␛J"),
        ("\x1b]52;c;never ends", "52;c;never ends", "␛52;c;never ends"),
        ("a\x1b[31mred\x1b[0mb", "aredb", "aredb"),
        ("a\x1b[>4;2mb", "ab", "a␛b"),
        ("rm\u202e -rf", "rm\\u{202E} -rf", "rm\\u{202E} -rf"),
        ("line\u2028separator", "line\nseparator", "line\nseparator"),
        ("half \ud83d", "half \ufffd", "half \ufffd"),
    ],
)
def test_sequences_go_and_text_stays(text: str, shown: str, visualized: str) -> None:
    """R195: CSI, OSC, DCS, APC, PM, SOS, other escapes, C0, DEL and C1; `visualize` shows `␛` for each."""
    assert neutralise(text) == shown
    assert neutralise(Foreign(text), "visualize") == visualized


def test_sgr_is_kept_as_style_except_conceal_and_hiding() -> None:
    """R195; TERM-046: a foreground equal to its background hides text, so it is not taken."""
    red, plain = Sgr(fg=1), PLAIN
    assert spans("a\x1b[31mb\x1b[0mc") == [("a", plain), ("b", red), ("c", plain)]
    assert spans("\x1b[1;3;4;9;7mx") == [("x", Sgr(bold=True, italic=True, underline=True, strike=True, reverse=True))]
    assert spans("\x1b[38;5;208;48;2;1;2;3mx") == [("x", Sgr(fg=208, bg=(1, 2, 3)))]
    assert spans("\x1b[38:2::9:8:7mx") == [("x", Sgr(fg=(9, 8, 7)))]
    assert spans("\x1b[94;101mx") == [("x", Sgr(fg=12, bg=9))]
    assert spans("\x1b[8mx\x1b[5my") == [("xy", plain)]
    assert spans("\x1b[30;40mrm -rf ~") == [("rm -rf ~", plain)]
    assert spans("\x1b[38;5;999mx\x1b[48;2;1mz") == [("xz", plain)]


@pytest.mark.parametrize(
    ("text", "shown", "why"),
    [
        ("ok\x1b]52;c;Q\x07", "ok␛]52;c;Q␇", "control sequences"),
        ("a\r\n", "a␍\n", "control sequences"),
        ("l\u200cs\u2060", "l\\u{200C}s\\u{2060}", "invisible characters"),
        ("su\u00addo", "su\\u{00AD}do", "invisible characters"),
        ("l\ufe00s", "l\\u{FE00}s", "invisible characters"),
        ("x\U000e0041", "x\\u{E0041}", "invisible characters"),
        ("ls\u3164x\uffa0\u2800", "ls\\u{3164}x\\u{FFA0}\\u{2800}", "invisible characters"),
        ("rm\u00a0-rf\u3000~", "rm\\u{00A0}-rf\\u{3000}~", "unusual spaces"),
        ("\uf00c Approved", "\\u{F00C} Approved", "private characters"),
        ("a\ufffe", "a\\u{FFFE}", "broken characters"),
        ("p\u0430ypal", "p\\u{0430}ypal", "mixed scripts"),
        ("https://g\u0456t.example/x", "https://g\\u{0456}t.example/x", "mixed scripts"),
        ("ls" + " " * 40 + "curl", "ls⟨40 blanks⟩curl", "padding"),
        ("ls\n" + "\n" * 60 + "curl", "ls\n⟨60 blank lines⟩\ncurl", "padding"),
        ("a" + "\u0301" * 2000, "a⟨2,000 marks⟩", "stacked marks"),
        ("x" + "\u202e" * 30, "x\\u{202E}⟨×30⟩", "bidirectional controls"),
    ],
)
def test_nothing_hides_in_what_is_approved(text: str, shown: str, why: str) -> None:
    """T3: shown as escapes, folded and counted; what we put there is told from content."""
    assert neutralise(text, "approval") == shown
    assert why in warnings(text)
    assert any(look.mark for _, look in spans(text, "approval"))


@pytest.mark.parametrize(
    "text", ["def f():\n            return 1\n", "привет мир", "été", "Tシャツ", "a  b", "x\n\n\ny"]
)
def test_what_is_harmless_is_approved_as_it_stands(text: str) -> None:
    assert neutralise(text, "approval") == text
    assert warnings(text) == ()


PIECES = st.sampled_from(
    [
        "\x1b",
        "[",
        "]",
        "31m",
        "0;t",
        "\x07",
        "\\",
        "\x9b",
        "\x9d",
        "\x9c",
        "P",
        "\r",
        "\n",
        "a",
        "é",
        "\u0301",
        "\u202e",
        "\x18",
    ]
)


@given(st.lists(PIECES, max_size=40), st.randoms(use_true_random=False))
def test_pieces_of_a_stream_join_to_the_whole(parts: list[str], random: Any) -> None:
    """R195: the sanitiser's state survives chunk boundaries, for any text cut anywhere."""
    text = "".join(parts)
    for mode in ("conversation", "visualize"):
        sanitizer, found, at = Sanitizer(mode), [], 0
        while at < len(text):
            size = random.randint(1, 5)
            found.append(sanitizer.feed(text[at : at + size]))
            at += size
        found.append(sanitizer.finish())
        assert "".join(found) == neutralise(text, mode)


@given(st.text(alphabet=st.characters(), max_size=200))
def test_no_text_whatever_gets_through(text: str) -> None:
    """T1: of any text, nothing that acts is left; and neutralising twice changes nothing more."""
    for mode in MODES:
        assert not ACTS.search(neutralise(text, mode))
        assert not BIDI.search(neutralise(text, mode))
    assert neutralise(neutralise(text)) == neutralise(text)


def test_two_kinds_of_content_never_join_to_one_sequence() -> None:
    """TERM-075: ESC at the end of the reasoning, its rest at the start of the text."""
    reasoning, text = Sanitizer(), Sanitizer()
    assert reasoning.feed("\x1b") + reasoning.finish() == ""
    assert text.feed("]52;c;QUFB\x07") + text.finish() == "]52;c;QUFB"


def test_the_first_line_stands_for_the_whole() -> None:
    """R2: the first line that is not blank, one line, no tab."""
    assert first_line(" \n\x1b[2J\n  a\tb  \nc") == "a b"
    assert first_line(Foreign("")) == ""


def test_long_hostile_text_takes_linear_time() -> None:
    """TERM-072 and friends at 300,000 characters: a count of steps is not at hand, so all of them must just end."""
    for text in ("\x1b]" * 150_000, "\x9d" * 300_000, "\x1b[" * 150_000, " \n" * 150_000, "\u0301" * 300_000):
        for mode in MODES:
            neutralise(text, mode)


def test_a_stack_of_marks_takes_linear_time_to_be_named() -> None:
    """UNI-031: each mark was counted from its own place to the end of the stack."""
    began = time.process_time()
    assert warnings("a" + "\u0301" * 100_000) == ("stacked marks",)
    assert time.process_time() - began < 1


def test_what_is_stored_stays_as_it_was() -> None:
    """TERM-088, R195: sanitising is for the screen."""
    text = Foreign("log \x1b[31mred\x1b[0m")
    neutralise(text)
    assert text.raw == "log \x1b[31mred\x1b[0m"
