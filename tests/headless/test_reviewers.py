"""`jp-tui reviewers`: the trust figures as paragraphs and as JSON (surface S2), against a scripted engine."""

from __future__ import annotations

import io
import json

import pytest

from jp_tui.headless.lists.reviewers import list_reviewers
from jp_tui.headless.output import TextOutput
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import PolicyChange, ReviewerFigures
from jp_tui.view.wording.amounts import money
from tests.fakes.link import FakeLink

ONE = ReviewerFigures(
    tool="fs_modify_file",
    question="apply_changes",
    model="anthropic/\x1b[2Jhaiku",
    asked=12,
    approved=4,
    rejected=6,
    failed=1,
    taken_over=1,
    overturned=4,
    upheld=1,
    p50_ms=7100,
    p95_ms=38_000,
    input=81_200,
    output=900,
    cost_usd=0.0042,
    outcomes="aarroooofta",
    suggests=PolicyChange(key="conversation.tools.x.questions.y.target", value="user", words="Decide these yourself?"),
)


def run(as_json: bool, *found: ReviewerFigures) -> tuple[int, str]:
    link, out = FakeLink(), io.StringIO()
    link.answers = {c.ReadReviewers: lambda _: [e.ReviewersRead(reviewers=found)]}
    status = list_reviewers(link, TextOutput(as_json, out, io.StringIO()))
    assert link.closed
    return status, out.getvalue()


def test_a_paragraph_for_people() -> None:
    """What was asked and decided, what the human overturned, how long it took, and the change it suggests."""
    status, out = run(False, ONE)
    assert status == 0 and "\x1b" not in out
    assert out.splitlines()[:5] == [
        "fs_modify_file · apply_changes",
        "  anthropic/␛[2Jhaiku: asked 12 · approved 4 · rejected 6 · no verdict 1 · taken over 1",
        "  you overturned 4 of 5 rejections (80 %) · median 7.1 s, p95 38.0 s · 81.2k in, 900 out · $0.0042",
        "  latest  ▁▁▄▄████×↥▁",
        "  Decide these yourself?  jp-tui config set conversation.tools.x.questions.y.target user",
    ]


def test_an_object_for_programs() -> None:
    status, out = run(True, ONE)
    found = json.loads(out)
    assert status == 0 and found["overturned"] == 4 and found["suggests"]["value"] == "user"
    assert set(found) == set(ReviewerFigures.model_fields)


def test_nothing_was_reviewed_yet() -> None:
    assert "conversation.inquiry.assistant.model.id" in run(False)[1]
    assert run(True) == (0, "")


@pytest.mark.parametrize(
    ("dollars", "words"),
    [(0.0, "$0.00"), (0.00001, "less than $0.0001"), (0.00042, "$0.00042"), (0.034, "$0.03"), (12.4, "$12.40")],
)
def test_money(dollars: float, words: str) -> None:
    assert money(dollars) == words
