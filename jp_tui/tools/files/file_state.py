"""Description of an existing file for whoever decides about replacing or deleting it (S40: `confirm`,
`overwrite_file`). It includes the hash of the content, or size and time of a large file, so that the question's digest
binds the answer to exactly that content. Shows the first lines; changes nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass

from jp_tui.conversation.text import shortened
from jp_tui.system.files import FileProblem, Root, StaleBase, sha256
from jp_tui.system.problem import display_path
from jp_tui.tools.files.approval import fenced

MAX_HASHED = 16 << 20
_LINES = 20
_COLUMNS = 200


@dataclass(frozen=True, slots=True)
class FileState:
    """A file or a link.

    `sha256` is None for a large file, whose `data` is its beginning; `words` is the description. `text` is None unless
    the file is UTF-8 text, `link` is None unless it is a link.
    """

    real: str
    words: str
    sha256: str | None
    data: bytes
    stamp: tuple[int, int]
    text: str | None = None
    link: str | None = None

    def check(self, root: Root) -> None:
        """Raise StaleBase if a large file, which has no hash, changed since it was described."""
        if self.sha256 is None:
            now = root.stat(self.real, follow=False)
            if (now.size, now.mtime_ns) != self.stamp:
                raise StaleBase(self.real)


def describe(root: Root, path: str) -> FileState:
    """Describe the entry at `path` without following links. Raises FileProblem for a folder or a missing file."""
    stat = root.stat(path, follow=False)
    stamp = (stat.size, stat.mtime_ns)
    name = display_path(stat.real)
    if stat.kind == "link":
        target = stat.link or ""
        data = os.fsencode(target)
        return FileState(
            stat.real, f"{name} is a link to {display_path(target)}.", sha256(data), data, stamp, link=target
        )
    if stat.kind == "folder":
        raise FileProblem("is_directory", path, "is a folder; this is for single files")
    if stat.kind != "file":
        raise FileProblem("not_a_file", path, "is not a regular file")
    found = root.read(stat.real, MAX_HASHED)
    if found.truncated:
        words = f"{name} has {stat.size:,} bytes, last changed at {stat.mtime_ns} ns after 1970."
        return FileState(stat.real, words, None, found.data, stamp)
    text = _text(found.data)
    return FileState(stat.real, _words(name, found.data, text), found.sha256, found.data, stamp, text=text)


def _text(data: bytes) -> str | None:
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _words(name: str, data: bytes, text: str | None) -> str:
    hashed = f"SHA-256 {sha256(data)}"
    if not data:
        return f"{name} is empty."
    if text is None:
        return f"{name} has {len(data):,} bytes that are not text ({hashed})."
    lines = text.split("\n")
    count = len(lines) - (not lines[-1])
    first = [shortened(line, _COLUMNS) for line in lines[: min(count, _LINES)]]
    more = f"\n{count - _LINES:,} more lines follow." if count > _LINES else ""
    words = f"{name} has {len(data):,} bytes in {count:,} {'line' if count == 1 else 'lines'} ({hashed}):"
    return f"{words}\n{fenced('', chr(10).join(first))}{more}"
