"""Events become blocks, the same for a live and a stored conversation (issue 3, 8; R56, R160, R200, E42)."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import AgentInfo, StoredEvent
from jp_tui.view.questions.inquiry import InquiryView
from jp_tui.view.questions.outcome_line import outcome
from jp_tui.view.transcript.blocks import (
    Block,
    Data,
    Ending,
    Header,
    Odd,
    QuestionBlock,
    ReasoningBlock,
    TextBlock,
    ToolBlock,
    User,
    gap,
)
from jp_tui.view.transcript.reducer import TranscriptReducer
from tests.view.events_of import HERE, appended, asked, changed, delta, log, turn


def blocks(story: TranscriptReducer, last: int) -> list[Block]:
    return [block for seq in range(1, last + 1) for block in story.of_event(seq)] + story.live


def stored_blocks(events: list[StoredEvent]) -> list[Block]:
    story = TranscriptReducer()
    story.load(events)
    return blocks(story, events[-1].seq)


def test_a_turn_becomes_blocks_in_order() -> None:
    found = stored_blocks(log(*turn()))
    assert [type(block) for block in found] == [
        User,
        Header,
        ReasoningBlock,
        TextBlock,
        ToolBlock,
        ToolBlock,
        ToolBlock,
        ToolBlock,
        TextBlock,
    ]
    header = found[1]
    assert isinstance(header, Header)
    assert (header.model, header.ms) == (Foreign("anthropic/claude-sonnet-4-5"), 1800)
    read, modify, grep, ask = (block for block in found if isinstance(block, ToolBlock))
    assert (read.title, read.state, read.end, read.ms) == (Foreign("docs/brewing.md"), "completed", "ok", 38)
    assert [(one.how, one.by, one.answer) for one in modify.asked] == [
        ("answered", "assistant", False),
        ("answered", "user", True),
    ]
    assert modify.asked[0].explanation == Foreign("Nobody asked for white tea.")
    assert (grep.end, grep.output.raw.splitlines()[0]) == ("error", "No file has that.")
    assert ask.dialogue and ask.asked[0].answer == "main"


def test_live_and_reloaded_are_the_same_blocks() -> None:
    """Issue 3, 8: whatever was said live, after each turn the blocks are those of the log alone."""
    events = log(*turn())
    live = TranscriptReducer()
    live.apply(ev.TurnStarted(conversation=HERE, turn=1, model="anthropic/claude-sonnet-4-5"))
    parts = {3: ("r", "reasoning"), 4: ("m", "message"), 19: ("n", "message")}
    for event in events:
        if event.seq in parts:
            name, kind = parts[event.seq]
            text = str(event.event.get("reasoning") or event.event.get("message"))
            for at in range(0, len(text), 7):
                live.apply(delta(name, text[at : at + 7], kind))
            live.apply(appended(event, name))
            continue
        if event.event["type"] == "tool_call_request":
            call, tool = str(event.event["id"]), str(event.event["name"])
            live.apply(changed(call, "receiving_arguments", tool))
            live.apply(delta(f"t{call}", "{", "tool", call=call, tool=tool))
            live.apply(changed(call, "running", tool, title=Foreign("said live"), hidden=tool == "ask_user"))
            live.apply(appended(event, f"t{call}"))
            continue
        if event.event["type"] == "tool_call_response":
            live.apply(changed(str(event.event["id"]), "completed", end="ok", ms=99_999))
        live.apply(appended(event))
    live.apply(ev.TurnCompleted(conversation=HERE, turn=1, outcome="done"))
    assert blocks(live, len(events)) == stored_blocks(events)


@pytest.mark.parametrize("cut", range(1, 20))
def test_pages_in_any_order_give_the_same_blocks(cut: int) -> None:
    """A call's result, or a question's answer, on a page that comes first finds its way (HOUSE "The way of a page")."""
    events = log(*turn())
    story = TranscriptReducer()
    story.load(events[cut:])
    story.load(events[:cut])
    assert blocks(story, len(events)) == stored_blocks(events)


def test_a_page_that_was_let_go_comes_back_the_same() -> None:
    events = log(*turn())
    story = TranscriptReducer()
    story.load(events)
    story.forget(1, 10)
    assert not any(story.of_event(seq) for seq in range(1, 11))
    story.load(events[:10])
    assert blocks(story, len(events)) == stored_blocks(events)


def test_of_a_call_that_reaches_over_two_pages_nothing_stays_once_both_were_let_go() -> None:
    """Issue 9, "a day of work": a result of megabytes would stay for each of them."""
    events = log(*turn())
    for cut in range(1, len(events)):
        story = TranscriptReducer()
        story.load(events)
        story.forget(1, cut)
        story.forget(cut + 1, len(events))
        assert not story._calls, cut
        story.load(events)
        assert blocks(story, len(events)) == stored_blocks(events)


def test_a_growing_part_is_one_block_that_becomes_its_event_in_place() -> None:
    story = TranscriptReducer()
    story.load(log(stored.ChatRequest(content="hi")))
    first = story.apply(delta("p", "Hel"))
    again = story.apply(delta("p", "lo"))
    assert len(first.changed) == 1 and not again.changed  # more text is no new block
    (block,) = story.live
    assert isinstance(block, TextBlock) and block.growing
    assert story.drain() == {block.key: "Hello"} and not story.has_fresh
    done = story.apply(appended(log(stored.ChatResponse(kind="message", content="Hello"), first=2)[0], "p"))
    assert done.renamed == ((block.key, "e2"),) and not story.live
    (final,) = story.of_event(2)
    assert isinstance(final, TextBlock) and final.text == Foreign("Hello") and not final.growing


def test_dropped_parts_and_parts_left_at_the_end_are_gone() -> None:
    story = TranscriptReducer()
    story.apply(delta("p", "x"))
    assert story.apply(ev.PartDropped(conversation=HERE, part="p")).changed
    story.apply(delta("q", "y", "reasoning"))
    story.apply(ev.TurnCompleted(conversation=HERE, turn=1, outcome="interrupted"))
    assert not story.live and not story.has_fresh


def test_a_hidden_call_is_not_shown_until_it_asks() -> None:
    """R160: no tool chrome; the question and its answer stand inline. No tool is known by its name."""
    request = stored.ToolCallRequest(id="d", name="any_name", arguments={})
    story = TranscriptReducer()
    story.apply(changed("d", "queued", "any_name", hidden=True))
    story.apply(appended(log(request)[0]))
    assert not blocks(story, 1)
    story.apply(appended(log(asked("d", "Which?", assistant=True), first=2)[0]))
    (tool,) = blocks(story, 2)
    assert isinstance(tool, ToolBlock) and tool.dialogue and tool.asked[0].how == "open"


def test_a_hidden_call_that_fails_is_shown_as_what_it_is() -> None:
    story = TranscriptReducer()
    story.apply(changed("d", "running", "any_name", hidden=True))
    story.load(log(stored.ToolCallRequest(id="d", name="any_name", arguments={})))
    story.load(log(stored.ToolCallResponse(id="d", content="bad arguments", is_error=True), first=2))
    (tool,) = blocks(story, 2)
    assert isinstance(tool, ToolBlock) and not tool.dialogue and tool.end == "error"


def test_states_of_a_call_before_its_result() -> None:
    """R96, live and reloaded: what the engine says, else what the log lets one conclude."""
    request = log(stored.ToolCallRequest(id="a", name="t", arguments={}))
    (tool,) = stored_blocks(request)
    assert isinstance(tool, ToolBlock) and tool.state == "queued"
    (tool,) = stored_blocks([*request, *log(asked("a", "Sure?"), first=2)])
    assert isinstance(tool, ToolBlock) and (tool.state, tool.end) == (
        "completed",
        "cancelled",
    )  # nobody waits for it now
    live = TranscriptReducer()
    live.load([*request, *log(asked("a", "Sure?"), first=2)])
    live.apply(changed("a", "awaiting_input"))
    (tool,) = live.of_event(1)
    assert isinstance(tool, ToolBlock) and tool.state == "awaiting_input" and tool.asked[0].how == "open"
    ended = [*request, *log(stored.TurnOutcome(outcome="interrupted", model="m"), first=2)]
    assert [type(block) for block in stored_blocks(ended)] == [ToolBlock, Ending]
    cut = stored_blocks(ended)[0]
    assert isinstance(cut, ToolBlock) and (cut.state, cut.end) == ("completed", "cancelled")


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (stored.InquiryRedacted(id="a.q.1"), ("redacted", "", None, "")),
        (stored.InquiryCancelled(id="a.q.1", reason="timed_out"), ("cancelled", "", None, "timed_out")),
        (
            stored.InquiryAnswered(id="a.q.1", answer=0, responder=stored.Responder("static")),
            ("answered", "static", 0, ""),
        ),
    ],
)
def test_every_fate_of_a_question_has_its_trail(response: stored.InquiryResponse, expected: tuple[object, ...]) -> None:
    """E42, R21-R25: who answered, with what, or why not."""
    events = log(stored.ToolCallRequest(id="a", name="t", arguments={}), asked("a", "Sure?"), response)
    (tool,) = stored_blocks(events)
    assert isinstance(tool, ToolBlock)
    one = tool.asked[0]
    assert (one.how, one.by, one.answer, one.tag.raw) == expected
    assert type(one.answer) is type(expected[2])


def test_a_question_whose_call_is_not_named_stands_alone() -> None:
    """Imported conversations do not say which call asked; ids are never taken apart (R29)."""
    request = replace(asked("a", "Sure?"), metadata={})
    (block,) = stored_blocks(log(request, stored.InquiryAnswered(id="a.q.1", answer=True)))
    assert isinstance(block, QuestionBlock) and block.asked.how == "answered"


def test_failed_turns_say_what_happened_and_what_to_do() -> None:
    """Issue 3, "Bad input": the words of `turn_outcome.error` are the same live and reloaded."""
    error = {
        "kind": "unauthorised",
        "message": "Wrong key (401).",
        "advice": "Check ANTHROPIC_API_KEY.",
        "detail": "{}",
    }
    (ending,) = stored_blocks(log(stored.TurnOutcome(outcome="failed", model="m", error=dict(error))))
    assert isinstance(ending, Ending)
    assert (ending.how, ending.message, ending.advice) == (
        "failed",
        Foreign("Wrong key (401)."),
        Foreign("Check ANTHROPIC_API_KEY."),
    )
    assert stored_blocks(log(stored.TurnOutcome(outcome="done", model="m"))) == []


def test_incomplete_greeting_data_and_unknown_events() -> None:
    found = stored_blocks(
        log(
            (1, stored.ChatResponse(kind="message", content="Welcome", metadata={"greeting": True})),
            stored.ChatResponse(kind="message", content="Half", metadata={"incomplete": True}),
            stored.ChatResponse(kind="data", content={"a": [1]}),
            stored.Unknown({"type": "compaction"}),
            stored.Unknown({"type": 7}, "no type"),
        )
    )
    header, greeting, half, data, odd, unreadable = found
    assert isinstance(header, Header)
    assert isinstance(greeting, TextBlock) and greeting.greeting
    assert isinstance(half, TextBlock) and half.incomplete
    assert isinstance(data, Data) and data.text.raw == '{\n  "a": [\n    1\n  ]\n}'
    assert isinstance(odd, Odd) and odd.name == Foreign("compaction")
    assert isinstance(unreadable, Odd)


def test_the_greeting_becomes_the_first_event_where_it_stands() -> None:
    story = TranscriptReducer()
    story.show_greeting(Foreign("Welcome"), "demo/tour")
    header, said = story.live
    assert isinstance(header, Header) and header.model == Foreign("demo/tour")
    event = log((0, stored.ChatResponse(kind="message", content="Welcome", metadata={"greeting": True})))[0]
    changes = story.apply(appended(event, "greeting"))
    assert changes.renamed == ((said.key, "e1"), (header.key, "h1"))
    assert not story.live
    again = blocks(story, 1)
    assert isinstance(again[0], Header) and again[0].model == Foreign("demo/tour")
    assert isinstance(again[1], TextBlock) and again[1].text == Foreign("Welcome") and again[1].greeting


def test_blank_rows_depend_on_neighbours_only() -> None:
    place = (1, 0)
    tool = ToolBlock(key="e1", place=place, call="a", name=Foreign("t"))
    dialogue = replace(tool, dialogue=True, asked=(InquiryView(id="q", text=Foreign("?")),))
    header, user = Header(key="h1", place=place), User(key="e2", place=place, text=Foreign("x"))
    table = {(header, user): 0, (tool, tool): 0, (tool, dialogue): 1, (user, tool): 1, (None, user): 1}
    for (before, block), rows in table.items():
        assert gap(before, block) == rows
    assert {gap(one, other) for one, other in itertools.product((None, user), (header, tool))} == {1}


def test_an_open_question_of_somebody_elses_turn_waits_and_an_old_one_does_not() -> None:
    """E53: who only looks on is told that it was asked; after the program was killed nobody waits for the answer."""
    request = next(at for at, event in enumerate(log(*turn())) if event.event["type"] == "inquiry_request")
    for held, state in ((True, "awaiting_input"), (False, "completed")):
        story = TranscriptReducer()
        story.held = held
        story.load(log(*turn())[: request + 1])
        (tool,) = (one for one in blocks(story, request + 1) if isinstance(one, ToolBlock) and one.asked)
        assert tool.state == state


def test_a_turn_without_an_end_still_names_its_model() -> None:
    """Issue 3, 8: the model stands in the turn's first event, so a killed turn looks as it did live."""
    story = TranscriptReducer()
    start = stored.TurnStart(metadata={"model": "anthropic/claude-sonnet-4-5"})
    story.load(log(start, *turn()[1:4]))
    headers = [block for block in blocks(story, 4) if isinstance(block, Header)]
    assert [header.model for header in headers] == [Foreign("anthropic/claude-sonnet-4-5")]


