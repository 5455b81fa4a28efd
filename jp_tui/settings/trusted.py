"""Which workspaces' files the user trusts, each with exactly one content (surface S10).

A small private file: one line a workspace with a fingerprint of where its file is, a fingerprint of that together with
what it holds, and the path for people. Whatever cannot be read or is not ours alone trusts nothing.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from jp_tui.settings.errors import Problem, SettingsError, printable

NAME = "trusted-workspaces"
_LIMIT = 1 << 20


def trusts(store: Path, file: Path, data: bytes) -> bool:
    """Whether `file` with exactly these bytes is trusted."""
    known = _lines(store)
    return bool(known) and any(line.split(" ")[:2] == list(_prints(file, data)) for line in known)


def trust(store: Path, file: Path, data: bytes) -> None:
    """Trust `file` with these bytes, and no longer with any others. SettingsError when that cannot be stored."""
    place, content = _prints(file, data)
    from jp_tui.settings.alone import alone  # no start waits for it

    with alone(store):
        _write(store, [*_others(store, place), f"{place} {content} {printable(str(file), 4_096)}"])


def forget(store: Path, file: Path) -> bool:
    """Trust `file` no longer; whether it was trusted with any content."""
    place, _ = _prints(file, b"")
    if len(_lines(store)) == len(_others(store, place)):
        return False
    from jp_tui.settings.alone import alone

    with alone(store):
        known, others = _lines(store), _others(store, place)
        if len(known) == len(others):
            return False
        _write(store, others)
        return True


def _prints(file: Path, data: bytes) -> tuple[str, str]:
    from hashlib import sha256  # only where a workspace has a file of its own

    where = os.fsencode(os.path.realpath(file))
    return sha256(where).hexdigest(), sha256(where + b"\0" + data).hexdigest()


def _lines(store: Path) -> list[str]:
    try:
        descriptor = os.open(store, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        there = os.fstat(descriptor)
        ours = stat.S_ISREG(there.st_mode) and there.st_uid == os.geteuid() and not there.st_mode & 0o022
        return os.read(descriptor, _LIMIT).decode("utf-8", "replace").splitlines() if ours else []
    except OSError:
        return []
    finally:
        os.close(descriptor)


def _others(store: Path, place: str) -> list[str]:
    return [line for line in _lines(store) if not line.startswith(place)]


def _write(store: Path, lines: list[str]) -> None:
    from jp_tui.system.paths import PathsError, write_private

    try:
        write_private(store, "".join(f"{line}\n" for line in lines).encode())
    except PathsError as error:
        raise SettingsError(Problem(str(error))) from None
