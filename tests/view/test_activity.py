"""The tool activity as a pure reducer (R96, R99, R244): live and reloaded alike, times as inputs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import AgentInfo, CallState, StoredEvent
from jp_tui.view.activity.activity import Activity, applied, rebuilt
from jp_tui.view.activity.agents import Agent, AgentTree, agent_state, asking
from jp_tui.view.activity.lines import MOST_CALLS, STATES, TAKE_OVER, ActivityLine, lines
from jp_tui.view.questions.inbox import InboxState
from jp_tui.view.questions.outcome_line import answer_line
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION, opened


def after(events: list[ev.Event], now: float = 100.0, activity: Activity | None = None) -> Activity:
    """The activity after these events, all of them at the same time."""
    found = activity or Activity()
    for event in events:
        found = applied(found, event, now)
    return found


def texts(activity: Activity, now: float = 100.0) -> list[str]:
    """The lines as one would read them aloud."""
    return [read(line) for line in lines(activity, now)]


def read(line: ActivityLine) -> str:
    parts = (line.sign, line.text.raw, line.aside.raw, line.right)
    return "  " * line.depth + " ".join(part for part in parts if part)


WHOLE = [*scenes.tools(), *scenes.asked(), *scenes.answered(), *scenes.done()]


def test_a_turn_reads_as_it_went() -> None:
    assert texts(after(WHOLE)) == [
        "Activity",
        "",
        "turn 1 9.3 s",
        f"✓ fs_read_file {scenes.PATH} 38 ms",
        f"✓ fs_modify_file {scenes.PATH} 5.2 s",
        "  └ Apply this change?",
        "    ✓ yes you",
        "",
        "Turn 12.4k in · 812 out",
    ]


def test_z14_what_is_open_as_a_sheet_is_listed_nowhere_else() -> None:
    """Its call keeps one line; what else waits stays."""
    waiting = [*scenes.tools(), *scenes.asked()]
    activity, inbox = after(waiting), InboxState()
    for event in waiting:
        inbox = inbox.apply(event, 0.0)
    key = (CONVERSATION, "call_2.apply_changes.1")
    shown = [read(line) for line in lines(activity, 100.0, {}, inbox.entries, key)]
    assert shown == ["Activity", "", "turn 1", *[one for one in shown if one.startswith(("✓", "◐"))]]
    assert len(shown) == 5
    assert len(lines(activity, 100.0, {}, inbox.entries)) > len(shown)


def test_a_reloaded_turn_looks_as_it_did_live() -> None:
    page = scenes.page(WHOLE)
    assert texts(rebuilt(page)) == texts(after(WHOLE))
    assert texts(after([opened(page=[one.model_dump() for one in page])])) == texts(after(WHOLE))


@pytest.mark.parametrize("state", list(STATES))
def test_every_state_of_r96_has_a_sign_of_one_cell_and_a_word(state: CallState) -> None:
    from rich.cells import cell_len

    sign, word, _ = STATES[state]
    assert cell_len(sign) == 1 and word
    activity = after([*scenes.started(), scenes.call("grep", state)])
    shown = texts(activity)[3]
    assert shown.startswith(sign)
    if state not in ("running", "awaiting_assistant", "completed"):
        assert shown.endswith(word)


def test_a_running_call_counts_from_its_start_and_only_then_ticks() -> None:
    activity = after(scenes.started())
    assert not activity.ticking
    activity = after([scenes.call("grep", "running", ms=500)], 200.0, activity)
    assert activity.ticking
    assert texts(activity, 203.0)[3] == f"▸ grep {scenes.PATH} 3 s"
    waits = after([scenes.call("grep", "awaiting_input")], 204.0, activity)
    assert not waits.ticking and texts(waits, 999.0)[3].endswith("waiting")
    again = after([scenes.call("grep", "running")], 210.0, waits)
    assert texts(again, 211.0)[3].endswith("5 s"), "Z15: the human's time is not its own"


def test_what_waits_is_listed_oldest_first_and_goes_when_it_is_settled() -> None:
    two = [*scenes.asked(), *scenes.asked("select", call_id="call_9")]
    inbox = InboxState()
    for event in two:
        inbox = inbox.apply(event, 100.0)
    activity = after([*scenes.tools(), *two])
    assert [read(line) for line in lines(activity, 100.0, waiting=inbox.entries)][:3] == [
        "Waiting for you 2",
        "▌ Apply this change? fs_modify_file",
        "▌ Which branch should it go to? fs_modify_file",
    ]
    gone = ev.QuestionSettled(conversation=CONVERSATION, inquiry="call_2.apply_changes.1", how="cancelled", by="user")
    left = inbox.apply(gone, 100.0).entries
    assert "Waiting for you 1" in [read(line) for line in lines(activity, 100.0, waiting=left)]


def test_a_turn_that_ends_leaves_a_call_open_only_for_a_question_of_its_own_conversation() -> None:
    """Ids of two conversations may be the same."""
    over = ev.TurnCompleted(conversation=CONVERSATION, turn=1, outcome="interrupted")
    _, state, question = scenes.asked()
    assert isinstance(question, ev.QuestionAsked)
    other = question.model_copy(update={"prompt": question.prompt.model_copy(update={"conversation": "c2"})})
    activity = applied(after([*scenes.tools(), state]), other, 100.0, here=False)
    assert f"⊘ fs_modify_file {scenes.PATH} cancelled" in texts(after([over], 100.0, activity))


def test_a_question_that_came_before_its_fact_stands_once() -> None:
    fact, state, question = scenes.asked()
    assert texts(after([*scenes.tools(), fact, state, question])) == texts(
        after([*scenes.tools(), state, question, fact])
    )


@pytest.mark.parametrize(
    ("response", "shown"),
    [
        (stored.InquiryAnswered(id="call_2.apply_changes.1", answer=False, explanation="too wide"), "✗ no"),
        (stored.InquiryAnswered(id="call_2.apply_changes.1", answer=["a", "b"]), "✓ a, b"),
        (stored.InquiryAnswered(id="call_2.apply_changes.1", answer=""), "✓ empty on purpose"),
        (stored.InquiryRedacted(id="call_2.apply_changes.1"), "✱ answered, kept secret"),
        (stored.InquiryCancelled(id="call_2.apply_changes.1", reason="user_reply"), "» replied with text you"),
        (stored.InquiryCancelled(id="call_2.apply_changes.1", reason="of_another_reader"), "⊘ of_another_reader"),
        (
            stored.InquiryAnswered(
                id="call_2.apply_changes.1", answer=True, responder=stored.Responder("assistant", "haiku", ms=1400)
            ),
            "✓ yes reviewer haiku 1.4 s",
        ),
        (
            stored.InquiryAnswered(id="call_2.apply_changes.1", answer=True, responder=stored.Responder("remembered")),
            "✓ yes remembered",
        ),
    ],
)
def test_who_answered_and_what(response: stored.InquiryResponse, shown: str) -> None:
    """R244, E42: a fate in a few words, its explanation below it."""
    activity = after([*scenes.tools(), *scenes.asked(), scenes.appended(8, response)])
    found = texts(activity)
    assert f"    {shown}" in found
    assert ("    too wide" in found) == (shown == "✗ no")


def test_a_call_without_a_result_was_cut_off_when_the_turn_is_over() -> None:
    """R204: the log is not mended, the view is."""
    cut = [one for one in scenes.tools() if not isinstance(one, ev.CallChanged)]
    assert f"⊘ fs_modify_file {scenes.PATH} cancelled" in texts(rebuilt(scenes.page(cut)))


def test_a_deferred_question_still_waits_after_its_turn() -> None:
    over = ev.TurnCompleted(conversation=CONVERSATION, turn=1, outcome="deferred")
    activity = after([*scenes.tools(), *scenes.asked(), over])
    assert f"◐ fs_modify_file {scenes.PATH} waiting" in texts(activity)
    reopened = after([opened(page=[one.model_dump() for one in scenes.page([*scenes.tools(), *scenes.asked()])])])
    assert f"◐ fs_modify_file {scenes.PATH} waiting" in texts(after(scenes.asked()[1:], 100.0, reopened))


def test_a_new_turn_begins_empty_and_an_old_ones_events_change_nothing() -> None:
    activity = after([*WHOLE, ev.TurnStarted(conversation=CONVERSATION, turn=2, model="demo/tour")])
    assert texts(activity) == ["Activity", "", "turn 2", "no tools yet"]
    assert applied(activity, scenes.call("fs_read_file", "completed", end="ok"), 1.0) is activity


def test_events_that_say_nothing_about_tools_give_the_same_object() -> None:
    activity = after(scenes.tools())
    delta = ev.PartDelta(conversation=CONVERSATION, turn=1, part="p", kind="message", text=Foreign("x"))
    assert applied(activity, delta, 1.0) is activity


def test_hidden_calls_are_not_shown_their_questions_are() -> None:
    """R92."""
    hidden = scenes.call("quiet_tool", "running", id_="call_7").model_copy(update={"hidden": True})
    activity = after([*scenes.started(), hidden])
    assert "no tools yet" in texts(activity)
    asks = scenes.prompt("text", call_id="call_7")
    activity = after([ev.QuestionAsked(conversation=CONVERSATION, prompt=asks)], 1.0, activity)
    assert "  └ What should the commit message say? fs_modify_file" in texts(activity), "asked by another than its call"


def test_hundreds_of_calls_are_cut_and_counted() -> None:
    calls = [scenes.call("grep", "completed", id_=f"c{n}", ms=1, end="ok") for n in range(MOST_CALLS + 30)]
    found = lines(after(calls), 0.0)
    assert len(found) < MOST_CALLS + 10
    assert "30 earlier calls" in [read(line) for line in found]


def test_a_crowd_of_sub_agents_is_one_line_each() -> None:
    """Issue 7, "Reliability": the sidebar of fifty that made twenty calls each is painted as often as that of few."""
    info = AgentInfo(conversation="k0", parent=CONVERSATION, call="s0", turn=1, task=Foreign("look"))
    crew = [info.model_copy(update={"conversation": f"k{n}", "call": f"s{n}"}) for n in range(50)]
    spawned = [scenes.call("spawn_agent", "running", id_=one.call) for one in crew]
    inner = after([scenes.call("grep", "running", id_=f"g{n}") for n in range(20)])
    agents = {one.call: Agent(info=one, activity=inner) for one in crew}
    found = [read(line) for line in lines(after(spawned), 0.0, agents)]
    assert len(found) < 60 and sum("20 calls" in line for line in found) == 50
    few = {one.call: agents[one.call] for one in crew[:3]}
    found = [read(line) for line in lines(after(spawned[:3]), 0.0, few)]
    assert sum("grep" in line for line in found) == 24 and sum("12 earlier calls" in line for line in found) == 3


def test_of_sub_agents_of_earlier_turns_only_what_lists_say_is_kept() -> None:
    """Issue 7, "Reliability": what a thousand questions took is given back when others begin."""
    first = AgentInfo(conversation="k1", parent=CONVERSATION, call="s1", turn=1, task=Foreign("look"))
    calls = [scenes.call("spawn_agent", "running", id_="s1").model_copy(update={"agent": first})]
    known = AgentTree()
    asked = scenes.prompt("text", call_id="g1").model_copy(update={"conversation": "k1"})
    inner = scenes.call("grep", "running", id_="g1").model_copy(update={"conversation": "k1"})
    ended = scenes.call("spawn_agent", "completed", id_="s1", end="ok").model_copy(update={"agent": first})
    for event in (*calls, inner, ev.QuestionAsked(conversation="k1", prompt=asked), ended):
        known = known.apply(event, 0.0)
    assert [len(call.inquiries) for call in known.known[0].activity.calls] == [1]
    for turn, kept in ((1, 1), (2, 0)):
        later = first.model_copy(update={"conversation": f"k{turn + 1}", "call": "s9", "turn": turn})
        known = known.apply(scenes.call("spawn_agent", "running", id_="s9").model_copy(update={"agent": later}), 0.0)
        assert [len(call.inquiries) for call in known.known[0].activity.calls] == [kept]
    assert known.known[0].info == first and known.known[0].over and len(known.of_parent(CONVERSATION)) == 3


def test_sub_agents_that_are_called_the_same_and_do_the_same_are_numbered() -> None:
    """Two nameless ones with one task looked alike in every list."""
    known = AgentTree()
    same = dict.fromkeys(("k1", "k2", "k4"), ("", "look")) | {"k3": ("mole", "look"), "k5": ("", "dig")}
    for conversation, (name, task) in sorted(same.items()):
        info = AgentInfo(
            conversation=conversation, parent=CONVERSATION, call=conversation, turn=1,
            name=Foreign(name), task=Foreign(task),
        )  # fmt: skip
        call = scenes.call("spawn_agent", "running", id_=conversation).model_copy(update={"agent": info})
        known = known.apply(call, 0.0)
    names = [one.info.name.raw for one in known.of_parent(CONVERSATION)]
    assert names == ["agent 1", "agent 2", "mole", "agent 3", ""]
    assert [one.info.name.raw for one in known.known] == ["", "", "mole", "", ""], "what is known is as it was said"


def test_answers_in_a_line() -> None:
    assert [answer_line(one).raw for one in (True, False, "a\nb", [], {"a": 1}, 3)] == [
        "yes",
        "no",
        "a",
        "none",
        '{"a":1}',
        "3",
    ]


def test_a_reviewer_is_heard_while_it_decides() -> None:
    """R139, E40: its model and reason as it is written, the key that takes it over; all of it gone with the verdict."""
    asked = {
        "timestamp": "2026-01-01 00:00:00",
        "type": "inquiry_request",
        "id": "c1.q.1",
        "source": {"source": "tool", "name": "paint"},
        "question": {"text": "Red?", "answer_type": {"type": "boolean"}},
        "metadata": {"call": "c1", "question": "q", "tool": "paint"},
    }
    verdict = {
        "timestamp": "2026-01-01 00:00:02",
        "type": "inquiry_response",
        "id": "c1.q.1",
        "outcome": "answered",
        "answer": False,
        "reason": "too red",
        "responder": {
            "kind": "assistant", "model": "a/b", "ms": 1400, "usage": {"input": 1200, "output": 40, "cost_usd": 0.0042},
        },
    }  # fmt: skip
    found = Activity()
    for event in (
        ev.CallChanged(conversation="c", turn=1, call="c1", tool="paint", state="awaiting_assistant"),
        ev.EventAppended(conversation="c", stored=StoredEvent(seq=1, turn=1, event=asked)),
        ev.ReviewStarted(conversation="c", turn=1, call="c1", inquiry="c1.q.1", tool="paint", model="a/b"),
        ev.ReviewDelta(conversation="c", inquiry="c1.q.1", kind="reason", text=Foreign("wrong")),
        ev.ReviewDelta(conversation="c", inquiry="c1.q.1", kind="reason", text=Foreign("too "), fresh=True),
        ev.ReviewDelta(conversation="c", inquiry="c1.q.1", kind="thought", text=Foreign("hm")),
        ev.ReviewDelta(conversation="c", inquiry="c1.q.1", kind="reason", text=Foreign("red")),
    ):
        found = applied(found, event, 5.0)
    told = [(line.role, line.text.raw, line.aside.raw, line.right) for line in lines(found, 12.0)]
    assert ("reviewer", "reviewer", "b", "7 s") in told
    assert ("reason", "too red", "", "") in told and ("take_over", TAKE_OVER, "", "") in told
    found = applied(found, ev.EventAppended(conversation="c", stored=StoredEvent(seq=2, turn=1, event=verdict)), 13.0)
    told = [(line.role, line.text.raw, line.aside.raw, line.right) for line in lines(found, 13.0)]
    assert ("bad", "no", "reviewer b", "1.4 s · $0.0042") in told
    assert ("quiet", "1.2k in · 40 out", "", "") in told and not any(role == "take_over" for role, *_ in told)


def test_what_a_sub_agents_reviewer_decides_can_be_taken_over() -> None:
    """R156, R249: the ids of the child's own inquiries, as long as they are open."""
    from jp_tui.protocol.values import AgentInfo
    from jp_tui.view.activity.agents import AgentTree

    info = AgentInfo(conversation="child", parent=CONVERSATION, call="spawn", turn=1, name=Foreign("finder"))
    asked = scenes.asked()[0]
    assert isinstance(asked, ev.EventAppended)
    told: list[ev.Event] = [
        ev.CallChanged(conversation=CONVERSATION, turn=1, call="spawn", tool="s", state="running", agent=info),
        ev.CallChanged(conversation="child", turn=1, call="call_2", tool="fs", state="awaiting_assistant"),
        asked.model_copy(update={"conversation": "child"}),
        ev.ReviewStarted(
            conversation="child", turn=1, call="call_2", inquiry="call_2.apply_changes.1", tool="fs", model="a/b"
        ),
    ]
    agents = AgentTree()
    for event in told:
        agents = agents.apply(event, 1.0)
    (agent,) = agents.of_parent(CONVERSATION)
    assert agent.reviewed == ("call_2.apply_changes.1",)
    settled = ev.QuestionSettled(conversation="child", inquiry="call_2.apply_changes.1", how="answered", by="assistant")
    assert agents.apply(settled, 2.0).of_parent(CONVERSATION)[0].reviewed == ()


