"""A conversation in lines whose database is taken away between two messages, beside a second one that is open.

Both messages and both replies are stored where the path leads when it ends, the user is told, the last line names a
conversation that can be opened, and what was there before is there still, where that can be.
"""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tests.faults.log_damage import GOOD, made
from tests.faults.log_damaged import REPLY, SCRIPT
from tests.faults.taken_away import AWAY, IN_PLACE, LATER, Away
from tests.limits import LIMIT

ROOT = Path(__file__).parents[2]
ENDS = re.compile(r"Resume this conversation with `jp-tui --plain -r (\S+?)`")


class Talk:
    """`jp-tui --plain` on two pipes."""

    def __init__(self, home: Path, *words: str) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        there = {"HOME": str(home), "JP_TUI_HOME": str(home), "OLLAMA_HOST": "127.0.0.1:9"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jp_tui", "--plain", "--model", f"demo/{home}/reply.toml", *words],
            cwd=home,
            env={**kept, **there, "PYTHONPATH": str(ROOT)},
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.said = ""
        self._read: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while piece := os.read(self.process.stdout.fileno(), 65536):
            self._read.put(piece.decode("utf-8", "replace"))
        self._read.put("")

    def say(self, text: str) -> None:
        """Send a message and wait for its reply. Raises TimeoutError."""
        assert self.process.stdin is not None
        before = self.said.count(REPLY)
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()
        end = time.monotonic() + LIMIT
        while self.said.count(REPLY) == before:
            try:
                piece = self._read.get(timeout=max(end - time.monotonic(), 0.01))
            except queue.Empty:
                raise TimeoutError(f"no reply to {text!r}") from None
            if not piece:
                raise TimeoutError(f"it ended instead of a reply to {text!r}")
            self.said += piece

    def end(self) -> int | None:
        """Leave; the exit status, or None where it had to be killed."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
            code: int | None = self.process.wait(LIMIT)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
            code = None
        while piece := self._read.get():
            self.said += piece
        return code


def talked(folder: Path, name: str, away: Away, *, beside: bool) -> Iterator[str]:
    """What is wrong after it."""
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    made(home)
    (home / "reply.toml").write_text(f'fallback = "{REPLY}"\n{SCRIPT}')
    path = home / "data" / "conversations.db"
    talks = [Talk(home)]
    try:
        talks[0].say("zqone first")
        if beside:
            talks.append(Talk(home, "-r", GOOD[0]))
            talks[1].say("zqtwo first")
        away(path)
        for number, talk in enumerate(reversed(talks)):
            talk.say(f"zq{('one', 'two')[len(talks) - 1 - number]} second")
    except TimeoutError as problem:
        yield f"{problem}: {''.join(talk.said for talk in talks)[-400:]!r}"
    codes = [talk.end() for talk in talks]
    yield from _judged(path, name, talks, codes)


def _judged(path: Path, name: str, talks: list[Talk], codes: list[int | None]) -> Iterator[str]:
    from jp_tui.journal.port import JournalError
    from jp_tui.journal.store import open_journal

    said = "".join(talk.said for talk in talks)
    if codes != [0] * len(talks):
        yield f"ended with {codes}"
    if "Traceback" in said:
        yield f"shows a traceback: {said[said.index('Traceback') :][-400:]!r}"
    if name not in LATER and not re.search(r"was (moved or deleted|replaced|damaged)", said):
        yield f"says nothing of it: {said[-400:]!r}"
    try:
        reader = open_journal(path)
    except JournalError as problem:
        yield f"what stands there cannot be opened: {problem}"
        return
    try:
        for word, talk in zip(("zqone", "zqtwo"), talks, strict=False):
            named = ENDS.search(talk.said)
            row = reader.conversation(named[1]) if named is not None else None
            if row is None:
                yield f"its last line names nothing that can be opened: {talk.said[-200:]!r}"
                continue
            stored = [json.loads(one.entry.payload) for one in reader.read(row.id, limit=9_999) if one.entry.payload]
            asked = [one.get("content") for one in stored if one["type"] == "chat_request"]
            if asked[-2:] != [f"{word} first", f"{word} second"]:
                yield f"{row.id} holds {asked[-3:]}"
            if sum(one.get("message") == REPLY for one in stored) != 2:
                yield f"{row.id} does not hold two replies"
        lost = {*GOOD} - {row.id for row in reader.conversations(shown="all")}
        if lost and name not in IN_PLACE:
            yield f"lost {', '.join(sorted(lost))}"
    finally:
        reader.close()


def ways() -> list[tuple[str, Away, bool]]:
    """Each alone and beside a second one."""
    return [(name, away, beside) for name, away in AWAY.items() for beside in (False, True)]
