"""E50, E51: all that waits, of every tool, agent and conversation, as one list; what is put off is never lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import AgentInfo, PromptRequest, WaitingInfo
from jp_tui.questions.types import SecretAnswer
from jp_tui.ui.notify.window_title import title_text
from jp_tui.view.activity.activity import Activity
from jp_tui.view.activity.lines import lines
from jp_tui.view.activity.status import Status, waiting_text
from jp_tui.view.questions import inbox_lines
from jp_tui.view.questions.inbox import REST, InboxState, counted
from jp_tui.view.questions.queue import key_of
from tests.fakes import scenes
from tests.fakes.link import opened

AGENT = AgentInfo(conversation="c9", parent="c1", call="k", turn=1, name=Foreign("tester"), task=Foreign("try it"))


def prompt(inquiry: str, conversation: str = "c1", *, at: str = "10:00:00", **more: object) -> PromptRequest:
    fields = {"inquiry": inquiry, "conversation": conversation, "asked_at": f"2026-03-05 {at}"} | more
    return scenes.prompt("boolean").model_copy(update=fields)


def asked(*prompts: PromptRequest) -> list[ev.Event]:
    return [ev.QuestionAsked(conversation=one.conversation, prompt=one) for one in prompts]


def listed(*found: WaitingInfo) -> ev.WaitingListed:
    return ev.WaitingListed(waiting=found)


def info(inquiry: str, conversation: str, *, at: str = "09:00:00", **more: object) -> WaitingInfo:
    fields: dict[str, object] = {
        "conversation": conversation, "inquiry": inquiry, "title": Foreign(f"about {conversation}"), "tool": "grep",
        "source": "tool", "text": Foreign("Go on?"), "digest": "d", "since": f"2026-03-05 {at}",
    } | more  # fmt: skip
    return WaitingInfo.model_validate(fields)


def settled(inquiry: str, conversation: str = "c1", how: str = "answered", by: str = "") -> ev.QuestionSettled:
    fields = {"inquiry": inquiry, "conversation": conversation, "how": how, "by": by}
    return ev.QuestionSettled.model_validate(fields)


def after(*events: ev.Event, inbox: InboxState | None = None, now: float = 0.0) -> InboxState:
    found = inbox or InboxState()
    for event in events:
        found = found.apply(event, now)
    return found


def keys(inbox: InboxState) -> list[tuple[str, str]]:
    return [one.key for one in inbox.entries]


def test_e51_one_list_of_what_is_asked_here_and_what_stands_on_record_elsewhere_the_oldest_first() -> None:
    here, child = prompt("a", at="10:00:01"), prompt("a", "c9", at="10:00:00", agent=AGENT)
    inbox = after(*asked(here, child), listed(info("a", "c3"), info("a", "c1", here=True, at="10:00:01")))
    assert keys(inbox) == [("c3", "a"), ("c9", "a"), ("c1", "a")]
    assert [one.here for one in inbox.entries] == [False, True, True]
    assert [one.who.raw for one in inbox.entries] == ["grep", "tester › fs_modify_file", "fs_modify_file"]
    assert [one.title.raw for one in inbox.entries] == ["about c3", "", "about c1"]


def test_the_same_id_in_two_conversations_is_two_things() -> None:
    """R29: ids of inquiries are a conversation's own."""
    inbox = after(*asked(prompt("a"), prompt("a", "c2")), settled("a", "c2"))
    assert keys(inbox) == [("c1", "a")] and inbox.gone is not None and inbox.gone.entry.key == ("c2", "a")


def test_what_is_taken_up_is_told_once_and_here() -> None:
    inbox = after(listed(info("a", "c3")), *asked(prompt("a", "c3")))
    assert [(one.key, one.here) for one in inbox.entries] == [(("c3", "a"), True)]
    assert inbox.entries[0].since == "2026-03-05 09:00:00", "it waits since it was first asked, not since just now"
    gone = after(settled("a", "c3"), inbox=inbox)
    assert gone.entries == (), "nor is it left as something that stood on record"


