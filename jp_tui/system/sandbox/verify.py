"""Compare a running sandbox with its plan, from outside, before its command starts (Z18).

The mount table of the waiting process shows what it can write and read, whatever happened between plan and mount: a
folder replaced by a link, a fake bubblewrap. Pure, except `read_state`, which reads /proc.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jp_tui.system.problem import display_path
from jp_tui.system.sandbox.mounts import Mount, SandboxProblem, beneath

_NAMESPACES = ("mnt", "pid", "ipc", "uts", "net")
_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "pts", "console"))
_MEMORY = ("private", "empty")
_READ = ("read", "level", "shown", "mask", "empty")
_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mounted:
    """One line of a mount table; `root` is the mounted part of the file system `device`."""

    number: int
    parent: int
    device: str
    root: str
    path: str
    writable: bool
    kind: str


@dataclass(frozen=True, slots=True)
class SandboxState:
    """Waiting process: its mounts, the namespaces it shares with jp-tui, and its status."""

    mounts: tuple[Mounted, ...]
    shared: frozenset[str]
    status: Mapping[str, str]


def table(text: str) -> tuple[Mounted, ...]:
    """Parse the lines of /proc/PID/mountinfo."""
    found = []
    for line in text.split("\n"):
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 6 or not after:
            continue
        options = fields[5].split(",")
        found.append(
            Mounted(
                int(fields[0]), int(fields[1]), fields[2], _plain(fields[3]), _plain(fields[4]), "rw" in options,
                after.split(" ")[0],
            )
        )  # fmt: skip
    return tuple(found)


def read_state(process: int) -> SandboxState:
    """Read the state of a process from /proc. Raises SandboxProblem."""
    try:
        lines = _read(f"/proc/{process}/status").split("\n")
        status = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
        shared = {
            name
            for name in _NAMESPACES
            if os.stat(f"/proc/{process}/ns/{name}").st_ino == os.stat(f"/proc/self/ns/{name}").st_ino
        }
        return SandboxState(table(_read(f"/proc/{process}/mountinfo")), frozenset(shared), status)
    except (OSError, ValueError) as error:
        raise SandboxProblem(f"It can't be inspected from outside: {error}.") from error


def own_mounts() -> dict[str, Mounted]:
    """Return jp-tui's own visible mounts by path. Raises SandboxProblem."""
    try:
        return visible(table(_read("/proc/self/mountinfo")))
    except OSError as error:
        raise SandboxProblem(f"The mounts of this machine can't be read: {error}.") from error


def broken_promise(
    found: SandboxState,
    plan: Sequence[Mount],
    host: Mapping[str, Mounted],
    nothing: str,
    *,
    network: bool,
    filtered: bool,
) -> str:
    """Return the first violated guarantee as a sentence; "" if there is none."""
    for name in _NAMESPACES:
        if name in found.shared and not (name == "net" and network):
            return f"It shares its {name} namespace with the system."
    if found.status.get("CapEff", "?").strip("0") or found.status.get("CapPrm", "?").strip("0"):
        return "It has privileges left."
    if found.status.get("NSpid", "1").split()[-1] != "1":
        return "Another process was in it first."
    if found.status.get("NoNewPrivs") != "1" or (filtered and found.status.get("Seccomp") != "2"):
        return "Its system calls aren't restricted."
    there = visible(found.mounts)
    for mount in plan:
        if mount.kind not in ("link", "folder") and (wrong := _wrong(mount, there, host, nothing)):
            return f"{display_path(mount.path)} {wrong} ({display_path(mount.why)})."
    return _too_open(there, plan, host)


def _wrong(mount: Mount, there: Mapping[str, Mounted], host: Mapping[str, Mounted], nothing: str) -> str:
    """Return the problem of one planned mount, as a clause after its path."""
    made = there.get(mount.path)
    if made is None:
        return "isn't mounted"
    if mount.kind in _READ and made.writable:
        return "can be written"
    if mount.kind in _MEMORY:
        return "" if made.kind == "tmpfs" else "isn't hidden"
    if (made.device, made.root) != _source(nothing if mount.kind == "mask" else mount.path, host):
        return "isn't hidden" if mount.kind == "mask" else "isn't what it was"
    return ""


def _too_open(there: Mapping[str, Mounted], plan: Sequence[Mount], host: Mapping[str, Mounted]) -> str:
    """Return what is writable but wasn't planned. Other disks mounted within a writable folder are writable as well."""
    kinds = {mount.path: mount.kind for mount in plan}
    for path, mount in there.items():
        if not mount.writable or path in kinds or path in _DEVICES:
            continue
        above = max((one for one in kinds if beneath(path, one)), key=len, default="")
        if not (path in host and kinds.get(above) == "write"):
            return f"{display_path(path)} can be written, which wasn't planned."
    return ""


def visible(mounts: Sequence[Mounted]) -> dict[str, Mounted]:
    """Return the visible mount at each path: not covered by one at the same path or above it."""
    numbers = {mount.number for mount in mounts}
    on: dict[tuple[int, str], Mounted] = {(mount.parent, mount.path): mount for mount in mounts}
    found: dict[str, Mounted] = {}
    above: list[Mounted] = []
    for path in sorted({mount.path for mount in mounts}, key=lambda path: path.rstrip("/").split("/")):
        while above and not beneath(path, above[-1].path):
            above.pop()
        if above:
            here = on.get((above[-1].number, path))
        else:
            here = next((one for one in mounts if one.path == path and one.parent not in numbers), None)
        while here is not None and (over := on.get((here.number, path))) is not None:
            here = over
        if here is not None:
            found[path] = here
            above.append(here)
    return found


def _source(path: str, host: Mapping[str, Mounted]) -> tuple[str, str]:
    """Return the device of a path and its path there."""
    best = host[max((one for one in host if beneath(path, one)), key=len)]
    rest = path[len(best.path.rstrip("/")) :]
    return best.device, (best.root.rstrip("/") + rest) or "/"


def _plain(field: str) -> str:
    """Decode a path: the table writes spaces, tabs, newlines and backslashes as octal numbers."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), field)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        return file.read()
