"""What a schema sheet says under its form, as content: what the cursor is on, what is wrong, why there is no form.

Values are never repeated here; names and the schema's own words go through `ui/text.py`.
"""

from __future__ import annotations

import json
from typing import Final, Literal

from textual.content import Content

from jp_tui.conversation.strict_json import JsonObject, JsonProblem
from jp_tui.conversation.text import Foreign
from jp_tui.ui.sheets.json_text import laid_out
from jp_tui.ui.sheets.schema_paint import name
from jp_tui.ui.sheets.schema_state import Filling
from jp_tui.ui.text import blank, join, ours
from jp_tui.view import wording as w
from jp_tui.view.schema_form_lines import Line, pointer

CHECKING: Final = "checking it…"
FITS: Final = "✓ fits"
PROBLEM: Final = "1 problem"
PROBLEMS: Final = "{n} problems"
MISSING: Final = "{n} still needed: {names}"
PLACE: Final = "{where}: {words}"
WHOLE: Final = "the whole: {words}"
NO_FORM: Final = "there is no form for this: {note}"
NOT_YET: Final = "not submitted: {problem}"
LINES, LONGEST = 200, 1_000
"""Lines of a schema that are shown, and characters of one: what stands above a question is painted whole (T4)."""
LABEL: Final = 18
"""Characters of a label that surely have room, however deep it is nested."""
BESIDE: Final = 18
"""Characters of a hint that surely have room beside its field."""
_SEP = ours(" · ")


def about(filling: Filling) -> Content:
    """What the schema says about the line under the cursor."""
    line = filling.line
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
        parts.append(ours("{note}: F6 writes it as JSON", note=name(line.note, 80)))
    problem = filling.problem_at(line)
    if line.shape.hint and (len(line.shape.hint) > BESIDE or (problem and line.shape.hint not in problem.words)):
        parts.append(name(line.shape.hint, 120))
    if len(line.path) > 1 or (line.shape.title and line.path and line.shape.title != str(line.path[-1])):
        parts.append(name(pointer(line.path), 80))
    return join(*parts, sep=_SEP)


def verdict(filling: Filling, misread: JsonProblem | None) -> Content:
    """What is wrong, with its place; or that it fits."""
    if misread is not None:
        what = Foreign(misread.message)
        if misread.line is None or misread.column is None:
            return ours(w.NOT_JSON_SOMEWHERE, "$text-error", problem=what)
        return ours(w.NOT_JSON, "$text-error", line=misread.line, column=misread.column, problem=what)
    missing = [one for one in filling.problems if one.missing]
    wrong = [one for one in filling.problems if not one.missing]
    parts = []
    if wrong:
        first = wrong[0]
        where = ours(PLACE, where=name(first.pointer, 60), words=name(first.words, 200))
        if not first.path:
            where = ours(WHOLE, words=name(first.words, 200))
        count = ours(PROBLEM if len(wrong) == 1 else PROBLEMS, "$text-error", n=len(wrong))
        parts += [count, where]
    if missing:
        names = join(*(name(str(one.path[-1]), 30) for one in missing[:6]), sep=ours(", "))
        parts.append(ours(MISSING, n=len(missing), names=names if len(missing) < 7 else join(names, ours(", …"))))
    if parts:
        return join(*parts, sep=_SEP)
    if not filling.sure:
        return ours(CHECKING)
    return ours(FITS, "$text-success")


def cannot(filling: Filling) -> Content:
    """Why it was not submitted: the first problem, in one line."""
    first = next(iter(filling.problems), None)
    if first is None:
        path, words = next(iter(filling.local.items()))
        said = ours(PLACE, where=name(pointer(path), 60), words=Foreign(words))
    elif first.missing:
        said = ours("{where} is missing", where=name(first.pointer, 60))
    elif first.pointer:
        said = ours(PLACE, where=name(first.pointer, 60), words=name(first.words, 200))
    else:
        said = name(first.words, 200)
    return ours(NOT_YET, problem=said)


def no_form(line: Line) -> Content:
    """Why everything is written as JSON."""
    return ours(NO_FORM, note=Foreign(line.note))


def described(schema: JsonObject, line: Line | None) -> Foreign:
    """The schema to be read: all of it, or of a long one what it says about the line under the cursor."""
    text = _written(schema)
    if text.count("\n") >= LINES and line is not None:
        text = _written(line.shape.schema)
    lines = text.split("\n")
    more = [f"… {len(lines) - LINES:,} more lines"] if len(lines) > LINES else []
    return Foreign("\n".join(one[:LONGEST] for one in [*lines[:LINES], *more]))


def _written(schema: JsonObject) -> str:
    try:
        return laid_out(schema)
    except (ValueError, RecursionError):
        return "…"


def kept(draft: str | None) -> tuple[str | None, Literal["form", "json"]]:
    """A draft as text and face; one of another form was typed as JSON, and is kept as that."""
    if draft is None:
        return None, "form"
    try:
        found = json.loads(draft)
    except (ValueError, RecursionError):
        return draft, "json"
    if isinstance(found, dict) and set(found) == {"side", "text"} and isinstance(found["text"], str):
        return found["text"], "form" if found["side"] == "form" else "json"
    return draft, "json"
