"""jp-tui on a Textual whose private parts look different: `python -m tests.ui.altered NAME [run [ARGUMENT …]]`.

NAME is a patch of `jp_tui.ui.textual_patches`: what it touches is altered in a way that leaves Textual itself working,
before anything of jp-tui is imported. "version" makes Textual a version that isn't tested. With `run` the program
starts as `jp-tui` does; without it a short use of the workspace is made, and what isn't applied is printed as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

CALLED: list[str] = []
"""Functions of Textual that have to be called where a patch is left out."""


def _one_parameter_more(owner: Any, name: str) -> None:
    before = getattr(owner, name)

    def changed(self: Any, *given: Any, **named: Any) -> Any:
        return before(self, *given, **named)

    setattr(owner, name, changed)


def timer() -> None:
    from textual.timer import Timer

    _one_parameter_more(Timer, "_run")


def style_cache() -> None:
    from textual._styles_cache import StylesCache
    from textual.style import Style

    def get_inner_outer(self: object, base: Any, background: Any) -> tuple[Style, Style]:
        return Style(background=base + background), Style(background=base)

    StylesCache.get_inner_outer = get_inner_outer  # type: ignore[method-assign, assignment]


def strips() -> None:
    from textual.strip import Strip

    Strip.__slots__ = [*Strip.__slots__, "_new_cache"]


def compositor() -> None:
    from textual._compositor import Compositor

    _one_parameter_more(Compositor, "_get_renders")


def text_colours() -> None:
    from textual.widgets import TextArea

    before = TextArea.render_lines

    def render_lines(self: Any, crop: Any) -> Any:
        CALLED.append("render_lines")
        return before(self, crop)

    TextArea.render_lines = render_lines  # type: ignore[method-assign]


def driver() -> None:
    from textual.drivers.linux_driver import LinuxDriver

    del LinuxDriver.run_input_thread
    LinuxDriver._run_input_thread = _reading  # type: ignore[method-assign]


def _reading(self: Any) -> None:
    """An input thread of another Textual, which doesn't call `run_input_thread`."""
    import os
    import select

    from textual._xterm_parser import XTermParser

    parser = XTermParser(False)
    while not self.exit_event.is_set():
        if select.select([self.fileno], [], [], 0.05)[0]:
            for message in parser.feed(os.read(self.fileno, 1024).decode()):
                self.process_message(message)
        for message in parser.tick():
            self.process_message(message)


def crashes() -> None:
    from textual.app import App

    _one_parameter_more(App, "_close_messages_no_wait")


def version() -> None:
    from jp_tui.ui import textual_patches

    textual_patches.installed_version = lambda package: "9.0.0"


ALTERATIONS: dict[str, Callable[[], None]] = {
    "timer": timer, "style cache": style_cache, "strips": strips,
    "compositor": compositor, "text colours": text_colours, "driver": driver, "crashes": crashes,
    "version": version,
}  # fmt: skip


async def used() -> None:
    """A message, a question that is answered, a page, a hostile text, another theme."""
    from jp_tui.protocol import commands as cmd
    from jp_tui.ui import textual_patches
    from tests.fakes import scenes
    from tests.ui.app_host import workspace

    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press(*"hello there")
        assert app.composer.text == "hello there"
        ours = textual_patches.applied("compositor")
        assert (type(app._main._compositor).__module__ == "textual._compositor") != ours
        assert "hello there" in app.screen_text()
        await app.says(pilot, *scenes.asked())
        for _ in range(3):
            await app.passes(pilot, 2.0)
        await pilot.press("y")
        for _ in range(3):
            await app.passes(pilot, 2.0)
        assert app.link.of(cmd.AnswerQuestion), app.screen_text()
        app.action_open("settings")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert app.user_files.apply_theme("jp-day")
        await pilot.pause()
        assert _written(app.screen, app.console).isprintable()
        app.exit()
    assert app.return_code == 0


def _written(screen: Any, console: Any) -> str:
    """What the filter before the terminal leaves of a hostile row, without our own sequences."""
    import re

    from rich.segment import Segment
    from rich.style import Style
    from textual.strip import Strip

    row = Strip([Segment("a\x1b]52;c;x\x07b", Style(link="file:///etc/passwd")), Segment("c\u202ed")])
    said = row.render(console)
    assert "file:" not in said and "]52" in said and "\u202e" not in said
    return re.sub(r"\x1b\[[0-9;]*m", "", said)


async def crashed() -> None:
    """An exception in the app ends it with status 1 and a short message."""
    from jp_tui import guardian
    from jp_tui.guardian.child import Self
    from tests.ui.app_host import workspace

    async with workspace() as (app, pilot):
        app._handle_exception(RuntimeError("planted"))
        await pilot.pause()
    assert app.return_code == 1 and app.failures.crashed
    assert Self.word is not None and "planted" in Self.word[0] and Self.word[1], guardian


def main(name: str, *more: str) -> None:
    ALTERATIONS[name]()
    if more[:1] == ("run",):
        from jp_tui.main import main as program

        sys.exit(program(list(more[1:])))
    import textual.app
    import textual.pilot

    from tests.ui.conftest import until_idle

    textual.pilot.wait_for_idle = textual.app.wait_for_idle = until_idle  # type: ignore[attr-defined]
    asyncio.run(used())
    assert name != "text colours" or CALLED, "a text area paints as Textual has it"
    if name in ("crashes", "version"):
        asyncio.run(crashed())
    from jp_tui.ui import textual_patches

    print(json.dumps(textual_patches.problems()))


if __name__ == "__main__":
    main(*sys.argv[1:])
