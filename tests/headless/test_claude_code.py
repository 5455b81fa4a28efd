"""Claude Code's calls, decided by `approve` of `jp-tui mcp serve` (intake.md N30): the real program, a scripted model.

JP_TUI_CLAUDE names the program, else the test skips.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from jp_tui.engine.record.inquiries import asker_of, claimed_in
from jp_tui.system import processes
from tests.headless import claude_code
from tests.headless.running import LIMIT, ROOT, jp
from tests.headless.test_mcp_serve import open_ones

pytestmark = [pytest.mark.skipif(not claude_code.PROGRAM, reason=claude_code.MISSING), pytest.mark.slow]


def touch(name: str) -> tuple[str, dict[str, Any]]:
    return "Bash", {"command": f"touch {name}", "description": "Make a file"}


async def test_n30_rules_and_people_decide_about_its_calls(tmp_path: Path) -> None:
    """One yes, a no with a reason, rules that allow and deny, and at last a server that is killed while it waits."""
    home, folder = tmp_path / "jp", tmp_path / "work"
    folder.mkdir()
    for effect, *more in (("allow",), ("deny", "--reason", "I do that myself")):
        words = ["--tool", "claude-code.Bash", "--exact", f"touch {effect}", "--everywhere", *more]
        made = jp(home, "rules", "add", effect, *words)
        assert made.returncode == 0, made.stderr
    settings = tmp_path / "mcp.json"
    environment = {"JP_TUI_HOME": str(home), "PYTHONPATH": str(ROOT)}
    server = {"command": sys.executable, "args": ["-m", "jp_tui", "mcp", "serve"], "env": environment}
    settings.write_text(json.dumps({"mcpServers": {"jp-tui": server}}))
    names = ["yes", "no", "allow", "deny", "killed"]
    approve = ["--permission-prompt-tool", "mcp__jp-tui__approve"]
    with claude_code.ScriptedAnthropic([touch(name) for name in names]).serving() as script:
        child = claude_code.start(script, folder, "--strict-mcp-config", "--mcp-config", str(settings), *approve)
        try:
            for value, more in (("yes", []), ("no", ["--reason", "use git instead"])):
                ((row, request),) = await open_ones(home / "data" / "conversations.db")
                asker = asker_of(request)
                assert asker is not None and asker.pid == child.pid and asker.folder == str(folder)
                assert claimed_in(request).program.startswith("claude-code ")
                assert request.question["text"] == f"Allow Bash: touch {value}?"
                name = f"{row.conversation}/{request.id}"
                given = await asyncio.to_thread(jp, home, "answer", name, value, *more)
                assert given.returncode == 0, given.stderr
                await open_ones(home / "data" / "conversations.db", 0)
            ((_, request),) = await open_ones(home / "data" / "conversations.db")
            assert request.question["text"] == "Allow Bash: touch killed?"
            (served,) = [one for one in children(child.pid) if "serve" in one.words]
            os.kill(served.pid, signal.SIGKILL)
            out, err = await asyncio.to_thread(child.communicate, timeout=LIMIT)
        finally:
            child.kill()
        assert child.returncode == 0, err
        assert sorted(one.name for one in folder.iterdir()) == ["allow", "yes"]
        assert "use git instead" in script.results["toolu_1"]
        assert "I do that myself" in script.results["toolu_3"]
        assert [one["tool_use_id"] for one in json.loads(out)["permission_denials"]][:2] == ["toolu_1", "toolu_3"]
        assert script.elsewhere == []
    listed = jp(home, "inquiries", "--pending")
    assert "No open questions." in listed.stdout, "what a killed server asked is withdrawn"


def children(pid: int) -> list[processes.ProcessInfo]:
    found = [processes.process(int(name)) for name in os.listdir("/proc") if name.isdigit()]
    return [one for one in found if one is not None and one.parent == pid]
