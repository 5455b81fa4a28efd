"""One mutant as data: where it is, what it replaces, and the key by which a judgement on it is found again. Pure."""

from __future__ import annotations

import difflib
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Mutant:
    """`start` and `end` are byte offsets in the file; `function` is a dotted name, empty at module level; `around` is
    what stands before and after the change on its lines; `line` is where the changed statement begins, `statement`
    its number in the file."""

    path: str
    function: str
    kind: str
    start: int
    end: int
    before: str
    after: str
    around: tuple[str, str]
    line: int
    statement: int

    @property
    def key(self) -> str:
        """Survives moved lines: path, function, and the lines of the change without and with it."""
        head, tail = self.around
        old, new = (squeezed(head + middle + tail) for middle in (self.before, self.after))
        return f"{self.path}::{self.function or '<module>'}: {old} => {new}"

    def applied(self, source: bytes) -> bytes:
        """The whole file with the change."""
        assert source[self.start : self.end].decode() == self.before, f"{self.path} has changed: {self.key}"
        return source[: self.start] + self.after.encode() + source[self.end :]

    def diff(self, source: bytes) -> str:
        old, new = source.decode().splitlines(), self.applied(source).decode().splitlines()
        return "\n".join(difflib.unified_diff(old, new, self.path, self.path, lineterm="", n=2))

    def stored(self) -> dict[str, Any]:
        return asdict(self)


def squeezed(text: str) -> str:
    """On one line, without needless space."""
    return " ".join(text.split())
