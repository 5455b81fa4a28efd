"""The usual keys of a text field, as bindings with ids, from one short table.

Textual's TextArea has them without ids, with Ctrl+Z for undo (which suspends here, T26) and Ctrl+C for copy (which
interrupts here). Runs nothing itself.
"""

from __future__ import annotations

from textual.binding import Binding

_TABLE = (
    ("left", "left", "cursor_left", "move left one character"),
    ("right", "right", "cursor_right", "move right one character"),
    ("word-left", "ctrl+left,alt+left,alt+b", "cursor_word_left", "move left one word"),
    ("word-right", "ctrl+right,alt+right,alt+f", "cursor_word_right", "move right one word"),
    ("line-start", "home,ctrl+a", "cursor_line_start", "move to the start of the line"),
    ("line-end", "end,ctrl+e", "cursor_line_end", "move to the end of the line"),
    ("select-left", "shift+left", "cursor_left(True)", "select to the left"),
    ("select-right", "shift+right", "cursor_right(True)", "select to the right"),
    ("select-up", "shift+up", "cursor_up(True)", "select upwards"),
    ("select-down", "shift+down", "cursor_down(True)", "select downwards"),
    ("select-start", "shift+home", "cursor_line_start(True)", "select to the start of the line"),
    ("select-end", "shift+end", "cursor_line_end(True)", "select to the end of the line"),
    ("delete-left", "backspace,shift+backspace", "delete_left", "delete the character on the left"),
    ("delete-right", "delete,ctrl+d", "delete_right", "delete the character on the right"),
    ("delete-word-left", "ctrl+w,ctrl+backspace,alt+backspace", "delete_word_left", "delete the word on the left"),
    ("delete-word-right", "alt+d,ctrl+delete,alt+delete", "delete_word_right", "delete the word on the right"),
    ("delete-start", "ctrl+u", "delete_to_start_of_line", "delete to the start of the line"),
    ("delete-end", "ctrl+k", "delete_to_end_of_line", "delete to the end of the line"),
    ("cut", "ctrl+x", "cut", "cut the selection or the line"),
    ("paste", "ctrl+v", "paste", "paste text that was cut or copied here"),
    ("undo", "ctrl+underscore", "undo", "undo the last edit"),
    ("redo", "ctrl+y", "redo", "redo the last undone edit"),
)

EDITING = [
    Binding(keys, action, does, show=False, id=f"edit.{name}", tooltip=does.capitalize())
    for name, keys, action, does in _TABLE
]
