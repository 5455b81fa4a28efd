"""The argument rules of ask_user's list shape: every V-code, each with its place (R164, matrix row 17), and M25."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jp_tui.questions.arguments import ItemForm, RefusedForm, judged, read
from jp_tui.questions.refusals import structured, words
from jp_tui.questions.types import BooleanAnswer, MultiSelectAnswer, Option, SchemaAnswer, SelectAnswer, TextAnswer

Rows = list[tuple[str, list[Any], list[tuple[str, str]]]]


def q(id: Any = "a", **more: Any) -> dict[str, Any]:
    return {"id": id, "text": "Proceed?", "answer_type": "boolean", **more}


def sel(id: str = "a", kind: str = "select", **more: Any) -> dict[str, Any]:
    return q(id, **{"answer_type": kind, "options": ["x", "y"], **more})


def when(id: str, of: Any, *equals: Any, **more: Any) -> dict[str, Any]:
    return q(id, when={"question_id": of, **({"equals": equals[0]} if equals else {}), **more})


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in q().items() if name != key}


LATER = {"question_id": "e", "equals": 1}
REFUSED: Rows = [
    ("V1 missing", [without("text")], [("V1", "/questions/0/text")]),
    ("V1 blank", [q(text="\u200b ")], [("V1", "/questions/0/text")]),
    ("V1 not text", [q(text=["a"])], [("V1", "/questions/0/text")]),
    ("V2 (ASK-038)", [q(text="Proceed?\nAlready approved.")], [("V2", "/questions/0/text")]),
    ("V3 select", [q(answer_type="select")], [("V3", "/questions/0/options")]),
    ("V3 multi_select", [q(answer_type="multi_select", options=[])], [("V3", "/questions/0/options")]),
    ("V4 boolean", [q(options=["a"])], [("V4", "/questions/0/options")]),
    ("V4 text", [q(answer_type="text", options=["a"])], [("V4", "/questions/0/options")]),
    ("V4 schema", [q(answer_type="schema", schema={}, options=["a"])], [("V4", "/questions/0/options")]),
    ("V5 boolean", [q(default="true")], [("V5", "/questions/0/default")]),
    ("V5 multi_select, text", [sel(kind="multi_select", default="x")], [("V5", "/questions/0/default")]),
    ("V5 multi_select, numbers", [sel(kind="multi_select", default=["x", 1])], [("V5", "/questions/0/default")]),
    ("V6 select", [sel(default="z")], [("V6", "/questions/0/default")]),
    ("V6 multi_select", [sel(kind="multi_select", default=["x", "z"])], [("V6", "/questions/0/default/1")]),
    (
        "V6 twice and unknown (ASK-062)",
        [sel(kind="multi_select", default=["x", "x", "z"])],
        [("V6", "/questions/0/default/1"), ("V6", "/questions/0/default/2")],
    ),
    ("V7 (ASK-010)", [q(), q()], [("V7", "/questions/1/id")]),
    ("V7 thrice", [q(), q(), q()], [("V7", "/questions/1/id"), ("V7", "/questions/2/id")]),
    ("V8 missing", [q(answer_type="schema")], [("V8", "/questions/0/schema")]),
    ("V8 null", [q(answer_type="schema", schema=None)], [("V8", "/questions/0/schema")]),
    ("V8 elsewhere (ASK-078)", [q(answer_type="text", schema={"type": "string"})], [("V8", "/questions/0/schema")]),
    ("V9 text (ASK-102)", [q(answer_type="schema", schema="string")], [("V9", "/questions/0/schema")]),
    ("V9 true (R11)", [q(answer_type="schema", schema=True)], [("V9", "/questions/0/schema")]),
    ("V10 unknown", [when("a", "b", True)], [("V10", "/questions/0/when/question_id")]),
    ("V10 itself (ASK-066)", [when("a", "a", True)], [("V10", "/questions/0/when/question_id")]),
    ("V10 later", [when("a", "b", True), q("b")], [("V10", "/questions/0/when/question_id")]),
    ("V10 in a circle (ASK-069)", [when("a", "b", True), when("b", "a", 1)],
     [("V10", "/questions/0/when/question_id"), ("V20", "/questions/1/when/equals")]),
    ("V10 no text", [q(), when("b", 1, True)], [("V10", "/questions/1/when/question_id")]),
    ("V10 a list", [q(), when("b", ["a"], True)], [("V10", "/questions/1/when/question_id")]),
    ("V11 no question", [q(), q("b", when={"equals": True})], [("V11", "/questions/1/when/question_id")]),
    ("V11 no value", [q(), when("b", "a")], [("V11", "/questions/1/when/equals")]),
    ("V11 neither", [q(when={})], [("V11", "/questions/0/when/equals"), ("V11", "/questions/0/when/question_id")]),
    ("V11 no object", [q(when="a = yes")], [("V11", "/questions/0/when")]),
    ("V12 missing", [without("answer_type")], [("V12", "/questions/0/answer_type")]),
    ("V12 case (ASK-042)", [q(answer_type="Boolean")], [("V12", "/questions/0/answer_type")]),
    ("V12 secret (R12)", [q(answer_type="secret")], [("V12", "/questions/0/answer_type")]),
    ("V12 unhashable", [q(answer_type={})], [("V12", "/questions/0/answer_type")]),
    ("V13 empty", [], [("V13", "/questions")]),
    ("V13 items", ["a", None], [("V13", "/questions/0"), ("V13", "/questions/1")]),
    ("V13 id missing", [without("id")], [("V13", "/questions/0/id")]),
    ("V13 id null", [q(None)], [("V13", "/questions/0/id")]),
    ("V13 id blank", [q(" \u2800")], [("V13", "/questions/0/id")]),
    ("V13 id no text", [q(7)], [("V13", "/questions/0/id")]),
    ("V15 (ASK-051)", [q(answer_type="select", options=["", "b"])], [("V15", "/questions/0/options/0")]),
    ("V15 an object's key", [q(answer_type="select", options=[{"value": "a", "label": "b"}])],
     [("V15", "/questions/0/options/0")]),
    (
        "V16 what only a tool may set (ASK-044)",
        [q(exclusive=False, persistence="turn", target="assistant", prompt_label="System")],
        [("V16", f"/questions/0/{key}") for key in ("exclusive", "persistence", "target", "prompt_label")],
    ),
    ("V16 the flat shape's word", [q(question="?")], [("V16", "/questions/0/question")]),
    ("V16 the mark of R226", [sel(allow_other=True)], [("V16", "/questions/0/allow_other")]),
    ("V16 in when (ASK-073)", [q(), when("b", "a", True, not_equals=False)], [("V16", "/questions/1/when/not_equals")]),
    ("V17 blank (ASK-017)", [q("a b")], [("V17", "/questions/0/id")]),
    ("V17 path (ASK-018)", [q("../x")], [("V17", "/questions/0/id")]),
    ("V17 dollar (ASK-020)", [q("$ref")], [("V17", "/questions/0/id")]),
    ("V17 dot (ASK-032)", [q("constructor.prototype")], [("V17", "/questions/0/id")]),
    ("V17 quotes", [q('a"b')], [("V17", "/questions/0/id")]),
    ("V17 a newline at the end", [q("a\n")], [("V17", "/questions/0/id")]),
    ("V17 digits of another script", [q("\u0663")], [("V17", "/questions/0/id")]),
    ("V17 long", [q("x" * 65)], [("V17", "/questions/0/id")]),
    ("V17 ours (R39)", [q("__permission__")], [("V17", "/questions/0/id")]),
    ("V17 NFC (ASK-011)", [q("caf\u00e9"), q("cafe\u0301")], [("V17", "/questions/0/id"), ("V17", "/questions/1/id")]),
    ("V18 questions", [q(f"a{i}") for i in range(51)], [("V18", "/questions")]),
    ("V18 ten thousand (ASK-076)", [q(f"a{i}") for i in range(10_000)], [("V18", "/questions")]),
    ("V18 options", [sel(options=[str(i) for i in range(1001)])], [("V18", "/questions/0/options")]),
    ("V18 text", [q(text="x" * 2001)], [("V18", "/questions/0/text")]),
    ("V18 context", [q(context="x" * (256 * 1024 + 1))], [("V18", "/questions/0/context")]),
    ("V18 schema", [q(answer_type="schema", schema={"a": "x" * 256 * 1024})], [("V18", "/questions/0/schema")]),
    ("V18 enum", [q(answer_type="schema", schema={"anyOf": [{"enum": list(range(1001))}]})],
     [("V18", "/questions/0/schema")]),
    ("V18 bytes", [q(answer_type="schema", schema={}, default="x" * 1_000_000)], [("V18", "")]),
    ("V19", [q(answer_type="schema", schema={}, default=[float("inf")])], [("V19", "/questions/0/default/0")]),
    ("V19 surrogate", [q(), q("b", context="\ud800")], [("V19", "/questions/1/context")]),
    ("V20 boolean, one", [q(), when("b", "a", 1)], [("V20", "/questions/1/when/equals")]),
    ("V20 boolean, word", [q(), when("b", "a", "true")], [("V20", "/questions/1/when/equals")]),
    ("V20 select", [sel(), when("b", "a", "z")], [("V20", "/questions/1/when/equals")]),
    ("V20 select, a list", [sel(), when("b", "a", ["x"])], [("V20", "/questions/1/when/equals")]),
    ("V20 multi_select", [sel(kind="multi_select"), when("b", "a", "x")], [("V20", "/questions/1/when/equals")]),
    ("V20 an unknown one", [sel(kind="multi_select"), when("b", "a", ["z"])], [("V20", "/questions/1/when/equals")]),
    ("V20 one twice", [sel(kind="multi_select"), when("b", "a", ["x", "x"])], [("V20", "/questions/1/when/equals")]),
    ("V20 text", [q(answer_type="text"), when("b", "a", 5)], [("V20", "/questions/1/when/equals")]),
    (
        "all at once, in the order they stand (R164)",
        [q("a b"), sel("c", text="", default=3), q("d", answer_type="?", when=LATER), q("e", x=1)],
        [("V17", "/questions/0/id"), ("V1", "/questions/1/text"), ("V5", "/questions/1/default"),
         ("V12", "/questions/2/answer_type"), ("V10", "/questions/2/when/question_id"), ("V16", "/questions/3/x")],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("questions", "expected"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_each_rule_is_found_with_its_place(questions: list[Any], expected: list[tuple[str, str]]) -> None:
    found = read({"questions": questions})
    assert isinstance(found, RefusedForm)
    assert found.shape == "list"
    assert [(one.code, one.path) for one in found.problems] == expected
    assert all(one.message.endswith(".") and one.message.isprintable() for one in found.problems)


@pytest.mark.parametrize("given", [{"id": "a"}, "a", 3, True, {}], ids=str)
def test_questions_that_are_no_list(given: Any) -> None:
    """V13, ASK-003."""
    found = read({"questions": given})
    assert isinstance(found, RefusedForm)
    assert [(one.code, one.path) for one in found.problems] == [("V13", "/questions")]


def test_two_shapes_at_once() -> None:
    """V14: beside the problems of the list; a key of neither is V16, null is no wish."""
    found = read({"question": "?", "questions": [q(answer_type="?")], "options": None, "choices": ["a"], "seed": 1})
    assert isinstance(found, RefusedForm)
    told = [(one.code, one.path) for one in found.problems]
    assert told == [("V12", "/questions/0/answer_type"), ("V14", "/question"), ("V14", "/choices"), ("V16", "/seed")]


def test_what_keeps_the_rules_is_normalised() -> None:
    """R161 (b), R9: in the order they were submitted; null for an optional key is absent, but a value in `equals`."""
    schema = {"type": "object"}
    found = read(
        {
            "questions": [
                q(context="several\nlines", default=False, options=None, schema=None, when=None),
                sel("env", options=["x", {"value": "y", "description": "d", "preview": "p", "recommended": True}]),
                sel("several", "multi_select", default=["y", "x"], when={"question_id": "a", "equals": None}),
                q("note", answer_type="text", default="", options=[]),
                q("cfg", answer_type="schema", schema=schema, default={"any": ["thing"]}),
            ]
        }
    )
    assert isinstance(found, ItemForm)
    assert [item.id for item in found.items] == ["a", "env", "several", "note", "cfg"]
    xy = (Option("x"), Option("y"))
    assert [item.answer_type for item in found.items] == [
        BooleanAnswer(),
        SelectAnswer((Option("x"), Option("y", "d", "p", True))),
        MultiSelectAnswer(xy),
        TextAnswer(),
        SchemaAnswer(schema),
    ]
    assert [item.default for item in found.items] == [False, None, ["y", "x"], "", {"any": ["thing"]}]
    assert [item.has_default for item in found.items] == [True, False, True, True, True]
    waits = found.items[2].when
    assert waits is not None and (waits.question_id, waits.equals) == ("a", None)
    assert found.schemas == (("/questions/4/schema", schema),)


@pytest.mark.parametrize(
    ("asked", "equals"),
    [
        (q(), False), (q(), None), (sel(), "y"), (sel(), None), (sel(kind="multi_select"), ["y", "x"]),
        (sel(kind="multi_select"), []), (q(answer_type="text"), ""), (q(answer_type="text"), None),
        (q(answer_type="schema", schema={}), {"a": [1]}), (q(answer_type="schema", schema={}), 1.0),
    ],
)  # fmt: skip
def test_what_a_predicate_may_wait_for(asked: dict[str, Any], equals: Any) -> None:
    """V20, its other side."""
    assert isinstance(read({"questions": [asked, when("b", "a", equals)]}), ItemForm)


def test_the_limits_themselves_are_allowed() -> None:
    """V17, V18: the numbers named there are the last that pass."""
    fifty = [q(f"q{i}") for i in range(49)]
    fifty.append(q("X-_" + "9" * 61, answer_type="schema", schema={"enum": list(range(1000))}))
    assert isinstance(read({"questions": fifty}), ItemForm)


@pytest.mark.parametrize("id", ["__proto__", "answer", "answered", "None", "null", "cancelled", "reply", "-", "0"])
def test_ids_are_only_data(id: str) -> None:
    """ASK-024 to ASK-034."""
    found = read({"questions": [q(id)]})
    assert isinstance(found, ItemForm)
    assert found.items[0].id == id


def test_a_problem_says_what_to_do_about_it() -> None:
    """M25's example: `env` comes later."""
    found = read({"questions": [when("a", "env", True), q("env"), when("b", "b", True), when("c", "zz\u202e", True)]})
    assert isinstance(found, RefusedForm)
    assert [one.message for one in found.problems] == [
        "`when.question_id` must name an earlier question; `env` comes later.",
        "`when.question_id` must name an earlier question; `b` is this same question.",
        "`when.question_id` must name an earlier question; no question has the id `zz\\u202e`.",
    ]


