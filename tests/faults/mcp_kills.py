"""Kills of the program, the host process and a server at a random moment of a turn in which the server asks.

Five seconds later nothing that was started runs, unless the program lives; every event that was shown is in the log;
a question that waits can be answered, and the turn ends with its call's one response.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from tests.headless.rpc_peer import Rpc, prompted
from tests.headless.running import jp, lines, log

VICTIMS = ("program", "host", "server")
SERVER = Path(__file__).parents[1] / "mcp" / "asking_server.py"
GONE = 5.0
LONGEST = 2.5
"""Seconds within which something is killed; what asks has asked by then, on an idle machine."""
SCRIPT = """
fallback = "Done."
[[turns]]
text = "I call it."
calls = [{ name = "mcp.asking.meet", arguments = {} }]
"""


def killed(victim: str, seed: int, folder: Path) -> list[str]:
    """Return what was wrong."""
    chance = random.Random(f"{victim}-{seed}")
    mark = f"MARK={folder}"
    (folder / "config").mkdir()
    (folder / "config" / "config.toml").write_text(
        f'[providers.mcp.asking]\ncommand = "{sys.executable}"\nargs = ["{SERVER}"]\n'
        f'protocol = "{chance.choice(("2025-11-25", "2026-07-28"))}"\nenv = {{ MARK = "{folder}" }}\n'
        '[conversation.tools."mcp.asking.*"]\nrun = "unattended"\n'
    )
    script = folder / "script.toml"
    script.write_text(SCRIPT)
    running = Rpc(folder, "--model", f"demo/{script}")
    wrong: list[str] = []
    answered = False
    try:
        session = running.session()
        turn = prompted(running, session)
        time.sleep(chance.random() * LONGEST)
        _kill(victim, running.process.pid, mark)
        if victim == "program":
            with contextlib.suppress(EOFError):
                while True:
                    running.next()
        else:
            _answered(running, turn)
    finally:
        with contextlib.suppress(ProcessLookupError):
            running.process.kill()
        running.process.wait()
    if left := _left(mark):
        wrong.append(f"left running: {left}")
    shown = [_known(one) for one in running.events()]
    if victim == "program":
        answered = _resumed(folder, session, str(script))
    kept = log(folder, session)
    known = [_known(one) for one in kept]
    wrong += [f"shown and not kept: {one}" for one in shown if one not in known]
    results = [one for one in kept if one["type"] == "tool_call_response"]
    calls = [one for one in kept if one["type"] == "tool_call_request"]
    if len(results) > len(calls) or (len(results) < len(calls) and (answered or victim != "program")):
        wrong.append(f"{len(calls)} calls, {len(results)} responses")
    for one in results:
        if not (one["content"] == "Hello Ann" or (one["is_error"] and not answered)):
            wrong.append(f"the result is {one['content']!r}")
    return wrong


def _known(event: dict[str, Any]) -> tuple[Any, ...]:
    return event["type"], event.get("id"), str(event.get("content")), event.get("outcome")


def _kill(victim: str, program: int, mark: str) -> None:
    """Kill it, as soon as it is there."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        match victim:
            case "program":
                found = [program]
            case "server":
                found = _marked(mark)
            case _:
                found = [pid for pid in _below(program) if "mcp_host" in _words(pid)][:1]
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if found:
            return
        time.sleep(0.02)


def _answered(running: Rpc, turn: int) -> None:
    """Answer what is asked until the turn ends: a server that died ends its call, or is asked once more."""
    while True:
        for asked in running.asks[:]:
            running.asks.remove(asked)
            running.answer(asked, value={"name": "Ann"})
        if any(isinstance(one, dict) and one.get("id") == turn and "method" not in one for one in running.heard):
            return
        running.next()


def _resumed(folder: Path, session: str, script: str) -> bool:
    """Answer the question that waits, and let the turn go on to its end. Return False if none waits."""
    waits = lines(jp(folder, "inquiries", "--pending", "--json").stdout)
    for one in waits:
        given = jp(folder, "answer", f"{session}/{one['id']}", '{"name": "Ann"}')
        assert given.returncode == 0, given.stderr
    if waits:
        ran = jp(folder, "query", "--non-interactive", "--model", f"demo/{script}", "-r", session)
        assert ran.returncode == 0, ran.stderr
    return bool(waits)


def _marked(mark: str) -> list[int]:
    """The processes that have this in their environment."""
    found = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and mark.encode() in Path(f"/proc/{name}/environ").read_bytes():
                state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
                found += [int(name)] if state not in "ZX" else []
    return found


def _left(mark: str) -> list[str]:
    """What is still there after 5 s."""
    end = time.monotonic() + GONE
    while (found := _marked(mark)) and time.monotonic() < end:
        time.sleep(0.02)
    return [_words(pid) for pid in found]


def _words(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def _below(root: int) -> list[int]:
    """All descendants."""
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                parents.setdefault(int(fields[1]), []).append(int(name))
    found = list(parents.get(root, ()))
    for pid in found:
        found += parents.get(pid, ())
    return found
