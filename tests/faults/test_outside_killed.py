"""Askers that are killed, and many at once, while a workspace answers (intake.md N6, N7; issue 23).

Whatever moment: no question stays open without an asker, no answer is lost, none is given twice, and none is a yes that
nobody gave. A part in each run; 200 moments and 64 askers with TESTS_WHOLE=1.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jp_tui.conversation import events as stored
from jp_tui.conversation.reading import read_event
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.inquiries import waiting
from jp_tui.journal.reader import open_reader
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from tests.engine.conftest import Bench
from tests.headless.forked import KILLED_AT, Forked
from tests.headless.running import LIMIT, environment
from tests.sampling import sampled, whole

SLOWEST = 0.8
"""Seconds within which an asker is killed: longer than it needs to ask on an idle machine."""


LEFT_OPEN = "nobody"
"""Begins a question that the workspace doesn't answer."""
CALL = {"hook_event_name": "PermissionRequest", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "ls"}}
ALLOWED = b'{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}\n'
SCENES: dict[str, tuple[list[str], int, bytes]] = {
    "answered": (["ask", "go {}?", "--type", "text"], 0, b"yes\n"),
    "timed out": (["ask", f"{LEFT_OPEN} {{}}?", "--timeout", "0.3"], 3, b""),
    "by a setting": (["ask", "quick {}?", "--id", "quick"], 0, b"yes\n"),
    "by a setting, again": (["ask", "quick?", "--id", "quick"], 0, b"yes\n"),
    "a hook": (["hook", "claude"], 0, ALLOWED),
}
"""Words of each asker; status and output if it isn't killed."""


@dataclass
class Workspace:
    """An engine that answers every question from outside at once with `reply`; what it was told of each answer."""

    home: Path
    reply: str = ""
    told: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.home / "data").mkdir(parents=True)
        self.bench = Bench(self.home / "data")
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._answer)

    def __enter__(self) -> Workspace:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()
        self.bench.stop()

    def _answer(self) -> None:
        bench = self.bench
        bench.run()
        bench.send(c.WatchWaiting())
        link, seen = bench._link, set[str]()
        assert link is not None
        while not self._ends.is_set():
            link.wait(0.1)
            for event in link.collect():
                if isinstance(event, e.OfferSettled):
                    self.told.append((event.conversation, event.status))
                for one in event.waiting if isinstance(event, e.WaitingListed) else ():
                    if one.conversation not in seen and not one.text.raw.startswith(LEFT_OPEN):
                        seen.add(one.conversation)
                        value = self.reply or f"for {one.text.raw}"
                        bench.send(c.OfferAnswer(conversation=one.conversation, inquiry=one.inquiry, value=value))

    def until_closed(self) -> None:
        """Wait until nothing is open: whose asker was killed is closed by the running workspace."""
        end, reader = time.monotonic() + LIMIT, open_reader(self.home / "data" / "conversations.db")
        try:
            while waiting(reader, None):
                assert time.monotonic() < end, "a question stayed open without an asker"
                threading.Event().wait(0.1)
        finally:
            reader.close()

    def record(self) -> Iterator[tuple[str, str, list[object]]]:
        """Yield each question's conversation and text, and all responses to it."""
        reader = open_reader(self.home / "data" / "conversations.db")
        try:
            for (conversation,) in reader._all("SELECT id FROM conversations", ()):
                found = [read_event(stored_event(row).event) for row in reader.inquiry_events(conversation)]
                asked = [one for one in found if isinstance(one, stored.InquiryRequest)]
                yield conversation, str(asked[0].question["text"]), [one for one in found if one not in asked]
        finally:
            reader.close()


def ask(home: Path, text: str, kind: str) -> Forked:
    return Forked(["ask", text, "--type", kind], env=environment(home), stdin=-3)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["text", "boolean"])
def test_n6_an_asker_killed_at_any_moment_leaves_nothing_open(tmp_path: Path, kind: str) -> None:
    """Some while it starts, some while it records, some while the answer is on its way."""
    count, moments = (100 if whole() else 5), random.Random(23)
    with Workspace(tmp_path, "yes" if kind == "boolean" else "") as work:
        for number in range(count):
            child = ask(tmp_path, f"question {number}", kind)
            threading.Event().wait(moments.uniform(0, SLOWEST))
            child.kill()
            out, _ = child.communicate(b"", LIMIT)
            status = child.wait()
            expected = b"yes\n" if kind == "boolean" else f"for question {number}\n".encode()
            assert (status, out) in ((-9, b""), (-9, expected), (0, expected)), "what it printed was answered"
        if (tmp_path / "data" / "conversations.db").exists():
            work.until_closed()
    judge(work)


def judge(work: Workspace) -> None:
    """Each question has one end, and what the workspace was told of its answers is what is on record."""
    closed = {}
    for conversation, text, responses in work.record():
        assert len(responses) == 1, f"{text} has {len(responses)} ends"
        closed[conversation] = responses[0]
    for conversation, status in work.told:
        given = isinstance(closed[conversation], stored.InquiryAnswered)
        assert given is (status == "accepted"), "an answer that was accepted is on record, no other is"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("scene", sampled(list(SCENES), 2))
def test_n6_an_asker_killed_at_every_commit_leaves_nothing_open(tmp_path: Path, scene: str) -> None:
    """Before and after each commit that it makes, until it makes no more."""
    words, status, printed = SCENES[scene]
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(
        "[conversation.tools.'outside.*'.questions.quick]\nanswer = true\n"
    )
    killed = 0
    with Workspace(tmp_path, "yes") as work:
        for number in range(1, 100):
            for moment in ("before", "after"):
                name = f"{number}-{moment}"
                plain = {"JP_TUI_CONTEXT__ENVIRONMENT": ""}  # with a value nothing is kept of what a setting decides
                env = environment(tmp_path, **plain, **{KILLED_AT: f"{moment} {number}"})
                child = Forked([word.format(name) for word in words], env=env)
                given = json.dumps({**CALL, "session_id": name}).encode() if scene == "a hook" else b""
                out, err = child.communicate(given, LIMIT)
                found = child.wait()
                assert (found, out) in ((-9, b""), (-9, printed), (status, printed)), err
                killed += found == -9
            if found != -9:
                break
        work.until_closed()
    assert (tmp_path / "state" / "kept-answers").exists() is ("setting" in scene)
    assert killed >= (4 if scene == "timed out" else 2), "it was killed at its commits"
    judge(work)


@pytest.mark.timeout(900)
def test_n7_many_at_once_get_their_own_answers(tmp_path: Path) -> None:
    count = 64 if whole() else 6
    with Workspace(tmp_path) as work:
        children = [ask(tmp_path, f"question {number}", "text") for number in range(count)]
        for number, child in enumerate(children):
            out, err = child.communicate(b"", LIMIT * 5)
            assert (child.wait(), out) == (0, f"for question {number}\n".encode()), err
        work.until_closed()
    assert len(work.told) == count and all(len(responses) == 1 for _, _, responses in work.record())
