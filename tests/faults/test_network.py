"""Whom the program talks to unasked: local servers when nothing is configured, else nobody (`--only network`)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.network import CASES, OLLAMA, RECORDER, ROOT, Case, talked
from tests.headless.running import environment
from tests.limits import LIMIT

pytestmark = pytest.mark.pty
LIBRARIES = "ssl|httpx|httpcore|http|smtplib|ftplib|telnetlib|xmlrpc|imaplib|poplib|urllib3?\\.request|requests"
CALLS = (
    r"\b(?:open|create)_connection\((?!sock=[\w.]+\))|"
    r"\bsocket\.(?:socket\((?!fileno=)|(?:create_\w+|getaddrinfo|gethostby\w+)\()"
)
TALKS = re.compile(rf"^\s*(?:import|from) (?:{LIBRARIES})\b|{CALLS}|^\s*from socket ", re.MULTILINE)
"""What talks to others; a socket that is there already or shared with a child, and this machine's name, do not."""


@pytest.mark.parametrize("case", CASES[:5], ids=lambda case: case.name)
def test_nobody_is_talked_to_unasked(case: Case, tmp_path: Path) -> None:
    found = set(talked(case, tmp_path))
    assert found <= case.may
    assert not case.may or OLLAMA in found, "what it may do is heard, too"


def test_the_recorder_hears_connections_and_names(tmp_path: Path) -> None:
    script = (
        "import socket\n"
        "goes, asks = lambda: socket.create_connection(('127.0.0.1', 9)), lambda: socket.getaddrinfo('localhost', 80)\n"
        "for act in (goes, asks):\n"
        "    try: act()\n"
        "    except OSError: pass\n"
    )
    log = tmp_path / "log"
    given = environment(tmp_path, PYTHONPATH=str(RECORDER), CONNECTIONS_LOG=str(log))
    subprocess.run([sys.executable, "-c", script], env=given, check=True, timeout=LIMIT)
    assert "127.0.0.1" in log.read_text() and "localhost" in log.read_text()


def test_only_the_driver_can_talk_to_anybody() -> None:
    """No other file knows addresses, TLS or HTTP, but for the loop that looks names up for it, a socket in a folder of
    the user's, systemd's, on which a worker says that it is ready, and the process that talks to MCP servers."""
    files = sorted((ROOT / "jp_tui").rglob("*.py"))
    found = {file.relative_to(ROOT).as_posix() for file in files if TALKS.search(file.read_text(encoding="utf-8"))}
    driver = {"jp_tui/providers/http.py", "jp_tui/providers/connection.py"}
    assert (
        driver
        <= found
        <= {
            *driver,
            "jp_tui/link/local.py",
            "jp_tui/system/secret_socket.py",
            "jp_tui/headless/serve.py",
            "jp_tui/mcp_host/http.py",
        }
    )
