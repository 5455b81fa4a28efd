"""`/inbox` of plain mode where several people share a store (store.md D14-D16, D19)."""

from __future__ import annotations

from jp_tui.headless.inbox import InboxWords, waiting_lines
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.people import Approvals
from jp_tui.protocol.values import WaitingInfo
from tests.fakes.link import FakeLink


def waits(number: int, text: str, **more: object) -> WaitingInfo:
    given = {
        "conversation": f"c{number}", "inquiry": "q", "title": "", "tool": "deploy", "source": "tool", "text": text,
        "digest": "d", "since": "", "question": {"text": text, "answer_type": {"type": "boolean"}},
    }  # fmt: skip
    return WaitingInfo.model_validate({**given, **more})


LISTED = (
    waits(
        1, "Deploy?", approvals=Approvals(needed=2, by=("second",)), to="role:ops", share="roles", owner="lead",
        claimed_by="third",
    ),
    waits(3, "Which branch?"),
    waits(4, "Delete 12 files?", to="lead\x1b[2J", share="asked", yours=False, claimed_by="lead"),
)  # fmt: skip


def test_d19_it_names_the_people_of_each_question() -> None:
    """Whose it is, who is asked, approvals and who looks at it; what waits for others has no command that answers."""
    assert list(waiting_lines(LISTED, 0.0)) == [
        "  deploy asks: Deploy?",
        "     lead's conversation.",
        "     For ops (a group) · 1 of 2 approvals: second · third looks at it.",
        "     /answer c1/q VALUE",
        "  deploy asks: Which branch?",
        "     /answer c3/q VALUE",
        "  deploy asks: Delete 12 files?",
        "     For lead␛[2J · lead looks at it. You can withdraw it, not answer it.",
    ]


def test_d19_a_word_lists_a_part() -> None:
    said: list[str] = []
    link = FakeLink()
    words = InboxWords(link, said.append)
    for part, text in (("Mine", "Which branch?"), ("roles", "Deploy?"), ("asked", "Delete 12 files?")):
        words.run("inbox", part)
        words.handle(e.WaitingListed(waiting=LISTED))
        assert [line for line in said if " asks: " in line] == [f"  deploy asks: {text}"] and not words.waits
        said.clear()
    before = len(link.of(c.WatchWaiting))
    words.run("inbox", "theirs")
    assert said == ["Enter /inbox, or /inbox mine, roles (for your groups) or asked (what you asked of others)."]
    assert not words.waits and len(link.of(c.WatchWaiting)) == before
