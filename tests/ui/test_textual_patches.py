"""Each patch of Textual: applied here, needed here, and left out without harm where Textual looks different."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.specifiers import SpecifierSet
from textual.binding import Binding
from textual.keys import _character_to_key

from jp_tui.ui import textual_patches
from jp_tui.ui.keys.user_keys import key_name
from jp_tui.ui.textual_patches import PATCHES, TESTED, private, shape
from tests.faults.conftest import REAL
from tests.faults.terminal import Terminal
from tests.sampling import sampled
from tests.ui.altered import ALTERATIONS
from tests.ui.unpatched import FAULTS

ROOT = Path(__file__).resolve().parents[2]
NAMES = [patch.name for patch in PATCHES]


def ran(*words: str) -> str:
    """What a script of this folder prints last."""
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()[-1]


def test_all_patches_fit_the_installed_textual() -> None:
    assert textual_patches.problems() == {}


def test_each_has_an_alteration_and_a_fault() -> None:
    assert set(NAMES) == set(FAULTS) == set(ALTERATIONS) - {"version"}
    assert len(set(NAMES)) == len(NAMES)


def test_the_benchmark_rows_that_the_table_names_exist() -> None:
    rows = (ROOT / "tests/bench/latest.md").read_text().splitlines()
    named = {patch.bench for patch in PATCHES if patch.bench}
    assert named and all(any(row.startswith(f"| {name}") for row in rows) for name in named)


def test_the_tested_range_is_what_pyproject_allows() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (wanted,) = [one for one in project["dependencies"] if one.startswith("textual")]
    assert SpecifierSet(wanted.removeprefix("textual")) == SpecifierSet(f">={TESTED[0]},<{TESTED[1]}")
    assert shape.is_within(shape.installed_version("textual"), TESTED)


@pytest.mark.parametrize("name", sampled(list(NAMES), 3))
def test_without_a_patch_the_program_works_and_says_so(name: str) -> None:
    assert list(json.loads(ran("tests.ui.altered", name))) == [name]


def test_a_version_that_is_not_tested_gets_no_patch() -> None:
    found = json.loads(ran("tests.ui.altered", "version"))
    assert list(found) == NAMES
    assert set(found.values()) == {"Textual 9.0.0 isn't tested, only 8.2.5 up to 8.3 (excluded)"}


def test_textual_still_has_each_fault() -> None:
    """A fault that is gone: the patch can go, too, once no version that pyproject.toml allows has it."""
    assert [name for name, there in json.loads(ran("tests.ui.unpatched")).items() if not there] == []


@pytest.mark.pty
@pytest.mark.parametrize("name", ["driver", "version"])
def test_the_program_runs_in_a_terminal_with_textuals_own_driver(tmp_path: Path, name: str) -> None:
    command = [sys.executable, "-m", "tests.ui.altered", name, "run"]
    environment = REAL.environment(tmp_path) | {"COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    terminal = Terminal(command, env=environment, cwd=tmp_path)
    try:
        terminal.type("early ")
        terminal.wait_text("11. ")  # the tour's list, which the app itself has painted
        terminal.type("and late")
        terminal.wait_text("early and late")
        terminal.type("\x15\x11")
        assert terminal.wait_event("code") == 0
        terminal.wait_clean()
    finally:
        terminal.close()


# -- the checks themselves


@pytest.mark.parametrize(
    ("version", "within"),
    [
        ("8.2.4", False),
        ("8.2.5", True),
        ("8.2.10", True),
        ("8.3.0rc1", False),
        ("8.3", False),
        ("9", False),
        ("", False),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, within: bool) -> None:
    assert shape.is_within(version, TESTED) is within


def test_a_version_is_read_from_the_metadata_folder_or_found_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import version

    assert shape.installed_version("textual") == version("textual")
    monkeypatch.setattr(shape, "listdir", lambda folder: ["textual-1.0.dist-info", "textual-2.0.dist-info"])
    assert shape.installed_version("textual") == version("textual")
    assert shape.installed_version("tests") == ""


class Sample:
    value = 1

    def one(self, first: int, *, second: int = 0) -> int:
        return self.value + first

    def many(self, *first: int) -> None: ...

    @property
    def read(self) -> int:
        return self.value


def test_what_a_function_takes_and_uses_is_checked() -> None:
    assert shape.takes(Sample, "one", "self", "first", "second") is Sample.one
    shape.uses(Sample, "one", "value")
    shape.uses(Sample, "read", "value")
    for wrong in (
        lambda: shape.takes(Sample, "one", "self", "first"),
        lambda: shape.takes(Sample, "many", "self"),
        lambda: shape.takes(Sample, "gone", "self"),
        lambda: shape.takes(Sample, "value"),
        lambda: shape.uses(Sample, "one", "other"),
        lambda: shape.needs(Sample, "value", "gone"),
    ):
        with pytest.raises(shape.Unfit, match="Sample"):
            wrong()


# -- private attributes that are only read


def test_without_a_private_attribute_its_feature_is_missing_and_nothing_fails() -> None:
    class Base:
        BINDINGS = [Binding("a", "one", "One")]

    class Node(Base):
        BINDINGS = [Binding("b", "two", "Two")]

    nothing = SimpleNamespace()
    assert private.keymap(nothing) == {}  # type: ignore[arg-type]
    assert private.rendered(nothing) == []  # type: ignore[arg-type]
    assert set(private.class_bindings(Node).key_to_bindings) == {"a", "b"}  # type: ignore[arg-type]
    assert set(private.own_bindings(Node()).key_to_bindings) == {"a", "b"}  # type: ignore[arg-type]


def test_keys_are_called_what_textual_calls_them() -> None:
    characters = [chr(number) for number in range(32, 0x2000)]
    assert [one for one in characters if key_name(one) != _character_to_key(one)] == []


def test_doctor_names_what_is_not_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    from jp_tui.startup import checkup

    assert (checkup._screen().state, checkup._screen().detail) == ("ok", "all patches applied")
    monkeypatch.setattr(textual_patches, "problems", lambda: {"timer": "too new", "strips": "too new"})
    found = checkup._screen()
    assert (found.state, found.detail) == ("warn", "patches not applied: timer, strips (too new)")
    assert found.mend == "Install textual>=8.2.5,<8.3. Until then jp-tui may be slower."
