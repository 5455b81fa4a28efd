"""`shell_run` in a real sandbox (Z18): the ways that led out before, what is left on the disk, what is said."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.system.sandbox.mounts import Mount, SandboxProblem
from jp_tui.tools.port import Cancel, NeedsInput, Outcome, RenderFailed, ToolCall
from jp_tui.tools.shell import sandbox as shell_sandbox
from jp_tui.tools.shell_run import ShellRun
from tests.system.sandboxing import Place, elsewhere, or_skip

SHARED: list[ShellRun] = []
SANDBOXED = (
    "Sandboxed: it can change this workspace only, but no .git, no .jp-tui and no read-only path in it. Your home "
    "folder is hidden except tool chains, and so are files that usually hold secrets. No network.\n"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    or_skip()
    with tempfile.TemporaryDirectory(prefix="jps-", dir=elsewhere()) as base:
        made = Place(Path(os.path.realpath(base))).make(monkeypatch)
        (made.root / ".git" / "hooks").mkdir(parents=True)
        (made.root / ".git" / "config").write_text("[core]\n")
        yield made


def tool() -> ShellRun:
    """One for all: whether a sandbox works here is tried once."""
    if not SHARED:
        SHARED.append(ShellRun())
    return SHARED[0]


def call(
    place: Place, line: str | Sequence[str], *, leave: bool = True, cancel: Cancel | None = None, **said: Any
) -> ToolCall:
    arguments = {"command": line} if isinstance(line, str) else {"argv": list(line)}
    options: dict[str, Any] = {"sandbox": {"mode": "required", **said}}
    for name in ("confirm", "secrets"):
        if name in said:
            options[name] = options["sandbox"].pop(name)
    return ToolCall(arguments, place.root, options=options, leave=leave, cancel=cancel or Cancel())


async def ran(place: Place, line: str | Sequence[str], **said: Any) -> Outcome:
    return await tool().run(call(place, line, **said))


def text(outcome: Outcome) -> str:
    assert isinstance(outcome, Success | Failure), outcome
    return outcome.content if isinstance(outcome, Success) else outcome.message


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def clean(place: Place) -> bool:
    """Whether nothing of a sandbox is left: no empty folder, no lock."""
    left = {name for name in (".jp-tui", ".jp_tui", "locked") if os.path.lexists(place.root / name)}
    return not left and os.listdir(place.base / "jp" / "state" / "sandbox") == ["nothing"]


# -- what led out before


async def test_a_repository_is_not_moved_away_and_planted_again(place: Place) -> None:
    (place.root / "sub" / ".git" / "hooks").mkdir(parents=True)
    await ran(place, "mv sub sub2 && mkdir -p sub/.git/hooks && echo x > sub/.git/hooks/pre-commit")
    assert "sub2" not in tree(place.root) and "sub/.git/hooks/pre-commit" not in tree(place.root)


async def test_a_read_only_path_does_not_fall_to_moving_its_parent(place: Place) -> None:
    (place.root / "d" / "e" / "vendor").mkdir(parents=True)
    await ran(place, "mv d x; mv d/e d/x; mkdir -p d/e/vendor/new; rm -rf d", read_only=["d/e/vendor"])
    assert tree(place.root) == {"d", "d/e", "d/e/vendor", ".git", ".git/hooks", ".git/config"}


async def test_a_linked_key_folder_shows_no_key(place: Place) -> None:
    (place.beside / "keys").mkdir()
    (place.beside / "keys" / "id").write_text("the key")
    (place.home / ".ssh").symlink_to(place.beside / "keys")
    done = await ran(place, f"cat ~/.ssh/id {place.beside}/keys/id")
    assert "the key" not in text(done)


async def test_missing_settings_of_ours_are_not_made(place: Place) -> None:
    await ran(place, "mkdir .jp-tui && echo x > .jp-tui/config.toml; mkdir -p .jp_tui/x; echo x > .jp-tui")
    assert tree(place.root) == {".git", ".git/hooks", ".git/config"}


async def test_a_secret_is_not_handed_out(place: Place) -> None:
    """Whatever `fs_read_file` refuses (R247), by the user's own rules too."""
    for name in (".env", "a/b/id_rsa", "x.token"):
        (place.root / name).parent.mkdir(parents=True, exist_ok=True)
        (place.root / name).write_text("the secret")
    assert "the secret" not in text(await ran(place, "cat .env a/b/id_rsa; mv .env x; cat x; ls -l"))
    assert (place.root / ".env").read_text() == "the secret"
    said = text(await ran(place, "cat .env; cat x.token", secrets=["*.token"]))
    assert said.count("the secret") == 1


