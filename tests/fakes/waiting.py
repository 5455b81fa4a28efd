"""What waits in a workspace with sub-agents, as pictures and tests need it; every value fixed (E4, E51)."""

from __future__ import annotations

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import AgentInfo, PromptRequest, WaitingInfo
from jp_tui.questions.types import BooleanAnswer, Question
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION, opened

LIBRARIAN = AgentInfo(
    conversation="child-1", parent=CONVERSATION, call="call_5", turn=1, name=Foreign("librarian"),
    task=Foreign("Read docs/visitors.md and say which tea is missing."),
)  # fmt: skip
TASTER = AgentInfo(
    conversation="child-2", parent=CONVERSATION, call="call_6", turn=1, name=Foreign("taster"),
    task=Foreign("Find out which tea the house likes best, and tell it in one line."),
)  # fmt: skip
RECORDED = WaitingInfo(
    conversation="c7", title=Foreign("Fix the build"), inquiry="call_9.deploy.1", tool="deploy", source="tool",
    text=Foreign("Deploy to production?"), digest="d7", since="2026-03-04 20:00:00",
)  # fmt: skip


def permission() -> PromptRequest:
    """Leave to run a tool of the taster."""
    asks = Question("run_tool", "", BooleanAnswer())
    return scenes.prompt("boolean").model_copy(
        update={
            "kind": "permission", "question": asks, "conversation": TASTER.conversation, "inquiry": "call_1",
            "call": "call_1", "tool": "fs_delete_file", "source_name": "fs_delete_file", "digest": "dp",
            "agent": TASTER, "subject": Foreign("docs/old.md"), "arguments": Foreign('{"path": "docs/old.md"}'),
            "asked_at": "2026-03-05 21:22:10",
        }
    )  # fmt: skip


def relayed() -> PromptRequest:
    """What the librarian asks itself, handed on by the conversation that it works for (R222)."""
    return scenes.prompt("select", call_id="call_5").model_copy(
        update={
            "source": "other", "source_name": "sub_agent:child-1", "tool": "ask_user", "agent": LIBRARIAN,
            "label": "Assistant › librarian", "asked_at": "2026-03-05 21:21:40", "remember_covers": "",
            "controls": frozenset({"reply", "end_turn"}), "subject": Foreign(""),
        }
    )  # fmt: skip


def runs(info: AgentInfo, state: str) -> ev.CallChanged:
    """The call of the parent that runs a sub-agent."""
    changed = scenes.call("spawn_agent", state, id_=info.call)
    return changed.model_copy(update={"agent": info, "title": info.task})


def inside(info: AgentInfo, tool: str, state: str, call: str = "call_1", **more: object) -> ev.CallChanged:
    """A call of a sub-agent."""
    fields = {"conversation": info.conversation, "turn": 1, "call": call, "tool": tool, "state": state} | more
    return ev.CallChanged.model_validate(fields)


def agents() -> list[ev.Event]:
    """Two sub-agents work and ask, beside a change that waits: three kinds of questions, and who asks each."""
    return [
        *scenes.tools(),
        runs(LIBRARIAN, "running"),
        runs(TASTER, "running"),
        ev.TurnStarted(conversation="child-1", turn=1, model="demo/tour"),
        ev.TurnStarted(conversation="child-2", turn=1, model="demo/tour"),
        inside(LIBRARIAN, "fs_read_file", "completed", title="docs/visitors.md", ms=12, end="ok"),
        *scenes.asked(),
        inside(LIBRARIAN, "ask_user", "awaiting_input", call="call_2", title="Which branch should it go to?"),
        runs(LIBRARIAN, "awaiting_input"),
        ev.QuestionAsked(conversation=CONVERSATION, prompt=relayed()),
        inside(TASTER, "fs_delete_file", "awaiting_permission", title="docs/old.md"),
        ev.QuestionAsked(conversation=TASTER.conversation, prompt=permission()),
    ]


def view() -> list[ev.Event]:
    """The conversation of one of them is opened."""
    said = stored.ChatRequest(timestamp=scenes.AT, content=LIBRARIAN.task.raw)
    reads = stored.ToolCallRequest(
        timestamp=scenes.AT, id="call_1", name="fs_read_file", arguments={"path": "docs/visitors.md"}
    )
    read = stored.ToolCallResponse(timestamp=scenes.AT, id="call_1", content="# Tea\n", metadata={"ms": 12})
    facts: list[ev.Event] = [
        scenes.appended(at, event)
        for at, event in enumerate((stored.TurnStart(timestamp=scenes.AT), said, reads, read), 1)
    ]
    page = [one.model_dump() for one in scenes.page(facts)]
    return [
        opened(conversation="child-1", title="Read docs", new=False, page=page, last_seq=4, agent=LIBRARIAN),
        ev.TurnStarted(conversation="child-1", turn=1, model="demo/tour"),
        inside(LIBRARIAN, "ask_user", "awaiting_input", call="call_2", title="Which branch should it go to?"),
    ]
