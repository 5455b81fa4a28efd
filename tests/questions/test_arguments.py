"""The argument rules of ask_user's flat and choices shapes: every V-code they have, with its place (R164, row 16)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.questions.arguments import ItemForm, ItemProblem, RefusedForm, read, sentences
from jp_tui.questions.bounds import visible
from jp_tui.questions.refusals import words
from jp_tui.questions.types import Option, SelectAnswer, TextAnswer


def _deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


REFUSED: list[tuple[str, dict[str, Any], list[tuple[str, str]]]] = [
    ("V1 null", {"question": None}, [("V1", "/question")]),
    ("V1 not text", {"question": ["a"]}, [("V1", "/question")]),
    ("V1 empty", {"question": ""}, [("V1", "/question")]),
    ("V1 spaces", {"question": " \u3000\t"}, [("V1", "/question")]),
    ("V1 invisible", {"question": "\u200b\u2060\ufeff\U000e0041\u3164\ufe0f\u2800"}, [("V1", "/question")]),
    ("V2 newline", {"question": "Go?\nYes."}, [("V2", "/question")]),
    ("V2 at the end", {"question": "Go?\n"}, [("V2", "/question")]),
    ("V2 carriage return", {"question": "Go?\rNo"}, [("V2", "/question")]),
    ("V2 paragraph separator", {"question": "Go?\u2029No"}, [("V2", "/question")]),
    ("V2 next line", {"question": "Go?\x85No"}, [("V2", "/question")]),
    ("V3 missing", {"question": "?", "answer_type": "select"}, [("V3", "/options")]),
    ("V3 empty (R165)", {"question": "?", "answer_type": "select", "options": []}, [("V3", "/options")]),
    ("V3 null", {"question": "?", "answer_type": "select", "options": None}, [("V3", "/options")]),
    ("V3 not a list", {"question": "?", "answer_type": "select", "options": "ab"}, [("V3", "/options")]),
    ("V4 boolean", {"question": "?", "answer_type": "boolean", "options": ["a"]}, [("V4", "/options")]),
    ("V4 text by default", {"question": "?", "options": ["a"]}, [("V4", "/options")]),
    ("V5 one is not true", {"question": "?", "answer_type": "boolean", "default": 1}, [("V5", "/default")]),
    ("V5 text", {"question": "?", "default": True}, [("V5", "/default")]),
    ("V5 select", {"question": "?", "answer_type": "select", "options": ["a"], "default": ["a"]}, [("V5", "/default")]),
    ("V6", {"question": "?", "answer_type": "select", "options": ["a"], "default": "A"}, [("V6", "/default")]),
    ("V12 case", {"question": "?", "answer_type": "Boolean"}, [("V12", "/answer_type")]),
    ("V12 secret", {"question": "?", "answer_type": "secret"}, [("V12", "/answer_type")]),
    ("V12 list shape's", {"question": "?", "answer_type": "multi_select"}, [("V12", "/answer_type")]),
    ("V12 unhashable", {"question": "?", "answer_type": ["text"]}, [("V12", "/answer_type")]),
    ("V15 blank", {"question": "?", "answer_type": "select", "options": ["", "b"]}, [("V15", "/options/0")]),
    (
        "V15 neither text nor object (ASK-052)",
        {"question": "?", "answer_type": "select", "options": ["a", 1, None, {"x": 1}]},
        [("V15", "/options/1"), ("V15", "/options/2"), ("V15", "/options/3")],
    ),
    (
        "V15 the same to the eye (ASK-049)",
        {"question": "?", "answer_type": "select", "options": ["Delete", "Delete\u200b", " Delete", "De\u0301lete"]},
        [("V15", "/options/1"), ("V15", "/options/2")],
    ),
    (
        "V15 the same in NFC",
        {"question": "?", "answer_type": "select", "options": ["caf\u00e9", "cafe\u0301"]},
        [("V15", "/options/1")],
    ),
    (
        "V15 an object with a stranger's key",
        {"question": "?", "answer_type": "select", "options": [{"value": "a", "run": "rm"}]},
        [("V15", "/options/0")],
    ),
    (
        "V16 what only a tool may set (ASK-044)",
        {"question": "?", "exclusive": False, "persistence": "turn", "target": "assistant", "prompt_label": "System"},
        [("V16", "/exclusive"), ("V16", "/persistence"), ("V16", "/target"), ("V16", "/prompt_label")],
    ),
    (
        "V14 choices and a key of the flat shape",
        {"question": "?", "choices": ["a"], "options": ["b"]},
        [("V14", "/options")],
    ),
    ("V14 choices and context", {"question": "?", "choices": [], "context": "c"}, [("V14", "/context")]),
    ("V1 choices alone", {"choices": ["a"]}, [("V1", "/question")]),
    ("V2 beside choices", {"question": "a\nb", "choices": ["a"]}, [("V2", "/question")]),
    ("V3 choices are no list", {"question": "?", "choices": "ab"}, [("V3", "/choices")]),
    ("V15 choices", {"question": "?", "choices": ["a", 1, "a "]}, [("V15", "/choices/1"), ("V15", "/choices/2")]),
    ("V16 choices", {"question": "?", "choices": ["a"], "allow_other": False}, [("V16", "/allow_other")]),
    ("V16 what only a list has", {"question": "?", "id": "a", "when": None}, [("V16", "/id"), ("V16", "/when")]),
    ("V18 choices", {"question": "?", "choices": [str(i) for i in range(1001)]}, [("V18", "/choices")]),
    ("V16 pointer escaped", {"question": "?", "a/b~c": 1}, [("V16", "/a~1b~0c")]),
    ("V16 context no text", {"question": "?", "context": 1}, [("V16", "/context")]),
    ("V18 text", {"question": "x" * 2001}, [("V18", "/question")]),
    ("V18 context", {"question": "?", "context": "é" * 131073}, [("V18", "/context")]),
    (
        "V18 options",
        {"question": "?", "answer_type": "select", "options": [str(i) for i in range(1001)]},
        [("V18", "/options")],
    ),
    ("V18 bytes", {"question": "?", "default": "x" * 1_000_000}, [("V18", "")]),
    ("V18 levels", {"question": "?", "default": _deep(64)}, [("V18", ""), ("V5", "/default")]),
    ("V18 very deep", {"question": "?", "default": _deep(100_000)}, [("V18", ""), ("V5", "/default")]),
    ("V19 infinite", {"question": "?", "default": float("inf")}, [("V19", "/default")]),
    ("V19 endless integer", {"question": "?", "default": [10**300]}, [("V19", "/default/0"), ("V5", "/default")]),
    ("V19 surrogate", {"question": "Go \ud83d?"}, [("V19", "/question")]),
    ("V19 surrogate in a key", {"question": "?", "\udc80": 1}, [("V19", ""), ("V16", "/\\udc80")]),
    (
        "V18 and V19 with all that can still be judged (R164)",
        {"question": "a\nb", "answer_type": "select", "options": ["a", "a", "\ud800"], "default": float("nan"), "x": 1},
        [("V19", "/options/2"), ("V19", "/default"), ("V2", "/question"), ("V15", "/options/1"), ("V16", "/x")],
    ),
    (
        "V18 of the size with all that can still be judged (R164)",
        {"question": "", "answer_type": "text", "options": ["x" * 1_000_000]},
        [("V18", ""), ("V1", "/question"), ("V4", "/options")],
    ),
    (
        "all at once",
        {"question": "", "answer_type": "select", "default": 3, "when": 1},
        [("V1", "/question"), ("V3", "/options"), ("V5", "/default"), ("V16", "/when")],
    ),
]


@pytest.mark.parametrize(("arguments", "expected"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_each_rule_is_found_with_its_place(arguments: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    found = read(arguments)
    assert isinstance(found, RefusedForm)
    assert [(one.code, one.path) for one in found.problems] == expected
    assert all(one.message.endswith(".") and "\n" not in one.message for one in found.problems)


def test_what_keeps_the_rules_is_normalised_to_one_item() -> None:
    """R161 (a), R9."""
    found = read(
        {
            "question": "Which?",
            "context": "line one\nline two",
            "answer_type": "select",
            "options": ["a", {"value": "b", "description": "the other", "preview": "p", "recommended": True}],
            "default": "b",
        }
    )
    assert isinstance(found, ItemForm)
    (item,) = found.items
    assert (item.id, item.text, item.context) == ("answer", "Which?", "line one\nline two")
    assert item.answer_type == SelectAnswer((Option("a"), Option("b", "the other", "p", True)))
    assert (item.default, item.has_default) == ("b", True)


@pytest.mark.parametrize("kind", ["boolean", "text"])
def test_null_and_empty_options_count_as_absent(kind: str) -> None:
    """R164 (null for an optional key), R165 (empty options where none are allowed)."""
    found = read({"question": "?", "answer_type": kind, "options": [], "default": None, "context": None})
    assert isinstance(found, ItemForm)
    assert (found.items[0].has_default, found.items[0].context) == (False, None)


def test_the_answer_type_is_text_unless_said() -> None:
    """R161: `answer_type?="text"`, null the same."""
    for arguments in ({"question": "Name?"}, {"question": "Name?", "answer_type": None}):
        found = read(arguments)
        assert isinstance(found, ItemForm)
        assert found.items[0].answer_type == TextAnswer()


def test_a_default_of_false_or_of_nothing_is_a_default() -> None:
    """R4: `false` and the empty text are values."""
    for kind, default in (("boolean", False), ("text", "")):
        found = read({"question": "?", "answer_type": kind, "default": default})
        assert isinstance(found, ItemForm)
        assert (found.items[0].default, found.items[0].has_default) == (default, True)


def test_the_limits_themselves_are_allowed() -> None:
    """V18: the numbers named there are the last that pass."""
    found = read(
        {
            "question": "x" * 2000,
            "context": "x" * 256 * 1024,
            "answer_type": "select",
            "options": [str(i) for i in range(1000)],
        }
    )
    assert isinstance(found, ItemForm)


@pytest.mark.parametrize("options", [["[x] all", "👨‍👩‍👧", "שלום"], ["Back", "Reply", "End Turn", "Cancel"]])
def test_controls_pass(options: list[str]) -> None:
    """ASK-120, ASK-056: brackets, joiners, right-to-left words and our own verbs are ordinary options."""
    found = read({"question": "Proceed?", "answer_type": "select", "options": options})
    assert isinstance(found, ItemForm)
    assert isinstance(found.items[0].answer_type, SelectAnswer)
    assert [one.value for one in found.items[0].answer_type.options] == options


def test_a_long_list_of_problems_is_counted() -> None:
    text = sentences(tuple(ItemProblem("V15", f"/options/{i}", "is wrong.") for i in range(500)))
    assert len(text.splitlines()) == 41
    assert "460 more" in text


def test_the_sentence_of_the_catalogue() -> None:
    """M25b, its example to the letter."""
    found = read({"question": "?", "answer_type": "select"})
    assert isinstance(found, RefusedForm)
    wanted = 'ask_user: `options` is required and must not be empty when `answer_type` is "select".'
    assert sentences(found.problems) == wanted


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(alphabet=st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
WORDS = ["select", "boolean", "text", "multi_select", "schema", "a", "b"]
OF_ITEMS = ["id", "text", "answer_type", "options", "schema", "default", "when", "context"]
ITEMS = st.lists(
    st.dictionaries(st.sampled_from(OF_ITEMS), JSON | st.sampled_from(WORDS) | st.just(["a", "b"]), max_size=8) | JSON,
    max_size=4,
)
KEYS = st.sampled_from(["question", "context", "answer_type", "options", "default", "choices", "questions"])


@given(st.dictionaries(KEYS | st.text(max_size=6), ITEMS | JSON | st.sampled_from(WORDS), max_size=6))
def test_any_json_is_either_a_form_or_refused_with_reasons(arguments: dict[str, Any]) -> None:
    """V19 and all the others: never an exception, and what passes can be stored."""
    found = read(arguments)
    if isinstance(found, RefusedForm):
        assert found.problems
        words(found).encode()
    else:
        json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()
        assert all(visible(item.text) for item in found.items) and found.items


def test_choices_are_a_select_that_takes_other_text() -> None:
    """R161 (c), R226: the mark comes from this shape alone; without choices it is text."""
    found = read({"question": "Which?", "choices": ["a", {"value": "b", "description": "d"}]})
    assert isinstance(found, ItemForm)
    assert found.shape == "choices"
    assert found.items[0].id == "answer"
    assert found.items[0].answer_type == SelectAnswer((Option("a"), Option("b", "d")), allow_other=True)
    for given_ in ({"question": "Which?", "choices": []}, {"question": "Which?", "choices": None}):
        found = read(given_)
        assert isinstance(found, ItemForm)
        assert found.items[0].answer_type == TextAnswer()
    found = read({"question": "Which?", "answer_type": "select", "options": ["a"]})
    assert isinstance(found, ItemForm)
    assert found.items[0].answer_type == SelectAnswer((Option("a"),))


@pytest.mark.parametrize(
    ("arguments", "shape"),
    [
        ({"questions": [], "choices": [], "question": "?"}, "list"),
        ({"choices": [], "question": "?"}, "choices"),
        ({"question": "?", "options": []}, "flat"),
        ({"question": "?", "questions": None, "choices": None}, "flat"),
        ({"question": None}, "flat"),
        ({"questions": None}, "list"),
        ({"answer_type": "text"}, "list"),
        ({}, "list"),
    ],
)
def test_which_shape_it_is(arguments: dict[str, Any], shape: str) -> None:
    """R161, its last sentence; null counts as absent where something else is there to go by."""
    assert read(arguments).shape == shape


@pytest.mark.parametrize("arguments", [None, [], "questions", 3, [{"question": "?"}]], ids=str)
def test_arguments_that_are_no_object(arguments: Any) -> None:
    """R161: an error of the list shape, V13."""
    found = read(arguments)
    assert isinstance(found, RefusedForm)
    assert (found.shape, [(one.code, one.path) for one in found.problems]) == ("list", [("V13", "")])
