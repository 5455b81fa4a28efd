"""Rule numbers: where the pages of docs/spec define them, and where code, tests and documents cite them.

A citation stands in a comment, a docstring, the name of a test, or the text of a Markdown page. Ordinary strings,
identifiers and text in backticks are no citations.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from tests.house.sources import statements

PAGES = {
    "R": "inquiries.md",
    "M": "inquiries.md",
    "V": "inquiries.md",
    "C": "inquiries.md",
    "E": "asking.md",
    "S": "surface.md",
    "K": "context.md",
    "T": "traps.md",
    "W": "wires.md",
    "P": "mcp.md",
    "D": "store.md",
    "AR": "rules.md",
}
"""The page that defines the rules of a letter. Rules with Z are on the page where a reader would look for them."""
_LETTERS = "|".join((*(letter for letter in PAGES if letter != "D"), "Z"))
# No zero in front: C0 is a set of control characters. The last D is D25: D29, D30 and D46 are parts of jp's own design.
_RULE = rf"(?:(?:{_LETTERS})[1-9]\d*[a-z]?|D(?:1\d|2[0-5]|[1-9])(?!\d))"
# Not a part of a word, a code point (U+E000), an option, an entity, a path with a suffix, a version (V1.2) or a key
# in quotes.
_CITED = re.compile(rf"(?<![\w+#&.\\\"'-])({_RULE})(?:[ ]?[-–][ ]?({_RULE}))?(?!\w|\.\d)")
_IN_NAME = re.compile(rf"(?:^|_)((?:{_LETTERS.lower()}|d)[1-9]\d*[a-d]?)(?=_|$)")
_DEFINED = re.compile(rf"\*\*({_RULE})\*\*")
_IRREGULAR = re.compile(rf"^(?: *(?:[-*]|\d+\.) |\| *)({_RULE})(?= |:)", re.M)
_FENCE = re.compile(r"^( *)(```+|~~~+).*?(?:^ *\2|\Z)", re.M | re.S)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n[ ]*\n).)+?(?<!`)\1(?!`)", re.S)
_QUOTES = re.compile(r"^\s*\w*(?:\"\"\"|'''|[\"'])")
_DIRECTIVE = re.compile(r"#\s*(?:noqa|type: ignore|pragma)\b.*")


@dataclass(frozen=True, slots=True)
class Found:
    """A number at a line of a file, counted from 1."""

    rule: str
    line: int


def letters(rule: str) -> str:
    """The letters in front of a rule's number, as they are written: those of AR12 are AR."""
    return rule[: next(at for at, sign in enumerate(rule) if sign.isdigit())]


def defined(page: str) -> list[Found]:
    """Every definition in a page of docs/spec."""
    return [Found(match[1], _line(page, match.start())) for match in _DEFINED.finditer(_without_code(page))]


def irregular(page: str) -> list[Found]:
    """List items and table rows that begin with a number as a definition does, but not in bold."""
    return [Found(match[1], _line(page, match.start(1))) for match in _IRREGULAR.finditer(_without_code(page))]


def cited_in_python(source: str) -> Iterator[Found]:
    """Every citation in the comments, docstrings and names of tests of a Python file."""
    lines = source.splitlines(keepends=True)
    for node in statements(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str()), lineno=first, end_lineno=int(last)):
                yield from _cited(_QUOTES.sub("", "".join(lines[first - 1 : last])), first)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if node.name.lower().startswith("test"):
                for found in _IN_NAME.finditer(node.name.lower()):
                    yield Found(letters(found[1]).upper() + found[1][len(letters(found[1])) :], node.lineno)
    if any("#" in line and _CITED.search(line) for line in lines):  # most files need no tokens, which take long
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield from _cited(_DIRECTIVE.sub("", token.string), token.start[0])


def cited_in_toml(source: str) -> Iterator[Found]:
    """Every citation in the comments of a TOML file: whole lines, and ends of lines behind a blank."""
    for number, line in enumerate(source.splitlines(), 1):
        if comment := re.search(r"(?:^|\s)#\s.*", line):
            yield from _cited(comment[0], number)


def cited_in_markdown(source: str) -> Iterator[Found]:
    """Every citation in the text of a page; a definition counts as one."""
    yield from _cited(source, 1)


def _cited(text: str, first: int) -> Iterator[Found]:
    """Both ends of a range count."""
    if not _CITED.search(text):
        return
    text = _without_code(text)
    for match in _CITED.finditer(text):
        for group in (1, 2):
            if match[group]:
                yield Found(match[group], first + _line(text, match.start(group)) - 1)


def _without_code(text: str) -> str:
    """The text with blanks in place of what is code in Markdown; lines and columns stay."""
    for pattern in (_FENCE, _SPAN):
        text = pattern.sub(lambda match: re.sub(r"\S", " ", match[0]), text)
    return text


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
