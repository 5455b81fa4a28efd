"""The examples of docs/scripts.md, run as they are written: a Makefile, a git hook, a cron line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.headless.running import LIMIT, ROOT, environment

PAGE = (ROOT / "docs" / "scripts.md").read_text()


def example(title: str) -> str:
    """The first block of code below a heading."""
    found = re.search(rf"^## {re.escape(title)}$.*?^```\w*\n(.*?)^```$", PAGE, re.M | re.S)
    assert found is not None
    return found[1]


class Place:
    """A folder with `jp-tui` on the path, and settings that answer."""

    def __init__(self, folder: Path, answer: str) -> None:
        self.folder = folder / "srv"
        programs = folder / "bin"
        for one in (self.folder, programs, folder / "home" / "config"):
            one.mkdir(parents=True)
        settings = f"[conversation.tools.'outside.*'.questions.answer]\nanswer = {answer}\n"
        (folder / "home" / "config" / "config.toml").write_text(settings)
        program = programs / "jp-tui"
        program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m jp_tui "$@"\n')
        program.chmod(0o755)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        names = {
            f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        more = {"HOME": str(folder), "PATH": path, "GIT_CONFIG_NOSYSTEM": "1", **names}
        self.env = {**environment(folder / "home"), **more}

    def script(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
        return file

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=LIMIT, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
@pytest.mark.parametrize("answer", ["true", "false"])
def test_n12_the_makefile_deploys_after_a_yes_alone(tmp_path: Path, answer: str) -> None:
    place = Place(tmp_path, answer)
    place.script("Makefile", example("In a Makefile") + "\nbuild:\n\t@true\n")
    place.script("deploy.sh", "#!/bin/sh\ntouch deployed\n")
    place.script("CHANGELOG.md", "4.2: faster\n")
    done = place.run("make", "deploy", "VERSION=4.2")
    assert (done.returncode == 0) is (place.folder / "deployed").exists() is (answer == "true"), done.stderr


@pytest.mark.parametrize("answer", ["true", "false"])
def test_n12_the_git_hook_pushes_after_a_yes_alone(tmp_path: Path, answer: str) -> None:
    place = Place(tmp_path, answer)
    for words in (
        "init -q --bare -b main ../there.git", "init -q -b main .", "remote add origin ../there.git",
        "commit -q --allow-empty -m one", "push -q -u origin main", "commit -q --allow-empty -m two",
    ):  # fmt: skip
        made = place.run("git", *words.split())
        assert made.returncode == 0, made.stderr
    place.script(".git/hooks/pre-push", example("In a git hook"))
    done = place.run("git", "push", "-q")
    there = place.run("git", "--git-dir=../there.git", "log", "--format=%s").stdout.split()
    assert (done.returncode == 0) is (there == ["two", "one"]) is (answer == "true"), done.stderr


@pytest.mark.parametrize("answer", ["true", "false"])
def test_n12_the_cron_line_rotates_after_a_yes_alone(tmp_path: Path, answer: str) -> None:
    place = Place(tmp_path, answer)
    place.script("rotate", '#!/bin/sh\ntouch "$HOME/rotated"\n')
    line = example("From cron").strip()
    assert re.match(r"([\d*]+ +){5}jp-tui ", line)
    place.run("sh", "-c", line.split(None, 5)[5])
    assert (tmp_path / "rotated").exists() is (answer == "true")
