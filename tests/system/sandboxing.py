"""What tests of the sandbox share: whether one works here, and a home and a workspace of their own."""

from __future__ import annotations

import asyncio
import functools
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from jp_tui.system.sandbox.probe import SandboxProbe, probed


@functools.cache
def found() -> SandboxProbe:
    """What the probe says, once a process. The PATH of the first test that asks is that of the machine."""
    with ThreadPoolExecutor(1) as beside:  # a test may have a loop of its own
        return beside.submit(lambda: asyncio.run(probed())).result()


@functools.cache
def bare() -> bool:
    """Whether bubblewrap works by itself. Then a probe that says no is no reason to skip a test."""
    line = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]
    try:
        return subprocess.run(line, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def or_skip() -> SandboxProbe:
    """As `found`; the test is skipped where there is no sandbox."""
    if found().bubblewrap is None:
        assert not bare(), f"bubblewrap itself works here, and yet: {found().reason}"
        pytest.skip(f"no sandbox here: {found().reason}")
    return found()


@dataclass(frozen=True)
class Place:
    """A home, the workspace `root` in it, and a folder beside both. None is in a folder for temporary files, where one
    can be made elsewhere: those are hidden anyway."""

    base: Path

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def root(self) -> Path:
        return self.home / "w"

    @property
    def beside(self) -> Path:
        return self.base / "beside"

    def make(self, monkeypatch: pytest.MonkeyPatch) -> Place:
        for folder in (self.root, self.beside):
            folder.mkdir(parents=True)
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("JP_TUI_HOME", str(self.base / "jp"))
        return self


def elsewhere() -> str | None:
    """A folder of the system that isn't for temporary files and can be written; None for the usual one."""
    return next((one for one in ("/opt", "/srv", "/var/lib") if os.access(one, os.W_OK)), None)
