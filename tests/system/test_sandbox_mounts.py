"""The plan of a sandbox as values (Z18): which mounts, in which order, and what bubblewrap is told."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from jp_tui.system.children import run
from jp_tui.system.sandbox.command import MOST_MOUNTS, Bubblewrap, limited, options
from jp_tui.system.sandbox.mounts import Kind, Mount, SandboxProblem, between, planned


def plan(root: str, *wishes: tuple[Kind, str], fixed: Iterable[str] = ()) -> list[tuple[str, str]]:
    fixed = set(fixed)
    made = planned(root, [Mount(kind, path, "why", fixed=path in fixed) for kind, path in wishes])
    return [(mount.kind, mount.path) for mount in made]


def test_a_workspace_in_a_home_comes_into_sight_again() -> None:
    """The home is hidden whole, the workspace and what is visible are mounted in it (Z18)."""
    made = plan("/home/u/w", ("private", "/home"), ("private", "/home/u"), ("shown", "/home/u/.cargo/bin"))
    assert made == [
        ("private", "/home"),
        ("folder", "/home/u"),
        ("shown", "/home/u/.cargo/bin"),
        ("write", "/home/u/w"),
    ]


def test_what_is_visible_anyway_gets_no_mount() -> None:
    assert plan("/w", ("read", "/usr/lib"), ("shown", "/opt/tools"), ("link", "/opt/x")) == [("write", "/w")]


def test_every_parent_of_a_protected_path_stays() -> None:
    """No rename of `d` when `d/e/vendor` is read only (Z18)."""
    made = plan("/w", ("read", "/w/d/e/vendor"), fixed=["/w/d/e/vendor"])
    assert made == [("write", "/w"), ("write", "/w/d"), ("write", "/w/d/e"), ("read", "/w/d/e/vendor")]


def test_parents_come_before_what_is_in_them_or_they_would_cover_it() -> None:
    made = plan("/w", ("mask", "/w/d/.env"), ("read", "/w/d/e/.git"), fixed=["/w/d/e/.git"])
    assert made == [
        ("write", "/w"),
        ("write", "/w/d"),
        ("mask", "/w/d/.env"),
        ("write", "/w/d/e"),
        ("read", "/w/d/e/.git"),
    ]


def test_a_parent_that_stays_opens_nothing_that_is_read_only() -> None:
    """A repository in a read-only folder: its parents are there already, and not writable."""
    made = plan("/w", ("read", "/w/vendor"), ("read", "/w/vendor/x/.git"), fixed=["/w/vendor", "/w/vendor/x/.git"])
    assert made == [("write", "/w"), ("read", "/w/vendor")]


def test_a_secret_in_a_read_only_folder_is_masked_there() -> None:
    assert ("mask", "/w/vendor/.env") in plan("/w", ("read", "/w/vendor"), ("mask", "/w/vendor/.env"))


def test_a_closed_level_in_a_read_only_folder_opens_nothing() -> None:
    made = plan("/w", ("read", "/w/a"), ("level", "/w/a/b"), ("write", "/w/a/b/c"))
    assert made == [("write", "/w"), ("read", "/w/a")]


def test_a_closed_level_keeps_its_names_and_its_folders_can_be_written() -> None:
    made = plan("/w", ("level", "/w"), ("write", "/w/a"), ("read", "/w/a/.git"), fixed=["/w/a/.git"])
    assert made == [("level", "/w"), ("write", "/w/a"), ("read", "/w/a/.git")]


@pytest.mark.parametrize(
    ("kinds", "wins"),
    [
        (("private", "write"), "write"),
        (("write", "level"), "level"),
        (("level", "read"), "read"),
        (("read", "empty"), "empty"),
        (("empty", "shown"), "shown"),
        (("shown", "mask"), "mask"),
    ],
)
def test_the_stricter_wish_counts_and_what_is_shown_by_name_is_shown(kinds: tuple[Kind, Kind], wins: str) -> None:
    for first, second in (kinds, kinds[::-1]):
        assert plan("/w", (first, "/w/x"), (second, "/w/x"))[-1] == (wins, "/w/x")


def test_nothing_is_hidden_twice() -> None:
    """What is in a hidden folder is not there; a mount for it would make it."""
    hidden = ("private", "/home/u")
    assert plan("/w", hidden, ("empty", "/home/u/.ssh"), ("mask", "/home/u/.netrc")) == [hidden, ("write", "/w")]


def test_a_home_in_a_hidden_folder_is_there_and_can_be_written() -> None:
    assert ("folder", "/home/u") in plan("/w", ("private", "/home"), ("private", "/home/u"))
    assert ("private", "/mnt/u") in plan("/w", ("empty", "/mnt"), ("private", "/mnt/u"))


def test_links_and_the_home_itself_are_made_only_in_hidden_folders() -> None:
    made = plan("/w", ("private", "/home"), ("folder", "/home/u"), ("link", "/home/u/.pyenv"), ("folder", "/usr/u"))
    assert made == [("private", "/home"), ("folder", "/home/u"), ("link", "/home/u/.pyenv"), ("write", "/w")]


def test_a_path_is_not_beneath_another_whose_name_it_begins_with() -> None:
    assert plan("/w", ("private", "/home/u"), ("mask", "/home/u2/.env"))[1] == ("mask", "/home/u2/.env")
    assert list(between("/w", "/w/a/b/c")) == ["/w/a", "/w/a/b"] and list(between("/w", "/w/a")) == []


def told(*mounts: Mount, bubblewrap: Bubblewrap | None = None, network: bool = False) -> list[str]:
    return options(bubblewrap or Bubblewrap("/bwrap"), mounts, "/w", "/nothing", network=network)


def test_bubblewrap_is_told_each_kind_of_mount() -> None:
    said = told(
        Mount("private", "/p", ""), Mount("empty", "/e", ""), Mount("write", "/w", ""), Mount("read", "/w/.git", ""),
        Mount("level", "/l", ""), Mount("shown", "/s", ""), Mount("mask", "/w/.env", ""),
        Mount("link", "/n", "", "/real"), Mount("folder", "/f", ""),
    )  # fmt: skip
    text = " ".join(said)
    for words in (
        "--tmpfs /p", "--tmpfs /e", "--bind /w /w", "--ro-bind /w/.git /w/.git", "--ro-bind /l /l", "--ro-bind /s /s",
        "--ro-bind /nothing /w/.env", "--symlink /real /n", "--dir /f", "--remount-ro /proc", "--remount-ro /dev",
        "--remount-ro /e", "--chdir /w", "--cap-drop ALL", "--unshare-all", "--die-with-parent", "--ro-bind / /",
    ):  # fmt: skip
        assert words in text, words
    assert text.index("--remount-ro /e") > text.index("--dir /f"), "what is in an empty folder is made before it closes"
    assert "/p" not in said[said.index("--remount-ro") :]


def test_no_process_of_bubblewrap_is_in_the_sandbox() -> None:
    """Its program could be changed there by /proc/1/exe, past every mount."""
    assert "--as-pid-1" in told()


def test_newer_options_are_used_where_there_are_any() -> None:
    assert {"--disable-userns", "--size"} <= set(told(Mount("private", "/p", "")))
    old = told(Mount("private", "/p", ""), bubblewrap=Bubblewrap("/bwrap", userns=False, size=False))
    assert not {"--disable-userns", "--size"} & set(old)


def test_the_network_is_there_only_where_it_was_allowed() -> None:
    assert "--share-net" in told(network=True) and "--share-net" not in told()


def test_too_many_mounts_are_refused() -> None:
    """Rather than some of them left out."""
    many = [Mount("mask", f"/w/{number}/.env", "") for number in range(MOST_MOUNTS + 1)]
    with pytest.raises(SandboxProblem, match="1,001 mounts"):
        told(*many)
    assert len(told(*many[:-1])) < 9_000, "what bubblewrap takes"


def test_a_command_is_handed_over_word_for_word() -> None:
    """No shell reads the arguments of a limited program, whatever is in them."""
    argv = limited(["printf", "%s|", "$HOME", "`id`", "a b", "'", ""], 5_000)
    assert argv[-7:] == ["printf", "%s|", "$HOME", "`id`", "a b", "'", ""]


async def test_limits_hold(tmp_path: Path) -> None:
    """SHELL-084, SHELL-086: a file cannot grow for ever, and processes are counted."""
    script = "cat /proc/self/limits; head -c 4096 /dev/zero > big; echo $?"
    done = await run(limited(["/bin/sh", "-c", script], 7_777, file_blocks=4), cwd=tmp_path)
    text = done.stdout.decode()
    assert (tmp_path / "big").stat().st_size == 4 * 512
    assert not text.endswith("\n0\n")
    processes = [line.split()[2] for line in text.splitlines() if line.startswith("Max processes")]
    assert processes in ([], ["7777"])  # no /proc: nobody to ask
