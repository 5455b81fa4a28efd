"""Agents that are killed, and programs that are killed while they use one (intake.md N42-N44).

One conversation with a call that the rules allow (`true` does nothing), a terminal of ours, and a call that nothing
allows. The agent is killed at each of its messages and at moments by chance; jp-tui likewise, with an agent and with an
editor. Whatever ends first: what the agent was allowed has its yes on record, nothing is left running, and the
conversation opens again.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.faults.report import Found
from tests.headless.asking_tools import YES_NO, answers, configure, question, results
from tests.headless.forked import Forked
from tests.headless.running import LIMIT, ROOT, environment, jp, lines, log

PROGRAM = ROOT / "tests" / "fakes" / "agent.py"
ALLOWED = {"toolCallId": "t1", "kind": "execute", "title": "Run", "rawInput": {"command": "true"}}
OTHER = {"toolCallId": "t2", "kind": "edit", "title": "Edit", "rawInput": {"path": "a.txt"}}
STEPS: list[Any] = [["think", "Hm."], ["say", "I "], ["ask", ALLOWED], ["say", "and"], ["ask", OTHER], ["say", "so."]]
RULE = '[[rule]]\nid = "rule-faults"\neffect = "allow"\ntool = "fake.terminal"\n'
"""A terminal of ours runs meanwhile."""
MESSAGES = 12
"""What the agent sends in a whole turn."""
GONE = 5.0
"""Seconds within which all processes are gone."""
TURN = ("query", "--agent", "fake", "--non-interactive")


def setup(home: Path, **script: Any) -> str:
    """Set up the agent with a child of its own; a number that names the child."""
    (home / "config").mkdir()
    (home / "desk").mkdir()
    mark = str(random.SystemRandom().randrange(10**6, 10**7))
    played = home / "agent.json"
    runs = ["request", "terminal/create", {"command": f"exec sleep {mark}"}]
    steps = [["child", int(mark)], *STEPS[:4], runs, *STEPS[4:]]
    played.write_text(json.dumps({"prompts": [steps], "do": str(home / "done"), **script}))
    command = json.dumps([sys.executable, str(PROGRAM), str(played)])
    (home / "config" / "config.toml").write_text(f"[agents.fake]\ncommand = {command}\n")
    (home / "config" / "rules.toml").write_text(RULE)
    return mark


def begun(home: Path) -> Forked:
    """A turn with the agent, which runs."""
    return Forked([*TURN, "--workspace", str(home / "desk"), "go"], env=environment(home))


@cache
def turn_seconds() -> float:
    """The time of a turn that nobody disturbs, on this machine now: moments by chance are parts of it."""
    return min(_turn() for _ in range(2))  # the first one loads the program


def _turn() -> float:
    with tempfile.TemporaryDirectory(prefix="jp-agents-") as folder:
        setup(Path(folder))
        began = time.monotonic()
        with begun(Path(folder)) as running:
            _, said = running.communicate(b"", LIMIT)
            assert running.wait(LIMIT) == 0, said
        return time.monotonic() - began


def left(*marks: str) -> list[str]:
    """Running processes that name one of these."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            said = (one / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            found += [said for mark in marks if mark in said and ("sleep" in said or "agent.py" in said)]
    return found


def judged(home: Path, mark: str) -> list[str]:
    """What is wrong after the end."""
    wrong: list[str] = []
    end = time.monotonic() + GONE
    while (there := left(mark, str(home))) and time.monotonic() < end:
        time.sleep(0.02)
    wrong += [f"left running: {one}" for one in there]
    done = (home / "done").read_text().split() if (home / "done").exists() else []
    listed = lines(jp(home, "conversations", "list", "--json").stdout)
    for one in listed:
        again = jp(home, "query", "-r", str(one["id"]), "--non-interactive")
        if again.returncode not in (0, 1):
            wrong.append(f"does not open again: {again.returncode} {again.stderr[-200:]}")
    stored = [event for one in listed for event in log(home, str(one["id"]))]
    runs = {one["id"] for one in stored if one["type"] == "tool_call_request" and one["name"] == "fake.execute"}
    said = [one for one in stored if one["type"] == "tool_call_response" and one["id"] in runs]
    yes = [one for one in said if one.get("metadata", {}).get("permission", {}).get("choice") == "run"]
    if "t2" in done or len(done) > len(yes):
        wrong.append(f"allowed {done}, on record {len(yes)}")
    return wrong


def agent_killed(at: float | int) -> list[str]:
    """The agent dies at a message (a whole number) or after so many seconds."""
    with tempfile.TemporaryDirectory(prefix="jp-agents-") as folder:
        home = Path(folder)
        mark = setup(home, **({"dies_at": at} if isinstance(at, int) else {"dies_after": at}))
        with begun(home) as running:
            _, said = running.communicate(b"", LIMIT)
            status = running.wait(LIMIT)
        wrong = [] if status in (0, 1) else [f"ended with {status}: {said.decode()[-200:]}"]
        return [f"at {at}: {one}" for one in (*wrong, *judged(home, mark))]


