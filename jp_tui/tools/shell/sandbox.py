"""Sandbox of a command: its plan from settings and a search of the workspace, and the run in it (S40; Z18).

`shell_run.py` decides whether a command runs. The sandbox is planned directly before the run; if the plan can't be
carried out, SandboxProblem is raised and nothing runs. Afterwards the workspace is searched for new repositories.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from jp_tui.system.children import ChildExit, ChildProblem, child_environment
from jp_tui.system.ignore_lists import NAME as IGNORE_LIST
from jp_tui.system.paths import Paths, PathsError, private_folder
from jp_tui.system.problem import display_path
from jp_tui.system.sandbox import placeholders
from jp_tui.system.sandbox.command import Bubblewrap
from jp_tui.system.sandbox.mounts import Mount, SandboxProblem, beneath, planned
from jp_tui.system.sandbox.places import hidden, own_folders
from jp_tui.system.sandbox.probe import Sandboxes
from jp_tui.system.sandbox.protect import linked_repositories, protected
from jp_tui.system.sandbox.runner import Box, empty_file, run_inside
from jp_tui.system.sandbox.visible import DEFAULT, MORE_SECRETS, Visible, visible, visible_mounts
from jp_tui.tools.files.workspace import ToolRefusal, secrets
from jp_tui.tools.port import ToolCall
from jp_tui.tools.worker import WorkerTimeout, ask

MOST_HIDDEN = 2_000
"""Files of ignore lists that are hidden in a sandbox (AR41)."""
MOST_ENTRIES, MOST_SECONDS = 1_000_000, 10.0
"""Limits of the search of a workspace, and of each visible place. Ten seconds is what a user accepts before a
command."""
_PATIENT = 0.5
"""Seconds of a search after which it is reported."""
_FRESH = 600.0
"""Seconds for which the search result of visible places and system folders is reused; they rarely change."""
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/proc", "/sys", "/dev", "/nix", "/gnu",
)  # fmt: skip
"""Links of a workspace aren't followed to these."""
_FOR_EVERYBODY = ("/etc", "/var")
"""System folders in which commands of root see only what other users' commands would."""


_LISTS = ("control", "repositories", "secrets", "twins", "closed")


@dataclass(frozen=True, slots=True)
class Survey:
    """Result of a workspace search, as absolute paths; see `survey.py`."""

    control: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    whole: bool = False
    hidden: int = 0

    @classmethod
    def of(cls, found: dict[str, Any]) -> Survey:
        lists: dict[str, Any] = {name: tuple(found[name]) for name in _LISTS}
        return cls(**lists, whole=found["whole"], hidden=found["hidden"])


@dataclass(frozen=True, slots=True)
class Walled:
    """Plan of a command's run: with a program that makes the sandbox, or without one for a reason."""

    root: str
    bubblewrap: Bubblewrap | None = None
    reason: str = ""
    network: bool = False
    read_only: tuple[str, ...] = ()
    survey: Survey = field(default_factory=Survey)
    places: tuple[Visible, ...] = ()
    secrets: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    lists: str = ""
    """Text about ignore lists without a sandbox."""

    @property
    def sandboxed(self) -> bool:
        return self.bubblewrap is not None

    @property
    def whole(self) -> bool:
        """True if the whole workspace was searched."""
        return self.survey.whole


def _listed(root: str) -> tuple[str, ...]:
    """The workspace's ignore list, which no command changes (AR41)."""
    return (IGNORE_LIST,) if os.path.lexists(os.path.join(root, IGNORE_LIST)) else ()


def _open_lists(call: ToolCall) -> str:
    return ", and it can read what your ignore lists hide" if call.ignored() else ""


