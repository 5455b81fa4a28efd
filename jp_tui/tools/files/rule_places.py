"""Disk lookups of approval rules: folders, links, programs, files hidden from models (rules.md AR15, AR16). Read-only;
an inaccessible path is taken as written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from functools import lru_cache

from jp_tui.system.children import child_environment
from jp_tui.system.ignore_lists import IgnoreLists, IgnoreText
from jp_tui.tools.files import guard


class RulePlacesOnDisk:
    """See `rules.values.Places`. For one decision: what it found is not looked up again. `secrets` are the names of
    files that hold secrets, None for the usual ones; `ignored` the ignore lists."""

    def __init__(
        self,
        root: str,
        environment: Mapping[str, str],
        secrets: Sequence[str] | None = None,
        ignored: Sequence[IgnoreText] = (),
    ) -> None:
        self._hidden = IgnoreLists(ignored).hidden
        self._root, self._secrets = root, guard.SECRETS if secrets is None else tuple(secrets)
        self._path = child_environment(environment)["PATH"]
        self.real = lru_cache(maxsize=None)(_real)
        self.folder = lru_cache(maxsize=None)(_folder)

    def program(self, name: str, cwd: str) -> str | None:
        """See Places."""
        found = shutil.which(os.path.join(cwd, name) if "/" in name else name, path=self._path)
        return None if found is None else self.real(found)

    def kept_from(self, path: str, *, writes: bool) -> bool:
        """See Places."""
        inside = os.path.relpath(path, self._root)
        if inside.startswith(".."):
            return False
        if guard.secret(inside, self._secrets) or (inside != "." and self._hidden(inside, os.path.isdir(path))):
            return True
        return writes and (guard.control(inside) or guard.why_protected(inside) is not None)


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _folder(path: str) -> str | None:
    found = _real(path)
    return found if os.path.isdir(found) else None
