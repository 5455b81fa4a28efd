"""Images attached to a message: read when it is sent, stored with it in the log, recognized by their first bytes.

The name doesn't count; nothing larger than servers accept is read, and nothing that could block.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.session.session import Session
from jp_tui.system.files import FileProblem, HiddenFile
from jp_tui.system.ignore_lists import IgnoreLists, IgnoreProblem, IgnoreText
from jp_tui.system.regular import READ, regular

LARGEST = 3_750_000
"""Bytes per image: 5 MB as base64, the servers' limit."""
MOST = 10
"""Images per message."""


def media(data: bytes) -> str:
    """Return the media type of these bytes by their beginning; empty if models don't accept it."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if data.startswith(b"RIFF") and data[8:12] == b"WEBP" else ""


def read(path: str, root: Path, ignored: Callable[[Path], Sequence[IgnoreText]] = lambda root: ()) -> tuple[str, bytes]:
    """Return type and bytes of an image file, relative to the workspace or absolute; `ignored` reads the ignore lists
    (AR41). Raises ValueError with a message."""
    try:
        _refuse_hidden(path, root, ignored(root))
        descriptor = os.open(root / os.path.expanduser(path), READ)
        try:
            size = regular(descriptor, path).st_size
            if size > LARGEST:
                raise ValueError(f"It is too large: {size / 1e6:.1f} MB, and servers take {LARGEST / 1e6:.2f} MB.")
            with os.fdopen(os.dup(descriptor), "rb") as file:
                data = file.read(LARGEST + 1)
        finally:
            os.close(descriptor)
    except (FileProblem, IgnoreProblem) as problem:
        raise ValueError(str(problem)) from problem
    except OSError as problem:
        raise ValueError(f"It cannot be read: {problem.strerror or problem}.") from problem
    if not (kind := media(data)):
        raise ValueError("It is no PNG, JPEG, GIF or WebP image.")
    return kind, data


def _refuse_hidden(path: str, root: Path, ignored: Sequence[IgnoreText]) -> None:
    """Raise HiddenFile for a file of the workspace that an ignore list hides, by its name or after links."""
    lists, base = IgnoreLists(ignored), os.path.realpath(root)
    if not lists:
        return
    given = os.path.normpath(os.path.join(base, os.path.expanduser(path)))
    for one in (given, os.path.realpath(given)):
        inside = os.path.relpath(one, base)
        if not inside.startswith("..") and (by := lists.hidden(inside, False)):
            raise HiddenFile(path, by)


def stored(
    paths: Sequence[str], root: Path, ignored: Callable[[Path], Sequence[IgnoreText]] = lambda root: ()
) -> tuple[JsonObject, ...]:
    """Return the images of a message in stored form. Raises ValueError with a message."""
    if len(paths) > MOST:
        raise ValueError(f"No more than {MOST} images go with one message.")
    found: list[JsonObject] = []
    for path in paths:
        try:
            kind, data = read(path, root, ignored)
        except ValueError as problem:
            raise ValueError(f"The image {os.path.basename(path)} was not sent. {problem}") from problem
        name = os.path.basename(path).encode("utf-8", "replace").decode()
        found.append({"type": "image", "name": name, "media_type": kind, "data": b64encode(data).decode()})
    return tuple(found)


async def send_with_images(session: Session, text: str, paths: Sequence[str]) -> None:
    """Start a turn with this text and these images. Raises ValueError with a message; nothing was sent then."""
    if paths and session.models.images is False:
        raise ValueError(f"{session.log.model} takes no images. Take the image out, or choose another model.")
    session.log.attached = stored(paths, session.log.setup.workspace, session.log.setup.ignored)
    await session.start(text)
    if not session.busy:
        session.log.attached = ()
