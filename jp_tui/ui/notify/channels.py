"""By what means a terminal calls somebody who does not look (asking.md E50), and the exact bytes of each.

Pure: the environment and what the terminal answered come in. Whatever words go into a sequence lose every control
character first (R197), and what a desktop would take for markup. It sends nothing.
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
"""What a multiplexer lets through at once is small: GNU screen takes 768 bytes."""

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
"""Only some builds, versions or set-ups of these show it; the others swallow it."""
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
"""Variables that a terminal sets and that whatever is started in it inherits: they come last."""
_VERSIONS = (*_TAKES, "xterm.js")
_INSIDE = ("ZELLIJ",)
_INSIDE_UNLESS_KNOWN = ("NVIM", "VIM_TERMINAL", "INSIDE_EMACS")
"""Terminals within a program that pass nothing on."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What the terminal said of itself. `version` as XTVERSION gives it, `kitty(0.39.1)`; `osc99` whether it answered
    the query of that protocol; `focus` whether it reports its focus, None where it did not say."""

    version: str = ""
    osc99: bool = False
    focus: bool | None = None


@dataclass(frozen=True, slots=True)
class Means:
    """One of the means. `through` names the multiplexer that has to pass it on; not `sure`: it may show nothing."""

    kind: Kind
    through: Through = ""
    sure: bool = True


def multiplexer(environment: Mapping[str, str], answers: Answers | None = None) -> Through:
    """What stands between us and the terminal and passes sequences on when asked to."""
    term = environment.get("TERM", "")
    version = answers.version.lower() if answers is not None else ""
    if environment.get("TMUX") or term.startswith("tmux") or version.startswith("tmux"):
        return "tmux"
    return "screen" if environment.get("STY") or term.startswith("screen") else ""


def means(environment: Mapping[str, str], answers: Answers | None = None) -> list[Means]:
    """What this terminal can, the best first; the bell, which every terminal has, is always the last.

    A terminal within an editor, and one that is not known, has the bell only: a sequence that nobody understands
    would call nobody.
    """
    answers = answers or Answers()
    through = multiplexer(environment, answers)
    name = _terminal(environment, answers, through)
    kinds = list(_TAKES.get(name, ()))
    if answers.osc99 and not through:
        kinds = ["osc99", *(kind for kind in kinds if kind != "osc99")]
    found = [
        Means(kind, through, sure=not through and (name not in _UNSURE or (kind == "osc99" and answers.osc99)))
        for kind in kinds
    ]
    return [*found, Means("bell")]


def _terminal(environment: Mapping[str, str], answers: Answers, through: Through) -> str:
    """The name of the terminal that shows us in the end; empty for one of which nothing is known."""
    if any(environment.get(name) for name in _INSIDE):
        return ""
    if not through:
        if answers.version:
            said = answers.version.lower()
            return next((name for name in _VERSIONS if said.startswith(name)), "")
        term = environment.get("TERM", "")
        for beginning, name in _TERMS.items():
            if term == beginning or term.startswith(f"{beginning}-"):
                return name
        program = environment.get("TERM_PROGRAM", "").lower()
        if program:
            return _PROGRAMS.get(program, "")
    if any(environment.get(name) for name in _INSIDE_UNLESS_KNOWN):
        return ""
    if environment.get("LC_TERMINAL") == "iTerm2":  # the one that goes along over ssh
        return "iterm2"
    return next((name for variable, name in _LEFT_BEHIND if environment.get(variable)), "")


QUERY = "\x1b]99;i=jp-tui:p=?;\x1b\\\x1b[>0q"
"""Whether it takes OSC 99, then its name and version. A terminal that knows neither ignores both."""


def query(environment: Mapping[str, str]) -> str:
    """What to ask the terminal where the environment leaves open what it can; empty where that is known, and where
    something stands between that would answer for itself."""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    between = multiplexer(environment) or any(environment.get(name) for name in (*_INSIDE, *_INSIDE_UNLESS_KNOWN))
    if between or not term.startswith(("xterm", "foot")) or program == "Apple_Terminal":
        return ""
    return "" if means(environment)[0].sure and len(means(environment)) > 1 and not term.startswith("foot") else QUERY


def chosen(
    desktop: str, bell: bool, environment: Mapping[str, str], answers: Answers | None = None
) -> tuple[Means, ...]:
    """What is sent, in this order, by the settings `notify.desktop` and `notify.bell`; nothing where all is off.

    The bell goes along where a notification is not sure to be shown. What the user names is used as named.
    """
    if desktop == "off":
        found = [Means("bell")]
    elif desktop == "auto":
        first, *others = means(environment, answers)
        found = [first] if first.sure or not others else [first, others[-1]]
    else:
        kind: Kind = "osc99" if desktop == "osc99" else "osc777" if desktop == "osc777" else "osc9"
        found = [Means(kind, multiplexer(environment, answers))]
    return tuple(one for one in found if bell or one.kind != "bell")


def sequence(by: Means, title: str, text: str, *, mark: str) -> str:
    """The bytes of one call. `title` and `text` may be foreign; `mark` is our own id in the OSC 99 protocol, under
    which a newer call takes the place of an older one."""
    title, text = plain(title, TITLE_BYTES), plain(text, TEXT_BYTES)
    if by.kind == "bell":
        return BELL
    if by.kind == "osc9":
        said = f"\x1b]9;{title}: {text}\x07" if text else f"\x1b]9;{title}\x07"
    elif by.kind == "osc777":
        said = f"\x1b]777;notify;{title.replace(';', ',')};{text.replace(';', ',')}\x07"
    elif text:
        said = f"\x1b]99;i={mark}:d=0;{title}\x1b\\\x1b]99;i={mark}:d=1:p=body;{text}\x1b\\"
    else:
        said = f"\x1b]99;i={mark};{title}\x1b\\"
    return _passed_on(said, by.through)


def _passed_on(said: str, through: Through) -> str:
    """Wrapped for a multiplexer. Where it is not allowed to pass anything on it drops the whole, and shows nothing."""
    if not through:
        return said
    said = said.replace("\x1b\\", BELL)  # the wrapping ends with it
    if through == "tmux":
        return "\x1bPtmux;" + said.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    return f"\x1bP{said}\x1b\\"


def plain(text: str, most: int) -> str:
    """One line of printable characters, at most `most` bytes of UTF-8 (R197): no control, format or private character
    is left, and no `<` of a markup."""
    said = " ".join(neutralise(Foreign(text), "line").split())
    said = "".join(char for char in said if char.isprintable()).replace("<", "‹").replace(">", "›")
    raw = said.encode("utf-8")
    if len(raw) <= most:
        return said
    return raw[: most - 3].decode("utf-8", "ignore").rstrip() + "…"
