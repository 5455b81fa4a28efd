"""The parent process that keeps the terminal safe and is there at once, and the app's side of the talk with it.

Why: after TERM, HUP, QUIT, SEGV or KILL a full-screen program leaves the alternate screen, mouse modes and raw keys
behind (T6), and a program that is still loading drops or garbles what is typed (designs.md A). `parent.py` forks and
watches, `front.py` keeps the keys until the app is there, `skeleton.py` and `look.py` say how the screen looks till
then, `typed.py` what was typed, `child.py` is the app's side, `terminal.py` the terminal itself.
It imports no room and nothing beyond the bare modules of designs.md A.2.
"""

from __future__ import annotations

from jp_tui.guardian.child import (
    abandoned,
    bring_back,
    can_suspend,
    in_background,
    keeps_keys,
    last_word,
    lend_environment,
    original_termios,
    parent_pipe_fd,
    return_environment,
    say_last_word,
    screen_down,
    screen_up,
    skeleton_stands,
    take_keys,
    typed_so_far,
)
from jp_tui.guardian.front import Wish
from jp_tui.guardian.parent import run_guarded
from jp_tui.guardian.skeleton import MOST, used
from jp_tui.guardian.terminal import in_foreground, let_go, printable, put, restore, undiscarded

__all__ = [
    "MOST", "Wish", "abandoned", "bring_back", "can_suspend", "in_background", "in_foreground", "keeps_keys",
    "last_word",
    "lend_environment", "let_go", "original_termios",
    "parent_pipe_fd", "printable", "put", "restore", "return_environment", "run_guarded", "say_last_word",
    "screen_down", "screen_up", "skeleton_stands", "take_keys", "typed_so_far", "undiscarded",
    "used",
]  # fmt: skip
