"""Storage of a partly given answer (asking.md E24): one opaque text per inquiry.

A question can have several texts at once: the answer, a reply, a note, edited arguments; all are restored. Pure. Never
used for secrets (E27).
"""

from __future__ import annotations

import json
from dataclasses import dataclass

_KEYS = {"answer", "reply", "note", "edit", "ask", "pastes"}


@dataclass(frozen=True, slots=True)
class Draft:
    """Typed but unsent texts of one question; `answer` and `edit` None if untouched, `ask` a side question (E30).
    `pastes` are their pasted parts: which text, from where, how long."""

    answer: str | None = None
    reply: str = ""
    note: str = ""
    edit: str | None = None
    ask: str = ""
    pastes: tuple[tuple[str, int, int], ...] = ()

    def places(self, name: str) -> tuple[tuple[int, int], ...]:
        """Return where one of the texts was pasted."""
        return tuple((start, size) for text, start, size in self.pastes if text == name)

    def stored(self) -> str:
        """Encode for the journal; empty if there is nothing to store."""
        more = {"note": self.note} if self.note else {}
        more |= {"ask": self.ask} if self.ask else {}
        more |= {"edit": self.edit} if self.edit is not None else {}
        if self.answer is None and not self.reply and not more:
            return ""
        folded = {"pastes": self.pastes} if self.pastes else {}
        return json.dumps({"answer": self.answer, "reply": self.reply, **more, **folded}, ensure_ascii=False)


def restored(text: str) -> Draft:
    """Decode from the journal. A text in another form is kept as a typed answer."""
    if not text:
        return Draft()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return Draft(answer=text)
    if not isinstance(found, dict) or not {"answer", "reply"} <= set(found) <= _KEYS:
        return Draft(answer=text)
    answer, reply, note, edit, ask = (found.get(key) for key in ("answer", "reply", "note", "edit", "ask"))
    if not isinstance(reply, str):
        return Draft(answer=text)
    return Draft(
        answer if isinstance(answer, str) else None,
        reply,
        note if isinstance(note, str) else "",
        edit if isinstance(edit, str) else None,
        ask if isinstance(ask, str) else "",
        _places(found.get("pastes")),
    )


def _places(found: object) -> tuple[tuple[str, int, int], ...]:
    """Return valid places; ignore anything else."""
    places = []
    for one in found if isinstance(found, list) else []:
        if isinstance(one, list) and len(one) == 3:
            name, start, size = one
            if isinstance(name, str) and type(start) is int and type(size) is int:
                places.append((name, start, size))
    return tuple(places)
