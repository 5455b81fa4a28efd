"""A secret that was typed into a form stands nowhere in what the form shows afterwards (R202, R182b)."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Success
from jp_tui.engine.record.secret_redaction import REDACTED, Secrets
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Submitted
from jp_tui.questions.types import (
    FormView,
    MultiSelectAnswer,
    Option,
    Part,
    Place,
    Question,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
    TextAnswer,
)
from jp_tui.tools.port import NeedsInput, NeedsReview, Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made

PASS = Question("pass", "Password?", SecretAnswer())
HOST = Question("host", "Host?", TextAnswer())


@pytest.fixture(params=["hunter2-secret", "k9"], ids=["long", "short"])
def word(request: pytest.FixtureRequest) -> str:
    """One of four characters and more is taken out everywhere, a shorter one from what its own call says."""
    return str(request.param)


def blabbing(word: str) -> Made:
    """A form of two questions that repeats the first answer wherever a form has text."""

    def form(given: ToolCall, now: str) -> FormView:
        known = word in [str(one.value) for one in given.answers.values()]
        says = word if known else "nothing"
        return FormView(
            (
                Place("pass", "Password?", "current" if now == "pass" else "answered", says if known else None),
                Place("host", f"Host, with {says}?", "current" if now == "host" else "answered", {says: [f"x{says}"]}),
                Place("port", "Port?", "skipped", because=f"it is not asked since {says}"),
            )
        )

    async def run(given: ToolCall) -> Outcome:
        for question in (PASS, HOST):
            if question.id not in given.answers:
                return NeedsInput(question, form(given, question.id))
        if not given.reviewed:
            return NeedsReview(form(given, ""))
        return Success("done")

    return Made(run)


def texts(value: Any) -> list[str]:
    """Every text in a value, however deep."""
    match value:
        case str():
            return [value]
        case dict():
            return [found for pair in value.items() for each in pair for found in texts(each)]
        case list() | tuple() | set() | frozenset():
            return [found for each in value for found in texts(each)]
    if is_dataclass(value):
        return [found for field in fields(value) for found in texts(getattr(value, field.name))]
    return []


def on_disk(home: Path) -> str:
    return "".join(file.read_bytes().decode("utf-8", "replace") for file in home.glob("conversations.db*"))


def test_r202_no_later_step_of_a_form_shows_it(bench: Bench, word: str) -> None:
    """The next question's form and the review of the whole: each shows the mark where the word stood."""
    bench.reviews = True
    bench.tools["tool"] = tool_setup("tool", blabbing(word))
    bench.script = Script([*call("tool", {}), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    first = bench.prompt()
    assert first.question.id == "pass" and first.form is not None and REDACTED not in texts(first.form)
    bench.answer(first, Answered(value=word))
    for kind, answer in (("question", Answered(value="a host")), ("review", Submitted())):
        prompt = bench.prompt()
        assert prompt.kind == kind and prompt.form is not None
        shown = texts(prompt.form)
        assert not any(word in one for one in shown)
        assert shown.count(REDACTED) == 2, "an answer, and the name of a member"
        for said in (f"Host, with {REDACTED}?", f"x{REDACTED}", f"it is not asked since {REDACTED}"):
            assert said in shown
        bench.answer(prompt, answer)
    bench.turn()
    everything = "\n".join(event.model_dump_json() for event in bench.events if not isinstance(event, e.TurnPhase))
    bench.stop()
    if len(word) > 3:  # a short one may stand in any number
        assert word not in everything and word not in on_disk(bench.home)


def held(word: str) -> Secrets:
    found = Secrets()
    found.keep("c1", word)
    return found


def test_r202_every_text_of_a_question_is_looked_at(word: str) -> None:
    """By the fields themselves: one that is added later, and forgotten, shows here."""
    option, part = Option(word, word, word), Part("p1", "sha", word, f"+{word}")
    schema = {"type": "object", "title": word, "properties": {word: {"enum": [word, 1]}}}
    for kind in (SelectAnswer((option,)), MultiSelectAnswer((option, option)), SchemaAnswer(schema), TextAnswer()):
        asked = Question("q", f"Is it {word}?", kind, f"not {word}", {"a": [word]}, True, parts=(part, part))
        clean = held(word).question(asked, "c1")
        assert not any(word in found for found in texts(clean))
        assert len(texts(clean)) == len(texts(asked)), "nothing else is lost"
        assert replaced(asked, word) == texts(clean)


def test_r202_every_text_of_a_form_is_looked_at(word: str) -> None:
    place = Place("q", f"Is it {word}?", "answered", {"a": [word]}, True, f"since {word}")
    clean = held(word).form(FormView((place, place)), "c1")
    assert texts(clean) == replaced(FormView((place, place)), word)
    assert [one.fixed for one in clean.places] == [True, True]


def replaced(value: Any, word: str) -> list[str]:
    return [found.replace(word, REDACTED) for found in texts(value)]


def test_another_calls_form_keeps_its_short_words() -> None:
    """R202: less than four characters are taken out of the words of their own call alone."""
    place = Place("q", "Is it k9?", "current", "k9", because="k9")
    assert held("k9").form(FormView((place,)), "c2") == FormView((place,))
    asked = Question("q", "Is it k9?", TextAnswer(), "k9", "k9", True)
    assert held("k9").question(asked, "c2") == asked
    assert held("k9").json(["k9"], "c2") == ["k9"]
