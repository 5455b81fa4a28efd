"""Names by which workers are seen (store.md D21): each holds one for each of its folders, like a conversation."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence


def presence(machine: str, folder: str) -> str:
    """Return the name for a folder of a machine; with an empty machine for that path on any."""
    named = f"{machine}\0{folder}".encode("utf-8", "surrogateescape")
    return f"serve-{hashlib.sha256(named).hexdigest()[:32]}"


def worker_of(machine: str, folder: str, holders: Callable[[Sequence[str]], Mapping[str, str]]) -> str:
    """Return a description of a worker that resumes turns of this folder, empty if there is none."""
    names = [presence(place, folder) for place in dict.fromkeys((machine, ""))]
    found = holders(names)
    return next((found[name] for name in names if found.get(name)), "")
