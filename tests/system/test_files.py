"""Files under a root: what is read, what is written, what is refused (traps.md T11-T13)."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from jp_tui.system.files import FileProblem, Root, StaleBase, sha256


@pytest.fixture(params=[True, False], ids=["openat2", "walk"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Root]:
    (tmp_path / "outside.txt").write_text("secret")
    (tmp_path / "ws").mkdir()
    with Root(tmp_path / "ws", kernel=request.param) as found:
        yield found


def put(root: Root, name: str, data: bytes = b"hello\n", mode: int = 0o644) -> Path:
    path = Path(root.path, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)
    return path


def kind(trouble: pytest.ExceptionInfo[FileProblem]) -> str:
    return trouble.value.kind


def names(root: Root) -> set[str]:
    return {entry.path for entry in root.walk()}


def test_read_gives_bytes_hash_mode_and_size(root: Root) -> None:
    put(root, "a/b.txt", b"x\0y", 0o640)
    found = root.read("a/b.txt")
    assert (found.data, found.sha256, found.mode, found.size) == (b"x\0y", sha256(b"x\0y"), 0o640, 3)
    assert found.real == "a/b.txt" and not found.truncated and found.binary


def test_read_stops_at_its_limit_and_says_so(root: Root) -> None:
    put(root, "a", b"0123456789")
    found = root.read("a", limit=4)
    assert (found.data, found.size, found.truncated) == (b"0123", 10, True)
    assert not root.read("a", limit=10).truncated
    with pytest.raises(StaleBase):
        root.write("a", b"new", expect_sha256=found.sha256)


def test_an_absolute_path_that_names_the_root_is_understood(root: Root) -> None:
    put(root, "a")
    assert root.read(f"{root.path}/a").real == "a"
    with pytest.raises(FileProblem, match="outside the workspace"):
        root.read(f"{root.path}-other/a")
    with pytest.raises(FileProblem, match="outside the workspace"):
        root.read(f"{root.path}/../outside.txt")


def test_links_inside_are_followed_and_the_real_path_told(root: Root) -> None:
    """A rule about names (deny .env) is decided on `real`: PATH-058."""
    put(root, "deep/.env", b"k")
    Path(root.path, "alias").symlink_to("deep")
    Path(root.path, "deep/up").symlink_to("../deep/./.env")
    Path(root.path, "absolute").symlink_to(f"{root.path}/deep/.env")
    for path in ("alias/.env", "alias/up", "deep/up", "absolute", "deep/../alias/.env"):
        assert root.read(path).real == "deep/.env"


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "../outside.txt", "deep/../../outside.txt", "/proc/self/root/etc/passwd", "/"]
)
def test_links_that_lead_out_are_refused_for_every_operation(root: Root, target: str) -> None:
    put(root, "deep/file")
    Path(root.path, "way").symlink_to(target)
    outside = Path(root.path, "../outside.txt")
    for act in (
        lambda: root.read("way"),
        lambda: root.read("way/x"),
        lambda: root.stat("way"),
        lambda: root.write("way", b"x", expect_sha256=None),
        lambda: root.write("way", b"x", expect_sha256=sha256(b"secret")),
        lambda: root.write("way/new", b"x", expect_sha256=None),
        lambda: root.mkdirs("way/new"),
        lambda: root.move("deep/file", "way/new"),
        lambda: root.delete("way/x"),
    ):
        with pytest.raises(FileProblem) as trouble:
            act()
        assert kind(trouble) == "outside"
    assert outside.read_text() == "secret"
    root.delete("way")
    assert outside.read_text() == "secret" and not os.path.lexists(f"{root.path}/way")


def test_only_regular_files(root: Root) -> None:
    os.mkfifo(f"{root.path}/pipe")
    put(root, "folder/x")
    for path, expected in (("pipe", "not_a_file"), ("folder", "is_directory"), (".", "is_directory")):
        with pytest.raises(FileProblem) as trouble:
            root.read(path)
        assert kind(trouble) == expected
        with pytest.raises(FileProblem) as trouble:
            root.write(path, b"x", expect_sha256="0" * 64)
        assert kind(trouble) == expected


def test_write_creates_once_with_the_umask(root: Root) -> None:
    before = os.umask(0o027)
    try:
        assert root.write("n", b"one", expect_sha256=None).mode == 0o640
    finally:
        os.umask(before)
    with pytest.raises(FileProblem) as trouble:
        root.write("n", b"two", expect_sha256=None)
    assert kind(trouble) == "exists"
    assert root.read("n").data == b"one" and names(root) == {"n"}


def test_write_keeps_mode_and_link_and_replaces_in_one_step(root: Root) -> None:
    put(root, "d/tool", b"old", 0o755)
    Path(root.path, "link").symlink_to("d/tool")
    before = os.stat(f"{root.path}/d/tool").st_ino
    done = root.write("link", b"new", expect_sha256=sha256(b"old"))
    assert (done.real, done.sha256, done.mode) == ("d/tool", sha256(b"new"), 0o755)
    assert os.path.islink(f"{root.path}/link")
    there = os.stat(f"{root.path}/d/tool")
    assert stat.S_IMODE(there.st_mode) == 0o755 and there.st_ino != before
    assert names(root) == {"d", "d/tool", "link"}


def test_write_refuses_what_changed_since(root: Root) -> None:
    """R235, PATH-061: what is approved is written on the bytes it was approved for, else not at all."""
    put(root, "f", b"X")
    base = root.read("f").sha256
    put(root, "f", b"Y")
    with pytest.raises(StaleBase, match="read it again"):
        root.write("f", b"mine", expect_sha256=base)
    assert root.read("f").data == b"Y"
    os.unlink(f"{root.path}/f")
    with pytest.raises(StaleBase, match="gone"):
        root.write("f", b"mine", expect_sha256=base)
    assert names(root) == set()


def test_write_refuses_a_file_marked_read_only(root: Root) -> None:
    put(root, "f", b"X", 0o444)
    with pytest.raises(FileProblem, match="read-only"):
        root.write("f", b"Y", expect_sha256=sha256(b"X"))


def test_move_and_delete(root: Root) -> None:
    put(root, "a", b"A")
    put(root, "b", b"B")
    with pytest.raises(FileProblem) as trouble:
        root.move("a", "b")
    assert kind(trouble) == "exists"
    with pytest.raises(StaleBase):
        root.move("a", "b", overwrite=True, expect_target_sha256=sha256(b"other"))
    with pytest.raises(StaleBase):
        root.move("a", "b", overwrite=True, expect_sha256=sha256(b"other"))
    assert root.move("a", "b", overwrite=True, expect_target_sha256=sha256(b"B")) == "b"
    assert root.read("b").data == b"A" and names(root) == {"b"}
    with pytest.raises(FileProblem) as trouble:
        root.move("b", "none/b")
    assert kind(trouble) == "not_found"
    with pytest.raises(StaleBase):
        root.delete("b", expect_sha256=sha256(b"B"))
    root.delete("b", expect_sha256=sha256(b"A"))
    assert names(root) == set()


def test_folders_are_moved_but_never_replaced_or_deleted(root: Root) -> None:
    put(root, "one/x")
    root.mkdirs("two")
    put(root, "file")
    for act in (
        lambda: root.move("one", "two"),
        lambda: root.move("file", "two", overwrite=True),
        lambda: root.delete("two"),
        lambda: root.move("one", "one/inner"),
    ):
        with pytest.raises(FileProblem):
            act()
    assert root.move("one", "two/one") == "two/one"
    assert names(root) == {"file", "two", "two/one", "two/one/x"}


def test_a_link_is_deleted_and_moved_itself(root: Root) -> None:
    put(root, "a", b"A")
    Path(root.path, "l").symlink_to("a")
    assert root.stat("l", follow=False).link == "a"
    root.move("l", "m", expect_sha256=sha256(b"a"))
    with pytest.raises(StaleBase):
        root.delete("m", expect_sha256=sha256(b"A"))
    root.delete("m", expect_sha256=sha256(b"a"))
    assert names(root) == {"a"}


def test_mkdirs_says_what_it_made(root: Root) -> None:
    root.mkdirs("real")
    Path(root.path, "link").symlink_to("real")
    assert root.mkdirs("link/a/b") == ["real/a", "real/a/b"]
    assert root.mkdirs("link/a/b") == []
    assert root.mkdirs("./~odd/x") == ["~odd", "~odd/x"]
    put(root, "file")
    with pytest.raises(FileProblem) as trouble:
        root.mkdirs("file/x")
    assert kind(trouble) == "not_a_directory"


def test_walk_is_sorted_skips_and_never_enters_links(root: Root) -> None:
    for name in ("b/2", "b/1", "a", ".git/config", "~t/x"):
        put(root, name)
    Path(root.path, "loop").symlink_to(".")
    listing = root.walk(skip=lambda path, folder: folder and path.rsplit("/")[-1] == ".git")
    found = [(entry.path, entry.kind) for entry in listing]
    expected = [("a", "file"), ("b", "folder"), ("b/1", "file"), ("b/2", "file"), ("loop", "link")]
    assert found == [*expected, ("~t", "folder"), ("~t/x", "file")]
    assert not listing.truncated and not listing.problems
    assert [entry.path for entry in root.walk("loop/b")] == ["b/1", "b/2"]


def test_walk_is_bounded(root: Root) -> None:
    for number in range(20):
        put(root, f"f{number:02}")
    few = root.walk(limit=5)
    assert [entry.path for entry in few] == ["f00", "f01", "f02", "f03", "f04"] and few.truncated
    exact = root.walk(limit=20)
    assert len(list(exact)) == 20 and not exact.truncated
    put(root, "x/y/z")
    shallow = root.walk("x", depth=1)
    assert [entry.path for entry in shallow] == ["x/y"] and shallow.truncated


def test_the_folder_may_be_renamed_under_us(root: Root, tmp_path: Path) -> None:
    """STORE-015: what is held is the folder, not its name."""
    put(root, "a", b"A")
    os.rename(root.path, tmp_path / "elsewhere")
    assert root.read("a").data == b"A"
    root.write("a", b"B", expect_sha256=sha256(b"A"))
    assert (tmp_path / "elsewhere/a").read_bytes() == b"B"


def test_no_descriptor_is_left_open(root: Root) -> None:
    put(root, "a/b", b"A")
    Path(root.path, "out").symlink_to("/etc/passwd")

    def everything() -> None:
        root.read("a/b")
        root.stat("a/b")
        list(root.walk())
        root.write("a/b", b"A", expect_sha256=sha256(b"A"))
        for path in ("out", "a/none/x", "a/b/c", "a"):
            with pytest.raises(FileProblem):
                root.read(path)
            with pytest.raises(FileProblem):
                root.write(path, b"", expect_sha256="0")

    everything()
    before = len(os.listdir("/dev/fd"))
    everything()
    assert len(os.listdir("/dev/fd")) == before


def test_a_link_swapped_in_while_reading_and_writing_never_leads_out(root: Root, tmp_path: Path) -> None:
    """T11: 3,000 races against a folder that keeps becoming a link to one outside."""
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil/f").write_text("secret")
    put(root, "d/f", b"mine")
    stop = threading.Event()

    def swap() -> None:
        here, spare = f"{root.path}/d", f"{root.path}/spare"
        while not stop.is_set():
            os.rename(here, spare)
            os.symlink("../evil", here)
            os.unlink(here)
            os.rename(spare, here)

    thread = threading.Thread(target=swap)
    thread.start()
    read = 0
    try:
        for number in range(100_000):
            if number >= 3000 and read:  # on a loaded machine the swaps may win every race for a while
                break
            try:
                if number % 2:
                    root.write("d/f", b"mine", expect_sha256=sha256(b"mine"))
                else:
                    assert root.read("d/f").data == b"mine"
                    read += 1
            except FileProblem as trouble:
                assert trouble.kind in ("outside", "not_found", "not_a_directory", "changed"), trouble
    finally:
        stop.set()
        thread.join()
    assert read > 0
    assert sorted(os.listdir(tmp_path / "evil")) == ["f"]
    assert (tmp_path / "evil/f").read_text() == "secret"
