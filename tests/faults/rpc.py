"""JSON-RPC as hostile input to `jp-tui rpc`: sequences by chance, to a real child over real pipes.

Notifications, odd ids, params of wrong types, answers to questions that nobody asked, batches of all of it, junk,
floods,
lines in pieces. What is due for each message is worked out here from the standard: each request exactly one answer, no
answer for anything else, clear errors, no event of the log lost, an orderly end.
"""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3
import subprocess
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from tests.faults.report import Found
from tests.headless.asking_tools import YES_NO, configure, question
from tests.headless.forked import Forked
from tests.headless.running import LIMIT, environment

NULL = "null"
"""Stands for the id of an answer to what has none."""
SENTINEL = "the last one"
SESSIONS = 4
_STORED = "SELECT seq FROM events JOIN conversations ON conversation = key WHERE id = ?"
_ODD: list[Any] = [
    None, True, False, 0, -1, 1.5, 10**30, 1e308, "", " ", "\0", "é🙂", "x" * 3_000, [], {}, [[]], {"a": {"b": [None]}},
    ["session_id"], "ask-1", "../../etc/passwd", "\u2028", "-0", "null",
]  # fmt: skip
_JUNK = [
    b"{", b"nonsense", b'{"jsonrpc":"2.0","id":1', b"\xff\xfe{}", b"[" * 3_000, b"NaN", b'{"a":1,"a":2}', b"\x00",
    b"'", b"}",
    b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', b"1e999", b"9" * 5_000, b'"\x01"', b"{}{}", b"\xef\xbb\xbf{}",
    b"[1,]",
]  # fmt: skip
_METHODS = [
    "initialize", "session/new", "session/resume", "session/list", "session/prompt", "session/cancel",
    "client/ask_user",
    "session/event", "no/such", "", "__init__", "session/new\n", "Session/List", "rpc.discover",
]  # fmt: skip


