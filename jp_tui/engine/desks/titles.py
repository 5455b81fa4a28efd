"""Titles made by the model: one small request in the background after a conversation's first turn, in the workspace
only (surface.md S4).

It writes nothing into the conversation's log and asks once: what fails leaves the first line as the title, and so does
leaving the program meanwhile. A title that a person gave is never replaced.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import aclosing, suppress

from jp_tui.conversation import events as ev
from jp_tui.conversation import model as m
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.engine.base.dependencies import ModelSetup
from jp_tui.engine.desks.port import DeskContext
from jp_tui.engine.model.text_response import spoken
from jp_tui.engine.record.event_codec import storable
from jp_tui.engine.record.subagent_events import said_last
from jp_tui.engine.session.session import Session
from jp_tui.journal.port import JournalError
from jp_tui.protocol.events import Event, TitleChanged, TurnCompleted

INQUIRY = "title"
"""What a scripted model knows such a request by."""
SYSTEM = (
    "You name conversations. Reply with the title alone: at most six words, in the language of the user, in plain text "
    "without quotation marks and without a full stop at the end."
)
ASKED = "Name the conversation that begins so.\n\nThe user:\n{user}\n\nThe assistant:\n{assistant}"
PART, LONGEST, MOST_TOKENS, SECONDS = 2000, 80, 1000, 60.0
_DRESS = " \t\"'`*_#“”„«»‘’"


class Titles:
    """Names the conversations of one engine."""

    def __init__(self, context: DeskContext) -> None:
        self._context = context
        self._tasks: set[asyncio.Task[None]] = set()
        if context.setup.titles:
            context.listeners.append(self._heard)

    async def close(self) -> None:
        """Ask for nothing any more."""
        for task in (tasks := list(self._tasks)):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _heard(self, event: Event) -> None:
        if not isinstance(event, TurnCompleted) or event.turn != 1 or event.outcome != "done":
            return
        session = self._context.sessions.get(event.conversation)
        if session is not None and session.mine and session.log.agent is None:
            task = asyncio.create_task(self._name(session))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _name(self, session: Session) -> None:
        with suppress(m.ModelError, JournalError, TimeoutError, OSError):
            model = await self._context.setup.open_model(session.log.model)
            try:
                said = await self._asked(session, model) if model.titles else ""
            finally:
                await model.provider.close()
            if title := cleaned(session.log.secrets.text(storable(said))):
                await self._give(session, title)

    async def _asked(self, session: Session, model: ModelSetup) -> str:
        turn = session.log.turn_so_far(1)
        user = next((event.content for event in turn if isinstance(event, ev.ChatRequest)), "")
        words = ASKED.format(user=user[:PART], assistant=said_last(turn)[:PART])
        request = m.ModelRequest(
            model=model.name,
            messages=(m.Message("user", (m.TextPart(words),)),),
            system=SYSTEM,
            max_tokens=MOST_TOKENS,
            cache="off",
            inquiry=INQUIRY,
            extra=model.extra,
        )
        async with asyncio.timeout(SECONDS):
            return await _said(model, request)

    async def _give(self, session: Session, title: str) -> None:
        journal, id_ = self._context.setup.journal, session.id
        if await journal.set_title(id_, title, "model", "first_line"):
            session.log.title = title
            self._context.publish(TitleChanged(conversation=id_, title=Foreign(title)))


async def _said(model: ModelSetup, request: m.ModelRequest) -> str:
    """The first line that comes; nothing more is listened to. Raises ModelError."""
    said = ""
    async with aclosing(spoken(model.provider.stream(request))) as texts:
        async for text in texts:
            said += text or ""
            if "\n" in said.strip() or len(said) > 4 * LONGEST:
                break
    return said


def cleaned(said: str) -> str:
    """A title of one line, without what models put around it; empty for none."""
    title = re.sub(r"\s+", " ", first_line(said)).strip(_DRESS)
    title = re.sub(r"^(title|titel)\s*:\s*", "", title, flags=re.IGNORECASE).strip(_DRESS).rstrip(".").strip(_DRESS)
    return title if len(title) <= LONGEST else f"{title[: LONGEST - 1]}…"
