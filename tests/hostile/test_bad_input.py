"""Issue 5, "Bad input": each named item from the wire to a precise error or to the question exactly as it was sent.

What a sheet shows of odd options stands in `test_markup.py`, `test_unicode.py` and the tests of the select sheet.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, PromptRequest
from tests.engine.conftest import Bench
from tests.engine.wires import accepted
from tests.hostile.wired import Wired, calls, says
from tests.ui.schema_host import Checked
from tests.ui.sheet_host import schema, text_of


def q(id: str = "a", **more: Any) -> dict[str, Any]:
    return {"id": id, "text": "Go?", "answer_type": "boolean", **more}


def sel(*options: Any, **more: Any) -> dict[str, Any]:
    return q(answer_type="select", options=list(options), **more)


def doc(schema: Any, **more: Any) -> dict[str, Any]:
    return q(answer_type="schema", schema=schema, **more)


def nested(levels: int) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        made = {"not": made}
    return made


FIRST = "/questions/0"
REFUSED: dict[str, tuple[list[Any] | str, list[tuple[str, str]]]] = {
    "an id with a dot": ([q("a.b")], [("V17", f"{FIRST}/id")]),
    "an id with a quote": ([q('a"b')], [("V17", f"{FIRST}/id")]),
    "an id with a newline": ([q("a\nb")], [("V17", f"{FIRST}/id")]),
    "an id of ours": ([q("__review__")], [("V17", f"{FIRST}/id")]),
    "options that are duplicates": ([sel("a", "b", " a\u200b")], [("V15", f"{FIRST}/options/2")]),
    "an empty option": ([sel("", "b")], [("V15", f"{FIRST}/options/0")]),
    "no option": ([sel()], [("V3", f"{FIRST}/options")]),
    "a default of the wrong type": (
        [q(default="yes"), sel("x", id="b", default=1), q("c", answer_type="multi_select", options=["x"], default="x")],
        [("V5", f"{FIRST}/default"), ("V5", "/questions/1/default"), ("V5", "/questions/2/default")],
    ),
    "when on itself": ([q(when={"question_id": "a", "equals": True})], [("V10", f"{FIRST}/when/question_id")]),
    "when on a later one": (
        [q(when={"question_id": "b", "equals": True}), q("b")], [("V10", f"{FIRST}/when/question_id")],
    ),
    "a remote reference": ([doc({"$ref": "http://x.example/s.json"})], [("V9", f"{FIRST}/schema")]),
    "a reference to a file": ([doc({"$ref": "file:///etc/passwd"})], [("V9", f"{FIRST}/schema")]),
    "a reference only to itself": ([doc({"$ref": "#"})], [("V9", f"{FIRST}/schema")]),
    "a pattern that does not compile": ([doc({"type": "string", "pattern": "("})], [("V9", f"{FIRST}/schema")]),
    "a schema of 65 levels": ([doc(nested(65))], [("V18", FIRST + "/schema" + "/not" * 61)]),
    "a schema of 1 MB": ([doc({"title": "x" * 1_000_000})], [("V18", ""), ("V18", f"{FIRST}/schema")]),
    "a schema of 300 KB": ([doc({"title": "x" * 300_000})], [("V18", f"{FIRST}/schema")]),
    "51 questions": ([q(f"a{n}") for n in range(51)], [("V18", "/questions")]),
    "1,001 options": ([sel(*map(str, range(1001)))], [("V18", f"{FIRST}/options")]),
    "1e400": (
        '{"questions":[{"id":"a","text":"?","answer_type":"schema","schema":{},"default":1e400}]}',
        [("V19", f"{FIRST}/default")],
    ),
    "NaN": ([doc({}, default=float("nan"))], [("V19", f"{FIRST}/default")]),
    "keys that stand twice": ('{"questions":[{"id":"a","id":"b","text":"?","answer_type":"text"}]}', [
        ("V19", f"{FIRST}/id"),
    ]),
    "a lone surrogate": ([q(context="x\ud800")], [("V19", f"{FIRST}/context")]),
    "10,000 levels": ('{"questions":' + "[" * 10_000 + "]" * 10_000 + "}", [("V18", "/questions" + "/0" * 63)]),
}  # fmt: skip
FINE: dict[str, dict[str, Any]] = {
    "__proto__ is only data": q("__proto__"),
    "an option of 10,000 characters": sel("y" * 10_000, "b"),
    "options from right to left": sel("\u05e9\u05dc\u05d5\u05dd", "\u202emoc.live", "a"),
    "options full of markup": sel("[/]", "[@click=app.quit]x[/]", "[b", "{x}", "$error", ":skull:"),
    "2^64 in a schema": doc({"type": "integer", "minimum": 2**64}, default=2**64),
    "a schema that leads back to itself through values": doc(
        {"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}}}
    ),
    "a catastrophic pattern": doc({"type": "string", "pattern": "^(a+)+$"}),
    "1,000 options": sel(*map(str, range(1000))),
}


def asks(bench: Bench, questions: list[Any] | str) -> Wired:
    raw = questions if isinstance(questions, str) else json.dumps({"questions": questions})
    model = Wired("openai_chat", calls("openai_chat", [("ask_user", raw)]), says("openai_chat", "I see."))
    bench.script = model  # type: ignore[assignment]
    bench.start()
    bench.say("go")
    return model


@pytest.mark.parametrize("name", REFUSED)
def test_a_precise_error_and_nothing_asked(bench: Bench, name: str) -> None:
    questions, wanted = REFUSED[name]
    model = asks(bench, questions)
    assert bench.turn().outcome == "done"
    assert not [event for event in bench.events if isinstance(event, e.QuestionAsked)]
    (result,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    told = json.loads(result["content"])["problems"]
    assert [(one["code"], one["path"]) for one in told] == wanted
    assert all(len(one["message"]) < 300 for one in told)
    accepted(model.requests[1])


@pytest.mark.parametrize("name", FINE)
def test_it_is_asked_as_it_was_sent_and_answered_under_its_id(bench: Bench, name: str) -> None:
    sent = FINE[name]
    asks(bench, [sent])
    asked = bench.prompt().question
    kind = asked.answer_type
    assert (asked.id, asked.text) == (sent["id"], sent["text"]) and asked.default == sent.get("default")
    assert [one.value for one in getattr(kind, "options", ())] == sent.get("options", [])
    assert getattr(kind, "schema", None) == sent.get("schema")
    value = {"select": lambda: sent["options"][-1], "boolean": lambda: True}.get(kind.type, lambda: _fits(sent))()
    bench.answer(_prompt(bench), Answered(value=value))
    assert bench.turn().outcome == "done"
    (result,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert json.loads(result["content"]) == {sent["id"]: value} and not result["is_error"]


def _fits(sent: dict[str, Any]) -> Any:
    if "default" in sent:
        return sent["default"]
    return "aaa" if "pattern" in sent["schema"] else {"next": {"next": {}}}


def _prompt(bench: Bench) -> PromptRequest:
    return next(event.prompt for event in bench.events if isinstance(event, e.QuestionAsked))


def test_t16_a_value_that_a_pattern_never_ends_on_is_refused_in_time(bench: Bench) -> None:
    """A catastrophic pattern ends in words, and the question can still be answered otherwise."""
    asks(bench, [FINE["a catastrophic pattern"]])
    prompt = bench.prompt()
    bench.answer(prompt, Answered(value="a" * 40 + "!"))
    refused = bench.until(e.AnswerRefused)
    assert not refused.gone and refused.reason
    bench.answer(prompt, Answered(value="aaa"))
    assert bench.turn().outcome == "done"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ('{"name": "a", "name": "b"}', "line 1, column 15: the key 'name' appears twice"),
        ('{"batch": 1e400}', "line 1, column 11: 1e400 is too large a number"),
        ('{"batch": NaN}', "line 1, column 11: NaN isn't JSON"),
        ('{"batch": ' + "9" * 301 + "}", "an integer of 301 digits"),
        ('{"name": "\\ud800"}', "half of a character"),
        ("[" * 65 + "]" * 65, "more than 64 levels deep"),
        ('{"name": "a",}', "line 1, column 14"),
    ],
    ids=["a key twice", "1e400", "NaN", "digits", "half of a character", "depth", "comma"],
)
async def test_in_the_json_of_the_schema_sheet(typed: str, words: str) -> None:
    """The same gate with the same words and places, for a person who types."""
    app = Checked(schema())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "f6")
        app.schema.editors.json.put(typed)
        await app.until(pilot, lambda: app.schema.editors.text == app.schema.editors.json.value)
        await app.judged(pilot)
        await app.type(pilot, "enter")
        assert app.answers == []
        assert words in " ".join(text_of(app).replace("│", " ").split())
