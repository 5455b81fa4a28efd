"""A face in a process that is about to be killed: it plays a scene on the real engine and says what it saw.

Whatever it is shown it writes to a pipe at once, one JSON object a line, with the time; what it types too, and, from a
connection that counts commits, which drafts have been stored. Waits for nothing but the engine.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Delivered, Permitted, PromptRequest, Response, Submitted
from jp_tui.questions.types import BooleanAnswer, MultiSelectAnswer, SelectAnswer
from jp_tui.startup.engine import link
from jp_tui.startup.parts import Parts, journal
from tests.limits import LIMIT, starved

TYPED = "half a na"


@dataclass(frozen=True, slots=True)
class Kill:
    """At which commit of the run the process kills itself: before it, or as soon as it has been made."""

    commit: int
    before: bool

    def __str__(self) -> str:
        return f"commit {self.commit}, {'before' if self.before else 'after'} it"


class Told:
    """Lines to whoever watches, who reads them also when we are gone."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def say(self, **what: Any) -> None:
        data = json.dumps(what | {"at": time.monotonic()}).encode() + b"\n"
        while data:
            data = data[os.write(self._pipe, data) :]


def watch_commits(told: Told, kill: Kill | None) -> None:
    """From now on every connection of this process counts its commits, and dies at the one that is meant."""
    made = 0

    def die() -> None:
        told.say(starved=starved(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)

    class Counting(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:  # type: ignore[override]
            nonlocal made
            if sql != "COMMIT":
                return super().execute(sql, *values)
            made += 1
            if kill == Kill(made, True):
                die()
            done = super().execute(sql)
            if kill == Kill(made, False):
                die()
            told.say(commit=made, drafts=self._drafts())
            return done

        def _drafts(self) -> list[list[str]]:
            try:
                return [list(row) for row in super().execute("SELECT key, text FROM drafts")]
            except sqlite3.Error:  # there is no such table yet
                return []

    connect = sqlite3.connect
    sqlite3.connect = lambda *words, **named: connect(*words, factory=Counting, **named)  # type: ignore[assignment]


class Player:
    """Says what the scene wants said, types at every question and then answers it, as the dice say."""

    def __init__(self, made: Parts, says: tuple[str, ...], told: Told, dice: random.Random) -> None:
        self._link = link(made, journal(made), client=True, command="the one that dies")
        self._says, self._told, self._dice = list(says), told, dice
        self._conversation = ""

    def play(self) -> None:
        """To the end of the scene, if nobody comes in between."""
        self._link.start(lambda: None)
        self._link.send(c.OpenConversation(which="new"))
        while True:
            self._link.wait()
            for event in self._link.collect():
                if self._shown(event):
                    self._told.say(done=True)
                    self._link.close(LIMIT)
                    self._told.say(loaded=list(sys.modules))
                    return

    def _shown(self, event: e.Event) -> bool:
        """Say that it was shown, then do what the user does; whether the scene is over."""
        match event:
            case e.ConversationOpened(conversation=id_):
                self._conversation = id_
                self._told.say(opened=id_)
                return self._next()
            case e.EventAppended(conversation=id_, stored=stored, closes=closes):
                self._told.say(shown=stored.seq, conversation=id_, event=stored.event, closes=closes)
            case e.PartDelta(conversation=id_, part=part, kind=kind, text=text):
                self._told.say(grew=part, conversation=id_, kind=kind, text=text.raw)
            case e.QuestionAsked(prompt=prompt):
                self._told.say(
                    asked=prompt.inquiry, conversation=prompt.conversation, kind=prompt.kind, digest=prompt.digest
                )
                self._answer(prompt)
            case e.QuestionSettled(conversation=id_, inquiry=inquiry, how=how):
                self._told.say(settled=inquiry, conversation=id_, how=how)
            case e.EngineFailed(message=words, report=report):
                self._told.say(trouble=words, report=report)
                return True  # nothing more comes of it
            case e.StorageFailed(message=words) | e.Refused(message=words):
                self._told.say(trouble=words)
            case e.TurnCompleted(conversation=id_) if id_ == self._conversation:
                self._told.say(completed=event.outcome)
                return self._next()
            case _:
                pass
        return False

    def _next(self) -> bool:
        if not self._says:
            return True
        words = self._says.pop(0)
        self._type("composer", words, self._conversation)
        self._link.send(c.StartTurn(conversation=self._conversation, text=words))
        self._save("composer", "", self._conversation)
        return False

    def _type(self, key: str, words: str, conversation: str) -> None:
        for end in range(1, len(words) + 1, 3):
            self._save(key, words[:end], conversation)

    def _save(self, key: str, text: str, conversation: str) -> None:
        self._told.say(typed=key, text=text)  # first: a kill may come before the next line
        self._link.send(c.SaveDraft(conversation=conversation, key=key, text=text))

    def _answer(self, prompt: PromptRequest) -> None:
        self._type(prompt.inquiry, TYPED, prompt.conversation)
        said = response(prompt, yes=self._dice.random() < 0.8)
        time.sleep(0.01)  # a thought, in which it waits
        self._told.say(answered=prompt.inquiry, response=said.model_dump(mode="json"))
        self._link.send(
            c.AnswerQuestion(
                conversation=prompt.conversation, inquiry=prompt.inquiry, digest=prompt.digest, response=said
            )
        )


def response(prompt: PromptRequest, *, yes: bool) -> Response:
    """An answer that fits."""
    if prompt.kind == "permission":
        return Permitted(run=yes)
    if prompt.kind == "delivery":
        return Delivered(deliver=yes)
    if prompt.kind == "review":
        return Submitted()
    match prompt.question.answer_type:
        case BooleanAnswer():
            return Answered(value=yes)
        case SelectAnswer(options=options):
            return Answered(value=options[0].value)
        case MultiSelectAnswer(options=options):
            return Answered(value=[options[0].value])
        case _:
            return Answered(value="a name")


def play(made: Parts, says: tuple[str, ...], pipe: int, seed: str, kill: Kill | None) -> None:
    """Play in this process, which is a child of the one that watches. `seed` is of the dice."""
    told = Told(pipe)
    watch_commits(told, kill)
    Player(made, says, told, random.Random(seed)).play()


def lines(data: bytes) -> list[Mapping[str, Any]]:
    """What was said; a line that was cut by the kill was not said."""
    return [json.loads(line) for line in data.split(b"\n")[:-1]]
