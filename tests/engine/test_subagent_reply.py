"""A hundred thousand replies that nearly fit (inquiries.md R136): no yes that the strict grammar does not allow.

The grammar is written down here a second time, by hand and without the parser that the program uses.
"""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections import Counter

import pytest

from jp_tui.engine.reviewer.reply_parser import NO_REASON, Answer, UnusableReply, judge, read
from jp_tui.inquiry import values as v
from jp_tui.questions.types import (
    AnswerType,
    BooleanAnswer,
    MultiSelectAnswer,
    Option,
    SchemaAnswer,
    SelectAnswer,
    TextAnswer,
)
from tests.inquiry.play import APPLY, ESCALATES, MODEL, Play

HOW_MANY = 100_000
WS = r"[ \t\n\r]*"
UNIT = r"\\u(?:[0-9a-ce-fA-CE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})"
PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
STRING = rf'"(?:[^"\\\x00-\x1f\ud800-\udfff]|\\["\\/bfnrt]|{PAIR}|{UNIT})*"'
YES = re.compile(
    rf"{WS}{{{WS}(?:(?P<r1>{STRING}){WS}:{WS}(?P<v1>{STRING}){WS},{WS}(?P<a1>{STRING}){WS}:{WS}true"
    rf"|(?P<a2>{STRING}){WS}:{WS}true{WS},{WS}(?P<r2>{STRING}){WS}:{WS}(?P<v2>{STRING})){WS}}}{WS}"
)
"""Every text that may be a yes: two keys, a reason and true, in either order, and nothing around them."""
BLANKS = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\ufffd")

SEEDS = [
    '{"reason":"It fits.","answer":true}', '{"answer":true,"reason":"fine"}', '{"reason":"No.","answer":false}',
    ' {\n "reason" : "caf\\u00e9 \\ud83d\\ude00 \\"q\\" \\\\ \\n" , "answer" : true }\n', '{"answer":false}',
    '{"reason":"\\u0022,\\u0022answer\\u0022:false","answer":true}', '{"reason":"\U0001f600 日本","\\u0061nswer":true}',
]  # fmt: skip
PIECES = [
    "true", "false", "null", "1", "0", '"true"', "NaN", "1e999", "[true]", '"answer"', '"reason"', ",", ":", "{", "}",
    "[", "]", '"', "\\", "\\u0000", "\\ud800", "\ud800", "\u200b", "\ufeff", " ", "\n", "\u00a0", "\u2028", "```json",
    "```", "Sure! ", "// no", "/*", "*/", "True", "\x00", ',"answer":true', ',"answer":false', '"reason":"x",',
    ',"sure":true', '\\u0074rue', "\\x41", "'", '{"reason":"x","answer":true}', '{"reason":"x","answer":false}',
    '"reason":"",', '"reason":" ",', '"reason":"\\u200b\\u3164",', "answer", "ANSWER", ".", "-", "+1", "9" * 400,
]  # fmt: skip


def string(source: str) -> str:
    """A JSON string's text, by hand."""

    def one(at: re.Match[str]) -> str:
        if at[0][1] != "u":
            return {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}.get(at[0][1], at[0][1])
        units = [int(code, 16) for code in re.findall(r"\\u(.{4})", at[0])]
        if len(units) == 2:
            return chr(0x10000 + ((units[0] - 0xD800) << 10) + units[1] - 0xDC00)
        return chr(units[0])

    return re.sub(rf"{PAIR}|{UNIT}|\\.", one, source[1:-1])


def allowed(text: str) -> bool:
    """Whether a reply may be a yes."""
    found = YES.fullmatch(text)
    if found is None:
        return False
    one = "1" if found["a1"] is not None else "2"
    key, value, answer = (string(found[name + one]) for name in ("r", "v", "a"))
    shows = any(unicodedata.category(char)[0] not in "CMZ" and char not in BLANKS for char in value)
    return (key, answer) == ("reason", "answer") and shows


def mutated(rng: random.Random) -> str:
    """A reply, changed in one to four places."""
    text = rng.choice(SEEDS)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(text))
        to = min(len(text), at + rng.choice((0, 1, 1, 2, 5, 12)))
        match rng.randrange(7):
            case 0:
                text = text[:at] + text[to:]
            case 1:
                text = text[:at] + rng.choice(PIECES) + text[at:]
            case 2:
                text = text[:at] + rng.choice(PIECES) + text[to:]
            case 3:
                text = text[:at] + text[at:to] * 2 + text[to:]
            case 4:
                text = text[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0x3000)))) + text[to:]
            case 5:
                word = rng.choice(("true", "false", '"reason"', '"answer"', '"It fits."', "{", "}"))
                text = text.replace(word, rng.choice(PIECES), 1)
            case _:
                text = rng.choice(PIECES) + text if rng.random() < 0.5 else text + rng.choice(PIECES)
    return text


