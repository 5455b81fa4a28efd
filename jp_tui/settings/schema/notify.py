"""How the workspace calls a person who is not looking (asking.md E50): the keys of `notify`, and their values.

A folder's own file may say how that looks and sounds; what is run, and whether a question's words leave the terminal,
it may not decide (surface S10). Nothing is called from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jp_tui.settings.schema import checks, shapes
from jp_tui.settings.schema.nodes import Group, Leaf, stricter

Desktop = Literal["auto", "off", "osc99", "osc777", "osc9"]
When = Literal["unfocused", "always"]

NOTIFY = Group(
    {
        "when": Leaf(checks.choice("unfocused", "always"), "display", help="always: also while you look"),
        "title": Leaf(checks.boolean, "display", help="the window's title, with the number of questions that wait"),
        "desktop": Leaf(
            checks.choice("auto", "off", "osc99", "osc777", "osc9"),
            "display",
            help="how a notification of the desktop is asked for; auto: by what the terminal is known to take",
        ),
        "bell": Leaf(checks.boolean, "display", help="ring where no notification is sure to be seen"),
        "text": Leaf(
            checks.boolean,
            tightens=stricter(True, False),
            help="false: a notification says that something waits, and not what",
        ),
        "turn_secs": Leaf(
            checks.integer(0, 86_400), "display", help="the end of a turn that took so long is told as well; 0: never"
        ),
        "command": Leaf(
            shapes.argv, acts=True, help="run this instead: a program and its arguments, {title} and {text} filled in"
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Notify:
    """What `[notify]` says. `command` is a program with its arguments, empty for none; `turn_secs` 0 for never."""

    when: When = "unfocused"
    title: bool = True
    desktop: Desktop = "auto"
    bell: bool = True
    text: bool = True
    turn_secs: int = 30
    command: tuple[str, ...] = ()
