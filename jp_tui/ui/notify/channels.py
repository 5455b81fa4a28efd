"""The ways in which a terminal can notify a user who looks elsewhere (asking.md E50), and the exact bytes for each.

Pure: it takes the environment and the terminal's answers, and sends nothing. A text loses every control character
before it goes into a sequence (R197), and all markup that a desktop would interpret.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign

Kind = Literal["osc99", "osc777", "osc9", "bell"]
Through = Literal["", "tmux", "screen"]

BELL = "\x07"
TITLE_BYTES, TEXT_BYTES = 120, 360
"""A multiplexer passes little on at once: GNU screen takes 768 bytes."""

_TAKES: dict[str, tuple[Kind, ...]] = {
    "kitty": ("osc99", "osc9"),
    "ghostty": ("osc777", "osc9"),
    "wezterm": ("osc777", "osc9"),
    "warp": ("osc777", "osc9"),
    "foot": ("osc777",),
    "contour": ("osc777",),
    "iterm2": ("osc9",),
    "konsole": ("osc777",),
    "rxvt": ("osc777",),
    "vte": ("osc777",),
}
_UNSURE = ("konsole", "rxvt", "vte")
"""Only some builds, versions or set-ups of these show it; the others ignore it."""
_TERMS = {
    "xterm-kitty": "kitty",
    "xterm-ghostty": "ghostty",
    "wezterm": "wezterm",
    "foot": "foot",
    "contour": "contour",
    "rxvt": "rxvt",
    "alacritty": "",
    "linux": "",
}
_PROGRAMS = {
    "kitty": "kitty",
    "ghostty": "ghostty",
    "wezterm": "wezterm",
    "warpterminal": "warp",
    "foot": "foot",
    "contour": "contour",
    "iterm.app": "iterm2",
}
_LEFT_BEHIND = (
    ("WT_SESSION", ""),
    ("XTERM_VERSION", ""),
    ("ALACRITTY_WINDOW_ID", ""),
    ("KITTY_WINDOW_ID", "kitty"),
    ("GHOSTTY_RESOURCES_DIR", "ghostty"),
    ("WEZTERM_PANE", "wezterm"),
    ("ITERM_SESSION_ID", "iterm2"),
    ("KONSOLE_VERSION", "konsole"),
    ("VTE_VERSION", "vte"),
)
"""Variables that a terminal sets and that programs started in it inherit, so they are the weakest evidence."""
_VERSIONS = (*_TAKES, "xterm.js")
_INSIDE = ("ZELLIJ",)
_INSIDE_UNLESS_KNOWN = ("NVIM", "VIM_TERMINAL", "INSIDE_EMACS")
"""Programs with a terminal inside that pass nothing on."""


@dataclass(frozen=True, slots=True)
class TerminalFacts:
    """The terminal's answers about itself.

    `version` is the answer to XTVERSION, such as `kitty(0.39.1)`; `osc99` is True if it answered the query of that
    protocol; `focus` says if it reports its focus, None if it didn't answer.
    """

    version: str = ""
    osc99: bool = False
    focus: bool | None = None


@dataclass(frozen=True, slots=True)
class Channel:
    """One way to notify. `through` is the multiplexer that passes it on. If it isn't `sure`, it may show nothing."""

    kind: Kind
    through: Through = ""
    sure: bool = True


def multiplexer(environment: Mapping[str, str], answers: TerminalFacts | None = None) -> Through:
    """Return the multiplexer between jp-tui and the terminal, which passes sequences on if asked to."""
    term = environment.get("TERM", "")
    version = answers.version.lower() if answers is not None else ""
    if environment.get("TMUX") or term.startswith("tmux") or version.startswith("tmux"):
        return "tmux"
    return "screen" if environment.get("STY") or term.startswith("screen") else ""


def channels(environment: Mapping[str, str], answers: TerminalFacts | None = None) -> list[Channel]:
    """Return the channels of this terminal, the best first. The bell, which every terminal has, comes last.

    A terminal inside an editor and an unknown one have only the bell: another sequence might show nothing.
    """
    answers = answers or TerminalFacts()
    through = multiplexer(environment, answers)
    name = _terminal(environment, answers, through)
    kinds = list(_TAKES.get(name, ()))
    if answers.osc99 and not through:
        kinds = ["osc99", *(kind for kind in kinds if kind != "osc99")]
    found = [
        Channel(kind, through, sure=not through and (name not in _UNSURE or (kind == "osc99" and answers.osc99)))
        for kind in kinds
    ]
    return [*found, Channel("bell")]


