"""From blocks and foreign text to rows of cells: pure functions of text, width and colours, safe on any thread.

Nothing here knows a widget, an event loop or the log; `ui/paint.py` runs it beside the UI's loop.
"""
