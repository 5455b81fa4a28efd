"""Images as models accept them: the kind by the first bytes, whatever a name or a server says."""

from __future__ import annotations

from collections.abc import Iterable

from jp_tui.conversation.model import Picture
from jp_tui.conversation.strict_json import JsonObject

ATTACHED = "attachments"
"""Metadata key for the images and resources of a user message (`image_reading.py`), and for the images of a result."""


def media(data: bytes) -> str:
    """Return the media type of these bytes by their beginning; empty if models don't accept it."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if data.startswith(b"RIFF") and data[8:12] == b"WEBP" else ""


def pictures(metadata: JsonObject) -> Iterable[Picture]:
    """Return the valid images of a user message or a result."""
    kept = metadata.get(ATTACHED)
    for one in kept if isinstance(kept, list) else ():
        if isinstance(one, dict) and one.get("type") == "image":
            kind, data, name = one.get("media_type"), one.get("data"), one.get("name", "")
            if isinstance(kind, str) and isinstance(data, str) and isinstance(name, str):
                yield Picture(kind, data, name)


def stored(image: Picture) -> JsonObject:
    """Return an image in stored form."""
    return {"type": "image", "name": image.name, "media_type": image.media, "data": image.data}