def test_e53_who_was_first_is_known_and_what_left_the_record_too() -> None:
    inbox = after(*asked(prompt("a")), settled("a", by="another process"))
    assert inbox.gone is not None and (inbox.gone.how, inbox.gone.by) == ("answered", "another process")
    template, by = inbox_lines.gone_notice(inbox.gone)
    assert template == inbox_lines.ANSWERED and by.raw == "another process"
    left = after(listed(info("a", "c3"), info("b", "c3")), listed(info("b", "c3")))
    assert left.gone is not None and left.gone.how == "unknown" and left.gone.entry.key == ("c3", "a")
    withdrawn = after(*asked(prompt("a")), settled("a", how="withdrawn")).gone
    assert withdrawn is not None and inbox_lines.gone_notice(withdrawn)[0] == inbox_lines.WITHDRAWN


def test_e4_a_sub_agent_is_named_with_its_task_when_it_asks_itself_and_with_its_tool_else() -> None:
    """R222: what it asks itself is handed on by the conversation that it works for."""
    own, tool = prompt("a", agent=AGENT, source="assistant"), prompt("b", "c9", agent=AGENT)
    assert [one.who.raw for one in after(*asked(own, tool)).entries] == ["tester › try it", "tester › fs_modify_file"]
    told = after(listed(info("a", "c1", agent=AGENT, source="assistant"), info("b", "c9", agent=AGENT)))
    assert [one.who.raw for one in told.entries] == ["tester › try it", "tester › grep"]


def test_nothing_changes_by_what_does_not_concern_it() -> None:
    """An engine that says the same again makes no face paint."""
    inbox = after(*asked(prompt("a")), listed(info("b", "c3")))
    assert after(listed(info("b", "c3")), scenes.call("grep", "running"), inbox=inbox) is inbox


# -- put off


def test_e51_what_is_put_off_stays_in_the_list_and_is_back_at_its_time() -> None:
    inbox = after(*asked(prompt("a"), prompt("b"))).put_off(("c1", "a"), 300.0, 0.0)
    assert keys(inbox) == [("c1", "a"), ("c1", "b")] and inbox.entries[0].off
    assert inbox.due == 300.0 and inbox.over(299.9) == () and inbox.over(300.0) == (("c1", "a"),)
    back = inbox.back(("c1", "a"))
    assert back.due is None and not any(one.off for one in back.entries)


def test_put_off_until_nothing_else_waits_it_is_back_a_second_after_the_last() -> None:
    """A form has gaps between its questions: they bring nothing back."""
    inbox = after(*asked(prompt("a"), prompt("b"))).put_off(("c1", "a"), None, 0.0)
    assert inbox.due is None and inbox.over(1e9) == ()
    alone = after(settled("b"), inbox=inbox, now=50.0)
    assert alone.due == 50.0 + REST and alone.over(50.0) == ()
    again = after(*asked(prompt("c")), inbox=alone, now=50.5)
    assert again.due is None, "the next one of the form came"
    done = after(settled("c"), inbox=again, now=60.0)
    assert done.over(60.0 + REST) == (("c1", "a"),)


def test_put_off_with_nothing_else_it_is_back_at_once() -> None:
    inbox = after(*asked(prompt("a"))).put_off(("c1", "a"), None, 5.0)
    assert inbox.due == 5.0 + REST


def test_what_is_asked_anew_with_another_digest_is_another_question_and_not_put_off() -> None:
    """R235."""
    inbox = after(*asked(prompt("a"))).put_off(("c1", "a"), 300.0, 0.0)
    assert after(*asked(prompt("a")), inbox=inbox).off, "the same, told again to a face that opens it"
    assert not after(*asked(prompt("a", digest="other")), inbox=inbox).off


