"""The composition root: reads the command line and the settings, builds engine, link and one face, and runs it.

Whatever is wrong before anything starts is said on stderr in plain words and ends with status 2 (surface S1).
"""

from __future__ import annotations

from jp_tui.startup.front import run as run