async def test_a_folder_that_holds_a_secret_stays_where_it_is(place: Place) -> None:
    """A command that runs beside could move it between the plan of another and its mounts."""
    (place.root / "cfg").mkdir()
    (place.root / "cfg" / ".env").write_text("the secret")
    await ran(place, "mv cfg x; mkdir -p y; mv cfg y/")
    assert (place.root / "cfg" / ".env").read_text() == "the secret"


async def test_what_git_obeys_is_not_changed_by_another_name(place: Place) -> None:
    """A hard link that was there before."""
    os.link(place.root / ".git" / "config", place.root / "settings.txt")
    await ran(place, "echo '[core] hooksPath = x' >> settings.txt")
    assert (place.root / ".git" / "config").read_text() == "[core]\n"


async def test_secrets_in_visible_places_are_masked(place: Place) -> None:
    for name in (".cargo/bin/.env", ".cargo/registry/npmrc", ".cargo/registry/plain"):
        (place.home / name).parent.mkdir(parents=True, exist_ok=True)
        (place.home / name).write_text(f"content of {name}")
    done = text(await ran(place, "cd ~/.cargo; cat bin/.env registry/npmrc registry/plain"))
    assert "content of .cargo/registry/plain" in done and "bin/.env" not in done and "npmrc" not in done


async def test_nothing_of_home_is_visible_but_the_workspace_and_tool_chains(place: Place) -> None:
    for name in ("notes", ".bashrc", ".cargo/bin/tool", ".cargo/credentials.toml", "own/x", ".local/bin/y"):
        (place.home / name).parent.mkdir(parents=True, exist_ok=True)
        (place.home / name).write_text("of the home")
    done = await ran(place, f"cd ~; find . -type f; ls -A {place.base}; echo made > ~/.bashrc; cat ~/.bashrc")
    seen = text(done).partition("Output:\n")[2].split()
    assert sorted(seen[:3]) == ["./.cargo/bin/tool", "./.local/bin/y", "./w/.git/config"]
    assert seen[3:] == ["beside", "home", "jp", "made"]
    assert (place.home / ".bashrc").read_text() == "of the home"
    assert "of the home" in text(await ran(place, "cat ~/own/x", visible=["~/own", "~/.cargo"]))
    assert "of the home" not in text(await ran(place, "cat ~/own/x ~/.cargo/*", visible=["~/.cargo"]))


# -- what is said


async def test_what_is_shown_is_true_and_the_same_for_the_same_call(place: Place) -> None:
    first = await tool().render(call(place, "make"))
    assert first == f"{SANDBOXED}In the workspace, at most 120 s, by /bin/sh -c. All of it:\nmake"
    (place.root / ".env").write_text("x")
    assert await tool().render(call(place, "make")) == first, "Z16: by this it is remembered"
    assert "The network is open to it" in await tool().render(call(place, "make", network=True))


async def test_what_cannot_be_promised_is_said_before_anybody_is_asked(place: Place) -> None:
    with pytest.raises(RenderFailed, match=r"nothing was run\. read_only names \.\./x, which is outside"):
        await tool().render(call(place, "make", read_only=["../x"]))
    assert "which is outside" in text(await ran(place, "touch ran", read_only=["../x"]))
    assert "ran" not in tree(place.root)


