"""Issue "Bad input": what cannot start says so in plain words on stderr before any screen opens, and ends with 2."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.limits import LIMIT

ROOT = Path(__file__).resolve().parents[2]


def run(home: Path, *words: str, more: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Status, stdout and stderr of `jp-tui WORDS` in an empty folder without credentials."""
    workspace = home / "ws"
    workspace.mkdir(exist_ok=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "JP_TUI_HOME": str(home), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "jp_tui", *words],
        cwd=workspace,
        env=environment | (more or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--modl", "x"], "unknown option --modl. Did you mean --model?"),
        (["query", "--jsn", "x"], "unknown option --jsn. Did you mean --json?"),
        (["mcp"], "mcp needs "),
        (["conversations", "lst"], "Did you mean list?"),
        (["query", "--cfg", "ui.them=x", "hi"], "--cfg: ui.them: isn't a valid key. Did you mean ui.theme?"),
        (["query", "--model", "antropic/x", "hi"], "no provider antropic. Did you mean anthropic/x?"),
        (["query", "-t", "fs_raed_file", "hi"], "no tool fs_raed_file. Did you mean fs_read_file?"),
        (["query", "--workspace", "missing", "hi"], "missing can't be read: No such file or directory"),
        (["query", "--workspace", "/dev/null", "hi"], "/dev/null can't be read: Not a directory"),
        (["query"], "query needs a prompt"),
        (["--theme", "x\x1b[31m"], "needs a terminal"),
    ],
)
def test_words_that_cannot_be_used(tmp_path: Path, words: Sequence[str], said: str) -> None:
    status, out, err = run(tmp_path, *words)
    assert (status, out) == (2, "")
    assert said in err and err.startswith("jp-tui: ") and "Traceback" not in err
    assert err.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("config/config.toml", b"[ui]\ntheme = \n", ":2:9: Invalid value"),
        ("config/config.toml", b"[ui]\nthem = 'x'\n", ":2:1: ui.them: isn't a valid key. Did you mean ui.theme?"),
        ("config/config.toml", b"x=" + b"[" * 5_000, ":1:51: brackets are nested more than 48 deep"),
        ("config/config.toml", b"#" * 5_000_000, ":1: is larger than 512 KiB, the limit"),
        ("config/config.toml", b"a." * 20_000 + b"a=1", ":1:65: a key has more than 32 parts"),
        ("config/config.toml", b"\xff", ":1:1: isn't valid UTF-8"),
        ("config/config.toml", b"[providers.llm.x]\nwire='anthropic'", ":1:1: providers.llm.x: has no base_url"),
        ("ws/.jp-tui/config.toml", b"[ui\n", ":1:4: Expected ']'"),
    ],
)
def test_a_configuration_that_cannot_be_used(tmp_path: Path, file: str, text: bytes, said: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_bytes(text)
    status, out, err = run(tmp_path, "query", "--model", "demo/tour", "hi")
    assert (status, out) == (2, "")
    assert f"jp-tui: {path}{said}" in err and "Traceback" not in err


def test_an_untrusted_folder_is_named_and_does_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ws" / ".jp-tui" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("assistant.model.id = 'evil/x'\nhooks.start = 'touch /tmp/pwned'\n")
    status, out, err = run(tmp_path, "query", "hi", more={"JP_TUI_ASSISTANT__MODEL__ID": "demo/tour"})
    assert status == 0 and out
    assert (
        err.count("\n") == 1 and "this workspace is not trusted (/trust or `jp-tui config trust` shows what it" in err
    )
    assert err.endswith(": assistant.model.id, hooks.start\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read_says_so(tmp_path: Path) -> None:
    path = tmp_path / "config" / "config.toml"
    path.parent.mkdir()
    path.write_text("")
    path.chmod(0)
    assert "can't be read: Permission denied" in run(tmp_path, "query", "hi")[2]
    path.unlink()
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws").chmod(0o100)
    assert "can't be read: Permission denied" in run(tmp_path, "query", "--workspace", str(tmp_path / "ws"), "hi")[2]
