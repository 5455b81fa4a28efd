"""R150, R154: which no is quoted and why there is none, for every face alike."""

from __future__ import annotations

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Escalation, Verdict
from jp_tui.view.questions import escalation_text as why
from jp_tui.view.wording import questions as w

NO, BEFORE = Foreign("It deletes b.txt."), Verdict(model="m", reason=Foreign("Too broad."))


@pytest.mark.parametrize(
    ("told", "quoted", "without", "heard", "earlier"),
    [
        (Escalation(model="a/m", reason=NO), NO, "", "", ()),
        (Escalation(model="a/m", reason=NO, before=(BEFORE,)), NO, "", "", (BEFORE.reason,)),
        (Escalation(model="a/m", reason=NO, failed=True), None, w.NO_VERDICT, NO.raw, ()),
        (
            Escalation(model="a/m", reason=NO, failed=True, before=(BEFORE,)),
            BEFORE.reason, w.NO_VERDICT, NO.raw, (),
        ),
        (Escalation(model="", reason=Foreign(" \n"), failed=True, cause="taken_over"), None, w.TAKEN_OVER, "", ()),
        (Escalation(model="", reason=NO, failed=True, cause="too_long"), None, w.TOO_LONG_TO_REVIEW, NO.raw, ()),
    ],
)  # fmt: skip
def test_what_a_person_is_told(
    told: Escalation, quoted: Foreign | None, without: str, heard: str, earlier: tuple[Foreign, ...]
) -> None:
    assert (why.refusal(told), why.no_verdict_reason(told)) == (quoted, without)
    assert (why.partial_reason(told).raw, why.earlier_reasons(told)) == (heard, earlier)


def test_a_reason_that_is_none_leaves_room_for_words_of_ours() -> None:
    assert why.quoted_reason(Foreign(" \n\t\n")) == "" and why.quoted_reason(Foreign("\n  no\n")) == "  no"
    assert (
        why.model(Escalation(model="a/m", reason=NO)).raw,
        why.review_duration(Escalation(model="", reason=NO)),
    ) == ("m", "")