def test_what_is_gone_is_not_put_off_any_more_and_only_what_is_asked_here_can_be() -> None:
    inbox = after(*asked(prompt("a"))).put_off(("c1", "a"), 300.0, 0.0)
    assert after(settled("a"), inbox=inbox).due is None
    assert after(listed(info("a", "c3"))).put_off(("c3", "a"), 300.0, 0.0).off == {}


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["ask", "settle", "off", "rest", "back"])), max_size=30)
)
def test_e51_never_lost_never_answered_by_it(acts: list[tuple[str, str]]) -> None:
    """What was asked and not settled is in the list, whatever is put off; and what is put off has a way back."""
    inbox, waiting = InboxState(), set[str]()
    for now, (name, act) in enumerate(acts):
        key = ("c1", name)
        match act:
            case "ask":
                inbox, waiting = after(*asked(prompt(name)), inbox=inbox, now=now), waiting | {name}
            case "settle":
                inbox, waiting = after(settled(name), inbox=inbox, now=now), waiting - {name}
            case "off":
                inbox = inbox.put_off(key, now + 5.0, now)
            case "rest":
                inbox = inbox.put_off(key, None, now)
            case _:
                inbox = inbox.back(key)
        assert {one.key[1] for one in inbox.entries} == waiting
        assert set(inbox.off) <= {("c1", one) for one in waiting}
        if inbox.off and len(inbox.off) == len(waiting):
            assert inbox.due is not None, "all of it is put off, and something brings it back"


# -- several at once


def test_e51_several_at_once_only_when_they_are_identical_and_were_all_shown() -> None:
    three = [prompt("a"), prompt("a", "c2"), prompt("a", "c3", digest="another")]
    inbox = after(*asked(*three))
    assert not any(one.alike for one in inbox.entries)
    inbox = inbox.shown(key_of(three[0]), three[0].digest)
    assert not any(one.alike for one in inbox.entries), "only one of the two was shown"
    inbox = inbox.shown(key_of(three[1]), three[1].digest).shown(key_of(three[2]), "another")
    alike = (("c1", "a"), ("c2", "a"))
    assert [one.alike for one in inbox.entries] == [alike, alike, ()]
    late = after(*asked(prompt("z", "c4")), inbox=inbox)
    assert not any(one.alike for one in late.entries), "a new one was not shown yet"


@pytest.mark.parametrize("more", [{"tool": "other"}, {"kind": "permission"}, {"digest": "other"}])
def test_what_differs_in_kind_tool_or_digest_is_not_alike(more: dict[str, object]) -> None:
    two = [prompt("a"), prompt("b", **more)]
    inbox = after(*asked(*two))
    for one in two:
        inbox = inbox.shown(key_of(one), one.digest)
    assert not any(one.alike for one in inbox.entries)


def test_what_is_secret_or_put_off_is_for_one_alone() -> None:
    secret = scenes.prompt("boolean").question.__class__(id="p", text="?", answer_type=SecretAnswer())
    for more, off in (({"question": secret}, False), ({}, True)):
        two = [prompt("a", **more), prompt("b", **more)]
        inbox = after(*asked(*two))
        for one in two:
            inbox = inbox.shown(key_of(one), one.digest)
        inbox = inbox.put_off(("c1", "b"), 9.0, 0.0) if off else inbox
        assert not any(one.alike for one in inbox.entries)


def test_shown_before_it_was_asked_anew_is_not_shown() -> None:
    """By id and digest (R235)."""
    two = [prompt("a"), prompt("b")]
    inbox = after(*asked(*two))
    for one in two:
        inbox = inbox.shown(key_of(one), one.digest)
    again = [one.model_copy(update={"digest": "new"}) for one in two]
    assert not any(one.alike for one in after(*asked(*again), inbox=inbox).entries)


# -- in words


def test_e50_the_status_line_counts_what_waits_here_put_off_and_elsewhere() -> None:
    inbox = after(*asked(prompt("a"), prompt("b")), *asked(prompt("a")))
    assert waiting_text(counted(Status(), inbox)) == "2 waiting for you"
    off = after(listed(info("a", "c3")), inbox=inbox.put_off(("c1", "a"), 300.0, 0.0))
    assert waiting_text(counted(Status(), off)) == "1 waiting for you · 1 snoozed · 1 elsewhere"
    assert waiting_text(counted(Status(), after(listed(info("a", "c3"))))) == "1 waiting elsewhere"
    status = counted(Status(), off)
    assert counted(status, off) is status
    assert waiting_text(counted(Status(), after(settled("a"), settled("b"), inbox=inbox))) == ""


