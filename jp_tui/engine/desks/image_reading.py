"""Images that go along with a message: read when it is said, kept in the log with it, told by their first bytes.

Nothing is taken for an image because of its name, nothing larger than servers take, and nothing that could block.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.session.session import Session
from jp_tui.system.files import FileProblem
from jp_tui.system.regular import READ, regular

LARGEST = 3_750_000
"""Bytes of one: five megabytes as base64, which is what servers take."""
MOST = 10
"""Images with one message."""


def media(data: bytes) -> str:
    """What kind of image these bytes are, by how they begin; empty when none that models take."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if data.startswith(b"RIFF") and data[8:12] == b"WEBP" else ""


def read(path: str, root: Path) -> tuple[str, bytes]:
    """Kind and bytes of an image file, relative to the workspace or absolute, as the user named it. Raises ValueError
    with words."""
    try:
        descriptor = os.open(root / os.path.expanduser(path), READ)
        try:
            size = regular(descriptor, path).st_size
            if size > LARGEST:
                raise ValueError(f"It is too large: {size / 1e6:.1f} MB, and servers take {LARGEST / 1e6:.2f} MB.")
            with os.fdopen(os.dup(descriptor), "rb") as file:
                data = file.read(LARGEST + 1)
        finally:
            os.close(descriptor)
    except FileProblem as problem:
        raise ValueError(str(problem)) from problem
    except OSError as problem:
        raise ValueError(f"It cannot be read: {problem.strerror or problem}.") from problem
    if not (kind := media(data)):
        raise ValueError("It is no PNG, JPEG, GIF or WebP image.")
    return kind, data


def stored(paths: Sequence[str], root: Path) -> tuple[JsonObject, ...]:
    """The images of a message as the log keeps them. Raises ValueError with words."""
    if len(paths) > MOST:
        raise ValueError(f"No more than {MOST} images go with one message.")
    found: list[JsonObject] = []
    for path in paths:
        try:
            kind, data = read(path, root)
        except ValueError as problem:
            raise ValueError(f"The image {os.path.basename(path)} was not sent. {problem}") from problem
        name = os.path.basename(path).encode("utf-8", "replace").decode()
        found.append({"type": "image", "name": name, "media_type": kind, "data": b64encode(data).decode()})
    return tuple(found)


async def say(session: Session, text: str, paths: Sequence[str]) -> None:
    """Begin a turn with these words and images. Raises ValueError with words; then nothing was said."""
    if paths and session.models.images is False:
        raise ValueError(f"{session.log.model} takes no images. Take the image out, or choose another model.")
    session.log.attached = stored(paths, session.log.setup.workspace)
    await session.start(text)
    if not session.busy:
        session.log.attached = ()
