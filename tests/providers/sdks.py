"""Where the official SDKs are: a Python that has them, named by JP_TUI_SDKS or in a venv under `build`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WANTED = Path(__file__).with_name("sdks.txt")
VENV = ROOT / "build" / "sdks"


def found() -> Path | None:
    """Return the Python, None where there is none."""
    python = Path(os.environ.get("JP_TUI_SDKS") or VENV / "bin" / "python")
    return python if python.is_file() else None


def make(folder: Path = VENV) -> Path:
    """Install them, unless they are there; takes half a minute. Raises CalledProcessError with pip's last words."""
    if (python := found()) is not None:
        return python
    unfinished = folder.with_name(f"{folder.name}-unfinished")
    subprocess.run([sys.executable, "-m", "venv", "--clear", unfinished], check=True)
    pip = [unfinished / "bin" / "python", "-m", "pip", "install", "-q", "-r", WANTED]
    subprocess.run(pip, check=True, capture_output=True, text=True)
    unfinished.rename(folder)  # no half of it counts; its Python finds its packages wherever it stands
    return folder / "bin" / "python"


if __name__ == "__main__":
    print(make(Path(sys.argv[1]) if len(sys.argv) > 1 else VENV))