def _terminal(environment: Mapping[str, str], answers: TerminalFacts, through: Through) -> str:
    """Return the name of the terminal on the user's screen; empty if it isn't known."""
    if any(environment.get(name) for name in _INSIDE):
        return ""
    if not through:
        if answers.version:
            version = answers.version.lower()
            return next((name for name in _VERSIONS if version.startswith(name)), "")
        term = environment.get("TERM", "")
        for beginning, name in _TERMS.items():
            if term == beginning or term.startswith(f"{beginning}-"):
                return name
        program = environment.get("TERM_PROGRAM", "").lower()
        if program:
            return _PROGRAMS.get(program, "")
    if any(environment.get(name) for name in _INSIDE_UNLESS_KNOWN):
        return ""
    if environment.get("LC_TERMINAL") == "iTerm2":  # this one is sent over ssh
        return "iterm2"
    return next((name for variable, name in _LEFT_BEHIND if environment.get(variable)), "")


QUERY = "\x1b]99;i=jp-tui:p=?;\x1b\\\x1b[>0q"
"""Asks if the terminal takes OSC 99, then for its name and version. One that knows neither ignores both."""


def query(environment: Mapping[str, str]) -> str:
    """Return the query for a terminal that the environment doesn't identify.

    Empty if it is known, or if a program in between would answer for itself.
    """
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    between = multiplexer(environment) or any(environment.get(name) for name in (*_INSIDE, *_INSIDE_UNLESS_KNOWN))
    if between or not term.startswith(("xterm", "foot")) or program == "Apple_Terminal":
        return ""
    best, *others = channels(environment)
    return "" if best.sure and others and not term.startswith("foot") else QUERY


def choose(
    desktop: str, bell: bool, environment: Mapping[str, str], answers: TerminalFacts | None = None
) -> tuple[Channel, ...]:
    """Return the channels to use, in order, for the settings `notify.desktop` and `notify.bell`.

    The bell rings too if the notification may not be shown. A protocol that the user names is used as named.
    """
    if desktop == "off":
        found = [Channel("bell")]
    elif desktop == "auto":
        first, *others = channels(environment, answers)
        found = [first] if first.sure or not others else [first, others[-1]]
    else:
        kind: Kind = "osc99" if desktop == "osc99" else "osc777" if desktop == "osc777" else "osc9"
        found = [Channel(kind, multiplexer(environment, answers))]
    return tuple(one for one in found if bell or one.kind != "bell")


def sequence(channel: Channel, title: str, text: str, *, mark: str) -> str:
    """Return the terminal sequence of one notification. `title` and `text` may be untrusted.

    `mark` is jp-tui's id in the OSC 99 protocol: a newer notification with it replaces an older one.
    """
    title, text = plain(title, TITLE_BYTES), plain(text, TEXT_BYTES)
    if channel.kind == "bell":
        return BELL
    if channel.kind == "osc9":
        line = f"\x1b]9;{title}: {text}\x07" if text else f"\x1b]9;{title}\x07"
    elif channel.kind == "osc777":
        line = f"\x1b]777;notify;{title.replace(';', ',')};{text.replace(';', ',')}\x07"
    elif text:
        line = f"\x1b]99;i={mark}:d=0;{title}\x1b\\\x1b]99;i={mark}:d=1:p=body;{text}\x1b\\"
    else:
        line = f"\x1b]99;i={mark};{title}\x1b\\"
    return _passed_on(line, channel.through)


def _passed_on(line: str, through: Through) -> str:
    """Wrap a sequence for a multiplexer. One that may not pass sequences on drops it and shows nothing."""
    if not through:
        return line
    line = line.replace("\x1b\\", BELL)  # the wrapping ends with it
    if through == "tmux":
        return "\x1bPtmux;" + line.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    return f"\x1bP{line}\x1b\\"


def plain(text: str, most: int) -> str:
    """Return one line of printable characters, at most `most` bytes of UTF-8 (R197).

    Control, format and private characters and the `<` of markup are removed.
    """
    line = " ".join(neutralise(Foreign(text), "line").split())
    line = "".join(char for char in line if char.isprintable()).replace("<", "‹").replace(">", "›")
    raw = line.encode("utf-8")
    if len(raw) <= most:
        return line
    return raw[: most - 3].decode("utf-8", "ignore").rstrip() + "…"
