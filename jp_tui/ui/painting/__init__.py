"""Paint blocks and untrusted text as rows of cells: pure functions of text, width and colours, safe on any thread.

Nothing here uses a widget, an event loop or the log. `painter.py` runs these functions in a thread.
"""
