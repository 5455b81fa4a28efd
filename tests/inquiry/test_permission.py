"""Leave to run a call and to deliver its result (inquiries.md 5.2, 5.3, R145; acceptance 12, 13)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from tests.inquiry.play import Play, of, only

MODES: tuple[v.AskMode, ...] = ("ask", "edit")
M10 = (
    "Tool 'tool' was not run: it needs approval and no interactive user is available (detached policy: {}). Do not "
    "retry this tool call in this turn."
)
M11 = (
    "The result of tool 'tool' was not delivered: it needs confirmation and no interactive user is available (detached "
    "policy: {}). Do not retry this tool call in this turn."
)


def permission(
    call: str = "c1", mode: v.AskMode = "ask", policy: v.Policy = "unset", tool: str = "tool"
) -> v.PermissionWanted:
    return v.PermissionWanted(call, tool, mode, f"args of {call}", policy)


def delivery(call: str = "c1", mode: v.AskMode = "ask", policy: v.Policy = "unset") -> v.DeliveryWanted:
    return v.DeliveryWanted(call, "tool", mode, f"result of {call}", policy)


def decided(play: Play, run: bool, **more: object) -> list[s.Step]:
    opened = play.open["c1"]
    return play(v.HumanPermitted(opened.inquiry, opened.digest, run, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES)
def test_the_human_is_asked_for_leave(mode: v.AskMode) -> None:
    """R85, R86: an id of its own from the same counters; it stands in no record."""
    play = Play()
    ask = only(s.AskPermission, play(permission(mode=mode)))
    assert ask.open == v.OpenPermission("c1.__permission__.1", "c1", "args of c1", mode == "edit")
    assert f"conversation.tools.tool.run is `{mode}`, and" in ask.why
    placed = replace(permission("c2", mode=mode), place="/u/config.toml:5")
    assert f"run is `{mode}` (/u/config.toml:5), and" in only(s.AskPermission, Play()(placed)).why
    result = replace(delivery("c2", mode=mode), place="/u/config.toml:6")
    assert f"result is `{mode}` (/u/config.toml:6)" in only(s.AskDelivery, Play()(result)).why
    assert play.state.waiting == (ask.open,) and play.records == []


@pytest.mark.parametrize(
    ("run", "reason", "remember", "content", "decision"),
    [
        (True, None, False, None, {"choice": "run", "by": "user", "via": "plain", "ms": 9}),
        (True, None, True, None, {"choice": "run", "by": "user", "via": "plain", "ms": 9, "remember": True}),
        (False, None, False, "Tool skipped by user.", {"choice": "skip", "by": "user", "via": "plain", "ms": 9}),
        (
            False,
            " not now ",
            False,
            "Tool skipped by user: not now",
            {"choice": "skip", "by": "user", "via": "plain", "ms": 9, "reason": "not now"},
        ),
        (
            False,
            " ",
            True,
            "Tool skipped by user.",
            {"choice": "skip", "by": "user", "via": "plain", "ms": 9, "remember": True},
        ),
    ],
)
def test_decisions(run: bool, reason: str | None, remember: bool, content: str | None, decision: JsonObject) -> None:
    """R86, R88: M14 and M15 are successful responses."""
    play = Play()
    play(permission())
    steps = decided(play, run, reason=reason, remember=remember, via="plain", ms=9)
    assert only(s.Settled, steps) == s.Settled("c1.__permission__.1", "answered", "user")
    if content is None:
        assert only(s.Permit, steps) == s.Permit("c1", None, decision)
        assert "c1" in play.state.calls
    else:
        assert only(s.Complete, steps) == s.Complete("c1", content, False, decision)
        assert "c1" not in play.state.calls
    assert play.state.waiting == () and play.records == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("run", [True, False])
def test_a_remembered_decision(run: bool, mode: v.AskMode) -> None:
    """R89, M16: for the tool, for the rest of the turn, for `ask` and `edit`; counted, and taken back (E43)."""
    play = Play()
    play(permission())
    assert of(s.LedgerChanged, decided(play, run, remember=True, at="2026-03-05 21:21:16.7"))
    steps = play(permission("c2", mode))
    by: JsonObject = {"choice": "run" if run else "skip", "by": "remembered"}
    if run:
        assert only(s.Permit, steps) == s.Permit("c2", None, by)
    else:
        assert only(s.Complete, steps) == s.Complete("c2", "Tool skipped by user (remembered).", False, by)
    assert of(s.LedgerChanged, steps)
    held = play.state.ledger.permissions["tool.__permission__"]
    assert held == v.RememberedAnswer("tool", "__permission__", run, since="2026-03-05 21:21:16.7", uses=1)
    assert of(s.AskPermission, play(permission("c3", tool="other"))), "another tool is asked"
    assert play(v.Revoked("tool.__permission__")) == [s.LedgerChanged()]
    assert of(s.AskPermission, play(permission("c4")))


def test_a_remembered_decision_settles_what_waits() -> None:
    """R252: of the same tool, and nothing else."""
    play = Play()
    for call, tool in (("c1", "tool"), ("c2", "tool"), ("c3", "other")):
        play(permission(call, tool=tool))
    play(delivery("c4"))
    steps = decided(play, False, remember=True)
    assert [(step.call, step.content) for step in of(s.Complete, steps)] == [
        ("c1", "Tool skipped by user."),
        ("c2", "Tool skipped by user (remembered)."),
    ]
    assert [step.by for step in of(s.Settled, steps)] == ["remembered", "user"]
    assert [item.call for item in play.state.waiting] == ["c3", "c4"]
    assert play.state.ledger.permissions["tool.__permission__"].uses == 1


def test_edited_arguments() -> None:
    """R87: the call runs with them; nothing is remembered."""
    play = Play()
    play(permission())
    opened = play.open["c1"]
    steps = play(v.HumanEdited(opened.inquiry, opened.digest, {"path": "b"}, ms=7))
    decision: JsonObject = {"choice": "edit", "by": "user", "ms": 7}
    assert only(s.Permit, steps) == s.Permit("c1", {"path": "b"}, decision)
    assert not play.state.ledger.permissions


def test_leaving_and_replying() -> None:
    """M14 for a prompt that is left, M15 for words (M34 "Skip and reply")."""
    play = Play()
    play(permission())
    opened = play.open["c1"]
    decision: JsonObject = {"choice": "cancel", "by": "user"}
    steps = play(v.HumanCancelled(opened.inquiry, opened.digest))
    assert only(s.Complete, steps) == s.Complete("c1", "Tool skipped by user.", False, decision)
    assert only(s.Settled, steps).how == "cancelled"
    play(permission())
    opened = play.open["c1"]
    assert opened.inquiry == "c1.__permission__.2"
    steps = play(v.HumanReplied(opened.inquiry, opened.digest, "use b"))
    assert only(s.Complete, steps).content == "Tool skipped by user: use b"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("policy", ["auto", "defaults", "deny", "defer", "unset"])
def test_policies_of_both_prompts_without_a_client(policy: v.Policy, mode: v.AskMode) -> None:
    """R91, R94, R145, C25: only `auto` approves; unset is deny (R144); errors of that call only."""
    play = Play(client=False)
    run, deliver = play(permission("c1", mode, policy)), play(delivery("c2", mode, policy))
    if policy == "auto":
        assert only(s.Permit, run) == s.Permit("c1", None, {"choice": "run", "by": "policy"})
        assert only(s.Deliver, deliver) == s.Deliver("c2", None, {"choice": "deliver", "by": "policy"})
    else:
        named = "deny" if policy == "unset" else policy
        skip: JsonObject = {"choice": "skip", "by": "policy"}
        assert only(s.Complete, run) == s.Complete("c1", M10.format(named), True, skip)
        assert only(s.Complete, deliver) == s.Complete("c2", M11.format(named), True, skip)
    assert play.state.waiting == () and play.records == []


def test_a_remembered_decision_also_without_a_client() -> None:
    """R89 comes before R145."""
    play = Play()
    play(permission())
    decided(play, True, remember=True)
    play.state = v.State(client=False, ledger=play.state.ledger)
    assert only(s.Permit, play(permission("c2", policy="deny"))).decision["by"] == "remembered"


def delivered(play: Play, deliver: bool, text: str | None = None) -> list[s.Step]:
    opened = play.open["c1"]
    return play(v.HumanDelivered(opened.inquiry, opened.digest, deliver, text))


@pytest.mark.parametrize("mode", MODES)
def test_results(mode: v.AskMode) -> None:
    """R93: delivered, edited, emptied (the original), skipped (M18), left (M20)."""
    play = Play()
    ask = only(s.AskDelivery, play(delivery(mode=mode)))
    assert ask.open == v.OpenDelivery("c1.__delivery__.1", "c1", "result of c1", mode == "edit")
    by = {"by": "user"}
    assert only(s.Deliver, delivered(play, True)) == s.Deliver("c1", None, {"choice": "deliver", **by})
    play(delivery(mode=mode))
    assert only(s.Deliver, delivered(play, True, "less")) == s.Deliver("c1", "less", {"choice": "edit", **by})
    play(delivery(mode=mode))
    assert only(s.Deliver, delivered(play, True, " \n")) == s.Deliver("c1", None, {"choice": "deliver", **by})
    play(delivery(mode=mode))
    skip = only(s.Complete, delivered(play, False, "ignored"))
    assert skip == s.Complete("c1", "Result delivery skipped by user.", False, {"choice": "skip", **by})
    play(delivery(mode=mode))
    opened = play.open["c1"]
    left = only(s.Complete, play(v.HumanCancelled(opened.inquiry, opened.digest)))
    words = "Result edit cancelled." if mode == "edit" else "Result delivery cancelled."
    assert left == s.Complete("c1", words, False, {"choice": "cancel", **by})
    assert play.state.calls == {} and play.state.waiting == ()


def test_a_decision_of_another_kind_is_refused() -> None:
    """R42: an answer is no leave, leave is no delivery; what waits stays."""
    play = Play()
    play(permission("c1"))
    play(delivery("c2"))
    play.ask("c3")
    first, second, third = (play.open[call] for call in ("c1", "c2", "c3"))
    for wrong in (
        v.HumanAnswered(first.inquiry, first.digest, True),
        v.HumanDelivered(first.inquiry, first.digest, True),
        v.HumanAnswered(second.inquiry, second.digest, True),
        v.HumanPermitted(second.inquiry, second.digest, True),
        v.HumanEdited(second.inquiry, second.digest, {}),
        v.HumanReplied(second.inquiry, second.digest, "x"),
        v.HumanPermitted(third.inquiry, third.digest, True),
        v.HumanDelivered(third.inquiry, third.digest, True),
        v.HumanPermitted(first.inquiry, "args of another", True),
        v.HumanPermitted(first.inquiry, first.digest, False, reason="\ud800"),
        v.HumanDelivered(second.inquiry, second.digest, True, "\ud800"),
        v.HumanEdited(first.inquiry, first.digest, {"n": float("nan")}),
    ):
        assert only(s.Refuse, play(wrong)).gone is False
    assert play(v.DeadlinePassed(first.inquiry)) == []
    assert play.state.waiting == (first, second, third)


def test_a_second_decision_is_told_who_was_first() -> None:
    """The first wins (acceptance 29)."""
    play = Play()
    play(permission())
    opened = play.open["c1"]
    decided(play, True)
    late = play(v.HumanPermitted(opened.inquiry, opened.digest, False))
    assert late == [s.Refuse(opened.inquiry, "already answered", True, "user")]


def test_prompts_and_questions_share_one_queue() -> None:
    """R116, R253: first in, first out; the end of a call withdraws its prompt (R118)."""
    play = Play()
    play(permission("c1"))
    play.ask("c2")
    play(delivery("c3"))
    assert [item.call for item in play.state.waiting] == ["c1", "c2", "c3"]
    assert play(v.CallGone("c1")) == [s.Settled("c1.__permission__.1", "withdrawn", "")]
    assert [item.call for item in play.state.waiting] == ["c2", "c3"]


def test_a_call_from_leave_to_delivery() -> None:
    """5.2, 6, 5.3 in one: leave, a question, its answer, the result; one pair on record."""
    play = Play()
    play(permission())
    decided(play, True)
    play.ask("c1")
    play.answer("c1")
    play(delivery())
    assert of(s.Deliver, delivered(play, True))
    assert play.pairs == [("c1.apply_changes.1", "true user")] and play.state.calls == {}


def test_a_question_may_be_named_like_a_prompt() -> None:
    """A tool cannot forge leave: its question of that name is a question, with an id of its own."""
    from dataclasses import replace

    from tests.inquiry.play import APPLY

    play = Play()
    play(permission())
    decided(play, True)
    play.ask("c1", replace(APPLY, id="__permission__"))
    assert play.unanswered == ["c1.__permission__.2"]
    play.answer("c1", True, remember=True)
    assert not play.state.ledger.permissions
    assert of(s.AskPermission, play(permission("c2")))
