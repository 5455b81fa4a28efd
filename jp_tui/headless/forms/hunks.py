"""A change answered hunk by hunk, in lines (inquiries.md R251; asking.md E15, E26).

The whole diff is shown, then its hunks by number; a number selects or deselects one. The prompt says what y applies. A
selection of hunks is never remembered, and Enter answers only while all hunks are selected.
"""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.headless.forms.answer import LETTERS, AnswerLines
from jp_tui.headless.forms.choices import BooleanLines
from jp_tui.headless.forms.question import AskedQuestion
from jp_tui.headless.forms.steps import Outcome, Words, line, pick, quoted_context
from jp_tui.protocol.values import PartsTaken
from jp_tui.questions.types import Part
from jp_tui.view.wording import questions as w
from jp_tui.view.wording.white_space import in_diff

TAKEN = "{n} of {m} hunks selected"
ALL = "all {m}"
NONE_TAKEN = "No hunks selected. n rejects the change, `all` selects all, a number selects one."
ONCE = "A selection of hunks can't be remembered. Enter y to answer with it."


class HunkLines(AnswerLines):
    """Approval of some or all changes."""

    letters = LETTERS

    def __init__(self, question: AskedQuestion) -> None:
        self._question = question
        self._yes_no = BooleanLines(question, self._decide)
        self._parts = question.prompt.question.parts
        self._taking = {part.id for part in self._parts}
        self._comments: dict[str, str] = {}

    # Display

    def body(self) -> Iterator[str]:
        yield f"{w.HUNKS.format(n=len(self._parts))}:"
        for number, part in enumerate(self._parts, 1):
            yield self._row(number, part)
            if part.diff.strip("\n") not in (self._question.prompt.question.context or ""):
                yield quoted_context(part.diff)  # everything must be shown before approval
            if words := self._comments.get(part.id):
                yield f"     comment: {line(words)}"
        for row in self._yes_no.rows():
            yield f"  {row}"
        yield from self._yes_no.covers()
        yield self._says()

    def _row(self, number: int, part: Part) -> str:
        marks = [one[:1] for one in part.diff.split("\n") if not one.startswith("@@")]
        changes = w.CHANGES.format(added=marks.count("+"), removed=marks.count("-"))
        words = in_diff(part.diff)[1]
        taken = "taken" if part.id in self._taking else "left"
        return f"  {number}  {taken}  {line(part.title)}  {changes}{f'  {words}' if words else ''}"

    def _says(self) -> str:
        """Return what y would currently apply."""
        taken = [str(number) for number, part in enumerate(self._parts, 1) if part.id in self._taking]
        if len(taken) == len(self._parts):
            return f"y applies {w.HUNKS.format(n=ALL.format(m=len(taken)))}."
        if not taken:
            return f"{TAKEN.format(n=0, m=len(self._parts))}; y applies nothing."
        which = ", ".join(taken[:40]) + (f" and {len(taken) - 40} more" if len(taken) > 40 else "")
        return f"{TAKEN.format(n=len(taken), m=len(self._parts))}: y applies {which} and nothing else."

    def keys(self) -> Iterator[tuple[str, str]]:
        whole = len(self._taking) == len(self._parts)
        yield from ((key, does) for key, does in [*self._yes_no.keys()] if whole or key != "Enter")
        yield "numbers", "select or clear a hunk"
        yield ":k NUMBER TEXT", "a comment on a hunk"
        yield ":p NUMBER", "shows a hunk"

    def words(self) -> Iterator[tuple[str, str]]:
        yield "a", "selects all hunks, or none"
        yield "i", "inverts the selection"
        yield "all, none, 2-5", "select all, none or several"

    # Input

    def word(self, word: str, rest: str) -> Outcome:
        if word not in (":k", ":p"):
            return None
        typed, _, words = rest.partition(" ")
        number = pick(typed, len(self._parts))
        if number is None:
            return Words(f"Enter {word} and a number from 1 to {len(self._parts)}.")
        part = self._parts[number - 1]
        if word == ":p":
            return Words(f"{self._row(number, part)}\n{quoted_context(part.diff)}")
        self._comments.pop(part.id, None)
        if words.strip():
            self._comments[part.id] = words.strip()
            return Words(f"Your comment on {number} is sent with your answer.")
        return Words(f"The comment on {number} is removed.")

    def answer(self, line: str) -> Outcome:
        typed = line.strip()
        every = {part.id for part in self._parts}
        match typed:
            case "all" | "none":
                return self._accept_hunks(every if typed == "all" else set())
            case "a":
                return self._accept_hunks(set() if self._taking == every else every)
            case "i":
                return self._accept_hunks(every - self._taking)
            case "" if self._taking != every:
                return Words(f"{self._says()} Enter y or n.")
        named = self._numbers(typed)
        if named is None:
            return self._yes_no.answer(line)
        return named if isinstance(named, Words) else self._accept_hunks(self._taking ^ named)

    def _numbers(self, typed: str) -> set[str] | Words | None:
        """Return the named hunks; None for text that doesn't begin with a number."""
        if not typed[:1].isdecimal():
            return None
        found: set[str] = set()
        for word in typed.replace(",", " ").split():
            first, dash, last = word.partition("-")
            ends = pick(first, len(self._parts)), pick(last if dash else first, len(self._parts))
            if ends[0] is None or ends[1] is None or ends[0] > ends[1]:
                return Words(f"{word}: enter numbers from 1 to {len(self._parts)}.")
            found |= {part.id for part in self._parts[ends[0] - 1 : ends[1]]}
        return found

    def _accept_hunks(self, taking: set[str]) -> Words:
        self._taking = taking
        return Words(self._says())

    def _decide(self, value: bool, remember: bool) -> Outcome:
        accepted = tuple(part.id for part in self._parts if value and part.id in self._taking)
        whole = len(accepted) in (0, len(self._parts))
        if value and not accepted:
            return Words(NONE_TAKEN)
        if remember and not whole:
            return Words(ONCE)
        parts = None if whole and not self._comments else PartsTaken(accepted=accepted, comments=self._comments)
        return self._question.answered(value, remember=remember, parts=parts)
