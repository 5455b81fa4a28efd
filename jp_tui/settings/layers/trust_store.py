"""Store of trusted workspace files, each with exactly one content (surface S10).

A small private file has one line per workspace: a fingerprint of the file's location, one of location and content, and
the path for people. A folder beside it has copies of trusted content, used only to show changes. A store that is
unreadable or not private to the user trusts nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from jp_tui.settings.errors import SettingsError, SettingsProblem, printable

NAME = "trusted-workspaces"
_LIMIT = 1 << 20


def trusts(store: Path, file: Path, data: bytes) -> bool:
    """True if `file` with exactly these bytes is trusted."""
    known = _lines(store)
    return bool(known) and any(line.split(" ")[:2] == list(_prints(file, data)) for line in known)


def trust(store: Path, file: Path, data: bytes) -> None:
    """Trust `file` with these bytes only. Raises SettingsError if that can't be stored."""
    place, content = _prints(file, data)
    from jp_tui.settings.edit.file_lock import locked  # saves the import at every start

    with locked(store):
        _store(_copy(store, place), data)
        _write(store, [*_others(store, place), f"{place} {content} {printable(str(file), 4_096)}"])


def fingerprint(file: Path, data: bytes) -> str:
    """Return the fingerprint of `file` with these bytes; it identifies the content that the user was shown."""
    return _prints(file, data)[1]


def known(store: Path, file: Path) -> bool:
    """True if `file` is trusted with any content, perhaps an older one."""
    place, _ = _prints(file, b"")
    return any(line.startswith(f"{place} ") for line in _lines(store))


def before(store: Path, file: Path) -> bytes | None:
    """Return the last trusted content of `file`; None if it isn't trusted or the copy is gone."""
    place, _ = _prints(file, b"")
    prints = [line.split(" ")[1] for line in _lines(store) if line.startswith(f"{place} ")]
    copy = _read(_copy(store, place))
    return copy if copy is not None and _prints(file, copy)[1] in prints else None


def forget(store: Path, file: Path) -> bool:
    """Revoke trust in `file`; return True if it was trusted with any content."""
    place, _ = _prints(file, b"")
    if len(_lines(store)) == len(_others(store, place)):
        return False
    from jp_tui.settings.edit.file_lock import locked

    with locked(store):
        known, others = _lines(store), _others(store, place)
        if len(known) == len(others):
            return False
        _write(store, others)
        _copy(store, place).unlink(missing_ok=True)
        return True


def states(store: Path, files: Sequence[tuple[Path, bytes]]) -> list[Literal["trusted", "changed", "untrusted"]]:
    """Return for each file whether it is trusted with these bytes, with others, or not. The store is read once."""
    held = dict(line.split(" ")[:2] for line in _lines(store) if line.count(" ") >= 2)
    found: list[Literal["trusted", "changed", "untrusted"]] = []
    for file, data in files:
        place, content = _prints(file, data)
        known = held.get(place)
        found.append("untrusted" if known is None else "trusted" if known == content else "changed")
    return found


def trust_files(store: Path, files: Sequence[tuple[Path, bytes]]) -> None:
    """Trust each of these files with its bytes only. Raises SettingsError if that can't be stored."""
    from jp_tui.settings.edit.file_lock import locked

    made = {_prints(file, data): (file, data) for file, data in files}
    with locked(store):
        for (place, _), (_, data) in made.items():
            _store(_copy(store, place), data)
        places = {place for place, _ in made}
        kept = [line for line in _lines(store) if line.partition(" ")[0] not in places]
        new = [f"{place} {content} {printable(str(file), 4_096)}" for (place, content), (file, _) in made.items()]
        _write(store, [*kept, *new])


def forget_below(store: Path, folders: Sequence[str]) -> bool:
    """Revoke trust in every file that is or was in these folders; return True if any was trusted."""
    heads = tuple(printable(f"{folder}/", 4_096) for folder in folders)
    gone = [line for line in _lines(store) if line.count(" ") >= 2 and line.split(" ", 2)[2].startswith(heads)]
    if not gone:
        return False
    from jp_tui.settings.edit.file_lock import locked

    with locked(store):
        _write(store, [line for line in _lines(store) if line not in gone])
        for line in gone:
            _copy(store, line.partition(" ")[0]).unlink(missing_ok=True)
    return True


def _prints(file: Path, data: bytes) -> tuple[str, str]:
    from hashlib import sha256  # only needed for a workspace with its own file

    where = os.fsencode(os.path.realpath(file))
    return sha256(where).hexdigest(), sha256(where + b"\0" + data).hexdigest()


def _copy(store: Path, place: str) -> Path:
    return store.parent / f"{store.name}.d" / place


def _lines(store: Path) -> list[str]:
    return (_read(store) or b"").decode("utf-8", "replace").splitlines()


def _read(store: Path) -> bytes | None:
    """Return the bytes of a file that is private to the user."""
    try:
        descriptor = os.open(store, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        there = os.fstat(descriptor)
        ours = stat.S_ISREG(there.st_mode) and there.st_uid == os.geteuid() and not there.st_mode & 0o022
        return os.read(descriptor, _LIMIT) if ours else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _others(store: Path, place: str) -> list[str]:
    return [line for line in _lines(store) if not line.startswith(place)]


def _write(store: Path, lines: list[str]) -> None:
    _store(store, "".join(f"{line}\n" for line in lines).encode())


def _store(file: Path, data: bytes) -> None:
    from jp_tui.system.paths import PathsError, write_private

    try:
        write_private(file, data)
    except PathsError as error:
        raise SettingsError(SettingsProblem(str(error))) from None