async def test_a_workspace_too_large_to_be_searched_is_asked_about(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where commands run unattended; where a sandbox is required nothing runs."""
    monkeypatch.setattr(shell_sandbox, "MOST_ENTRIES", 1_000)
    for number in range(1_100):
        (place.root / f"f{number}").write_text("")
    shown = await tool().render(call(place, "true", mode="auto"))
    assert shown.startswith(SANDBOXED + "The workspace is too large to be searched whole")
    asked = await ran(place, "touch ran", mode="auto", leave=False, confirm="auto")
    assert isinstance(asked, NeedsInput) and "too large" in (asked.question.context or "")
    assert "Commands run only in a sandbox here. The workspace is too large" in text(await ran(place, "touch ran"))
    assert "ran" not in tree(place.root)
    assert "may go unnoticed" in text(await ran(place, "true", mode="auto"))


async def test_a_small_one_runs_unattended(place: Place) -> None:
    assert isinstance(await ran(place, "true", leave=False, confirm="auto"), Success)


async def test_too_many_secrets_run_nothing_and_the_reason_is_said(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jp_tui.system.sandbox.command.MOST_MOUNTS", 40)
    (place.root / "many").mkdir()
    for number in range(40):
        (place.root / "many" / f".env.{number}").write_text("x")
    assert "mounts, more than 40" in text(await ran(place, "touch ran")) and "ran" not in tree(place.root)
    assert clean(place)


async def test_a_program_that_the_sandbox_hides_is_named(place: Place) -> None:
    program = place.home / "own" / "tool"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho tool\n")
    program.chmod(0o755)
    assert f"It hides the program {program}. List its folder" in text(await ran(place, [str(program)]))
    assert "Output:\ntool" in text(await ran(place, [str(program)], visible=["~/own"]))


async def test_a_failure_says_that_there_was_a_sandbox_and_a_signal_is_told_as_one(place: Place) -> None:
    done = await ran(place, "kill -SEGV $$")
    assert "killed by SIGSEGV" in text(done) and "no network" in text(done) and "files that usually" in text(done)
    assert "no network" not in text(await ran(place, "false", network=True))


async def test_a_command_cannot_speak_as_the_sandbox(place: Place) -> None:
    """What bubblewrap itself says is told apart; none of its descriptors is within reach."""
    done = text(await ran(place, "for f in /proc/1/fd/* /proc/$PPID/fd/*; do echo forged > $f; done; ls /proc/1/fd"))
    assert "The sandbox said" not in done and done.endswith("\n0\n1\n2\n")


async def test_words_reach_a_program_as_they_are(place: Place) -> None:
    assert text(await ran(place, ["printf", "%s\n", "$HOME `id` *", ""])).endswith("Output:\n$HOME `id` *\n\n")


# -- new repositories


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("mkdir -p sub/.git", "sub/.git"),
        ("mkdir g && echo 'gitdir: x' > g/.git", "g/.git"),
        ("mkdir -p b/objects b/refs && echo ref: x > b/HEAD", "b"),
        ("mkdir -p a/.jp-tui", "a/.jp-tui"),
        ("mkdir a && ln -s nowhere a/.git", "a/.git"),
        ("mkdir -p 'a\n b'/.git", r"'a\n b/.git'"),
    ],
)
async def test_a_repository_that_appears_is_said(place: Place, line: str, named: str) -> None:
    assert f"It created {named}. Programs outside the sandbox obey" in text(await ran(place, line))


async def test_a_repository_that_was_there_is_not_said_and_one_within_another_only_once(place: Place) -> None:
    (place.root / "sub" / ".git").mkdir(parents=True)
    assert "It created" not in text(await ran(place, "true"))
    done = await ran(place, "mkdir -p n/.git/modules/m/.git n/.git/objects n/.git/refs; echo ref: x > n/.git/HEAD")
    assert "It created n/.git. " in text(done)
    assert "Read-only" in text(await ran(place, "echo x > n/.git/config")), "from the next call on it is protected"


# -- the disk afterwards


async def test_nothing_is_left_of_what_was_missing(place: Place) -> None:
    line = "ls -a; ls -a locked/deep"
    assert ".jp-tui" in text(await ran(place, line, read_only=["locked/deep/missing"]))
    assert clean(place) and tree(place.root) == {".git", ".git/hooks", ".git/config"}


async def test_two_at_once_keep_what_each_relies_on(place: Place) -> None:
    shutil.rmtree(place.root / ".git")
    slow = asyncio.create_task(
        ran(place, "touch begun; while [ ! -e go ]; do sleep 0.01; done; mkdir .git/x .jp-tui/x")
    )
    await until((place.root / "begun").exists)
    assert isinstance(await ran(place, "true"), Success)
    assert (place.root / ".git").is_dir(), "the other still runs"
    (place.root / "go").write_text("")
    assert "Read-only file system" in text(await slow)
    assert clean(place) and tree(place.root) == {"begun", "go"}


async def test_a_cancelled_call_leaves_nothing(place: Place) -> None:
    cancel = Cancel()
    running = asyncio.create_task(ran(place, "touch begun; sleep 300", cancel=cancel))
    await until((place.root / "begun").exists)
    cancel.called = True
    assert "It was cancelled" in text(await running) and clean(place)


async def test_a_call_whose_task_is_cancelled_leaves_nothing(place: Place) -> None:
    running = asyncio.create_task(ran(place, "touch begun; sleep 300"))
    await until((place.root / "begun").exists)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await until(lambda: clean(place))


async def until(true: Callable[[], bool]) -> None:
    """Wait for a fact; the test's own time limit is the bound."""

    def looked() -> None:
        while not true():
            time.sleep(0.01)

    await asyncio.to_thread(looked)


async def test_a_killed_jp_tui_leaves_nothing(place: Place) -> None:
    """kill -9: whoever keeps the command ends it and cleans up."""
    script = (
        "import asyncio, sys; from pathlib import Path; from jp_tui.tools.port import ToolCall;"
        "from jp_tui.tools.shell_run import ShellRun;"
        "asyncio.run(ShellRun().run(ToolCall({'command': 'touch begun; sleep 300'}, Path(sys.argv[1]), leave=True)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", script, str(place.root), env=environment)
    await until((place.root / "begun").exists)
    assert not clean(place)
    child.kill()
    await child.wait()
    await until(lambda: clean(place))
    assert tree(place.root) == {".git", ".git/hooks", ".git/config", "begun"}


async def test_a_path_that_vanishes_before_the_start_runs_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.root / "sub" / ".git").mkdir(parents=True)
    real = shell_sandbox.run_inside

    async def late(*arguments: Any, **named: Any) -> Any:
        shutil.rmtree(place.root / "sub" / ".git")
        return await real(*arguments, **named)

    monkeypatch.setattr(shell_sandbox, "run_inside", late)
    done = text(await ran(place, "touch ran"))
    assert done.startswith("The sandbox can't be set up as promised, so nothing was run. ") and "sub/.git" in done
    assert "ran" not in tree(place.root) and clean(place)


