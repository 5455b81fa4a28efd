"""The walls around a child (issue 8, line 9; S10): their command line as values, and whether they really stand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from jp_tui.system.children import run
from jp_tui.system.sandbox import Sandbox, Walls, limited, probed, trial, walled, walls_of

HONEST = """#!/bin/sh
printf '%s\\n' "$@" > "$0.told"
while [ "$1" != -- ]; do shift; done
shift
case "$3" in *walled) echo walled;; *) exec "$@";; esac
"""
"""A bwrap that writes down what it was told, claims that its walls stand, and makes none."""
SECONDS = "299.125"
"""Nobody else sleeps that long."""
LIAR = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
BROKEN = "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n"


def fake(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / "bwrap"
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.defpath}")
    return program


def written(program: Path) -> list[str]:
    """What the honest one was told last; nothing when it was not called. Forgets it."""
    told = Path(f"{program}.told")
    lines = told.read_text().splitlines() if told.exists() else []
    told.unlink(missing_ok=True)
    return lines


def _mounts(argv: Sequence[str]) -> list[tuple[str, str]]:
    """(what, where) of each mount, in order."""
    kinds = {"--tmpfs": 1, "--dev": 1, "--proc": 1, "--bind": 2, "--ro-bind": 2}
    found = []
    for at, word in enumerate(argv[: argv.index("--")]):
        if word in kinds:
            found.append((word, argv[at + kinds[word]]))
    return found


def test_the_disk_can_be_read_the_workspace_written_and_nothing_else() -> None:
    """Issue 8, 9: root read-only, workspace writable, no network, own processes; .git and ours stay as they are."""
    walls = Walls(
        "/w", "/w/sub", read_only=("/w/.git", "/w/.jp-tui"), folders=("/tmp", "/h/.ssh"), files=("/h/.netrc",)
    )
    argv = walled("/usr/bin/bwrap", walls, ["git", "status"])
    assert argv[:5] == ["/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
    assert "--share-net" not in argv
    assert _mounts(argv) == [
        ("--ro-bind", "/"),
        ("--dev", "/dev"),
        ("--proc", "/proc"),
        ("--bind", "/w"),
        ("--tmpfs", "/tmp"),
        ("--tmpfs", "/h/.ssh"),
        ("--ro-bind", "/h/.netrc"),
        ("--ro-bind", "/w/.git"),
        ("--ro-bind", "/w/.jp-tui"),
    ]
    assert argv[argv.index("/h/.netrc") - 1] == "/dev/null"
    assert argv[-5:] == ["--chdir", "/w/sub", "--", "git", "status"]


def test_the_network_is_there_only_where_it_was_allowed() -> None:
    assert "--share-net" in walled("b", Walls("/w", "/w", network=True), ["true"])


@pytest.mark.parametrize("hidden", ["/tmp", "/tmp/w"])
def test_a_workspace_below_a_hidden_folder_comes_into_sight_again(hidden: str) -> None:
    mounts = _mounts(walled("b", Walls("/tmp/w", "/tmp/w", folders=(hidden,)), ["true"]))
    assert mounts.index(("--tmpfs", hidden)) < mounts.index(("--bind", "/tmp/w"))


def test_what_is_hidden_below_the_workspace_stays_hidden() -> None:
    """A home folder as workspace: its mount comes first, or it would lay open what was covered."""
    mounts = _mounts(walled("b", Walls("/h", "/h", folders=("/h/.ssh",), files=("/h/.netrc",)), ["true"]))
    assert (
        mounts.index(("--bind", "/h")) < mounts.index(("--tmpfs", "/h/.ssh")) < mounts.index(("--ro-bind", "/h/.netrc"))
    )


def test_walls_are_of_what_is_there_and_real(tmp_path: Path) -> None:
    """Only what is there is mounted, links are followed, our own folders are kept or hidden."""
    root, home, ours = tmp_path / "w", tmp_path / "h", tmp_path / "ours"
    for folder in (root / "gitdir", home / ".ssh", ours / "config", ours / "data"):
        folder.mkdir(parents=True)
    (root / ".git").symlink_to("gitdir")
    (root / "vendor").mkdir()
    (home / ".netrc").write_text("secret")
    walls = walls_of(
        str(root), str(root), {"HOME": str(home), "JP_TUI_HOME": str(ours)}, read_only=["vendor", "not-there"]
    )
    assert walls.read_only == (f"{root}/gitdir", f"{root}/vendor", f"{ours}/config")
    assert {f"{home}/.ssh", f"{ours}/data"} <= set(walls.folders)
    assert "/tmp" in walls.folders and f"{home}/.aws" not in walls.folders
    assert walls.files == (f"{home}/.netrc",)


def test_our_settings_cannot_be_made_by_a_command(tmp_path: Path) -> None:
    """A home folder as workspace: a folder for them that is not there yet could be made, with settings in it."""
    walls = walls_of(str(tmp_path), str(tmp_path), {"HOME": str(tmp_path)})
    assert f"{tmp_path}/.config/jp-tui" in walls.read_only
    assert (tmp_path / ".config" / "jp-tui").stat().st_mode & 0o077 == 0


def test_repositories_within_the_workspace_are_kept_too(tmp_path: Path) -> None:
    """The hooks of one run later, outside; a link is not followed, and looking ends."""
    for name in ("a/.git", "b/c/.git", "b/c/d/e/.git"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "l").symlink_to("a")
    (tmp_path / "b" / ".git").write_text("gitdir: elsewhere")
    walls = walls_of(str(tmp_path), str(tmp_path), {"HOME": "/nonexistent"})
    assert set(walls.read_only) >= {f"{tmp_path}/a/.git", f"{tmp_path}/b/.git", f"{tmp_path}/b/c/.git"}
    assert not any("/l/" in path or "/e/" in path for path in walls.read_only)


def test_a_command_is_handed_over_word_for_word(tmp_path: Path) -> None:
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


async def test_no_bwrap_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (await probed(tmp_path)).reason == "bwrap is not installed"


async def test_a_bwrap_that_cannot_is_said_in_its_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path / "bin", BROKEN, monkeypatch)
    found = await probed(_root(tmp_path))
    assert found.program == "" and "No permissions to create a new namespace" in found.reason


async def test_a_bwrap_without_walls_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Being installed is not enough: the trial looks whether the disk can be written and whose processes it sees."""
    fake(tmp_path / "bin", LIAR, monkeypatch)
    assert (await probed(_root(tmp_path))).reason == "bwrap does not work here: its walls do not hold"


