"""Checks of images before they are sent: is it one, does the model accept it; and the clipboard's image, saved to a
file.

The clipboard programs used are the system's, never the workspace's.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256

from jp_tui.engine.desks.image_reading import LARGEST, media, read
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.protocol.composing import CheckImage, ImageChecked
from jp_tui.system.children import ChildProblem, run
from jp_tui.system.paths import private_folder

_SEES = ("WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DISPLAY", "XAUTHORITY")
_ASKED = (
    ("WAYLAND_DISPLAY", ("wl-paste", "--no-newline", "--type", "image/png")),
    ("DISPLAY", ("xclip", "-selection", "clipboard", "-t", "image/png", "-o")),
    ("", ("pngpaste", "-")),
)
"""The variable that indicates support, and the command that returns the image."""
SECONDS = 5.0


def desk(context: DeskContext) -> Desk:
    """Serves checks of images to send."""
    return Desk(beside={CheckImage: _Images(context).check})


class _Images:
    def __init__(self, context: DeskContext) -> None:
        self._context = context

    async def check(self, command: CheckImage) -> None:
        session = self._context.sessions.get(command.conversation)
        takes = session.models.images if session is not None else None
        model = session.log.model if session is not None else ""
        path = command.path
        try:
            if takes is False:
                raise ValueError(f"{model} doesn't accept images. The path is sent as text.")
            path = path or await self._pasted()
            kind, data = read(path, self._context.setup.workspace, self._context.setup.ignored)
        except ValueError as problem:
            said = ImageChecked(ask=command.ask, path=path, problem=str(problem))
        else:
            said = ImageChecked(ask=command.ask, path=path, media_type=kind, size=len(data))
        self._context.publish(said)

    async def _pasted(self) -> str:
        """Save the clipboard's image; return the file. Raises ValueError with a message."""
        seen = {name: os.environ[name] for name in _SEES if name in os.environ}
        asked = False
        for needs, argv in _ASKED:
            if needs and not os.environ.get(needs):
                continue
            with suppress(ChildProblem):
                done = await run(
                    argv, cwd="/", timeout=SECONDS, output_limit=LARGEST + 1, flood=2 * LARGEST, env_extra=seen
                )
                asked = True
                if done.ok and not done.truncated and media(done.stdout):
                    return self._kept(done.stdout)
        if asked:
            raise ValueError("The clipboard has no image, or the image is too large.")
        raise ValueError("No program can read images from the clipboard. Install wl-clipboard, xclip or pngpaste.")

    def _kept(self, data: bytes) -> str:
        try:
            folder = private_folder(self._context.setup.scratch / "clipboard")
            path = folder / f"clipboard-{sha256(data).hexdigest()[:12]}.png"
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
                file.write(data)
        except (OSError, ValueError) as problem:
            raise ValueError(f"The image from the clipboard can't be saved: {problem}") from problem
        return str(path)
