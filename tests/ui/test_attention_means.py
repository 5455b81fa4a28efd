"""E50, R197: which terminal is called by what, and the exact bytes of each means."""

from __future__ import annotations

import pytest

from jp_tui.ui.notify.channels import TEXT_BYTES, Answers, Means, chosen, means, plain, sequence

KITTY = {"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "3"}
XTERM = {"TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("environment", "answers", "kinds"),
    [
        (KITTY, Answers(), "osc99 osc9 bell"),
        ({"TERM": "xterm-kitty"}, Answers(), "osc99 osc9 bell"),  # over ssh only TERM goes along
        (XTERM | {"KITTY_WINDOW_ID": "3"}, Answers(), "osc99 osc9 bell"),
        ({"TERM": "xterm-ghostty"}, Answers(), "osc777 osc9 bell"),
        (XTERM | {"TERM_PROGRAM": "ghostty"}, Answers(), "osc777 osc9 bell"),
        (XTERM | {"TERM_PROGRAM": "WezTerm"}, Answers(), "osc777 osc9 bell"),
        (XTERM | {"TERM_PROGRAM": "WarpTerminal"}, Answers(), "osc777 osc9 bell"),
        (XTERM | {"TERM_PROGRAM": "iTerm.app"}, Answers(), "osc9 bell"),
        (XTERM | {"LC_TERMINAL": "iTerm2"}, Answers(), "osc9 bell"),
        ({"TERM": "foot"}, Answers(), "osc777 bell"),
        ({"TERM": "foot-extra"}, Answers(osc99=True), "osc99 osc777 bell"),
        ({"TERM": "rxvt-unicode-256color"}, Answers(), "osc777 bell"),
        (XTERM | {"VTE_VERSION": "7600"}, Answers(), "osc777 bell"),
        (XTERM | {"KONSOLE_VERSION": "240202"}, Answers(), "osc777 bell"),
        (XTERM, Answers(version="WezTerm 20240203"), "osc777 osc9 bell"),
        (XTERM, Answers(version="kitty(0.39.1)"), "osc99 osc9 bell"),
        (XTERM, Answers(version="xterm.js(5.6)", osc99=True), "osc99 bell"),
        (XTERM, Answers(version="Never heard of it 1.0"), "bell"),
        (XTERM, Answers(), "bell"),
        ({}, Answers(), "bell"),
        ({"TERM": "linux"}, Answers(), "bell"),
        ({"TERM": "alacritty", "KITTY_WINDOW_ID": "3"}, Answers(), "bell"),
        (XTERM | {"WT_SESSION": "x", "KITTY_WINDOW_ID": "3"}, Answers(), "bell"),
        (XTERM | {"TERM_PROGRAM": "vscode", "KITTY_WINDOW_ID": "3"}, Answers(), "bell"),  # started from a kitty
        (XTERM | {"TERM_PROGRAM": "Apple_Terminal"}, Answers(), "bell"),
        (XTERM | {"XTERM_VERSION": "XTerm(390)", "KITTY_WINDOW_ID": "3"}, Answers(), "bell"),
        (XTERM | {"NVIM": "/run/x", "KITTY_WINDOW_ID": "3"}, Answers(), "bell"),
        (XTERM | {"INSIDE_EMACS": "29,vterm", "KITTY_WINDOW_ID": "3"}, Answers(), "bell"),
        (KITTY | {"INSIDE_EMACS": "29"}, Answers(), "osc99 osc9 bell"),  # a kitty that was started from one
        (KITTY | {"ZELLIJ": "0"}, Answers(), "bell"),
        ({"TERM": "tmux-256color", "TMUX": "/x", "KITTY_WINDOW_ID": "3"}, Answers(osc99=True), "osc99 osc9 bell"),
        ({"TERM": "tmux-256color", "TMUX": "/x", "TERM_PROGRAM": "tmux"}, Answers(), "bell"),
        ({"TERM": "screen-256color", "STY": "1.x", "LC_TERMINAL": "iTerm2"}, Answers(), "osc9 bell"),
        (XTERM | {"KITTY_WINDOW_ID": "3"}, Answers(version="tmux 3.4"), "osc99 osc9 bell"),
    ],
)
def test_e50_what_a_terminal_can_the_best_first(environment: dict[str, str], answers: Answers, kinds: str) -> None:
    assert [by.kind for by in means(environment, answers)] == kinds.split()


def test_what_may_show_nothing_goes_with_the_bell_and_what_does_not_without() -> None:
    assert chosen("auto", True, KITTY) == (Means("osc99"),)
    assert chosen("auto", False, KITTY) == (Means("osc99"),)
    assert chosen("auto", True, XTERM) == (Means("bell"),)
    assert chosen("auto", False, XTERM) == ()
    vte = XTERM | {"VTE_VERSION": "7600"}
    assert chosen("auto", True, vte) == (Means("osc777", sure=False), Means("bell"))
    assert chosen("auto", False, vte) == (Means("osc777", sure=False),)
    tmux = KITTY | {"TERM": "tmux-256color", "TMUX": "/x"}
    assert chosen("auto", True, tmux) == (Means("osc99", "tmux", sure=False), Means("bell"))


def test_what_the_user_names_is_used_and_off_leaves_the_bell() -> None:
    for environment in (KITTY, XTERM, {}):
        assert chosen("osc9", True, environment) == (Means("osc9"),)
        assert chosen("osc777", False, environment) == (Means("osc777"),)
        assert chosen("off", True, environment) == (Means("bell"),)
        assert chosen("off", False, environment) == ()
    assert chosen("osc99", True, {"TMUX": "/x"}) == (Means("osc99", "tmux"),)


@pytest.mark.parametrize(
    ("by", "text", "written"),
    [
        (Means("bell"), "b", "\x07"),
        (Means("osc9"), "b", "\x1b]9;jp-tui: a; b\x07"),
        (Means("osc9"), "", "\x1b]9;jp-tui: a;\x07"),
        (Means("osc777"), "b;c", "\x1b]777;notify;jp-tui: a,;b,c\x07"),
        (Means("osc99"), "b", "\x1b]99;i=m:d=0;jp-tui: a;\x1b\\\x1b]99;i=m:d=1:p=body;b\x1b\\"),
        (Means("osc99"), "", "\x1b]99;i=m;jp-tui: a;\x1b\\"),
        (Means("osc9", "tmux"), "", "\x1bPtmux;\x1b\x1b]9;jp-tui: a;\x07\x1b\\"),
        (Means("osc99", "tmux"), "", "\x1bPtmux;\x1b\x1b]99;i=m;jp-tui: a;\x07\x1b\\"),
        (Means("osc777", "screen"), "b", "\x1bP\x1b]777;notify;jp-tui: a,;b\x07\x1b\\"),
    ],
)
def test_the_exact_bytes(by: Means, text: str, written: str) -> None:
    wanted = written.replace("jp-tui: a; b", "jp-tui: a;: b")
    assert sequence(by, "jp-tui: a;", text, mark="m") == wanted


HOSTILE = "a\x1b]0;evil\x07\x1b\\b\x9cc\x9d\x90\x00\n\r\t\u202ed\ud800\u200be\u2028\x7f<img src=x>;\x1b[2J" + "\x1b" * 9


@pytest.mark.parametrize("kind", ["osc99", "osc777", "osc9"])
@pytest.mark.parametrize("through", ["", "tmux", "screen"])
def test_r197_nothing_foreign_ends_a_sequence_or_begins_one(kind: str, through: str) -> None:
    harmless = sequence(Means(kind, through), "t", "u", mark="m")  # type: ignore[arg-type]
    said = sequence(Means(kind, through), HOSTILE, HOSTILE, mark="m")  # type: ignore[arg-type]
    controls = [char for char in said if ord(char) < 32 or 0x7F <= ord(char) < 0xA0]
    assert controls == [char for char in harmless if ord(char) < 32]
    assert all(char.isprintable() for char in said if char not in controls) and "<" not in said


def test_r197_whatever_comes_a_call_is_one_line_of_printable_characters_and_short() -> None:
    for code in (*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x200B, 0x202E, 0x2066, 0xD800, 0xE000, 0xFEFF, 0xE0041):
        assert plain(f"a{chr(code)}b", 100).isprintable(), hex(code)
    assert plain("", 10) == "" and plain("\n\n", 10) == ""
    for long in ("x" * 9999, "é" * 9999, "𝄞" * 9999, "字" * 9999):
        cut = plain(long, TEXT_BYTES)
        assert TEXT_BYTES - 8 < len(cut.encode()) <= TEXT_BYTES and cut.endswith("…")
    assert len(sequence(Means("osc777", "screen"), "字" * 999, "字" * 999, mark="m").encode()) < 768
