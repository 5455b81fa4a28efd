"""OpenCode's calls, decided by the plugin that `jp-tui hook install opencode` writes (intake.md N21-N25): the real
program, a scripted model.

JP_TUI_OPENCODE names the program, else the test skips.
"""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tests.headless import opencode
from tests.headless.running import LIMIT, ROOT, jp
from tests.headless.test_mcp_serve import open_ones

pytestmark = [pytest.mark.skipif(not opencode.PROGRAM, reason=opencode.MISSING), pytest.mark.slow]


async def test_n21_its_plugin_decides(tmp_path: Path) -> None:
    """What no rule names runs, a rule denies, a person says no with a reason, and a killed hook denies."""
    home, folder = tmp_path / "jp", tmp_path / "work"
    folder.mkdir()
    words = ["--tool", "opencode.bash", "--everywhere"]
    denied = ["--exact", "touch deny", "--reason", "I do that myself"]
    assert jp(home, "rules", "add", "deny", *words, *denied).returncode == 0
    for asked in ("no", "killed"):
        assert jp(home, "rules", "add", "ask", *words, "--exact", f"touch {asked}").returncode == 0
    made = jp(home, "hook", "install", "opencode", "--project", "--workspace", str(folder))
    assert made.returncode == 0, made.stderr
    calls = [("bash", {"command": f"touch {name}", "description": name}) for name in ("open", "deny", "no", "killed")]
    with opencode.ScriptedOpenAI(calls).serving() as script:
        script.more = {"JP_TUI_HOME": str(home), "PYTHONPATH": str(ROOT)}
        child = opencode.start(script, folder)  # type: ignore[arg-type]
        try:
            ((row, request),) = await open_ones(home / "data" / "conversations.db")
            assert request.question["text"] == "Allow bash: touch no?"
            name = f"{row.conversation}/{request.id}"
            given = await asyncio.to_thread(jp, home, "answer", name, "no", "--reason", "use git instead")
            assert given.returncode == 0, given.stderr
            await open_ones(home / "data" / "conversations.db", 0)
            ((_, request),) = await open_ones(home / "data" / "conversations.db")
            os.kill(int(request.metadata["waiter"]["pid"]), signal.SIGKILL)  # type: ignore[index,call-overload,arg-type]
            out, err = await asyncio.to_thread(child.communicate, timeout=LIMIT)
        finally:
            child.kill()
        assert child.returncode == 0, err
        made_files = sorted(one.name for one in folder.iterdir() if one.name[0] != ".")
        assert made_files == ["open"], out + err
        assert "I do that myself" in script.results["call_1"]
        assert "use git instead" in script.results["call_2"]
        assert "isn't allowed" in script.results["call_3"]
        assert all(one.endswith(":443") for one in script.elsewhere), "it looks for updates, and is refused"
    assert "No open questions." in jp(home, "inquiries", "--pending").stdout
