"""Listing, reading and searching: what is shown, what is left out and said to be, and that it always ends (S40)."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from jp_tui.tools.files import scan
from jp_tui.tools.files.scan import ListingJob, SearchJob, listing
from tests.tools.asking import call, repository


async def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    """S40; nothing is added to a file that is read whole."""
    for text in ("one\ntwo\n", "one\ntwo", "\n\n", "[red]\x1b[31m é\u2028x\n"):
        (tmp_path / "f").write_text(text, newline="")
        told = await call(tmp_path, "fs_read_file", path="f")
        assert (told.ok, told.text) == (True, text)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"start_line": 2}, "2\n3\n4\n[lines 2 to 4 of 4]"),
        ({"end_line": 1}, "1\n[lines 1 to 1 of 4]"),
        ({"start_line": 2, "end_line": 3}, "2\n3\n[lines 2 to 3 of 4]"),
        ({"start_line": 4, "end_line": 99}, "4\n[lines 4 to 4 of 4]"),
        ({"start_line": 1, "end_line": 4}, "1\n2\n3\n4\n"),
        ({"start_line": 2.0, "end_line": None}, "2\n3\n4\n[lines 2 to 4 of 4]"),
    ],
)
async def test_lines_count_from_one_and_the_last_is_in(tmp_path: Path, arguments: dict[str, Any], text: str) -> None:
    """S40: 1-based, inclusive."""
    (tmp_path / "f").write_text("1\n2\n3\n4\n")
    assert (await call(tmp_path, "fs_read_file", path="f", **arguments)).text == text


async def test_a_long_file_is_paged(tmp_path: Path) -> None:
    """SIZE-003: bounded, and the model can go on; every line comes once."""
    (tmp_path / "f").write_text("".join(f"line {i}\n" for i in range(1, 5001)))
    seen: list[str] = []
    start: int | None = 1
    while start is not None:
        told = await call(tmp_path, "fs_read_file", path="f", start_line=start)
        assert len(told.text.encode()) < 50_000
        *lines, note = told.text.split("\n")
        seen += lines
        start = int(note.removesuffix("]").rsplit(" ", 1)[1]) if "go on with" in note else None
    assert seen == [f"line {i}" for i in range(1, 5001)]


async def test_one_endless_line_is_cut(tmp_path: Path) -> None:
    """SIZE-001: cut, with sizes."""
    (tmp_path / "f").write_text("a\n" + "é" * 1_000_000 + "\nb\n")
    told = await call(tmp_path, "fs_read_file", path="f", start_line=2)
    assert len(told.text.encode()) < 50_000
    assert "line 2 has 1,000,000 characters" in told.text
    assert told.text.endswith("go on with start_line = 3]")


async def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """UNI-040: replaced, and said so; the file itself is as it was."""
    (tmp_path / "f").write_bytes(b"a\xc0\xafb\xe2\x82c\n")
    told = await call(tmp_path, "fs_read_file", path="f")
    assert told.text == "a\ufffd\ufffdb\ufffdc\n[the file is not all UTF-8; bytes that are not stand as \ufffd]"
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert (await call(tmp_path, "fs_read_file", path="f")).text == "one\ntwo\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "`path` is required"),
        ({"path": ""}, "`path` must not be empty"),
        ({"path": 3}, "`path` must be text"),
        ({"path": "f", "start_line": 0}, "`start_line` must be a whole number"),
        ({"path": "f", "start_line": True}, "`start_line` must be a whole number"),
        ({"path": "f", "start_line": 3, "end_line": 2}, "must not be before"),
        ({"path": "f", "start_line": 9}, "f has only 1 lines"),
        ({"path": "gone"}, "gone: there is no such file"),
        ({"path": "d"}, "d: is a folder"),
        ({"path": "binary"}, "is not a text file (3 bytes)"),
        ({"path": "large"}, "more than the 8 MiB"),
        ({"path": "f", "encoding": "latin-1"}, "`encoding` is not an argument"),
    ],
)
async def test_what_cannot_be_read_is_said(tmp_path: Path, arguments: dict[str, Any], words: str) -> None:
    (tmp_path / "f").write_text("x\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "binary").write_bytes(b"a\0b")
    with (tmp_path / "large").open("wb") as file:
        file.truncate((8 << 20) + 1)
    told = await call(tmp_path, "fs_read_file", **arguments)
    assert not told.ok
    assert words in told.text


async def test_an_empty_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    assert (await call(tmp_path, "fs_read_file", path="f")).text == "[the file is empty]"


async def test_files_are_listed_as_git_sees_them(tmp_path: Path) -> None:
    """.gitignore counts, .git never shows, what is deleted is gone, links are marked."""
    repository(tmp_path, {"b.py": "", "a/c.py": "", "gone": "", ".gitignore": "build/\n*.log\n"})
    (tmp_path / "gone").unlink()
    (tmp_path / "new.txt").touch()
    (tmp_path / "x.log").touch()
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "out.py").touch()
    (tmp_path / "link").symlink_to("/etc")
    told = await call(tmp_path, "fs_list_files")
    assert told.text.split("\n") == [".gitignore", "a/c.py", "b.py", "link@", "new.txt"]
    assert (await call(tmp_path, "fs_list_files", path="a")).text == "a/c.py"
    assert (await call(tmp_path, "fs_list_files", extensions=["py", ".TXT"])).text == "a/c.py\nb.py\nnew.txt"
    # asked for by name, an ignored folder is listed all the same
    assert (await call(tmp_path, "fs_list_files", path="build")).text == "build/out.py"
    assert (await call(tmp_path, "fs_list_files", extensions=["rs"])).text == "[no files with these extensions]"


async def test_files_are_listed_without_git(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").touch()
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f\n\x1b[31m").touch()
    assert (await call(tmp_path, "fs_list_files")).text == "'d/f\\n\\x1b[31m'"
    assert not (await call(tmp_path, "fs_list_files", path="d/x")).ok
    assert not (await call(tmp_path, "fs_list_files", path="..")).ok


async def test_a_long_list_says_where_the_rest_is(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        for number in range(1500):
            (tmp_path / folder / f"{number:04}").touch()
    *lines, note = (await call(tmp_path, "fs_list_files")).text.split("\n")
    assert len(lines) == 2000
    assert note == (
        "[1,000 more files are not listed; call again with `path` or `extensions`. "
        "Folders with most of them: b/ 1,000.]"
    )


def test_a_list_that_just_fits_is_whole(tmp_path: Path) -> None:
    """SIZE-003: lines count with their ends; one byte less leaves the last one out."""
    for name in ("a", "bb", "ccc"):
        (tmp_path / name).touch()
    job = ListingJob(root=str(tmp_path), folder=".", known=None, extensions=[], bytes=9)
    assert listing(job) == "a\nbb\nccc"
    assert listing({**job, "bytes": 8}).startswith("a\nbb\n[1 more files are not listed")


def test_a_search_says_when_a_folder_has_more_entries_than_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "MAX_WALKED", 3)
    for number in range(6):
        (tmp_path / f"{number}").write_text("x\n")
    job = SearchJob(root=str(tmp_path), pattern="x", files=[], folders=[(".", None)], context=0, rules=[], bytes=10_000)
    said: list[dict[str, object]] = []
    scan.search(job, said.append)
    assert said[-1]["stopped"] == "only the first 3 entries of . were looked at"


async def test_searching(tmp_path: Path) -> None:
    """S40: `pattern`, `paths?`, `context?`."""
    repository(
        tmp_path, {"a.py": "1\nfoo\n3\n4\n5\nfoo\r\n", "d/b.py": "Foo\n", ".gitignore": "skip\n", "skip": "foo\n"}
    )
    assert (await call(tmp_path, "fs_grep_files", pattern="^foo$")).text == "a.py:2: foo\na.py:6: foo"
    assert (await call(tmp_path, "fs_grep_files", pattern="(?i)foo", paths=["d"])).text == "d/b.py:1: Foo"
    told = await call(tmp_path, "fs_grep_files", pattern="foo", paths=["a.py"], context=1)
    assert told.text.split("\n") == ["a.py-1- 1", "a.py:2: foo", "a.py-3- 3", "--", "a.py-5- 5", "a.py:6: foo"]
    # a file that is named is searched, whatever git thinks of it
    assert (await call(tmp_path, "fs_grep_files", pattern="foo", paths=["skip"])).text == "skip:1: foo"
    assert (await call(tmp_path, "fs_grep_files", pattern="nothing like it")).text == "No matches."


async def test_what_a_search_leaves_out_is_said(tmp_path: Path) -> None:
    """Secrets, binaries, huge files, links: not searched, and the model knows."""
    (tmp_path / "f").write_text("secret\n")
    (tmp_path / ".env").write_text("secret\n")
    (tmp_path / "b").write_bytes(b"secret\0")
    (tmp_path / "alias").symlink_to(".env")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate((16 << 20) + 1)
    told = await call(tmp_path, "fs_grep_files", pattern="secret")
    assert told.text == "f:1: secret\n[files left out: 1 likely to hold secrets, 1 binary, 1 over 16 MiB]"
    assert "secret\n" not in (await call(tmp_path, "fs_grep_files", pattern="secret", paths=["alias"])).text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pattern": "["}, "no valid regular expression: unterminated character set at position 0"),
        ({"pattern": "(?P<a>x)(?P<a>y)"}, "no valid regular expression"),
        ({"pattern": "x" * 5000}, "more than 4096 characters"),
        ({}, "`pattern` is required"),
        ({"pattern": "x", "paths": "a"}, "`paths` must be a list"),
        ({"pattern": "x", "context": 21}, "`context` must be a whole number from 0 to 20"),
        ({"pattern": "x", "paths": ["gone"]}, "gone: there is no such file"),
        ({"pattern": "x", "paths": ["/etc"]}, "outside the workspace"),
        ({"pattern": "x", "paths": ["out"]}, "outside the workspace"),
    ],
)
async def test_what_cannot_be_searched_is_said(tmp_path: Path, arguments: dict[str, Any], words: str) -> None:
    """PATH-082 and others."""
    (tmp_path / "out").symlink_to("/etc")
    told = await call(tmp_path, "fs_grep_files", **arguments)
    assert not told.ok
    assert words in told.text


async def test_patterns_are_patterns(tmp_path: Path) -> None:
    """PATH-083, PATH-085: the empty one matches everything, within bounds; one that looks like an option is none."""
    (tmp_path / "f").write_text("x\n" * 10_000 + "--pre=cat /etc/passwd\n")
    told = await call(tmp_path, "fs_grep_files", pattern="")
    assert len(told.text.split("\n")) == 501
    assert told.text.endswith("[stopped after 500 matches; narrow the search with `paths` or a longer `pattern`]")
    told = await call(tmp_path, "fs_grep_files", pattern="--pre=cat /etc/passwd")
    assert told.text == "f:10001: --pre=cat /etc/passwd"


async def test_long_lines_are_cut_around_the_match(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x" * 10_000_000 + "needle" + "y" * 1000 + "\n")
    told = await call(tmp_path, "fs_grep_files", pattern="needle")
    assert "needle" in told.text
    assert len(told.text) < 450
    (tmp_path / "f").write_text(("needle" + "x" * 500 + "\n") * 400)
    told = await call(tmp_path, "fs_grep_files", pattern="needle")
    assert len(told.text.encode()) < 50_000
    assert "the matches are too much text" in told.text


async def test_a_catastrophic_pattern_ends_and_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T21c: the loop goes on meanwhile, what was found before is told, the file is named."""
    monkeypatch.setattr("jp_tui.tools.worker.SECONDS", 1.0)
    (tmp_path / "a").write_text("aab\n")
    (tmp_path / "b").write_text("a" * 40 + "!\n")
    gaps: list[float] = []

    async def watch() -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.01)
            gaps.append(time.perf_counter() - last)
            last = time.perf_counter()

    watching = asyncio.create_task(watch())
    told = await call(tmp_path, "fs_grep_files", pattern="^(a+)+b$")
    watching.cancel()
    assert told.ok
    assert told.text.startswith("a:1: aab\n[ended after")
    assert "while searching b" in told.text
    assert max(gaps) < 0.5
    told = await call(tmp_path, "fs_grep_files", pattern="^(a+)+b$", paths=["b"])
    assert (told.ok, "while searching b" in told.text) == (False, True)


async def test_a_cancelled_call_leaves_no_child(tmp_path: Path) -> None:
    """T9: whoever cancels the call has its process killed."""
    (tmp_path / "b").write_text("a" * 60 + "!\n")
    task = asyncio.create_task(call(tmp_path, "fs_grep_files", pattern="^(a+)+b$"))
    while not _children():  # noqa: ASYNC110 - the kernel tells nobody that a process is there
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not _children()


def _children() -> list[str]:
    found = Path("/proc/self/task")
    lists = [(one / "children").read_text().split() for one in found.iterdir()]
    return [child for children in lists for child in children if b"jp_tui.tools.worker_main" in _command(child)]


def _command(child: str) -> bytes:
    try:
        return Path(f"/proc/{child}/cmdline").read_bytes()
    except OSError:
        return b""
