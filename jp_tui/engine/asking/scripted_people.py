"""People of a scripted model, who answer a question of its walk (surface.md S22): so the tour shows what it is like to
wait for others (store.md D14, D15), in one process. They answer through the machine, as people of a shared store do.

In a store that has people of its own nothing is scripted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import MappingProxyType

from jp_tui.conversation.ids import timestamp
from jp_tui.engine.asking.open_prompts import OpenPrompts
from jp_tui.engine.base.dependencies import ModelSetup
from jp_tui.engine.base.people import is_shared
from jp_tui.engine.record.log import Log
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.people import Answerer, People, Person, WantedPeople
from jp_tui.providers.scripted.people import ScriptedPerson

YOU = "you"
"""Name of the user among scripted people."""
SCRIPT = "The script {}"


class ScriptedPeople:
    """Questions of one turn that scripted people answer; `process` takes their answers."""

    def __init__(
        self,
        log: Log,
        model: ModelSetup,
        showing: OpenPrompts,
        process: Callable[[v.Input], Awaitable[list[s.Step]]],
    ) -> None:
        self._log, self._model, self._showing, self._process = log, model, showing, process
        self._scripts: dict[tuple[str, str], tuple[list[ScriptedPerson], People]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def addressed(self, raised: v.QuestionRaised) -> v.QuestionRaised:
        """Return a question as the script addresses it, unless a setting says who answers."""
        find, rule = self._model.people, raised.rule
        if find is None or is_shared(self._log.setup) or rule.has_answer or rule.target != "user":
            return raised
        if rule.place or not rule.people.anyone:
            return raised
        script = [one for one in find(await self._log.model_messages()) if one.question == raised.question.id]
        if not script:
            return raised
        place, names = SCRIPT.format(self._model.id), [one.name for one in script]
        to = names[0] if len(names) == 1 else ""
        people = People(MappingProxyType({name: Person(name) for name in (YOU, *names)}), YOU)
        self._scripts[raised.call, raised.question.id] = script, people
        wanted = WantedPeople(to, place, len(names), place)
        return replace(raised, rule=replace(rule, people=wanted), people=people, asker=YOU)

    def asked(self, opened: v.OpenQuestion) -> None:
        """The question is open: its people begin to answer."""
        found = self._scripts.pop((opened.call, opened.question.id), None)
        if found is not None:
            self._tasks[opened.inquiry] = asyncio.create_task(self._answer(opened, *found))

    def drop(self, inquiry: str) -> None:
        """The question is closed: no one answers it any more."""
        if (task := self._tasks.pop(inquiry, None)) is not None and task is not asyncio.current_task():
            task.cancel()

    async def close(self) -> None:
        """Cancel everything."""
        tasks, self._tasks = list(self._tasks.values()), {}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, opened: v.OpenQuestion, script: list[ScriptedPerson], people: People) -> None:
        for one in script:
            await one.think()
            self._showing.look({opened.inquiry: one.name})
            await one.think()
            self._showing.look({})
            at, ms = timestamp(self._log.setup.now()), self._showing.since(opened.inquiry)
            by = Answerer(one.name, people)
            given = v.HumanAnswered(opened.inquiry, opened.digest, one.answer, note=one.reason, ms=ms, at=at, by=by)
            await self._process(given)
