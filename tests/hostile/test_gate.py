"""V19, M25, T17, T20: arguments that the JSON gate refuses, on real wires: the model reads what is wrong, and where.

Nothing is asked, nothing is run, the next request to the server is sound, and the turn goes on to its end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from jp_tui.engine.base.rejected_calls import KEPT, RejectedCall, rejection_text
from jp_tui.protocol import events as e
from jp_tui.tools.registry import builtin
from tests.engine.conftest import Bench
from tests.engine.wires import accepted
from tests.hostile.wired import Wired, WireName, calls, says

QUESTION = '{"id":"a","text":"Go?","answer_type":"boolean"'
LIST = '{"questions":[' + QUESTION
DEEP = "[" * 10_000 + "]" * 10_000

# What came, and the (code, path) of all that the model is told of it.
CASES: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "a key twice": (LIST + ',"text":"Stop?"}]}', [("V19", "/questions/0/text")]),
    "1e400": (LIST + ',"default":1e400}]}', [("V19", "/questions/0/default")]),
    "NaN": (LIST + ',"default":NaN}]}', [("V19", "/questions/0/default")]),
    "-Infinity": (LIST + ',"default":-Infinity}]}', [("V19", "/questions/0/default")]),
    "endless digits": (LIST + ',"default":' + "9" * 5000 + "}]}", [("V19", "/questions/0/default")]),
    "half a character": (LIST + ',"context":"x\\ud800"}]}', [("V19", "/questions/0/context")]),
    "too deep": (f'{LIST},"default":{DEEP}}}]}}', [("V18", "/questions/0/default" + "/0" * 61)]),
    "a list": ("[1]", [("V13", "")]),
    "null": ("null", [("V13", "")]),
    "text": ('"ask"', [("V13", "")]),
    "cut, though the server calls it whole": (LIST + ',"context":"no en', [("V13", "/questions/0/context")]),
    "no JSON at all": ("questions: []", [("V13", "")]),
    "all at once": (
        LIST + ',"default":NaN,"default":1e999},{"id":"b","text":"\\udfff","answer_type":"select"},'
        '{"id":"c d","text":"Three\\nfour?","answer_type":"text"}]}',
        [
            ("V19", "/questions/0/default"), ("V19", "/questions/0/default"), ("V19", "/questions/0/default"),
            ("V19", "/questions/1/text"), ("V3", "/questions/1/options"), ("V2", "/questions/2/text"),
        ],
    ),
    "what may be another than it looks like is not told": (
        LIST + ',"id":"b"},{"id":"c","text":"?","answer_type":"text","when":{"question_id":"a","equals":true}}]}',
        [("V19", "/questions/0/id")],
    ),
    "the questions twice": ('{"questions":[],"questions":[1]}', [("V19", "/questions")]),
}  # fmt: skip


def refused(bench: Bench, wire: WireName, *asked: tuple[str, str]) -> tuple[Wired, list[dict[str, Any]]]:
    """A turn in which the model calls these and then ends it; its results."""
    model = Wired(wire, calls(wire, asked), says(wire, "I see."))
    bench.script = model  # type: ignore[assignment]
    bench.start()
    bench.say("go")
    assert bench.turn().outcome == "done"
    assert not [event for event in bench.events if isinstance(event, e.QuestionAsked)], "no prompt"
    assert list(bench.workspace.iterdir()) == [], "nothing run"
    accepted(model.requests[1])
    return model, [event for event in bench.log() if event["type"] == "tool_call_response"]


@pytest.mark.parametrize("wire", ["anthropic", "openai_chat"])
@pytest.mark.parametrize("name", CASES)
def test_v19_m25_the_model_reads_what_is_wrong_and_where(bench: Bench, name: str, wire: WireName) -> None:
    raw, wanted = CASES[name]
    model, (result,) = refused(bench, wire, ("ask_user", raw))
    body = json.loads(result["content"])
    assert result["is_error"] and list(body) == ["error", "message", "problems"]
    assert body["error"] == "invalid_arguments"
    assert body["message"].startswith(
        f"{len(wanted)} problem(s) in the submitted questions; fix them and call ask_user"
    )
    assert [(one["code"], one["path"]) for one in body["problems"]] == wanted
    assert all(list(one) == ["path", "code", "message"] for one in body["problems"])
    assert result["content"] in list(strings(model.bodies[1])), "on the wire too"


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


@pytest.mark.parametrize("wire", ["anthropic", "openai_chat"])
def test_v19_the_words_name_the_key_the_place_and_the_cure(bench: Bench, wire: WireName) -> None:
    _, (result,) = refused(bench, wire, ("ask_user", LIST + ',\n"text":"Stop?"}]}'))
    assert json.loads(result["content"])["problems"][0]["message"] == (
        "The key 'text' appears twice in an object, first at line 1, column 25 (line 2, column 1); send it once."
    )


@pytest.mark.parametrize("wire", ["anthropic", "openai_chat"])
def test_m25b_the_flat_shape_is_told_in_sentences(bench: Bench, wire: WireName) -> None:
    raw = '{"question":"Go?","question":"Stop?","context":NaN}'
    flat, choices = refused(bench, wire, ("ask_user", raw), ("ask_user", '{"question":"Which?","choices":["a"'))[1]
    double, number = flat["content"].split("\n")
    assert double.startswith("ask_user: The key 'question' appears twice in an object, first at line 1, column 2 ")
    assert number == "ask_user: NaN isn't JSON (line 1, column 48); send a finite number or null."
    assert choices["content"].startswith("ask_user: The JSON is incomplete: ")


@pytest.mark.parametrize("wire", ["anthropic", "openai_chat"])
@pytest.mark.parametrize("tool", ["fs_create_file", "describe_tools", "nobody_has_this"])
def test_v19_every_tool_is_told_in_the_same_form(bench: Bench, tool: str, wire: WireName) -> None:
    raw = '{"path":"a","path":"b","content":"\\ud83d","more":[1e999]}'
    _, (result,) = refused(bench, wire, (tool, raw))
    body = json.loads(result["content"])
    assert body["error"] == "invalid_arguments"
    assert body["message"] == f"3 problem(s) in the arguments, and nothing was run; fix them and call {tool} again."
    assert [(one["code"], one["path"]) for one in body["problems"]] == [
        ("duplicate_key", "/path"), ("lone_surrogate", "/content"), ("not_finite", "/more/0"),
    ]  # fmt: skip


@pytest.mark.parametrize("wire", ["anthropic", "openai_chat"])
def test_t20_a_call_that_was_cut_is_to_be_sent_again(bench: Bench, wire: WireName) -> None:
    """It is not for the model to look for a fault where there is none but the end."""
    bench.script = Wired(wire, calls(wire, [("ask_user", LIST)], cut=True), says(wire, "I see."))  # type: ignore[assignment]
    bench.start()
    bench.say("go")
    bench.turn()
    (result,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert result["content"].startswith("The call was not run: ") and "cut off" in result["content"]
    assert result["content"].endswith("Send it again, complete.")


def test_one_refused_call_does_not_hold_up_another(bench: Bench) -> None:
    asked = ("fs_list_files", "{}"), ("ask_user", '{"questions":NaN}')
    one, other = refused(bench, "anthropic", *asked)[1]
    assert not one["is_error"] and json.loads(other["content"])["problems"][0]["path"] == "/questions"


@pytest.mark.parametrize("size", [10, KEPT])
def test_r237_a_refusal_of_a_turn_that_goes_on_says_what_it_still_can(size: int) -> None:
    """What was kept whole is told as it was; of the rest the words."""
    from jp_tui.conversation.events import ToolCallRequest
    from jp_tui.engine.base.rejected_calls import stored

    raw = '{"a":NaN,"b":"' + "x" * size + '"}'
    extra = {"refused": "the arguments are no JSON", "raw": raw[:KEPT], "misread": True}
    found = stored(ToolCallRequest(id="c", name="t", arguments={}, metadata=extra))
    assert found == RejectedCall("c", "t", "the arguments are no JSON", raw if size < KEPT else "")
    assert ("not_finite" in rejection_text(found, None)) == (size < KEPT)
    assert "Send it again" in rejection_text(RejectedCall("c", "t", "it was cut off"), builtin()["ask_user"])
