"""The search for what a sandbox hides or protects (Z18): by the same rules as the file tools, under every name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jp_tui.tools.files.guard import SECRETS, control, secret
from jp_tui.tools.shell import survey
from jp_tui.tools.shell.survey import Names, places, workspace


def searched(root: Path, **more: Any) -> dict[str, Any]:
    job = {"root": str(root), "rules": SECRETS, "entries": 100_000, "seconds": 20, "skip": [], "read_only": [], **more}
    lines: list[dict[str, Any]] = []
    workspace(job, lines.append)
    found: dict[str, Any] = lines[-1]["found"]
    return {
        name: sorted(path.removeprefix(f"{root}/") for path in value) if isinstance(value, list) else value
        for name, value in found.items()
    }


def made(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


NAMES = (
    ".env", ".ENV", " .env", ".env.", ".env.local", ".env.example", "x.env", "id_rsa", "id_rsa.pub", "a.p12", "A.PFX",
    "notes.txt", ".e\u200bnv", "\u202eid_rsa", "id_rsa\u00a0", "caf\u00e9", "\x01.env", ".netrc ", "vault.kdbx",
    ".git-credentials", "credentials", "config.json", ".git", ".GIT", "git~1", ".gi\u200bt", ".jp-tui", ".jp_tui",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_are_judged_as_the_file_tools_judge_them(name: str) -> None:
    """The quick look never lets a name through that `guard` refuses."""
    found = Names(SECRETS)
    assert bool(found.look(name) & 2) == control(name)
    assert bool(found.look(name) & 1) or not secret(name)
    assert found.secret(f"a/{name}") == secret(f"a/{name}", SECRETS)


def test_secrets_are_found_by_the_users_own_rules_too(tmp_path: Path) -> None:
    made(
        tmp_path, ".env", "a/.env.local", "a/.env.example", ".aws/credentials", "credentials", "keys/a/b.txt", "k.token"
    )
    assert searched(tmp_path)["secrets"] == [".aws/credentials", ".env", "a/.env.local"]
    own = searched(tmp_path, rules=["*.token", "keys/*", "!b.txt"])["secrets"]
    assert own == ["k.token"]
    assert searched(tmp_path, rules=["keys/*"])["secrets"] == ["keys/a/b.txt"]


def test_a_folder_called_like_a_secret_is_a_folder(tmp_path: Path) -> None:
    made(tmp_path, ".env/bin/python", ".env/.env")
    assert searched(tmp_path)["secrets"] == [".env/.env"]


def test_other_names_of_a_secret_are_found(tmp_path: Path) -> None:
    """A hard link, wherever in the workspace it is (Z18)."""
    made(tmp_path, ".env", "plain.txt")
    (tmp_path / "deep").mkdir()
    os.link(tmp_path / ".env", tmp_path / "deep" / "copy.txt")
    os.link(tmp_path / "plain.txt", tmp_path / "also.txt")
    assert searched(tmp_path)["secrets"] == [".env", "deep/copy.txt"]


def test_other_names_of_what_git_obeys_are_found(tmp_path: Path) -> None:
    made(tmp_path, ".git/config", ".git/hooks/pre-commit", "vendor/a.c", "x")
    os.link(tmp_path / ".git" / "config", tmp_path / "config.txt")
    os.link(tmp_path / ".git" / "hooks" / "pre-commit", tmp_path / "hook")
    os.link(tmp_path / "vendor" / "a.c", tmp_path / "a.c")
    assert {"config.txt", "hook"} <= set(searched(tmp_path)["twins"])
    assert "a.c" in searched(tmp_path, read_only=["vendor"])["twins"]


def test_links_count_by_what_they_lead_to_and_by_what_they_are_called(tmp_path: Path) -> None:
    root, away = tmp_path / "w", tmp_path / "away"
    made(away, ".env", "plain", "folder/id_rsa", "folder/x", "seen/.env")
    made(root, "a", "real.txt")
    (root / "link").symlink_to("../away/.env")
    (root / ".env").symlink_to("real.txt")
    (root / "harmless").symlink_to("../away/plain")
    (root / "absolute").symlink_to(away / "folder")
    (root / "skipped").symlink_to(away / "seen")
    (root / "inside").symlink_to("a")
    found = searched(root, skip=[str(away / "seen")])["secrets"]
    assert found == sorted([str(away / ".env"), str(away / "folder" / "id_rsa"), "real.txt"])


def test_a_link_that_only_seems_to_stay_inside_is_followed(tmp_path: Path) -> None:
    root, away = tmp_path / "w", tmp_path / "away" / "deep"
    made(away.parent, ".env")
    made(root, "x")
    away.mkdir()
    (root / "d").symlink_to(away)
    (root / "l").symlink_to("d/../.env")
    assert str(away.parent / ".env") in searched(root)["secrets"]


def test_repositories_of_every_shape_are_found_at_any_depth(tmp_path: Path) -> None:
    deep = "a/b/c/d/e/f/g/h"
    made(tmp_path, f"{deep}/.git/HEAD", "sub/.git", "x/.jp-tui/config.toml", "Y/.GIT/HEAD")
    made(tmp_path, "bare/HEAD", "bare/objects/x", "bare/refs/x", "tree/HEAD", "tree/commondir", "none/HEAD")
    found = searched(tmp_path)
    assert found["control"] == ["Y/.GIT", f"{deep}/.git", "sub/.git", "x/.jp-tui"]
    assert found["repositories"] == ["bare", "tree"]


def test_nothing_in_a_repository_is_left_out(tmp_path: Path) -> None:
    """Else a secret could be moved among its data."""
    made(tmp_path, "x/HEAD", "x/refs/a", "x/objects/ab/id_rsa", ".git/lfs/.env")
    assert searched(tmp_path)["secrets"] == [".git/lfs/.env", "x/objects/ab/id_rsa"]


def test_a_search_that_is_not_whole_says_so(tmp_path: Path) -> None:
    for number in range(1_100):
        (tmp_path / f"{number}").write_text("")
    made(tmp_path, "z/.env")
    assert searched(tmp_path)["whole"] is True
    assert searched(tmp_path, entries=1_000)["whole"] is False
    assert searched(tmp_path, seconds=-1)["whole"] is False


def test_a_long_search_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "_SAID", -1)
    for number in range(1_100):
        (tmp_path / f"{number}").write_text("")
    lines: list[dict[str, Any]] = []
    job = {"root": str(tmp_path), "rules": [], "entries": 9_999, "seconds": 20, "skip": [], "read_only": []}
    workspace(job, lines.append)
    assert lines[0] == {"entries": 1_024} and "found" in lines[-1]


def test_a_folder_too_deep_to_be_mounted_over_is_closed_above(tmp_path: Path) -> None:
    here = os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(25):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
        Path(".env").write_text("x")
    finally:
        os.chdir(here)
    found = searched(tmp_path)
    assert len(found["closed"]) == 1 and 3_000 < len(found["closed"][0]) < 4_000 and found["secrets"] == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every folder")
def test_a_folder_of_ours_that_cannot_be_read_is_closed(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir(mode=0)
    assert searched(tmp_path)["closed"] == ["d"]


def test_odd_names_come_through(tmp_path: Path) -> None:
    name = os.fsdecode(b"a\nb\xff\x0b")
    made(tmp_path, f"{name}/.env")
    assert searched(tmp_path)["secrets"] == [f"{name}/.env"]


def test_visible_places_are_searched_with_more_names(tmp_path: Path) -> None:
    made(tmp_path, "bin/tool", "bin/.env", "registry/npmrc", "file.p12", "plain")
    lines: list[dict[str, Any]] = []
    trees = [str(tmp_path / name) for name in ("bin", "registry", "file.p12", "plain")]
    job = {"trees": trees, "rules": [*SECRETS, "npmrc"], "private": [], "entries": 99, "seconds": 9}
    places(job, lines.append)
    assert sorted(lines[-1]["found"]["secrets"]) == sorted(
        f"{tmp_path}/{name}" for name in ("bin/.env", "registry/npmrc", "file.p12")
    )


def test_a_visible_place_that_is_too_large_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "huge").mkdir()
    for number in range(1_100):
        (tmp_path / "huge" / f"{number}").write_text("")
    lines: list[dict[str, Any]] = []
    places({"trees": [f"{tmp_path}/huge"], "rules": [], "private": [], "entries": 10, "seconds": 9}, lines.append)
    assert lines[-1]["found"]["left"] == [f"{tmp_path}/huge"]


def test_what_only_some_users_may_read_is_found(tmp_path: Path) -> None:
    made(tmp_path, "etc/shadow", "etc/passwd", "etc/private/key", "etc/empty")
    (tmp_path / "etc" / "empty").write_text("")
    for name, mode in (("shadow", 0o640), ("passwd", 0o644), ("private", 0o710), ("empty", 0o600)):
        (tmp_path / "etc" / name).chmod(mode)
    lines: list[dict[str, Any]] = []
    places({"trees": [], "rules": [], "private": [f"{tmp_path}/etc"], "entries": 9, "seconds": 9}, lines.append)
    found = lines[-1]["found"]
    assert found["secrets"] == [f"{tmp_path}/etc/shadow"] and found["closed"] == [f"{tmp_path}/etc/private"]
