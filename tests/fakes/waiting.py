"""What waits in a workspace with sub-agents, as pictures and tests need it; every value fixed (E4, E51)."""

from __future__ import annotations

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.outside import Asker, Claimed, WorkingConversation, WorkingProgram
from jp_tui.protocol.values import AgentInfo, PromptRequest, RuleCoverage, RuleOffer, WaitingInfo
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


def outside(*, claimed: bool = False) -> ev.WaitingListed:
    """A question of a Makefile (intake.md N6); with `claimed`, before it one of an agent that says who it is."""
    claims = Claimed(program="claude-code 2.1.330", title="Release 4.2")
    asker = Asker(program="make", pid=4711, started="2026-01-01T00:00:00Z", folder="/srv/app", host="box")
    one = WaitingInfo(
        conversation="c7", title=Foreign(""), inquiry="ask.answer.1", tool="outside.make", source="outside",
        text=Foreign("Deploy 4.2 to production?"), digest="d7", since=scenes.AT, asker=asker,
        question={"text": "Deploy 4.2 to production?", "answer_type": {"type": "boolean"},
                  "context": "4.2: 14 commits since 4.1\n\n- Sessions survive a restart\n- The export is a stream"},
        why="No remembered answer, setting or reviewer covers this question.",
    )  # fmt: skip
    agent = Asker(program="node", pid=512, started="2026-01-01T00:00:00Z", folder="/home/ada/site", host="box")
    other = one.model_copy(
        update={
            "conversation": "c8", "inquiry": "k.permission.1", "tool": "claude-code.Bash", "digest": "d8",
            "text": Foreign("Allow Bash: npm publish?"), "asker": agent, "claimed": claims, "folder": agent.folder,
            "question": {"text": "Allow Bash: npm publish?", "answer_type": {"type": "boolean"},
                         "context": "command: npm publish\n"},
        }
    )  # fmt: skip
    return ev.WaitingListed(waiting=(other, one) if claimed else (one,))


def at_work() -> ev.AgentsRead:
    """Conversations of ours and programs of other makers (intake.md N24)."""
    make, node = (one.asker for one in outside(claimed=True).waiting[::-1])
    assert make is not None and node is not None
    codex = node.model_copy(update={"program": "codex", "pid": 513, "folder": "/home/ada/api"})
    claims = Claimed(program="claude-code 2.1.330", title="Release 4.2")
    return ev.AgentsRead(
        conversations=(
            WorkingConversation(conversation="c3", title=Foreign("Rename the parser"), doing="works"),
            WorkingConversation(conversation="c4", title=Foreign("Notes"), doing="open", held_by="jp-tui (9 on box)"),
        ),
        programs=(
            WorkingProgram(asker=node, way="mcp", doing="waits", since=scenes.AT, open=2, claimed=claims),
            WorkingProgram(asker=make, way="ask", doing="waits", since=scenes.AT, open=1),
            WorkingProgram(asker=codex, way="hook", doing="idle", since="2026-03-05 21:00:00.0"),
        ),
    )


def permission_outside() -> ev.WaitingListed:
    """Claude Code asks whether it may change a file (N3)."""
    asker = Asker(program="claude", pid=4711, started="2026-01-01T00:00:00Z", folder="/srv/app", host="box")
    context = (
        "file_path: /srv/app/limits.py\n--- a/limits.py\n+++ b/limits.py\n@@ -1,3 +1,3 @@\n # Most of each\n"
        "-MOST = 10\n+MOST = 100\n LEAST = 1\n"
    )
    one = WaitingInfo(
        conversation="c8", title=Foreign(""), inquiry="k2.permission.1", tool="claude-code.Edit", source="outside",
        text=Foreign("Allow Edit: limits.py?"), digest="d8", since=scenes.AT, asker=asker,
        question={"text": "Allow Edit: limits.py?", "answer_type": {"type": "boolean"}, "context": context},
        covers="calls of claude-code.Edit for the same files, no others", claimed=Claimed(program="Claude Code"),
        scopes=tuple(_offer(*each) for each in (("file", "`limits.py`", 4), ("folder", "files in this folder", 5))),
        arguments={"file_path": "/srv/app/limits.py", "old_string": "MOST = 10", "new_string": "MOST = 100"},
    )  # fmt: skip
    return ev.WaitingListed(waiting=(one,))


def _offer(scope: str, label: str, width: int) -> RuleOffer:
    covered = RuleCoverage(matched=3, refused=1, of=14)
    return RuleOffer(
        scope=scope, label=Foreign(label), rules=({"tool": "claude-code.Edit"},), width=width, covered=covered,
        lifetimes=("conversation", "folder"),
    )  # fmt: skip
