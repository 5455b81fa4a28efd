"""Docstrings and comments use standard terms: no question words as openings, none of the banned words."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.house.sources import Source, ours, statements

PUBLISHED = ("jp_tui/headless/rpc/messages.py", "jp_tui/questions/types.py")
"""`jp-tui rpc --schema` publishes the docstrings of these models, so a change of their text is a change for clients."""

OPENINGS = re.compile(r"(What|Whether|Where|Which|How|Who|When)\b")
WORDS = re.compile(
    r"\b(mend(s|ed|ing)?|told|heard|fared|worn|deaf|anew|nobody|somebody|once more|side talk|errands?|gulps?)\b"
    r"|\b(tak(e|es|en|ing)|took) up\b|\bgo(es)? along\b|\bput off\b|\blet(s)? go\b|\bthe human\b|\bthe way back\b"
    r"|(?<!here )\b(is|are) no (?!longer|more)\w|\bstands? (in|on|behind|there|before)\b|\bbrings? (\w+ )?back\b"
    r"|\b(two|three|five|seven|ten) (seconds|minutes|days)\b|\bCtrl[- ]\w|\bcontrol-\w"
)
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")


def prose(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield each docstring and comment of a file: its line, its text, and True for a docstring."""
    for node in statements(ast.parse(text)):
        for one in node.body if isinstance(getattr(node, "body", None), list) else ():
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
                yield one.lineno, one.value.value, True
    if not any("#" in line and WORDS.search(line) for line in text.splitlines()):
        return  # tokens take long, and most comments have none of the words
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#! "), False


def find_dialect(text: str) -> list[str]:
    """Return the places that break the rules, as `line: words`."""
    found = []
    for line, said, docstring in prose(text):
        plain = QUOTED.sub("", " ".join(said.split()))
        if docstring and (opening := OPENINGS.match(plain)):
            found.append(f"{line}: opens with {opening[0]!r}")
        found += [f"{line}: {word[0]!r}" for word in WORDS.finditer(plain)]
    return found


def checked(source: Source) -> bool:
    return source.name not in PUBLISHED


def test_docstrings_and_comments_use_standard_terms() -> None:
    sources = [source for source in ours("jp_tui") if checked(source)]
    wrong = [f"{source.name}:{found}" for source in sources for found in find_dialect(source.text)]
    assert not wrong, f"start with a verb or a noun, present tense, the standard term: {wrong}"
    assert len(sources) > 500, "the check has gone blind"


@pytest.mark.parametrize(
    "text",
    [
        '"""Whether it fits."""',
        'def f() -> None:\n    """How it\n    went."""',
        "x = 1\n'''Where it is.'''",
        '"""The repair mends it."""',
        "x = 1  # nobody is there",
        "# taken up\n",
        '"""Wait ten seconds."""',
        '"""Press Ctrl-C."""',
        '"""It is no key."""',
    ],
)
def test_the_check_above_can_fail(text: str) -> None:
    assert len(find_dialect(text)) == 1


@pytest.mark.parametrize(
    "text", ['"""Return what fits."""', '"""See `told`."""', "x = 'nobody'", "# Ctrl+C is no longer\n"]
)
def test_standard_terms_and_quoted_code_pass(text: str) -> None:
    assert find_dialect(text) == []
