"""A few calls of each fault in every run (`python -m tests.faults --only io --whole` tries them all), and whether the
look afterwards would find what it is there to find."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from jp_tui.system import paths
from jp_tui.ui.failures.crash_report import write_report
from tests.faults import aftermath, errand, io_places
from tests.faults.failing import FAULTS, shim
from tests.faults.io_calls import Server, each_call
from tests.faults.report import Found

SEED = 9


def good(rows: list[Found]) -> None:
    for row in rows:
        assert not row.failed, "\n".join(row.failed)


def test_t12_t13_nothing_is_half_written_silent_or_undecided_when_a_call_fails() -> None:
    """Repeat one: `python -m tests.faults.io_calls FAULT CALL`."""
    good(each_call(False, SEED, with_shim=bool(shim()), sample=1))


def test_t13_the_same_where_there_is_no_compiler() -> None:
    good(each_call(False, SEED, with_shim=False, sample=1, faults=FAULTS[3:4]))


def test_t13_a_full_disk_a_read_only_one_and_files_that_may_not_grow() -> None:
    rows = io_places.places(False, SEED, sample=1)
    good(rows)
    if why := next((row.not_here for row in rows if row.not_here), ""):
        pytest.skip(f"not here: {why}")


def broken(folder: Path) -> str:
    """What the look says of an errand that claims to have done everything."""
    report = {"bug": "", "facts": [], "told": [], "done": ["stopped"], "conversation": ""}
    return "\n".join(aftermath.broken(folder, report))


def test_the_look_finds_what_is_wrong(tmp_path: Path) -> None:
    """A broken promise of each kind, made by hand."""
    server = Server(with_shim=False)
    try:
        errand.prepared(tmp_path)
        report = server.do(tmp_path)
    finally:
        server.close()
    assert aftermath.broken(tmp_path, report) == []
    work = tmp_path / "desk"
    (work / "notes.txt").write_text("coff")
    assert "notes.txt is half written" in broken(tmp_path) and "nobody was told" in broken(tmp_path)
    (work / "talk.md").write_text((work / "talk.md").read_text()[:-9])
    assert "the export is half written" in broken(tmp_path)
    (work / "ran.log").write_text("ran\nran\n")
    assert "the program ran 2 times" in broken(tmp_path)
    (tmp_path / "home/config/config.toml").write_text("# mine, and it stays\n[ui\n")
    assert "the configuration is half written" in broken(tmp_path)
    (work / ".notes.txt.0a.tmp").write_text("")
    assert "was left behind" in broken(tmp_path)
    shown = json.loads(json.dumps(report["facts"][0]))
    shown[1]["metadata"] = {}
    wrong = aftermath.broken(tmp_path, {**report, "facts": [shown]})
    assert any("was shown and is not stored so" in words for words in wrong)
    (tmp_path / "home/data/conversations.db").unlink()
    assert "notes.txt was changed without its approval on record" in broken(tmp_path)


def test_t13_a_report_that_the_disk_does_not_take_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of it stood there."""

    def short(descriptor: int, data: bytes) -> None:
        os.write(descriptor, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("jp_tui.ui.failures.crash_report.write_fully", short)
    with pytest.raises(OSError, match="No space"):
        write_report(ValueError("made up"), tmp_path)
    assert list((tmp_path / "crashes").iterdir()) == []


def test_t13_nor_does_one_that_cannot_be_made_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The empty file stayed, and its descriptor stayed open."""
    before = len(os.listdir("/proc/self/fd"))

    def refuses(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fchmod", refuses)
    with pytest.raises(OSError, match="Input/output error"):
        write_report(ValueError("made up"), tmp_path)
    assert list((tmp_path / "crashes").iterdir()) == [] and len(os.listdir("/proc/self/fd")) == before


def test_t12_a_disk_that_takes_nothing_at_all_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Removing the spare file failed as well, and that went through as a traceback."""

    def refuses(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", refuses)
    monkeypatch.setattr(os, "unlink", refuses)
    with pytest.raises(paths.PathsError, match=r"can't write .*: Input/output error"):
        paths.write_private(tmp_path / "config.toml", b"x")
