"""The user's own editor over a text: a private file, the editor on the terminal, the text back (asking.md Ctrl+G).

The caller has let go of the terminal; this waits for the editor. The file is 0600 in a folder of its own and gone
afterwards. Refuses to guess: an editor that fails or leaves no readable text is an OSError that says so.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

LARGEST = 8 * 1024 * 1024
"""Bytes of a text that are taken back."""


def command(environment: Mapping[str, str]) -> list[str]:
    """$VISUAL, else $EDITOR, else one that is there; OSError when there is none."""
    for name in ("VISUAL", "EDITOR"):
        if environment.get(name, "").strip():
            try:
                return shlex.split(environment[name])
            except ValueError as error:
                raise OSError(f"${name} cannot be read as a command: {error}") from error
    for name in ("nano", "vi"):
        if shutil.which(name, path=environment.get("PATH")):
            return [name]
    raise OSError("no editor found: set $EDITOR")


def opened(path: str, environment: Mapping[str, str] | None = None) -> None:
    """The editor over a file that is there; OSError when there is none, or when it failed."""
    environment = os.environ if environment is None else environment
    words = command(environment)
    ended = subprocess.run([*words, os.path.abspath(path)], env=dict(environment), check=False)
    if ended.returncode != 0:
        raise OSError(f"{words[0]} ended with status {ended.returncode}")


def edited(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text as the editor left it; a newline that the editor put at the end is taken away again."""
    environment = os.environ if environment is None else environment
    words = command(environment)
    with tempfile.TemporaryDirectory(prefix="jp-tui-") as folder:  # made 0700
        path = Path(folder) / "answer.md"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        ended = subprocess.run([*words, str(path)], env=dict(environment), check=False)
        if ended.returncode != 0:
            raise OSError(f"{words[0]} ended with status {ended.returncode}")
        raw = path.read_bytes() if path.stat().st_size <= LARGEST else None
    if raw is None:
        raise OSError(f"the text is larger than {LARGEST // 1024 // 1024} MiB")
    try:
        found = raw.decode()
    except UnicodeDecodeError as error:
        raise OSError("the text is not UTF-8") from error
    return found[:-1] if found.endswith("\n") and not text.endswith("\n") else found
