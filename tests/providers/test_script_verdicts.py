"""A script as a reviewer (S22): by the question's id, native and by a forced tool; mistakes with file and line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.model import (
    Call,
    CallRefused,
    Delta,
    Message,
    ModelError,
    ModelRequest,
    PartGrew,
    Result,
    TextPart,
)
from jp_tui.engine.base.dependencies import ModelSetup, ReviewQuestion
from jp_tui.engine.reviewer.reviewer import ReviewerModel
from jp_tui.inquiry.values import ReviewerAnswered, ReviewerFailed
from jp_tui.providers.scripted.provider import DemoProvider, open_provider
from jp_tui.providers.scripted.script import ScriptProblem, read_script
from jp_tui.questions.types import BooleanAnswer, Question

from .decoding import fold

SCHEMA = {"type": "object"}


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "judge.toml"
    path.write_text(text)
    return path


def under_review(prompt: str, *, calls: int = 1) -> tuple[Message, ...]:
    """A turn in which a tool was called so often, and the question about its last call."""
    found = [Message("user", (TextPart("go"),))]
    for number in range(calls):
        parts = (TextPart("so"), Call(f"c{number}", "t", {}))
        found += [Message("assistant", parts), Message("user", (Result(f"c{number}", "t", "paused", False),))]
    return (*found[:-1], Message("user", (*found[-1].parts, TextPart(prompt))))


def request(inquiry: str = "t.q", prompt: str = "Well?", *, calls: int = 1) -> ModelRequest:
    return ModelRequest("x", under_review(prompt, calls=calls), output=SCHEMA, inquiry=inquiry)


def forced(asked: ModelRequest) -> ModelRequest:
    return replace(asked, output=None, tool_choice="verdict")


async def deltas(path: Path, asked: ModelRequest) -> list[Delta]:
    provider = open_provider(str(path))
    return [delta async for delta in provider.stream(asked)]


async def said(path: Path, asked: ModelRequest) -> Any:
    parts, finished = fold(await deltas(path, asked))
    assert finished is not None
    return parts[-1][-1]


async def test_s22_a_verdict_in_both_ways_with_the_reason_first(tmp_path: Path) -> None:
    path = write(tmp_path, '[[verdicts]]\nquestion = "q"\nanswer = true\nreason = "fine"\nreasoning = "hm"\n')
    parts, finished = fold(await deltas(path, request()))
    assert parts == [["reasoning", "hm"], ["message", '{"reason":"fine","answer":true}']]
    assert finished is not None and finished.reason == "end" and finished.usage.output > 0
    parts, finished = fold(await deltas(path, forced(request())))
    assert parts[-1] == ["tool", "demo_2", "verdict", {"reason": "fine", "answer": True}]
    assert finished is not None and finished.reason == "tools"


async def test_the_first_that_fits_by_question_tool_words_and_call(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '[[verdicts]]\nquestion = "q"\ntool = "other"\nanswer = 1\n'
        '[[verdicts]]\nquestion = "q"\nexpect = "GREEN tea"\nanswer = 2\n'
        '[[verdicts]]\nquestion = "q"\nnth = 2\nanswer = 3\n'
        '[[verdicts]]\nquestion = "q"\nanswer = [4, { a = "b" }]\n'
        '[[verdicts]]\nquestion = "*"\ntool = "u"\nanswer = 5\n',
    )
    assert await said(path, request("other.q")) == '{"answer":1}'
    assert await said(path, request(prompt="Some green Tea?")) == '{"answer":2}'
    assert await said(path, request(calls=2)) == '{"answer":3}'
    assert await said(path, request()) == '{"answer":[4,{"a":"b"}]}'
    assert await said(path, request("u.a.b")) == '{"answer":5}'
    for asked in (request("t.else"), forced(request("t.else"))):
        with pytest.raises(ModelError) as caught:
            await deltas(path, asked)
        assert caught.value.message == "The script judge.toml has no verdict on else of t (call 1 in this turn)."
        assert 'question = "else"' in caught.value.advice and not caught.value.transient


async def test_calls_are_counted_from_what_the_user_said_last(tmp_path: Path) -> None:
    path = write(tmp_path, '[[verdicts]]\nquestion = "q"\nnth = 1\nanswer = true\n')
    before = (*under_review("earlier", calls=3), Message("assistant", (TextPart("done"),)))
    asked = replace(request(), messages=(*before, *request().messages))
    assert await said(path, asked) == '{"answer":true}'
    assert await said(path, replace(request(), messages=(Message("user", (TextPart("alone"),)),))) == '{"answer":true}'


async def test_prose_raw_and_errors(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '[[verdicts]]\nquestion = "prose"\nprose = "I would say yes."\n'
        '[[verdicts]]\nquestion = "late"\nprose = "Hm."\nanswer = false\n'
        '[[verdicts]]\nquestion = "raw"\nraw = \'{"answer": true, "answer": false}\'\n'
        '[[verdicts]]\nquestion = "empty"\nraw = ""\n'
        '[[verdicts]]\nquestion = "error"\nerror = "The server is on fire."\n',
    )
    assert await said(path, request("t.prose")) == "I would say yes."
    parts, finished = fold(await deltas(path, forced(request("t.prose"))))
    assert parts == [["message", "I would say yes."]] and finished is not None and finished.reason == "end"
    assert await said(path, request("t.late")) == "Hm."
    repair = (
        *under_review("Well?"),
        Message("assistant", (TextPart("Hm."),)),
        Message("user", (TextPart("Once more."),)),
    )
    again = forced(replace(request("t.late"), messages=repair))
    assert await said(path, again) == {"answer": False}
    assert await said(path, request("t.raw")) == '{"answer": true, "answer": false}'
    refused = [delta for delta in await deltas(path, forced(request("t.raw"))) if isinstance(delta, CallRefused)]
    assert refused and refused[0].misread and "duplicate" in refused[0].problem
    assert await said(path, request("t.empty")) == ""
    with pytest.raises(ModelError, match="on fire"):
        await deltas(path, request("t.error"))


async def test_e40_a_reason_streams_at_its_own_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("jp_tui.providers.scripted.provider.sleep", sleep)
    path = write(
        tmp_path,
        f'rate = 1000\n[[verdicts]]\nquestion = "q"\nanswer = true\nreason = "{"word " * 20}"\nwait = 2.5\nrate = 50\n',
    )
    found = await deltas(path, request())
    pieces = [delta.text for delta in found if isinstance(delta, PartGrew)]
    assert len(pieces) > 10 and "".join(pieces).startswith('{"reason":"word')
    assert slept[0] == 2.5 and sum(slept) == pytest.approx(2.5 + len("".join(pieces)) / 50)


def test_one_script_may_hold_turns_and_verdicts(tmp_path: Path) -> None:
    script = read_script(write(tmp_path, '[[turns]]\ntext = "x"\n[[verdicts]]\nquestion = "q"\nanswer = true\n'))
    assert script.turns and script.verdicts
    assert not read_script(write(tmp_path, '[[verdicts]]\nquestion = "q"\nerror = "x"\n')).turns


def test_a_walk_names_the_questions_that_its_reviewer_answers(tmp_path: Path) -> None:
    text = '[[walks]]\nname = "a"\nreviewer = ["q"]\n[[walks.turns]]\ntext = "x"\n[[walks]]\nname = "b"\n'
    provider = DemoProvider(read_script(write(tmp_path, text + '[[walks.turns]]\ntext = "y"\n')))
    talk = [Message("user", (TextPart("a"),)), Message("assistant", (TextPart("x"),))]
    assert provider.reviews(tuple(talk)) == {"q"}
    assert provider.reviews((*talk, Message("user", (TextPart("b"),)))) == frozenset()
    assert provider.reviews(()) == frozenset()


WALK = '[[walks]]\nname = "a"\n[[walks.turns]]\ntext = "x"\n'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[[verdicts]]\nanswer = true", 1, "`question` is missing"),
        ('[[verdicts]]\nquestion = "q"', 1, "a verdict needs `answer`"),
        ('\n[[verdicts]]\nquestion = "q"\nanswer = true\nraw = "x"', 2, "one of them"),
        ('[[verdicts]]\nquestion = "q"\nreason = "x"', 3, "`reason` stands without"),
        ('[[verdicts]]\nquestion = "q"\nanswer = true\nreason = 5', 4, "`reason` must be text"),
        ('[[verdicts]]\nquestion = "q"\nanswer = nan', 3, "`answer` is not JSON"),
        ('[[verdicts]]\nquestion = "q"\nanswer = 2020-01-01', 3, "`answer` is not JSON"),
        ('[[verdicts]]\nquestion = "q"\nanswer = true\nnth = 0', 4, "`nth` counts calls from 1"),
        ('[[verdicts]]\nquestion = "q"\nanswer = true\nwait = 1e9', 4, "`wait` must be a number from 0 to 600"),
        ('[[verdicts]]\nquestion = "q"\nanswer = true\nrate = true', 4, "`rate` must be a number from 0"),
        (
            '[[verdicts]]\nquestion = "q"\nanswer = true\n[[verdicts]]\nquestion = "q"\nanswr = true',
            6,
            "`answr` is not a key here",
        ),
        ('[[walks]]\nname = "a"\nreviewer = "q"\n[[walks.turns]]\ntext = "x"', 3, "`reviewer` must be a list"),
        (f'{WALK}[[walks.people]]\nname = "b"\nanswer = true', 6, "`name` and `question` are needed"),
        (f'{WALK}[[walks.people]]\nname = "b"\nquestion = "q"', 5, "`answer` is missing"),
        (f'{WALK}[[walks.people]]\nname = "b"\nquestion = "q"\nanswer = true\nwait = -1', 9, "`wait` must be"),
        ('[[walks]]\nname = "a"\nreviewer = [1]\n[[walks.turns]]\ntext = "x"', 3, "`reviewer` must be a list of"),
    ],
)
def test_a_mistake_names_file_and_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ScriptProblem) as caught:
        open_provider(str(path))
    assert str(caught.value).startswith(f"{path}:{line}: ") and words in str(caught.value)


# --- with the real reviewer -----------------------------------------------------------------------------------


class Heard:
    def __init__(self) -> None:
        self.said = ""

    def asks(self, model: str) -> None:
        assert model == "demo/judge"

    def says(self, kind: str, text: str, *, fresh: bool = False) -> None:
        self.said = "" if fresh else self.said + (text if kind == "reason" else "")

    def waits(self, detail: str = "", seconds: float | None = None) -> None:
        raise AssertionError("a script does not fail")


async def inquire(path: Path, structured: Any) -> tuple[ReviewerAnswered | ReviewerFailed, str]:
    model = ModelSetup("demo/judge", "judge", open_provider(str(path)), structured=structured)

    async def open_(*_: object) -> ModelSetup:
        return model

    question = Question("q", "Shall it be?", BooleanAnswer())
    heard = Heard()
    asked = ReviewQuestion("i", "t", question, under_review("x")[:-1], model)
    return await ReviewerModel(open_).inquire(asked, heard), heard.said


@pytest.mark.parametrize("structured", ["native", "tool"])
@pytest.mark.parametrize("answer", [True, False])
async def test_the_reviewer_takes_its_verdict(tmp_path: Path, structured: str, answer: bool) -> None:
    text = f'rate = 100000\n[[verdicts]]\nquestion = "q"\nanswer = {str(answer).lower()}\nreason = "It is fine."\n'
    found, heard = await inquire(write(tmp_path, text), structured)
    assert isinstance(found, ReviewerAnswered)
    assert (found.value, found.reason, heard) == (answer, "It is fine.", "It is fine.")


@pytest.mark.parametrize("structured", ["native", "tool"])
async def test_prose_is_repaired_or_fails(tmp_path: Path, structured: str) -> None:
    text = '[[verdicts]]\nquestion = "q"\nprose = "Sure!"\nanswer = true\nreason = "ok"\n'
    found, _ = await inquire(write(tmp_path, text), structured)
    assert isinstance(found, ReviewerAnswered) and found.value is True
    for never in ('prose = "Sure!"', "answer = true", "raw = 'yes'", "error = 'x'"):
        found, _ = await inquire(write(tmp_path, f'[[verdicts]]\nquestion = "q"\n{never}\n'), structured)
        assert isinstance(found, ReviewerFailed), never
