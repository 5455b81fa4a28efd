"""A sandbox that doesn't stand as planned runs nothing (Z18), and whether one works here is found out by trying."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from jp_tui.system.children import ChildExit
from jp_tui.system.sandbox import probe, verify
from jp_tui.system.sandbox.command import READY, Bubblewrap
from jp_tui.system.sandbox.mounts import Mount, SandboxProblem, planned
from jp_tui.system.sandbox.probe import Sandboxes, probed
from jp_tui.system.sandbox.runner import Box, _Gate, empty_file, run_inside
from tests.system.sandboxing import or_skip

SECONDS = "299.125"
"""Nobody else sleeps that long."""
LIAR = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
BROKEN = "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n"
COUNTED = '#!/bin/sh\n[ "$1" = --version ] || echo >> "$0.ran"\nexec {} "$@"\n'


def fake(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / "bwrap"
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.defpath}")
    return program


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("w/.git/hooks", "w/d"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "w" / ".env").write_text("secret\n")
    return tmp_path / "w"


async def ran(root: Path, line: str, *wishes: Mount, program: Bubblewrap | None = None, **more: object) -> ChildExit:
    bubblewrap = program or or_skip().bubblewrap
    assert bubblewrap is not None
    usual = [Mount("private", "/tmp", "temporary"), Mount("mask", f"{root}/.env", "a secret", fixed=True)]
    usual += [Mount("read", f"{root}/.git", "kept", fixed=True)]
    box = Box(bubblewrap, planned(str(root), [*usual, *wishes]), str(root), empty_file(root.parent / "state"))
    argv: Sequence[str] = ["/bin/sh", "-c", line]
    return await run_inside(box, argv, timeout=20, output_limit=1 << 16, **more)  # type: ignore[arg-type]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def text(done: ChildExit) -> str:
    return done.stdout.decode()


async def test_a_command_runs_in_the_workspace_without_input_or_descriptors(root: Path) -> None:
    done = await ran(root, "pwd; cat; ls /proc/self/fd | wc -l; echo $TMPDIR; echo err >&2; exit 3")
    assert text(done).split() == [str(root), "4", "/tmp", "err"] and done.status == 3


async def test_what_it_promises_holds(root: Path) -> None:
    done = await ran(root, "cat .env; echo x > .git/x; touch /made ../made d/made; mv d e; cat .env; ls -a; echo $$")
    assert "secret" not in text(done) and "made" not in names(Path("/"))
    assert names(root) == [".env", ".git", "e"] and names(root.parent) == ["state", "w"]
    assert int(text(done).split()[-1]) < 100, "processes of its own"


async def test_nothing_outlives_it(root: Path) -> None:
    await ran(root, f"setsid sleep {SECONDS} & sleep {SECONDS} &")
    assert not any(SECONDS.encode() in _cmdline(one) for one in os.listdir("/proc") if one.isdigit())


def _cmdline(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


async def test_a_path_that_vanished_between_plan_and_start_runs_nothing(root: Path) -> None:
    with pytest.raises(SandboxProblem, match="gone"):
        await ran(root, "touch ran", Mount("read", f"{root}/gone", "kept"))
    assert not (root / "ran").exists()


async def test_a_sandbox_that_is_not_as_planned_runs_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command waits for a look from outside; without that it never starts."""
    or_skip()
    monkeypatch.setattr(verify, "broken_promise", lambda *_, **__: "The promise about x doesn't hold.")
    with pytest.raises(SandboxProblem, match="about x"):
        await ran(root, "touch ran")
    assert not (root / "ran").exists()


