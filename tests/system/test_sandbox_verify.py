"""A sandbox that stands is compared with its plan before anything runs in it (Z18); the filter of system calls."""

from __future__ import annotations

import os
import struct
from dataclasses import replace

import pytest

from jp_tui.system.sandbox import verify
from jp_tui.system.sandbox.mounts import Mount
from jp_tui.system.sandbox.syscalls import filtered
from jp_tui.system.sandbox.verify import Mounted, SandboxState, broken_promise, table, visible

HOST = """\
1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/a rw
2 1 0:5 / /proc rw - proc proc rw
3 1 0:6 / /tmp rw - tmpfs tmpfs rw
4 1 8:2 / /data rw - xfs /dev/b rw
5 1 8:3 /sub /srv/w/disk rw - ext4 /dev/c rw
"""
INSIDE = """\
10 9 8:1 / / ro,nosuid,nodev - ext4 /dev/a rw
11 10 0:7 / /tmp rw,nosuid - tmpfs tmpfs rw
12 10 8:2 / /data ro - xfs /dev/b rw
13 10 0:8 / /dev ro - tmpfs tmpfs rw
14 13 0:4 /null /dev/null rw - devtmpfs dev rw
15 10 0:9 / /home rw - tmpfs tmpfs rw
16 10 8:1 /srv/w /srv/w rw - ext4 /dev/a rw
17 16 8:3 /sub /srv/w/disk rw - ext4 /dev/c rw
18 16 8:1 /srv/w/.git /srv/w/.git ro - ext4 /dev/a rw
19 16 8:1 /state/nothing /srv/w/.env ro - ext4 /dev/a rw
20 16 8:1 /srv/w/a\\040b /srv/w/a\\040b rw - ext4 /dev/a rw
21 10 0:10 / /secret ro - tmpfs tmpfs rw
"""
PLAN = (
    Mount("private", "/home", "a home folder"),
    Mount("private", "/tmp", "temporary files"),
    Mount("empty", "/secret", "our own"),
    Mount("write", "/srv/w", "the workspace"),
    Mount("read", "/srv/w/.git", "kept"),
    Mount("mask", "/srv/w/.env", "usually holds secrets"),
    Mount("write", "/srv/w/a b", "holds a repository"),
)
GOOD = SandboxState(table(INSIDE), frozenset(), {"CapEff": "0000", "CapPrm": "0000", "NoNewPrivs": "1", "Seccomp": "2"})
HERE = visible(table(HOST))


def said(found: SandboxState = GOOD, *, network: bool = False, filtered: bool = True) -> str:
    return broken_promise(found, PLAN, HERE, "/state/nothing", network=network, filtered=filtered)


def without(number: int) -> SandboxState:
    return replace(GOOD, mounts=tuple(one for one in GOOD.mounts if one.number != number))


def changed(number: int, **how: object) -> SandboxState:
    return replace(GOOD, mounts=tuple(replace(one, **how) if one.number == number else one for one in GOOD.mounts))  # type: ignore[arg-type]


def also(line: str) -> SandboxState:
    return replace(GOOD, mounts=(*GOOD.mounts, *table(line)))


def test_one_that_is_as_planned_is_good() -> None:
    assert said() == ""


@pytest.mark.parametrize("number", [11, 15, 16, 18, 19, 20, 21])
def test_a_mount_that_is_missing_is_named(number: int) -> None:
    (path,) = [one.path for one in GOOD.mounts if one.number == number]
    assert said(without(number)).startswith(f"{path} isn't mounted"), path


@pytest.mark.parametrize("number", [18, 19, 21])
def test_what_must_not_be_written_is_looked_at(number: int) -> None:
    assert "can be written" in said(changed(number, writable=True))


@pytest.mark.parametrize("number", [10, 12, 13])
def test_nothing_else_can_be_written(number: int) -> None:
    assert "which wasn't planned" in said(changed(number, writable=True))


