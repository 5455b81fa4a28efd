"""Questions of every kind for property tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from jp_tui.questions import types as t
from jp_tui.questions.bounds import visible

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
SEEN = WORDS.map(lambda text: f"q{text}")
IDS = st.from_regex(r"[a-z][a-z0-9_./ -]{0,20}[a-z0-9]", fullmatch=True)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
OPTIONS = st.lists(
    st.builds(t.Option, value=SEEN, description=WORDS, preview=WORDS, recommended=st.booleans()),
    min_size=1,
    max_size=4,
    unique_by=lambda option: visible(option.value),
).map(tuple)
KINDS: st.SearchStrategy[t.AnswerType] = st.one_of(
    st.just(t.BooleanAnswer()),
    st.just(t.TextAnswer()),
    st.just(t.SecretAnswer()),
    st.builds(t.SelectAnswer, OPTIONS),
    st.builds(t.MultiSelectAnswer, OPTIONS),
    st.builds(t.SchemaAnswer, st.dictionaries(WORDS, JSON, max_size=3)),
)


PARTS = st.lists(st.builds(t.Part, IDS, WORDS, WORDS, WORDS), max_size=2, unique_by=lambda part: part.id).map(tuple)


def _whole(question: t.Question) -> t.Question:
    """Without a default where it says that there is none."""
    return question if question.has_default else replace(question, default=None)


QUESTIONS: st.SearchStrategy[t.Question] = st.builds(
    t.Question,
    id=IDS,
    text=SEEN,
    answer_type=KINDS,
    context=st.none() | WORDS,
    default=JSON,
    has_default=st.booleans(),
    exclusive=st.booleans(),
    persistence=st.sampled_from(["none", "turn"]),
    floor=st.booleans(),
    parts=PARTS,
).map(_whole)
