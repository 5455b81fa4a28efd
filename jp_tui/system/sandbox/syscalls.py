"""System call filter as bytes for the kernel: blocks what no namespace prevents (Z18). Pure.

Sockets of unusual families reach past a network namespace (for example to the host of a virtual machine), kernel
keyrings are inherited by a process, io_uring bypasses this filter, two requests type into a terminal, and a setuid
program made in the workspace would serve other users of the machine. Everything else is allowed.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_LOAD, _EQUAL, _AT_LEAST, _ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16
"""Offsets in struct seccomp_data. Only the low half of an argument is compared; it comes first on all machines listed
here."""
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK."""
_TERMINAL = (0x5412, 0x541C)
"""TIOCSTI, TIOCLINUX."""
_IO_URING, _OPENAT2, _FCHMODAT2, _X32 = 425, 437, 452, 0x40000000
_SETUID, _CREATES = 0o4000, 0o20000100
"""S_ISUID; O_CREAT and O_TMPFILE, without which an open ignores its mode."""


@dataclass(frozen=True, slots=True)
class _Machine:
    """Audit name of a processor, and its numbers of the filtered calls. `modes` and `opens` give the index of the mode
    argument; in an open it follows the flags."""

    audit: int
    socket: int
    ioctl: int
    keys: tuple[int, int, int]
    modes: Mapping[int, int]
    opens: Mapping[int, int]
    socketcall: int = 0
    x32: bool = False


_MACHINES: dict[str, tuple[_Machine, ...]] = {
    "x86_64": (
        _Machine(
            0xC000003E, 41, 16, (248, 249, 250), {90: 1, 91: 1, 268: 2, 85: 1, 133: 1, 259: 2}, {2: 2, 257: 3}, x32=True
        ),
        _Machine(
            0x40000003, 359, 54, (286, 287, 288), {15: 1, 94: 1, 306: 2, 8: 1, 14: 1, 297: 2}, {5: 2, 295: 3},
            socketcall=102,
        ),
    ),
    "aarch64": (
        _Machine(0xC00000B7, 198, 29, (217, 218, 219), {52: 1, 53: 2, 33: 2}, {56: 3}),
        _Machine(0x40000028, 281, 54, (309, 310, 311), {15: 1, 94: 1, 333: 2, 8: 1, 14: 1, 324: 2}, {5: 2, 322: 3}),
    ),
    "riscv64": (_Machine(0xC00000F3, 198, 29, (217, 218, 219), {52: 1, 53: 2, 33: 2}, {56: 3}),),
}  # fmt: skip
"""By the name of the machine: its own calls, then those of its 32-bit programs."""

_Step = tuple[int, int, int, int]


def filtered(machine: str) -> bytes:
    """Return the filter program for this machine (`os.uname().machine`); empty for an unlisted one."""
    found = _MACHINES.get(machine, ())
    if not found:
        return b""
    steps: list[_Step] = [(_LOAD, 0, 0, _ARCH)]
    for one in found:
        inner = _calls(one)
        steps += [(_EQUAL, 0, len(inner), one.audit), *inner]
    steps.append((_RETURN, 0, 0, _ERROR | _ENOSYS))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _calls(one: _Machine) -> list[_Step]:
    steps: list[_Step] = [(_LOAD, 0, 0, _NUMBER)]
    if one.x32:
        steps += [(_AT_LEAST, 0, 1, _X32), _refuse(_ENOSYS)]
    for key in one.keys:
        steps += [(_EQUAL, 0, 1, key), _refuse(_EPERM)]
    # the filter can't read the second one's arguments; programs fall back to the first
    for call in (_IO_URING, _OPENAT2):
        steps += [(_EQUAL, 0, 1, call), _refuse(_ENOSYS)]
    steps += _among(one.socket, 0, _FAMILIES, inside=_allow(), outside=_refuse(_EAFNOSUPPORT))
    steps += _among(one.ioctl, 1, _TERMINAL, inside=_refuse(_EPERM), outside=_allow())
    if one.socketcall:  # the first argument selects the socket operation; 1 creates a socket
        steps += _among(one.socketcall, 0, (1,), inside=_refuse(_EAFNOSUPPORT), outside=_allow())
    for call, argument in {**one.modes, _FCHMODAT2: 2}.items():
        steps += [(_EQUAL, 0, 4, call), _argument(argument), (_ANY, 0, 1, _SETUID), _refuse(_EPERM), _allow()]
    for call, argument in one.opens.items():
        flags = [_argument(argument - 1), (_ANY, 0, 3, _CREATES)]
        steps += [(_EQUAL, 0, 6, call), *flags, _argument(argument), (_ANY, 0, 1, _SETUID), _refuse(_EPERM), _allow()]
    return [*steps, _allow()]


def _among(call: int, argument: int, values: Sequence[int], *, inside: _Step, outside: _Step) -> list[_Step]:
    """Return the steps for one call: one result if an argument is among the values, another if it isn't."""
    tests = [(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
    body = [_argument(argument), *tests, outside, inside]
    return [(_EQUAL, 0, len(body), call), *body]


def _argument(number: int) -> _Step:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * number)


def _refuse(error: int) -> _Step:
    return (_RETURN, 0, 0, _ERROR | error)


def _allow() -> _Step:
    return (_RETURN, 0, 0, _ALLOW)
