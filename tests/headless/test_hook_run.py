"""`jp-tui hook` as a program runs it (intake.md N20-N24): one decision or none, and nothing left open."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from jp_tui.engine.record.inquiries import waiting
from jp_tui.journal.port import JournalError
from jp_tui.journal.reader import open_reader
from jp_tui.system.agents import presence
from tests.headless.running import LIMIT, ROOT, environment, jp


def payload(event: str = "PermissionRequest", line: str = "make deploy", **more: Any) -> str:
    return json.dumps({
        "session_id": "s1", "cwd": str(ROOT), "hook_event_name": event, "tool_name": "Bash",
        "tool_input": {"command": line}, **more,
    })  # fmt: skip


PROGRAM = """
import subprocess, sys
child = subprocess.Popen(sys.argv[1:])
print(child.pid, file=sys.stderr, flush=True)
sys.exit(child.wait() & 255)
"""
"""A program that runs a hook: the asker, so that these tests are none (N5)."""


class Hook:
    """A hook that another program started; `words` follow its name."""

    def __init__(self, home: Path, word: str, given: str, *words: str) -> None:
        self.home = home
        self.child = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, sys.executable, "-m", "jp_tui", "hook", word, *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment(home), cwd=ROOT,
        )  # fmt: skip
        assert self.child.stdin is not None and self.child.stderr is not None
        self.pid = int(self.child.stderr.readline())
        self.child.stdin.write(given)
        self.child.stdin.close()
        self.child.stdin = None

    def asked(self) -> str:
        """Wait until it is on record; return what `answer` takes."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and self.child.poll() is None:
            with contextlib.suppress(JournalError):
                reader = open_reader(self.home / "data" / "conversations.db")
                try:
                    for row, request in waiting(reader, None):
                        return f"{row.conversation}/{request.id}"
                finally:
                    reader.close()
            time.sleep(0.05)
        raise AssertionError(self.child.communicate())

    def ended(self) -> tuple[int, str, str]:
        out, err = self.child.communicate(timeout=LIMIT)
        return self.child.returncode, out, err


def notice(home: Path, event: str) -> tuple[int, str, str]:
    """Run a hook as this process's own."""
    given = json.dumps({"hook_event_name": event, "session_id": "s1", "model": "m"})
    words = [sys.executable, "-m", "jp_tui", "hook", "claude"]
    done = subprocess.run(words, input=given, capture_output=True, text=True, env=environment(home), cwd=ROOT)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("value", "behavior"), [("yes", "allow"), ("no", "deny")])
def test_n21_a_person_decides_and_the_reason_of_a_no_is_the_models(tmp_path: Path, value: str, behavior: str) -> None:
    hook = Hook(tmp_path, "claude", payload())
    assert jp(tmp_path, "answer", hook.asked(), value, "--reason", "not on a Friday").returncode == 0
    status, out, _ = hook.ended()
    decision = json.loads(out)["hookSpecificOutput"]["decision"]
    assert (status, out.count("\n"), decision["behavior"]) == (0, 1, behavior)
    assert ("not on a Friday" in decision.get("message", "")) == (value == "no")


def test_n20_rules_decide_before_anybody_is_asked(tmp_path: Path) -> None:
    assert jp(tmp_path, "rules", "add", "deny", "--tool", "claude-code.Bash", "--command", "git push", "--everywhere",
              "--reason", "only people push").returncode == 0  # fmt: skip
    denied = json.loads(jp(tmp_path, "hook", "claude", stdin=payload("PreToolUse", "git push")).stdout)
    own = denied["hookSpecificOutput"]
    assert own["permissionDecision"] == "deny" and "only people push" in own["permissionDecisionReason"]
    assert jp(tmp_path, "hook", "claude", stdin=payload("PreToolUse", "git pull")).stdout == "{}\n"


def test_n23_nobody_answers_in_time(tmp_path: Path) -> None:
    done = jp(tmp_path, "hook", "gemini", "--limit", "0.2", stdin=payload("BeforeTool"))
    assert json.loads(done.stdout) == {}, "nothing names it, so nobody is asked"
    (tmp_path / "config").mkdir(exist_ok=True)
    settings = '[conversation.tools."codex.*"]\nrun = "ask"\n[conversation.tools."claude-code.*"]\nrun = "ask"\n'
    path = json.loads(jp(tmp_path, "config", "path", "--json").stdout.splitlines()[0])
    file = Path(str(path.get("path") or path.get("file")))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(settings)
    own = json.loads(jp(tmp_path, "hook", "claude", "--limit", "0.2", stdin=payload("PreToolUse")).stdout)
    assert own["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert "within 0.2 s" in own["hookSpecificOutput"]["permissionDecisionReason"]
    assert jp(tmp_path, "hook", "claude", "--limit", "0.2", stdin=payload()).stdout == "{}\n"
    own = json.loads(jp(tmp_path, "hook", "codex", "--limit", "0.2", stdin=payload("PreToolUse")).stdout)
    assert own["hookSpecificOutput"]["permissionDecision"] == "deny"
    file.write_text(f'{settings}[hooks]\nfallback = "deny"\n')
    own = json.loads(jp(tmp_path, "hook", "claude", "--limit", "0.2", stdin=payload()).stdout)
    assert own["hookSpecificOutput"]["decision"]["behavior"] == "deny"
    assert "No open questions." in jp(tmp_path, "inquiries", "--pending").stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_n23_a_killed_hook_allows_nothing_and_withdraws_its_question(tmp_path: Path, number: signal.Signals) -> None:
    hook = Hook(tmp_path, "claude", payload())
    name = hook.asked()
    os.kill(hook.pid, number)
    status, out, _ = hook.ended()
    assert status != 0 and out == ""
    late = jp(tmp_path, "answer", name, "yes")
    assert late.returncode == 1 and "withdrawn" in late.stderr


def test_n22_a_storage_failure_allows_nothing(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    done = jp(tmp_path, "hook", "claude", "--limit", "5", stdin=payload())
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_n22_broken_settings_allow_nothing(tmp_path: Path) -> None:
    done = jp(tmp_path, "hook", "claude", "--limit", "5", "--cfg", "hooks.fallback=allow", stdin=payload())
    assert (done.returncode, done.stdout) == (2, "")


def test_n5_who_has_a_hook_does_not_answer_for_itself(tmp_path: Path) -> None:
    """Here this process runs the hook itself."""
    notice(tmp_path, "SessionStart")
    for words in (("answer", "x", "yes"), ("hook", "uninstall", "claude"), ("config", "set", "ui.theme", "jp-day")):
        done = jp(tmp_path, *words)
        assert done.returncode == 1 and "does not answer for itself" in done.stderr, words


def test_n24_a_notice_is_kept_and_prints_nothing(tmp_path: Path) -> None:
    """The asker is this process, which is no shell."""
    found = []
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        assert notice(tmp_path, event) == (0, "", "")
        (folder,) = [one for one in tmp_path.rglob("agents") if one.is_dir()] or [tmp_path]
        found.append([(one.program, one.pid, one.doing, one.session) for one in presence.sessions(folder)])
    me = ("claude-code", os.getpid())
    assert found == [[(*me, "idle", "s1")], [(*me, "works", "s1")], [(*me, "idle", "s1")], []]
