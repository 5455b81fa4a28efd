"""kill -9 between answer, rule and run: never a run without its decision, never a rule without its fact (rules.md AR21,
AR22).

`python -m tests.faults.rule_kills SEED FIRST LAST` plays turns in forked children, each on a copy of one store, kills
them before or after a commit or a write of `rules.toml`, or a moment later, and prints one JSON line a run: what was
wrong. A call leaves a file where it ran.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jp_tui.engine.record.rules.record import PastCall, RuleFact, recorded
from jp_tui.journal.reader import open_reader
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import ChosenRule, Permitted
from jp_tui.rules.facts import Covers
from jp_tui.settings.approval_rules import read_rules
from jp_tui.settings.edit import approval_rules_edit
from jp_tui.tools.registry import builtin
from tests.engine import conftest
from tests.engine.conftest import Bench, tool_setup
from tests.engine.test_exact_leave import OK, OPEN
from tests.engine.test_rules_desk import Files
from tests.fakes.journals import Flaky
from tests.fakes.models import Script, call, end
from tests.faults.report import Found

RULE = '[[rule]]\nid = "touches"\neffect = "{}"\ntool = "shell_run"\ncommand = ["touch"]\n'
SCENES = {
    "answer": (5, 26),
    "turn": (5, 24),
    "rule": (1, 24),
    "asked": (1, 24),
    "denied": (1, 20),
    "suggestion": (7, 12),
    "revoked": (23, 28),
}
"""The moments of each at which it is killed; of a page's changes only those behind the turn."""
BOUNDED, WHOLE = 60, 200
RUNS = 100
"""Number of the conversations that are played."""


def begun(home: Path, effect: str = "", *lines: str, first: int = RUNS) -> Bench:
    """An engine on the store in `home`, with the user's rules file, and a model that sends these command lines. The ids
    of conversations begin at `first`."""
    bench = Bench(home)
    bench._ids = itertools.count(first)
    files = Files(bench)
    if effect:
        files.write(RULE.format(effect))
    covers = Covers(command="command", argv="argv", cwd="cwd")
    bench.tools["shell_run"] = tool_setup("shell_run", builtin()["shell_run"], run="ask", options=OPEN, covers=covers)
    name = "call" if first == RUNS else f"before_{first}"
    calls = [[*call("shell_run", {"command": line}, f"{name}_{at}"), *end("tools")] for at, line in enumerate(lines, 1)]
    bench.script = Script(*calls, OK)
    bench.start()
    return bench


def prepared(home: Path) -> None:
    """A store whose record suggests a rule."""
    for number in (1, 50):
        bench = begun(home, "", *["whoami"] * 3, first=number)
        bench.say("go")
        for _ in range(3):
            bench.answer(bench.prompt(), Permitted(run=True))
        bench.turn()
        bench.stop()


def played(home: Path, scene: str) -> None:
    """Play it to its end."""
    effect = {"rule": "allow", "denied": "deny", "revoked": "allow"}.get(scene, "")
    lines = ("touch ran-call_1", "touch ran-call_2") if scene != "suggestion" else ()
    bench = begun(home, effect, *lines)
    if scene in ("answer", "turn"):
        bench.say("go")
        prompt = bench.prompt()
        lifetime = "folder" if scene == "answer" else "turn"
        chosen = ChosenRule(scope=prompt.scopes[-1].scope, lifetime=lifetime)  # type: ignore[arg-type]
        bench.answer(prompt, Permitted(run=True, rule=chosen))
        bench.turn()
    elif scene in ("rule", "asked", "denied"):
        bench.say("go")
        for _ in range(2 if scene == "asked" else 0):
            bench.answer(bench.prompt(), Permitted(run=True))
        bench.turn()
    else:
        bench.say("go")
        bench.turn()
        bench.send(c.ReadRules())
        told = bench.until(e.RulesRead)
        if scene == "revoked":
            bench.send(c.RevokeRule(conversation=bench.conversation, id="touches"))
        else:
            (one,) = told.suggestions
            bench.send(c.TakeSuggestion(conversation=bench.conversation, table=one.table))
        bench.until(e.RulesRead)
    bench.stop()


def killed_at(at: int, later: float) -> None:
    """Kill this process at a moment: before or after a commit or a write of the rules file."""
    count = 0

    def moment() -> None:
        nonlocal count
        count += 1
        if count == at:
            if later < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            signal.setitimer(signal.ITIMER_REAL, max(later, 0.000_1))

    def around(does: Callable[..., Any]) -> Callable[..., Any]:
        def done(*given: Any, **more: Any) -> Any:
            moment()
            found = does(*given, **more)
            moment()
            return found

        return done

    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    Flaky.append = around(Flaky.append)  # type: ignore[method-assign]
    Flaky.partial = around(lambda self, *given, **more: self._journal.partial(*given, **more))  # type: ignore[attr-defined]
    approval_rules_edit.write_private = around(approval_rules_edit.write_private)  # type: ignore[attr-defined]


