"""The system's clipboard by its programs (issue 8, line 4): which one, and that it is really given the text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jp_tui.system.clipboard import hand_over, program


def put(folder: Path, name: str, body: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)


@pytest.mark.parametrize(
    ("has", "environment", "platform", "found"),
    [
        (("wl-copy", "xclip"), {"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", "wl-copy"),
        (("xclip", "xsel"), {"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", "xclip"),
        (("xsel",), {"DISPLAY": ":0"}, "linux", "xsel"),
        (("wl-copy", "xclip"), {}, "linux", ""),
        (("pbcopy",), {}, "darwin", "pbcopy"),
        (("clip.exe",), {"WSL_DISTRO_NAME": "d"}, "linux", "clip.exe"),
    ],
)
def test_the_one_that_can_work_here(
    tmp_path: Path, has: tuple[str, ...], environment: dict[str, str], platform: str, found: str
) -> None:
    for name in has:
        put(tmp_path, name, "cat > /dev/null")
    argv = program({"PATH": str(tmp_path), **environment}, platform)
    assert [os.path.basename(one) for one in argv[:1]] == ([found] if found else [])


def test_a_program_of_the_folder_one_works_in_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T10: only absolute folders of PATH count."""
    put(tmp_path, "xclip", "true")
    monkeypatch.chdir(tmp_path)
    assert program({"PATH": ".:", "DISPLAY": ":0"}, "linux") == () or not program(
        {"PATH": ".:", "DISPLAY": ":0"}, "linux"
    )[0].startswith(str(tmp_path))


async def test_it_gets_the_text_and_what_goes_wrong_is_said(tmp_path: Path) -> None:
    put(tmp_path, "takes", f'cat > "{tmp_path}/got"; echo noise; echo "$DISPLAY" > "{tmp_path}/where"')
    put(tmp_path, "fails", "exit 3")
    environment = {"PATH": os.environ["PATH"], "DISPLAY": ":7", "SECRET_TOKEN": "s"}
    text = "größer\n" + "x" * 200_000
    assert await hand_over((str(tmp_path / "takes"),), text, environment) == ""
    assert (tmp_path / "got").read_text() == text and (tmp_path / "where").read_text() == ":7\n"
    assert await hand_over((str(tmp_path / "fails"),), "x", environment) == "fails ended with status 3"
    assert "No such file" in await hand_over((str(tmp_path / "nothing"),), "x", environment)