@pytest.mark.parametrize(
    "line",
    [
        "30 10 8:1 /etc /etc rw - ext4 /dev/a rw",  # a folder that was swapped for a link
        "30 10 8:9 / /mnt/new rw - ext4 /dev/new rw",  # a disk that was mounted meanwhile
        "30 18 8:1 /srv/w/.git/hooks /srv/w/.git/hooks rw - ext4 /dev/a rw",
    ],
)
def test_a_writable_mount_that_nobody_planned_is_refused(line: str) -> None:
    assert "which wasn't planned" in said(also(line))


def test_a_disk_in_the_workspace_may_be_written_where_the_workspace_may() -> None:
    assert said() == "" and "wasn't planned" in broken_promise(
        GOOD, [replace(one, kind="read") if one.path == "/srv/w" else one for one in PLAN][:3], HERE, "/state/nothing",
        network=False, filtered=True,
    )  # fmt: skip


@pytest.mark.parametrize(("number", "root"), [(16, "/other"), (18, "/srv/w/prepared"), (20, "/etc")])
def test_what_was_swapped_between_plan_and_mount_is_noticed(number: int, root: str) -> None:
    """By a command that runs beside: the source was another folder for a moment."""
    assert "isn't what it was" in said(changed(number, root=root))


def test_a_mask_shows_the_empty_file_and_no_other() -> None:
    assert "isn't hidden" in said(changed(19, root="/srv/w/.env"))
    assert "isn't hidden" in said(changed(21, kind="ext4"))


def test_what_another_mount_covers_does_not_count() -> None:
    """A mount over the parent of a masked file would show it."""
    covered = also("30 18 0:20 / /srv/w/.git ro - tmpfs t rw")
    assert "isn't what it was" in said(covered)
    over = also("30 16 8:1 /srv/w /srv/w rw - ext4 /dev/a rw")
    assert "isn't mounted" in said(over)


@pytest.mark.parametrize("name", ["mnt", "pid", "ipc", "uts", "net"])
def test_namespaces_are_its_own(name: str) -> None:
    assert f"shares its {name}" in said(replace(GOOD, shared=frozenset({name})))


def test_the_network_is_shared_where_it_was_allowed() -> None:
    assert said(replace(GOOD, shared=frozenset({"net"})), network=True) == ""


@pytest.mark.parametrize(
    "status",
    [
        {"NSpid": "4711\t2"},
        {"CapEff": "0001"},
        {"CapPrm": "1ffff"},
        {"NoNewPrivs": "0"},
        {"Seccomp": "0"},
        {"CapEff": "x"},
    ],
)
def test_privileges_and_system_calls_are_looked_at(status: dict[str, str]) -> None:
    assert said(replace(GOOD, status={**GOOD.status, **status}))
    assert said(replace(GOOD, status={}))


def test_where_there_is_no_filter_none_is_expected() -> None:
    assert said(replace(GOOD, status={**GOOD.status, "Seccomp": "0"}), filtered=False) == ""


def test_we_ourselves_are_no_sandbox() -> None:
    """A program that claims to be bubblewrap and makes nothing."""
    ourselves = verify.read_state(os.getpid())
    assert "shares its mnt" in broken_promise(ourselves, PLAN, verify.own_mounts(), "/x", network=False, filtered=False)


def test_odd_names_in_a_mount_table() -> None:
    (one,) = table("1 0 8:1 / /a\\040b\\134c\\012d rw - ext4 x rw\n")
    assert one.path == "/a b\\c\nd"
    assert [one.path for one in table("1 0 8:1 / /a\x0bb\x85c rw - ext4 x rw\nnonsense\n\n")] == ["/a\x0bb\x85c"]


def test_a_disk_mounted_at_the_workspace_itself() -> None:
    host = visible(table("1 0 8:1 / / rw - ext4 a rw\n2 1 8:2 / /w rw - xfs b rw\n"))
    inside = table("10 9 8:1 / / ro - ext4 a rw\n11 10 8:2 / /w ro - xfs b rw\n12 11 8:2 / /w rw - xfs b rw\n")
    assert (
        broken_promise(
            replace(GOOD, mounts=inside), [Mount("write", "/w", "")], host, "/x", network=False, filtered=True
        )
        == ""
    )


def test_which_mount_is_seen() -> None:
    found = visible(table("1 0 8:1 / / rw - a a rw\n2 1 8:2 / /x rw - b b rw\n3 1 0:3 / /x/y rw - c c rw\n"))
    assert found["/x"].number == 2 and "/x/y" not in found


