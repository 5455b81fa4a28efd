"""What is under version control and what is shipped: no machine's path, no lock file, README and CI in step."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.house.sources import ROOT, tracked

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
TEXTUAL_FILES = (".py", ".md", ".toml", ".txt", ".tcss", ".yml", ".yaml", ".cfg", ".sh", "run", "Makefile", ".json")
# Spelled in halves so that this file does not find itself.
MACHINE = re.compile("/" + r"(work|farm)/[a-z.]|/" + "tmp/dev/")
HOSTS = re.compile(r"(index-url|extra-index|find-links|--hash=|@ https?://|@ file:)")


@pytest.fixture
def files() -> list[Path]:
    if not tracked():
        pytest.skip("no repository here: what is tracked cannot be seen")
    return [ROOT / name for name in tracked()]


def test_no_path_of_a_machine_and_no_lock_file(files: list[Path]) -> None:
    assert not [file for file in files if file.name.endswith((".lock", "package-lock.json"))]
    for file in files:
        if file.name.endswith(TEXTUAL_FILES):
            text = file.read_text(encoding="utf-8", errors="replace")
            for number, line in enumerate(text.splitlines(), 1):
                assert not MACHINE.search(line), f"{file.relative_to(ROOT)}:{number}: {line.strip()[:100]}"


def test_the_machine_check_can_fail() -> None:
    for text in ("/" + "work/main", "/" + "farm/x", "'/" + "tmp/dev/bin'"):
        assert MACHINE.search(text)
    for text in ("/work", "homework/main.py", "~/.config", "/tmp/device"):
        assert not MACHINE.search(text)


def test_pins_are_names_and_versions_only_and_cover_what_we_name() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    pinned = {}
    for pin in pins:
        name, version = re.fullmatch(r"([A-Za-z0-9._-]+)==([0-9][A-Za-z0-9.+!]*)", pin).groups()  # type: ignore[union-attr]
        pinned[re.sub(r"[-_.]+", "-", name).lower()] = version
    project = PYPROJECT["project"]
    wanted = [
        *project["dependencies"],
        *project["optional-dependencies"]["dev"],
        *PYPROJECT["build-system"]["requires"],
    ]
    for requirement in wanted:
        name = re.match(r"[A-Za-z0-9._-]+", requirement)[0]  # type: ignore[index]
        assert re.sub(r"[-_.]+", "-", name).lower() in pinned, requirement


def test_every_dependency_says_why_it_earns_its_place() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    block = text.partition("dependencies = [\n")[2].partition("]")[0]
    lines = block.strip().splitlines()
    assert len(lines) >= 7 and all("  # " in line for line in lines)


def test_nothing_names_an_index_or_a_hash() -> None:
    pages = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    for name in ("constraints.txt", "pyproject.toml", "README.md", ".ci/run", *pages):
        assert not HOSTS.search((ROOT / name).read_text(encoding="utf-8")), name


def test_readme_has_the_two_commands_and_ci_runs_the_second_from_there() -> None:
    commands = re.findall(r"<!-- (start|test) -->\n```sh\n(.+)\n```\n<!-- end -->", (ROOT / "README.md").read_text())
    assert [name for name, _ in commands] == ["start", "test"]
    start, test = (command for _, command in commands)
    assert "\n" not in start + test
    assert start.startswith("python3 -m venv .venv && ") and start.endswith(" && .venv/bin/jp-tui")
    assert test.startswith("python3 -m venv .venv-test && ") and " -m pytest" in test
    for command in (start, test):
        assert "-c constraints.txt" in command
    assert "README.md" in (ROOT / ".ci" / "run").read_text(), "CI reads the command there"


def test_the_documentation_names_every_theme_and_the_version_has_a_changelog_entry() -> None:
    from jp_tui import __version__

    settings, changelog = ((ROOT / name).read_text() for name in ("docs/settings.md", "CHANGELOG.md"))
    for theme in (ROOT / "themes").glob("*.toml"):
        assert f"`{theme.stem}`" in settings
    assert f"## {__version__}" in changelog


def test_the_pages_about_the_house_keep_to_their_size() -> None:
    assert (ROOT / "ARCHITECTURE.md").read_text().count("\n") < 150


def test_the_files_of_ci_can_be_run() -> None:
    import os

    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    done = subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_data_is_found_from_a_checkout_and_the_wheel_takes_it_along() -> None:
    from jp_tui.settings import data

    assert Path(data.CONFIG) == ROOT / "config" and Path(data.THEMES) == ROOT / "themes"
    wheel = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert wheel == {"config": "jp_tui/_data/config", "themes": "jp_tui/_data/themes"}


PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]


def test_the_documentation_shows_the_pictures_that_the_command_takes_and_no_other() -> None:
    """Issue 8, 11: `make pictures` makes them, of the program itself."""
    from tests.pictures.__main__ import FOLDER, PICTURES

    shown = {Path(name).stem for page in PAGES for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text())}
    assert shown == set(PICTURES)
    for name in PICTURES:
        text = (FOLDER / f"{name}.svg").read_text()
        assert text.startswith("<svg") and "http://" not in text.replace("http://www.w3.org/", "")


def test_links_of_the_documentation_lead_to_files_and_each_page_is_listed() -> None:
    """Issue 18, 11: the README shows what jp-tui is; the reference is in docs/, and both indexes name each page."""
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert "://" in link or (page.parent / link).exists(), f"{page.name}: {link}"
    for page in (ROOT / "docs").glob("*.md"):
        if page.name != "README.md":
            assert f"(docs/{page.name})" in PAGES[0].read_text(), page.name
            assert f"({page.name})" in (ROOT / "docs" / "README.md").read_text(), page.name