class Sandboxing:
    """Sandboxes of one tool. Caches what doesn't change from call to call."""

    def __init__(self) -> None:
        self._sandboxes = Sandboxes()
        self._searched: dict[tuple[str, ...], tuple[float, dict[str, list[str]]]] = {}
        self._swept = False

    async def works(self, call: ToolCall) -> tuple[bool, bool]:
        """Return whether commands of this call would run in a sandbox, and whether they have the network."""
        options = call.options.get("sandbox")
        said = options if isinstance(options, dict) else {}
        if said.get("mode", "auto") == "off":
            return False, False
        found = await self._sandboxes.found(_real(call.root))
        return found.bubblewrap is not None, said.get("network") is True

    async def walled(self, call: ToolCall) -> Walled:
        """Plan the sandbox. Raises ToolRefusal if one is required but missing or incomplete."""
        options = call.options.get("sandbox")
        said = options if isinstance(options, dict) else {}
        mode, root = said.get("mode", "auto"), _real(call.root)
        if mode == "off":
            return Walled(root, reason="your settings switch the sandbox off", lists=_open_lists(call))
        found = await self._sandboxes.found(root)
        if found.bubblewrap is None:
            if mode == "required":
                raise ToolRefusal(f"Commands run only in a sandbox here, and there is none: {found.reason}.")
            return Walled(root, reason=found.reason, lists=_open_lists(call))
        read_only = _texts(said.get("read_only"), ())
        read_only += _listed(root)
        places = visible(_texts(said.get("visible"), (DEFAULT,)), os.environ, root)
        try:
            searched, survey = await _both(
                self.searched(places, secrets(call), _cancelled(call)), self._survey(call, root, read_only)
            )
            if survey.hidden > MOST_HIDDEN:
                raise ToolRefusal(
                    f"Your ignore lists hide {survey.hidden:,} files here, more than the {MOST_HIDDEN:,} that can be "
                    "hidden in the sandbox, so nothing was run."
                )
            walled = Walled(
                root,
                found.bubblewrap,
                network=said.get("network") is True,
                read_only=read_only,
                survey=survey,
                places=tuple(one for one in places if one.real not in searched["left"]),
                secrets=tuple(searched["secrets"]),
                closed=tuple(searched["closed"]),
            )
            _plan(walled)
        except SandboxProblem as problem:
            raise ToolRefusal(unkept(problem)) from None
        if mode == "required" and not survey.whole:
            raise ToolRefusal(f"Commands run only in a sandbox here. {TOO_LARGE}")
        return walled

    async def searched(
        self, places: Sequence[Visible], rules: Sequence[str], cancel: asyncio.Event | None = None
    ) -> dict[str, list[str]]:
        """Return what is masked in visible places and system folders; places too large to search are in `left`."""
        trees = tuple(one.real for one in places if not one.refused)
        key = (*rules, "", *trees)
        if key in self._searched and time.monotonic() - self._searched[key][0] < _FRESH:
            return self._searched[key][1]
        private = _FOR_EVERYBODY if os.geteuid() == 0 else ()
        job = {
            "trees": trees, "rules": [*rules, *MORE_SECRETS], "private": private, "entries": MOST_ENTRIES,
            "seconds": MOST_SECONDS,
        }  # fmt: skip
        limit = (len(trees) + 1) * MOST_SECONDS
        found: dict[str, list[str]]
        try:
            found = (await ask("places", job, seconds=limit, cancel=cancel))[-1]["found"]
        except WorkerTimeout:  # a disk that doesn't respond: none of it is visible
            return {"secrets": [], "closed": list(private), "left": list(trees)}
        self._searched = {key: (time.monotonic(), found)}
        return found

    async def _survey(self, call: ToolCall, root: str, read_only: Sequence[str]) -> Survey:
        skip = [*_SYSTEM, *(mount.path for mount in hidden(root, os.environ) if mount.kind in ("private", "empty"))]
        job = {"rules": secrets(call), "read_only": read_only, "skip": skip, "ignored": list(call.ignored())}
        return await _searched(root, job, _cancelled(call), lambda: call.progress(SEARCHING))

    async def run(
        self, walled: Walled, argv: Sequence[str], cwd: str, seconds: float, output: int, flood: int,
        cancel: asyncio.Event, heard: Callable[[bytes], None],
    ) -> tuple[ChildExit, list[str]]:  # fmt: skip
        """Run a command; return its exit and sentences about what it left behind. Raises SandboxProblem if nothing
        ran."""
        assert walled.bubblewrap is not None
        folder = _folder()
        if not self._swept:
            placeholders.sweep(folder)
            self._swept = True
        try:
            lock = placeholders.acquire(folder, walled.root)
        except OSError as error:
            raise SandboxProblem(f"Its lock in {folder} can't be used: {error.strerror}.") from error
        try:
            mounts = _made(walled, lock)
            _reachable(mounts, argv[0])
            made = placeholders.listed(lock)
            box = Box(walled.bubblewrap, mounts, cwd, empty_file(Path(folder)), walled.network, lock)
            done = await run_inside(
                box, argv, timeout=seconds, output_limit=output, flood=flood, cancel=cancel, heard=heard
            )
        except (SandboxProblem, ChildProblem):  # nothing of it runs
            placeholders.release(lock)
            raise
        except BaseException:  # the kept command must be released
            os.close(lock)
            raise
        os.close(lock)
        return done, await self._after(walled, made)

    async def _after(self, walled: Walled, made: set[str]) -> list[str]:
        job = {"rules": [], "read_only": [], "skip": ["/"]}
        try:
            survey = await _searched(walled.root, job, asyncio.Event(), lambda: None)
        except ToolRefusal:
            return [UNSEEN]
        before = {*walled.survey.control, *walled.survey.repositories, *made}
        new = sorted({*survey.control, *survey.repositories} - before)
        tops = [path for path in new if not any(beneath(path, one) for one in new if one != path)]
        said = [_appeared(_named(tops, walled.root))] if tops else []
        if closed := sorted({*survey.closed} - {*walled.survey.closed}):
            said.append(f"It left folders that can't be searched: {_named(closed, walled.root)}.")
        return said if survey.whole else [*said, UNSEEN]


