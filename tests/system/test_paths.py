"""Where our files live and how private they are (surface.md S10)."""

from __future__ import annotations

import os
import resource
import stat
import threading
from pathlib import Path

import pytest

from jp_tui.system.paths import Paths, PathsError, private_folder, workspace_root, write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_xdg_folders_and_their_defaults() -> None:
    found = Paths.of({"HOME": "/home/u", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "relative", "XDG_CACHE_HOME": ""})
    assert found.config == Path("/home/u/.config/jp-tui")
    assert found.data == Path("/d/jp-tui")
    assert found.state == Path("/home/u/.local/state/jp-tui")
    assert found.cache == Path("/home/u/.cache/jp-tui")
    assert found.config_file == Path("/home/u/.config/jp-tui/config.toml")


def test_one_folder_for_all_four(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = Paths.of({"JP_TUI_HOME": "here", "XDG_DATA_HOME": "/d", "HOME": "/home/u"})
    assert [found.config, found.data, found.state, found.cache] == [
        tmp_path / "here" / name for name in ("config", "data", "state", "cache")
    ]
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    """STORE-024: folders 0700, files 0600, also the folders above that we had to make."""
    paths = Paths.of({"JP_TUI_HOME": str(tmp_path / "a/b")})
    before = os.umask(umask)
    try:
        paths.prepare()
        write_private(paths.state / "note", b"x")
        write_private(paths.config_file, b"y")
    finally:
        os.umask(before)
    made = [tmp_path / "a", tmp_path / "a/b", paths.data, paths.locks, paths.state, paths.config]
    assert [mode(folder) for folder in made] == [0o700] * 6
    assert mode(paths.state / "note") == mode(paths.config_file) == 0o600


def test_a_folder_of_ours_is_tightened_and_never_loosened(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    assert mode(private_folder(tmp_path / "open")) == 0o700
    assert mode(tmp_path) & 0o777 == mode(tmp_path)


@pytest.mark.parametrize("above", [False, True])
def test_a_file_in_the_way_is_named(tmp_path: Path, above: bool) -> None:
    (tmp_path / "taken").write_text("")
    wanted = tmp_path / "taken/data" if above else tmp_path / "taken"
    with pytest.raises(PathsError) as trouble:
        private_folder(wanted)
    assert str(tmp_path / "taken") in str(trouble.value)


def test_a_folder_that_cannot_be_used_is_named() -> None:
    with pytest.raises(PathsError, match="/proc/none"):
        private_folder(Path("/proc/none/jp-tui"))


def test_no_home_is_said() -> None:
    with pytest.raises(PathsError, match="JP_TUI_HOME"):
        Paths.of({"HOME": "not/absolute"})


def test_write_private_replaces_in_one_step_or_not_at_all(tmp_path: Path) -> None:
    """T13: with no space left the old file stays whole and no spare one stays behind."""
    path = private_folder(tmp_path / "state") / "note"
    write_private(path, b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        with pytest.raises(PathsError, match="note"):
            write_private(path, b"x" * 4096)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == b"old" and os.listdir(path.parent) == ["note"]


def test_a_reader_sees_one_whole_file_whoever_writes(tmp_path: Path) -> None:
    """STORE-020: four writers, and never a half, empty or missing file."""
    path = private_folder(tmp_path / "config") / "config.toml"
    texts = [name * 5000 for name in (b"a", b"b", b"c", b"d")]
    write_private(path, texts[0])

    def write(text: bytes) -> None:
        for _ in range(40):
            write_private(path, text)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    seen = 0
    while any(thread.is_alive() for thread in threads):
        assert path.read_bytes() in texts
        seen += 1
    for thread in threads:
        thread.join()
    assert seen > 0 and os.listdir(path.parent) == ["config.toml"]


def test_write_private_keeps_a_linked_file_linked(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.toml").symlink_to("../dotfiles/jp.toml")
    write_private(tmp_path / "config/config.toml", b"a = 1")
    assert (tmp_path / "dotfiles/jp.toml").read_bytes() == b"a = 1"
    assert (tmp_path / "config/config.toml").is_symlink()


def test_the_workspace_is_the_same_by_every_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "way").symlink_to("ws")
    monkeypatch.chdir(tmp_path / "way")
    expected = tmp_path / "ws"
    assert workspace_root() == workspace_root(".") == workspace_root(str(tmp_path / "way")) == expected


@pytest.mark.parametrize("name", ["none", "file", "\0"])
def test_an_unusable_workspace_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PathsError, match="workspace"):
        workspace_root(f"{tmp_path}/{name}")


def test_a_current_folder_that_is_gone_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(PathsError, match="current folder"):
        workspace_root()
    monkeypatch.chdir(tmp_path)