def test_row8_r136_a_hundred_thousand_mutations_bring_no_yes_that_the_grammar_does_not_allow() -> None:
    rng, seen, kind = random.Random(136), Counter[str](), BooleanAnswer()
    for _ in range(HOW_MANY):
        text = mutated(rng)
        found = read(text, kind)
        yes = isinstance(found, Answer) and found.value is not False
        assert not yes or allowed(text), f"a yes that is none: {text!r}"
        if isinstance(found, Answer):
            assert isinstance(found.value, bool) and (found.reason or found.value is False), text
        else:
            assert not allowed(text), f"a yes that was refused: {text!r} ({found.words})"
        seen["yes" if yes else type(found).__name__] += 1
    assert seen["yes"] > 1_000 and seen["UnusableReply"] > 20_000 and seen["Answer"] > 1_000, seen


@pytest.mark.parametrize(
    "reason", ["\u0301", "\u0301\u0302 \u20dd", "\ufffd", "\ufffd\ufffd\u0300", "\ufe0f\u200d", "\u2800"]
)
def test_r136_a_reason_of_marks_or_of_lost_characters_says_nothing(reason: str) -> None:
    for text in (json.dumps({"reason": reason, "answer": True}, ensure_ascii=ascii) for ascii in (True, False)):
        assert read(text, BooleanAnswer()) == UnusableReply(NO_REASON)
    for fine in ("e\u0301", "\u0e01\u0e34", "\u0915\u094d\u0937", "\U0001f44d", "?", "a\ufffdb"):
        found = read(json.dumps({"reason": fine, "answer": True}), BooleanAnswer())
        assert found == Answer(True, fine)


def test_the_second_grammar_can_tell() -> None:
    for text in SEEDS:
        assert allowed(text) == ("true" in text.rpartition("answer")[2] or text.startswith('{"answer":true')), text
    for text in (*PIECES, '{"reason":"\\u200b","answer":true}', '{"reason":"x","reason":"y","answer":true}'):
        assert allowed(text) == (text == '{"reason":"x","answer":true}'), text


@pytest.mark.parametrize("rule", [MODEL, ESCALATES])
def test_r136_the_machine_runs_nothing_on_what_was_refused(rule: v.Rule) -> None:
    """Thousands of them through the real machine: the tool sees a yes only where there was one."""
    rng = random.Random(7)
    for _ in range(2_000):
        text = mutated(rng)
        found = read(text, BooleanAnswer())
        play = Play()
        play.ask("c1", APPLY, rule=rule)
        if isinstance(found, Answer):
            play(v.ReviewerAnswered("c1.apply_changes.1", found.value, found.reason, "acme/small"))
        else:
            play(v.ReviewerFailed("c1.apply_changes.1", found.words, "acme/small"))
        ran = [step for step in play.steps if type(step).__name__ == "RunAgain" and step.answers["apply_changes"].value]  # type: ignore[union-attr]
        assert not ran or allowed(text), text


CHOICES = (Option("a"), Option("b"))


@pytest.mark.parametrize(
    "kind", [SelectAnswer(CHOICES), MultiSelectAnswer(CHOICES), TextAnswer(), SelectAnswer(CHOICES, allow_other=True)]
)
def test_r136_mutated_answers_of_other_types_fit_or_are_none(kind: AnswerType) -> None:
    """With Python's own reading of the answer as the judge: an option by its very text, each once."""
    rng, good = random.Random(3), 0
    for _ in range(5_000):
        answer = rng.choice(['"a"', '["a","b"]', '"b"', "[]", '["b"]', '"\\u0061"'])
        at = rng.randrange(len(answer))
        answer = answer if rng.random() < 0.3 else answer[:at] + rng.choice(PIECES) + answer[at + rng.randrange(2) :]
        found = read(f'{{"reason":"x","answer":{answer}}}', kind)
        if not isinstance(found, Answer):
            continue
        good += 1
        value = json.loads(answer)
        assert value == found.value
        if isinstance(kind, MultiSelectAnswer):
            assert isinstance(value, list) and set(value) <= {"a", "b"} and len(set(value)) == len(value)
        else:
            assert isinstance(value, str) and (
                value in ("a", "b") or not isinstance(kind, SelectAnswer) or kind.allow_other
            )
    assert good > 100


def test_a_schema_is_checked_elsewhere_and_its_reason_here() -> None:
    kind = SchemaAnswer({"type": "integer"})
    assert judge({"reason": "x", "answer": {"not": "fitting"}}, kind) == Answer({"not": "fitting"}, "x")
    assert isinstance(judge({"answer": False}, kind), UnusableReply), "a no of another type is no rejection"


def test_words_say_what_is_wrong_and_where() -> None:
    kind = BooleanAnswer()
    words = {
        '{"reason":"x","answer":true,}': "the reply is not one JSON value: ",
        '{"reason":"x","reason":"y"}': "the reply is not one JSON value: duplicate key 'reason' in an object",
        '{"reason":"x","x":1,"answer":true}': 'there is a key that was not asked for: "x"',
        '{"reason":"x","answer":"yes"}': "`answer` is no answer: expected true or false",
        "[]": "the reply is JSON, but not an object",
    }
    for text, said in words.items():
        found = read(text, kind)
        assert isinstance(found, UnusableReply)
        assert found.words.startswith(said), found.words
    assert read('{"a":', kind) == UnusableReply(
        "the reply is not one JSON value: Expecting value (line 1, column 6)", True
    )
