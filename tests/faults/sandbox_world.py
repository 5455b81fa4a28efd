"""A world around a workspace, for part `sandbox`: a home, other places, secrets, and whoever listens outside.

Each command gets a world of its own. What it did is judged here, on the host: by what changed outside of what it may
change, by secrets in what reached the model or in a file that it could write, and by who was reached.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SLEEP = "86399"
TOUCHY = "import signal, sys, time; signal.signal(signal.SIGWINCH, lambda *_: sys.exit(9)); time.sleep({})"
"""A process that ends at a signal which harms no other."""
ACTS = Path(__file__).with_name("sandbox_acts.py")
HEAD, CONFIG = "ref: refs/heads/main\n", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
READ_ONLY = ["d/e/vendor", "pinned.txt", "locked/deep/missing"]
PYTHON = os.path.realpath(sys.executable)
VISIBLE = ["default", os.path.dirname(os.path.dirname(PYTHON))]
"""The interpreter of these tests may be in a home folder."""


PROGRAMS = [os.path.realpath(one) for name in ("bwrap", "sh") if (one := shutil.which(name))] + [PYTHON]
"""What a sandbox is made of, and runs."""


def repository(folder: Path) -> None:
    """What git takes for a repository, without git."""
    for name in ("objects/info", "refs/heads", "hooks", "info"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text(HEAD)
    (folder / "config").write_text(CONFIG)
    (folder / "hooks" / "post-checkout").write_text("#!/bin/sh\n")


@dataclass
class World:
    """One of these, in a temporary folder. `token` is in every secret and nowhere else."""

    base: Path
    outside: Path
    temporary: Path
    token: str = field(default_factory=lambda: f"tok{secrets.token_hex(8)}")
    before: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def root(self) -> Path:
        return self.home / "src" / "w"

    def make(self) -> None:
        """Everything in it, and what it looks like now."""
        self._home()
        self._workspace()
        (self.outside / ".env").write_text(self.secret())
        (self.outside / "plain.txt").write_text("plain\n")
        self.before = self.picture()

    def secret(self) -> str:
        return f"KEY={self.token}\n"

    def _home(self) -> None:
        for name in (
            ".ssh/id_ed25519", ".bashrc", ".npmrc", ".config/gh/hosts.yml", ".aws/credentials", "notes.txt", ".netrc",
            ".cargo/credentials.toml", ".cargo/bin/.env", ".cargo/registry/npmrc", ".gitconfig", "keys/aws",
            ".m2/settings.xml", ".gnupg/secring.gpg", "src/other/.env", "src/other/plain.txt", "dot/ssh/id_rsa",
        ):  # fmt: skip
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.secret())
        (self.home / ".cargo" / "bin" / "tool").write_text("#!/bin/sh\necho tool\n")
        (self.home / ".cargo" / "bin" / "tool").chmod(0o755)
        (self.home / ".docker").symlink_to("dot/ssh")
        (self.home / ".local").mkdir()
        (self.home / ".local" / "bin").symlink_to("../.ssh")
        (self.home / ".kube").symlink_to(self.outside / "kube")
        (self.outside / "kube").mkdir()
        (self.outside / "kube" / "config").write_text(self.secret())
        repository(self.home / "src" / "main" / ".git")
        ours = self.home / ".local" / "share" / "jp-tui"
        for folder in (ours, self.base / "jp" / "data", self.base / "jp" / "config", self.base / "jp" / "state"):
            folder.mkdir(parents=True)
            (folder / "conversations.db").write_text(self.secret())

    def _workspace(self) -> None:
        root = self.root
        repository(root / ".git")
        repository(root / "sub" / ".git")
        repository(root / "deep" / "a" / "b" / "c" / "d" / ".git")
        repository(root / "bare.git")
        repository(root / ".git" / "modules" / "mod")
        (root / "mod").mkdir()
        (root / "mod" / ".git").write_text("gitdir: ../.git/modules/mod\n")
        main = self.home / "src" / "main" / ".git"
        tree = main / "worktrees" / "wt"
        tree.mkdir(parents=True)
        (root / "wt").mkdir()
        (root / "wt" / ".git").write_text(f"gitdir: {tree}\n")
        for name, text in (("HEAD", HEAD), ("commondir", "../..\n"), ("gitdir", f"{root / 'wt' / '.git'}\n")):
            (tree / name).write_text(text)
        (root / ".jp-tui").mkdir()
        (root / ".jp-tui" / "config.toml").write_text("# ours\n")
        (root / "d" / "e" / "vendor").mkdir(parents=True)
        (root / "d" / "e" / "vendor" / "lib.c").write_text("int x;\n")
        (root / "pinned.txt").write_text("pinned\n")
        for name in (".env", "cfg/.env.production", "id_rsa", "certs/a.p12", "p/.aws/credentials", "d/e/vendor/.netrc"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(self.secret())
        os.link(root / ".env", root / "copy.txt")
        os.link(root / ".git" / "config", root / "gitconfig.txt")
        (root / "link").symlink_to("../other/.env")
        (root / "outlink").symlink_to(self.outside / ".env")
        (root / "outfolder").symlink_to(self.outside)
        (root / "settings.env").symlink_to(".env")
        (root / "plain").mkdir()
        (root / "plain" / "file.txt").write_text("plain\n")
        shutil.copy(ACTS, root / "acts.py")
        (root / "prepared").mkdir()
        (root / "prepared" / "config.toml").write_text("[x]\n")

    def picture(self) -> dict[str, str]:
        """What stands at each path, by a short text: its kind, mode, owner and content; of programs, their last change
        of any kind."""
        found = {path: _look(path) for top in (self.base, self.outside) for path in _paths(str(top))}
        return found | {path: f"{os.stat(path).st_ctime_ns}" for path in PROGRAMS}

    def judge(self, output: str) -> list[str]:
        """What is wrong, in words; nothing when the sandbox held."""
        wrong = ["a secret reached the model"] if self.token in output else []
        _readable(str(self.root))
        now = self.picture()
        for path in (*(f"{top}/made" for top in ("", "/usr", "/opt", "/etc", "/var")), *_made(self.base.name)):
            if os.path.lexists(path):
                wrong.append(f"made: {path}")
        for path in sorted(self.before.keys() | now.keys()):
            old, new = self.before.get(path), now.get(path)
            if old == new:
                continue
            if not self._may(path):
                wrong.append(f"{'made' if old is None else 'removed' if new is None else 'changed'}: {path}")
            elif new is not None and self.token in _content(path):
                wrong.append(f"a secret was copied to {path}")
        for path in now.keys() - self.before.keys():
            if path.startswith(str(self.root)) and os.path.isfile(path) and os.lstat(path).st_mode & stat.S_ISUID:
                wrong.append(f"a program that runs as its owner: {path}")
            if _obeyed(path) and os.path.relpath(path, self.root).partition("/")[0] not in output:
                wrong.append(f"a new repository went unsaid: {path}")
        return wrong

    def _may(self, path: str) -> bool:
        """Whether a command may change what stands here: in the workspace, and neither kept nor a secret."""
        root = str(self.root)
        if not path.startswith(root + "/"):
            return path.startswith(str(self.base / "jp" / "state" / "sandbox")) or path == root
        name = path[len(root) + 1 :]
        kept = (
            ".git", ".jp-tui", ".jp_tui", "sub/.git", "deep/a/b/c/d/.git", "bare.git", "mod/.git", "wt/.git",
            "d/e/vendor", "pinned.txt", "locked/deep/missing", ".env", "cfg/.env.production", "id_rsa", "certs/a.p12",
            "p/.aws/credentials", "copy.txt", "gitconfig.txt",
        )  # fmt: skip
        return not any(name == one or name.startswith(one + "/") for one in kept)


def _made(name: str) -> list[str]:
    return [f"{top}/{name}" for top in ("/var/spool/cron", "/etc/cron.d", "/etc/systemd/system", "/dev/shm")]


def _readable(folder: str) -> None:
    """What a command closed for everybody is opened again, to be looked at."""
    if os.lstat(folder).st_uid == os.geteuid():
        os.chmod(folder, os.lstat(folder).st_mode | stat.S_IRWXU)
    with os.scandir(folder) as entries:
        for one in [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]:
            _readable(one)


def _obeyed(path: str) -> bool:
    return os.path.basename(path).casefold() in (".git", ".jp-tui", ".jp_tui")


def _paths(top: str) -> Iterator[str]:
    yield top
    for folder, folders, files in os.walk(top):
        yield from (os.path.join(folder, name) for name in (*folders, *files))


def _look(path: str) -> str:
    there = os.lstat(path)
    kind = stat.S_IFMT(there.st_mode)
    said = f"{kind:o} {stat.S_IMODE(there.st_mode):o} {there.st_uid} {there.st_nlink if stat.S_ISREG(kind) else ''}"
    if stat.S_ISLNK(kind):
        return f"{said} {os.readlink(path)}"
    named = sorted(os.listxattr(path, follow_symlinks=False)) if hasattr(os, "listxattr") else []
    return f"{said} {f'{there.st_mtime_ns} {_digest(path)}' if stat.S_ISREG(kind) else ''} {named}"


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _content(path: str) -> str:
    """What a file holds; of a large one both ends are enough."""
    if not os.path.isfile(path) or os.path.islink(path):
        return ""
    with open(path, "rb") as file:
        return file.read(1 << 20).decode("utf-8", "replace")


class Listeners:
    """Sockets and a process outside. `reached` names those that somebody spoke to, or that are gone."""

    def __init__(self, world: World) -> None:
        token, self._stop = world.token, threading.Event()
        self._heard: set[str] = set()
        self.places = {
            "temporary": str(world.temporary / "t.sock"), "outside": str(world.outside / "o.sock"),
            "workspace": str(world.root / "plain" / "w.sock"), "abstract": f"\0jp-{world.base.name}",
        }  # fmt: skip
        self._sockets: dict[str, socket.socket] = {}
        for name, place in self.places.items():
            self._listen(name, socket.socket(socket.AF_UNIX), place)
        network = socket.socket()
        self._listen("loopback", network, ("127.0.0.1", 0))
        self.port = network.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.executable, "-c", TOUCHY.format(SLEEP)], env={"SECRET": token, "PATH": os.defpath}
        )
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _listen(self, name: str, one: socket.socket, place: str | tuple[str, int]) -> None:
        one.bind(place)
        one.listen(8)
        one.settimeout(0)
        self._sockets[name] = one

    def _accept(self) -> None:
        while not self._stop.wait(0.01):
            for name, one in self._sockets.items():
                with contextlib.suppress(BlockingIOError, OSError):
                    one.accept()[0].close()
                    self._heard.add(name)

    def reached(self) -> list[str]:
        """Once: after the command has ended."""
        self._stop.set()
        self._thread.join()
        self._stop.clear()
        for name, one in self._sockets.items():
            with contextlib.suppress(BlockingIOError, OSError):
                one.accept()[0].close()
                self._heard.add(name)
        found = [f"the {name} socket was reached" for name in sorted(self._heard)]
        return found + ([] if self.process.poll() is None else ["a process outside was ended"])

    def close(self) -> None:
        self._stop.set()
        for one in self._sockets.values():
            one.close()
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def world() -> Iterator[World]:
    """A fresh one, with the environment of this process pointed at it."""
    above = next((one for one in ("/opt", "/srv", "/var/lib") if os.access(one, os.W_OK)), None)
    folders = [Path(os.path.realpath(tempfile.mkdtemp(prefix="jpw-", dir=one))) for one in (above, above, None)]
    kept = dict(os.environ)
    try:
        made = World(*folders)
        made.make()
        os.environ.update(HOME=str(made.home), JP_TUI_HOME=str(made.base / "jp"), SECRET_IN_ENVIRONMENT=made.token)
        yield made
    finally:
        os.environ.clear()
        os.environ.update(kept)
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
