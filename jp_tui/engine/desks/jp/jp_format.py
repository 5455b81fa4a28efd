"""Reader for jp's stored conversations (its storage notes): find, read, decode. Read-only.

Base64 is decoded by field, never by guessing; what doesn't decode is plain text. Unreadable content becomes a problem
with its path and reason.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.system.problem import FileProblem
from jp_tui.system.regular import READ, regular

MAX_BYTES = 1 << 30
MAX_DEPTH = 100
EVENTS, METADATA, BASE = "events.json", "metadata.json", "base_config.json"
ARCHIVE, TRASH = ".archive", ".trash"
PAUSE = 64
"""Events processed at once."""
_NAME = re.compile(r"(\d{6,15})(?:-.*)?", re.ASCII)
_BLANKS = re.compile(r"[ \t\r\n]*")


class Unreadable(Exception):
    """Unreadable file or folder: `path`, and the reason as text."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


@dataclass(frozen=True, slots=True)
class Folder:
    """Folder of one conversation; `id` is the conversation's in jp, if its name contains it."""

    path: Path
    id: str
    archived: bool = False


@dataclass(slots=True)
class JpConversation:
    """Its content. `events` are decoded and in order; `unread` counts those stored without being understood, `problem`
    is the reason for the first."""

    id: str
    title: str = ""
    model: str = ""
    archived: bool = False
    events: list[JsonObject] = field(default_factory=list)
    unread: int = 0
    problem: str = ""


# --- search ----------------------------------------------------------------------------------------------------


def folders(named: str, user_data: Path | None = None) -> list[Folder]:
    """Return the conversations at a path: one's folder, a folder of several, or a workspace of jp with those in jp's
    user folder. Of two copies the latest counts, else the user's. Raises Unreadable."""
    path = Path(os.path.abspath(os.path.expanduser(named)))
    if not path.is_dir():
        reason = "is not a folder" if path.exists() else "does not exist"
        raise Unreadable(path, reason)
    if _is_one(path):
        return [_folder(path, archived=path.parent.name == ARCHIVE)]
    inside = next((one for one in (path / ".jp" / "conversations", path / "conversations") if one.is_dir()), path)
    found = {one.id: one for one in _within(inside)}
    if inside != path and user_data is not None:
        for theirs in _users(user_data, inside, found):
            mine = found.get(theirs.id)
            if mine is None or _changed(theirs) >= _changed(mine):
                found[theirs.id] = theirs
    if not found:
        raise Unreadable(path, "has no jp conversation (a folder with events.json)")
    return [found[id_] for id_ in sorted(found)]


def _within(path: Path) -> Iterator[Folder]:
    """Iterate over those in a folder; archived ones too, but not those in the trash."""
    for archived, place in ((True, path / ARCHIVE), (False, path)):
        try:
            names = sorted(os.listdir(place))
        except FileNotFoundError:
            continue
        except OSError as problem:
            raise Unreadable(place, _because(problem)) from problem
        for name in names:
            named = name not in (ARCHIVE, TRASH) and (_NAME.fullmatch(name) or _is_one(place / name))
            if named and (place / name).is_dir():
                yield _folder(place / name, archived=archived)


def _users(user_data: Path, inside: Path, mine: dict[str, Folder]) -> Iterator[Folder]:
    """Iterate over the user's own copies: of the folder that belongs to this workspace by its id, or shares a
    conversation."""
    try:
        id_ = (inside.parent / ".id").read_text("utf-8", "replace").strip()[:64]
    except OSError:
        id_ = ""
    try:
        names = sorted(os.listdir(user_data / "workspace"))
    except OSError:
        return
    for name in names:
        place = user_data / "workspace" / name / "conversations"
        if place.is_dir():
            theirs = list(_within(place))
            if (id_ and name.endswith(f"-{id_}")) or any(one.id in mine for one in theirs):
                yield from theirs


def _is_one(path: Path) -> bool:
    return (path / EVENTS).exists()


def _folder(path: Path, *, archived: bool) -> Folder:
    named = _NAME.fullmatch(path.name)
    return Folder(path, f"jp-c{named[1]}" if named else path.name, archived)


def _changed(folder: Folder) -> float:
    try:
        return (folder.path / EVENTS).stat().st_mtime
    except OSError:
        return 0.0


# --- reading ---------------------------------------------------------------------------------------------------


async def read(folder: Folder, tick: Callable[[], None] = lambda: None) -> JpConversation:
    """Read one conversation in pieces, with a `tick` after each, so that other work continues. Raises Unreadable."""
    found = JpConversation(folder.id, archived=folder.archived)
    path = folder.path / EVENTS
    text = _text(path)
    place = _start(text, path)
    while place is not None:
        value, place = _next(text, place, path)
        _take(found, value)
        if len(found.events) % PAUSE == 0:
            tick()
            await asyncio.sleep(0)
    metadata = _object(folder.path / METADATA)
    title = metadata.get("title")
    found.title = title if isinstance(title, str) else ""
    found.archived = found.archived or bool(metadata.get("archived_at"))
    found.model = _model(_object(folder.path / BASE)) or next(filter(None, map(_model_of, found.events)), "")
    return found


