"""Patterns that are compiled when they are used: all of ours are right, and do what `re.compile` does."""

from __future__ import annotations

import importlib
import re

import pytest

from jp_tui.conversation import patterns
from jp_tui.conversation.patterns import later
from tests.house.sources import ROOT


def test_every_one_of_ours_can_be_compiled() -> None:
    users = [file for file in (ROOT / "jp_tui").rglob("*.py") if "import later" in file.read_text()]
    assert users
    for file in users:
        importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    assert len(patterns.known) > len(users)
    for one in patterns.known:
        re.compile(*one._said)


def test_it_is_a_pattern() -> None:
    one, made = later(r"(?P<first>a)(b)?", re.IGNORECASE), re.compile(r"(?P<first>a)(b)?", re.IGNORECASE)
    patterns.known.pop()
    for text in ("", "xAby", "a"):
        for name in ("search", "match", "fullmatch"):
            assert repr(getattr(one, name)(text)) == repr(getattr(made, name)(text))
    assert one.sub("-", "xAbya") == "x-y-"
    assert (one.pattern, one.flags, one.groups) == (made.pattern, made.flags, made.groups)
    assert "search" in vars(one), "found once, it costs nothing more"


def test_an_error_shows_when_it_is_used() -> None:
    wrong = later("(")
    patterns.known.pop()
    with pytest.raises(re.error):
        wrong.search("")
