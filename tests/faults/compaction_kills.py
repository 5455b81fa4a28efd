"""A worker of `compaction.py`: kill -9 around a compaction, and what is left of the log (context.md K22, K28).

`python -m tests.faults.compaction_kills SEED FIRST LAST` plays turns that are compacted in forked children, each on a
copy of one conversation, kills them at a commit or a moment later, and prints one JSON line a run: what was wrong.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jp_tui.conversation import events as ev
from jp_tui.conversation.model import ModelRequest
from jp_tui.engine.record.log import logged
from jp_tui.engine.record.model_context import messages_of
from jp_tui.engine.record.overlay import standing
from jp_tui.journal.reader import open_reader
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered
from tests.engine import conftest
from tests.engine.conftest import Bench
from tests.engine.overlay_record import record_in
from tests.engine.test_history import check
from tests.fakes.journals import Flaky
from tests.fakes.models import call, end, text
from tests.fakes.windowed import Windowed

WINDOW = 3_000
SCENES = {"window": 5, "overflow": 5, "by hand": 1, "undo": 2, "trimmed": 5}
"""How many commits each makes."""
ANSWER = "</record>\nno, never \u2028"


def replies(request: ModelRequest) -> list[Any]:
    """The first turns ask, the others call a tool that nobody has, then say something long."""
    last = request.messages[-1].parts
    if any(getattr(part, "name", "") for part in last):
        return [*text("said " * 300), *end()]
    words = getattr(last[-1], "text", "")
    if words == "ask":
        asked = {"questions": [{"id": "q", "text": "Well?", "answer_type": "text"}]}
        return [*call("ask_user", asked, f"call_{len(request.messages)}"), *end("tools")]
    return [*call("nobody", {"path": "a.txt"}, f"call_{len(request.messages)}"), *end("tools")]


def prepared(home: Path) -> str:
    """A conversation that is compacted by its next turn; its id."""
    bench = begun(home, "prepared", None)
    for words in ("ask", "ask", "work", "work", "work", "work"):
        bench.say(words)
        if words == "ask":
            bench.answer(bench.prompt(), Answered(value=ANSWER))
        bench.turn()
    bench.stop()
    return bench.conversation


def begun(home: Path, scene: str, conversation: str | None) -> Bench:
    """An engine on this conversation."""
    bench = Bench(home)
    server = Windowed(replies, WINDOW if scene != "prepared" else 10 * WINDOW)
    if scene == "trimmed":
        server.summary = lambda _: [*text(" "), *end()]
    bench.script, bench.window = server, WINDOW if scene in ("window", "trimmed") else None  # type: ignore[assignment]
    bench.tools = {"ask_user": bench.tools["ask_user"]}
    bench.start(*(("new",) if conversation is None else ("id", conversation)))
    return bench


def played(home: Path, scene: str, conversation: str, at: int, later: float, pipe: int) -> None:
    """Play it, tell what is shown, and be killed at the commit `at`, or `later` seconds after it."""
    real, count = Flaky.append, 0

    def append(self: Flaky, *given: Any, **more: Any) -> Any:
        nonlocal count
        count += 1
        if count == at and later < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        receipt = real(self, *given, **more)
        if count == at:
            signal.setitimer(signal.ITIMER_REAL, max(later, 0.000_1))
        return receipt

    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    Flaky.append = append  # type: ignore[method-assign]
    bench = begun(home, scene, conversation)
    wanted: list[c.Command] = [c.StartTurn(conversation=conversation, text="work")]
    if scene in ("by hand", "undo"):
        wanted = [c.CompactConversation(conversation=conversation)]
        wanted += [c.CompactConversation(conversation=conversation, undo=True)] if scene == "undo" else []
    for command in wanted:
        bench.send(command)
        done: Any = None
        while not isinstance(done, e.TurnCompleted | e.Compacted):
            done = bench.until((e.EventAppended, e.TurnCompleted, e.Compacted))  # type: ignore[arg-type]
            if isinstance(done, e.EventAppended):
                os.write(pipe, json.dumps({"seq": done.stored.seq, "event": done.stored.event}).encode() + b"\n")
    bench.stop()


def judged(
    home: Path,
    conversation: str,
    before: int,
    shown: list[dict[str, Any]],
    answers: Sequence[str] = (ANSWER, ANSWER),
    least: int = 2,
) -> tuple[list[str], Counter[str]]:
    """What is wrong with what is left, and how much was looked at. A record holds the first of these `answers`, at
    `least` so many."""
    wrong: list[str] = []
    figures = Counter({"events looked up": len(shown)})
    reader = open_reader(home / "conversations.db")
    try:
        rows = reader.read(conversation, 0, 100_000)
    finally:
        reader.close()
    held = {row.seq: json.loads(row.entry.payload) for row in rows}
    lost = [f"event {one['seq']} was shown and is lost" for one in shown if held.get(one["seq"]) != one["event"]]
    wrong += lost
    figures["events lost"] = len(lost)
    if sorted(held) != list(range(1, len(held) + 1)) or len(held) < before:
        wrong.append("the log has a gap")
    events = [logged(row) for row in rows]
    compactions = [(seq, one) for seq, _, one in events if isinstance(one, ev.Compaction | ev.CompactionUndone)]
    for upto in range(len(compactions) + 1):
        overlay = standing(compactions[:upto])
        figures["overlays looked at"] += overlay.base is not None
        open_ = 0
        for seq, _, one in events:
            open_ += isinstance(one, ev.ToolCallRequest)
            open_ -= isinstance(one, ev.ToolCallResponse)
            if seq == overlay.through and open_:
                wrong.append(f"an overlay parts a call from its result at {seq}")
                figures["overlays that part a pair"] += 1
        told = messages_of(events, "fake/model", overlay, WINDOW)
        try:
            check(told)
        except AssertionError as problem:
            wrong.append(f"the request is none that servers take: {problem}")
        if overlay.base is not None:
            first = getattr(told[0].parts[0], "text", "")
            recorded = [one.get("answer") for one in record_in(first) if one.get("kind") == "answer"]
            if recorded != list(answers[: len(recorded)]) or len(recorded) < least:
                wrong.append("an answer is not in the record")
    return wrong, figures


def _compactions(home: Path, conversation: str) -> int:
    """How many are in the log."""
    reader = open_reader(home / "conversations.db")
    try:
        return sum(row.entry.kind == "compaction" for row in reader.read(conversation, 0, 100_000))
    finally:
        reader.close()


def goes_on(home: Path, conversation: str) -> list[str]:
    """What is wrong when it is opened and something is said."""
    bench = begun(home, "window", conversation)
    try:
        bench.say("work")
        ended = bench.turn()
        return [] if ended.outcome == "done" else [f"the next turn ended {ended.outcome}: {ended.error}"]
    finally:
        bench.stop()


def run(number: int, rng: random.Random, base: Path, conversation: str, before: int, folder: Path) -> dict[str, Any]:
    """One run: a copy, a child, a kill, a verdict."""
    home = folder / str(number)
    shutil.copytree(base, home)
    scene = list(SCENES)[number % len(SCENES)]
    at = rng.randint(1, SCENES[scene])
    later = -1.0 if number % 2 else rng.choice((0.0, rng.uniform(0, 0.01)))
    out, into = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        try:
            os.close(out)
            played(home, scene, conversation, at, later, into)
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        told = [json.loads(line) for line in pipe.read().splitlines() if line.endswith(b"}")]
    killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
    wrong, figures = judged(home, conversation, before, told)
    compacted = _compactions(home, conversation)
    if number % 10 == 0 and not wrong:
        out, into = os.pipe()
        if not (child := os.fork()):
            found = ["it did not end"]
            try:
                found = goes_on(home, conversation)
            except BaseException as problem:
                found = [repr(problem)[:500]]
            finally:
                os.write(into, json.dumps(found).encode())
                os._exit(0)
        os.close(into)
        with os.fdopen(out, "rb") as pipe:
            wrong += json.loads(pipe.read() or b'["it ended without a word"]')
        os.waitpid(child, 0)
    shutil.rmtree(home, ignore_errors=True)
    figures["killed"], figures["compactions in what is left"] = int(killed), compacted
    where = f"commit {at}, {later:.4f} s later" if later >= 0 else f"before commit {at}"
    return {"run": number, "scene": scene, "where": where, "found": wrong, "figures": figures}


def main(seed: int, first: int, last: int) -> None:
    conftest.SECONDS = 60.0
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "base"
        base.mkdir()
        child, conversation = os.fork(), "conv1"
        if not child:  # its threads stay out of the process that forks
            code = 1
            try:
                (Path(folder) / "id").write_text(prepared(base))
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        conversation = (Path(folder) / "id").read_text()
        reader = open_reader(base / "conversations.db")
        before = reader.last_seq(conversation)
        reader.close()
        for number in range(first, last):
            rng = random.Random(f"{seed} {number}")
            print(json.dumps(run(number, rng, base, conversation, before, Path(folder))), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
