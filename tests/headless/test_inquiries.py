"""`jp-tui inquiries` and `answer` (surface S1, S2, S6, S12; inquiries.md R206; E42, E53), against a scripted engine."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.headless.lists.answer import AnswerWords, answer
from jp_tui.headless.lists.inquiries import list_inquiries
from jp_tui.headless.output import TextOutput
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import AgentInfo, ConversationInfo, InquiryInfo
from tests.fakes.link import FakeLink

BOOLEAN = {"text": "Sure\x1b[2J?", "answer_type": {"type": "boolean"}, "context": "the diff"}
SELECT = {"text": "Which?", "answer_type": {"type": "select", "options": [{"value": "a b"}, {"value": "c"}]}}
SECRET = {"text": "Password?", "answer_type": {"type": "secret"}}


def info(number: int, question: dict[str, Any], response: dict[str, Any] | None = None, **more: Any) -> InquiryInfo:
    fields: dict[str, Any] = {
        "conversation": "c1",
        "id": f"k{number}.q.1",
        "turn": 1,
        "source": "tool",
        "source_name": "paint",
        "tool": "paint",
        "call": f"k{number}",
        "question": question,
        "digest": f"d{number}",
        "asked_at": "2026-03-05 21:21:16.755262",
    }
    head = {"timestamp": "2026-03-05 21:21:20.5", "type": "inquiry_response", "id": f"k{number}.q.1"}
    answered = (
        {"waits": True} if response is None else {"response": {**head, **response}, "answered_at": head["timestamp"]}
    )
    return InquiryInfo(**{**fields, **answered, **more})


def run(
    do: Callable[[FakeLink, TextOutput], int], as_json: bool, *events: e.Event, **kinds: Any
) -> tuple[int, str, str, FakeLink]:
    """Status, stdout, stderr and the link, when the engine answers each command with these events in turn."""
    link, out, err, left = FakeLink(), io.StringIO(), io.StringIO(), list(events)

    def react(_: c.Command) -> Iterable[e.Event]:
        return [left.pop(0)]

    link.answers = {c.ListConversations: react, c.ListInquiries: react, c.OfferAnswer: react}
    status = do(link, TextOutput(as_json, out, err))
    assert link.closed and not left
    return status, out.getvalue(), err.getvalue(), link


def listed(*found: InquiryInfo) -> e.InquiriesListed:
    return e.InquiriesListed(inquiries=found)


RECORD = (
    info(1, BOOLEAN, {"outcome": "answered", "answer": True, "reason": "fits", "responder": {"kind": "assistant"}}),
    info(2, SECRET, {"outcome": "redacted"}, source="assistant", source_name=""),
    info(3, SELECT, {"outcome": "cancelled", "reason": "timed_out"}, why="a rule (x.toml:3)"),
    info(4, SELECT),
)


def test_pending_as_json_has_exactly_the_fields_of_the_surface() -> None:
    """S6: one object a line; the question as it is recorded, so that a script can answer it."""
    waits = (info(1, BOOLEAN), info(2, SELECT, conversation="c2"))
    status, out, err, link = run(lambda k, o: list_inquiries(k, "", True, o), True, listed(*waits))
    first, second = (json.loads(one) for one in out.splitlines())
    assert (status, err) == (0, "")
    assert list(first) == ["conversation", "id", "source", "tool", "question", "digest", "asked_at"]
    assert first["question"] == BOOLEAN and first["source"] == "tool" and second["conversation"] == "c2"
    assert link.of(c.ListInquiries) == [c.ListInquiries(pending=True)], "of all conversations"
    assert "\x1b" not in out


def test_the_record_as_json_has_its_responses() -> None:
    status, out, _, _ = run(lambda k, o: list_inquiries(k, "c", False, o), True, listed(*RECORD))
    yes, secret, late, waits = (json.loads(one) for one in out.splitlines())
    assert status == 0
    assert (yes["outcome"], yes["answer"], yes["reason"]) == ("answered", True, "fits")
    assert (secret["outcome"], secret["answer"]) == ("redacted", "<redacted>")
    assert (late["outcome"], late["reason"], late["why"]) == ("cancelled", "timed_out", "a rule (x.toml:3)")
    assert waits["outcome"] == "open" and not {"answer", "answered_at"} & set(waits)


def test_the_record_for_people() -> None:
    """R206, E42: who asked what, the answer, who gave it, the reason and the rule; and how to answer what waits."""
    status, out, err, link = run(lambda k, o: list_inquiries(k, "c", False, o), False, listed(*RECORD))
    assert (status, err) == (0, "") and link.of(c.ListInquiries) == [c.ListInquiries(conversation="c")]
    assert "\x1b" not in out and "| Sure␛[2J?" in out
    assert "2026-03-05 21:21:16  turn 1  paint asked  (k1.q.1)" in out and "the assistant asked" in out
    assert "  yes (reviewer)\n  reason: fits\n" in out and "  <redacted>" in out
    assert "timed out (your time limit)\n  why: a rule (x.toml:3)" in out
    assert "jp-tui answer c1/k4.q.1 VALUE   (VALUE: 'a b', c)" in out and "jp-tui -r c1" in out


def test_e4_a_sub_agent_is_named_with_its_task_and_its_parent_is_what_is_opened() -> None:
    """What it asks itself stands in its parent, what its tools ask in its own conversation; S6's fields stay as they
    are."""
    agent = AgentInfo(conversation="k9", parent="c1", call="s1", turn=1, name=Foreign("mole"), task=Foreign("dig here"))
    own = info(1, BOOLEAN, source="sub_agent", source_name="sub_agent:k9", tool="spawn_agent", agent=agent)
    waits = (own, info(2, SELECT, conversation="k9", agent=agent))
    _, out, _, _ = run(lambda k, o: list_inquiries(k, "", True, o), False, listed(*waits))
    assert "mole › dig here asked  (k1.q.1)" in out and "mole › paint asked  (k2.q.1)" in out
    assert "Waiting for an answer: mole › paint asks: Which?" in out and "sub_agent:" not in out
    assert "jp-tui answer k9/k2.q.1 VALUE" in out and out.count("jp-tui -r c1") == 1 and "-r k9" not in out
    _, out, _, _ = run(lambda k, o: list_inquiries(k, "", True, o), True, listed(*waits))
    assert "agent" not in json.loads(out.splitlines()[0])


def test_the_questions_of_one_call_stand_together() -> None:
    """Issue 5: a form is one block, also when another call asked in between; a second showing is no second question."""
    form = {"source": "assistant", "source_name": "", "call": "k1"}
    yes = {"outcome": "answered", "answer": True}
    record = (
        info(1, BOOLEAN, {"outcome": "cancelled", "reason": "user_back"}, **form, id="k1.a.1"),
        info(2, BOOLEAN, yes),
        info(1, BOOLEAN, yes, **form, id="k1.a.2"),
        info(1, SELECT, {"outcome": "answered", "answer": "c"}, **form, id="k1.b.1"),
        info(3, BOOLEAN, yes, id="k3.q.1", call=""),
        info(4, BOOLEAN, yes, id="k4.q.1", call=""),
    )
    out = run(lambda k, o: list_inquiries(k, "c", False, o), False, listed(*record))[1]
    assert out.count("in one call") == 1 and "turn 1  the assistant asked 2 questions in one call:\n" in out
    order = [out.index(f"({one})") for one in ("k1.a.1", "k1.a.2", "k1.b.1", "k2.q.1", "k3.q.1", "k4.q.1")]
    assert order == sorted(order) and out.index("in one call") < order[0]


def test_a_verdict_is_listed_with_time_price_and_tokens() -> None:
    """R25, R140, E42: a reason of several lines stands behind a bar."""
    usage = {"input": 8100, "output": 90, "cost_usd": 0.0042}
    by = {"kind": "assistant", "model": "anthropic/haiku", "ms": 7100, "usage": usage}
    no = info(1, BOOLEAN, {"outcome": "answered", "answer": False, "reason": "One.\nTwo.", "responder": by})
    out = run(lambda k, o: list_inquiries(k, "c", False, o), False, listed(no))[1]
    assert "  no (reviewer haiku), 7.1 s · $0.0042\n  reason:\n| One.\n| Two.\n  8.1k tokens in, 90 out\n" in out


def test_what_became_of_each_hunk_is_listed() -> None:
    """R251: in the words of the record; a comment in one line."""
    parts = [{"id": one, "digest": one, "title": f"a.py, line {one}\x1b[2J", "diff": ""} for one in ("1", "2")]
    told = {"accepted": ["2"], "comments": {"1": "no\nway"}}
    changed = info(1, {**BOOLEAN, "parts": parts}, {"outcome": "answered", "answer": True, "parts": told})
    out = run(lambda k, o: list_inquiries(k, "c", False, o), False, listed(changed))[1]
    assert "  yes to 1 of 2 hunks" in out
    assert "  left  a.py, line 1␛[2J: no⏎way\n  taken  a.py, line 2␛[2J\n" in out


def test_without_an_id_it_is_the_latest_conversation() -> None:
    row = ConversationInfo(
        id="c9", title=Foreign("t"), workspace="/w", model="m", created="", updated="", events=1, turns=1
    )
    latest = e.ConversationsListed(conversations=(row,))
    status, out, _, link = run(lambda k, o: list_inquiries(k, "", False, o, "/w"), False, latest, listed())
    assert status == 0 and out == "No questions in this conversation.\n"
    assert link.of(c.ListConversations) == [c.ListConversations(workspace="/w", limit=1)]
    assert link.of(c.ListInquiries) == [c.ListInquiries(conversation="c9")]
    none = e.ConversationsListed(conversations=())
    assert run(lambda k, o: list_inquiries(k, "", False, o), True, none)[:3] == (0, "", "")
    assert "No open questions" in run(lambda k, o: list_inquiries(k, "", True, o), False, listed())[1]


def test_a_conversation_that_is_not_there() -> None:
    refused = e.Refused(command="list_inquiries", message="There is no conversation zz.", advice="Look.")
    status, out, err, _ = run(lambda k, o: list_inquiries(k, "zz", False, o), True, refused)
    assert (status, out, err) == (2, "", "jp-tui: There is no conversation zz.\nLook.\n")
    broken = e.StorageFailed(message="disk full")
    assert run(lambda k, o: list_inquiries(k, "zz", False, o), True, broken)[0] == 1


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("accepted", 0),
        ("answered", 1),
        ("stale", 1),
        ("no_reaction", 1),
        ("invalid", 2),
        ("unknown", 2),
        ("ambiguous", 2),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_what_became_of_an_answer(status: Any, code: int, as_json: bool) -> None:
    """S1, S2, S6, S12: an exit status for each, words on the right stream, one object with JSON."""
    settled = e.OfferSettled(
        status=status, inquiry="k.q.1", conversation="c1", by="ada" if status == "answered" else "",
        candidates=("c1/k.q.1", "c2/k.q.1") if status == "ambiguous" else (),
    )  # fmt: skip
    found, out, err, link = run(lambda k, o: answer(k, AnswerWords("k.q.1", "yes"), o), as_json, settled)
    assert found == code
    assert link.of(c.OfferAnswer) == [c.OfferAnswer(inquiry="k.q.1", value="yes")]
    if as_json:
        said = json.loads(out)
        assert err == "" and said["status"] == status and said["conversation"] == "c1" and said["message"]
        assert said.get("by") == ("ada" if status == "answered" else None)
        assert ("candidates" in said) is (status == "ambiguous")
    else:
        assert bool(out) is (code == 0) and bool(err) is (code != 0)
        assert ("jp-tui query -r c1" in out) is (code == 0) and ("ada" in err) is (status == "answered")
        assert ("c2/k.q.1" in err) is (status == "ambiguous")


def test_a_conversation_may_be_named_and_an_id_may_have_a_slash() -> None:
    """S6: CONVERSATION/ID; ids of calls are the model's own text."""
    taken = e.OfferSettled(status="accepted", inquiry="k.q.1", conversation="c1")
    found, _, _, link = run(lambda k, o: answer(k, AnswerWords("c1/k.q.1", "y"), o), False, taken)
    assert found == 0 and link.of(c.OfferAnswer) == [c.OfferAnswer(conversation="c1", inquiry="k.q.1", value="y")]
    for first in (
        e.OfferSettled(status="unknown", inquiry="b.q.1"),
        e.Refused(command="offer_answer", message="There is no conversation a."),
    ):
        found, _, err, link = run(lambda k, o: answer(k, AnswerWords("a/b.q.1", "y"), o), False, first, taken)
        assert (found, err) == (0, "")
        assert [one.inquiry for one in link.of(c.OfferAnswer)] == ["b.q.1", "a/b.q.1"]


def test_an_answer_that_cannot_be_stored() -> None:
    found, out, err, _ = run(
        lambda k, o: answer(k, AnswerWords("c1/k", "y"), o), True, e.StorageFailed(message="disk full")
    )
    assert (found, out) == (1, "") and "disk full" in err
