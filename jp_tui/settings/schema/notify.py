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
        "when": Leaf(checks.choice("unfocused", "always"), "display", help="always: even if the terminal has focus"),
        "title": Leaf(checks.boolean, "display", help="show the number of waiting questions in the window title"),
        "desktop": Leaf(
            checks.choice("auto", "off", "osc99", "osc777", "osc9"),
            "display",
            help="how desktop notifications are sent; auto: detect the terminal",
        ),
        "bell": Leaf(checks.boolean, "display", help="ring the bell if a notification may go unseen"),
        "text": Leaf(
            checks.boolean,
            tightens=stricter(True, False),
            help="false: leave the question out of notifications",
        ),
        "turn_secs": Leaf(
            checks.integer(0, 86_400), "display", help="notify when a turn of at least this length ends; 0: never"
        ),
        "command": Leaf(shapes.argv, acts=True, help="run this program instead, with {title} and {text} filled in"),
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
