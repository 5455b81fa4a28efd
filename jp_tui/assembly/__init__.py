"""From settings to an engine: the half of the composition root that knows providers, tools and the journal.

Everything is decided here once, at the start, and handed on as values (HOUSE: settings are data from below).
"""

from __future__ import annotations

from jp_tui.assembly.setup import setup as setup
