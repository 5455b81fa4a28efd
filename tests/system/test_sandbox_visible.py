"""`options.sandbox.visible` (Z18): what of a home folder is shown, and what never is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jp_tui.system.sandbox.hiding import SENSITIVE
from jp_tui.system.sandbox.mounts import beneath
from jp_tui.system.sandbox.visible import DEFAULT, TOOLS, Visible, visible, visible_mounts


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in (".cargo/bin", ".rustup", ".ssh", "tools", ".config/gh", "src/w"):
        (tmp_path / "home" / name).mkdir(parents=True)
    return tmp_path / "home"


def looked(home: Path, *entries: str, root: str = "", **environment: str) -> dict[str, Visible]:
    around = {"HOME": str(home), "JP_TUI_HOME": str(home / "jp"), **environment}
    return {one.entry: one for one in visible(entries, around, root or str(home / "src" / "w"))}


def test_no_default_place_holds_or_is_in_one_that_holds_secrets() -> None:
    for tool in TOOLS:
        assert tool.startswith("~/"), tool
        for name in SENSITIVE:
            assert not beneath(tool[2:], name) and not beneath(name, tool[2:]), (tool, name)


def test_the_default_shows_what_is_there(home: Path) -> None:
    found = looked(home, DEFAULT)
    assert set(found) == {"~/.cargo/bin", "~/.rustup"} and not any(one.refused for one in found.values())


@pytest.mark.parametrize(
    "entry", ["~/.ssh", "~/.config", "~/.config/gh", "~/.cargo", "~/.aws", "~", "~/", "~/..", "/", "~/src/../.ssh"]
)
def test_places_that_hold_secrets_and_home_folders_stay_hidden(home: Path, entry: str) -> None:
    (home / ".cargo" / "credentials.toml").write_text("x")
    (home / ".aws").mkdir()
    found = looked(home, entry if entry != "~" else "~/.")
    assert all(one.refused for one in found.values()) and found


def test_the_homes_of_others_stay_hidden(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "people" / "v").mkdir(parents=True)
    monkeypatch.setattr("jp_tui.system.sandbox.visible.homes", lambda _: [str(home), str(tmp_path / "people" / "v")])
    for entry in (tmp_path / "people", tmp_path / "people" / "v"):
        assert looked(home, str(entry))[str(entry)].refused == "it is a home folder or holds one"


def test_a_link_is_judged_by_what_it_leads_to(home: Path, tmp_path: Path) -> None:
    """Links are resolved first (Z18)."""
    (home / "keys").symlink_to(".ssh")
    (home / "all").symlink_to(".")
    (home / "up").symlink_to(tmp_path)
    (home / ".pyenv").symlink_to("tools")
    found = looked(home, "~/keys", "~/all", "~/up", "~/.pyenv")
    assert all(found[name].refused for name in ("~/keys", "~/all", "~/up"))
    assert [(mount.kind, mount.path, mount.source) for mount in visible_mounts([found["~/.pyenv"]])] == [
        ("shown", str(home / "tools"), ""),
        ("link", str(home / ".pyenv"), str(home / "tools")),
    ]


def test_a_link_to_a_part_of_the_system_is_a_link_only(home: Path) -> None:
    (home / "bin").symlink_to("/usr/bin")
    assert [mount.kind for mount in visible_mounts(looked(home, "~/bin").values())] == ["link"]


def test_what_holds_a_sensitive_place_through_its_link_stays_hidden(home: Path, tmp_path: Path) -> None:
    """`~/.gnupg` is a link into `~/tools`: showing that would show the keys."""
    (home / "tools" / "keys").mkdir()
    (home / ".gnupg").symlink_to("tools/keys")
    assert looked(home, "~/tools")["~/tools"].refused


def test_our_own_folders_and_those_that_variables_name_stay_hidden(home: Path, tmp_path: Path) -> None:
    (home / "jp" / "data").mkdir(parents=True)
    (tmp_path / "kube").mkdir()
    found = looked(home, "~/jp", str(tmp_path / "kube"), KUBECONFIG=f"{tmp_path}/kube/config")
    assert all(one.refused for one in found.values())


@pytest.mark.parametrize("entry", ["/tmp", "/run", "/proc", "/dev"])
def test_temporary_files_and_the_system_s_own_stay_hidden(home: Path, entry: str) -> None:
    if os.path.isdir(entry):
        assert looked(home, entry)[entry].refused


def test_what_is_not_there_is_said_only_of_what_the_user_named(home: Path) -> None:
    assert looked(home, "~/gone")["~/gone"].refused == "it isn't there"
    assert "~/.nvm" not in looked(home, DEFAULT)


def test_a_part_of_the_workspace_is_no_visible_place_unless_that_is_the_home(home: Path) -> None:
    assert looked(home, "~/src/w", root=str(home / "src" / "w")) == {}
    assert looked(home, "~/tools", root=str(home))["~/tools"].refused == ""
