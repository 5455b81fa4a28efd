"""What a command in the sandbox tries that no shell can say; copied into its workspace, so only the standard library.

`python acts.py ACT ARGUMENT…`. Whatever fails is fine: what happened is judged outside.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import mmap
import os
import socket
import struct
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100


def call(name: str, *arguments: object) -> int:
    result = int(getattr(LIBC, name)(*arguments))
    print(name, result, os.strerror(ctypes.get_errno()) if result < 0 else "")
    return result


def encoded(*paths: str) -> list[bytes]:
    return [os.fsencode(path) for path in paths]


def exchange(one: str, two: str) -> None:
    call("renameat2", AT_FDCWD, encoded(one)[0], AT_FDCWD, encoded(two)[0], 2)


def bind(source: str, target: str) -> None:
    call("mount", *encoded(source, target), None, ctypes.c_ulong(4096), None)


def unmount(target: str) -> None:
    call("umount2", encoded(target)[0], 2)
    call("umount2", encoded(target)[0], 0)


def remount(target: str) -> None:
    """Writable again."""
    call("mount", None, encoded(target)[0], None, ctypes.c_ulong(32 | 4096), None)


def tree(target: str, inside: str) -> None:
    """A copy of the mount without what is mounted on it."""
    descriptor = LIBC.syscall(428, AT_FDCWD, encoded(target)[0], 1)
    print("open_tree", descriptor)
    if descriptor >= 0:
        read(f"/proc/self/fd/{descriptor}/{inside}")


def read(path: str) -> None:
    with open(path, "rb") as file:
        print(file.read(4096).decode("utf-8", "replace"))


def mapped(path: str) -> None:
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        print(view[:4096].decode("utf-8", "replace"))


def folders_read(folder: str, name: str) -> None:
    descriptor = os.open(folder, os.O_PATH)
    with open(os.open(name, os.O_RDONLY, dir_fd=descriptor)) as file:
        print(file.read())


def handle(path: str) -> None:
    """By the number of the file, past all names."""
    space = ctypes.create_string_buffer(136)
    struct.pack_into("I", space, 0, 128)
    identifier = ctypes.c_int()
    call("name_to_handle_at", AT_FDCWD, encoded(path)[0], space, ctypes.byref(identifier), 0)
    here = os.open(".", os.O_RDONLY)
    descriptor = call("open_by_handle_at", here, space, os.O_RDONLY)
    if descriptor >= 0:
        print(os.read(descriptor, 4096).decode("utf-8", "replace"))


def write_handle(path: str) -> None:
    """The same for writing, of what a folder says is in it."""
    for number in range(os.stat(path).st_ino - 64, os.stat(path).st_ino + 64):
        space = ctypes.create_string_buffer(struct.pack("IiII", 8, 1, number, 0) + bytes(128))
        descriptor = int(LIBC.open_by_handle_at(os.open(".", os.O_RDONLY), space, os.O_RDONLY))
        if descriptor >= 0:
            print(os.read(descriptor, 4096).decode("utf-8", "replace"))


def linked(path: str, new: str) -> None:
    """A name for an open file."""
    descriptor = os.open(path, os.O_RDONLY)
    call("linkat", descriptor, b"", AT_FDCWD, encoded(new)[0], 0x1000)
    call("linkat", AT_FDCWD, encoded(f"/proc/self/fd/{descriptor}")[0], AT_FDCWD, encoded(new)[0], 0x400)


def unnamed(folder: str, new: str) -> None:
    """A file without a name that gets one later."""
    descriptor = os.open(folder, os.O_RDWR | os.O_TMPFILE)
    os.write(descriptor, b"#!/bin/sh\n")
    call("linkat", AT_FDCWD, encoded(f"/proc/self/fd/{descriptor}")[0], AT_FDCWD, encoded(new)[0], 0x400)


def connect(path: str) -> None:
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(2)
    one.connect("\0" + path[1:] if path.startswith("@") else path)
    one.sendall(b"hello\n")


def datagram(path: str) -> None:
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"hello", path)


def network(host: str, port: str) -> None:
    with socket.create_connection((host, int(port)), timeout=2):
        print("connected")


def family(number: str) -> None:
    """A socket of another family: past a network namespace, where there is no other wall."""
    print("made", socket.socket(int(number), socket.SOCK_STREAM).fileno(), "FAMILY")


def send(number: str, process: str) -> None:
    os.kill(int(process), int(number))


def everyone(number: str) -> None:
    os.kill(-1, int(number))


def attach(process: str) -> None:
    call("ptrace", 16, int(process), None, None)
    space = ctypes.create_string_buffer(4096)
    local, remote = struct.pack("PN", ctypes.addressof(space), 4096), struct.pack("PN", 0x400000, 4096)
    call("process_vm_readv", int(process), local, 1, remote, 1, 0)


def descriptors() -> None:
    """What came along: everything open that isn't one of the three, read and written."""
    for number in range(3, 4096):
        with contextlib.suppress(OSError):
            target = os.readlink(f"/proc/self/fd/{number}")
            os.fstat(number)
            print("INHERITED", number, target)


