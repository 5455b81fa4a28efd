"""Composition root: reads the command line and the settings, builds engine, link and one front end, and runs it.

Errors before the start are printed on stderr as plain text, with exit status 2 (surface S1).
"""

from __future__ import annotations

from jp_tui.startup.front import run as run
