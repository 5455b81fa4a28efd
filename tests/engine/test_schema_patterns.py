"""Patterns mean what ECMA-262 says, which is what JSON Schema asks for, and what cannot be had is said (V9)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.engine.schema_check import worker
from jp_tui.engine.schema_check.regex import NoPattern, pattern

FITS: list[tuple[str, str, bool]] = [
    (r"^\d+$", "12", True), (r"^\d+$", "12\n", False), (r"^\d+$", "٣", False), (r"^\D$", "٣", True),
    (r"^a$", "a\n", False), ("^[$]$", "$", True), (r"^\$$", "$", True),
    (r"^\w+$", "snake_1", True), (r"^\w+$", "é", False), (r"^\W$", "é", True), (r"\bx\b", "éxé", True),
    (r"\B", "", True), (r"\B", "a", False),
    (r"^\s$", "\ufeff", True), (r"^\s$", "\u180e", False), (r"^\s$", "\x1c", False), (r"^[^\s]$", "\u00a0", False),
    (r"^[\s\S]$", "\n", True), (r"^[\w-]+$", "a-b", True), (r"^[\d\-x]+$", "1-x", True), (r"^[^\d]$", "٣", True),
    (r"^\p{L}+$", "naïve", True), (r"^\p{L}+$", "a1", False), (r"^\p{Lu}\p{Ll}+$", "Éa", True),
    (r"^\p{Letter}$", "ß", True), (r"^\p{gc=Nd}$", "٣", True), (r"^\P{L}$", "1", True), (r"^\p{L}$", "𝒜", True),
    (r"^[\p{L}\p{N} ]+$", "a ٣", True), (r"^[^\p{L}]$", "a", False), (r"^[\P{L}]$", "a", False),
    (r"^\p{ASCII}$", "é", False), (r"^\p{Any}$", "\n", True), (r"^\p{LC}$", "ʰ", False),
    (".", "\n", False), (".", "\r", False), (".", "\u2028", False), ("^.$", "\x85", True), ("^.$", "😀", True),
    ("[]", "a", False), ("^[^]$", "\n", True), ("^[[]$", "[", True), (r"^[a&&b]+$", "&b", True),
    (r"^[a-\d]+$", "a-1", True), (r"^[a-\d]$", "b", False), ("^[a-]+$", "-a", True),
    (r"^[\ud83d\ude00-😂]$", "😁", True),
    (r"^\u0041\u{1F600}\x42\cJ\t\0$", "A😀B\n\t\0", True), (r"^\ud83d\ude00$", "😀", True),
    (r"^(?<year>\d{4})-\k<year>$", "2026-2026", True), (r"^(?<year>\d{4})-\k<year>$", "2026-2027", False),
    (r"^(a)?\1$", "aa", True), (r"^(a)?\1b$", "b", True), (r"^\1(a)$", "a", True), (r"^(a\1)$", "a", True),
    (r"^(?:(a)|b)\1$", "b", True), ("(?<=a)b", "ab", True), ("(?<!a)b", "ab", False), ("^(?!no)", "nothing", False),
    ("^x{,3}$", "x{,3}", True), ("^{a}$", "{a}", True), ("^x{2,}$", "xxx", True), ("^x{2,3}?$", "xxx", True),
    (r"^\-\_\/\:$", "-_/:", True), (r"^[\b]$", "\b", True), ("^(?:a|b)*?$", "abba", True), ("a#b c", "a#b c", True),
]  # fmt: skip
NONE: list[tuple[str, str]] = [
    ("(", "does not compile"), (")", "does not compile (a `)` that closes nothing)"), ("[a", "does not compile"),
    ("[z-a]", "does not compile (the range z-a is upside down)"), ("*a", "does not compile"),
    ("a**", "does not compile"),
    ("a{3,2}", "does not compile"), ("\\", "does not compile (it ends in a backslash)"), (r"\1", "refers to no group"),
    (r"(a)\2", "refers to no group"), (r"(?<a>x)\k<b>", "refers to no group"), (r"\p", "without a property in braces"),
    (r"\p{Script=Greek}", r"uses `\p{Script=Greek}`, and only general categories like \p{L} or \p{Nd} are supported"),
    (r"\p{Nope}", r"uses `\p{Nope}`"), (r"\p{Emoji}", r"uses `\p{Emoji}`"),
    (r"\Afoo\Z", r"uses `\A`, which is not ECMA-262"),
    ("(?i)abc", "uses `(?i)`, which is not ECMA-262 or not supported"), ("(?P<a>x)", "uses `(?P<`"),
    ("(?>a)", "uses `(?>a`"), ("a++", "repeats what is repeated already (`++`), which ECMA-262 does not know"),
    ("(?<=a+)b", "uses a look-behind of varying length, which is not supported"), (r"\u{110000}", "is no character"),
    ("(?<a>x)|(?<a>y)", "has two groups of the name `a`"), ("a{99999999999999999999}", "does not compile"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "text", "fits"), FITS)
def test_v9_a_pattern_means_what_ecma_262_says(source: str, text: str, fits: bool) -> None:
    assert (re.search(pattern(source), text) is not None) is fits, pattern(source)
    assert pattern(source).source == source


@pytest.mark.parametrize(("source", "words"), NONE)
def test_v9_what_is_no_pattern_or_not_supported_is_said_precisely(source: str, words: str) -> None:
    with pytest.raises(NoPattern, match=re.escape(words)):
        pattern(source)


@given(st.text(alphabet="ab1^$.*+?()[]{}|\\-,:=!<>dDwWsSbBpPLkux0 \n"))
def test_any_text_is_a_pattern_or_said_to_be_none(source: str) -> None:
    try:
        re.compile(pattern(source))
    except NoPattern as no:
        assert str(no).isprintable() and len(str(no)) < 300


def problems(schema: dict[str, Any], value: Any) -> list[list[str]]:
    job = {"do": "check", "schema": json.dumps(schema), "value": json.dumps(value)}
    return list(worker._answer(job)["problems"])


def usable(schema: dict[str, Any]) -> str | None:
    answer = worker._answer({"do": "usable", "schema": json.dumps(schema)})["unusable"]
    return None if answer is None else str(answer)


def test_v9_patterns_hold_in_every_keyword_that_has_them_and_are_told_as_they_were_written() -> None:
    assert problems({"pattern": r"^\d+$"}, "12\n") == [["", r"must match the pattern ^\d+$"]]
    named: dict[str, Any] = {"patternProperties": {r"^\d$": {"type": "string"}, r"^(?<a>x)\k<a>$": {}, r"(y)\1$": {}}}
    closed = named | {"additionalProperties": False}
    assert problems(closed, {"1": "a", "xx": 1, "yy": 2}) == []
    assert problems(closed, {"٣": "a"}) == [["", "has keys that are not allowed (٣)"]]
    assert problems(named, {"1": 1}) == [["/1", "must be text"]]
    assert problems(named | {"unevaluatedProperties": False}, {"٣": 1, "1": "a"})[0][1].startswith("has keys")
    assert problems({"propertyNames": {"pattern": r"^\w+$"}}, {"é": 1}) == [["", r"must match the pattern ^\w+$"]]
    assert problems({"format": "regex"}, "(?P<a>x)") == [["", "must be a regular expression"]]
    assert problems({"format": "time"}, "٢1:00:00Z") == [["", "must be a time like 21:21:16Z"]]


def test_v9_a_reference_to_a_part_that_is_named_by_a_pattern() -> None:
    plain = {"items": {"$ref": "#/patternProperties/%5Ex"}, "patternProperties": {"^x": {"type": "string"}}}
    assert usable(plain) is None and problems(plain, [1]) == [["/0", "must be text"]]
    odd = {"items": {"$ref": r"#/patternProperties/%5E%5Cd"}, "patternProperties": {r"^\d": {}}}
    assert "leads into its `patternProperties`, which is not supported" in str(usable(odd))
    assert str(usable({"pattern": "(?i)a"})).startswith("a pattern of the schema uses `(?i)`, which is not ECMA-262")
