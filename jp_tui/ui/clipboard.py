"""Copy text: to the terminal by OSC 52, and to the system's clipboard by its own program if there is one.

A notice says what was copied and how, or why not. The text is cleaned first (`view/composer/clipboard_text.py`).
Nothing is copied unless the user asked for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from os.path import basename
from typing import Any

from textual.app import App
from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.ui.keys.bindings import words
from jp_tui.ui.text import foreign, ours
from jp_tui.ui.textual_patches.private import set_clipboard
from jp_tui.view.composer.clipboard_text import OSC52_MOST, harmless, measured


class Copier:
    """Copies for one app. `environment` says which clipboard there is; `say` shows a notice in the last line."""

    def __init__(self, app: App[Any], environment: Mapping[str, str], say: Callable[[Content], None]) -> None:
        self._app, self._environment, self._say = app, environment, say
        self.task: asyncio.Task[None] | None = None
        """The task that hands the text to the system's clipboard. Kept, or it would be collected as garbage."""

    def copy(self, text: str, what: str = "") -> None:
        """Copy a text. `what` names it in the notice; without it the notice shows the text's beginning."""
        text = harmless(text)
        if not text:
            self._say(ours("Nothing to copy"))
            return
        by_terminal = len(text.encode("utf-8", "replace")) <= OSC52_MOST
        if by_terminal:
            self._app.copy_to_clipboard(text)
        else:
            set_clipboard(self._app, text)  # for pasting here
        self.task = asyncio.get_running_loop().create_task(self._by_system(text, what, by_terminal))

    async def _by_system(self, text: str, what: str, by_terminal: bool) -> None:
        from jp_tui.system.clipboard import hand_over, program

        argv = program(self._environment)
        problem = await hand_over(argv, text, self._environment) if argv else ""
        ways = ["the terminal (OSC 52)"] if by_terminal else []
        if argv and not problem:
            ways.append(basename(argv[0]))
        name = words(what) if what else foreign(Foreign(f'"{text.strip()}"'), mode="line", limit=30)
        size = words(measured(text))
        if ways:
            notice = ours("Copied {name}, {size}, by {ways}", name=name, size=size, ways=words(" and ".join(ways)))
        else:
            notice = ours(
                "Not copied: {size} are over the terminal's limit of {most} bytes, and {why}",
                style="$failed-foreground",
                size=size,
                most=OSC52_MOST,
                why=foreign(Foreign(problem), mode="line") if problem else ours("no clipboard program is installed"),
            )
        self._say(notice)
