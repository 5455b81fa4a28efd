"""Other people of a script (surface.md S22): who answers a walk's question, what, and after which time."""

from __future__ import annotations

from asyncio import sleep
from dataclasses import dataclass

from jp_tui.providers.scripted.reader import ScriptTable

MAX_WAIT = 600.0


@dataclass(frozen=True, slots=True)
class ScriptedPerson:
    """A person who answers the yes-or-no question `question` of the walk `wait` seconds after it was asked, or after
    the person before."""

    name: str
    question: str
    answer: bool
    reason: str = ""
    wait: float = 0.0

    async def think(self) -> None:
        """Wait half of the time: before looking at the question, and before answering."""
        await sleep(self.wait / 2)


def read_people(at: ScriptTable, header: str, before: int) -> tuple[ScriptedPerson, ...]:
    """Read the tables `[[walks.people]]` of a walk. Raises ScriptProblem."""
    found: list[ScriptedPerson] = []
    for index, table in enumerate(at.tables("people")):
        inner = ScriptTable(at.path, at.source, table, header, before + index)
        person = ScriptedPerson(
            inner.text("name"),
            inner.text("question"),
            inner.take("answer", bool, False),
            inner.text("reason"),
            inner.number("wait", MAX_WAIT) or 0.0,
        )
        inner.done()
        if not person.name.strip() or not person.question.strip():
            raise inner.problem("name", "and `question` are needed: who answers which question")
        if "answer" not in table:
            raise inner.problem("answer", "is missing: true or false")
        if any((one.name, one.question) == (person.name, person.question) for one in found):
            raise inner.problem("name", "answers a question once")
        found.append(person)
    return tuple(found)
