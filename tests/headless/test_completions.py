"""Completions (issue 8 "Help"): read by the real shell where there is one, complete, and never run a file's text."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from jp_tui.settings.cli.commands import COMMANDS, ENTRIES
from jp_tui.settings.cli.completions import SHELLS, Values, lines, script
from tests.headless.running import jp
from tests.limits import LIMIT

BASH = shutil.which("bash") or ""
VALUES = Values.of(
    themes=["jp-night", "jp-day", "$(touch ran)", "`touch ran`", "a b", "x;touch ran", "'", "-e"],
    models=["openai/gpt-5.1", "mine/llama3:8b"],
    tools=["fs_read_file"],
    keys=["ui.theme", "notify.bell"],
    providers=["openai"],
    shells=SHELLS,
)


def offered(tmp_path: Path, typed: str) -> list[str]:
    """What bash offers behind these words; the last one is being written."""
    file = tmp_path / "completions.bash"
    file.write_text(script("bash", VALUES))
    words = typed.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    asks = (
        f"source {file}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _jp_tui; "
        "printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    ran = subprocess.run([BASH, "--norc", "-uc", asks], capture_output=True, text=True, cwd=tmp_path, timeout=LIMIT)
    assert ran.returncode == 0 and not ran.stderr, ran.stderr
    return ran.stdout.split()


@pytest.mark.skipif(not BASH, reason="there is no bash here")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("jp-tui mo", ["models"]),
        ("jp-tui config s", ["show", "set"]),
        ("jp-tui config set ui.", ["ui.theme"]),
        ("jp-tui --theme jp-", ["jp-night", "jp-day"]),
        ("jp-tui --theme jp-day quer", ["query"]),
        ("jp-tui query --model open", ["openai/gpt-5.1"]),
        ("jp-tui query --js", ["--json"]),
        ("jp-tui -t fs_", ["fs_read_file"]),
        ("jp-tui -t --the", ["--theme"]),
        ("jp-tui completions z", ["zsh"]),
        ("jp-tui models --json op", ["openai"]),
        ("jp-tui doctor --j", ["--json"]),
        ("jp-tui config trust --r", ["--revoke"]),
        ("jp-tui nothing --x", []),
    ],
)
def test_bash_offers(tmp_path: Path, typed: str, expected: list[str]) -> None:
    assert offered(tmp_path, typed) == expected


@pytest.mark.skipif(not BASH, reason="there is no bash here")
def test_text_of_files_is_never_run(tmp_path: Path) -> None:
    """T2: what a theme's file is called is no command, whatever it is called."""
    assert offered(tmp_path, "jp-tui --theme ") == ["jp-night", "jp-day"]
    assert not (tmp_path / "ran").exists()
    for shell in SHELLS:
        assert "touch" not in script(shell, VALUES)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_can_read_theirs(tmp_path: Path, shell: str) -> None:
    if not (program := shutil.which(shell)):
        pytest.skip(f"there is no {shell} here")
    file = tmp_path / shell
    file.write_text(script(shell, VALUES))  # type: ignore[arg-type]
    ran = subprocess.run([program, "-n", str(file)], capture_output=True, text=True, timeout=LIMIT)
    assert ran.returncode == 0 and not ran.stderr, ran.stderr


def test_every_command_and_option_is_offered_in_every_shell() -> None:
    made = lines()
    assert {line.command for line in made} == {"", "query", *ENTRIES}
    for shell in SHELLS:
        text = script(shell, VALUES)
        for first in COMMANDS:
            assert first in text
        for line in made:
            for flag in line.flags:
                for name in flag.names:
                    fish = f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                    assert (fish if shell == "fish" else name) in text, (shell, line.command, name)


def test_the_command(tmp_path: Path) -> None:
    """From our data and the user's files; one that is broken takes nothing away."""
    (tmp_path / "config" / "themes").mkdir(parents=True)
    (tmp_path / "config" / "themes" / "mine.toml").write_text("x")
    (tmp_path / "config" / "config.toml").write_text('[providers.llm.aliases]\nfast = "openai/gpt-5-mini"\n')
    ran = jp(tmp_path, "completions", "bash")
    assert ran.returncode == 0 and not ran.stderr
    for word in ("jp-night", "mine", "fast", "anthropic/claude-sonnet-4-5", "fs_read_file", "notify.bell", "demo/tour"):
        assert f" {word}" in ran.stdout or f'"{word}' in ran.stdout, word
    (tmp_path / "config" / "config.toml").write_text("[broken")
    assert "jp-night" in jp(tmp_path, "completions", "fish").stdout
    unknown = jp(tmp_path, "completions", "basch")
    assert unknown.returncode == 2 and "bash" in unknown.stderr and not unknown.stdout
