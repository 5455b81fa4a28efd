"""Where logins are kept (mcp.md P60): the keyring where one works, else a file; and what is told where neither does."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from jp_tui.mcp_host import token_store
from jp_tui.mcp_host.token_store import FOLDER, Kept, TokenProblem, TokenStore

URL, LOGIN = "https://docs.example/mcp", {"tokens": {"access_token": "canary-1"}}


class Ring:
    """A keyring of the system. `fails` is raised by every request."""

    def __init__(self, priority: float = 5) -> None:
        self.priority, self.held = priority, dict[tuple[str, str], str]()
        self.fails: Exception | None = None
        self.waits: threading.Event | None = None
        self.asked = 0

    def _ask(self) -> None:
        self.asked += 1
        if self.waits is not None:
            self.waits.wait()
        if self.fails is not None:
            raise self.fails

    def get_password(self, service: str, name: str) -> str | None:
        self._ask()
        return self.held.get((service, name))

    def set_password(self, service: str, name: str, text: str) -> None:
        self._ask()
        self.held[service, name] = text

    def delete_password(self, service: str, name: str) -> None:
        self._ask()
        del self.held[service, name]


class KeyringLocked(Exception):
    """What the library raises; its message may hold anything."""


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Ring:
    made, module = Ring(), ModuleType("keyring")
    module.get_keyring = lambda: made  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", module)
    return made


def everything(folder: Path) -> str:
    return "".join(file.read_text() for file in folder.rglob("*") if file.is_file())


def test_a_keyring_that_works_has_the_login_and_the_file_only_says_so(ring: Ring, tmp_path: Path) -> None:
    store = TokenStore(tmp_path)
    assert store.load(URL) is None and ring.asked == 0, "no keyring is asked about a server without a login"
    assert store.save(URL, LOGIN) == Kept("keyring")
    assert store.where(URL) == "keyring" and store.load(URL) == LOGIN
    assert "canary-1" not in everything(tmp_path) and list(ring.held) == [("jp-tui mcp", URL)]
    assert store.load("https://other.example/mcp") is None
    assert store.forget(URL) and not ring.held and store.load(URL) is None and not store.forget(URL)


def test_a_locked_keyring_leaves_the_login_in_a_file_and_says_so(ring: Ring, tmp_path: Path) -> None:
    ring.fails = KeyringLocked("canary-1")
    store = TokenStore(tmp_path)
    assert store.save(URL, LOGIN) == Kept("file", "the keyring failed (KeyringLocked)")
    assert store.where(URL) == "file" and store.load(URL) == LOGIN


def test_a_keyring_that_is_locked_later_is_told_and_nothing_is_lost(ring: Ring, tmp_path: Path) -> None:
    store = TokenStore(tmp_path)
    store.save(URL, LOGIN)
    ring.fails = KeyringLocked()
    for act in (store.load, store.forget):
        with pytest.raises(TokenProblem, match=r"the keyring failed \(KeyringLocked\)"):
            act(URL)
    ring.fails = None
    assert store.load(URL) == LOGIN


def test_a_keyring_that_never_answers_is_given_up(ring: Ring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_store, "_ANSWERS", 0.05)
    ring.waits = threading.Event()
    assert TokenStore(tmp_path).save(URL, LOGIN) == Kept("file", "the keyring gave no answer in 0.05 s")
    ring.waits.set()


@pytest.mark.parametrize("priority", [0.5, 0, -1])
def test_a_keyring_of_plain_text_counts_as_none(ring: Ring, tmp_path: Path, priority: float) -> None:
    ring.priority = priority
    assert TokenStore(tmp_path).save(URL, LOGIN) == Kept("file") and not ring.held


def test_a_portable_home_asks_no_keyring(ring: Ring, tmp_path: Path) -> None:
    assert TokenStore(tmp_path, keyring=False).save(URL, LOGIN) == Kept("file") and ring.asked == 0


def test_a_file_is_the_users_alone_and_replaced_as_a_whole(tmp_path: Path) -> None:
    store = TokenStore(tmp_path, keyring=False)
    (tmp_path / FOLDER).mkdir(mode=0o755)
    store.save(URL, LOGIN)
    (file,) = (tmp_path / FOLDER).iterdir()
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)
    assert "docs.example" not in file.name


def test_a_full_disk_is_told_and_leaves_what_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = TokenStore(tmp_path, keyring=False)
    store.save(URL, LOGIN)

    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(TokenProblem, match="No space left on device"):
            store.save(URL, {"tokens": {"access_token": "canary-2"}})
    assert store.load(URL) == LOGIN and len(list((tmp_path / FOLDER).iterdir())) == 1


@pytest.mark.parametrize("text", ["", "[]", "{", '{"server": "https://evil.example/mcp", "login": {}}', "\x00" * 9])
def test_a_file_that_cannot_be_read_is_no_login(tmp_path: Path, text: str) -> None:
    store = TokenStore(tmp_path, keyring=False)
    store.save(URL, LOGIN)
    (file,) = (tmp_path / FOLDER).iterdir()
    file.write_text(text)
    assert store.load(URL) is None and store.where(URL) is None


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    store = TokenStore(tmp_path, keyring=False)
    store.save(URL, LOGIN)
    (file,) = (tmp_path / FOLDER).iterdir()
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert store.load(URL) is None


async def test_one_process_renews_a_login_at_a_time(tmp_path: Path) -> None:
    order = list[str]()

    async def second() -> None:
        async with TokenStore(tmp_path, keyring=False).renewing(URL):
            order.append("second")

    async with TokenStore(tmp_path, keyring=False).renewing(URL):
        other = asyncio.create_task(second())
        await asyncio.sleep(0)
        order.append("first")
    await other
    assert order == ["first", "second"]