def we_killed(after: float) -> list[str]:
    """We are killed after so many seconds of a turn with the agent."""
    with tempfile.TemporaryDirectory(prefix="jp-agents-") as folder:
        home = Path(folder)
        mark = setup(home)
        running = begun(home)
        with contextlib.suppress(Exception):
            running.wait(after)
        if running.poll() is None:
            running.send_signal(signal.SIGKILL)
        running.wait(LIMIT)
        return [f"after {after:.3f} s: {one}" for one in judged(home, mark)]


EDITED = 13
"""What jp-tui sends an editor until its second question."""


def editor_killed(at: float | int) -> list[str]:
    """An editor goes away after a message that it gets (a whole number) or after so many seconds of its prompt. It says
    yes to the first of two questions."""
    with tempfile.TemporaryDirectory(prefix="jp-agents-") as folder:
        home = Path(folder)
        model = configure(home, {"a": {"ask": question(YES_NO)}, "b": {"ask": question(YES_NO)}})
        running = Forked(["acp", "--model", model], env=environment(home))
        _edits(running, home, at)
        assert running.stdin is not None and running.stdout is not None
        with contextlib.suppress(OSError):
            running.stdin.close()
        running.stdout.close()
        status = running.wait(LIMIT)
        wrong = [] if status == 0 else [f"ended with {status}"]
        for one in lines(jp(home, "conversations", "list", "--json").stdout):
            stored = log(home, str(one["id"]))
            ran = [each for each in results(stored).values() if each.startswith("got")]
            yes = [each for each in answers(stored).values() if each.get("answer") is True]
            if len(ran) > len(yes):
                wrong.append(f"allowed {ran}, on record {len(yes)}")
            for waits in lines(jp(home, "inquiries", "--pending", "--json").stdout):
                jp(home, "answer", str(waits["id"]), "no")
            again = jp(home, "query", "-r", str(one["id"]), "--model", model, "--non-interactive")
            if again.returncode not in (0, 1):
                wrong.append(f"does not open again: {again.returncode} {again.stderr[-200:]}")
        wrong += [f"left running: {one}" for one in left(str(home))]
        return [f"editor, at {at}: {one}" for one in wrong]


def _edits(running: Forked, home: Path, at: float | int) -> None:
    """Play an editor up to that message or moment; for 5 s at most after the last message."""
    assert running.stdin is not None and running.stdout is not None
    sent = {
        "initialize": {"protocolVersion": 1},
        "session/new": {"cwd": str(home), "mcpServers": []},
        "session/prompt": {"prompt": [{"type": "text", "text": "go"}]},
    }
    end, session, said = float("inf"), "", iter(sent)

    def send(message: dict[str, Any]) -> None:
        assert running.stdin is not None
        running.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        running.stdin.flush()

    count, allowed, rest = 0, False, b""
    send({"id": count, "method": "initialize", "params": sent[next(said)]})
    while not (isinstance(at, int) and count > at) and (left_ := end - time.monotonic()) > 0:
        if not select.select([running.stdout], [], [], min(left_, 5.0))[0]:
            return
        rest += os.read(running.stdout.fileno(), 1 << 16)
        *found, rest = rest.split(b"\n")
        for message in map(json.loads, found):
            count += 1
            if isinstance(at, int) and count > at:
                return
            session = (message.get("result") or {}).get("sessionId", session)
            if "result" in message and (method := next(said, "")):
                if method == "session/prompt" and isinstance(at, float):
                    end = time.monotonic() + at
                send({"id": count, "method": method, "params": {**sent[method], "sessionId": session}})
            elif message.get("method") == "session/request_permission" and not allowed:
                allowed = True
                yes = {"outcome": {"outcome": "selected", "optionId": "yes"}}
                send({"id": message["id"], "result": yes})


def tried(whole: bool, seed: int) -> list[Found]:
    chance = random.Random(seed)
    count = 200 if whole else 3
    moments = [chance.uniform(0, turn_seconds()) for _ in range(count)]
    at: list[float | int] = [*range(MESSAGES if whole else 3), *moments]
    asked: list[float | int] = [*range(EDITED if whole else 3), *(one / 4 for one in moments)]
    return [
        _row("an agent is killed: at each message, and at random moments", agent_killed, at),
        _row("jp-tui is killed with an agent at work: at random moments", we_killed, moments),
        _row("an editor goes away: at each message, and at random moments", editor_killed, asked),
    ]


def _row(name: str, kills: Callable[[Any], list[str]], moments: Sequence[float | int]) -> Found:
    return Found(name, len(moments), [wrong for one in moments for wrong in kills(one)])
