"""A secret is in memory and nowhere else (inquiries.md R12, R202; acceptance matrix 22; STORE-025)."""

from __future__ import annotations

import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import dump
from jp_tui.questions import types as t
from jp_tui.questions.wire import digest, recorded

CANARY = "canary-7f3a\u00e9"
ASKED = t.Question("pass", "Passphrase?", t.SecretAnswer(), exclusive=True, persistence="none")


def test_an_answer_on_its_way_to_the_tool_shows_nothing() -> None:
    """Whatever is made of it by accident: repr, str, a format, inside other values, in a traceback."""
    given_ = t.GivenAnswer(CANARY, digest(ASKED), note="from my vault")
    held: dict[str, Any] = {"pass": given_}
    assert given_.value == CANARY
    for text in (repr(given_), str(given_), f"{given_}", f"{held}", repr([given_]), f"{given_!r:>200}"):
        assert CANARY not in text and ascii(CANARY)[1:-1] not in text
    assert "from my vault" in repr(given_)
    try:
        raise KeyError(given_)
    except KeyError as error:
        assert CANARY not in "".join(traceback.format_exception(error))


def test_what_stands_in_the_log_has_no_place_for_it() -> None:
    """The request names the type; the response says that it was answered, and has no attribute to say more with."""
    request = ev.InquiryRequest(id="c.pass.1", source=ev.Source("tool", "t"), question=recorded(ASKED))
    response = ev.InquiryRedacted(id="c.pass.1")
    assert request.wire()["question"] == {
        "text": "Passphrase?",
        "answer_type": {"type": "secret"},
        "exclusive": True,
        "persistence": "none",
    }
    assert {key for key in response.wire() if key != "timestamp"} == {"type", "outcome", "id"}
    with pytest.raises(TypeError):
        ev.InquiryRedacted(id="c.pass.1", answer=CANARY)  # type: ignore[call-arg]


def test_one_that_somebody_else_wrote_is_not_carried_on() -> None:
    raw = {"timestamp": "t", "type": "inquiry_response", "outcome": "redacted", "id": "i", "answer": CANARY}
    found = read_event(raw)
    assert CANARY not in repr(found) and CANARY not in dump(found.wire())


@given(st.text(min_size=6).filter(lambda text: text not in repr(t.GivenAnswer("", digest="d"))))
def test_no_form_of_the_question_depends_on_the_answer(answer: str) -> None:
    """A question has its author's default (R4) and never what was typed; a refusal does not repeat it."""
    assert ASKED.answer_type.problem([answer]) == "expected text"
    assert set(recorded(ASKED)) <= {"text", "answer_type", "exclusive", "persistence"}
    assert answer not in repr(t.GivenAnswer(answer, digest="d"))
