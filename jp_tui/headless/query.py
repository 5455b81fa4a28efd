"""`jp-tui query`: one turn on the same engine, for scripts (surface S1-S4).

With `--json` stdout carries only JSON, one object a line; without, only the assistant's text. Everything for people
goes to stderr, questions to the terminal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from jp_tui.conversation.neutral import Sanitizer, neutralise
from jp_tui.headless.lines import Lines
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import EndTurn, PromptRequest

DONE, FAILED, DEFERRED, INTERRUPTED = 0, 1, 3, 130


@dataclass(frozen=True, slots=True)
class Query:
    """What to ask and how to say what comes. `terminal` is None when nobody can be asked."""

    open: c.OpenConversation
    prompt: str
    as_json: bool
    out: TextIO
    err: TextIO
    terminal: Lines | None


class Run:
    """One query over one link; `run` gives the exit status."""

    def __init__(self, link: Link, query: Query) -> None:
        self._link, self._query = link, query
        self._conversation = ""
        self._turn = 0
        self._status: int | None = None
        self._asked: dict[str, PromptRequest] = {}
        self._sanitizer = Sanitizer("conversation")
        self._open_line = False

    def run(self) -> int:
        """To the end of the turn; SIGINT ends it in good order (130)."""
        self._link.start(lambda: None)
        self._link.send(self._query.open)
        try:
            status = self._follow()
        except KeyboardInterrupt:
            self._link.send(c.InterruptTurn(conversation=self._conversation, action="stop"))
            status = INTERRUPTED
        except BrokenPipeError:
            status = FAILED  # whoever read our output is gone
        self._link.close(5.0)
        if status == INTERRUPTED:
            self._drain()
        return status

    def _follow(self) -> int:
        while self._status is None:
            self._link.wait()
            for event in self._link.collect():
                self._take(event)
        return self._status

    def _drain(self) -> None:
        for event in self._link.collect():
            if isinstance(event, e.EventAppended | e.TurnCompleted):
                self._take(event)

    def _take(self, event: e.Event) -> None:
        match event:
            case e.ConversationOpened():
                self._opened(event)
            case e.TurnStarted(turn=turn):
                self._turn = turn
            case e.EventAppended(stored=stored):
                self._turn = max(self._turn, stored.turn)
                if self._query.as_json:
                    self._json({**stored.event, "seq": stored.seq, "conversation": self._conversation})
                elif stored.event.get("type") == "chat_response":
                    self._write(self._sanitizer.finish())
                    self._end_line()
            case e.PartDelta(kind="message", text=text) if not self._query.as_json:
                self._write(self._sanitizer.feed(text.raw))
            case e.QuestionAsked(prompt=prompt):
                self._asked[prompt.inquiry] = prompt
                self._ask(prompt)
            case e.AnswerRefused(inquiry=inquiry, reason=reason, gone=gone):
                if not gone and inquiry in self._asked and self._query.terminal is not None:
                    self._query.terminal.refused(reason)
                    self._ask(self._asked[inquiry])
            case e.TurnPhase(phase="retrying", detail=detail, retry_in=wait):
                self._tell(f"{detail} Trying again in {wait or 0:.0f} s.")
            case e.TurnCompleted():
                self._completed(event)
            case e.Refused(message=message, advice=advice):
                self._fail(message, advice)
            case e.StorageFailed(message=message, advice=advice) | e.EngineFailed(message=message, report=advice):
                self._fail(message, advice if isinstance(event, e.StorageFailed) else "")
            case _:
                pass

    def _opened(self, event: e.ConversationOpened) -> None:
        self._conversation = event.conversation
        if event.held_by:
            self._fail(f"This conversation is being written by {event.held_by}.", "Wait until it is closed.")
            return
        self._link.send(c.StartTurn(conversation=event.conversation, text=self._query.prompt))

    def _ask(self, prompt: PromptRequest) -> None:
        self._end_line()
        terminal = self._query.terminal
        response = terminal.ask(prompt) if terminal is not None else EndTurn()
        self._link.send(
            c.AnswerQuestion(
                conversation=self._conversation,
                inquiry=prompt.inquiry,
                digest=prompt.digest,
                response=EndTurn() if response is None else response,
            )
        )

    def _completed(self, event: e.TurnCompleted) -> None:
        if event.error is not None:
            self._end_line()
            self._tell(event.error.message)
            if event.error.detail:
                self._tell(f"The server said: {event.error.detail.raw}")
            if event.error.advice:
                self._tell(event.error.advice)
        if self._query.as_json:
            usage = event.usage.model_dump()
            end = {"type": "turn_end", "outcome": event.outcome, "conversation": self._conversation, "usage": usage}
            self._json(end)
        else:
            self._end_line()
        ends = {"done": DONE, "failed": FAILED, "deferred": DEFERRED, "interrupted": DONE}
        self._status = ends[event.outcome]

    def _json(self, value: Mapping[str, object]) -> None:
        self._query.out.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._query.out.flush()

    def _write(self, text: str) -> None:
        if text:
            self._query.out.write(text)
            self._query.out.flush()
            self._open_line = not text.endswith("\n")

    def _end_line(self) -> None:
        if self._open_line:
            self._query.out.write("\n")
            self._query.out.flush()
            self._open_line = False

    def _tell(self, text: str) -> None:
        self._query.err.write(f"{neutralise(text, 'line')}\n")
        self._query.err.flush()

    def _fail(self, message: str, advice: str) -> None:
        self._end_line()
        self._tell(message)
        if advice:
            self._tell(advice)
        self._status = FAILED
