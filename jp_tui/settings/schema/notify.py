"""Keys and values of `notify`: how the workspace notifies a user who isn't looking (asking.md E50).

A workspace's file may set the look and sound, but neither the command nor whether a question's text leaves the terminal
(surface S10). Sends no notification itself.
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
    """Values of `[notify]`. `command` is a program with its arguments, empty for none; `turn_secs` 0 for never."""

    when: When = "unfocused"
    title: bool = True
    desktop: Desktop = "auto"
    bell: bool = True
    text: bool = True
    turn_secs: int = 30
    command: tuple[str, ...] = ()
