"""One field of a form in lines: its valid input and the value (R11, R186, E14).

Input of the wrong type is explained and asked again; the engine checks the schema's bounds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from jp_tui.conversation.strict_json import Json, JsonProblem, parse
from jp_tui.headless.forms.editing import JsonLines
from jp_tui.headless.forms.question import EMPTY
from jp_tui.headless.forms.steps import Back, Gathered, Outcome, Step, Words, line, pick, quoted
from jp_tui.view.schema import edit
from jp_tui.view.schema.form import Shape
from jp_tui.view.schema.numbered_lines import FieldRow, valid_values

UNCHANGED = Back("No changes.", quiet=True)
LEAVES = "An empty line changes nothing."
_YES, _NO = ("y", "yes", "true"), ("n", "no", "false")


def as_json(row: FieldRow) -> bool:
    """Return True if a field is written as JSON."""
    return row.extra or bool(row.note) or row.shape.kind == "json"


def value_in(row: FieldRow, text: str) -> tuple[Json] | Words:
    """Return the value of a line in a field, in a tuple, or its problem."""
    shape = row.shape
    typed = text.strip()
    if as_json(row):
        return _json(typed)
    if typed == "null" and (shape.kind == "null" or (shape.nullable and shape.kind != "text")):
        return (None,)
    match shape.kind:
        case "boolean":
            if typed.lower() in (*_YES, *_NO):
                return (typed.lower() in _YES,)
            return Words("y or n")
        case "choice":
            return _choice(shape, typed)
        case "many":
            return _many(shape, typed)
        case "integer" | "number":
            value, problem = edit.parse_field(shape, typed)
            if problem or value is edit.ABSENT or not isinstance(value, (int, float, type(None))):
                return Words(problem or "Enter a value.")
            return (value,)
        case "text":
            return ("" if text == EMPTY else text,)
        case _:
            return Words("Only null is allowed here.")


def _json(typed: str) -> tuple[Json] | Words:
    try:
        return (parse(typed),)
    except JsonProblem as problem:
        return Words(f"The JSON isn't valid: {line(problem.message)}")


def _choice(shape: Shape, typed: str) -> tuple[Json] | Words:
    place = _place(shape, typed)
    return (shape.choices[place].value,) if place is not None else Words(_range(shape))


def _place(shape: Shape, typed: str) -> int | None:
    """Return the index of a choice: by its number, else its name; `=` before a name that is also a number."""
    number = pick(typed.removeprefix("#"), len(shape.choices))
    if number is not None:
        return number - 1
    name = typed.removeprefix("=")
    return next((at for at, choice in enumerate(shape.choices) if choice.label == name), None)


def _many(shape: Shape, typed: str) -> tuple[Json] | Words:
    if typed in ("all", "none"):
        return ([choice.value for choice in shape.choices] if typed == "all" else [],)
    whole = _place(shape, typed)
    places = {whole} if whole is not None else {_place(shape, word) for word in typed.replace(",", " ").split()}
    if None in places or not places:
        return Words(f"{_range(shape)} Separate several with commas. Or `all` or `none`.")
    return ([choice.value for at, choice in enumerate(shape.choices) if at in places],)


def _range(shape: Shape) -> str:
    return f"Enter a number from 1 to {len(shape.choices)}."


class FieldStep(Step):
    """One field: its valid and present values, then a line for it. `then` receives the value."""

    def __init__(self, row: FieldRow, held: str, then: Callable[[FieldRow, Json], Outcome]) -> None:
        self._row, self._held, self._then = row, held, then
        self._json, self._text = JsonLines(), list[str]()

    @property
    def gathers(self) -> bool:
        return bool(self._json.lines or self._text)

    @property
    def mark(self) -> str:
        return self._json.mark if self._json.lines else "… " if self._text else "= "

    def intro(self) -> Iterator[str]:
        row = self._row
        yield f"{line(row.label)} ({line(valid_values(row))}): {line(self._held)}"
        if row.shape.about:
            yield line(row.shape.about)
        if not as_json(row):
            for number, choice in enumerate(row.shape.choices, 1):
                yield f"  {number}  {line(choice.label)}{f': {line(choice.about)}' if choice.about else ''}"
        yield f"{self._how()} {LEAVES}"

    def _how(self) -> str:
        if as_json(self._row):
            return "Enter JSON, on one or more lines."
        match self._row.shape.kind:
            case "boolean":
                return "Enter y or n."
            case "choice":
                return "Enter a number."
            case "many":
                return "Enter numbers separated by commas, `all` or `none`."
            case "text":
                return f"Enter it in one line. `\\` at the end continues on the next, {EMPTY} is an empty text."
            case _:
                return "Enter it."

    def feed(self, line: str) -> Outcome:
        if line.strip() == "." and not self.gathers:
            return Words("\n".join(self.intro()))
        if line.strip() == ":x" or (not line.strip() and not self.gathers):
            self._json.clear()
            self._text.clear()
            return UNCHANGED
        if as_json(self._row):
            return self.pasted([line])
        if self._row.shape.kind == "text":
            return self._typed(line)
        found = value_in(self._row, line)
        return found if isinstance(found, Words) else self._then(self._row, found[0])

    def _typed(self, line: str) -> Outcome:
        if line.endswith("\\") and not line.endswith("\\\\"):
            self._text.append(line[:-1])
            return None
        text = "\n".join([*self._text, line])
        self._text.clear()
        return self._then(self._row, "" if text == EMPTY else text)

    def pasted(self, lines: Sequence[str]) -> Outcome:
        if self._row.shape.kind == "text" and not as_json(self._row):
            kept, self._text = [*self._text, *lines], []
            return Gathered(kept, lambda text: self._then(self._row, text))
        if not as_json(self._row):
            return super().pasted(lines)
        found = self._json.add(lines)
        return self._then(self._row, found[0]) if isinstance(found, tuple) else found


class JsonStep(Step):
    """The whole answer as JSON, typed again. `then` receives the value."""

    gathers = True

    def __init__(self, document: Json, then: Callable[[Json], Outcome]) -> None:
        self._document, self._then, self._json = document, then, JsonLines()

    @property
    def mark(self) -> str:
        return self._json.mark

    def intro(self) -> Iterator[str]:
        yield "Current answer:"
        yield quoted(json.dumps(self._document, ensure_ascii=False, indent=2))
        yield f"Enter the new one as JSON, on one or more lines. {LEAVES}"

    def feed(self, line: str) -> Outcome:
        return self.pasted([line])

    def pasted(self, lines: Sequence[str]) -> Outcome:
        if not self._json.lines and not any(one.strip() for one in lines):
            return UNCHANGED
        if len(lines) == 1 and lines[0].strip() == ":x":
            self._json.clear()
            return UNCHANGED
        found = self._json.add(lines)
        return self._then(found[0]) if isinstance(found, tuple) else found
