"""Sharing the rows of a sheet between context, question and answers (asking.md E1, Z14, E61).

Pure arithmetic. The question, some answers and the keys must stay visible; the context gets the other rows and scrolls.
For a decision, the context comes first: it gets its rows before the answers get more than they need. Below the least
size for a review the sheet is `cramped` and accepts no answer.
"""

from __future__ import annotations

from dataclasses import dataclass

LEAST_CONTEXT, LEAST_QUESTION, LEAST_ANSWERS = 2, 1, 2
DECIDED, DECIDED_SMALL = 9, 4
"""Visible rows of a decision's context at 80x24, and at 60x16 (Z14)."""
TALK = 1
"""Rows of the conversation that stay in sight whatever a sheet needs."""
ROOMY = 26
"""Rows from which blank lines between the parts are affordable although a part has to scroll."""

TIGHT = 12
"""Rows below which a notice takes the place of the keys, and side fields have no titles."""


@dataclass(frozen=True, slots=True)
class RowNeeds:
    """Rows of each part without a limit; `fixed` are frame, keys and notices. `heads` is how many more parts a blank
    line may follow.

    `decided` is how many rows of the context come before all but `least` rows of the answers; 0 where the answers come
    first (Z14).
    """

    context: int
    question: int
    answers: int
    fixed: int
    heads: int = 0
    decided: int = 0
    least: int = LEAST_ANSWERS

    @property
    def floor(self) -> int:
        """The least rows of all parts together; a decision has two lines about its scope."""
        answers = min(self.answers, self.least + (2 if self.decided else 0))
        context = min(self.context, self.decided or LEAST_CONTEXT)
        return self.fixed + context + self.question + answers


@dataclass(frozen=True, slots=True)
class RowShares:
    """Rows of each part; `gaps` is the number of blank lines between them."""

    context: int
    question: int
    answers: int
    gaps: int
    cramped: bool

    @property
    def total(self) -> int:
        return self.context + self.question + self.answers + self.gaps


def room_of(column: int) -> int:
    """Return the rows for a sheet in a column of that height: the conversation keeps at least a third (E1)."""
    return column - -(-column // 3)


def most_of(column: int) -> int:
    """Return the most rows of a sheet that needs them (Z14)."""
    return max(room_of(column), column - TALK)


def decided_rows(most: int) -> int:
    """Return the rows of a decision's context in a sheet of at most so many rows (Z14)."""
    return min(max(most - 9, DECIDED_SMALL), DECIDED)


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
    must = min(wants.answers, wants.least)
    least = few + min(wants.question, LEAST_QUESTION) + must
    cramped = left < least
    left = max(left, least)
    decided = bool(wants.decided) and answers is None
    long = left - few - must if decided else max(4, left // 3)
    if decided:
        asked = min(wants.question, max(LEAST_QUESTION, left - few - must))
        few = max(few, min(wants.context, wants.decided, left - asked - must))
    parts = 1 + bool(wants.context) + wants.heads
    everything = wants.context + wants.question + wants.answers
    few_rows = max(least, few + min(wants.question, LEAST_QUESTION) + (answers or must))
    gaps = parts if left - parts >= (few_rows if room >= ROOMY else everything) else 0
    left -= gaps
    context = few
    enough = answers if answers is not None else max(LEAST_ANSWERS, left // 4 if reads else left * 2 // 3)
    enough = must + 2 if decided else enough
    question = min(wants.question, max(LEAST_QUESTION, left - context - must), max(LEAST_QUESTION, long))
    answers = max(must, min(wants.answers, left - question - context, enough))
    context = max(context, min(wants.context, left - question - answers))
    answers = max(answers, min(wants.answers, left - question - context))
    question = max(question, min(wants.question, left - answers - context))
    return RowShares(context, question, answers, gaps, cramped)
