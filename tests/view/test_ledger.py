"""The ledger and the list of exchanges in words (asking.md E42, E43; R206, R236; surface S6)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import InquiryInfo, LedgerEntry
from jp_tui.view.pages.inquiries import exchanges
from jp_tui.view.pages.permissions import rows


def entry(**given: Any) -> LedgerEntry:
    fields = {"key": "k", "kind": "answer", "scope": "turn", "tool": "fs_modify_file", "question": "apply_changes"}
    return LedgerEntry.model_validate({**fields, **given})


@pytest.mark.parametrize(
    ("given", "answer", "about"),
    [
        ({"value": True, "since": "2026-03-05 21:21:16.5", "uses": 3}, "yes",
         "remembered answer · used 3 times · until this turn ends · since 21:21"),
        ({"kind": "permission", "question": "", "value": False, "uses": 1}, "skipped",
         "remembered permission · used once · until this turn ends"),
        ({"kind": "permission", "question": "", "value": "y"}, "runs",
         "remembered permission · not used yet · until this turn ends"),
        ({"kind": "pinned", "scope": "settings", "value": ["a", "b"], "place": "c.toml:3"}, "a, b",
         "pinned answer · not used yet · setting"),
        ({"kind": "unattended", "scope": "settings", "question": "", "place": "c.toml:9"}, "runs",
         "runs without asking · not used yet · setting"),
    ],
)  # fmt: skip
def test_an_entry_in_words(given: dict[str, Any], answer: str, about: str) -> None:
    """E43: kind, tool, question, answer, scope, since, uses."""
    (row,) = rows((entry(**given),))
    assert (row.answer.raw, row.about) == (answer, about)
    assert row.what.raw == ("fs_modify_file" if given.get("question") == "" else "fs_modify_file · apply_changes")
    assert row.asks_again == (given.get("scope") == "settings") and row.place.raw == given.get("place", "")


def test_what_ends_with_the_turn_stands_first() -> None:
    found = rows((entry(key="s", scope="settings", place="c.toml:1"), entry(key="t")))
    assert [row.key for row in found] == ["t", "s"]


def info(**given: Any) -> InquiryInfo:
    fields: dict[str, Any] = {
        "conversation": "c1", "id": "a.q.1", "turn": 2, "source": "tool", "source_name": "fs_modify_file",
        "question": {"text": "Apply this change?", "answer_type": {"type": "boolean"}}, "digest": "d",
        "asked_at": "2026-03-05 21:21:16.5",
    }  # fmt: skip
    return InquiryInfo.model_validate({**fields, **given})


@pytest.mark.parametrize(
    ("given", "asker", "said"),
    [
        ({}, "fs_modify_file", "asked"),
        ({"source": "assistant", "source_name": ""}, "assistant", "asked"),
        ({"source": "somebody"}, "fs_modify_file", "asked"),
        ({"response": {"outcome": "answered", "id": "a.q.1", "answer": True, "responder": {"kind": "user"}}},
         "fs_modify_file", "yes"),
        ({"response": {"outcome": "redacted", "id": "a.q.1"}}, "fs_modify_file", "answered, kept secret"),
        ({"response": {"outcome": "cancelled", "id": "a.q.1", "reason": "user_reply"}}, "fs_modify_file",
         "replied with text"),
        ({"response": {"outcome": "nonsense"}}, "fs_modify_file", "asked"),
    ],
)  # fmt: skip
def test_an_exchange_in_words(given: dict[str, Any], asker: str, said: str) -> None:
    (found,) = exchanges((info(**given),))
    assert (found.asker.raw, found.fate.word.raw, found.when) == (asker, said, "turn 2 · 21:21 UTC")
    assert found.text == Foreign("Apply this change?") and found.why.raw.startswith("Why you were asked")
