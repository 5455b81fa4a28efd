"""What each of several processes does to one conversation: hold it, take it up, answer, ask, speak JSON-RPC.

Each runs in a child of its own on the program's own code and says on a pipe how it went. Decides nothing about right
and wrong.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from jp_tui.journal import changes
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, PromptRequest
from jp_tui.startup.engine import link
from jp_tui.startup.parts import Parts, journal
from tests import limits
from tests.faults.kills_player import Told, response
from tests.faults.workers import stacks_of, waiting

LIMIT = limits.LIMIT / 4
"""Seconds for one of them; the others, above it, wait longer."""


def watched(file: Path) -> None:
    """From now on each append of this process is noted in `file`, inside its transaction and so in the true order."""
    append = changes.append
    notes = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def noted(db: Any, conversation: str, *rest: Any) -> list[int]:
        numbers = append(db, conversation, *rest)
        if numbers:
            os.write(notes, b"%d %s\n" % (os.getpid(), conversation.encode()))
        return numbers

    changes.append = noted


class Actor:
    """A face that works in one conversation; `open` says which."""

    def __init__(self, made: Parts, told: Told, name: str) -> None:
        self._link = link(made, journal(made), client=True, command=name)
        self._told, self._name, self._trouble = told, name, False

    def run(self, open_: c.OpenConversation, takes: Callable[[e.Event], bool]) -> None:
        """Give `takes` every event, and Stopped when all that came was heard, until it says that it is over."""
        self._link.start(lambda: None)
        self._link.send(open_)
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            self._link.wait(0.02)
            over = [takes(event) for event in (*self._failed(self._link.collect()), e.Stopped())]  # each, and once more
            if any(over):
                self._told.say(over=True)
                break
            if self._trouble:
                break
        else:
            stacks_of(os.getpid())
            self._told.say(trouble=f"it came to no end in {LIMIT:.0f} s", hangs=waiting())
        self._link.close(LIMIT)

    def _failed(self, came: Sequence[e.Event]) -> Sequence[e.Event]:
        """What came; of an engine that failed nothing more is to be waited for, and why is told."""
        for event in came:
            if isinstance(event, e.EngineFailed | e.StorageFailed | e.BackgroundFailed):
                self._trouble = True
                self._told.say(trouble=event.model_dump(mode="json"))
        return came

    def _send(self, command: c.Command) -> None:
        self._link.send(command)

    def _answer(self, prompt: PromptRequest) -> None:
        text = prompt.kind == "question" and prompt.question.answer_type.type == "text"
        said = Answered(value=f"by {self._name}") if text else response(prompt, yes=True)
        self._send(
            c.AnswerQuestion(
                conversation=prompt.conversation, inquiry=prompt.inquiry, digest=prompt.digest, response=said
            )
        )


class Holder(Actor):
    """Begins the conversation and has its question open; answers it itself after so many seconds, None for never."""

    def __init__(self, made: Parts, told: Told, after: float | None) -> None:
        super().__init__(made, told, "holder")
        self._after, self._at = after, 0.0
        self._waits: PromptRequest | None = None

    def hold(self) -> None:
        self.run(c.OpenConversation(which="new"), self._takes)

    def _takes(self, event: e.Event) -> bool:
        match event:
            case e.ConversationOpened(conversation=id_):
                self._send(c.StartTurn(conversation=id_, text="ask"))
            case e.QuestionAsked(prompt=prompt):
                self._waits = prompt
                self._at = time.monotonic()
                self._told.say(asked=prompt.inquiry, conversation=prompt.conversation)
            case e.AnswerRefused(reason=reason):
                self._told.say(refused=reason)
            case e.TurnCompleted():
                return True
            case e.Stopped() if self._waits and self._after is not None:  # said here when all is heard
                if time.monotonic() > self._at + self._after:
                    self._answer(self._waits)
                    self._waits = None
            case _:
                pass
        return False


class Looker(Actor):
    """Opens it, as a second window does: is told who writes it, or goes on with it."""

    def look(self, conversation: str) -> None:
        self._conversation, self._said = conversation, False
        self.run(c.OpenConversation(which="id", conversation=conversation), self._takes)

    def _takes(self, event: e.Event) -> bool:
        match event:
            case e.ConversationOpened(held_by=held, page=page):
                self._told.say(held_by=held)
                if held or page[-1].event["type"] == "turn_outcome":
                    self._send(c.StartTurn(conversation=self._conversation, text="words"))
                    self._said = True
            case e.QuestionAsked(prompt=prompt):
                self._answer(prompt)
            case e.Refused(message=words):
                self._told.say(refused=words)
                return True
            case e.TurnCompleted(conversation=id_):
                return id_ == self._conversation
            case _:
                pass
        return False


def command(made: Parts, told: Told, words: list[str], given: str = "") -> None:
    """`jp-tui WORD…` in this process, with this on its input; its status and its words are told."""
    out, into = os.pipe()
    said = os.memfd_create("said")
    os.write(into, given.encode())
    os.close(into)
    for source, target in ((out, 0), (said, 1), (said, 2)):
        os.dup2(source, target)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in ((0, "r"), (1, "w"), (2, "w")))
    os.environ["JP_TUI_HOME"] = made.environment["JP_TUI_HOME"]
    from jp_tui.startup import run

    status = run(words)
    os.lseek(said, 0, 0)
    told.say(status=status, words=os.read(said, 1 << 16).decode("utf-8", "replace")[-3000:])


def rpc_lines(conversation: str) -> str:
    """A client that resumes the conversation and goes away."""
    lines = [("initialize", {"capabilities": []}), ("session/resume", {"session_id": conversation})]
    messages = [{"jsonrpc": "2.0", "id": n, "method": name, "params": given} for n, (name, given) in enumerate(lines)]
    return "".join(json.dumps(one) + "\n" for one in messages)
