"""Makes the N-th I/O call below a folder fail, or do half of its work.

Best by a shim (`failing.c`) that is compiled where there is a C compiler and loaded before everything else, so that
SQLite's own calls fail as well; else by putting functions in place of `os.*`, which the database does not use. Never
part of the program.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

READS, WRITES, SYNCS, MAKES, MOVES, REMOVES, CUTS = (1 << bit for bit in range(7))
GROWS = WRITES | SYNCS | MAKES | MOVES | CUTS
EVERYTHING = READS | GROWS | REMOVES


@dataclass(frozen=True)
class Fault:
    """What goes wrong at the N-th call of these kinds; `stays`: at every later one as well."""

    name: str
    kinds: int
    error: int
    stays: bool = False
    halves: bool = False


FAULTS = (
    Fault("no space, once", GROWS, errno.ENOSPC),
    Fault("no space from then on", GROWS, errno.ENOSPC, stays=True),
    Fault("I/O error, once", EVERYTHING, errno.EIO),
    Fault("I/O error from then on", EVERYTHING, errno.EIO, stays=True),
    Fault("half of it is written", WRITES, errno.ENOSPC, halves=True),
    Fault("half of it is written, then no space", WRITES, errno.ENOSPC, stays=True, halves=True),
)


@functools.cache
def shim() -> str:
    """The compiled shim; empty where there is no C compiler that can make one."""
    source = Path(__file__).with_name("failing.c")
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return ""
    mark = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir(), f"jp-tui-tests-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    made = folder / f"failing-{mark}.so"
    if not made.exists():
        spare = made.with_suffix(f".{os.getpid()}")
        command = [compiler, "-O1", "-shared", "-fPIC", "-o", str(spare), str(source), "-ldl"]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return ""
        spare.replace(made)
    return str(made)


class Arm:
    """`arm(folder, fault, n)` in the process that is to suffer; n = 0 only counts. `hit` is what failed."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._shim = library if hasattr(library, "failing_arm") else None
        self._functions = None if self._shim else _Functions()
        self.whole = self._shim is not None

    def __call__(self, folder: Path, fault: Fault, number: int) -> None:
        root = os.path.realpath(folder)
        if self._shim is not None:
            given = (os.fsencode(root), fault.kinds, number, fault.error, fault.stays, fault.halves)
            self._shim.failing_arm(*given)
        elif self._functions is not None:
            self._functions.arm(root, fault, number)

    def disarm(self) -> None:
        """From now on nothing fails; the count and what was hit stay."""
        self.counted, self.hit = self._look()
        self(Path("/nowhere"), Fault("", 0, 0), 0)

    counted, hit = 0, ""

    def _look(self) -> tuple[int, str]:
        if self._functions is not None:
            return self._functions.counted, self._functions.hit
        assert self._shim is not None
        self._shim.failing_counted.restype = ctypes.c_long
        self._shim.failing_hit.restype = ctypes.c_char_p
        return self._shim.failing_counted(), self._shim.failing_hit().decode("utf-8", "replace")


class _Functions:
    """`os.*` with the same faults: what the program does itself, without the database."""

    def __init__(self) -> None:
        self.root, self.fault, self.number = "/nowhere", Fault("", 0, 0), 0
        self.counted, self.hit = 0, ""
        self._readlink = os.readlink
        for name in ("fsync", "fdatasync", "ftruncate", "fchmod"):
            self._put(name, {"ftruncate": CUTS, "fchmod": MOVES}.get(name, SYNCS), self._descriptor)
        for name in ("mkdir", "link", "rename", "replace", "unlink", "remove", "chmod"):
            kind = {"mkdir": MAKES, "link": MAKES, "unlink": REMOVES, "remove": REMOVES}.get(name, MOVES)
            self._put(name, kind, self._path)
        self._put("write", WRITES, self._descriptor)
        self._put("read", READS, self._descriptor)
        self._put("open", READS, self._path)

    def arm(self, root: str, fault: Fault, number: int) -> None:
        self.root, self.fault, self.number = root, fault, number
        self.counted, self.hit = 0, ""

    def _put(self, name: str, kind: int, place: Callable[..., str]) -> None:
        real = getattr(os, name)

        @functools.wraps(real)
        def call(*given: Any, **named: Any) -> Any:
            makes = name == "open" and len(given) > 1 and given[1] & os.O_CREAT
            found = self._fails(MAKES if makes else kind, name, place(*given, **named))
            if not found:
                return real(*given, **named)
            if name == "write" and self.fault.halves and found == 1 and len(given[1]) > 1:
                return real(given[0], bytes(given[1])[: len(given[1]) // 2])
            raise OSError(self.fault.error, os.strerror(self.fault.error), *given[:1])

        setattr(os, name, call)

    def _descriptor(self, descriptor: int, *_: Any) -> str:
        try:
            return self._readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            return ""

    def _path(self, *given: Any, **named: Any) -> str:
        last = given[1] if len(given) > 1 and isinstance(given[1], str | bytes | Path) else given[0]
        folder = named.get("dst_dir_fd", named.get("dir_fd"))
        return os.path.join(self._descriptor(folder), os.fspath(last)) if folder is not None else os.fspath(last)

    def _fails(self, kind: int, name: str, path: str) -> int:
        if not self.fault.kinds & kind or not (path == self.root or path.startswith(f"{self.root}/")):
            return 0
        self.counted += 1
        if self.number <= 0 or not (self.counted == self.number or (self.fault.stays and self.counted > self.number)):
            return 0
        if self.counted == self.number:
            self.hit = f"{name} {path[len(self.root) :]}"
        return 1 if self.counted == self.number else 2
