"""What a person has filled in so far: the document, what of its form is unfolded, where the cursor is, what is wrong.

One document behind two faces, the form and its JSON. It knows no widget and no engine; each change counts up
`revision`, so that a verdict is believed only for exactly what stands there (E14, R186).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.view.schema import edit
from jp_tui.view.schema import lines as at
from jp_tui.view.schema.choices import Choice
from jp_tui.view.schema.edit import ABSENT, Path
from jp_tui.view.schema.form import Form, Shape
from jp_tui.view.schema.lines import Line, Problem
from jp_tui.view.schema.remainder import first_key


class FormDocument:
    """One answer while it is filled in."""

    def __init__(self, schema: JsonObject, begins: tuple[Json, ...]) -> None:
        self.form = Form(schema)
        self.document: Json = begins[0] if begins else edit.skeleton(self.form)
        self.start: Json = self.document
        self.made: Json | None = None if begins else self.document
        self.revision = 0
        self.cursor = self.option = 0
        self.inline: Callable[[Shape], bool] = lambda shape: len(shape.choices) <= 4
        self.verdict: tuple[int, list[Problem]] | None = None
        self.folds: dict[Path, bool] = {}
        self.local: dict[Path, str] = {}
        """What is wrong with a text before anybody checks it, by its place."""
        self.begun: set[Path] = set()
        self.tried = False
        """Where something was written or chosen, and whether it was to be submitted: before, nothing was done wrong."""
        self.narrowed: Path = ()
        self.letters = ""
        """The long choice that shows only values with these letters, and the letters, without case."""
        self._lines: list[Line] | None = None
        self._found: dict[Path, Problem] = {}

    # Lines

    @property
    def lines(self) -> list[Line]:
        """All lines that are unfolded; made again only when a change may have moved one."""
        if self._lines is None:
            self._lines = at.lines(self.form, self.document, self.folds, self.inline, self._kept)
            self.cursor = min(self.cursor, max(len(self._lines) - 1, 0))
        return self._lines

    @property
    def line(self) -> Line | None:
        """The line under the cursor."""
        return self.lines[self.cursor] if self.lines else None

    @property
    def whole(self) -> Line | None:
        """The one line of a form that is no form at all: everything is written as JSON."""
        lines = self.lines
        return lines[0] if len(lines) == 1 and lines[0].role == "json" and not lines[0].path else None

    def value(self, line: Line) -> Json | edit._Absent:
        """What stands there."""
        return edit.get(self.document, line.path)

    def place(self, line: Line) -> Path:
        """Where in the document a line leads."""
        key = first_key(line.shape, edit.get(self.document, line.path)) if line.role == "more" else None
        return line.path if key is None else (*line.path, key)

    def relaid(self) -> None:
        """Choices may stand otherwise now."""
        here = self.line
        self._lines = None
        self._stay(here)

    def go(self, place: int) -> None:
        """The cursor to a line; on a choice it stands on what is chosen."""
        if self.lines:
            self.cursor = min(max(place, 0), len(self.lines) - 1)
            line = self.lines[self.cursor]
            if self.letters and line.path != self.narrowed:
                self.letters, self._lines = "", None
                self._stay(line)
            self.option = edit.place_of(line.shape, self.value(line)) or 0

    def go_to(self, path: Path) -> None:
        """The cursor to where a path is edited, unfolding what hides it."""
        for end in range(len(path)):
            around = at.line_of(self.lines, path[:end]) if end else None
            if around is not None and self.lines[around].role == "head" and not self.lines[around].unfolded:
                self.folds[path[:end]] = True
                self._lines = None
        found = at.line_of(self.lines, path)
        if found is not None:
            self.go(found)

    def narrow(self, path: Path, letters: str) -> None:
        """Of the choice at a path only values with these letters; the cursor on one of them."""
        here = self.line
        self.narrowed, self.letters, self._lines = path, letters.strip().casefold(), None
        self._stay(here)
        line = self.line
        if line is not None and line.role == "head" and self.letters and self.found:
            self.cursor += 1

    @property
    def found(self) -> int | None:
        """How many values have the letters; None when nothing is looked for."""
        if not self.letters:
            return None
        return sum(line.role == "option" and line.path == self.narrowed for line in self.lines)

    def _kept(self, path: Path, choice: Choice) -> bool:
        if not self.letters or path != self.narrowed:
            return True
        return self.letters in choice.label.casefold() or self.letters in choice.about.casefold()

    def _stay(self, line: Line | None) -> None:
        """The cursor on the same line as before, else on the one around it."""
        if line is None:
            return
        here = line.path, line.role, line.option
        found = next((n for n, one in enumerate(self.lines) if (one.path, one.role, one.option) == here), None)
        around = at.line_of(self.lines, line.path) if found is None else found
        self.cursor = around if around is not None else min(self.cursor, max(len(self.lines) - 1, 0))

    # Changes

    def become(self, document: Json, *, revised: bool = True) -> None:
        """The document was written anew, as JSON."""
        here = self.line
        self.document = document
        self.begun.add(())
        self.revision += revised
        self.local.clear()
        self._lines = None
        self._stay(here)

    def _changed(self, document: Json, *, moved: bool) -> None:
        self.document = document
        self.revision += 1
        if moved:
            self._lines = None

    def type(self, line: Line, text: str) -> None:
        """A text in a field."""
        document, problem = edit.typed(self.form, self.document, line.path, text)
        self.local.pop(line.path, None)
        if problem:
            self.local[line.path] = problem
        self.begun.add(line.path)
        self._changed(document, moved=False)

    def settle(self) -> None:
        """A field was left: what it holds may have to be shown otherwise."""
        line = self.line
        if line is not None and line.writes and edit.why_not(line.shape, self.value(line)):
            self.relaid()

    def choose(self, line: Line, place: int) -> None:
        """One of the choices: taken, or taken away where several may be or none must be."""
        shape = line.shape
        value = self.value(line)
        self.begun.add(line.path)
        if shape.kind not in ("many",) and edit.place_of(shape, value) == place:
            if not line.required and line.path and isinstance(line.path[-1], str) and line.role == "field":
                self._changed(edit.drop(self.document, line.path), moved=False)
            return
        self._changed(edit.marked(self.form, self.document, line.path, place), moved=False)
        if line.role == "field":
            self.option = place
        elif shape.kind == "choice":
            self.fold(line.path, False)

    def fold(self, path: Path, unfolded: bool) -> None:
        """Fold or unfold a list, an object, a long choice; the cursor stands on its head."""
        if unfolded and edit.get(self.document, path) is None:  # null, which is opened, begins
            value = edit.made(self.form.at(path))
            if not isinstance(value, edit._Absent):
                self._changed(edit.put(self.form, self.document, path, value), moved=True)
        self.folds[path] = unfolded
        self._lines = None
        if path == self.narrowed:
            self.letters = ""
        found = at.line_of(self.lines, path)
        if found is not None:
            self.cursor = found

    def add(self, path: Path) -> None:
        """A new entry at the end of a list, unfolded, the cursor on what can be filled in."""
        self.begun.add(path)
        document, new = edit.added(self.form, self.document, path)
        self._changed(document, moved=True)
        self.folds[path] = self.folds[new] = True
        self._lines = None
        found = at.line_of(self.lines, new)
        if found is not None:
            inside = found + 1 < len(self.lines) and len(self.lines[found + 1].path) > len(new)
            self.go(found + 1 if self.lines[found].role == "head" and inside else found)

    def removal(self, line: Line) -> Literal["null", "remove", "unset", ""]:
        """What Del does there: what may be null becomes that first, and is gone only then."""
        value = self.value(line)
        if line.role in at.ASIDE:
            return ""
        if line.shape.nullable and value is not None and (line.role == "head" or line.writes):
            return "null"
        if not line.path or value is ABSENT:
            return ""
        return "remove" if line.entry else "unset"

    def remove(self, line: Line) -> bool:
        """An entry, or the value of a property; says whether there was one."""
        does = self.removal(line)
        if not does:
            return False
        self.begun.add(line.path)
        if does == "null":
            self._forget(line.path)
            self.folds[line.path] = False
            self._changed(edit.put(self.form, self.document, line.path, None), moved=True)
            self._stay(line)
            return True
        self._forget(line.path[:-1] if line.entry else line.path)
        self._changed(edit.drop(self.document, line.path), moved=True)
        if self.lines:
            self.go(self.cursor)
        return True

    def shift(self, line: Line, by: int) -> bool:
        """An entry up or down in its list; says whether it moved."""
        document, path = edit.moved(self.form, self.document, line.path, by)
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
        """What was known by place below a path no longer holds there."""
        for kept in (self.folds, self.local):
            for one in [one for one in kept if one[: len(path)] == path and len(one) > len(path)]:
                del kept[one]
        self.local.pop(path, None)

    # Verdicts

    def checked(self, revision: int, problems: Sequence[tuple[str, str]]) -> bool:
        """A verdict came; says whether it is for exactly what stands here."""
        if revision != self.revision:
            return False
        rows = self.lines
        found = [self._needed(one) for one in at.problems(self.document, problems)]
        found.sort(key=lambda one: -1 if (place := at.line_of(rows, one.path)) is None else place)
        self.verdict = revision, found
        self._found = {}
        for one in found:
            self._found.setdefault(one.path, one)
        return True

    def _needed(self, one: Problem) -> Problem:
        """What nobody wrote yet is merely still needed, whatever it would have to be."""
        value = edit.get(self.document, one.path)
        empty = value == "" or value == [] or (value == {} and not one.path and self.document is self.made)
        return replace(one, words="is empty", missing=True) if empty and not self.started(one.path) else one

    def started(self, path: Path) -> bool:
        """Whether anybody did anything there yet."""
        return self.tried or path in self.begun

    @property
    def unshown(self) -> int:
        """How many keys of the document have no line."""
        return sum(line.more for line in self.lines)

    @property
    def problems(self) -> list[Problem]:
        """What the last verdict said is wrong, whichever revision it was for."""
        return self.verdict[1] if self.verdict else []

    @property
    def sure(self) -> bool:
        """Whether the last verdict is for exactly this document."""
        return self.verdict is not None and self.verdict[0] == self.revision

    def problem_at(self, line: Line) -> Problem | None:
        """What is wrong there, in it when it is folded, or with the text that is typed there."""
        if line.role in at.ASIDE and (line.role != "more" or line.path):  # of the whole there is no other line
            return None
        if line.path in self.local:
            return Problem(line.path, at.pointer(line.path), self.local[line.path])
        if line.path in self._found:
            return self._found[line.path]
        if line.role == "json" or (line.role == "head" and not line.unfolded) or line.shape.kind == "many":
            size = len(line.path)
            return next((one for one in self.problems if one.path[:size] == line.path), None)
        return None