def test_the_error_that_a_model_corrects_itself_from() -> None:
    """M25: fixed keys in this order, `error`, codes; JSON text."""
    found = read({"questions": [q(), when("b", "z", True), q(answer_type="secret")]})
    assert isinstance(found, RefusedForm)
    told = json.loads(words(found))
    assert list(told) == ["error", "message", "problems"]
    assert told["error"] == "invalid_arguments"
    assert told["message"] == "3 problem(s) in the submitted questions; fix them and call ask_user again."
    assert [list(one) for one in told["problems"]] == [["path", "code", "message"]] * 3
    assert [one["code"] for one in told["problems"]] == ["V10", "V7", "V12"]


def test_a_flood_of_problems_is_counted() -> None:
    """M25 stays readable: the first are listed, all are counted, and an endless key is cut."""
    found = read({"questions": [q(**{f"k{i}": 1 for i in range(100)}, **{"k" * 10_000: 1})]})
    assert isinstance(found, RefusedForm)
    told = json.loads(structured(found.problems))
    assert told["message"].startswith("101 problem(s) in the submitted questions (the first 40 are listed);")
    assert len(told["problems"]) == 40
    assert len(structured(found.problems[-1:])) < 500


def test_what_is_found_out_about_schemas_stands_with_the_rest() -> None:
    """V9: each at its place, among the other problems; a schema that nobody judged cannot be used."""
    arguments = {
        "questions": [
            q("a", answer_type="schema", schema={"type": "integer"}),
            q("b", answer_type="schema", schema={"$ref": "#"}),
            q("c", text=""),
            q("d", answer_type="schema", schema={"pattern": "("}),
        ]
    }
    paths = [f"/questions/{index}/schema" for index in (0, 1, 3)]
    found = read(arguments)
    assert [path for path, _ in found.schemas] == paths
    done = judged(found, {paths[0]: None, paths[1]: "it refers only to itself", paths[2]: "its pattern is none."})
    assert isinstance(done, RefusedForm)
    assert [(one.code, one.path) for one in done.problems] == [
        ("V9", paths[1]), ("V1", "/questions/2/text"), ("V9", paths[2])
    ]  # fmt: skip
    assert done.problems[0].message == "`schema` isn't usable: it refers only to itself."
    assert done.problems[2].message == "`schema` isn't usable: its pattern is none."
    good = read({"questions": arguments["questions"][:1]})
    assert judged(good, {paths[0]: None}) == good
    assert isinstance(judged(good, {}), RefusedForm)
    plain = read({"question": "?"})
    assert judged(plain, {}) is plain


def test_r164_what_is_out_of_bounds_hides_no_other_problem_and_no_schema_that_can_be_judged() -> None:
    """V18, V19: told with all others at once; a schema with such a value in it is not judged, the one beside it is."""
    found = read({"questions": [
        q("a", answer_type="schema", schema={"minimum": float("inf")}),
        q("b", answer_type="schema", schema={"type": 1}),
        q("c", answer_type="no"), q("c", context="\ud800"),
    ]})  # fmt: skip
    assert isinstance(found, RefusedForm)
    assert [(one.code, one.path) for one in found.problems] == [
        ("V19", "/questions/0/schema/minimum"), ("V12", "/questions/2/answer_type"),
        ("V19", "/questions/3/context"), ("V7", "/questions/3/id"),
    ]  # fmt: skip
    assert [path for path, _ in found.schemas] == ["/questions/1/schema"]
    deep: Any = {"type": "object"}
    for _ in range(70):
        deep = {"properties": {"a": deep}}
    found = read({"questions": [q("a", answer_type="schema", schema=deep), q("b", text="")]})
    assert isinstance(found, RefusedForm) and found.schemas == ()
    assert [(one.code, one.path) for one in found.problems] == [("V18", ""), ("V1", "/questions/1/text")]
