"""Runs commands of jp-tui from a warm process, each in a fork with a limit: many in the time of one start.

`python -m tests.faults.log_runs` reads a JSON object a line ({"home", "words", "limit"}), runs the words there, and
answers with {"code", "out", "err", "seconds"}; a command over its limit is killed and has no code.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one command; `code` is None where it had to be killed."""

    code: int | None
    out: str
    err: str
    seconds: float


class Runs:
    """The warm process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, home: Path, *words: str, limit: float = 20.0) -> Ran:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"home": str(home), "words": words, "limit": limit}) + "\n")
        self._process.stdin.flush()
        return Ran(**json.loads(self._process.stdout.readline()))


@contextmanager
def warm() -> Iterator[Runs]:
    """One of these, ended at the end."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    env = {**kept, "OLLAMA_HOST": "127.0.0.1:9", "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "tests.faults.log_runs"]
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Runs(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def _serve() -> None:

    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(_ran(asked["home"], asked["words"], asked["limit"])), flush=True)


def _ran(home: str, words: list[str], limit: float) -> dict[str, Any]:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.monotonic()
        pid = os.fork()
        if pid == 0:
            _child(home, words, out.fileno(), err.fileno())
        code = _waited(pid, begun + limit)
        seconds = time.monotonic() - begun
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "surrogateescape"))
    return {"code": code, "out": texts[0], "err": texts[1], "seconds": seconds}


def _child(home: str, words: list[str], out: int, err: int) -> None:
    code = 70
    try:
        os.setsid()
        os.environ["JP_TUI_HOME"] = os.environ["HOME"] = home
        os.chdir(home)
        for number, name in ((os.open(os.devnull, os.O_RDONLY), 0), (out, 1), (err, 2)):
            os.dup2(number, name)
        from jp_tui.main import main

        try:
            code = main(words)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        except BaseException:
            import traceback

            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _waited(pid: int, until: float) -> int | None:
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.003)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


if __name__ == "__main__":
    _serve()
