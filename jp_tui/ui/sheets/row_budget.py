"""Sharing the rows of a sheet between context, question and answers (asking.md E1, E61).

Pure arithmetic. The question, some answers and the keys must stay visible; the context gets what is left and scrolls.
Below the least that can be reviewed the sheet is `cramped` and accepts no answer.
"""

from __future__ import annotations

from dataclasses import dataclass

LEAST_CONTEXT, LEAST_QUESTION, LEAST_ANSWERS = 2, 1, 2
ROOMY = 26
"""Rows from which blank lines between the parts are affordable although a part has to scroll."""

TIGHT = 12
"""Rows below which the keys have one row, and only the first of them are shown."""


@dataclass(frozen=True, slots=True)
class RowNeeds:
    """Rows that each part would take if there were no limit; `fixed` are frame, keys and notices. `heads` is how many
    more parts a blank line may follow."""

    context: int
    question: int
    answers: int
    fixed: int
    heads: int = 0


@dataclass(frozen=True, slots=True)
class RowShares:
    """Rows that each part gets; `gaps` is how many blank lines stand between them."""

    context: int
    question: int
    answers: int
    gaps: int
    cramped: bool


def room_of(column: int) -> int:
    """Return the rows for a sheet in a column of that height: the conversation keeps at least a third (E1)."""
    return column - -(-column // 3)


def share(
    room: int, wants: RowNeeds, *, least_context: int | None = None, answers: int | None = None, reads: bool = False
) -> RowShares:
    """Return the rows of each part: the question first, then enough answers, then the context, then the rest.

    `least_context` replaces LEAST_CONTEXT while a notice takes its rows for a moment. `answers` rows have to be
    visible, even if the context loses all of its own. `reads`: the user reads the context.
    """
    left = room - wants.fixed
    if answers is not None:
        least_context = min(max(left - LEAST_QUESTION - answers, 0), LEAST_CONTEXT)
    few = min(wants.context, LEAST_CONTEXT if least_context is None else least_context)
    least = few + min(wants.question, LEAST_QUESTION) + min(wants.answers, LEAST_ANSWERS)
    cramped = left < least
    left = max(left, least)
    parts = 1 + bool(wants.context) + wants.heads
    everything = wants.context + wants.question + wants.answers
    few_rows = max(least, few + min(wants.question, LEAST_QUESTION) + (answers or 0))
    gaps = parts if left - parts >= (few_rows if room >= ROOMY else everything) else 0
    left -= gaps
    context = few
    enough = answers if answers is not None else max(LEAST_ANSWERS, left // 4 if reads else left * 2 // 3)
    answers = min(wants.answers, LEAST_ANSWERS)
    question = min(wants.question, max(LEAST_QUESTION, left - context - answers), max(4, left // 3))
    answers = max(answers, min(wants.answers, left - question - context, enough))
    context = max(context, min(wants.context, left - question - answers))
    answers = max(answers, min(wants.answers, left - question - context))
    question = max(question, min(wants.question, left - answers - context))
    return RowShares(context, question, answers, gaps, cramped)
