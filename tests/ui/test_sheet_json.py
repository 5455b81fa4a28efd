"""JSON as it is read and laid out in a sheet, and where its parts stand: R87, R186, T3, T17."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation import visible
from jp_tui.conversation.strict_json import JsonProblem
from jp_tui.ui.sheets.json.places import places
from jp_tui.ui.sheets.json.text import laid_out, read, read_object, readable

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_laid_out_reads_back_and_hides_nothing(value: object) -> None:
    shown = laid_out(value)
    assert read(shown) == value
    assert not any(visible.odd(char) for char in shown if char != "\n")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{\n  "a": 1,\n}', 3, 1),
        ('{"a" 1}', 1, 6),
        ("", 1, 1),
        ('{\n "a": 1,\n  "a": 2}', 3, 3),
        ('{"b": {"a": 1}, "a": 1,\n"\\u0061": 2}', 2, 1),
        ('{"a": "NaN",\n "b": NaN}', 2, 7),
        ("[1, -Infinity]", 1, 5),
        ("[1,\n1e400]", 2, 1),
        ("[" + "9" * 400 + "]", 1, 2),
        ('["ok", "\\ud800"]', 1, 8),
        ("[" * 65 + "]" * 65, 1, 65),
    ],
)
def test_r87_t17_what_is_refused_is_refused_at_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(JsonProblem) as problem:
        read(text)
    assert (problem.value.line, problem.value.column) == (line, column)


@given(st.text(alphabet='{}[]:,"\\ntrufalse0189.eE-N \n', max_size=40))
def test_any_text_is_read_or_refused_with_words(text: str) -> None:
    try:
        read(text)
    except JsonProblem as problem:
        assert problem.message


@pytest.mark.parametrize("text", ["[]", "1", "null", '"x"'])
def test_r87_only_an_object_replaces_arguments(text: str) -> None:
    with pytest.raises(JsonProblem, match="object"):
        read_object(text)


def test_arguments_are_shown_as_they_would_run_and_no_text_passes_for_a_name() -> None:
    value = {"command": "ls", "run as": True, "text": 'a\ncommand: "rm -rf /"', "list": [1], "empty": [], "deep": [[1]]}
    assert readable(json.dumps(value)).split("\n") == [
        'command: "ls"', '"run as": true', "text: 2 lines without a line end", "  │ a", '  │ command: "rm -rf /"',
        "list: [1]", "empty: []", "deep:", "  [", "    [", "      1", "    ]", "  ]",
    ]  # fmt: skip
    assert readable("{broken") == "{broken" and readable("{}") == "no arguments"


@given(st.text("a \t\n", min_size=1, max_size=40).filter(lambda text: "\n" in text))
def test_a_gutter_stands_beside_all_lines_but_many_blank_ones(text: str) -> None:
    lines = text.removesuffix("\n").split("\n")
    runs = [(blank, list(run)) for blank, run in groupby(lines, lambda line: not line.strip(" \t"))]
    wanted = [
        line
        for blank, run in runs
        for line in (run if blank and len(run) > visible.LINES else [f"  │ {one}" for one in run])
    ]
    end = " without a line end" if len(lines) > 1 and not text.endswith("\n") else ""
    head = f"text: {len(lines)} {'line' if len(lines) == 1 else 'lines'}{end}"
    assert readable(json.dumps({"text": text})).split("\n") == [head, *wanted]


DOCUMENT = {"a": {"b": [1, {"c/d": "x", "": None}], "e": "}{,:"}, "f": []}


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ((), 1, 1), (("a",), 2, 3), (("a", "b", 0), 4, 7), (("a", "b", 1), 5, 7), (("a", "b", 1, "c/d"), 6, 9),
        (("a", "b", 1, ""), 7, 9), (("a", "e"), 10, 5), (("f",), 12, 3), (("f", 0), 12, 3), (("nowhere",), 1, 1),
    ],
)  # fmt: skip
def test_a_part_of_a_document_is_found_in_its_text(path: tuple[str | int, ...], line: int, column: int) -> None:
    assert places(laid_out(DOCUMENT), [path]) == {path: (line, column)}


@given(VALUES)
def test_every_part_stands_where_it_is_said_to_stand(value: object) -> None:
    text = laid_out(value)
    lines = text.split("\n")
    paths = list(inside(value))
    for path, (line, column) in places(text, paths).items():
        rest = lines[line - 1][column - 1 :]
        shown = laid_out(path[-1]) if path and isinstance(path[-1], str) else laid_out(part(value, path)).split("\n")[0]
        assert rest.startswith(shown)


def inside(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield from inside(inner, (*path, step))


def part(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@given(st.text(alphabet='{}[]:,"\\ab01 \n', max_size=60))
def test_places_are_looked_for_in_any_text(text: str) -> None:
    places(text, [("a",), ("b", 0), ()])