_First = TypeVar("_First")
_Second = TypeVar("_Second")
TOO_LARGE = (
    f"The workspace is too large to be searched whole ({MOST_ENTRIES:,} entries or {MOST_SECONDS:.0f} s at most): "
    "secrets and repositories further down are not protected."
)
UNSEEN = "The workspace is too large to be searched whole: a new repository in it may go unnoticed."
SEARCHING = "Searching the workspace for secrets and repositories"
_NAMED, _LONG = 8, 200


def unkept(problem: SandboxProblem) -> str:
    """Return the text for a command that isn't run because of this problem."""
    return f"The sandbox can't be set up as promised, so nothing was run. {problem}"


def _named(paths: Sequence[str], root: str) -> str:
    """Return some of these paths relative to the root, readable, with a count of the rest."""
    said = [display_path(path[len(root) :].lstrip("/")[:_LONG]) for path in paths[:_NAMED]]
    return ", ".join(said) + (f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else "")


def _appeared(named: str) -> str:
    return (
        f"It created {named}. Programs outside the sandbox obey the hooks and settings of a repository: look at them "
        "before you use it."
    )


async def _both(first: Coroutine[Any, Any, _First], second: Coroutine[Any, Any, _Second]) -> tuple[_First, _Second]:
    """Run both concurrently; if one fails, cancel the other."""
    try:
        async with asyncio.TaskGroup() as group:
            one, two = group.create_task(first), group.create_task(second)
    except BaseExceptionGroup as problems:
        raise problems.exceptions[0] from None
    return one.result(), two.result()


def _cancelled(call: ToolCall) -> asyncio.Event:
    """Event that is set when the call is cancelled."""
    cancel = asyncio.Event()
    call.cancel.then(cancel.set)
    return cancel


