"""The exception of all file operations, with plain text for the system's errors. Opens nothing."""

from __future__ import annotations

import errno
from typing import Literal

Kind = Literal[
    "outside", "bad_name", "not_found", "exists", "is_directory", "not_a_directory", "not_a_file",
    "changed", "permission", "no_space", "io",
]  # fmt: skip

_WORDS: dict[int, tuple[Kind, str]] = {
    errno.ENOENT: ("not_found", "there is no such file or folder"),
    errno.EEXIST: ("exists", "exists already"),
    errno.ENOTEMPTY: ("exists", "is a folder that is not empty"),
    errno.EISDIR: ("is_directory", "is a folder"),
    errno.ENOTDIR: ("not_a_directory", "a part of the path is not a folder"),
    errno.ELOOP: ("bad_name", "goes round in circles through links"),
    errno.ENAMETOOLONG: ("bad_name", "is too long for a name"),
    errno.EINVAL: ("bad_name", "is not possible here"),
    errno.EXDEV: ("io", "is on another file system"),
    errno.ENXIO: ("not_a_file", "is not a regular file"),
    errno.EACCES: ("permission", "permission denied"),
    errno.EPERM: ("permission", "permission denied"),
    errno.EROFS: ("permission", "the file system is read-only"),
    errno.ENOSPC: ("no_space", "no space is left on the disk"),
    errno.EDQUOT: ("no_space", "the disk quota is used up"),
    errno.EFBIG: ("no_space", "is larger than files may be here"),
}


class FileProblem(Exception):
    """Reason why a file operation failed; `str(problem)` is a plain sentence with the path.

    `kind` is for programs; `path` as requested, so untrusted text. Nothing was changed.
    """

    def __init__(self, kind: Kind, path: str, message: str) -> None:
        super().__init__(f"{display_path(path)}: {message}")
        self.kind: Kind = kind
        self.path = path
        self.message = message


def display_path(path: str) -> str:
    """Return a path for a sentence: unchanged if all characters are printable, else escaped and quoted."""
    return path if path and path.isprintable() else repr(path)


def problem(error: OSError, path: str) -> FileProblem:
    """Convert the system's error about `path`."""
    kind, words = _WORDS.get(error.errno or 0, ("io", error.strerror or type(error).__name__))
    return FileProblem(kind, path, words)