def judged(home: Path, scene: str) -> list[str]:
    """What is wrong with what is left."""
    wrong: list[str] = []
    reader = open_reader(home / "conversations.db")
    try:
        found = asyncio.run(_recorded(reader))
    finally:
        reader.close()
    decided = {one.call for one in found if isinstance(one, PastCall) and one.choice == "run" and one.by}
    ran = {path.name.removeprefix("ran-") for path in (home / "workspace").glob("ran-*")}
    wrong += [f"{one} ran without its decision" for one in sorted(ran - decided)]
    ruled = {name for one in found if isinstance(one, PastCall) for name in one.rules}
    known = {one.rule for one in found if isinstance(one, RuleFact) and one.added} | {"touches"}
    wrong += [f"the rule {one} decided and has no fact" for one in sorted(ruled - known)]
    if scene == "denied" and ran:
        wrong.append("a denied call ran")
    rules = {rule.id for rule in read_rules(str(home / "config" / "rules.toml"), "user").rules}
    before = {"touches"} if scene in ("rule", "denied", "revoked") else set()
    added = {one.rule for one in found if isinstance(one, RuleFact) and one.added}
    revoked = {one.rule for one in found if isinstance(one, RuleFact) and not one.added}
    wrong += [f"the rule {one} has no fact" for one in sorted(rules - before - added)]
    if (home / "config" / "rules.toml").exists():  # the child may have died before it wrote the first
        wrong += [f"the rule {one} is gone without a fact" for one in sorted(before - rules - revoked)]
    return wrong


async def _recorded(reader: Any) -> list[Any]:
    return [one async for one in recorded(reader)]


def goes_on(home: Path, scene: str) -> list[str]:
    """What is wrong when the last conversation was opened again: it is repaired, and no decision is lost by it."""
    bench = Bench(home)
    Files(bench)
    bench.tools["shell_run"] = tool_setup("shell_run", builtin()["shell_run"], run="ask", options=OPEN)
    bench.script = Script(*[OK] * 9)
    bench.start("latest")
    bench.send_and_wait()
    bench.stop()
    return judged(home, scene)


def run(number: int, rng: random.Random, base: Path, folder: Path) -> dict[str, Any]:
    """One run: a copy, a child, a kill, a verdict. Each has the same path: the record names the workspace."""
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(base, home)
    for left in (home / "workspace").glob("ran-*"):
        left.unlink()
    scene = list(SCENES)[number % len(SCENES)]
    at = rng.randint(*SCENES[scene])
    later = -1.0 if number % 2 else rng.choice((0.0, rng.uniform(0, 0.02)))
    sys.stdout.flush()
    child = os.fork()
    if not child:
        try:
            killed_at(at, later)
            played(home, scene)
        finally:
            os._exit(0)
    killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
    wrong = judged(home, scene)
    if number % 5 == 0 and not wrong:
        wrong += _forked(lambda: goes_on(home, scene))
    ran = len(list((home / "workspace").glob("ran-*")))
    return {"run": number, "ran": ran, "scene": scene, "at": at, "later": later, "killed": killed, "found": wrong}


def _forked(looks: Callable[[], list[str]]) -> list[str]:
    """What it finds, in a child: its threads stay out of the process that forks."""
    out, into = os.pipe()
    if not (child := os.fork()):
        found = ["it did not end"]
        try:
            found = looks()
        except BaseException as problem:
            found = [repr(problem)[:500]]
        finally:
            os.write(into, json.dumps(found).encode())
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        found = json.loads(pipe.read() or b'["it ended without a word"]')
    os.waitpid(child, 0)
    return found  # type: ignore[no-any-return]


def results(seed: int, first: int, last: int) -> list[dict[str, Any]]:
    """The runs of these numbers."""
    conftest.SECONDS = 60.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home, base = folder / "home", folder / "base"
        home.mkdir()
        assert _forked(lambda: prepared(home) or []) == []  # type: ignore[func-returns-value]
        shutil.copytree(home, base)
        return [run(number, random.Random(f"{seed} {number}"), base, folder) for number in range(first, last)]


def tried(whole: bool, seed: int) -> list[Found]:
    """Part of `python -m tests.faults --only rules`."""
    runs = WHOLE if whole else BOUNDED
    told = results(seed, 0, runs)
    failed = [
        f"{one['scene']} at {one['at']} (run {one['run']}, seed {seed}): {said}"
        for one in told
        for said in one["found"]
    ]
    killed = sum(one["killed"] for one in told)
    return [Found("kill -9 between answer, rule and run", runs, failed, {"killed before their end": f"{killed:,}"})]


if __name__ == "__main__":
    for one in results(*map(int, sys.argv[1:4])):
        print(json.dumps(one), flush=True)
