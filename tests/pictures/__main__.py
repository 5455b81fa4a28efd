"""The documentation's pictures, taken of the program itself: `python -m tests.pictures [NAME]...`, or `make pictures`.

Each is a walk of the tour, played by the real engine, tools and screen in a folder of its own; a key is pressed when
what comes before it is on the screen. Nothing is drawn by hand, so a picture that is wrong is a screen that is wrong.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SIZE = (120, 36)
SMALL = (72, 18)
"""A picture of the strip in the README: three stand side by side."""
SECONDS = 30.0
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""A picture asks no other place for its letters."""


@dataclass(frozen=True)
class Picture:
    """What is typed first, then (words to wait for, keys) in order; taken when `last` is on the screen."""

    prompt: str
    steps: tuple[tuple[str, str], ...]
    last: str
    theme: str = "jp-night"
    size: tuple[int, int] = SIZE


PICTURES = {
    "change": Picture("1", (), "y yes"),
    "form": Picture("9", (("Shall there be a release", "y"),), "What kind of release", "jp-day"),
    "escalation": Picture("12", (), "y yes", "jp-dusk"),
    "agents": Picture("13", (("3 waiting for you", "f4"),), "asked by fs_modify_file", "jp-night"),
    "strip-change": Picture("1", (), "y yes", size=SMALL),
    "strip-reviewer": Picture("12", (), "y yes", size=SMALL),
    "strip-why": Picture("1", (("y yes", "w"),), "No remembered", size=SMALL),
}


async def take(name: str) -> str:
    """One picture as SVG. Raises TimeoutError with what is on the screen instead."""
    wanted = PICTURES[name]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JP_TUI_HOME"] = str(Path(folder, "home"))
        workspace = Path(folder, "acme")
        os.mkdir(workspace)
        app = _app(workspace, wanted.theme)
        async with app.run_test(size=wanted.size) as pilot:
            await _until(app, pilot, "two sub-agents ask")
            for letter in wanted.prompt:
                await pilot.press(letter)
            await pilot.press("enter")
            for words, keys in wanted.steps:
                await _until(app, pilot, words)
                await asyncio.sleep(0.7)  # a sheet listens when it has been seen
                await pilot.press(*keys.split())
            await _until(app, pilot, wanted.last)
            await asyncio.sleep(0.7)
            await pilot.pause()
            picture = app.export_screenshot(title="jp-tui")
            app.exit()
    return _FONTS.sub("", picture)


def _app(workspace: Path, theme: str, clock=time.monotonic):  # type: ignore[no-untyped-def]  # imported late: the environment decides
    from jp_tui.protocol.commands import OpenConversation
    from jp_tui.settings.cli.arguments import CommandLine
    from jp_tui.settings.themes import themes
    from jp_tui.startup.engine import link
    from jp_tui.startup.parts import RunLocation, journal, parts
    from jp_tui.ui.app import WorkspaceApp

    arguments = CommandLine(workspace=str(workspace), model="demo/tour")
    place = RunLocation(arguments)
    made = parts(arguments, place.sources.load(), place)
    log = journal(made)
    return WorkspaceApp(
        link=lambda: link(made, log, client=True, command="jp-tui", greet=True),
        open_command=lambda: OpenConversation(which="new"),
        workspace=str(workspace),
        home=str(workspace.parent),
        theme=theme,
        themes=themes.names(str(place.paths.themes)),
        state_dir=place.paths.state,
        clock=clock,
        environment={},
    )


async def _until(app, pilot, words: str) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + SECONDS
    while words not in _text(app):
        if time.monotonic() > end:
            raise TimeoutError(f"{words!r} did not come; there is:\n{_text(app)}")
        await pilot.pause(0.05)


def _text(app) -> str:  # type: ignore[no-untyped-def]
    rows = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows)


def main(names: list[str]) -> int:
    """Take them and write them into the folder of pictures."""
    if unknown := [name for name in names if name not in PICTURES]:
        print(f"there is no picture {', '.join(unknown)}; there are {', '.join(PICTURES)}", file=sys.stderr)
        return 2
    for variable in [name for name in os.environ if name.endswith("_API_KEY") or name == "NO_COLOR"]:
        del os.environ[variable]
    for name in names or list(PICTURES):
        file = FOLDER / f"{name}.svg"
        file.write_text(asyncio.run(take(name)), encoding="utf-8")
        print(f"{file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
