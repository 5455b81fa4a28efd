"""A terminal's answers never reach a text field, however they are cut; keys always do (E50, T27)."""

from __future__ import annotations

import random

import pytest

from jp_tui.ui.driver.replies import BROKEN_OFF, ONE_KEY, ReplyParser
from jp_tui.ui.notify.channels import QUERY, query

OSC99 = "\x1b]99;i=jp-tui:p=?;a=report,focus:o=always,unfocused\x1b\\"
VERSION = "\x1bP>|kitty(0.39.1)\x1b\\"


def asked() -> ReplyParser:
    replies = ReplyParser()
    replies.expecting = True
    return replies


@pytest.mark.parametrize("typed", ["", "a", "\x1b[A", "\x1b[200~é\x1b[201~", "\x1b[?2026;2$y"])
def test_answers_are_taken_out_of_what_is_typed(typed: str) -> None:
    replies = asked()
    assert replies.feed(f"{typed}{OSC99}{typed}{VERSION}{typed}", 0) == (typed * 3, True)
    assert (replies.version, replies.osc99, replies.expecting) == ("kitty(0.39.1)", True, False)
    assert replies.feed(OSC99 + VERSION, 0) == (OSC99 + VERSION, False), "nothing was asked: it is what is typed"


def test_either_may_be_missing_and_may_end_with_bel() -> None:
    replies = asked()
    assert replies.feed(VERSION.replace("\x1b\\", "\x07"), 0) == ("", True)
    assert (replies.version, replies.osc99) == ("kitty(0.39.1)", False)
    replies = asked()
    assert replies.feed(OSC99.replace("\x1b\\", "\x07"), 0) == ("", True)
    assert (replies.version, replies.osc99, replies.expecting) == ("", True, True)


def test_cut_anywhere_but_behind_escape_nothing_of_it_is_typed() -> None:
    whole = f"x{OSC99}y{VERSION}z"
    for at in range(1, len(whole)):
        if whole[at - 1] == "\x1b" and whole[at] != "\\":
            continue  # a lone escape is a key, and is not held up
        replies = asked()
        left = replies.feed(whole[:at], 0)[0] + replies.feed(whole[at:], 0.01)[0]
        assert (left, replies.version, replies.osc99) == ("xyz", "kitty(0.39.1)", True), repr(whole[:at])


@pytest.mark.parametrize("key", ["\x1bP", "\x1b]", "\x1b]9"])
def test_alt_with_such_a_character_comes_a_little_later(key: str) -> None:
    replies = asked()
    assert replies.feed(f"a{key}", 10) == ("a", False)
    assert replies.due == 10 + ONE_KEY and replies.overdue(10) == ""
    assert replies.overdue(10 + ONE_KEY) == key and replies.due is None
    assert replies.feed(f"a{key}", 20)[0] + replies.feed("b", 20.01)[0] == f"a{key}b"
    assert ReplyParser().feed(f"a{key}", 10) == (f"a{key}", False), "at once where nothing was asked"


def test_an_answer_that_breaks_off_is_forgotten_and_holds_nothing_up() -> None:
    replies = asked()
    assert replies.feed("a" + VERSION[:-2], 10) == ("a", False)
    assert replies.due == 10 + BROKEN_OFF and replies.overdue(11) == "" and replies.due is None
    assert replies.feed("b", 12) == ("b", False)


def test_a_lone_escape_is_never_held_back() -> None:
    replies = asked()
    assert replies.feed("\x1b", 0) == ("\x1b", False) and replies.due is None


def test_the_focus_answer_is_noted_and_left_to_the_parser() -> None:
    for number, reports in (("0", False), ("1", True), ("2", False), ("3", True), ("4", False)):
        replies = ReplyParser()
        answer = f"\x1b[?1004;{number}$y"
        assert replies.feed(answer, 0) == (answer, True) and replies.focus is reports
    assert ReplyParser().feed("\x1b[?2026;1$y", 0)[1] is False


def test_random_input_in_random_pieces_is_never_lost() -> None:
    dice = random.Random(99)
    for _ in range(2_000):
        typed = "".join(
            dice.choice(["a", "é", "\x1b[A", "\x1bP", "\x1b]", "99;", ">|", "\x1b", "\x07"]) for _ in range(8)
        )
        replies, plain, now, got = asked(), ReplyParser(), 0.0, ""
        at = 0
        while at < len(typed):
            size, now = dice.randrange(1, 5), now + 0.001
            got += replies.feed(typed[at : at + size], now)[0]
            at += size
        got += replies.overdue(now + 9)
        if "\x1bP>|" not in typed and "\x1b]99;" not in typed:
            assert got == typed == plain.feed(typed, 0)[0]


@pytest.mark.parametrize(
    ("environment", "asks"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, True),
        ({"TERM": "foot"}, True),
        ({"TERM": "xterm-kitty"}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"TERM": "xterm-256color", "TMUX": "/x"}, False),
        ({"TERM": "xterm-256color", "ZELLIJ": "0"}, False),
        ({"TERM": "xterm-256color", "NVIM": "/x"}, False),
        ({"TERM": "linux"}, False),
        ({"TERM": "screen"}, False),
        ({}, False),
    ],
)
def test_only_a_terminal_of_which_too_little_is_known_is_asked(environment: dict[str, str], asks: bool) -> None:
    assert query(environment) == (QUERY if asks else "")