async def test_a_bwrap_of_the_workspace_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = _root(tmp_path)
    fake(root / "bin", '#!/bin/sh\ntouch "$0.ran"\necho walled\n', monkeypatch)
    assert (await probed(root)).program == ""
    assert not (root / "bin" / "bwrap.ran").exists()


async def test_the_trial_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, root, sandbox = fake(tmp_path / "bin", HONEST, monkeypatch), _root(tmp_path), Sandbox()
    assert (await sandbox.found(root)).program == str(program)
    assert "--unshare-all" in written(program)
    assert (await sandbox.found(root)).program == str(program)
    assert written(program) == []


async def test_real_walls(tmp_path: Path) -> None:
    """With a bwrap that works: outside and .git cannot be written, there is no network, nothing outlives the call."""
    root = _root(tmp_path)
    (root / ".git").mkdir()
    argv = trial(str(root))
    if not isinstance(argv, list) or (found := await probed(root)).reason:
        pytest.skip(f"no sandbox here: {argv.reason if not isinstance(argv, list) else found.reason}")
    script = f"touch in .git/x ../out /tmp/private; setsid sleep {SECONDS} & echo $$"
    walls = walls_of(str(root), str(root), os.environ)
    done = await run(walled(argv[0], walls, ["/bin/sh", "-c", script]), cwd=root, timeout=20)
    assert sorted(path.name for path in root.rglob("*")) == [".git", "in"]
    assert sorted(path.name for path in root.parent.iterdir()) == ["w"]
    assert int(done.stdout.split()[-1]) < 100
    assert not any(SECONDS.encode() in _cmdline(one) for one in os.listdir("/proc") if one.isdigit())


def _cmdline(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def _root(folder: Path) -> Path:
    (folder / "w").mkdir()
    return folder / "w"
