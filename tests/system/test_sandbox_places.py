"""What of a machine is hidden (Z18): homes, links out of them, jp-tui's own folders, what variables name, sockets."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from jp_tui.system.sandbox import places
from jp_tui.system.sandbox.hiding import hideable, named_paths
from jp_tui.system.sandbox.mounts import Mount, SandboxProblem, planned
from jp_tui.system.sandbox.places import hidden, homes, own_folders, sockets


def wishes(root: Path, home: Path, **environment: str) -> dict[str, str]:
    """Path to kind, the strictest of each."""
    found = hidden(str(root), {"HOME": str(home), "JP_TUI_HOME": str(home.parent / "jp"), **environment})
    return {mount.path: mount.kind for mount in planned("/nowhere", found)} | {one.path: one.kind for one in found}


def made(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def test_every_home_is_hidden_and_so_are_temporary_files_and_other_disks(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    found = wishes(tmp_path / "w", home)
    assert found[str(home)] == "private" or found["/tmp"] == "private"
    for path in ("/tmp", "/run", "/home", "/root"):
        if os.path.isdir(path) and not os.path.islink(path):
            assert found[path] == "private", path
    assert {"/home", str(home)} & set(homes({"HOME": str(home)})) and os.path.realpath(home) in homes(
        {"HOME": str(home)}
    )


def test_other_disks_are_empty_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnt").mkdir()
    (tmp_path / "media").symlink_to("mnt")
    monkeypatch.setattr(places, "_DISKS", (str(tmp_path / "mnt"), str(tmp_path / "media"), str(tmp_path / "none")))
    found = hidden(str(tmp_path / "w"), {"HOME": str(tmp_path / "h")})
    assert [mount.path for mount in found if mount.why == "other disks"] == [str(tmp_path / "mnt")]
    assert {mount.kind for mount in found if mount.why == "other disks"} == {"empty"}


def test_what_links_of_a_home_lead_to_is_hidden_too(tmp_path: Path) -> None:
    """`~/.ssh` as a link shows no key (Z18); nor does any other link."""
    home, away = tmp_path / "home", tmp_path / "away"
    made(away / "keys" / "id", away / "deep" / "gh" / "hosts", away / "notes", home / "x")
    (home / ".ssh").symlink_to(away / "keys")
    (home / "pad").symlink_to(away / "notes")
    (home / ".config").mkdir()
    (home / ".config" / "gh").symlink_to(away / "deep" / "gh")
    (home / "programs").symlink_to("/usr")
    found = wishes(tmp_path / "w", home)
    assert found[str(away / "keys")] == "empty" and found[str(away / "notes")] == "mask"
    assert found[str(away / "deep" / "gh")] == "empty"
    assert "/usr" not in found, "a part of the system stays"


def test_a_link_to_the_workspace_or_above_it_hides_nothing_of_it(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "projects" / "w"
    root.mkdir(parents=True)
    home.mkdir()
    (home / "w").symlink_to(root)
    (home / "projects").symlink_to(root.parent)
    (home / "inside").symlink_to(root / "sub")
    (root / "sub").mkdir()
    found = wishes(root, home)
    assert str(root) not in found and str(root / "sub") not in found
    assert found[str(root.parent)] == "empty", "its neighbours are hidden; the workspace is mounted in it"


def test_a_home_as_workspace_is_closed_and_its_dotted_entries_are_hidden(tmp_path: Path) -> None:
    home = tmp_path / "home"
    made(home / ".ssh" / "id", home / ".bashrc", home / ".git" / "HEAD", home / "src" / "a", home / "todo.txt")
    made(home / "dotfiles" / "vimrc", home / "dotfiles" / "ssh" / "id")
    (home / ".vimrc").symlink_to("dotfiles/vimrc")
    (home / ".gnupg").symlink_to("dotfiles/ssh")
    found = wishes(home, home)
    assert Mount("level", str(home), "a home folder", fixed=True) in hidden(str(home), {"HOME": str(home)})
    assert found[str(home / ".ssh")] == "empty" and found[str(home / ".bashrc")] == "mask"
    assert found[str(home / "src")] == "write" and found[str(home / "todo.txt")] == "write"
    assert str(home / ".git") not in found, "that is protected, not hidden"
    assert found[str(home / "dotfiles" / "vimrc")] == "read", "what a start-up file is a link to"
    assert found[str(home / "dotfiles" / "ssh")] == "empty"


def test_homes_below_the_workspace_are_closed_as_well(tmp_path: Path) -> None:
    home = tmp_path / "homes" / "u"
    made(home / ".ssh" / "id", home / "src" / "a")
    found = hidden(str(tmp_path / "homes"), {"HOME": str(home)})
    assert Mount("level", str(home), "a home folder", fixed=True) in found
    assert {mount.kind for mount in found if mount.path == str(home / ".ssh")} == {"empty"}


def test_a_workspace_in_a_folder_of_settings_hides_the_secrets_in_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    made(home / ".config" / "gh" / "hosts.yml", home / ".config" / "nvim" / "init.lua")
    found = wishes(home / ".config", home)
    assert found[str(home / ".config" / "gh")] == "empty" and str(home / ".config") not in found


def test_our_own_folders_are_hidden_wherever_they_are(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "w"
    for name in ("config", "data", "state", "cache"):
        (root / "jp" / name).mkdir(parents=True)
    home.mkdir()
    environment = {"HOME": str(home), "JP_TUI_HOME": str(root / "jp")}
    found = [mount for mount in hidden(str(root), environment) if mount.path.startswith(f"{root}/jp")]
    assert {mount.path for mount in found} == set(own_folders(environment))
    assert {mount.kind for mount in found} == {"empty"} and all(mount.fixed for mount in found)


def test_a_workspace_in_a_folder_of_ours_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxProblem, match="jp-tui's own"):
        hidden(str(tmp_path / "jp" / "data" / "x"), {"HOME": str(tmp_path), "JP_TUI_HOME": str(tmp_path / "jp")})


@pytest.mark.parametrize(
    "name", ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"]
)
def test_folders_that_variables_move_are_hidden_there(tmp_path: Path, name: str) -> None:
    (tmp_path / "moved").mkdir()
    assert wishes(tmp_path / "w", tmp_path, **{name: str(tmp_path / "moved")})[str(tmp_path / "moved")] == "empty"


def test_what_variables_say_holds_credentials_is_hidden(tmp_path: Path) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    made(away / "kube", away / "kube2", away / "gnupg" / "x", away / "key.json", home / "x", away / "agent")
    found = wishes(
        tmp_path / "w", home, KUBECONFIG=f"{away}/kube:{away}/kube2", GNUPGHOME=f"{away}/gnupg",
        GOOGLE_APPLICATION_CREDENTIALS=f"{away}/key.json", KRB5CCNAME=f"FILE:{away}/kube",
        SSH_AUTH_SOCK=f"{away}/agent",
    )  # fmt: skip
    assert {found[str(away / name)] for name in ("kube", "kube2", "key.json", "agent")} == {"mask"}
    assert found[str(away / "gnupg")] == "empty"


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ("/run/user/1000/bus", ["/run/user/1000/bus"]),
        ("unix:path=/run/bus,guid=12", ["/run/bus"]),
        ("unix:///var/run/docker.sock", ["/var/run/docker.sock"]),
        ("/tmp/tmux-0/default,123,0", ["/tmp/tmux-0/default,123,0", "/tmp/tmux-0/default"]),
        ("tcp://10.0.0.1:2375", ["/10.0.0.1"]),
        ("", []),
        ("relative", []),
    ],
)
def test_paths_are_found_in_what_variables_hold(value: str, paths: list[str]) -> None:
    assert named_paths(value) == paths


def test_sockets_that_somebody_listens_at_are_found(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "odd name.sock"))
        one.listen()
        if not os.path.exists("/proc/net/unix"):
            pytest.skip("no table of sockets here")
        assert str(tmp_path / "odd name.sock") in sockets()
        assert wishes(tmp_path / "w", tmp_path / "h")[str(tmp_path / "odd name.sock")] == "mask"
    assert str(tmp_path / "odd name.sock") not in sockets()


@pytest.mark.parametrize(
    "path", ["/", "/usr", "/usr/local/x", "/bin", "/lib64", "/etc", "/etc/x", "/var", "/opt", "/proc/1"]
)
def test_parts_of_the_system_are_never_hidden(path: str) -> None:
    assert not hideable(path)


@pytest.mark.parametrize("path", ["/home/u", "/root", "/opt/x", "/var/lib/jenkins", "/srv/x", "/data", "/usrx"])
def test_other_places_can_be(path: str) -> None:
    assert hideable(path)


def test_a_home_that_is_the_whole_disk_loses_its_dotted_entries_only(tmp_path: Path) -> None:
    found = [mount for mount in hidden(str(tmp_path), {"HOME": "/"}) if mount.path in ("/", "/usr", "/etc")]
    assert found == []
