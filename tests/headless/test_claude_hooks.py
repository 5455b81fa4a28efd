"""Claude Code's calls, decided by the hooks that `jp-tui hook install` writes (intake.md N20-N25): the real program, a
scripted model.

JP_TUI_CLAUDE names the program, else the test skips.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from jp_tui.engine.record.inquiries import asker_of, claimed_in
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from tests.engine.conftest import Bench
from tests.headless import claude_code
from tests.headless.running import LIMIT, ROOT, jp
from tests.headless.test_claude_code import touch
from tests.headless.test_mcp_serve import open_ones

pytestmark = [pytest.mark.skipif(not claude_code.PROGRAM, reason=claude_code.MISSING), pytest.mark.slow]


def installed(home: Path, folder: Path, bin_: Path) -> dict[str, Any]:
    """Install with the program on the path; its version is looked at."""
    bin_.mkdir()
    (bin_ / "claude").symlink_to(shutil.which(claude_code.PROGRAM) or claude_code.PROGRAM)
    more = {"HOME": str(folder.parent / "home"), "PATH": f"{bin_}:{os.environ['PATH']}"}
    made = jp(home, "hook", "install", "claude", "--project", "--workspace", str(folder), **more)
    assert made.returncode == 0, made.stderr
    found: dict[str, Any] = json.loads((folder / ".claude/settings.local.json").read_text())
    return found


def edited(home: Path, conversation: str, inquiry: str) -> None:
    """Say yes to the call with other arguments, as the sheet does."""
    bench = Bench(home / "data")
    bench.run()
    bench.send(
        c.OfferAnswer(conversation=conversation, inquiry=inquiry, value="yes", arguments={"command": "touch changed"})
    )
    assert bench.until(e.OfferSettled).status == "accepted"
    bench.stop()


async def test_n23_its_hooks_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that allow and deny, a yes, a no with a reason, a yes to another command, and a hook
    that is killed while it waits."""
    home, folder = tmp_path / "jp", tmp_path / "work"
    folder.mkdir()
    for effect, *more in (("allow",), ("deny", "--reason", "I do that myself")):
        words = ["--tool", "claude-code.Bash", "--exact", f"touch {effect}", "--everywhere", *more]
        assert jp(home, "rules", "add", effect, *words).returncode == 0
    hooks = installed(home, folder, tmp_path / "bin")["hooks"]
    assert hooks["PreToolUse"][0]["hooks"][0]["onFailure"] == "block"
    monkeypatch.setenv("JP_TUI_HOME", str(home))
    names = ["allow", "deny", "yes", "no", "edited", "killed"]
    with claude_code.ScriptedAnthropic([touch(name) for name in names]).serving() as script:
        script.more = {"JP_TUI_HOME": str(home), "PYTHONPATH": str(ROOT)}
        child = claude_code.start(script, folder)
        try:
            for value, more in (("yes", []), ("no", ["--reason", "use git instead"])):
                ((row, request),) = await open_ones(home / "data" / "conversations.db")
                asker = asker_of(request)
                assert asker is not None and asker.pid == child.pid
                assert claimed_in(request).program == "Claude Code"
                assert request.question["text"] == f"Allow Bash: touch {value}?"
                given = await asyncio.to_thread(jp, home, "answer", f"{row.conversation}/{request.id}", value, *more)
                assert given.returncode == 0, given.stderr
                await open_ones(home / "data" / "conversations.db", 0)
            ((row, request),) = await open_ones(home / "data" / "conversations.db")
            assert request.question["text"] == "Allow Bash: touch edited?"
            await asyncio.to_thread(edited, home, row.conversation, request.id)
            await open_ones(home / "data" / "conversations.db", 0)
            ((_, request),) = await open_ones(home / "data" / "conversations.db")
            assert request.question["text"] == "Allow Bash: touch killed?"
            os.kill(int(request.metadata["waiter"]["pid"]), signal.SIGKILL)  # type: ignore[index,call-overload,arg-type]
            out, err = await asyncio.to_thread(child.communicate, timeout=LIMIT)
        finally:
            child.kill()
        assert child.returncode == 0, err
        assert sorted(one.name for one in folder.iterdir() if one.name[0] != ".") == ["allow", "changed", "yes"]
        assert "I do that myself" in script.results["toolu_1"]
        assert "use git instead" in script.results["toolu_3"]
        assert "onFailure" in script.results["toolu_5"] and json.loads(out)["result"] == "done"
        assert script.elsewhere == []
    assert "No open questions." in jp(home, "inquiries", "--pending").stdout