async def test_a_folder_swapped_for_a_link_after_the_plan_runs_nothing(root: Path, tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (root / "swapped").symlink_to(tmp_path / "away")
    with pytest.raises(SandboxProblem):
        await ran(root, "touch ran swapped/made", Mount("write", f"{root}/swapped", "holds a repository"))
    assert not (root / "ran").exists() and list((tmp_path / "away").iterdir()) == []


async def test_one_that_is_cancelled_before_it_starts_runs_nothing(root: Path) -> None:
    """Z19."""
    cancel = asyncio.Event()
    cancel.set()
    done = await ran(root, "touch ran", cancel=cancel)
    assert done.cancelled and not (root / "ran").exists()


async def test_one_that_is_cancelled_at_the_last_moment_is_not_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Z19: between the look and the start."""
    stop = asyncio.Event()
    monkeypatch.setattr(verify, "read_state", lambda _: stop.set())
    monkeypatch.setattr(verify, "broken_promise", lambda *_, **__: "")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        for end in (ours, theirs):
            end.setblocking(False)
        theirs.send(READY)
        gate = _Gate(ours, Box(Bubblewrap("/bwrap"), (), "/", "/nothing"), {}, stop, filtered=True)
        await gate.open()
        assert stop.is_set() and not gate.opened
        with pytest.raises(BlockingIOError):
            theirs.recv(16)


async def test_a_program_that_only_claims_to_be_bubblewrap_runs_nothing(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake(tmp_path / "bin", LIAR, monkeypatch)
    with pytest.raises(SandboxProblem):
        await ran(root, "touch ran", program=Bubblewrap(str(program)))
    assert not (root / "ran").exists()


async def test_what_bubblewrap_says_is_repeated(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake(tmp_path / "bin", BROKEN, monkeypatch)
    with pytest.raises(SandboxProblem, match="No permissions to create a new namespace"):
        await ran(root, "touch ran", program=Bubblewrap(str(program)))


async def test_an_older_bubblewrap_will_do(root: Path) -> None:
    """Without its newer options: the kernel locks the mounts for further namespaces."""
    program = or_skip().bubblewrap
    assert program is not None
    old = Bubblewrap(program.program, userns=False, size=False)
    done = await ran(root, "unshare -Urm umount .env; unshare -Urm cat .env; cat .env; touch ran", program=old)
    assert "secret" not in text(done) and (root / "ran").exists()


def test_the_empty_file_is_empty(tmp_path: Path) -> None:
    path = empty_file(tmp_path / "state")
    assert os.stat(path).st_size == 0 and os.stat(path).st_mode & 0o077 == 0
    Path(path).write_text("not empty")
    with pytest.raises(SandboxProblem, match="must be an empty file"):
        empty_file(tmp_path / "state")


async def test_no_bwrap_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (await probed()).reason == "bwrap is not installed"


async def test_a_bwrap_that_cannot_is_said_in_its_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path / "bin", BROKEN, monkeypatch)
    found = await probed()
    assert found.bubblewrap is None and "No permissions to create a new namespace" in found.reason


async def test_a_bwrap_without_a_sandbox_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Being installed is not enough: the trial looks at what really stands."""
    fake(tmp_path / "bin", LIAR, monkeypatch)
    assert (await probed()).reason.startswith("bwrap doesn't work here: It shares its")


@pytest.mark.parametrize(
    ("root", "reason"),
    [("/", "the whole disk"), ("/proc/self", "the running system"), ("/sys/fs", "the running system")],
)
async def test_some_workspaces_can_have_none(root: str, reason: str) -> None:
    assert reason in (await probed(root)).reason


async def test_a_bwrap_of_the_workspace_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path / "bin", '#!/bin/sh\ntouch "$0.ran"\n', monkeypatch)
    assert "in this workspace" in (await probed(tmp_path)).reason
    assert not (tmp_path / "bin" / "bwrap.ran").exists()


async def test_the_trial_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    or_skip()
    program = fake(tmp_path / "bin", COUNTED.format(shutil.which("bwrap")), monkeypatch)
    (tmp_path / "w").mkdir()
    sandboxes = Sandboxes()
    for _ in range(3):
        assert (await sandboxes.found(tmp_path / "w")).bubblewrap is not None
    assert program.with_name("bwrap.ran").read_text() == "\n"


@pytest.mark.parametrize(
    ("act", "says"),
    [
        ("(root / 'sub').rename(root / 'sub2')", "protects can be changed"),
        ("(root / '.git' / 'made').write_text('')", "protects can be changed"),
        ("(root.parent / 'made').write_text('')", "the disk can be written"),
        ("(root / 'done').unlink()", "nothing in it ran"),
    ],
)
def test_the_trial_would_notice(tmp_path: Path, act: str, says: str) -> None:
    """Every trace of a way out."""
    root = tmp_path / "workspace"
    for name in (".git", "sub/.git", ".jp-tui"):
        (root / name).mkdir(parents=True)
    for name in (".env", "sub/.env", "done"):
        (root / name).write_text("")
    assert probe._judged(root, "2\n") == ""
    assert "hides can be read" in probe._judged(root, f"2\n{probe._SECRET}")
    assert "other processes are visible" in probe._judged(root, "12345\n")
    exec(act, {"root": root})
    assert says in probe._judged(root, "2\n")
