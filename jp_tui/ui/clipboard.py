"""Copying: to the terminal by OSC 52, and to the system's clipboard by its own program where there is one.

A part of the app. It says what was copied and by which way, and when there was none. What is copied is harmless text
(`view/composer/clipboard_text.py`); nothing is ever copied that was not asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from os.path import basename
from typing import TYPE_CHECKING

from jp_tui.conversation.text import Foreign
from jp_tui.ui.keys.bindings import words
from jp_tui.ui.text import foreign, ours
from jp_tui.view.composer.clipboard_text import OSC52_MOST, harmless, measured

if TYPE_CHECKING:
    from textual.app import App
    from textual.content import Content

    _Part = App[None]
else:
    _Part = object


class Clipping(_Part):
    """The app's side of copying."""

    clip_environment: Mapping[str, str]
    clip_say: Callable[[Content], None]
    _handing: asyncio.Task[None] | None = None
    """What gives the text to the system's clipboard; kept, or it would be collected."""

    def copied(self, text: str, what: str = "") -> None:
        """Copy a text; `what` names it in words of ours, else its beginning is shown."""
        text = harmless(text)
        if not text:
            self.clip_say(ours("Nothing to copy there"))
            return
        by_terminal = len(text.encode("utf-8", "replace")) <= OSC52_MOST
        if by_terminal:
            self.copy_to_clipboard(text)
        else:
            self._clipboard = text  # for pasting here
        self._handing = asyncio.get_running_loop().create_task(self._by_system(text, what, by_terminal))

    async def _by_system(self, text: str, what: str, by_terminal: bool) -> None:
        from jp_tui.system.clipboard import hand_over, program

        argv = program(self.clip_environment)
        problem = await hand_over(argv, text, self.clip_environment) if argv else ""
        ways = ["the terminal (OSC 52)"] if by_terminal else []
        if argv and not problem:
            ways.append(basename(argv[0]))
        name = words(what) if what else foreign(Foreign(f'"{text.strip()}"'), mode="line", limit=30)
        size = words(measured(text))
        if ways:
            said = ours("Copied {name}, {size}, by {ways}", name=name, size=size, ways=words(" and ".join(ways)))
        else:
            said = ours(
                "Not copied: {name}, {size}, is more than a terminal takes ({most} bytes), and {why}",
                style="$failed-foreground",
                name=name,
                size=size,
                most=OSC52_MOST,
                why=foreign(Foreign(problem), mode="line") if problem else ours("there is no clipboard program here"),
            )
        self.clip_say(said)