def test_what_a_sub_agent_asks_itself_stands_once_in_its_own_calls() -> None:
    """R222: its call in the parent's stream holds the same question, handed on."""
    from jp_tui.protocol.values import AgentInfo
    from jp_tui.view.activity.agents import Agent
    from jp_tui.view.questions.inquiry import InquiryView

    info = AgentInfo(conversation="child", parent=CONVERSATION, call="call_2", turn=1, name=Foreign("mole"))
    handed_on = InquiryView(id="x", text=Foreign("Go on?"), asker=Foreign("sub_agent:child"))
    activity = after(scenes.tools())
    calls = tuple(replace(one, inquiries=(handed_on,)) if one.id == "call_2" else one for one in activity.calls)
    inner = after([*scenes.asked()])
    found = [read(one) for one in lines(
        replace(activity, calls=calls), 100.0, {"call_2": Agent(info=info, activity=inner)}
    )]  # fmt: skip
    assert not any("Go on?" in line for line in found) and "    └ Apply this change?" in found


def test_a_sub_agent_whose_tool_waits_for_the_human_does_not_say_that_it_runs() -> None:
    """E4: its line says so, and says that it runs once that is answered."""
    info = AgentInfo(
        conversation="k", parent=CONVERSATION, call="s1", turn=1, name=Foreign("mole"), task=Foreign("dig")
    )
    spawned = after([scenes.call("spawn", "running", id_="s1")])

    def head(inner: Activity) -> str:
        agent = Agent(info=info, activity=inner)
        assert bool(asking([agent])) == ("waiting for you" in agent_state(agent))
        return next(line for line in map(read, lines(spawned, 0.0, {"s1": agent})) if "mole" in line)

    assert head(after([*scenes.asked()])).startswith("◐ mole") and "waiting for you" in head(after([*scenes.asked()]))
    assert head(after([scenes.call("fs_list_files", "running")])).startswith("▸ mole")


def test_r244_a_reloaded_call_says_what_it_is_about_as_the_live_one_did() -> None:
    """Its title is in its response; of one without, the words of its command are taken."""
    request = stored.ToolCallRequest(id="a", name="shell_run", arguments={"argv": ["pytest", "-q"]})
    titled = stored.ToolCallResponse(id="a", content="", metadata={"title": "pytest -q · in docs"})
    for response, said_ in (
        (titled, "pytest -q · in docs"),
        (stored.ToolCallResponse(id="a", content=""), "pytest -q"),
    ):
        page = [StoredEvent(seq=at, turn=1, event=one.wire()) for at, one in enumerate((request, response), 1)]
        assert rebuilt(page).calls[0].title.raw == said_
