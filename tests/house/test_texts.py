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

from tests.house.sources import ROOT, Source, ours

ROOMS = (
    "conversation", "engine", "first_frame", "guardian", "headless", "journal", "link", "main", "protocol", "providers",
    "questions", "rules", "settings", "startup", "system", "tools", "ui", "view",
)  # fmt: skip
TO_MODELS = (
    "engine/asking/side_messages.py", "engine/model/response_stream.py", "engine/reviewer/prompt.py",
    "engine/reviewer/reply_parser.py", "engine/schema_check/usability.py", "engine/turn/outcome_shape.py",
    "tools/", "engine/asking/subagent_relay.py",
)  # fmt: skip
"""Texts that models read: they are public surface and stay as they are. `inquiry` has the exact messages of the law."""
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
KEYS = re.compile(r"\b(?:Ctrl [A-Z]\b|Ctrl-|Control-|CTRL)|\bctrl\+[A-Z]\b|\^[A-Z]\b|\besc\b")
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
        text = re.sub(r"\{[^{}]*\}", "{}", text).replace("detail, mend", "")  # a field of `doctor --json`
        if len(re.findall(r"[A-Za-z']+", text)) >= 4 and not re.search(r"\\|\(\?|<[a-z]+|[a-z-]+: ?[^ ;]+;", text):
            yield node.lineno, text


@cache
def _seen() -> list[tuple[str, int, str]]:
    return [
        (one.name, line, text)
        for one in ours()
        if one.room in ROOMS and not one.name.startswith(tuple(f"jp_tui/{name}" for name in TO_MODELS))
        for line, text in literals(one)
    ]


def test_banned_turns_are_gone() -> None:
    all_of_it = "\n".join(text for _, _, text in _seen())  # in one text a turn that isn't there is soon looked for
    for turn in [turn for turn in BANNED if re.search(turn, all_of_it)]:
        found = [f"{name}:{line}: {text}" for name, line, text in _seen() if re.search(turn, text)]
        assert not found, "\n".join(found)


def test_keys_have_one_notation_and_quotes_are_paired() -> None:
    for name, line, text in _seen():
        assert not KEYS.search(text), f"{name}:{line}: write Ctrl+F: {text}"
        assert text.count("“") == text.count("”"), f"{name}:{line}: quotes that do not match: {text}"


HINT = re.compile(
    r"(?:(?:(?:Ctrl|Alt|Shift)\+)*(?:[A-Z]|F\d+|Esc|Enter|Tab|Space|Del|PgUp|PgDn|[↑↓←→]+)|[a-z?/+\-\[\]])"
)
"""A key in a hint: one letter as typed, or a name; several stand apart."""


def hints(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and key of each `Hint(...)`, also where the key depends on something."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Hint" and node.args:
            first = node.args[0]
            for one in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
                if isinstance(one, ast.Constant):
                    yield node.lineno, str(one.value)


def test_the_keys_of_hints_are_written_as_everywhere() -> None:
    """Issue 18, 8: `Ctrl+F`, `Esc`, letters as typed."""
    found = [(source.name, *hint) for source in ours() if source.room == "ui" for hint in hints(source.tree)]
    assert len(found) > 50
    for name, line, keys in found:
        assert all(HINT.fullmatch(key) for key in keys.split()), f"{name}:{line}: {keys}"
    assert not HINT.fullmatch("ctrl+f") and not HINT.fullmatch("esc") and HINT.fullmatch("Ctrl+F")


def test_sentences_of_the_wording_begin_with_a_capital_letter() -> None:
    """A text of the wording modules that ends in a full stop is a sentence; fragments beside a label have none."""
    for name, line, text in _seen():
        if name.startswith("jp_tui/view/wording/") and text.endswith("."):
            assert not text[0].islower(), f"{name}:{line}: {text}"


def test_the_guards_notice_what_they_are_for() -> None:
    source = 'x = "this file is no part of a theme"\ny = "press Ctrl-F to see it all"\n'
    texts = [ast.literal_eval(line.split(" = ")[1]) for line in source.splitlines()]
    assert any(re.search(turn, texts[0]) for turn in BANNED) and KEYS.search(texts[1])


PAGES = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md")


def prose(text: str) -> str:
    """A page without its code, tables of results and quoted words."""
    text = re.sub(r"(?ms)^```.*?^```$|<!-- (?:bench|faults|mutants) -->.*?<!-- end -->", "", text)
    return re.sub(r"`[^`\n]*`|\"[^\"\n]*\"", "", text)


@pytest.mark.parametrize("turn", BANNED)
def test_the_pages_for_users_have_no_banned_turns(turn: str) -> None:
    pages = [*(ROOT / name for name in PAGES), *(ROOT / "docs").glob("*.md")]
    found = [
        f"{page.name}: …{text[max(one.start() - 40, 0) : one.end() + 40]}…"
        for page in pages
        if (text := prose(page.read_text(encoding="utf-8")))
        for one in re.finditer(turn, text)
    ]
    assert len(pages) > 10 and not found, "\n".join(found)
