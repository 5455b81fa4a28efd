"""The keys of a text field that everybody has in their fingers, as bindings with ids, from one short table.

Textual's TextArea has them without ids, with Ctrl+Z for undo (which suspends here, T26) and Ctrl+C for copy (which
interrupts here). Runs nothing itself.
"""

from __future__ import annotations

from textual.binding import Binding

_TABLE = (
    ("left", "left", "cursor_left", "a character left"),
    ("right", "right", "cursor_right", "a character right"),
    ("word-left", "ctrl+left,alt+left,alt+b", "cursor_word_left", "a word left"),
    ("word-right", "ctrl+right,alt+right,alt+f", "cursor_word_right", "a word right"),
    ("line-start", "home,ctrl+a", "cursor_line_start", "to the start of the line"),
    ("line-end", "end,ctrl+e", "cursor_line_end", "to the end of the line"),
    ("select-left", "shift+left", "cursor_left(True)", "select to the left"),
    ("select-right", "shift+right", "cursor_right(True)", "select to the right"),
    ("select-up", "shift+up", "cursor_up(True)", "select upwards"),
    ("select-down", "shift+down", "cursor_down(True)", "select downwards"),
    ("select-start", "shift+home", "cursor_line_start(True)", "select to the start of the line"),
    ("select-end", "shift+end", "cursor_line_end(True)", "select to the end of the line"),
    ("delete-left", "backspace,shift+backspace", "delete_left", "delete to the left"),
    ("delete-right", "delete,ctrl+d", "delete_right", "delete to the right"),
    ("delete-word-left", "ctrl+w,ctrl+backspace,alt+backspace", "delete_word_left", "delete a word to the left"),
    ("delete-word-right", "alt+d,ctrl+delete,alt+delete", "delete_word_right", "delete a word to the right"),
    ("delete-start", "ctrl+u", "delete_to_start_of_line", "delete to the start of the line"),
    ("delete-end", "ctrl+k", "delete_to_end_of_line", "delete to the end of the line"),
    ("cut", "ctrl+x", "cut", "cut the selection, or the line"),
    ("paste", "ctrl+v", "paste", "paste what was cut or copied here"),
    ("undo", "ctrl+underscore", "undo", "undo"),
    ("redo", "ctrl+y", "redo", "redo"),
)

EDITING = [
    Binding(keys, action, does, show=False, id=f"edit.{name}", tooltip=does.capitalize())
    for name, keys, action, does in _TABLE
]
