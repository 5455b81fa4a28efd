"""JSON forms of a question and the way back (inquiries.md R1-R12, R44-R49; acceptance matrix 23)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.strict_json import dump, parse_object
from jp_tui.questions import types as t
from jp_tui.questions.wire import BadQuestion, digest, read_question, read_recorded, recorded
from tests.questions.made import QUESTIONS

PUSH = {
    "id": "confirm",
    "text": "Force push?",
    "context": "3 commits will be replaced",
    "answer_type": {"type": "boolean"},
    "default": False,
    "exclusive": True,
    "persistence": "none",
}


def ask(**changed: Any) -> dict[str, Any]:
    return {"id": "q", "text": "Which?", "answer_type": "text", **changed}


def test_the_form_of_the_specification() -> None:
    """R44, R48."""
    question = read_question(PUSH)
    assert question == t.Question(
        "confirm", "Force push?", t.BooleanAnswer(), "3 commits will be replaced", False, True, True, "none"
    )
    assert {"id": "confirm", **recorded(question)} == PUSH


@given(QUESTIONS)
def test_what_is_written_is_read_again(question: t.Question) -> None:
    """R44; a default of null is none where null is no answer, and no tool can claim the floor of R247 or parts."""
    back = read_question(parse_object(dump({"id": question.id, **recorded(question)})))
    lost = question.default is None and question.answer_type.type != "schema"
    assert back == replace(question, floor=False, parts=(), has_default=question.has_default and not lost)


@given(QUESTIONS)
def test_a_recorded_question_is_the_same_question(question: t.Question) -> None:
    """R48, R237: the digest of what is read from the log is that of what was recorded."""
    back = read_recorded(question.id, parse_object(dump(recorded(question))))
    assert back == replace(question, floor=False) and digest(back) == digest(question)


@given(QUESTIONS)
def test_a_digest_is_of_what_is_shown_and_of_nothing_else(question: t.Question) -> None:
    """R235: text, context, answer type."""
    unseen = replace(question, id="other", default=1, has_default=True, exclusive=True, persistence="none", floor=True)
    assert digest(unseen) == digest(question)
    assert digest(replace(question, text=question.text + " ")) != digest(question)
    assert digest(replace(question, context=(question.context or "") + " ")) != digest(question)
    assert digest(replace(question, answer_type=t.SchemaAnswer({"type": "string"}))) != digest(question)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"type": "boolean"}, t.BooleanAnswer()),
        ("Boolean", t.BooleanAnswer()),
        ("boolean", t.BooleanAnswer()),
        ("Text", t.TextAnswer()),
        ("secret", t.SecretAnswer()),
        ("Secret", t.SecretAnswer()),
        ({"Select": {"options": ["a", "b"]}}, t.SelectAnswer((t.Option("a"), t.Option("b")))),
        ({"type": "select", "options": ["a", {"value": "b"}]}, t.SelectAnswer((t.Option("a"), t.Option("b")))),
        (
            {"type": "multi_select", "options": [{"value": "a", "description": "d", "recommended": True, "new": [1]}]},
            t.MultiSelectAnswer((t.Option("a", "d", recommended=True),)),
        ),
        ({"type": "schema", "schema": {"type": "object"}, "later": 1}, t.SchemaAnswer({"type": "object"})),
        ({"Schema": {"schema": {}}}, t.SchemaAnswer({})),
        ({"type": "text", "options": None}, t.TextAnswer()),
    ],
    ids=str,
)
def test_forms_of_an_answer_type(form: Any, expected: t.AnswerType) -> None:
    """R45, R46, R9: also in a recorded question."""
    assert read_question(ask(answer_type=form)).answer_type == expected
    assert read_recorded("q", {"text": "?", "answer_type": form}).answer_type == expected


def test_old_and_new_keys() -> None:
    """R3, R44: `pre_amble` stands in for `context`; what is absent or null is at its default; the rest is ignored."""
    assert read_question(ask(pre_amble="old")).context == "old"
    assert read_question(ask(pre_amble="old", context="new")).context == "new"
    assert read_question(ask(pre_amble="old", context=None)).context == "old"
    assert "pre_amble" not in recorded(read_question(ask(pre_amble="old")))
    plain = t.Question("q", "Which?", t.TextAnswer())
    assert read_question(ask()) == plain
    nulls = dict.fromkeys(("context", "default", "exclusive", "persistence"))
    claims = {"target": "assistant", "source": "user", "floor": True, "answer": "x", "secret": True}
    assert read_question(ask(**nulls, **claims)) == plain
    assert read_question(ask(answer_type={"type": "schema", "schema": {}}, default=None)).has_default
    assert read_recorded("q", {"text": "Which?", "answer_type": {"type": "text"}}) == plain


def test_a_text_of_several_lines_is_kept_as_it_came() -> None:
    """R2: tolerated of a local tool, up to what a context may weigh."""
    text = "\n  Apply this?\r\n" + "+line\n" * 2000
    assert read_question(ask(text=text)).text == text


PARTS = (t.Part("1", "d1", "a.py, line 1", "@@ -1 +1 @@\n-a\n+b\n"), t.Part("2", "d2", "b", ""))


def test_parts_belong_to_what_was_shown() -> None:
    """R235, R251: in the record and in the digest; a question without parts has today's of both."""
    plain = t.Question("apply_changes", "Apply?", t.BooleanAnswer(), "the diff")
    parted = replace(plain, parts=PARTS)
    written = [{"id": one.id, "digest": one.digest, "title": one.title, "diff": one.diff} for one in PARTS]
    assert recorded(parted) == {**recorded(plain), "parts": written}
    assert "parts" not in recorded(plain)
    assert digest(plain) == "41d1d1a9486ad0a16ad73d625e015ed495166958d259a867691992529d4e8019"
    assert digest(parted) != digest(plain)
    for part in (replace(PARTS[0], id="3"), replace(PARTS[0], digest="d"), replace(PARTS[0], diff="")):
        assert digest(replace(plain, parts=(part, PARTS[1]))) != digest(parted)
    assert digest(replace(plain, parts=PARTS[::-1])) != digest(parted)
    assert read_recorded("apply_changes", recorded(parted)) == parted


