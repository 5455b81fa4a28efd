"""`/plan`: plan mode begins, `/plan off`: it ends (context.md K41)."""

from __future__ import annotations

from textual.content import Content

from jp_tui.protocol.commands import SetPlanMode
from jp_tui.ui.pages import Host
from jp_tui.ui.text import ours
from jp_tui.view.wording.context import PLAN_ENDED, PLAN_MODE


def open_page(host: Host, argument: str) -> Content:
    """See `ui/pages.py`."""
    on = argument.strip().casefold() != "off"
    host.send(SetPlanMode(conversation=host.main.conversation, on=on))
    return ours(PLAN_MODE if on else PLAN_ENDED)
