"""Lock for changes to a user's file, so that concurrent read-modify-write cycles of jp-tui processes don't lose updates
(S10).

It is an advisory lock on a separate file beside it. Waits a few seconds for the other process, then reports it; never
writes without the lock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from jp_tui.settings.errors import SettingsError, SettingsProblem
from jp_tui.system.lock import FileLock, Holder, LockError, acquire
from jp_tui.system.paths import PathsError

WAIT_SECS = 10.0
_PAUSE = 0.02


@contextmanager
def locked(file: Path, key: str = "") -> Iterator[None]:
    """Lock `file` against other jp-tui processes. Raises SettingsError, for `key`, if the lock isn't free within 10
    seconds or the folder doesn't support locks. Don't nest it for one file."""
    held = _held(file.with_name(f".{file.name}.lock"), file, key)
    try:
        yield
    finally:
        held.release()


def _held(place: Path, file: Path, key: str) -> FileLock:
    me = Holder.me("jp-tui", f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    until = time.monotonic() + WAIT_SECS
    while True:
        try:
            found = acquire(place, me)
        except (LockError, PathsError) as error:
            raise SettingsError(SettingsProblem(str(error), key)) from None
        if isinstance(found, FileLock):
            return found
        if time.monotonic() > until:
            said = f"has been locked by {found} for {WAIT_SECS:g} seconds. Nothing was saved. Try again."
            raise SettingsError(SettingsProblem(said, key, str(file)))
        time.sleep(_PAUSE)
