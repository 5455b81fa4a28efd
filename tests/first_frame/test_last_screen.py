"""The kept last screen: what is written, what is read back, and that any doubt or fault counts as no screen."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from jp_tui.first_frame import last_screen
from jp_tui.first_frame.cached_settings import full_stamp
from jp_tui.first_frame.last_screen import KEPT, MAGIC, MOST, Row
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.system.paths import Paths

SIZE = (20, 6)
FACTS = "('settings', '/work', (20, 6), 'talk', 7)"
ROWS: list[Row] = [(0, 0, [("1;38;2;1;2;3", "jp"), ("", " wörld 日本")]), (1, 4, [("48;5;7", "x\u00a0e\u0301 ✓ 🙂")])]


def kept(state: Path) -> str | None:
    return last_screen.load(state, "talk", FACTS, SIZE)


def test_what_is_kept_is_painted_again(tmp_path: Path) -> None:
    assert not last_screen.any_kept(tmp_path) and kept(tmp_path) is None
    last_screen.keep(tmp_path, "talk", FACTS, ROWS)
    assert last_screen.any_kept(tmp_path)
    assert kept(tmp_path) == (
        "\x1b[1;1H\x1b[0;1;38;2;1;2;3mjp\x1b[0m wörld 日本\x1b[2;5H\x1b[0;48;5;7mx\u00a0e\u0301 ✓ 🙂\x1b[0m"
    )
    (folder,) = tmp_path.iterdir()
    (file,) = folder.iterdir()
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(file.stat().st_mode)) == (0o700, 0o600)


def test_other_facts_another_size_and_another_conversation_have_no_screen(tmp_path: Path) -> None:
    last_screen.keep(tmp_path, "talk", FACTS, ROWS)
    assert last_screen.load(tmp_path, "talk", FACTS.replace("7", "8"), SIZE) is None
    assert last_screen.load(tmp_path, "talk", FACTS, (20, 1)) is None
    assert last_screen.load(tmp_path, "tal", FACTS, SIZE) is None


def test_a_deleted_conversation_has_no_screen(tmp_path: Path) -> None:
    last_screen.keep(tmp_path, "talk", FACTS, ROWS)
    last_screen.forget(tmp_path, "other")
    assert kept(tmp_path)
    last_screen.forget(tmp_path, "talk")
    last_screen.forget(tmp_path, "talk")
    assert kept(tmp_path) is None


@pytest.mark.parametrize("name", ["", ".", "..", "../talk", "a/b", ".talk", "a\0b", "x" * 101, "ü"])
def test_an_id_that_is_no_plain_name_has_no_file(tmp_path: Path, name: str) -> None:
    last_screen.keep(tmp_path, name, FACTS, ROWS)
    last_screen.forget(tmp_path, name)
    assert last_screen.load(tmp_path, name, FACTS, SIZE) is None and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "run",
    [("", "a\x1b[2J"), ("", "a\nb"), ("", "a\tb"), ("", "\x9b2J"), ("", "\u202eabc"), ("", "\u2028"),
     ("2J", "a"), ("1m", "")],
)  # fmt: skip
def test_what_a_terminal_could_obey_is_not_kept(tmp_path: Path, run: last_screen.Run) -> None:
    """And takes what was kept before with it."""
    last_screen.keep(tmp_path, "talk", FACTS, ROWS)
    last_screen.keep(tmp_path, "talk", FACTS, [(0, 0, [run])])
    assert kept(tmp_path) is None and not list((tmp_path / "last-screens").iterdir())


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    for number in range(KEPT + 3):
        last_screen.keep(tmp_path, f"talk-{number}", FACTS, ROWS)
        os.utime(tmp_path / "last-screens" / f"talk-{number}", ns=(number, number))
    names = {file.name for file in (tmp_path / "last-screens").iterdir()}
    assert names == {f"talk-{number}" for number in range(3, KEPT + 3)}


def test_a_screen_that_is_too_large_is_not_kept(tmp_path: Path) -> None:
    last_screen.keep(tmp_path, "talk", FACTS, [(y, 0, [("", "x" * 1000)]) for y in range(MOST // 1000 + 1)])
    assert not list((tmp_path / "last-screens").iterdir()) if last_screen.any_kept(tmp_path) else True


DAMAGES: dict[str, Callable[[str], str]] = {
    "empty": lambda text: "",
    "cut": lambda text: text[: len(MAGIC) + len(FACTS) + 20],
    "another form": lambda text: text.replace(MAGIC, "jp-tui last screen 2"),
    "other facts": lambda text: text.replace("'talk'", "'walk'"),
    "no rows": lambda text: f"{MAGIC}\n{FACTS}\n",
    "an escape": lambda text: text.replace("wörld", "w\x1b[2Jd"),
    "a title": lambda text: text.replace("wörld", "\x1b]0;x\x07"),
    "a control of eight bits": lambda text: text.replace("wörld", "\x9b2J"),
    "what reorders": lambda text: text.replace("wörld", "\u202e"),
    "a sequence in the colours": lambda text: text.replace("1;38", "0m\x1b[2J\x1b[1;38"),
    "letters in the colours": lambda text: text.replace("1;38", "1H"),
    "many colours": lambda text: text.replace("1;38", "1;" * 60 + "38"),
    "a row beyond": lambda text: text.replace("\n1\t4", "\n6\t4"),
    "a column beyond": lambda text: text.replace("\n1\t4", "\n1\t20"),
    "a number below": lambda text: text.replace("\n1\t4", "\n-1\t4"),
    "a number of other digits": lambda text: text.replace("\n1\t4", "\n١\t4"),
    "a large number": lambda text: text.replace("\n1\t4", "\n" + "1" * 5000 + "\t4"),
    "half a run": lambda text: text.replace("\n1\t4\t48;5;7\t", "\n1\t4\t"),
    "a long row": lambda text: text.replace("wörld", "x" * 81),
    "many rows": lambda text: text + "1\t4\t\tx\n" * 20,
    "no numbers": lambda text: text.replace("\n1\t4\t", "\n\t\t"),
    "large": lambda text: text + "\n" * MOST,
    "half a character": lambda text: text + "\udcff",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_or_forged_file_is_no_screen(tmp_path: Path, damage: Callable[[str], str]) -> None:
    last_screen.keep(tmp_path, "talk", FACTS, ROWS)
    file = tmp_path / "last-screens" / "talk"
    text = file.read_text()
    assert damage(text) != text
    file.write_bytes(damage(text).encode("utf-8", "surrogateescape"))
    found = kept(tmp_path)
    assert found is None or damage is DAMAGES["cut"]


def test_what_is_no_plain_file_is_not_read(tmp_path: Path) -> None:
    last_screen.keep(tmp_path, "talk", FACTS, ROWS)
    file = tmp_path / "last-screens" / "talk"
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert kept(tmp_path) is None
    file.unlink()
    os.mkfifo(file)
    assert kept(tmp_path) is None
    file.unlink()
    file.mkdir()
    assert kept(tmp_path) is None
    last_screen.keep(tmp_path, "talk", FACTS, ROWS)  # which is impossible, and no error


def test_every_setting_is_in_the_facts_and_none_that_may_be_secret(tmp_path: Path) -> None:
    paths = Paths.of({"JP_TUI_HOME": str(tmp_path)})
    (tmp_path / "config" / "themes").mkdir(parents=True)
    own = tmp_path / "work" / ".jp-tui" / "config.toml"
    own.parent.mkdir(parents=True)

    def now(arguments: CommandLine | None = None, **variables: str) -> str:
        return full_stamp(arguments or CommandLine(), paths, own, {"JP_TUI_HOME": str(tmp_path), **variables})

    seen = {now()}
    models = tmp_path / "config" / "models.toml"
    for file in (paths.config_file, models, paths.keys_file, paths.themes / "mine.toml", own):
        file.write_text("a = 1")
        seen.add(now())
    assert len(seen) == 6 and "" not in seen
    assert now(CommandLine(theme="jp-day")) not in seen and now(CommandLine(model="a/b")) not in seen
    assert now(JP_TUI_PROVIDERS__X__KEY="secret") == "" == now(CommandLine(cfg=("a.key=secret",)))