async def _searched(root: str, job: dict[str, Any], cancel: asyncio.Event, slow: Callable[[], None]) -> Survey:
    whole = {"root": root, "entries": MOST_ENTRIES, "seconds": MOST_SECONDS, **job}
    begun = time.monotonic()

    def heard(_: bytes) -> None:
        if time.monotonic() - begun > _PATIENT:
            slow()

    try:
        lines = await ask("survey", whole, seconds=3 * MOST_SECONDS, cancel=cancel, heard=heard)
    except WorkerTimeout as late:  # a disk that doesn't respond
        raise ToolRefusal("The workspace could not be searched for secrets in time, so nothing was run.") from late
    return Survey.of(lines[-1]["found"])


def _made(walled: Walled, lock: int) -> tuple[Mount, ...]:
    """Return the plan with empty folders for missing ones. Raises SandboxProblem."""
    _, missing = _plan(walled)
    try:
        placeholders.make(lock, missing)
    except OSError as error:
        if error.errno != errno.EROFS:  # on a read-only file system no one can create it
            raise SandboxProblem(
                f"{display_path(missing[0])} can't be kept from being made: {error.strerror}."
            ) from error
        return _plan(walled)[0]
    mounts, missing = _plan(walled)
    if missing:
        raise SandboxProblem(f"{display_path(missing[0])} can't be kept from being made.")
    return mounts


def _plan(walled: Walled) -> tuple[tuple[Mount, ...], list[str]]:
    """Return the mounts, and what must be created first. Raises SandboxProblem."""
    root, survey = walled.root, walled.survey
    own = own_folders(os.environ)
    kept = protected(root, [*survey.control, *survey.twins], survey.repositories, walled.read_only, own)
    linked = [one for one in visible(linked_repositories(survey.control), os.environ, root) if not one.refused]
    wishes = [
        *hidden(root, os.environ, network=walled.network),
        *visible_mounts([*walled.places, *linked]),
        *kept.wishes,
        *(_mask(path) for path in (*survey.secrets, *walled.secrets) if os.path.lexists(path)),
        *(Mount("empty", path, "can't be searched", fixed=True) for path in survey.closed),
        *(Mount("empty", path, "not for everybody") for path in walled.closed),
    ]
    mounts = planned(root, [wish for wish in wishes if wish.kind in ("level", "read") or wish.path != root])
    return mounts, [path for path in kept.missing if nearest(mounts, path) == "write"]


def _mask(path: str) -> Mount:
    """Mask a path. Its parents stay in place: a concurrent command could move it between plan and mount."""
    return Mount("mask", path, "usually holds secrets", fixed=True)


def nearest(mounts: Sequence[Mount], path: str) -> str:
    """Return the kind of mount that applies to a path; "" for the disk."""
    above = [mount for mount in mounts if beneath(path, mount.path) and mount.kind not in ("link", "folder")]
    return max(above, key=lambda mount: len(mount.path)).kind if above else ""


def _reachable(mounts: Sequence[Mount], program: str) -> None:
    """Raise SandboxProblem for a program that the sandbox hides."""
    path = program if "/" in program else shutil.which(program, path=child_environment(os.environ)["PATH"])
    if path is None or not os.path.isabs(path):
        return
    real = os.path.realpath(path)
    linked = any(mount.kind == "link" and beneath(path, mount.path) for mount in mounts)
    if nearest(mounts, real) in ("private", "empty") or (nearest(mounts, path) in ("private", "empty") and not linked):
        raise SandboxProblem(f"It hides the program {display_path(path)}. List its folder in options.sandbox.visible.")


def _folder() -> str:
    """Return the folder for locks and the empty file. Raises SandboxProblem."""
    try:
        return str(private_folder(Paths.of(os.environ).state / "sandbox"))
    except PathsError as error:
        raise SandboxProblem(f"It needs a folder for its state: {error}.") from error


def _real(path: Path) -> str:
    return os.path.realpath(path)


def _texts(value: object, default: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else default
