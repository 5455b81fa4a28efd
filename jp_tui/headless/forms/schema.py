"""A JSON answer in lines: the form of its schema, level by level, or the JSON itself (R186, issue 5, 10; E60).

A number selects a field, and a value after it fills it; a field with fields of its own is opened. Whole JSON may be
typed at any time. The engine validates the answer: problems are shown at their fields, and nothing is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from jp_tui.conversation.strict_json import Json, JsonObject, same
from jp_tui.headless.forms.answer import AGAIN, HELP, LETTERS, AnswerLines
from jp_tui.headless.forms.editing import JsonLines, schema_answer
from jp_tui.headless.forms.question import AskedQuestion
from jp_tui.headless.forms.schema_field import FieldStep, JsonStep, value_in
from jp_tui.headless.forms.steps import Back, Outcome, Step, Words, line, pick, quoted
from jp_tui.protocol.values import Answered
from jp_tui.view.schema import edit
from jp_tui.view.schema import numbered_lines as schema_lines
from jp_tui.view.schema.edit import Path
from jp_tui.view.schema.form import SchemaOutline
from jp_tui.view.schema.lines import FieldProblem, problems
from jp_tui.view.schema.numbered_lines import FieldRow

SUBMIT = "submit"
NOT_YET = f"Not sent yet. A number selects a field, `{SUBMIT}` sends the answer."
NO_FORM = "There is no form for this ({note}). Enter the answer as JSON."
TOP = "The whole answer"
MOST = 200
"""Fields of one place that are listed."""


class SchemaLines(AnswerLines):
    """A form if the schema has one, else JSON over several lines; invalid input is asked again (R186)."""

    letters = LETTERS

    def __init__(self, question: AskedQuestion, schema: JsonObject) -> None:
        self._question = question
        self._schema, self._json = schema, JsonLines()
        self._fields = SchemaOutline(schema)
        self._begun = (
            next(iter(self._question.offered), None) if self._question.offered else edit.skeleton(self._fields)
        )
        self._document: Json = self._begun
        self._here: Path = ()
        self._problems: list[FieldProblem] = []

    @property
    def gathers(self) -> bool:
        return bool(self._json.lines)

    @property
    def mark(self) -> str:
        return self._json.mark

    @property
    def _formed(self) -> bool:
        return schema_lines.formed(self._fields, self._document)

    @property
    def _untouched(self) -> bool:
        """True if the answer is still what was offered, which Enter accepts."""
        return bool(self._question.offered) and same(self._document, self._begun)

    def _rows(self) -> list[FieldRow]:
        return schema_lines.rows(self._fields, self._document, self._here)

    # Display

    def body(self) -> Iterator[str]:
        if not self._formed:
            yield from self._plainly()
            return
        if self._here:
            yield f"In {self._place()}:"
        yield from self._listed()
        if self._untouched:
            yield f"  ({self._question.mark})"
        if self._json.lines:
            yield "Incomplete JSON:"
            yield quoted("\n".join(self._json.lines))

    def _listed(self) -> Iterator[str]:
        """Yield the rows of the place, and its overall problem."""
        rows = self._rows()
        for number, row in enumerate(rows[:MOST], 1):
            yield from self._row_lines(number, row)
        if len(rows) > MOST or not rows:
            yield f"  … {len(rows) - MOST} more; their numbers work too" if rows else "  (empty)"
        for problem in self._problems:
            if problem.path == self._here:
                yield f"  ! {line(problem.words)}"

    def _plainly(self) -> Iterator[str]:
        """Yield the valid values of a schema without a form, and the default."""
        root = self._fields.root
        if root.kind == "json" and root.note:
            yield NO_FORM.format(note=root.note)
        elif root.kind != "json":
            yield f"  {line(schema_lines.valid_values(FieldRow((), root, '')))}"
        for value in self._question.offered:
            yield f"{self._question.mark}:"
            yield quoted(json.dumps(value, ensure_ascii=False, indent=2))

    def _row_lines(self, number: int, row: FieldRow) -> Iterator[str]:
        held = schema_lines.present_value(self._document, row)
        yield f"  {number}  {line(row.label)} ({line(schema_lines.valid_values(row))}): {line(held)}"
        if row.shape.about:
            yield f"     {line(row.shape.about)}"
        for words in schema_lines.counted(self._problems, row):
            yield f"     ! {line(words)}"

    def _place(self) -> str:
        return line(", ".join(f"entry {step + 1}" if isinstance(step, int) else step for step in self._here))

    @property
    def _is_list(self) -> bool:
        return self._fields.at(self._here).kind == "list"

    def keys(self) -> Iterator[tuple[str, str]]:
        if self._formed:
            yield "NUMBER", "selects a field"
            yield "NUMBER VALUE", "sets it"
            if self._is_list:
                yield "+", "adds an entry"
            if self._here:
                yield "..", "goes up"
            yield SUBMIT, "sends the answer"
            yield ":j", "the answer as JSON"
        else:
            yield "JSON", "on one or more lines"
        if self._untouched:
            yield self._question.enter()

    def words(self) -> Iterator[tuple[str, str]]:
        if self._formed:
            yield "+ VALUE", "adds an entry to a list"
            yield ":d NUMBER", "removes a value or an entry"
            yield ":m NUMBER PLACE", "moves an entry to another place"
            yield "{…} or […]", "enters the whole answer as JSON, on one or more lines"
        yield ":v", "shows the whole schema"

    # Input

    def claims(self, line: str, letters: frozenset[str]) -> bool:
        """Return True while JSON is typed over several lines, except for words; `:x` is one of the JSON's own."""
        typed = line.strip()
        word = typed in (AGAIN, HELP, *letters) or (typed[:1] == ":" and typed[1:2].isalpha() and typed != ":x")
        return bool(self._json.lines) and not word

    def pasted(self, lines: Sequence[str]) -> Outcome:
        return schema_answer(self._json.add(lines), self._sent)

    def _sent(self, value: Json) -> Answered:
        """Return the whole answer; if it is invalid, the form continues with it."""
        self._document, self._here, self._problems = value, (), []
        return self._question.answered(value)

    def answer(self, line: str) -> Outcome:
        typed = line.strip()
        if self._json.lines and typed == ":x":
            self._json.clear()
            return Words("Start again.")
        if self._json.lines:
            return self.pasted([line])
        if not typed:
            if self._untouched:
                return self._sent(self._begun)
            return Words(NOT_YET if self._formed else "The answer must be a JSON value.")
        if not self._formed or typed[0] in "{[":
            return self.pasted([line])
        if typed.lower() == SUBMIT:
            return self._question.answered(self._document)
        if typed == "..":
            return self._up()
        if typed[0] == "+" and self._is_list:
            return self._add(typed[1:].strip())
        word, _, rest = typed.partition(" ")
        found = self._reached(word)
        return Words(f"{self._range()} `{SUBMIT}` sends the answer.") if found is None else self._pick(found, rest)

    def _range(self) -> str:
        count = len(self._rows())
        return f"Enter a number from 1 to {count}." if count else "There are no fields here."

    def _reached(self, word: str) -> FieldRow | None:
        """Return the row of a number; numbers with dots go down level by level."""
        here, row = self._here, None
        for step in word.split("."):
            below = schema_lines.rows(self._fields, self._document, here)
            number = pick(step, len(below))
            if number is None or (row is not None and not row.inside):
                return None
            row = below[number - 1]
            here = row.path
        return row

    def _pick(self, row: FieldRow, rest: str) -> Outcome:
        if row.inside:
            if rest:
                return Words(f"{line(row.label)} has fields of its own. Enter only its number to open them.")
            return self._walked(row.path)
        if not rest:
            return self._opened(row)
        found = value_in(row, rest)
        return found if isinstance(found, Words) else self.put(row, found[0])

    def _opened(self, row: FieldRow) -> Step:
        return FieldStep(row, schema_lines.present_value(self._document, row), self.put)

    def put(self, row: FieldRow, value: Json) -> Back:
        """Set a field's value, and show it."""
        self._document = edit.set_value_at(self._fields, self._document, row.path, value)
        return self._changed(row)

    def _changed(self, row: FieldRow) -> Back:
        self._problems = [one for one in self._problems if one.path[: len(row.path)] != row.path]
        return Back(f"{line(row.label)}: {line(schema_lines.present_value(self._document, row))}", quiet=True)

    def _up(self) -> Outcome:
        if not self._here:
            return Words("this is the whole answer")
        return self._walked(self._here[:-1])

    def _walked(self, here: Path) -> Back:
        """Go to another place, which is shown alone: the question was shown before, and `.` shows all again."""
        self._here = here
        ways = ["`..` goes up"] if here else [f"`{SUBMIT}` sends the answer"]
        ways += ["`+` adds an entry"] if self._is_list else []
        place = f"In {self._place()}:" if here else f"{TOP}:"
        return Back("\n".join([place, *self._listed(), " · ".join(ways)]), quiet=True)

    # Lists

    def _add(self, rest: str) -> Outcome:
        shape, value = self._fields.at(self._here), edit.get(self._document, self._here)
        row = FieldRow((*self._here, len(value) if isinstance(value, list) else 0), shape.item, "new entry")
        if not row.inside:
            return self._pick(row, rest)
        if rest:
            return Words("Enter only `+` to add an entry that has fields.")
        self._document, here = edit.added(self._fields, self._document, self._here)
        return self._walked(here)

    def word(self, word: str, rest: str) -> Outcome:
        match word:
            case ":v":
                return Words(quoted(json.dumps(self._schema, ensure_ascii=False, indent=2)))
            case ":j" if self._formed:
                return JsonStep(self._document, self._accept)
            case ":d" if self._formed:
                return self._drop(rest)
            case ":m" if self._formed:
                return self._move(rest)
        return None

    def _accept(self, value: Json) -> Back:
        self._document, self._here, self._problems = value, (), []
        return Back(f"This is now the answer. `{SUBMIT}` sends it.")

    def _drop(self, rest: str) -> Outcome:
        row = self._reached(rest)
        if row is None:
            return Words(f"Enter :d and the number. {self._range()}")
        if row.shape.nullable and not row.extra and edit.get(self._document, row.path) is not None:
            return self.put(row, None)
        self._document = edit.remove_at(self._document, row.path)
        if isinstance(row.path[-1], int):
            self._problems = []
            return Back(f"Entry {line(row.label)} is removed.")
        return self._changed(row)

    def _move(self, rest: str) -> Outcome:
        count = len(self._rows()) if self._is_list else 0
        first, _, second = rest.partition(" ")
        at, to = pick(first, count), pick(second.strip(), count)
        if at is None or to is None:
            return Words(
                f"Enter :m, the number of an entry and its new place from 1 to {count}."
                if count
                else "This isn't a list."
            )
        self._document, _ = edit.moved(self._fields, self._document, (*self._here, at - 1), to - at)
        self._problems = []
        return Back(f"Entry {at} is now entry {to}.")

    # Events of the engine

    def wrong(self, problems_found: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Handle the engine's check of the answer: yield each problem with the numbers of its field."""
        self._problems = problems(self._document, problems_found)
        for one in self._problems if self._formed else ():
            if numbers := self._numbers(one.path):
                self._here = ()
                yield f"  {numbers}  {line(str(one.path[-1]))}: {line(one.words)}"

    def _numbers(self, path: Path) -> str:
        """Return the numbers of a path from the top, as `2.1`, as far as they exist."""
        found: list[str] = []
        for depth in range(len(path)):
            below = schema_lines.rows(self._fields, self._document, path[:depth])
            at = next((n for n, row in enumerate(below, 1) if row.path == path[: depth + 1]), None)
            if at is None:
                break
            found.append(str(at))
        return ".".join(found)
