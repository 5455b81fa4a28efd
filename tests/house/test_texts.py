"""The texts that a person meets keep to plain words, one notation of keys and sentence case.

All literals of four words and more are read, of the packages whose texts people see; docstrings, SQL, regular
expressions and the exact messages of the law (inquiries.md, section 14) are left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.house.sources import Source, ours

ROOMS = ("view", "headless", "ui")
"""Packages that are gone through; others follow."""
BANNED = (
    r"\b(?:mends?|mended|fared|worn|deaf|anew)\b",
    r"\b(?:nobody|somebody)\b",
    r"\b(?:taken?|took) up\b",
    r"\bgo(?:es)? along\b",
    r"\bonce more\b",
    r"(?<!here )\b(?:is|are) no (?!longer|more)\w",
    r"\bstands? (?:in|on|behind|there|before)\b",
    r"\bbrings? (?:\w+ )?back\b",
    r"\b(?:two|three|five|seven|ten) (?:seconds|minutes|days)\b",
    r"\bwrite on to\b",
    r"\bbefore it is whole\b",
    r"\bin a word\b|\bfor a word\b",
)
"""Turns that a reader has to think about; what to write instead is in the commits that took them out."""
KEYS = re.compile(r"\b(?:Ctrl [A-Z]\b|Ctrl-|Control-|CTRL)|\bctrl\+[A-Z]\b|\^[A-Z]\b")
"""Keys are written `Ctrl+F`; ids of keys are lower case (`ctrl+f`)."""


def literals(source: Source) -> Iterator[tuple[int, str]]:
    """Line and text of each string that is no docstring and has four words; placeholders read as `{}`."""
    tree = source.tree
    skipped = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))  # a docstring, of a module, a class, a function or a constant
        elif isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in ast.walk(node) if part is not node)
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        else:
            continue
        text = re.sub(r"\{[^{}]*\}", "{}", text)
        if len(re.findall(r"[A-Za-z']+", text)) >= 4 and not re.search(r"\\|\(\?|<[a-z]+|[a-z-]+: ?[^ ;]+;", text):
            yield node.lineno, text


@cache
def _seen() -> list[tuple[str, int, str]]:
    return [(one.name, line, text) for one in ours() if one.room in ROOMS for line, text in literals(one)]


@pytest.mark.parametrize("turn", BANNED)
def test_banned_turns_are_gone(turn: str) -> None:
    found = [f"{name}:{line}: {text}" for name, line, text in _seen() if re.search(turn, text)]
    assert not found, "\n".join(found)


def test_keys_have_one_notation_and_quotes_are_paired() -> None:
    for name, line, text in _seen():
        assert not KEYS.search(text), f"{name}:{line}: write Ctrl+F: {text}"
        assert text.count("“") == text.count("”"), f"{name}:{line}: quotes that do not match: {text}"


def test_sentences_of_the_wording_begin_with_a_capital_letter() -> None:
    """A text of the wording modules that ends in a full stop is a sentence; fragments beside a label have none."""
    for name, line, text in _seen():
        if name.startswith("jp_tui/view/wording/") and text.endswith("."):
            assert not text[0].islower(), f"{name}:{line}: {text}"


def test_the_guards_notice_what_they_are_for() -> None:
    source = 'x = "this file is no part of a theme"\ny = "press Ctrl-F to see it all"\n'
    texts = [ast.literal_eval(line.split(" = ")[1]) for line in source.splitlines()]
    assert any(re.search(turn, texts[0]) for turn in BANNED) and KEYS.search(texts[1])
