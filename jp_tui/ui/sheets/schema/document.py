"""The state of a schema answer: the document, the unfolded parts of its form, the cursor, and the problems.

Form and JSON show this one document. It knows no widget and no engine; each change increments `revision`, so that a
check counts only for the very document it was made for (E14, R186).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.view.schema import edit
from jp_tui.view.schema import lines as at
from jp_tui.view.schema.choices import EnumChoice
from jp_tui.view.schema.edit import ABSENT, Path
from jp_tui.view.schema.form import SchemaOutline, Shape
from jp_tui.view.schema.lines import FieldProblem, FormLine
from jp_tui.view.schema.remainder import first_key


class FormDocument:
    """An answer while it is filled in."""

    def __init__(self, schema: JsonObject, begins: tuple[Json, ...]) -> None:
        self.form = SchemaOutline(schema)
        self.value: Json = begins[0] if begins else edit.skeleton(self.form)
        self.start: Json = self.value
        self.made: Json | None = None if begins else self.value
        self.revision = 0
        self.cursor = self.option = 0
        """The line with the cursor, and the choice that the cursor is on in it."""
        self._inline: Callable[[Shape], bool] = lambda shape: len(shape.choices) <= 4
        self.result: tuple[int, list[FieldProblem]] | None = None
        self.folds: dict[Path, bool] = {}
        self.local: dict[Path, str] = {}
        """Problems of texts before the engine checks them, by path."""
        self._begun: set[Path] = set()  # paths that were edited or chosen
        self._tried = False  # the user tried to submit
        self.narrowed: Path = ()
        """The long choice that shows only values with `letters`."""
        self.letters = ""
        """Letters in lower case; empty for no filter."""
        self._lines: list[FormLine] | None = None
        self._found: dict[Path, FieldProblem] = {}

    # Lines

    @property
    def lines(self) -> list[FormLine]:
        """All visible lines; made again only when a change may have moved one."""
        if self._lines is None:
            self._lines = at.lines(self.form, self.value, self.folds, self._inline, self._kept)
            self.cursor = min(self.cursor, max(len(self._lines) - 1, 0))
        return self._lines

    @property
    def line(self) -> FormLine | None:
        """The line under the cursor."""
        return self.lines[self.cursor] if self.lines else None

    @property
    def whole(self) -> FormLine | None:
        """The only line, of a schema that has no form: everything is written as JSON."""
        lines = self.lines
        return lines[0] if len(lines) == 1 and lines[0].role == "json" and not lines[0].path else None

    def value_at(self, line: FormLine) -> Json | edit._Absent:
        """Return the value of a line."""
        return edit.get(self.value, line.path)

    def place(self, line: FormLine) -> Path:
        """Return the path in the document that a line leads to."""
        key = first_key(line.shape, edit.get(self.value, line.path)) if line.role == "more" else None
        return line.path if key is None else (*line.path, key)

    def lay_choices(self, inline: Callable[[Shape], bool]) -> None:
        """Set which choices have room on one line."""
        self._inline = inline
        self._relay()

    def _relay(self) -> None:
        """Make the lines again, the cursor on the same one."""
        here = self.line
        self._lines = None
        self._stay(here)

    def go(self, place: int) -> None:
        """Move the cursor to a line, and in it to the chosen value."""
        if self.lines:
            self.cursor = min(max(place, 0), len(self.lines) - 1)
            line = self.lines[self.cursor]
            if self.letters and line.path != self.narrowed:
                self.letters, self._lines = "", None
                self._stay(line)
            self.option = edit.place_of(line.shape, self.value_at(line)) or 0

    def point(self, option: int) -> None:
        """Move the cursor to a choice of its line."""
        self.option = option

    def go_to(self, path: Path) -> None:
        """Move the cursor to the line of a path, and unfold its parents."""
        for end in range(len(path)):
            around = at.line_of(self.lines, path[:end]) if end else None
            if around is not None and self.lines[around].role == "head" and not self.lines[around].unfolded:
                self.folds[path[:end]] = True
                self._lines = None
        found = at.line_of(self.lines, path)
        if found is not None:
            self.go(found)

    def narrow(self, path: Path, letters: str) -> None:
        """Show only values with these letters in the choice at a path, the cursor on one of them."""
        here = self.line
        self.narrowed, self.letters, self._lines = path, letters.strip().casefold(), None
        self._stay(here)
        line = self.line
        if line is not None and line.role == "head" and self.letters and self.found:
            self.cursor += 1

    @property
    def found(self) -> int | None:
        """The number of values with the letters; None without a filter."""
        if not self.letters:
            return None
        return sum(line.role == "option" and line.path == self.narrowed for line in self.lines)

    def _kept(self, path: Path, choice: EnumChoice) -> bool:
        if not self.letters or path != self.narrowed:
            return True
        return self.letters in choice.label.casefold() or self.letters in choice.about.casefold()

    def _stay(self, line: FormLine | None) -> None:
        """Put the cursor on the same line as before, else on the one around it."""
        if line is None:
            return
        here = line.path, line.role, line.option
        found = next((n for n, one in enumerate(self.lines) if (one.path, one.role, one.option) == here), None)
        around = at.line_of(self.lines, line.path) if found is None else found
        self.cursor = around if around is not None else min(self.cursor, max(len(self.lines) - 1, 0))

    # Changes

    def become(self, value: Json, *, revised: bool = True) -> None:
        """Replace the document by one that was written as JSON."""
        here = self.line
        self.value = value
        self._begun.add(())
        self.revision += revised
        self.local.clear()
        self._lines = None
        self._stay(here)

    def outdate(self) -> None:
        """Increment `revision`: the JSON is changed, and may be another document."""
        self.revision += 1

    def tried(self) -> None:
        """Note that the user tried to submit: missing parts count as wrong from now on."""
        self._tried = True

    def _changed(self, document: Json, *, moved: bool) -> None:
        self.value = document
        self.revision += 1
        if moved:
            self._lines = None

    def type(self, line: FormLine, text: str) -> None:
        """Write a text into a field."""
        document, problem = edit.set_field_text(self.form, self.value, line.path, text)
        self.local.pop(line.path, None)
        if problem:
            self.local[line.path] = problem
        self._begun.add(line.path)
        self._changed(document, moved=False)

    def leave(self) -> None:
        """React to a field that lost the focus: its text may have to be shown as JSON."""
        line = self.line
        if line is not None and line.writes and edit.why_not(line.shape, self.value_at(line)):
            self._relay()

    def choose(self, line: FormLine, place: int) -> None:
        """Choose one of the choices, or remove it where several are possible or none is required."""
        shape = line.shape
        value = self.value_at(line)
        self._begun.add(line.path)
        if shape.kind not in ("many",) and edit.place_of(shape, value) == place:
            if not line.required and line.path and isinstance(line.path[-1], str) and line.role == "field":
                self._changed(edit.remove_at(self.value, line.path), moved=False)
            return
        self._changed(edit.toggle_choice(self.form, self.value, line.path, place), moved=False)
        if line.role == "field":
            self.option = place
        elif shape.kind == "choice":
            self.fold(line.path, False)

    def fold(self, path: Path, unfolded: bool) -> None:
        """Fold or unfold a list, an object or a long choice, the cursor on its head."""
        if unfolded and edit.get(self.value, path) is None:  # null, when unfolded, becomes a value
            value = edit.made(self.form.at(path))
            if not isinstance(value, edit._Absent):
                self._changed(edit.set_value_at(self.form, self.value, path, value), moved=True)
        self.folds[path] = unfolded
        self._lines = None
        if path == self.narrowed:
            self.letters = ""
        found = at.line_of(self.lines, path)
        if found is not None:
            self.cursor = found

    def add(self, path: Path) -> None:
        """Add an entry to the end of a list, unfolded, the cursor on its first field."""
        self._begun.add(path)
        document, new = edit.added(self.form, self.value, path)
        self._changed(document, moved=True)
        self.folds[path] = self.folds[new] = True
        self._lines = None
        found = at.line_of(self.lines, new)
        if found is not None:
            inside = found + 1 < len(self.lines) and len(self.lines[found + 1].path) > len(new)
            self.go(found + 1 if self.lines[found].role == "head" and inside else found)

    def removal(self, line: FormLine) -> Literal["null", "remove", "unset", ""]:
        """Return what Del does there: a value that may be null becomes null first, and is removed only then."""
        value = self.value_at(line)
        if line.role in at.ASIDE:
            return ""
        if line.shape.nullable and value is not None and (line.role == "head" or line.writes):
            return "null"
        if not line.path or value is ABSENT:
            return ""
        return "remove" if line.entry else "unset"

    def remove(self, line: FormLine) -> bool:
        """Remove an entry, or the value of a property. Return False if there is none."""
        does = self.removal(line)
        if not does:
            return False
        self._begun.add(line.path)
        if does == "null":
            self._forget(line.path)
            self.folds[line.path] = False
            self._changed(edit.set_value_at(self.form, self.value, line.path, None), moved=True)
            self._stay(line)
            return True
        self._forget(line.path[:-1] if line.entry else line.path)
        self._changed(edit.remove_at(self.value, line.path), moved=True)
        if self.lines:
            self.go(self.cursor)
        return True

    def shift(self, line: FormLine, by: int) -> bool:
        """Move an entry up or down in its list. Return False if it stays."""
        document, path = edit.moved(self.form, self.value, line.path, by)
        if path == line.path:
            return False
        unfolded = self.folds.get(line.path), self.folds.get(path)
        self._forget(line.path[:-1])
        for one, was in ((path, unfolded[0]), (line.path, unfolded[1])):
            if was is not None:
                self.folds[one] = was
        self._changed(document, moved=True)
        found = at.line_of(self.lines, path)
        if found is not None:
            self.go(found)
        return True

    def _forget(self, path: Path) -> None:
        """Drop the state of all paths below a path."""
        for kept in (self.folds, self.local):
            for one in [one for one in kept if one[: len(path)] == path and len(one) > len(path)]:
                del kept[one]
        self.local.pop(path, None)

    # Checks

    def checked(self, revision: int, problems: Sequence[tuple[str, str]]) -> bool:
        """Take a check of the engine. Return False if it is for another revision."""
        if revision != self.revision:
            return False
        rows = self.lines
        found = [self._needed(one) for one in at.problems(self.value, problems)]
        found.sort(key=lambda one: -1 if (place := at.line_of(rows, one.path)) is None else place)
        self.result = revision, found
        self._found = {}
        for one in found:
            self._found.setdefault(one.path, one)
        return True

    def _needed(self, one: FieldProblem) -> FieldProblem:
        """Return a problem, as merely missing where nothing was written yet."""
        value = edit.get(self.value, one.path)
        empty = value == "" or value == [] or (value == {} and not one.path and self.value is self.made)
        return replace(one, words="is empty", missing=True) if empty and not self.started(one.path) else one

    def started(self, path: Path) -> bool:
        """Return True if the user edited there, or tried to submit."""
        return self._tried or path in self._begun

    @property
    def unshown(self) -> int:
        """The number of keys of the document that have no line."""
        return sum(line.more for line in self.lines)

    @property
    def problems(self) -> list[FieldProblem]:
        """The problems of the last check, whichever revision it was for."""
        return self.result[1] if self.result else []

    @property
    def sure(self) -> bool:
        """True if the last check is for exactly this document."""
        return self.result is not None and self.result[0] == self.revision

    def problem_at(self, line: FormLine) -> FieldProblem | None:
        """Return the problem of a line, its text, or a part folded in it."""
        if line.role in at.ASIDE and (line.role != "more" or line.path):  # the whole document has no other line
            return None
        if line.path in self.local:
            return FieldProblem(line.path, at.pointer(line.path), self.local[line.path])
        if line.path in self._found:
            return self._found[line.path]
        if line.role == "json" or (line.role == "head" and not line.unfolded) or line.shape.kind == "many":
            size = len(line.path)
            return next((one for one in self.problems if one.path[:size] == line.path), None)
        return None
