"""What stands above a question that a reviewer was asked before (R150, R154-R156, M12; asking.md E41)."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Escalation, Verdict
from jp_tui.ui.sheets.reviewer_banner import ReviewerBanner, whole_reason

M12 = "The assistant recommended rejecting this change:"
BY = "Reviewer: haiku · 1.4 s"
FIRST = (Verdict(model="a/haiku", reason=Foreign("unrelated"), ms=900),)


def shown(**told: object) -> list[str]:
    escalation = Escalation.model_validate({"model": "a/haiku", "reason": Foreign(""), "ms": 1400, **told})
    return [line.plain.rstrip() for line in ReviewerBanner(escalation)._lines(100)]


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        ({"reason": Foreign("too wide")}, [BY, M12, '"too wide"']),
        ({}, [BY, M12, '"(no reason given)"']),
        (
            {"reason": Foreign("too wide"), "before": FIRST, "saw": "all of it"},
            [
                BY,
                M12,
                '"too wide"',
                'Before it knew the assistant\'s intent, it said: "unrelated"',
                "It read all of it.",
            ],
        ),
        (
            {"reason": Foreign("no answer"), "failed": True},
            [BY, "The reviewer couldn't decide, so you decide:", '"no answer"'],
        ),
        (
            {"reason": Foreign("no answer"), "failed": True, "before": FIRST},
            [
                BY,
                M12,
                '"unrelated"',
                'The reviewer couldn\'t decide, so you decide: "no answer"',
            ],
        ),
        (
            {"reason": Foreign("It loo"), "failed": True, "cause": "taken_over"},
            [BY, "You took this over from the reviewer.", 'Its reply so far: "It loo"'],
        ),
        (
            {"failed": True, "cause": "taken_over"},
            [BY, "You took this over from the reviewer."],
        ),
        (
            {"failed": True, "cause": "too_long", "reason": Foreign("2 MB")},
            [BY, "Too long for the reviewer, so you decide:", '"2 MB"'],
        ),
    ],
)
async def test_what_it_says(told: dict[str, object], lines: list[str]) -> None:
    """Which reviewer, then M12 to the letter wherever one said no, also when it failed to say more."""

    class Host(App[None]):
        def compose(self) -> ComposeResult:
            return iter(())

    async with Host().run_test():
        assert shown(**told) == lines


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"reason": Foreign("too wide"), "saw": "all of it"}, [f'{BY}\n{M12}\n"too wide"', "It read all of it."]),
        ({}, [f'{BY}\n{M12}\n"(no reason given)"']),
        (
            {"reason": Foreign("no answer"), "failed": True, "before": FIRST},
            [f'{BY}\n{M12}\n"unrelated"', 'The reviewer couldn\'t decide, so you decide:\n"no answer"'],
        ),
    ],
)
def test_m12_what_opens_over_the_conversation_quotes_the_no_and_then_what_went_wrong(
    told: dict[str, object], said: list[str]
) -> None:
    escalation = Escalation.model_validate({"model": "a/haiku", "reason": Foreign(""), "ms": 1400, **told})
    assert whole_reason(escalation).raw == "\n\n".join(said)


async def test_z14_in_one_line_it_names_who_says_no_and_begins_the_reason() -> None:
    told = Escalation(model="a/haiku", reason=Foreign("too wide, and " * 20), ms=1400)

    class Host(App[None]):
        def compose(self) -> ComposeResult:
            yield ReviewerBanner(told)

    async with Host().run_test(size=(60, 9)) as pilot:
        await pilot.pause()
        (banner,) = pilot.app.query(ReviewerBanner)
        banner.fit(60)
        assert banner.rows == 1 and not banner.complete
        assert (
            banner._in_one(57).plain.startswith('✗ haiku says no: "too wide') and banner._in_one(57).cell_length <= 57
        )
