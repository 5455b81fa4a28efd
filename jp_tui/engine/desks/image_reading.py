"""Messages as they are sent: own commands, and images, which are read then, stored with the message in the log, and
recognized by their first bytes.

The name doesn't count; nothing larger than servers accept is read, and nothing that could block.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path

from jp_tui.conversation.images import media as media
from jp_tui.conversation.model import ModelError
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.context_settings import CommandText
from jp_tui.engine.context.own_commands import CommandRefused, command_text
from jp_tui.engine.desks.mcp.content import resources
from jp_tui.engine.session.session import Session
from jp_tui.system.files import FileProblem, HiddenFile
from jp_tui.system.ignore_lists import IgnoreLists, IgnoreProblem, IgnoreText
from jp_tui.system.regular import READ, regular

LARGEST = 3_750_000
"""Bytes per image: 5 MB as base64, the servers' limit."""
MOST = 10
"""Images per message."""


def read(path: str, root: Path, ignored: Callable[[Path], Sequence[IgnoreText]] = lambda root: ()) -> tuple[str, bytes]:
    """Return type and bytes of an image file, relative to the workspace or absolute; `ignored` reads the ignore lists
    (AR41). Raises ValueError with a message."""
    try:
        _refuse_hidden(path, root, ignored(root))
        descriptor = os.open(root / os.path.expanduser(path), READ)
        try:
            size = regular(descriptor, path).st_size
            if size > LARGEST:
                raise ValueError(f"It has {size / 1e6:.1f} MB; the limit is {LARGEST / 1e6:.2f} MB.")
            with os.fdopen(os.dup(descriptor), "rb") as file:
                data = file.read(LARGEST + 1)
        finally:
            os.close(descriptor)
    except (FileProblem, IgnoreProblem) as problem:
        raise ValueError(str(problem)) from problem
    except OSError as problem:
        raise ValueError(f"It can't be read: {problem.strerror or problem}.") from problem
    if not (kind := media(data)):
        raise ValueError("It isn't a PNG, JPEG, GIF or WebP image.")
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
        raise ValueError(f"A message can have at most {MOST} images.")
    found: list[JsonObject] = []
    for path in paths:
        try:
            kind, data = read(path, root, ignored)
        except ValueError as problem:
            raise ValueError(f"The image {os.path.basename(path)} was not sent. {problem}") from problem
        name = os.path.basename(path).encode("utf-8", "replace").decode()
        found.append({"type": "image", "name": name, "media_type": kind, "data": b64encode(data).decode()})
    return tuple(found)


async def send_message(session: Session, text: str, paths: Sequence[str], *, command: bool = False) -> None:
    """Start a turn with this text, these images and the resources that it names (mcp.md P48); with `command` the text
    may be `/NAME …` (K50). Raises ValueError with a message, CommandRefused among them, and ModelError; nothing was
    sent then."""
    said = command_text(session.log.setup.own_commands, text) if command else None
    if paths and session.models.images is False:
        raise ValueError(f"{session.log.model} doesn't accept images. Remove the image or select another model.")
    attached = stored(paths, session.log.setup.workspace, session.log.setup.ignored)
    attached += await resources(session.log.setup.server_content, text)
    if said is not None and said.model:
        await _for_command(session, said)
    session.log.attached, session.log.command = attached, said
    await session.start(text)
    if not session.busy:
        session.log.attached, session.log.command = (), None


async def _for_command(session: Session, said: CommandText) -> None:
    """Hold the next turn with the model that the command names. Raises CommandRefused."""
    if session.busy or session.held_by:
        raise CommandRefused("The model is still working.", "Wait, or press Esc to interrupt it.")
    if session.models.held.id == said.model:
        return
    setup = session.log.setup
    try:
        model = await (setup.open_agent_model or setup.open_model)(said.model)
    except ModelError as problem:
        advice = f"Change `model` in its file, or set an alias: providers.llm.aliases.{said.model} = PROVIDER/MODEL."
        raise CommandRefused(f"/{said.name} wants the model {said.model}: {problem}", advice) from problem
    await session.models.switch(model, once=True)
