"""A secret is found however everyday programs print it."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus, urlencode

import pytest

from jp_tui.conversation.secret_encodings import spellings

ODD = " it's \"ä\\x/+= 雪 "


@pytest.mark.parametrize(
    "printed",
    [
        ODD, ODD.strip(), json.dumps(ODD), json.dumps({"a": ODD}, ensure_ascii=False), repr(ODD), repr([ODD.strip()]),
        quote(ODD), quote(ODD, safe=""), quote_plus(ODD), urlencode({"key": ODD.strip()}),
        base64.b64encode(ODD.encode()).decode(), base64.urlsafe_b64encode(ODD.strip().encode()).decode(),
    ],
)  # fmt: skip
def test_it_is_there(printed: str) -> None:
    assert any(form in printed for form in spellings(ODD))


def test_half_a_character_and_nothing() -> None:
    assert "\ud800" in spellings("\ud800") and spellings("") == set() == spellings("  ")