def _text(path: Path) -> str:
    try:
        descriptor = os.open(path, READ)
        with open(descriptor, "rb") as file:
            if regular(descriptor, str(path)).st_size > MAX_BYTES:
                raise Unreadable(path, "is larger than 1 GiB")
            return file.read(MAX_BYTES).decode("utf-8")
    except FileProblem as problem:
        raise Unreadable(path, str(problem)) from problem
    except OSError as problem:
        raise Unreadable(path, _because(problem)) from problem
    except UnicodeDecodeError as problem:
        raise Unreadable(path, f"is not UTF-8 text (at byte {problem.start})") from problem


def _start(text: str, path: Path) -> int | None:
    """Return the position of the first event; None for an empty array."""
    begin = _blank(text, 0)
    if not text.startswith("[", begin):
        raise Unreadable(path, "isn't a JSON array of events")
    begin = _blank(text, begin + 1)
    if text.startswith("]", begin):
        _end(text, begin, path)
        return None
    return begin


def _next(text: str, place: int, path: Path) -> tuple[Json, int | None]:
    try:
        value, end = _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError) as problem:
        line = text.count("\n", 0, getattr(problem, "pos", place)) + 1
        reason = getattr(problem, "msg", None) or (
            "nested too deeply" if isinstance(problem, RecursionError) else problem
        )
        raise Unreadable(path, f"line {line}: {reason}") from problem
    end = _blank(text, end)
    if text.startswith(",", end):
        return value, _blank(text, end + 1)
    if text.startswith("]", end):
        _end(text, end, path)
        return value, None
    raise Unreadable(path, f"line {text.count(chr(10), 0, end) + 1}: the array of events is incomplete")


def _end(text: str, place: int, path: Path) -> None:
    if _blank(text, place + 1) != len(text):
        raise Unreadable(path, "there is text after the array of events")


def _blank(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found is not None else place


def _constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_constant)


def _take(found: JpConversation, value: Json) -> None:
    problem = ""
    if not isinstance(value, dict):
        raw: JsonObject = {"type": "unreadable", "value": value}
        problem = "an event that isn't an object"
    else:
        raw = decoded(value)
        read_back = read_event(raw)
        problem = read_back.problem if isinstance(read_back, ev.Unknown) else ""
    if _depth(raw) > MAX_DEPTH:
        raw, problem = (
            {"type": "unreadable", "text": json.dumps(value)[: 1 << 20]},
            "an event that is nested too deeply",
        )
    found.events.append(raw)
    if problem:
        found.unread += 1
        found.problem = found.problem or f"event {len(found.events)}: {problem}"


def _object(path: Path) -> JsonObject:
    """Return the object in a file beside the events; empty if missing or unreadable."""
    try:
        found = json.loads(_text(path))
    except (Unreadable, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


# --- decoding -----------------------------------------------------------------------------------------------


def decoded(raw: JsonObject) -> JsonObject:
    """Return the event with base64 decoded, in exactly the fields that jp encodes."""
    found = dict(raw)
    match raw.get("type"):
        case "tool_call_request" if isinstance(raw.get("arguments"), dict):
            found["arguments"] = _each(raw["arguments"])
        case "tool_call_response" if isinstance(raw.get("content"), str):
            found["content"] = plain(cast(str, raw["content"]))
        case _:
            pass
    if "metadata" in raw:
        found["metadata"] = _each(raw["metadata"])
    return found


def _each(value: Json) -> Json:
    match value:
        case str():
            return plain(value)
        case dict():
            return {key: _each(item) for key, item in value.items()}
        case list():
            return [_each(item) for item in value]
        case _:
            return value


def plain(text: str) -> str:
    """Decode base64 of the standard or URL-safe alphabet; else return the text unchanged."""
    for other in (None, b"-_"):
        try:
            return base64.b64decode(text, altchars=other, validate=True).decode("utf-8")
        except (binascii.Error, ValueError):
            continue
    return text


def _depth(value: Json) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            item
            for one in level
            for item in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
            if isinstance(item, dict | list)
        ]
    return depth


def _model_of(event: JsonObject) -> str:
    delta = event.get("delta", event) if event.get("type") == "config_delta" else None
    return _model(delta) if isinstance(delta, dict) else ""


def _model(config: JsonObject) -> str:
    """Return PROVIDER/NAME from jp's settings."""
    value: Json = config
    for key in ("assistant", "model", "id"):
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, dict):
        provider, name = value.get("provider"), value.get("name")
        return f"{provider}/{name}" if isinstance(provider, str) and isinstance(name, str) else ""
    return value if isinstance(value, str) else ""


def _because(problem: OSError) -> str:
    return problem.strerror or str(problem)
