"""Where and why the gate says no (inquiries.md V19): all faults of a text at once, each with its pointer and place."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.strict_json import MAX_BYTES, JsonProblem, dump, parse_object
from jp_tui.conversation.strict_json_faults import MOST, look

CASES = {
    "double": ('{"a":1,"a":2}', [("duplicate_key", "/a", 1, 8)]),
    "written otherwise": ('{"b":{"x y/~":1,\n"\\u0078 y/~":2}}', [("duplicate_key", "/b/x y~1~0", 2, 1)]),
    "in a list": ('{"q":[{},{"a":1,"a":2}]}', [("duplicate_key", "/q/1/a", 1, 17)]),
    "thrice": ('{"a":1,"a":2,"a":3}', [("duplicate_key", "/a", 1, 8), ("duplicate_key", "/a", 1, 14)]),
    "1e400": ('{"a":[0,1e400]}', [("not_finite", "/a/1", 1, 9)]),
    "NaN": ('{"a":NaN}', [("not_finite", "/a", 1, 6)]),
    "-Infinity": ('{"a":{"b":-Infinity}}', [("not_finite", "/a/b", 1, 11)]),
    "digits": ('{"a":' + "9" * 5000 + "}", [("too_many_digits", "/a", 1, 6)]),
    "half": ('{"a":"x\\ud83d"}', [("lone_surrogate", "/a", 1, 6)]),
    "half, raw": ('{"a":"x\ud83d"}', [("lone_surrogate", "/a", 1, 6)]),
    "half a key": ('{"\\udc00":1}', [("lone_surrogate", "/\\udc00", 1, 2)]),
    "deep": ('{"a":' + "[" * 64 + "]" * 64 + "}", [("too_deep", "/a" + "/0" * 63, 1, 69)]),
    "very deep": ('{"a":' + "[" * 10_000 + "]" * 10_000 + "}", [("too_deep", "/a" + "/0" * 63, 1, 69)]),
    "list": ("[1]", [("not_an_object", "", 1, 1)]),
    "null": ("null", [("not_an_object", "", 1, 1)]),
    "cut": ('{"q":[{"id":"a","te', [("not_json", "/q/0", 1, 17)]),
    "cut behind": ('{"q":[{"id":"a"', [("not_json", "/q/0/id", 1, 16)]),
    "nothing": ("", [("not_json", "", 1, 1)]),
    "prose": ("Sure! {}", [("not_json", "", 1, 1)]),
    "comma": ('{"a":[1,]}', [("not_json", "/a/1", 1, 9)]),
    "two": ("{} {}", [("not_json", "", 1, 4)]),
    "control": ('{"a":"x\ny"}', [("not_json", "/a", 1, 8)]),
    "mark": ("\ufeff{}", [("not_json", "", 1, 1)]),
    "all at once": (
        '{"a":NaN,\n "b":{"c":1,"c":"\\ud800"},\n "a":1e400, "d": ?}',
        [
            ("not_finite", "/a", 1, 6), ("duplicate_key", "/b/c", 2, 13), ("lone_surrogate", "/b/c", 2, 17),
            ("duplicate_key", "/a", 3, 2), ("not_finite", "/a", 3, 6), ("not_json", "/d", 3, 18),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_v19_each_fault_has_its_place(name: str) -> None:
    text, wanted = CASES[name]
    found = look(text)
    assert [(one.kind, one.path, one.line, one.column) for one in found.faults] == wanted
    for one in found.faults:
        assert one.message.endswith(".") and len(one.message) < 250
        (one.message + one.path).encode()


def test_v19_the_words_say_what_is_double_and_what_to_do() -> None:
    (fault,) = look('{"options":1,"options":2}').faults
    assert fault.message == (
        "The key 'options' appears twice in an object, first at line 1, column 2 (line 1, column 14); send it once."
    )
    assert "is incomplete" in look('{"a":[1,').faults[0].message
    assert "`]}`" in look('{"a":[1,]}').faults[0].message


def test_what_is_fine_has_no_fault() -> None:
    assert look('{"a":[1,{"b":"\\ud83d\\ude00"}]}').faults == ()


def test_what_it_says_beside_its_faults() -> None:
    """The rest can be looked at too; nothing of it is a value that could not be written again."""
    found = look('{"a":1,"b":NaN,"c":[1e999,"\\ud800"],"a":2,"\\ud801":0}')
    assert found.keys == ("a", "b", "c", "\\ud801")
    assert found.value == {"a": 2, "b": 0, "c": [0, "\\ud800"], "\\ud801": 0}
    assert dump(found.value)
    assert look("[1]").value == [1] and look('{"a":').value is None and look("[" * 99 + "]" * 99).value is None


def test_no_end_of_faults_and_no_end_of_text() -> None:
    assert len(look("{" + '"a":NaN,' * 5000 + '"b":1}').faults) == MOST
    assert look('{"a":"' + "x" * MAX_BYTES + '"}').faults[0].kind == "too_large"
    began = time.process_time()
    found = look('{"a":[' + "1," * 1_000_000 + "1e400]}")
    assert time.process_time() - began < 2
    assert [one.kind for one in found.faults] == ["not_json"] and "not finite" in found.faults[0].message


@given(st.text(alphabet='{}[]:,"\\ntrufalse0189.eE-N \n', max_size=40))
def test_it_agrees_with_the_gate_about_any_text(text: str) -> None:
    _agrees(text)


@given(
    st.recursive(
        st.sampled_from([1, "x", None, True, 1.5, "é"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    ),
    st.sampled_from(["NaN", "1e999", '"\\ud800"', '{"a":1,"a":2}', "9" * 301, "[", "}", ",", "", '"\n"']),
    st.integers(0, 200),
)
def test_it_agrees_with_the_gate_about_what_is_nearly_right(value: object, odd: str, at: int) -> None:
    text = json.dumps({"k": value}, ensure_ascii=False)
    _agrees(text[: at % len(text)] + odd + text[at % len(text) :])


def _agrees(text: str) -> None:
    try:
        parse_object(text)
    except JsonProblem:
        assert look(text).faults
    else:
        assert not look(text).faults