def test_e50_what_asks_other_people_is_counted_apart() -> None:
    """D14."""
    others = prompt("b", to="lead", yours=False)
    status = counted(Status(), after(*asked(prompt("a"), others)))
    assert waiting_text(status) == "1 waiting for you · 1 for others" and title_text(status).startswith("(1) ")
    status = counted(status, after(*asked(others)))
    assert waiting_text(status) == "1 waiting for others" and not title_text(status).startswith("(")


def test_another_conversation_in_sight_changes_nothing_of_what_waits() -> None:
    from jp_tui.view.activity.status_reducer import applied

    status = counted(Status(), after(*asked(prompt("a")), listed(info("a", "c3"))))
    assert waiting_text(applied(status, opened(conversation="c5"), 0.0)) == waiting_text(status)


def test_e51_the_sidebar_lists_all_of_it_and_what_was_put_off_as_such() -> None:
    inbox = after(*asked(prompt("a"), prompt("b", at="10:00:02")), listed(info("a", "c3")))
    inbox = inbox.put_off(("c1", "b"), 300.0, 0.0)
    found = lines(Activity(), 0.0, waiting=inbox.entries)
    shown = [(one.role, one.aside.raw, one.key) for one in found if any(one.key)]
    assert shown == [
        ("waiting", "grep · about c3", ("c3", "a")), ("waiting", "fs_modify_file", ("c1", "a")),
        ("put_off", "snoozed", ("c1", "b")),
    ]  # fmt: skip
    assert [one.aside.raw for one in found if one.text.raw == "Waiting for you"] == ["3"]


def test_a_thousand_are_counted_and_the_sidebar_names_the_first_twenty() -> None:
    inbox = after(*asked(*(prompt(f"q{n}", f"c{n % 50}") for n in range(1000))))
    found = [one for one in lines(Activity(), 0.0, waiting=inbox.entries) if any(one.key)]
    assert len(inbox.entries) == 1000 and len(found) == 20
    assert [one.text.raw for one in lines(Activity(), 0.0, waiting=inbox.entries)][21] == "F4 980 more"


def test_rows_say_since_when_and_until_when() -> None:
    wall = 1_772_704_920.0  # 2026-03-05 10:02:00
    inbox = after(*asked(prompt("a"), prompt("b")), listed(info("c", "c3"))).put_off(("c1", "b"), 400.0, 0.0)
    rows = [inbox_lines.row(one, 100.0, wall) for one in inbox.entries]
    assert [(one.sign, one.since, one.mark) for one in rows] == [
        ("○", "1 h", "not open"), ("?", "2 m", ""), ("☾", "2 m", "snoozed for 5 m more"),
    ]  # fmt: skip
    there = info("c", "c3").model_copy(update={"machine": "des\x1b\u202ek"})  # store.md D1
    assert inbox_lines.row(after(listed(there)).entries[0], 0.0, wall).mark == "not open · from desk"
    more = {
        "folder": "/home/ada/code/some/deep/folder/of\x1bher",
        "held_by": "ada on desk (jp-tui, process 7) since now",
    }
    held = after(listed(there.model_copy(update=more))).entries[0]
    assert inbox_lines.row(held, 0.0, wall).mark == "open on desk · …/code/some/deep/folder/ofher"
    assert inbox_lines.details(held) == "from desk, /home/ada/code/some/deep/folder/ofher, open in ada on desk"
    moved = after(listed(there.model_copy(update={**more, "machine": "laptop", "folder": ""}))).entries[0]
    assert inbox_lines.row(moved, 0.0, wall).mark == "open on desk · from laptop"
    odd = inbox_lines.row(after(*asked(prompt("a", at="soon"))).entries[0], 0.0, wall)
    assert odd.since == ""