class Client:
    """Sends what chance says and counts what is due. A thread reads, so that neither side can hold the other."""

    def __init__(self, home: Path, number: int) -> None:
        self.home, self._chance, self._count = home, random.Random(number), 0
        self.due: Counter[str] = Counter()
        self.sent: list[bytes] = []
        self.came: list[Any] = []
        self.sessions: list[str] = []
        self.wrong: list[str] = []
        model = configure(home, {"a": {"ask": question(YES_NO, text="Sure?")}, "b": {"run": "ask"}})
        self.process = Forked(["rpc", "--model", model], env=environment(home))
        self._arrived = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._talker = threading.Thread(target=self._hear, daemon=True)
        self.told = b""
        self._talker.start()

    # --- what comes ---------------------------------------------------------------------------------------

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._arrived:
                try:
                    found = json.loads(line)
                except ValueError:
                    self.wrong.append(f"no JSON came: {line[:200]!r}")
                    continue
                self.came += found if isinstance(found, list) else [found]
                self._arrived.notify_all()

    def _hear(self) -> None:
        assert self.process.stderr is not None
        self.told = self.process.stderr.read()

    def answer(self, id_: Any) -> Any:
        """The answer to a request; a failure when none comes."""
        with self._arrived:
            known = self._arrived.wait_for(lambda: any(_answers(one, id_) for one in self.came), LIMIT)
            if not known:
                self.wrong.append(f"no answer to {id_!r} within {LIMIT:g} s")
                return {}
            return next(one for one in self.came if _answers(one, id_))

    # --- what goes ----------------------------------------------------------------------------------------

    def line(self, data: bytes) -> None:
        """One line, in pieces now and then."""
        assert self.process.stdin is not None
        self.sent.append(data)
        data += self._chance.choice([b"\n", b"\n", b"\r\n", b" \n\n"])
        cut = self._chance.randrange(len(data)) if self._chance.random() < 0.2 else len(data)
        for piece in (data[:cut], data[cut:]):
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.write(piece)
                self.process.stdin.flush()

    def say(self, message: Any) -> None:
        self._expect(message)
        self.line(json.dumps(message, ensure_ascii=self._chance.random() < 0.5).encode("utf-8", "replace"))

    def open(self, model: str = "") -> None:
        """A session."""
        id_ = self._id()
        self.say({"jsonrpc": "2.0", "id": id_, "method": "session/new", "params": {}})
        if found := self.answer(id_).get("result", {}).get("session_id"):
            self.sessions.append(found)

    def step(self) -> None:
        """Something, by chance."""
        chance = self._chance
        match chance.randrange(12):
            case 0:
                self.due[NULL] += 1
                self.line(chance.choice(_JUNK))
            case 1:
                several = [self._message() for _ in range(chance.randrange(1, 6))]
                self.say(several)
            case 2:
                for _ in range(chance.randrange(5, 60)):
                    self.say(self._call("session/list", {"limit": chance.randrange(1, 5)}))
            case 3 | 4:
                self.say(self._reply())
            case 5 | 6:
                prompt = {
                    "session_id": chance.choice(self.sessions or [""]),
                    "prompt": chance.choice(["go", "hi", "go on"]),
                }
                self.say(self._call("session/prompt", prompt))
            case 7:
                self.say(self._call("session/cancel", {"session_id": chance.choice([*self.sessions, "x"])}))
            case _:
                self.say(self._message())

    def _id(self) -> Any:
        self._count += 1
        kinds = [
            self._count,
            f"é-{self._count}",
            -self._count,
            self._count + 0.5,
            f"\0{self._count}",
            f"{'x' * 900}{self._count}",
        ]
        return self._chance.choice(kinds)

    def _call(self, method: Any, params: Any) -> dict[str, Any]:
        made = {"jsonrpc": "2.0", "method": method, "params": params}
        return made if self._chance.random() < 0.1 else {**made, "id": self._id()}

    def _message(self) -> Any:
        chance = self._chance
        if chance.random() < 0.15:
            return chance.choice(_ODD[:-4])
        names = ["session_id", "prompt", "after", "limit", "workspace", "model", "capabilities", "more"]
        params = {chance.choice(names): chance.choice([*_ODD, *self.sessions]) for _ in range(chance.randrange(4))}
        # a folder that is there and a model that is not would be asked for by name only
        made = self._call(chance.choice(_METHODS), params if chance.random() < 0.8 else chance.choice(_ODD))
        for key, odd in (("jsonrpc", 0.05), ("method", 0.05), ("id", 0.1), ("result", 0.03), ("more", 0.1)):
            if chance.random() < odd:
                made[key] = chance.choice(_ODD)
        return made

    def _reply(self) -> dict[str, Any]:
        """An answer: to a question that waits, to one that is over, to none."""
        chance = self._chance
        with self._arrived:
            asked = [one["id"] for one in self.came if isinstance(one, dict) and one.get("method") == "client/ask_user"]
        id_ = chance.choice([*asked, "ask-1", "ask-999", 7, "x", None, True, []])
        result = chance.choice(
            [{"answer": "yes"}, {"answer": "Run tool"}, {"value": True}, {"control": "cancel"}, {"answer": 1}, *_ODD]
        )
        made = {"jsonrpc": chance.choice(["2.0"] * 9 + ["1.0"]), "id": id_, "result": result}
        if chance.random() < 0.3:
            made["error"] = chance.choice([{"code": -1, "message": "no"}, *_ODD])
        if chance.random() < 0.2:
            del made["result"]
        return made

    # --- what is due --------------------------------------------------------------------------------------

    def _expect(self, message: Any) -> None:
        if isinstance(message, list) and message:
            for one in message:
                self._expect_one(one)
        else:
            self._expect_one(message)

    def _expect_one(self, one: Any) -> None:
        if not isinstance(one, dict):
            self.due[NULL] += 1
            return
        id_ = one.get("id")
        sound = isinstance(id_, str | int | float) and not isinstance(id_, bool)
        if "method" not in one:
            told = [key for key in ("result", "error") if key in one]
            told = told if len(told) < 2 else [key for key in told if one[key] is not None]
            if one.get("jsonrpc") != "2.0" or len(told) != 1 or not sound:
                self.due[NULL] += 1
            return
        broken = one.get("jsonrpc") != "2.0" or "result" in one or "error" in one or not isinstance(one["method"], str)
        broken = broken or (id_ is not None and not sound) or not isinstance(one.get("params", {}), dict | list)
        if broken or "id" in one:
            self.due[_key(id_ if sound else None)] += 1

    # --- the end ------------------------------------------------------------------------------------------

    def end(self) -> list[str]:
        """It still answers, then ends in order; all that was due has come, and all events of the log."""
        self.say({"jsonrpc": "2.0", "id": SENTINEL, "method": "session/list", "params": {"limit": 1}})
        self.answer(SENTINEL)
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            status = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            return [*self.wrong, "it does not end"]
        self._reader.join(LIMIT)
        self._talker.join(LIMIT)
        due = 3 if (waits := self._waits()) else 0  # also where it was asked while the client left, and not sent (Z9)
        if status != due or b"Traceback" in self.told:
            self.wrong.append(f"it ended with {status}, {waits} questions are open: {self.told[-400:]!r}")
        came = Counter(_key(one.get("id")) for one in self.came if isinstance(one, dict) and "method" not in one)
        for id_ in sorted(self.due.keys() | came.keys()):
            if self.due[id_] != came[id_]:
                self.wrong.append(f"{came[id_]} answers to the id {id_[:60]}, {self.due[id_]} are due")
        errors = [one["error"]["message"] for one in self.came if isinstance(one, dict) and "error" in one]
        self.wrong += [f"a bug: {words}" for words in errors if words.startswith("Internal error") or not words]
        return self.wrong + self._lost()

    def _waits(self) -> int:
        """Questions that stay open in the store."""
        with contextlib.closing(sqlite3.connect(self.home / "data" / "conversations.db")) as database:
            return int(database.execute("SELECT count(*) FROM waiting").fetchone()[0])

    def _lost(self) -> list[str]:
        told: dict[str, set[int]] = {}
        for one in self.came:
            if isinstance(one, dict) and one.get("method") == "session/event":
                told.setdefault(one["params"]["session_id"], set()).add(one["params"]["event"]["seq"])
        found = []
        with contextlib.closing(sqlite3.connect(self.home / "data" / "conversations.db")) as database:
            for session in self.sessions:
                rows = database.execute(_STORED, (session,)).fetchall()
                if missing := {seq for (seq,) in rows} - told.get(session, set()):
                    found.append(f"{len(missing)} events of {session} were never told")
        return found

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()


def _key(id_: Any) -> str:
    return NULL if id_ is None else f"{type(id_).__name__} {id_}"


def _answers(one: Any, id_: Any) -> bool:
    return isinstance(one, dict) and "method" not in one and "id" in one and _key(one["id"]) == _key(id_)


def conversed(number: int, steps: int) -> list[str]:
    """One child and so many steps; what was wrong."""
    with tempfile.TemporaryDirectory() as home:
        client = Client(Path(home), number)
        try:
            for at in range(steps):
                if at % 10 == 0 and len(client.sessions) < SESSIONS:
                    client.open()
                client.step()
            return [f"seed {number}, {steps} steps: {wrong}" for wrong in client.end()]
        finally:
            client.kill()


def tried(whole: bool, seed: int) -> list[Found]:
    """`whole`: forty children with 300 steps each; else one with 80."""
    children, steps = (40, 300) if whole else (1, 80)
    found = Found(
        "JSON-RPC by chance to `jp-tui rpc`: one answer each, no event lost, an orderly end", children * steps
    )
    for number in range(children):
        found.failed += conversed(seed * 1_000 + number, steps)
    found.figures = {"children": str(children)}
    return [found]
