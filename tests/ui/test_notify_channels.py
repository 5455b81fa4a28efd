"""E50, R197: which terminal is called by what, and the exact bytes of each means."""

from __future__ import annotations

import pytest

from jp_tui.ui.notify.channels import TEXT_BYTES, Channel, TerminalFacts, channels, choose, plain, sequence

KITTY = {"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "3"}
XTERM = {"TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("environment", "answers", "kinds"),
    [
        (KITTY, TerminalFacts(), "osc99 osc9 bell"),
        ({"TERM": "xterm-kitty"}, TerminalFacts(), "osc99 osc9 bell"),  # over ssh only TERM goes along
        (XTERM | {"KITTY_WINDOW_ID": "3"}, TerminalFacts(), "osc99 osc9 bell"),
        ({"TERM": "xterm-ghostty"}, TerminalFacts(), "osc777 osc9 bell"),
        (XTERM | {"TERM_PROGRAM": "ghostty"}, TerminalFacts(), "osc777 osc9 bell"),
        (XTERM | {"TERM_PROGRAM": "WezTerm"}, TerminalFacts(), "osc777 osc9 bell"),
        (XTERM | {"TERM_PROGRAM": "WarpTerminal"}, TerminalFacts(), "osc777 osc9 bell"),
        (XTERM | {"TERM_PROGRAM": "iTerm.app"}, TerminalFacts(), "osc9 bell"),
        (XTERM | {"LC_TERMINAL": "iTerm2"}, TerminalFacts(), "osc9 bell"),
        ({"TERM": "foot"}, TerminalFacts(), "osc777 bell"),
        ({"TERM": "foot-extra"}, TerminalFacts(osc99=True), "osc99 osc777 bell"),
        ({"TERM": "rxvt-unicode-256color"}, TerminalFacts(), "osc777 bell"),
        (XTERM | {"VTE_VERSION": "7600"}, TerminalFacts(), "osc777 bell"),
        (XTERM | {"KONSOLE_VERSION": "240202"}, TerminalFacts(), "osc777 bell"),
        (XTERM, TerminalFacts(version="WezTerm 20240203"), "osc777 osc9 bell"),
        (XTERM, TerminalFacts(version="kitty(0.39.1)"), "osc99 osc9 bell"),
        (XTERM, TerminalFacts(version="xterm.js(5.6)", osc99=True), "osc99 bell"),
        (XTERM, TerminalFacts(version="Never heard of it 1.0"), "bell"),
        (XTERM, TerminalFacts(), "bell"),
        ({}, TerminalFacts(), "bell"),
        ({"TERM": "linux"}, TerminalFacts(), "bell"),
        ({"TERM": "alacritty", "KITTY_WINDOW_ID": "3"}, TerminalFacts(), "bell"),
        (XTERM | {"WT_SESSION": "x", "KITTY_WINDOW_ID": "3"}, TerminalFacts(), "bell"),
        (XTERM | {"TERM_PROGRAM": "vscode", "KITTY_WINDOW_ID": "3"}, TerminalFacts(), "bell"),  # started from a kitty
        (XTERM | {"TERM_PROGRAM": "Apple_Terminal"}, TerminalFacts(), "bell"),
        (XTERM | {"XTERM_VERSION": "XTerm(390)", "KITTY_WINDOW_ID": "3"}, TerminalFacts(), "bell"),
        (XTERM | {"NVIM": "/run/x", "KITTY_WINDOW_ID": "3"}, TerminalFacts(), "bell"),
        (XTERM | {"INSIDE_EMACS": "29,vterm", "KITTY_WINDOW_ID": "3"}, TerminalFacts(), "bell"),
        (KITTY | {"INSIDE_EMACS": "29"}, TerminalFacts(), "osc99 osc9 bell"),  # a kitty that was started from one
        (KITTY | {"ZELLIJ": "0"}, TerminalFacts(), "bell"),
        ({"TERM": "tmux-256color", "TMUX": "/x", "KITTY_WINDOW_ID": "3"}, TerminalFacts(osc99=True), "osc99 osc9 bell"),
        ({"TERM": "tmux-256color", "TMUX": "/x", "TERM_PROGRAM": "tmux"}, TerminalFacts(), "bell"),
        ({"TERM": "screen-256color", "STY": "1.x", "LC_TERMINAL": "iTerm2"}, TerminalFacts(), "osc9 bell"),
        (XTERM | {"KITTY_WINDOW_ID": "3"}, TerminalFacts(version="tmux 3.4"), "osc99 osc9 bell"),
    ],
)
def test_e50_what_a_terminal_can_the_best_first(
    environment: dict[str, str], answers: TerminalFacts, kinds: str
) -> None:
    assert [by.kind for by in channels(environment, answers)] == kinds.split()


def test_what_may_show_nothing_goes_with_the_bell_and_what_does_not_without() -> None:
    assert choose("auto", True, KITTY) == (Channel("osc99"),)
    assert choose("auto", False, KITTY) == (Channel("osc99"),)
    assert choose("auto", True, XTERM) == (Channel("bell"),)
    assert choose("auto", False, XTERM) == ()
    vte = XTERM | {"VTE_VERSION": "7600"}
    assert choose("auto", True, vte) == (Channel("osc777", sure=False), Channel("bell"))
    assert choose("auto", False, vte) == (Channel("osc777", sure=False),)
    tmux = KITTY | {"TERM": "tmux-256color", "TMUX": "/x"}
    assert choose("auto", True, tmux) == (Channel("osc99", "tmux", sure=False), Channel("bell"))


def test_what_the_user_names_is_used_and_off_leaves_the_bell() -> None:
    for environment in (KITTY, XTERM, {}):
        assert choose("osc9", True, environment) == (Channel("osc9"),)
        assert choose("osc777", False, environment) == (Channel("osc777"),)
        assert choose("off", True, environment) == (Channel("bell"),)
        assert choose("off", False, environment) == ()
    assert choose("osc99", True, {"TMUX": "/x"}) == (Channel("osc99", "tmux"),)


@pytest.mark.parametrize(
    ("by", "text", "written"),
    [
        (Channel("bell"), "b", "\x07"),
        (Channel("osc9"), "b", "\x1b]9;jp-tui: a; b\x07"),
        (Channel("osc9"), "", "\x1b]9;jp-tui: a;\x07"),
        (Channel("osc777"), "b;c", "\x1b]777;notify;jp-tui: a,;b,c\x07"),
        (Channel("osc99"), "b", "\x1b]99;i=m:d=0;jp-tui: a;\x1b\\\x1b]99;i=m:d=1:p=body;b\x1b\\"),
        (Channel("osc99"), "", "\x1b]99;i=m;jp-tui: a;\x1b\\"),
        (Channel("osc9", "tmux"), "", "\x1bPtmux;\x1b\x1b]9;jp-tui: a;\x07\x1b\\"),
        (Channel("osc99", "tmux"), "", "\x1bPtmux;\x1b\x1b]99;i=m;jp-tui: a;\x07\x1b\\"),
        (Channel("osc777", "screen"), "b", "\x1bP\x1b]777;notify;jp-tui: a,;b\x07\x1b\\"),
    ],
)
def test_the_exact_bytes(by: Channel, text: str, written: str) -> None:
    wanted = written.replace("jp-tui: a; b", "jp-tui: a;: b")
    assert sequence(by, "jp-tui: a;", text, mark="m") == wanted


HOSTILE = "a\x1b]0;evil\x07\x1b\\b\x9cc\x9d\x90\x00\n\r\t\u202ed\ud800\u200be\u2028\x7f<img src=x>;\x1b[2J" + "\x1b" * 9


@pytest.mark.parametrize("kind", ["osc99", "osc777", "osc9"])
@pytest.mark.parametrize("through", ["", "tmux", "screen"])
def test_r197_nothing_foreign_ends_a_sequence_or_begins_one(kind: str, through: str) -> None:
    harmless = sequence(Channel(kind, through), "t", "u", mark="m")  # type: ignore[arg-type]
    said = sequence(Channel(kind, through), HOSTILE, HOSTILE, mark="m")  # type: ignore[arg-type]
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
    assert len(sequence(Channel("osc777", "screen"), "字" * 999, "字" * 999, mark="m").encode()) < 768
