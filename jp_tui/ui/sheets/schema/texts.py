"""Texts under the form of a schema answer: the line under the cursor, the problems, the reason for no form.

Values are never repeated here; names and the schema's own texts go through `ui/text.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from textual.content import Content

from jp_tui.conversation.strict_json import JsonObject, JsonProblem
from jp_tui.conversation.text import Foreign, shortened
from jp_tui.ui.sheets.json.text import laid_out
from jp_tui.ui.sheets.schema.document import FormDocument
from jp_tui.ui.sheets.schema.line import WRONG, name, preview
from jp_tui.ui.text import blank, join, ours
from jp_tui.view.schema.lines import FieldProblem, FormLine, pointer
from jp_tui.view.wording import questions as w

CHECKING: Final = "checking…"
FITS: Final = "✓ fits"
PROBLEM: Final = "✗ 1 problem"
PROBLEMS: Final = "✗ {n} problems"
MISSING: Final = "{n} still needed"
UNSHOWN: Final = "{n} key not shown in the form"
UNSHOWN_MORE: Final = "{n} keys not shown in the form"
PLACE: Final = "{where}: {words}"
WHOLE: Final = "whole answer: {words}"
NO_FORM: Final = "no form for this: {note}"
ONLY_JSON: Final = "the form cannot express this ({note}): JSON"
NO_JSON: Final = "Not submitted: the JSON isn't valid yet"
NO_FACE: Final = "No form yet: the JSON isn't valid"
NOT_YET: Final = "Not submitted: {problem}"
LINES, LONGEST = 200, 1_000
"""Lines of a schema that are shown, and characters of one: the text above a question is painted whole (T4)."""
LABEL: Final = 18
"""Characters of a label that always have room, however deep it is nested."""
BESIDE: Final = 18
"""Characters of a hint that always have room beside its field."""
ROOMY, AT_FIELD = 100, 26
"""Least cells of a form that shows so many characters about a field beside it."""
SOME: Final = 200
"""Keys of an object that are searched for those without a line."""
_SEP = ours(" · ")


def about(document: FormDocument) -> Content:
    """Return the schema's text about the line under the cursor."""
    line = document.line
    if line is None:
        return blank()
    if line.role == "option":
        return name(line.shape.choices[line.option].about, 400)
    parts = []
    if len(line.label) > LABEL:  # its line may have cut it
        parts.append(name(line.label.replace("\n", " "), 120))
    if line.shape.about:
        parts.append(name(line.shape.about.replace("\n", " "), 400))
    if line.note:
        note = name(line.note, 80)
        parts.append(ours("{note}: F6 edits it as JSON", note=note) if line.path else ours(ONLY_JSON, note=note))
    if line.role == "more" and isinstance(value := document.value_at(line), dict):
        rest = {key: one for key, one in islice(value.items(), SOME) if key not in line.shape.parts}
        parts.append(name(preview(rest), 200) if rest else ours("F6 shows them"))
    problem = document.problem_at(line)
    if line.shape.hint and line.role in ("field", "head") and (problem or len(line.shape.hint) > BESIDE):
        parts.append(name(line.shape.hint, 120))
    if len(line.path) > 1 or (line.shape.title and line.path and line.shape.title != str(line.path[-1])):
        parts.append(name(pointer(line.path), 80))
    return join(*parts, sep=_SEP)


def result(
    document: FormDocument, mistake: JsonProblem | None, *, form: bool, room: int, beside: bool = False
) -> Content:
    """Return the problems, at the cursor first, or that the document is valid, in at most `room` cells.

    `mistake` is why the JSON can't be read. `form`: the form has the keys, so that the text adds what the form does not
    show. `beside`: the form has room for a short text about the cursor's field there, and they aren't repeated (S54).
    """
    if mistake is not None:
        return _mistake(mistake)
    unshown = document.unshown if form else 0
    rest = [ours(UNSHOWN if unshown == 1 else UNSHOWN_MORE, "$text-warning", n=unshown)] if unshown else []
    parts = list(_wrong(document, room - sum(one.cell_length + 3 for one in rest), form and beside))
    parts[1:1] = rest
    missing = [one for one in document.problems if one.missing]
    if missing:
        parts.append(_needed(missing, room - join(*parts, sep=_SEP).cell_length - 3))
    elif len(parts) == len(rest):
        parts.insert(0, ours(FITS, "$text-success") if document.sure else ours(CHECKING))
    return join(*parts, sep=_SEP)


