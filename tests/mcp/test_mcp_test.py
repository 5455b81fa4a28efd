"""`jp-tui mcp test`, as a program (mcp.md P11)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra mcp isn't installed")

from tests.headless.running import jp

RAW = Path(__file__).with_name("raw_server.py")


def home(folder: Path, *words: str, more: str = "") -> Path:
    """A home with the server `raw`."""
    (folder / "config").mkdir()
    args = json.dumps([str(RAW), *words])
    table = f'[providers.mcp.raw]\ncommand = "{sys.executable}"\nargs = {args}\nprotocol = "2025-11-25"\n{more}'
    (folder / "config" / "config.toml").write_text(table)
    return folder


def test_it_lists_and_calls(tmp_path: Path) -> None:
    """The calls in their order; an error of a tool is a result. The conversation isn't kept."""
    there = home(tmp_path)
    words = ("--call", "echo", '{"text": "hi"}', "--call", "echo", '{"text": "error"}', "--json")
    ran = jp(there, "mcp", "test", "raw", *words)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["ok"] and found["protocol"] == "2025-11-25" and found["server"] == {"name": "raw", "version": "1"}
    (tool,) = found["tools"]
    assert (tool["name"], tool["wire"], tool["state"]) == ("echo", "mcp__raw__echo", "pinned")
    assert tool["input_schema"] == {"type": "object"} and tool["fingerprint"].startswith("sha256:")
    assert [(one["tool"], one["is_error"], one["content"]) for one in found["calls"]] == [
        ("echo", False, "hi"),
        ("echo", True, "raw answered with an error: out of order."),
    ]
    listed = json.loads(jp(there, "mcp", "list", "--json").stdout)
    assert (listed["state"], listed["tools"]) == ("ok", 1)
    assert jp(there, "conversations", "list", "--json").stdout == ""


def test_a_server_that_fails_is_status_1(tmp_path: Path) -> None:
    there = home(tmp_path, "ends")
    ran = jp(there, "mcp", "test", "raw", "--json")
    found = json.loads(ran.stdout)
    assert (ran.returncode, found["ok"]) == (1, False)
    assert found["error"].startswith("raw ended with status 4 before it was ready") and found["log"]


def test_an_unset_variable_fails_that_server_alone(tmp_path: Path) -> None:
    """P2."""
    there = home(tmp_path, more='env_from = { TOKEN = "NO_SUCH_VARIABLE" }\n')
    ran = jp(there, "mcp", "test", "raw")
    assert ran.returncode == 1 and "raw needs the variable NO_SUCH_VARIABLE, which isn't set" in ran.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("other",), "no MCP server other"),
        (("raw",), "raw is off"),
        (("raw", "--call", "a", "b", "c"), "--call takes"),
        (("raw", "--call", "a", "[1]"), "--call a:"),
    ],
)
def test_what_is_not_possible_is_status_2(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    there = home(tmp_path, more="enabled = false\n" if words == ("raw",) else "")
    ran = jp(there, "mcp", "test", *words)
    assert ran.returncode == 2 and says in ran.stderr