async def test_a_missing_place_that_cannot_be_kept_runs_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(shell_sandbox.placeholders, "make", fails)
    assert ".jp-tui can't be kept from being made: Permission denied." in text(await ran(place, "touch ran"))
    assert "ran" not in tree(place.root)


async def test_a_search_that_is_cancelled_runs_nothing(place: Place) -> None:
    """Z19: progress and an end, however long it takes."""
    cancel = Cancel()
    cancel.called = True
    done = text(await ran(place, "touch ran", cancel=cancel))
    assert "cancelled" in done and "ran" not in tree(place.root)


async def test_a_long_search_is_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(shell_sandbox, "_PATIENT", -1.0)
    made = call(place, "true")
    await tool().run(ToolCall(made.arguments, made.root, options=made.options, leave=True, progress=said.append))
    assert shell_sandbox.SEARCHING in said


# -- unusual workspaces


async def test_a_home_as_workspace_works_and_keeps_its_secrets(place: Place) -> None:
    for name in (".ssh/id", ".bashrc", ".cargo/bin/tool", "src/a", "todo.txt", ".config/gh/hosts.yml"):
        (place.home / name).parent.mkdir(parents=True, exist_ok=True)
        (place.home / name).write_text("the content")
    home = Place(place.base)
    line = (
        "cat .ssh/id .bashrc .config/gh/hosts.yml; echo x > .profile; echo x > .bashrc; mkdir .config/x; mv .ssh s;"
        "mkdir new; echo changed > src/a; echo changed > todo.txt; cat .cargo/bin/tool; echo x > .cargo/bin/tool"
    )
    arguments = call(home, line)
    done = text(await tool().run(ToolCall(arguments.arguments, place.home, options=arguments.options, leave=True)))
    assert done.count("the content") == 1, "the tool alone"
    assert (place.home / "src" / "a").read_text() == (place.home / "todo.txt").read_text() == "changed\n"
    assert {path.name for path in place.home.iterdir()} == {
        ".ssh", ".bashrc", ".cargo", "src", "todo.txt", ".config", "w",
    }  # fmt: skip
    assert (place.home / ".bashrc").read_text() == "the content"


