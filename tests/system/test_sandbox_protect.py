"""What of a workspace is protected (Z18): repositories of every shape, links on the way, what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from jp_tui.system.sandbox.mounts import SandboxProblem, planned
from jp_tui.system.sandbox.protect import Protected, linked_repositories, protected


def repository(folder: Path) -> Path:
    for name in ("objects", "refs", "hooks"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text("[core]\n")
    return folder


def looked(root: Path, *control: Path, bare: tuple[Path, ...] = (), read_only: tuple[str, ...] = ()) -> Protected:
    return protected(str(root), map(str, control), map(str, bare), read_only, ())


def kinds(found: Protected) -> dict[str, str]:
    """Path from the root to what the plan makes of it."""
    made = planned(found.root, found.wishes)
    return {mount.path[len(found.root) :].lstrip("/") or ".": mount.kind for mount in made}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    return tmp_path / "w"


def missing(found: Protected) -> set[str]:
    return {path[len(found.root) + 1 :] for path in found.missing}


def test_a_repository_is_read_only_with_all_its_parents_pinned(root: Path) -> None:
    repository(root / ".git")
    repository(root / "a" / "b" / ".git")
    found = looked(root, root / ".git", root / "a" / "b" / ".git")
    assert kinds(found) == {".": "write", ".git": "read", "a": "write", "a/b": "write", "a/b/.git": "read"}
    assert missing(found) == {".jp-tui", ".jp_tui"}


def test_what_is_missing_is_named_with_its_missing_parents(root: Path) -> None:
    (root / "d").mkdir()
    found = looked(root, read_only=("d/e/vendor", "new"))
    assert missing(found) == {".git", ".jp-tui", ".jp_tui", "d/e/vendor", "new"}


def test_what_was_found_and_is_gone_is_not_missing(root: Path) -> None:
    assert "sub/.git" not in missing(looked(root, root / "sub" / ".git"))


def test_a_read_only_file_a_folder_and_the_whole_workspace(root: Path) -> None:
    (root / "lock").write_text("x")
    (root / "d" / "vendor").mkdir(parents=True)
    found = kinds(looked(root, read_only=("lock", "d/vendor", f"{root}/d")))
    assert found["lock"] == "read" and found["d"] == "read" and "d/vendor" not in found
    assert kinds(looked(root, read_only=(".",))) == {".": "read"}


@pytest.mark.parametrize("name", ["../other", "a/../../x", "/etc", "out", "out/x", "d/../../../x"])
def test_a_read_only_path_outside_is_refused_with_its_name(root: Path, name: str) -> None:
    """A promise that can't be kept is said (Z18); a link that leads out is outside."""
    (root / "out").symlink_to(root.parent)
    (root / "d").mkdir()
    with pytest.raises(SandboxProblem, match="outside the workspace"):
        looked(root, read_only=(name,))


def test_a_link_on_the_way_closes_its_level_and_what_it_leads_to_is_protected(root: Path) -> None:
    """A link can't be mounted over; else it could be replaced by a folder."""
    (root / "real" / "vendor").mkdir(parents=True)
    (root / "beside").mkdir()
    (root / "file.txt").write_text("x")
    (root / "link").symlink_to("real")
    found = kinds(looked(root, read_only=("link/vendor",)))
    assert found["."] == "level" and found["real/vendor"] == "read"
    assert found["beside"] == found["file.txt"] == found["real"] == "write"


def test_links_behind_links_are_followed_one_by_one(root: Path) -> None:
    (root / "x" / "y").mkdir(parents=True)
    (root / "x" / "here").symlink_to("../z")
    (root / "z").symlink_to("x/y")
    found = looked(root, read_only=("x/here",))
    assert kinds(found)["x/y"] == "read"
    assert {path.removeprefix(str(root)) for path in found.closed} == {"/x", ""}