def terminal(path: str) -> None:
    with open(path, "rb+", buffering=0) as file:
        for char in b"echo typed\n":
            fcntl.ioctl(file, 0x5412, bytes([char]))
        print("TYPED")


def typed() -> None:
    """Into whatever stands behind the standard streams."""
    for number in range(3):
        with contextlib.suppress(OSError):
            fcntl.ioctl(number, 0x5412, b"x")
            print("TYPED", number)


def keyring() -> None:
    for ring in range(-1, -8, -1):
        print("key", LIBC.syscall(250, 11, ring, ctypes.create_string_buffer(64), 64), ctypes.get_errno())
    print("added", LIBC.syscall(248, b"user", b"jp", b"x", 1, -4))


def ring() -> None:
    print("io_uring", LIBC.syscall(425, 4, ctypes.create_string_buffer(120)))


def namespace(flags: str) -> None:
    if call("unshare", int(flags, 16)) == 0:
        print("UNSHARED")
        with contextlib.suppress(OSError), open("/proc/self/setgroups", "w") as file:
            file.write("deny")
        with contextlib.suppress(OSError), open("/proc/self/uid_map", "w") as file:
            file.write(f"0 {os.getuid()} 1")
        for place in sys.argv[3:]:
            unmount(place)
            remount(place)


def enter(path: str) -> None:
    if call("setns", os.open(path, os.O_RDONLY), 0) == 0:
        print("ENTERED")


def root(path: str) -> None:
    call("chroot", encoded(path)[0])
    call("pivot_root", *encoded(path, path))


def owner(number: str) -> None:
    call("setuid", int(number))
    call("setresuid", int(number), int(number), int(number))
    print("uid", os.getuid(), os.geteuid())


def device(path: str, kind: str, major: str, minor: str) -> None:
    os.mknod(path, {"b": 0o60600, "c": 0o20600}[kind], os.makedev(int(major), int(minor)))
    read(path)


def named(path: str) -> None:
    os.setxattr(path, "user.jp", b"1")


def times(path: str) -> None:
    os.utime(path, (1, 1))


def deeper(folder: str) -> None:
    """Move a folder to where its path is longer than any path may be."""
    os.makedirs("deep0", exist_ok=True)
    os.rename(folder, f"deep0/{folder}")
    os.chdir("deep0")
    for number in range(30):
        name = f"{number}".zfill(200)
        os.mkdir(name)
        os.rename(folder, f"{name}/{folder}")
        os.chdir(name)


def dig(name: str) -> None:
    """Look for a file there."""
    os.chdir("deep0")
    for _ in range(40):
        with contextlib.suppress(OSError):
            read(f"cfg/{name}")
        inside = [one for one in os.listdir(".") if one.startswith("0")]
        if not inside:
            return
        os.chdir(inside[0])


def flip(one: str, two: str, target: str) -> None:
    """Give a folder another name again and again, and let a link stand in for it."""
    end = time.monotonic() + 4
    with open("begun", "w"):
        pass
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            os.rename(one, two)
        if target:
            with contextlib.suppress(OSError):
                os.symlink(target, one)
                os.unlink(one)
        with contextlib.suppress(OSError):
            os.rename(two, one)


def case(path: str) -> None:
    """Every way to write the name with other letters, in folders and files."""
    for letters in range(1, 8):
        name = "".join(c.upper() if letters >> at & 1 else c for at, c in enumerate("git"))
        os.makedirs(os.path.join(path, f".{name}", "hooks"), exist_ok=True)


if __name__ == "__main__":
    globals()[sys.argv[1]](*(sys.argv[2:3] if sys.argv[1] == "namespace" else sys.argv[2:]))
