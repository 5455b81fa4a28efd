"""The parent process that keeps the terminal safe, and the app's side of the channel between the two.

After TERM, HUP, QUIT, SEGV or KILL a full-screen program leaves the alternate screen, mouse modes and raw keys behind
(T6), and a program that is still loading drops or garbles what is typed (designs.md A). `parent.py` forks and watches,
`child.py` is the app's side, `terminal.py` the terminal itself. Until the app takes over, the parent gives the screen
and the keys to the screen that it was started with (`first_frame/early_screen.py`).
The package imports no other package of ours and nothing beyond the bare modules of designs.md A.2.
"""

from __future__ import annotations

from jp_tui.guardian.child import (
    abandoned,
    bring_back,
    can_suspend,
    frame_shown,
    guardian_reads_keys,
    in_background,
    last_screen_shown,
    last_word,
    lend_environment,
    original_termios,
    parent_pipe_fd,
    print_exit_text,
    return_environment,
    screen_down,
    screen_up,
    show_last_screen,
    take_keys,
    typed_so_far,
)
from jp_tui.guardian.parent import run_guarded
from jp_tui.guardian.terminal import MOST, hand_over_terminal, in_foreground, printable, put, restore, undiscarded, used

__all__ = [
    "MOST",
    "abandoned",
    "bring_back",
    "can_suspend",
    "frame_shown",
    "guardian_reads_keys",
    "hand_over_terminal",
    "in_background",
    "in_foreground",
    "last_screen_shown",
    "last_word",
    "lend_environment",
    "original_termios",
    "parent_pipe_fd",
    "print_exit_text",
    "printable",
    "put",
    "restore",
    "return_environment",
    "run_guarded",
    "screen_down",
    "screen_up",
    "show_last_screen",
    "take_keys",
    "typed_so_far",
    "undiscarded",
    "used",
]  # fmt: skip