def test_no_tool_in_a_process_of_its_own_has_parts() -> None:
    """It is told a value only, and would take a partial yes for a whole one: they aren't read."""
    raw = ask(answer_type="boolean", parts=[{"id": "1", "digest": "d", "title": "t", "diff": ""}])
    assert read_question(raw).parts == ()


@pytest.mark.parametrize(
    "parts",
    [
        3,
        {},
        [1],
        [{"id": "1"}],
        [{**dict.fromkeys(("digest", "title", "diff"), ""), "id": 1}],
        [dict.fromkeys(("id", "digest", "title", "diff"), "")] * 2,
    ],
    ids=json.dumps,
)
def test_recorded_parts_that_cannot_be_read(parts: Any) -> None:
    with pytest.raises(BadQuestion, match="`parts"):
        read_recorded("q", {"text": "?", "answer_type": {"type": "boolean"}, "parts": parts})


def test_that_any_text_will_do_is_written_nowhere() -> None:
    """R226: the mark is the program's own; it changes no record and no digest, and nobody else can set it."""
    select = t.Question("answer", "Which?", t.SelectAnswer((t.Option("a"),)))
    marked = replace(select, answer_type=t.SelectAnswer((t.Option("a"),), allow_other=True))
    assert (recorded(marked), digest(marked)) == (recorded(select), digest(select))
    claimed = ask(answer_type={"type": "select", "options": ["a"], "allow_other": True})
    assert read_question(claimed).answer_type == select.answer_type


