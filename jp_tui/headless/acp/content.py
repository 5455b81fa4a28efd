"""A prompt of an editor as a message: its text, what it embeds, and its images as files (N50)."""

from __future__ import annotations

import binascii
import os
import tempfile
from base64 import b64decode
from collections.abc import Callable
from typing import Any

from jp_tui.headless.rpc.messages import bad_params

_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}


class Images:
    """Files for the images of prompts, in a folder that only the user can read; gone at the end."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._count = 0

    def write(self, data: bytes, suffix: str) -> str:
        """Return the path of a new file."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="jp-tui-", ignore_cleanup_errors=True)
        self._count += 1
        path = os.path.join(self._folder.name, f"image-{self._count}{suffix}")
        with open(path, "wb") as file:
            file.write(data)
        return path


def read(blocks: list[dict[str, Any]], images: Images) -> tuple[str, tuple[str, ...]]:
    """Return text and image files of a prompt's content blocks. Raises RpcError."""
    words: list[str] = []
    files: list[str] = []
    for at, block in enumerate(blocks):
        reader = _READERS.get(str(block.get("type")))
        if reader is None:
            raise bad_params((f"/prompt/{at}/type", "expected text, image, resource_link or resource"))
        if not reader(block, words, files, images):
            raise bad_params((f"/prompt/{at}", "the block isn't complete"))
    return "\n\n".join(words), tuple(files)


def _text(block: dict[str, Any], words: list[str], files: list[str], images: Images) -> bool:
    if not isinstance(found := block.get("text"), str):
        return False
    words.append(found)
    return True


def _link(block: dict[str, Any], words: list[str], files: list[str], images: Images) -> bool:
    if not isinstance(uri := block.get("uri"), str):
        return False
    words.append(_place(uri))
    return True


def _resource(block: dict[str, Any], words: list[str], files: list[str], images: Images) -> bool:
    found = block.get("resource")
    if not isinstance(found, dict) or not isinstance(uri := found.get("uri"), str):
        return False
    text = found.get("text")
    words.append(f"{_place(uri)}:\n\n{text}" if isinstance(text, str) else _place(uri))
    return True


def _image(block: dict[str, Any], words: list[str], files: list[str], images: Images) -> bool:
    try:
        data = b64decode(str(block.get("data", "")), validate=True)
    except (binascii.Error, ValueError):
        return False
    if not data:
        return False
    files.append(images.write(data, _SUFFIXES.get(str(block.get("mimeType")), "")))
    return True


def _place(uri: str) -> str:
    """Return a file's path with the sign for files; another address as it is."""
    return f"@{uri.removeprefix('file://')}" if uri.startswith("file:///") else uri


_READERS: dict[str, Callable[[dict[str, Any], list[str], list[str], Images], bool]] = {
    "text": _text,
    "resource_link": _link,
    "resource": _resource,
    "image": _image,
}
