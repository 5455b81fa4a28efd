"""A network of its own for some processes, joined to ours by a cable that can be pulled (Linux, as root)."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator

HERE, THERE, MASK = "10.213.21.1", "10.213.21.2", 24


class Namespace:
    """`command` begins a process in there; `pull` and `plug` cut the connection and restore it, without a word to
    either side."""

    def __init__(self) -> None:
        self.name = f"jptest{os.getpid()}"
        self._ours, self._theirs = f"jp{os.getpid()}a", f"jp{os.getpid()}b"

    @property
    def command(self) -> list[str]:
        return ["ip", "netns", "exec", self.name]

    def make(self) -> None:
        """Raises OSError or CalledProcessError where this isn't possible."""
        for words in (
            f"netns add {self.name}",
            f"link add {self._ours} type veth peer name {self._theirs}",
            f"link set {self._theirs} netns {self.name}",
            f"addr add {HERE}/{MASK} dev {self._ours}",
            f"link set {self._ours} up",
            f"-n {self.name} addr add {THERE}/{MASK} dev {self._theirs}",
            f"-n {self.name} link set {self._theirs} up",
        ):
            _ip(words)

    def pull(self) -> None:
        _ip(f"link set {self._ours} down")

    def plug(self) -> None:
        _ip(f"link set {self._ours} up")

    def remove(self) -> None:
        for words in (f"link del {self._ours}", f"netns del {self.name}"):
            with contextlib.suppress(OSError, subprocess.CalledProcessError):
                _ip(words)


def _ip(words: str) -> None:
    subprocess.run(["ip", *words.split()], check=True, capture_output=True)


@contextlib.contextmanager
def namespace() -> Iterator[Namespace | None]:
    """One for a block; None where the machine allows none."""
    found = Namespace()
    try:
        if os.geteuid() or shutil.which("ip") is None:
            yield None
            return
        try:
            found.make()
        except (OSError, subprocess.CalledProcessError):
            yield None
            return
        yield found
    finally:
        found.remove()