def fitted(document: FormDocument, mistake: JsonProblem | None, *, form: bool, across: int, lines: int) -> Content:
    """Return `result` in so many lines: a word that wraps leaves less room than there are cells."""
    room = across * lines
    while True:
        said = result(document, mistake, form=form, room=room, beside=across >= ROOMY)
        room -= 6
        if room < across // 2 or len(said.wrap(across)) <= lines:
            return said


def _mistake(mistake: JsonProblem) -> Content:
    what = Foreign(mistake.message)
    if mistake.line is None or mistake.column is None:
        said = ours(w.NOT_JSON_SOMEWHERE, problem=what)
    else:
        said = ours(w.NOT_JSON, line=mistake.line, column=mistake.column, problem=what)
    return ours("{sign}{said}", "$text-error", sign=ours(WRONG), said=said)


def _wrong(document: FormDocument, room: int, beside: bool) -> Iterator[Content]:
    """Yield the number of problems, and one: at the cursor, else the first."""
    wrong = [one for one in document.problems if not one.missing]
    here = document.problem_at(document.line) if document.line is not None else None
    if here is not None and not here.missing:
        here = next((one for one in wrong if one.path == here.path), here)
        wrong = [here, *(one for one in wrong if one is not here)]
    if wrong:
        count = ours(PROBLEM if len(wrong) == 1 else PROBLEMS, "$text-error", n=len(wrong))
        yield count
        if beside and wrong[0] is here and len(here.words) <= AT_FIELD:
            return
        where = name(wrong[0].pointer, 60)
        words = name(wrong[0].words, max(room - count.cell_length - where.cell_length - 6, 20))
        yield ours(PLACE, where=where, words=words) if wrong[0].path else ours(WHOLE, words=words)


def _needed(missing: list[FieldProblem], room: int) -> Content:
    """Return the missing fields, with as many names as there is room for."""
    count = ours(MISSING, n=len(missing))
    names: list[Content] = []
    left = room - count.cell_length - 2
    for at, one in enumerate(missing):
        step = one.path[-1] if one.path else "an answer"
        said = name(step, 30) if isinstance(step, str) else ours("entry {n}", n=step + 1)
        more = ours(", {n} more", n=len(missing) - at - 1) if at + 1 < len(missing) else blank()
        if sum(known.cell_length + 2 for known in names) + said.cell_length + more.cell_length > left:
            break
        names.append(said)
    if not names:
        return count
    if len(names) < len(missing):
        names.append(ours("{n} more", n=len(missing) - len(names)))
    return ours("{count}: {names}", count=count, names=join(*names, sep=ours(", ")))


def cannot(document: FormDocument) -> Content:
    """Return why nothing was submitted: the first problem, in one line."""
    first = next(iter(document.problems), None)
    if first is None:
        path, words = next(iter(document.local.items()))
        said = ours(PLACE, where=name(pointer(path), 60), words=Foreign(words))
    elif first.missing:  # its field says which
        number = sum(one.missing for one in document.problems)
        said = ours("1 field is required" if number == 1 else "{n} fields are required", n=number)
    elif first.pointer:
        said = ours(PLACE, where=name(first.pointer, 60), words=name(first.words, 200))
    else:
        said = name(first.words, 200)
    return ours(NOT_YET, problem=said)


def no_form(line: FormLine) -> Content:
    """Return why there is no form, so that everything is written as JSON."""
    return ours(NO_FORM, note=Foreign(line.note))


def described(schema: JsonObject, line: FormLine | None) -> Foreign:
    """Return the schema as text: all of it, or of a long one its text about the line under the cursor."""
    text = _written(schema)
    if text.count("\n") >= LINES and line is not None:
        text = _written(line.shape.schema)
    lines = text.split("\n")
    more = [f"… {len(lines) - LINES:,} more lines"] if len(lines) > LINES else []
    return Foreign("\n".join(shortened(one, LONGEST) for one in [*lines[:LINES], *more]))


def _written(schema: JsonObject) -> str:
    try:
        return laid_out(schema)
    except (ValueError, RecursionError):
        return "…"