def test_a_sub_agents_call_is_named_the_same_while_it_runs_and_after() -> None:
    """Two with one task are told apart by their names; what waits for the human does not say that it runs."""
    agent = AgentInfo(conversation="k1", parent=HERE, call="s1", turn=1, name=Foreign("twin-1"), task=Foreign("Ask it"))
    request = stored.ToolCallRequest(id="s1", name="spawn", arguments={"task": "Ask it", "name": "twin-1"})
    done = stored.ToolCallResponse(
        id="s1", content="Done.", is_error=False, metadata={"title": "twin-1", "agent": agent.model_dump(mode="json")}
    )
    events = log(stored.TurnStart(), request, done)
    story = TranscriptReducer()
    for one in events[:2]:
        story.apply(appended(one))
    story.apply(changed("s1", "running", tool="spawn", agent=agent))

    def shown() -> ToolBlock:
        (tool,) = (block for block in blocks(story, 3) if isinstance(block, ToolBlock))
        return tool

    assert (shown().title.raw, shown().state) == ("twin-1: Ask it", "running")
    assert story.asking(frozenset({(1, "s1")})).changed and shown().state == "awaiting_input"
    assert not story.asking(frozenset({(1, "s1")})).changed
    assert story.asking(frozenset()).changed and shown().state == "running"
    story.asking(frozenset({(1, "s1")}))
    story.apply(appended(events[2]))
    assert (shown().title.raw, shown().state) == ("twin-1: Ask it", "completed"), "what is over waits for nobody"
    assert next(one for one in stored_blocks(events) if isinstance(one, ToolBlock)).title.raw == "twin-1: Ask it"


@pytest.mark.parametrize("restarted", [True, False])
def test_s53_a_secret_that_a_restart_lost_says_why_it_is_asked_again(restarted: bool) -> None:
    """R12: a secret is never stored. Without a restart a second question is just another question."""
    mark = {"resumed": True} if restarted else {}
    page = log(
        stored.ToolCallRequest(id="a", name="login", arguments={}),
        asked("a", "Password?"),
        stored.InquiryRedacted(id="a.q.1"),
        replace(asked("a", "Password?", 2), metadata={"call": "a", **mark}),
    )
    story = TranscriptReducer()
    story.load(page)
    (block,) = story.of_event(1)
    assert isinstance(block, ToolBlock)
    assert [one.lost for one in block.asked] == [restarted, False]
    assert ("lost when jp-tui ended" in outcome(block.asked[0]).word.raw) is restarted
