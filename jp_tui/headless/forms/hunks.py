"""A change that is answered hunk by hunk, in lines (inquiries.md R251; asking.md E15, E26).

The whole diff is shown, then its hunks by number; a number takes or leaves one. What a yes applies is said before it is
typed. A choice of hunks is never remembered, and Enter answers only as long as nothing was left.
"""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.conversation.strict_json import Json
from jp_tui.headless.forms.choices import Boolean
from jp_tui.headless.forms.steps import Outcome, Words, line, pick, quoted_context
from jp_tui.protocol.values import Answered, PartsTaken, PromptRequest
from jp_tui.questions.types import Part
from jp_tui.view.wording import questions as w
from jp_tui.view.wording.white_space import in_diff

TAKEN = "{n} of {m} hunks taken"
ALL = "all {m}"
NONE_TAKEN = "no hunk is taken: n says no to all of it, `all` takes all, a number takes one"
ONCE = "a choice of hunks is not remembered: y answers with what is taken"


class Hunks(Boolean):
    """Apply these changes? Some of them."""

    def __init__(self, prompt: PromptRequest, others: int = 0) -> None:
        super().__init__(prompt, others)
        self._parts = prompt.question.parts
        self._taking = {part.id for part in self._parts}
        self._comments: dict[str, str] = {}

    # --- what is shown ------------------------------------------------------------------------------------

    def _choices(self) -> Iterator[str]:
        yield f"{w.HUNKS.format(n=len(self._parts))}:"
        for number, part in enumerate(self._parts, 1):
            yield self._row(number, part)
            if part.diff.strip("\n") not in (self._question.context or ""):
                yield quoted_context(part.diff)  # nothing is approved that was not shown
            if words := self._comments.get(part.id):
                yield f"     comment: {line(words)}"
        for key, words, value, remember in self._entries():
            yield f"  {key}  {words}{self._beside(value, remember)}"
        yield from self._covers()
        yield self._says()

    def _row(self, number: int, part: Part) -> str:
        marks = [one[:1] for one in part.diff.split("\n") if not one.startswith("@@")]
        changes = w.CHANGES.format(added=marks.count("+"), removed=marks.count("-"))
        words = in_diff(part.diff)[1]
        taken = "taken" if part.id in self._taking else "left"
        return f"  {number}  {taken}  {line(part.title)}  {changes}{f'  {words}' if words else ''}"

    def _says(self) -> str:
        """What y would apply now."""
        taken = [str(number) for number, part in enumerate(self._parts, 1) if part.id in self._taking]
        if len(taken) == len(self._parts):
            return f"y applies {w.HUNKS.format(n=ALL.format(m=len(taken)))}."
        if not taken:
            return f"{TAKEN.format(n=0, m=len(self._parts))}; y applies nothing."
        which = ", ".join(taken[:40]) + (f" and {len(taken) - 40} more" if len(taken) > 40 else "")
        return f"{TAKEN.format(n=len(taken), m=len(self._parts))}: y applies {which} and nothing else."

    def _keys(self) -> Iterator[tuple[str, str]]:
        whole = len(self._taking) == len(self._parts)
        yield from ((key, does) for key, does in super()._keys() if whole or key != "Enter")
        yield "numbers", "take or leave a hunk"
        yield ":k NUMBER WORDS", "a comment on a hunk"
        yield ":p NUMBER", "shows a hunk"

    def _common(self) -> Iterator[tuple[str, str]]:
        yield "a", "takes all hunks, or none"
        yield "i", "takes what is left and leaves what is taken"
        yield "all, none, 2-5", "take all, leave all, take or leave several"
        yield from super()._common()

    # --- what is typed ------------------------------------------------------------------------------------

    def _word(self, word: str, rest: str) -> Outcome:
        if word not in (":k", ":p"):
            return super()._word(word, rest)
        typed, _, words = rest.partition(" ")
        number = pick(typed, len(self._parts))
        if number is None:
            return Words(f"{word} and a number from 1 to {len(self._parts)}")
        part = self._parts[number - 1]
        if word == ":p":
            return Words(f"{self._row(number, part)}\n{quoted_context(part.diff)}")
        self._comments.pop(part.id, None)
        if words.strip():
            self._comments[part.id] = words.strip()
            return Words(f"Your comment on {number} goes with the answer, whatever that is.")
        return Words(f"There is no comment on {number}.")

    def _answer(self, line: str) -> Outcome:
        typed = line.strip()
        every = {part.id for part in self._parts}
        match typed:
            case "all" | "none":
                return self._take(every if typed == "all" else set())
            case "a":
                return self._take(set() if self._taking == every else every)
            case "i":
                return self._take(every - self._taking)
            case "" if self._taking != every:
                return Words(f"{self._says()} Type y or n.")
        named = self._numbers(typed)
        if named is None:
            return super()._answer(line)
        return named if isinstance(named, Words) else self._take(self._taking ^ named)

    def _numbers(self, typed: str) -> set[str] | Words | None:
        """The hunks that are named; None for what has nothing of a number."""
        if not typed[:1].isdecimal():
            return None
        found: set[str] = set()
        for word in typed.replace(",", " ").split():
            first, dash, last = word.partition("-")
            ends = pick(first, len(self._parts)), pick(last if dash else first, len(self._parts))
            if ends[0] is None or ends[1] is None or ends[0] > ends[1]:
                return Words(f"{word}: numbers from 1 to {len(self._parts)}")
            found |= {part.id for part in self._parts[ends[0] - 1 : ends[1]]}
        return found

    def _take(self, taking: set[str]) -> Words:
        self._taking = taking
        return Words(self._says())

    def _said(self, value: Json, *, remember: bool = False) -> Answered | Words:  # type: ignore[override]
        taken = tuple(part.id for part in self._parts if value is True and part.id in self._taking)
        whole = len(taken) in (0, len(self._parts))
        if value is True and not taken:
            return Words(NONE_TAKEN)
        if remember and not whole:
            return Words(ONCE)
        parts = None if whole and not self._comments else PartsTaken(accepted=taken, comments=self._comments)
        return Answered(value=value, remember=remember, note=self._note, parts=parts)