def test_a_circle_of_links_is_refused(root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    with pytest.raises(SandboxProblem, match="too many links"):
        looked(root, read_only=("a/x",))


def test_a_git_that_is_a_link_stays_one(root: Path) -> None:
    repository(root / "store")
    (root / ".git").symlink_to("store")
    found = kinds(looked(root, root / ".git"))
    assert found["."] == "level" and found["store"] == "read"


def test_a_git_that_is_a_file_protects_what_it_names(root: Path) -> None:
    """`git init --separate-git-dir`, a worktree or a submodule whose repository is in the workspace."""
    repository(root / "far" / "store")
    tree = root / "far" / "store" / "worktrees" / "t"
    tree.mkdir(parents=True)
    (tree / "commondir").write_text("../..\n")
    (root / "t").mkdir()
    (root / "t" / ".git").write_text(f"gitdir: {tree}\n")
    found = kinds(looked(root, root / "t" / ".git"))
    assert found["t/.git"] == "read" and found["far/store"] == "read" and found["far"] == found["t"] == "write"


def test_a_bare_repository_is_read_only_and_of_one_that_is_the_workspace_what_git_obeys(root: Path) -> None:
    bare = repository(root / "srv" / "x.git")
    assert kinds(looked(root, bare=(bare,)))["srv/x.git"] == "read"
    repository(root / "own")
    found = looked(root / "own", bare=(root / "own",))
    assert {"config": "read", "hooks": "read", "HEAD": "read"}.items() <= kinds(found).items()
    assert kinds(found)["."] == "write" and "config.worktree" in missing(found)


def test_hooks_that_are_links_into_the_workspace_are_protected_where_they_are(root: Path) -> None:
    repository(root / ".git")
    (root / "tools").mkdir()
    (root / "tools" / "pre-commit").write_text("#!/bin/sh\n")
    (root / ".git" / "hooks" / "pre-commit").symlink_to("../../tools/pre-commit")
    found = kinds(looked(root, root / ".git"))
    assert found["tools/pre-commit"] == "read" and found["tools"] == "write"


def test_a_worktree_of_a_repository_elsewhere_can_read_it(root: Path, tmp_path: Path) -> None:
    """Where that names it in turn: else a file in a workspace would bring any repository into sight."""
    main = repository(tmp_path / "main" / ".git")
    tree = main / "worktrees" / "w"
    tree.mkdir(parents=True)
    (tree / "HEAD").write_text("ref: refs/heads/w\n")
    (tree / "commondir").write_text("../..\n")
    (tree / "gitdir").write_text(f"{root}/.git\n")
    (root / ".git").write_text(f"gitdir: {tree}\n")
    assert linked_repositories([str(root / ".git")]) == [str(tree), str(main)]
    (tree / "gitdir").write_text("/somewhere/else/.git\n")
    assert linked_repositories([str(root / ".git")]) == []


def test_a_submodule_can_read_its_repository_and_nothing_else_passes_for_one(root: Path, tmp_path: Path) -> None:
    store = repository(tmp_path / "above" / "modules" / "w")
    (store / "config").write_text(f"[core]\n\tworktree = {root}\n")
    (root / ".git").write_text(f"gitdir: {store}\r\n")
    assert linked_repositories([str(root / ".git")]) == [str(store)]
    (store / "config").write_text("[core]\n\tbare = true\n")
    assert linked_repositories([str(root / ".git")]) == []
    secret = tmp_path / "home" / ".ssh"
    secret.mkdir(parents=True)
    (root / ".git").write_text(f"gitdir: {secret}\n")
    assert linked_repositories([str(root / ".git")]) == []


def test_our_own_folders_in_the_workspace_are_protected_and_made_where_missing(root: Path) -> None:
    """A folder for our settings could be made, with settings in it."""
    (root / "jp" / "data").mkdir(parents=True)
    found = protected(str(root), (), (), (), [f"{root}/jp/data", f"{root}/jp/config", "/elsewhere/jp"])
    assert kinds(found)["jp/data"] == "read" and "jp/config" in missing(found)