BAD: list[tuple[dict[str, Any], str]] = [
    (ask(id=None), "`id` is missing or not text."),
    (ask(id=7), "`id` is missing or not text."),
    (ask(id=" \u200b\u3164"), "`id` must not be blank."),
    (ask(id="a\u202eb"), "`id` has invisible characters"),
    (ask(id="a\nb"), "`id` has invisible characters"),
    (ask(id="a "), "`id` has invisible characters, or spaces at an end."),
    (ask(id="x" * 201), "`id` is longer than 200 characters."),
    (ask(id="__permission__"), "`id` must not be `__permission__`"),
    (ask(text=None), "`text` is missing or not text."),
    (ask(text="\u200b\n \u2800"), "`text` must not be blank."),
    (ask(text="x" * 2001), "`text` is longer than 2,000 characters; put extra material in `context`."),
    (ask(text="x\n" * 200_000), "`text` is longer"),
    (ask(context=["a"]), "`context` is not text."),
    (ask(pre_amble=1), "`pre_amble` is not text."),
    (ask(context="x" * (256 * 1024 + 1)), "`context` is larger than 256 KiB."),
    (ask(answer_type=None), "`answer_type` is missing or unknown"),
    (ask(answer_type=["text"]), "`answer_type` is missing or unknown"),
    (ask(answer_type="select"), "`answer_type.options` must be a list with at least one option."),
    (ask(answer_type="number"), "`number` isn't a type of answer. The types are boolean, select, multi_select, text,"),
    (ask(answer_type={"type": "BOOLEAN\u202e"}), "`BOOLEAN\\u202e` isn't a type of answer"),
    (ask(answer_type={"type": 3}), "`answer_type` has no type. The types are"),
    (ask(answer_type={}), "`answer_type` has no type"),
    (ask(answer_type={"type": "select", "options": []}), "`answer_type.options` must be a list"),
    (ask(answer_type={"type": "select", "options": "ab"}), "`answer_type.options` must be a list"),
    (ask(answer_type={"Select": ["a"]}), "`answer_type.options` must be a list"),
    (ask(answer_type={"type": "select", "options": ["a", 1]}), "`answer_type.options[1]` must be text, or an object"),
    (ask(answer_type={"type": "select", "options": [{"value": 1}]}), "`answer_type.options[0]` needs a `value`"),
    (ask(answer_type={"type": "select", "options": [{"value": "a", "preview": 1}]}), "`answer_type.options[0]` has"),
    (ask(answer_type={"type": "select", "options": ["\u200b"]}), "`answer_type.options[0]` must not be blank."),
    (ask(answer_type={"type": "select", "options": ["a", "a\u200b"]}), "`answer_type.options[1]` reads the same as"),
    (ask(answer_type={"type": "select", "options": [f"{n}" for n in range(1001)]}), "`answer_type.options` has more"),
    (ask(answer_type={"type": "schema"}), "`answer_type.schema` is missing or not an object."),
    (ask(answer_type={"type": "schema", "schema": True}), "`answer_type.schema` is missing or not an object."),
    (ask(answer_type={"type": "schema", "schema": {"a": "x" * 300_000}}), "The contents of `answer_type.schema` are"),
    (ask(exclusive="true"), "`exclusive` must be true or false."),
    (ask(exclusive=1), "`exclusive` must be true or false."),
    (ask(persistence="session"), '`persistence` must be "none" or "turn".'),
    (ask(persistence=["turn"]), '`persistence` must be "none" or "turn".'),
    (ask(default=float("inf")), "A number is not finite (at `/default`)."),
    (ask(default="x" * 1_000_001), "The contents of the question are larger than 1 MB."),
    (ask(default="\ud83d"), "A text has a lone surrogate (at `/default`)."),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "words"), BAD, ids=[words[:50] for _, words in BAD])
def test_what_cannot_be_asked_is_refused_with_words(raw: dict[str, Any], words: str) -> None:
    """V18, V19 and the rules of R1-R12; nothing is loosened, cut or guessed. The words are one printable line."""
    with pytest.raises(BadQuestion) as found:
        read_question(raw)
    assert str(found.value).startswith(words) and str(found.value).isprintable() and len(str(found.value)) < 300


def test_deep_values_end_nothing() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(BadQuestion, match="levels deep"):
        read_question(ask(default=deep))


@pytest.mark.parametrize(
    "answer_type",
    [
        {"type": "select", "options": [{"value": 1}, {"value": True}]},
        {"type": "multi_select", "options": [{"value": "a"}, {"value": {"b": 1}}]},
        {"type": "from_the_future"},
        None,
    ],
    ids=json.dumps,
)
def test_a_recorded_question_that_nobody_can_answer_again(answer_type: Any) -> None:
    """R9, R10: any JSON value may stand in a recorded option."""
    with pytest.raises(BadQuestion):
        read_recorded("q", {"text": "?", "answer_type": answer_type})


def test_a_recorded_question_is_read_whatever_it_weighs() -> None:
    """It was asked as it is; `""` stands for the id where none was kept."""
    raw = {"text": "", "context": "x" * 2_000_000, "answer_type": {"type": "boolean"}, "default": None, "new": 1}
    found = read_recorded("", raw)
    assert found.context == raw["context"] and found.has_default and found.default is None


def test_the_questions_of_recorded_conversations_can_be_read(jp_conversations: Path) -> None:
    """Matrix 23: all of them are boolean."""
    seen = 0
    for file in sorted(jp_conversations.glob("*/events.json")):
        for raw in json.loads(file.read_text()):
            if raw["type"] == "inquiry_request":
                seen += 1
                assert read_recorded("apply_changes", raw["question"]).answer_type == t.BooleanAnswer()
    assert seen


WORDS = [
    "id", "text", "context", "pre_amble", "answer_type", "default", "exclusive", "persistence", "type", "options",
    "schema", "value", "description", "boolean", "select", "Select", "Boolean",
]  # fmt: skip
ODD = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=6) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(WORDS), ODD))
def test_nothing_that_a_tool_prints_raises_anything_else(raw: dict[str, Any]) -> None:
    """Either a question that is written and read again the same, or words."""
    for read in (read_question, lambda one: read_recorded("q", one)):
        try:
            question = read(raw)
        except BadQuestion as problem:
            assert str(problem).isprintable() and str(problem).endswith(".")
        else:
            assert digest(read_recorded(question.id, recorded(question))) == digest(question)
