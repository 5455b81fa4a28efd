"""Which refused targets a call names, and what the assistant said it wants with one (R247, second look)."""

from __future__ import annotations

import pytest

from jp_tui.conversation.model import Call, Message, Part, Result, Said, Thought
from jp_tui.engine.intent import MOST, stated
from jp_tui.engine.touching import touched

TARGET = "src/app.py"


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "src/app.py"},
        {"command": "rm -f ./src/../src/app.py"},
        {"command": "cd src && mv app.py /tmp/x"},
        {"argv": ["rm", "-rf", "src"]},
        {"argv": ["rm", "-rf", "/ws/"]},
        {"command": "git checkout -- ."},
        {"command": "rm src/*"},
        {"command": "cd src; rm *.p?"},
        {"command": "python3 -c \"open('src/app.py','w')\""},
        {"nested": {"list": [1, None, {"src/app.py": True}]}},
        {"command": "cp x >src/app.py"},
        {"command": "tee --output=src/app.py"},
    ],
)
def test_a_call_that_names_what_was_refused(arguments: dict[str, object]) -> None:
    """R247: also by a shell, a move, a folder above it, or a pattern."""
    assert TARGET in touched(arguments, "/ws", [TARGET, "other.txt"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments",
    [{}, {"path": "src/app.pyi"}, {"command": "ls lib"}, {"n": 5}, {"command": "cat src/application.py"}],
)
def test_a_call_that_names_something_else(arguments: dict[str, object]) -> None:
    assert touched(arguments, "/ws", [TARGET]) == ()  # type: ignore[arg-type]


def said(role: str, *parts: Part) -> Message:
    return Message(role, parts)  # type: ignore[arg-type]


CALL = Call("c1", "fs", {})


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ([said("user", Said("do it")), said("assistant", Said("I fix the test."), CALL)], "I fix the test."),
        ([said("user", Said("do it")), said("assistant", Thought("hm"), CALL)], ""),
        (
            [
                said("user", Said("do it")),
                said("assistant", Said("First I look."), Call("c0", "fs", {})),
                said("user", Result("c0", "fs", "x", False)),
                said("assistant", CALL),
            ],
            "First I look.",
        ),
        ([said("assistant", Said("Older.")), said("user", Said("new")), said("assistant", CALL)], ""),
        ([said("user", Said("do it"))], ""),
    ],
)
def test_the_intent_is_what_was_said_beside_the_call(told: list[Message], words: str) -> None:
    assert stated(told, "c1") == words


def test_a_long_intent_keeps_its_end() -> None:
    told = [said("user", Said("x")), said("assistant", Said("a" * MOST + "end"), CALL)]
    assert len(stated(told, "c1")) == MOST and stated(told, "c1").endswith("end")