async def test_a_worktree_reads_its_repository_elsewhere_and_cannot_change_it(place: Place) -> None:
    if shutil.which("git") is None:
        pytest.skip("no git here")
    main, tree_ = place.home / "main", place.root
    shutil.rmtree(tree_)

    def git(*words: str) -> None:
        named = ["-c", "user.name=x", "-c", "user.email=x@x"]
        subprocess.run(["git", *named, *words], cwd=main, check=True, capture_output=True)

    main.mkdir()
    git("init", "-q", "-b", "main")
    git("commit", "-q", "--allow-empty", "-m", "the first commit")
    git("worktree", "add", "-q", str(tree_))
    (main / "other.txt").write_text("beside")
    common = main / ".git"
    line = f"git log --format=%s; git status; touch {common}/hooks/x; echo x >> {common}/config; cat {main}/other.txt"
    done = text(await ran(place, line))
    assert "the first commit" in done and "beside" not in done
    assert not (common / "hooks" / "x").exists() and "x\n" not in (common / "config").read_text()[-3:]


async def test_what_is_too_deep_to_be_searched_is_hidden(place: Place) -> None:
    """No mount reaches that far, so a folder above it is covered."""
    here = os.open(place.root, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("d" * 200, dir_fd=here)
        here = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
    file = os.open(".env", os.O_WRONLY | os.O_CREAT, dir_fd=here)
    os.write(file, b"the secret")
    done = text(await ran(place, "find . -name .env -execdir cat {} \\; ; find . | wc -l"))
    assert "the secret" not in done and "Output:" in done


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may read what isn't for everybody")
async def test_root_s_commands_see_of_the_system_what_everybody_does(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.beside / "private").mkdir(mode=0o700)
    for name, mode in (("shadow", 0o600), ("passwd", 0o644), ("private/key", 0o644)):
        (place.beside / name).write_text(f"content of {name}")
        (place.beside / name).chmod(mode)
    monkeypatch.setattr(shell_sandbox, "_FOR_EVERYBODY", (str(place.beside),))
    fresh = call(place, f"cd {place.beside} && cat shadow passwd private/key")
    done = text(await ShellRun().run(fresh))
    assert "content of passwd" in done and "content of shadow" not in done and "content of private" not in done


async def test_a_workspace_in_a_temporary_folder(place: Place, tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "beside").write_text("x")
    made = call(place, "touch made; ls -A ..")
    done = await tool().run(ToolCall(made.arguments, tmp_path / "w", options=made.options, leave=True))
    assert text(done).endswith("Output:\nw\n") and (tmp_path / "w" / "made").exists()


async def test_every_mount_has_its_reason(place: Place) -> None:
    (place.root / ".env").write_text("x")
    mounts, missing = shell_sandbox._plan(await shell_sandbox.Sandboxing().walled(call(place, "true")))
    assert all(mount.why for mount in mounts) and missing == [f"{place.root}/.jp-tui", f"{place.root}/.jp_tui"]
    kinds = {mount.path: mount.kind for mount in mounts if mount.path.startswith(str(place.root))}
    assert kinds == {str(place.root): "write", f"{place.root}/.env": "mask", f"{place.root}/.git": "read"}
    assert isinstance(mounts[0], Mount) and str(SandboxProblem("x")) == "x"
