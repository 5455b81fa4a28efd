"""Navigation in a form, in lines (inquiries.md R175-R178, R182b; asking.md E3, E23): Back, its undo, skipped questions.

Reads the form of a prompt and decides nothing. The list of words names what Back discards, so no second confirmation is
needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jp_tui.conversation.strict_json import Json, dump
from jp_tui.headless.forms.steps import MenuEntry, Outcome, Words, line, pick, quoted
from jp_tui.protocol.values import PromptRequest, Restored, WentBack
from jp_tui.questions.types import Place
from jp_tui.view.wording import questions as w

BACKS = "goes back to that question and removes later answers; u restores them"
MOST = 300
"""Characters of an answer that a list shows."""


class FormMoves:
    """Moves between the questions of a prompt's form; none without a form."""

    def __init__(self, prompt: PromptRequest) -> None:
        self._prompt = prompt
        form = prompt.form
        self.places: tuple[Place, ...] = form.places if form is not None else ()

    # Display

    def skipped(self) -> Iterator[str]:
        """Yield the questions skipped before this one, and why; the progress skips their numbers."""
        at = next((n for n, place in enumerate(self.places) if place.state == "current"), 0)
        first = at
        while first and (self.places[first - 1].state == "skipped" or self.places[first - 1].fixed):
            first -= 1
        for place in self.places[first:at]:
            yield f"– {line(place.id)}: {_state(place)}"

    def letters(self) -> Iterator[tuple[str, str]]:
        """Yield (the letter, its present effect)."""
        if (back := self._prompt.back) and "back" in self._prompt.controls:
            yield "b", f"{w.BACK} {self._does(back)}"
        if self._prompt.undo:
            yield "u", f"{w.UNDO} {w.UNDO_DOES.format(which=names(self._prompt.undo))}"

    def words(self) -> Iterator[tuple[str, str]]:
        """Yield what can be typed besides the letters."""
        if len(self.places) > 1:
            yield ":b NUMBER", BACKS
            yield ":f", "lists the questions of the form"

    def entries(self) -> Iterator[MenuEntry]:
        """Yield lines for the menu of a question (R248, M42)."""
        if (back := self._prompt.back) and "back" in self._prompt.controls:
            yield MenuEntry(w.BACK, self._does(back), WentBack())
        if self._prompt.undo:
            yield MenuEntry(w.UNDO, w.UNDO_DOES.format(which=names(self._prompt.undo)), Restored())

    def _does(self, to: str) -> str:
        gone = self.discards(to)
        return (w.BACK_DISCARDS if gone else w.BACK_DOES).format(to=line(to), which=names(gone))

    def discards(self, to: str) -> list[str]:
        """Return the questions whose answers Back to `to` discards, besides its own (R177)."""
        ids = [place.id for place in self.places]
        later = self.places[ids.index(to) + 1 :] if to in ids else ()
        return [place.id for place in later if place.state == "answered" and not place.fixed]

    def listed(self) -> Iterator[str]:
        """Yield every question with its number, its answer or why it has none, and its text."""
        for number, place in enumerate(self.places, 1):
            yield f"  {number}  {line(place.id)}: {_state(place)}"
            if place.text != place.id:
                yield f"     {_cut(place.text)}"

    def whole(self, rest: str) -> Words:
        """Return all of the answer with that number."""
        number = pick(rest, len(self.places))
        if number is None:
            return Words(f"Enter :p and a number from 1 to {len(self.places)}.")
        place = self.places[number - 1]
        return Words(quoted(_answer_text(place.answer) if place.state == "answered" else _state(place)))

    # Actions

    def back(self, rest: str = "") -> Outcome:
        """Go back to the last answered question, or to the one with that number."""
        if rest:
            number = pick(rest, len(self.places))
            wrong = Words(f"Enter a number from 1 to {max(len(self.places), 1)}.")
            return wrong if number is None else self.to(number)
        return WentBack() if "back" in self._prompt.controls else Words(w.NO_BACK)

    def to(self, number: int) -> Outcome:
        """Go back to the question with that number (R182b), or return why not."""
        place = self.places[number - 1]
        if place.state == "answered" and not place.fixed:
            return WentBack(to=place.id)
        if place.fixed:
            return Words(w.FIXED_ANSWER.format(id=line(place.id)))
        if place.state == "skipped":
            return Words(w.SKIPPED_LINE.format(id=line(place.id), because=line(place.because)))
        return Words("That is the current question." if place.state == "current" else w.NOT_AHEAD)

    def undo(self) -> Outcome:
        """Restore the answers that Back removed."""
        return Restored() if self._prompt.undo else Words("There is nothing to restore.")


def names(ids: Sequence[str]) -> str:
    """Return some ids; only the first few if there are many."""
    more = [f"{len(ids) - 6} more"] if len(ids) > 6 else []
    return ", ".join([*map(line, ids[:6]), *more])


def _state(place: Place) -> str:
    match place.state:
        case "answered":
            return f"{_cut(_answer_text(place.answer))}{f'  ({w.FIXED})' if place.fixed else ''}"
        case "skipped":
            return w.SKIPPED.format(because=line(place.because))
        case "current":
            return "this question"
        case "ahead":
            return "not asked yet"


def _answer_text(value: Json) -> str:
    """Return an answer as text."""
    match value:
        case True:
            return w.YES
        case False:
            return w.NO
        case "":
            return w.EMPTY_ANSWER
        case []:
            return "none, on purpose"
        case str():
            return value
        case list() if all(isinstance(one, str) for one in value):
            return ", ".join(map(str, value))
        case _:
            return dump(value)


def _cut(text: str) -> str:
    shown = line(text[:MOST])
    return shown if len(text) <= MOST else f"{shown} {w.CUT.format(n=len(text) - MOST)}"