# -- the filter


class Kernel:
    """Runs a filter as the kernel does."""

    def __init__(self, program: bytes) -> None:
        self.steps = [struct.unpack("=HBBI", program[at : at + 8]) for at in range(0, len(program), 8)]

    def asked(self, audit: int, call: int, *arguments: int) -> int:
        """The answer: 0 for allowed, else the number of the error."""
        data = struct.pack("=IIQ6Q", call, audit, 0, *arguments, *[0] * (6 - len(arguments)))
        at = value = 0
        while True:
            code, yes, no, operand = self.steps[at]
            at += 1
            if code == 0x20:
                (value,) = struct.unpack_from("=I", data, operand)
            elif code == 0x06:
                return 0 if operand == 0x7FFF0000 else operand & 0xFFFF
            else:
                true = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[code]
                at += yes if true else no


AMD, I386, ARM = 0xC000003E, 0x40000003, 0xC00000B7


@pytest.mark.parametrize(
    ("machine", "audit", "call", "arguments", "answer"),
    [
        ("x86_64", AMD, 41, (1,), 0), ("x86_64", AMD, 41, (10, 1), 0), ("x86_64", AMD, 41, (40,), 97),
        ("x86_64", AMD, 41, (17,), 97), ("x86_64", AMD, 250, (), 1), ("x86_64", AMD, 248, (), 1),
        ("x86_64", AMD, 425, (), 38), ("x86_64", AMD, 437, (), 38), ("x86_64", AMD, 16, (0, 0x5412), 1),
        ("x86_64", AMD, 16, (0, 0x541C), 1), ("x86_64", AMD, 16, (0, 0x5401), 0), ("x86_64", AMD, 0, (), 0),
        ("x86_64", AMD, 16, (0, 0x1_0000_5412), 1), ("x86_64", AMD, 41, (0x1_0000_0028,), 97),
        ("x86_64", AMD, 0x40000029, (40,), 38), ("x86_64", 12345, 0, (), 38),
        ("x86_64", AMD, 90, (0, 0o4755), 1), ("x86_64", AMD, 90, (0, 0o2755), 0), ("x86_64", AMD, 91, (0, 0o4000), 1),
        ("x86_64", AMD, 268, (0, 0, 0o4755), 1), ("x86_64", AMD, 452, (0, 0, 0o4755), 1),
        ("x86_64", AMD, 2, (0, 0o100, 0o4755), 1), ("x86_64", AMD, 2, (0, 0, 0o4755), 0),
        ("x86_64", AMD, 257, (0, 0, 0o100, 0o4755), 1), ("x86_64", AMD, 257, (0, 0, 0o100, 0o755), 0),
        ("x86_64", AMD, 257, (0, 0, 0o20200000, 0o4755), 1), ("x86_64", AMD, 133, (0, 0o104755), 1),
        ("x86_64", I386, 359, (40,), 97), ("x86_64", I386, 359, (1,), 0), ("x86_64", I386, 102, (1,), 97),
        ("x86_64", I386, 102, (3,), 0), ("x86_64", I386, 288, (), 1), ("x86_64", I386, 15, (0, 0o4755), 1),
        ("aarch64", ARM, 198, (40,), 97), ("aarch64", ARM, 198, (2,), 0), ("aarch64", ARM, 219, (), 1),
        ("aarch64", ARM, 52, (0, 0o4755), 1), ("aarch64", ARM, 56, (0, 0, 0o100, 0o4755), 1),
        ("aarch64", ARM, 29, (0, 0x5412), 1), ("aarch64", ARM, 64, (), 0), ("riscv64", 0xC00000F3, 198, (40,), 97),
    ],
)  # fmt: skip
def test_the_filter_answers(machine: str, audit: int, call: int, arguments: tuple[int, ...], answer: int) -> None:
    assert Kernel(filtered(machine)).asked(audit, call, *arguments) == answer


def test_a_machine_that_is_not_known_has_no_filter() -> None:
    assert filtered("sparc") == b"" and all(isinstance(one, Mounted) for one in GOOD.mounts)
