"""Edit a text in the user's editor: a private file, the editor on the terminal, the text back (asking.md Ctrl+G).

The caller has released the terminal; this call blocks until the editor ends. The file has mode 0600 in its own folder
and is deleted afterwards. A failing editor or unreadable text raises OSError.
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
"""Maximum bytes of an edited text. Larger than any sensible message or file."""


def command(environment: Mapping[str, str]) -> list[str]:
    """Return $VISUAL, else $EDITOR, else an installed editor. Raises OSError if there is none."""
    for name in ("VISUAL", "EDITOR"):
        if environment.get(name, "").strip():
            try:
                return shlex.split(environment[name])
            except ValueError as error:
                raise OSError(f"${name} isn't a valid command: {error}") from error
    for name in ("nano", "vi"):
        if shutil.which(name, path=environment.get("PATH")):
            return [name]
    raise OSError("no editor found. Set $EDITOR")


def opened(path: str, environment: Mapping[str, str] | None = None) -> None:
    """Open the editor on an existing file. Raises OSError if there is no editor or it failed."""
    environment = os.environ if environment is None else environment
    words = command(environment)
    ended = subprocess.run([*words, os.path.abspath(path)], env=dict(environment), check=False)
    if ended.returncode != 0:
        raise OSError(f"{words[0]} ended with status {ended.returncode}")


def edited(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the edited text, without a newline that the editor added at the end."""
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
