"""Open names below an open folder, so that no link and no `..` leads out of it (T11).

It opens first and checks the descriptor: `openat2(RESOLVE_BENEATH)` if the kernel has it, else (and wherever that
refuses) its own walk, one `O_NOFOLLOW` step at a time, which resolves links itself. It never checks a path before
opening it. Reads and writes no content.
"""

from __future__ import annotations

import errno
import functools
import os
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from jp_tui.system.problem import FileProblem

_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LINKS = 40  # the kernel's limit
_OPENAT2, _NO_MAGICLINKS, _BENEATH = 437, 0x02, 0x08


def names(path: str, root: str) -> list[str]:
    """Split a path into steps from the root: no empty ones, no `.`, `..` kept.

    Raises FileProblem `outside` or `bad_name`. A path is relative to the root, or absolute with the root's own path as
    prefix. Nothing is expanded: `*`, `$HOME`, `%2e` and backslashes are ordinary characters.
    """
    if "\0" in path:
        raise FileProblem("bad_name", path, "a path cannot contain a NUL character")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise FileProblem("bad_name", path, "a path cannot contain half a character (lone surrogate)") from None
    if path.startswith("~"):
        raise FileProblem(
            "outside", path, "is outside the workspace: ~ is not expanded (./~name for a name that begins so)"
        )
    if path.startswith("/"):
        if path != root and not path.startswith(root.rstrip("/") + "/"):
            raise FileProblem("outside", path, "is outside the workspace; give a path relative to its root")
        path = path[len(root) :]
    steps = [step for step in path.split("/") if step not in ("", ".")]
    depth = 0
    for step in steps:
        depth += -1 if step == ".." else 1
        if depth < 0:
            raise FileProblem("outside", path, "leads outside the workspace")
    return steps


@dataclass(slots=True)
class OpenedPath:
    """End of a path: an open folder and a name in it (None: the folder itself), and its real path.

    The name wasn't a link when the walk ended, unless links were not to be followed. A context manager.
    """

    folder: int
    name: str | None
    real: str

    def __enter__(self) -> OpenedPath:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.folder)


def walk(root: int, root_path: str, steps: list[str], *, follow: bool) -> OpenedPath:
    """Walk down from the open folder `root`, following links that stay below it.

    `follow` also applies to a link in the last place. The last name need not exist. Raises OSError as the system
    (ELOOP, ENOTDIR, ENOENT…), FileProblem `outside` for a link that leads out.
    """
    todo = deque(steps)
    held: list[tuple[int, str]] = []
    links = 0
    try:
        while todo:
            step = todo.popleft()
            if step == "..":
                if not held:
                    raise FileProblem("outside", "/".join(steps), "leads outside the workspace through a link")
                os.close(held.pop()[0])
                continue
            here = held[-1][0] if held else root
            target = _link(step, here) if todo or follow else None
            if target is not None:
                links += 1
                if links > _LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                if target.startswith("/"):
                    _drop(held)
                    target = _inside(target, root_path, steps)
                todo.extendleft(one for one in reversed(target.split("/")) if one not in ("", "."))
            elif todo:
                held.append((os.open(step, _STEP, dir_fd=here), step))
            else:
                return _place(root, held, step)
        return _place(root, held, None)
    finally:
        _drop(held)


def _place(root: int, held: list[tuple[int, str]], name: str | None) -> OpenedPath:
    above = [step for _, step in held]
    real = "/".join(above if name is None else [*above, name])
    return OpenedPath(os.dup(held[-1][0] if held else root), name, real or ".")


def _drop(held: list[tuple[int, str]]) -> None:
    while held:
        os.close(held.pop()[0])


def _link(name: str, folder: int) -> str | None:
    """Return a link's target; None for anything else or a missing entry."""
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT):
            return None
        raise


def _inside(target: str, root_path: str, steps: list[str]) -> str:
    if target != root_path and not target.startswith(root_path.rstrip("/") + "/"):
        raise FileProblem("outside", "/".join(steps), "leads outside the workspace through a link")
    return target[len(root_path) :]


def open_beneath(root: int, root_path: str, steps: list[str], flags: int, *, kernel: bool = True) -> tuple[int, str]:
    """Open an existing file or folder, following links inside the root; return the descriptor and its real path, that
    of the opened file, so that name rules can be applied to it.

    Raises OSError, FileProblem.
    """
    flags |= os.O_CLOEXEC
    quick = _openat2() if kernel else None
    if quick is not None:
        descriptor = quick(root, "/".join(steps) or ".", flags)
        if descriptor is not None:
            real = _real(root, descriptor)
            if real is not None:
                return descriptor, real
            os.close(descriptor)
    with walk(root, root_path, steps, follow=True) as place:
        return os.open(place.name or ".", flags | os.O_NOFOLLOW, dir_fd=place.folder), place.real


def _real(root: int, descriptor: int) -> str | None:
    """Return an open file's path from the root as the kernel knows it; None if unknown."""
    try:
        above = os.readlink(f"/proc/self/fd/{root}")
        found = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return None
    if found == above:
        return "."
    above = above.rstrip("/") + "/"
    if not found.startswith(above) or os.fstat(descriptor).st_nlink == 0:
        return None
    return found[len(above) :]


@functools.cache
def _openat2() -> Callable[[int, str, int], int | None] | None:
    """Return `openat2` with RESOLVE_BENEATH: a descriptor, or None if the walk must decide; None without it."""
    if sys.platform != "linux":
        return None
    import ctypes

    class How(ctypes.Structure):
        _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))

    call = ctypes.CDLL(None, use_errno=True).syscall

    def attempt(root: int, path: str, flags: int) -> int | None:
        how = How(flags, 0, _BENEATH | _NO_MAGICLINKS)
        found = call(
            ctypes.c_long(_OPENAT2),
            ctypes.c_int(root),
            ctypes.c_char_p(os.fsencode(path)),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        return int(found) if found >= 0 else None  # on any error the walk fails again and reports the reason

    top = os.open("/", os.O_RDONLY | os.O_CLOEXEC)
    try:
        probe = attempt(top, ".", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(top)
    if probe is None:  # an old kernel, or a sandbox that forbids it
        return None
    os.close(probe)
    return attempt
