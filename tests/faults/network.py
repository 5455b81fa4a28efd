"""Part `network` of `python -m tests.faults`: whom jp-tui talks to before anybody sent a message. No telemetry, no look
for updates: with nothing configured it looks for local servers, else for nobody.

Heard by an audit hook in every Python of the program (`recorder/`), and in the whole, where there is strace, by the
kernel's own calls in all of its processes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.report import Found
from tests.faults.terminal import Terminal
from tests.headless.running import environment
from tests.limits import LIMIT

ROOT = Path(__file__).resolve().parents[2]
RECORDER = Path(__file__).with_name("recorder")
OLLAMA, LLAMACPP = "127.0.0.1:9", "127.0.0.1:8080"
"""Where local servers are looked for; nothing listens at the first, which OLLAMA_HOST names here."""
LOCAL = frozenset((OLLAMA, LLAMACPP))
PROMPT = "say hello"


@dataclass(frozen=True)
class Case:
    """A start of the program: its words, whom it may talk to, and for a screen what shows that it has started."""

    name: str
    words: tuple[str, ...] = ()
    may: frozenset[str] = frozenset()
    ready: str = ""
    variables: dict[str, str] = field(default_factory=dict)


CASES = (
    Case("the workspace, nothing configured", may=LOCAL, ready="two sub-agents ask"),
    Case("the workspace with a key", ready="claude", variables={"ANTHROPIC_API_KEY": "k" * 20}),
    Case("a query of a scripted model", ("query", "--model", "demo/tour", PROMPT)),
    Case("--version", ("--version",)),
    Case("doctor, nothing configured", ("doctor",), LOCAL),
    Case("the workspace with a scripted model", ("--model", "demo/tour"), ready="two sub-agents ask"),
    Case("conversations list", ("conversations", "list")),
    Case("config check", ("config", "check")),
    Case("tools", ("tools",)),
)
_INET = re.compile(
    r"sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )\"([^\"]*)\""
)


def talked(case: Case, folder: Path, *, seconds: float = 0.0, kernel: bool = False) -> list[str]:
    """Everybody that was talked to or looked up, as HOST:PORT; `seconds` more are waited once it has started."""
    log, trace = folder / "connections", folder / "trace"
    paths = f"{RECORDER}:{ROOT}"
    given = environment(folder / "home", PYTHONPATH=paths, CONNECTIONS_LOG=str(log), HOME=str(folder), **case.variables)
    given |= {"TERM": "xterm-256color", "OLLAMA_HOST": OLLAMA}
    command = [sys.executable, "-m", "jp_tui", *case.words]
    if kernel:
        strace = ("strace", "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", str(trace))
        command = [*strace, *command]
    if case.ready:
        _watched(case, command, given, folder, seconds)
    else:
        subprocess.run(command, env=given, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    heard = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    found = [":".join(about) for _, about in heard]
    if kernel:
        found += [f"{host}:{port}" for port, host in _INET.findall(trace.read_text())]
    return found


def _watched(case: Case, command: list[str], given: dict[str, str], folder: Path, seconds: float) -> None:
    terminal = Terminal(command, env=given, cwd=folder, size=(120, 36))
    try:
        terminal.wait_text(case.ready)
        terminal.wait_quiet()
        for _ in range(int(seconds * 10)):
            terminal.pump(0.1)
    finally:
        terminal.close()


def tried(whole: bool, seed: int) -> list[Found]:
    """Every case; in the whole for two seconds more, and by the kernel's word where there is strace."""
    rows = [_row("nobody is talked to unasked", seconds=2.0 if whole else 0.0)]
    if whole:
        row = Found("nobody is talked to unasked, by strace", 0, not_here="no strace")
        rows.append(_row(row.what, seconds=2.0, kernel=True) if shutil.which("strace") else row)
    return rows


def _row(what: str, *, seconds: float, kernel: bool = False) -> Found:
    row = Found(what, 0)
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            row.runs += 1
            if strange := sorted(set(talked(case, Path(folder), seconds=seconds, kernel=kernel)) - case.may):
                row.failed.append(f"{case.name}: {', '.join(strange)}")
    return row
