"""The pages over the workspace, and what is listed beside it: which slots they have, and how each is reached.

See `slot_scenes.py`. Each scene opens a page as its command does, and gives it what the engine would.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.changes import FileChange, LeftFile
from jp_tui.protocol.context import ContextPart
from jp_tui.protocol.library import Found, Hit, ImportProblem
from jp_tui.protocol.mcp import (
    McpLogin,
    McpRead,
    McpServerInfo,
    McpToolInfo,
    PromptArgument,
    ServerPromptFilled,
    ServerPromptRead,
)
from jp_tui.protocol.models import MissingKey, ModelInfo, ServerProblem
from jp_tui.protocol.outside import WorkingConversation
from jp_tui.protocol.rules import RuleAnswer, RuleInfo, RuleSuggestion
from jp_tui.protocol.settings import SettingEntry
from jp_tui.protocol.setup import FoundServer, ModelTested, SetupFound, SetupSaved
from jp_tui.protocol.trust import ProposedSetting
from jp_tui.protocol.usage import AgentUsage, RequestUsage, TurnUsage
from jp_tui.protocol.values import (
    AgentInfo,
    ConversationInfo,
    InquiryInfo,
    LedgerEntry,
    PolicyChange,
    ReviewerFigures,
    StoredEvent,
    UsageTotals,
    WaitingInfo,
)
from jp_tui.ui.screens.library import JOB
from tests.fakes import scenes, waiting
from tests.fakes.link import CONVERSATION
from tests.faults.slot_words import Words

if TYPE_CHECKING:
    from tests.faults.slots_app import Stage

AT = "2026-11-21T10:00:00.000Z"


def _info(w: Words, id_: str = "aaaa1111", **more: Any) -> ConversationInfo:
    fields: dict[str, Any] = {
        "title": w.foreign("title"), "workspace": w.path("folder"), "model": w("model"), "created": AT, "updated": AT,
        "events": 9, "turns": 3,
    }  # fmt: skip
    return ConversationInfo.model_validate({**fields, "id": id_, **more})


async def library(stage: Stage, w: Words) -> None:
    """The list, the preview, what a search finds, what an import could not read, what was refused."""
    stage.app.action_open("conversations")
    await stage.say(ev.ConversationsListed(conversations=(_info(w), _info(w, "bbbb2222", parent="aaaa1111"))))
    await stage.look()
    await stage.press("w")
    await stage.say(ev.ConversationsListed(conversations=(_info(w), _info(w, "bbbb2222", parent="aaaa1111"))))
    await stage.look()
    for _ in range(100):  # the end of one is read when the cursor rests
        if stage.link.of(cmd.ReadConversation):
            break
        await stage.pilot.pause(0.01)
    said = (
        stored.ChatRequest(timestamp=scenes.AT, content=w("user in the preview", block=True)),
        stored.ChatResponse(timestamp=scenes.AT, kind="message", content=w("reply in the preview", block=True)),
    )
    events = tuple(StoredEvent(seq=n, turn=1, event=one.wire()) for n, one in enumerate(said, 1))
    await stage.say(ev.ConversationRead(info=_info(w), events=events, more=False))
    await stage.look()
    problem = ImportProblem(path=w.path("path of an import"), reason=w("why it was not read"))
    await stage.say(ev.ConversationsImported(imported=(_info(w),), problems=(problem,)))
    await stage.look()
    await stage.say(ev.LibraryProgress(job=JOB, what="import", done=1, total=2))
    await stage.look()
    await stage.say(ev.Refused(command="delete_conversation", message=w("why not"), advice=w("what instead")))
    await stage.look()
    await stage.press("slash", *"build")
    for _ in range(100):
        if asked := stage.link.of(cmd.SearchConversations):
            break
        await stage.pilot.pause(0.01)
    hit = Hit(seq=7, turn=2, kind="chat_request", text=w.foreign("place that was found"), marks=((3, 9),))
    await stage.say(
        ev.ConversationsFound(
            text="build",
            revision=asked[-1].revision if asked else 0,
            found=(Found(info=_info(w), hits=(hit,)),),
            notice=w("notice of a search"),
        )
    )


async def models(stage: Stage, w: Words) -> None:
    stage.app.action_open("model")
    await stage.say(
        ev.ModelsListed(
            models=(
                ModelInfo(id=w("id of a model"), provider="a", model="b", aliases=(w("alias"),)),
                ModelInfo(id="a/b", provider="a", model="b"),
            ),
            problems=(ServerProblem(provider=w("server"), kind="auth", message=w("problem"), advice=w("advice")),),
            missing=(MissingKey(provider=w("server without a key"), variable="X"),),
        )
    )
    await stage.look()
    await stage.say(ev.ModelSwitched(conversation=CONVERSATION, model=w("model from now on")))
    await stage.look()
    await stage.say(ev.Refused(command="switch_model", message=w("why not"), advice=w("what instead")))


async def usage(stage: Stage, w: Words) -> None:
    stage.app.action_open("usage")
    used = UsageTotals(input=1200, output=40, cost_usd=0.01)
    turn = TurnUsage(
        turn=1, asked=w.foreign("how a turn began"), model=w("model of a turn"), outcome="done", ms=3, usage=used,
        reviews=1,
        review_usage=used, requests=(RequestUsage(what=w.foreign("what came of a request"), usage=used),),
        agents=(AgentUsage(conversation="k", name=w.foreign("sub-agent"), task=w.foreign("its task"), usage=used),),
    )  # fmt: skip
    await stage.say(ev.UsageRead(conversation=CONVERSATION, model="a/b", turns=(turn,), total=used, agent_total=used))


async def settings(stage: Stage, w: Words) -> None:
    stage.app.action_open("settings")
    entry = SettingEntry(
        key=w("key"), value=w("value"), layer="user", place=w("place"), why=w("why"), help=w("help"), kind="text",
        default=w("default"), own=True, hidden_by=w("what counts instead"), choices=(w("choice"),),
    )  # fmt: skip
    choice = SettingEntry(key="ui.sidebar", value="a", kind="choice", choices=(w("choice"), "b"), layer="user")
    await stage.say(ev.SettingsRead(entries=(entry, choice), file="/home/ada/config.toml"))
    await stage.look()
    await stage.press("enter")
    await stage.look()
    await stage.press("escape", "down", "enter")
    await stage.look()
    await stage.press("escape")
    await stage.say(ev.SettingChanged(key="ui.sidebar", value="a", file=w("file of it")))
    await stage.look()
    await stage.say(ev.Refused(command="set_setting", message=w("why not"), advice=w("what instead")))


async def trust(stage: Stage, w: Words) -> None:
    stage.app.action_open("trust")
    one = ProposedSetting(
        key=w.foreign("key"), value=w.foreign("value", block=True), place=w.foreign("place"),
        does=w.foreign("what it does"),
        counts="waits", acts=True, change="changed", before=w.foreign("value before"),
    )  # fmt: skip
    told = {"file": w.foreign("file"), "digest": "d1", "settings": (one,), "compared": True}
    await stage.say(ev.TrustRead.model_validate({**told, "state": "changed"}))
    await stage.look()
    await stage.say(
        ev.TrustRead.model_validate({**told, "state": "broken", "problem": w.foreign("problem"), "settings": ()})
    )
    await stage.look()
    await stage.say(ev.Refused(command="trust_workspace", message=w("why not")))


async def rules(stage: Stage, w: Words) -> None:
    stage.app.action_open("rules")
    rule = RuleInfo(
        id=w("id of a rule"), effect="allow", tool=w("tool of a rule"), scope="command",
        match=[w("word"), [w("choice")]], lifetime="folder", layer="user", place=w("place of a rule"),
        folder=w("folder of a rule"),
        reason=w("reason of a rule"), made_by=w("maker of a rule"), hits=2, created="2026-03-05T21:21:16Z",
        answer=RuleAnswer(conversation=w("conversation of a rule"), inquiry=w("inquiry of a rule")),
    )  # fmt: skip
    suggested = RuleSuggestion(
        tool=w("suggested tool"), scope="path", match=w("suggested path"), folder=w("suggested folder"), approved=5,
        conversations=2, first="", last="", add=w("command that adds"), table={"path": "a"},
    )  # fmt: skip
    told = {
        "rules": (rule,), "suggestions": (suggested,), "file": w.foreign("file of rules"),
        "problems": (w.foreign("bad rule"),), "policy": (w.foreign("policy"),),
    }  # fmt: skip
    await stage.say(ev.RulesRead.model_validate(told))
    await stage.look()
    await stage.press("d")
    await stage.look()
    await stage.press("down", "a")
    await stage.look()
    await stage.say(ev.RulesRead.model_validate({**told, "done": "revoked", "changed": w("revoked rule")}))
    await stage.look()
    await stage.say(ev.Refused(command="revoke_rule", message=w("why not")))


async def mcp(stage: Stage, w: Words) -> None:
    stage.app.action_open("mcp")
    tool = McpToolInfo(
        tool=w.foreign("tool of a server"), name=w("name of a tool"), wire=w("name on a wire"), state="changed",
        title=w.foreign("title of a tool"), description=w.foreign("description"), fingerprint="sha256:1",
        input_schema=w.foreign("arguments"), output_schema=w.foreign("result schema"), hints=w.foreign("hints"),
        changes=(w("changed part"),), difference=w.foreign("difference"),
    )  # fmt: skip
    off = tool.model_copy(update={"state": "off", "reason": w.foreign("reason of a tool")})
    server = McpServerInfo(
        name="docs", transport="stdio", target=w.foreign("program"), origin=w.foreign("place of a server"),
        state="failed", error=w.foreign("error of a server"), protocol=w("revision"), at=AT,
        title=w.foreign("title of a server"), log=w.foreign("log"), tools=(tool, off),
    )  # fmt: skip
    told = McpRead(servers=(server,), problem=w.foreign("problem of servers"))
    await stage.say(told)
    await stage.look()
    await stage.press("a")
    await stage.look()
    await stage.press("enter")
    await stage.look()
    await stage.press("q", "down", "enter")
    await stage.look()
    await stage.press("q", "down")
    await stage.look()
    await stage.say(told.model_copy(update={"done": "accepted", "changed": w.foreign("accepted tools")}))
    await stage.look()
    await stage.say(ev.Refused(command="accept_mcp_tools", message=w("why not")))
    web = server.model_copy(update={"name": "web", "transport": "http", "tools": (), "logs_in": True})
    await stage.say(told.model_copy(update={"servers": (web,)}))
    await stage.press("home", "l")
    await stage.say(McpLogin(server="web", url=w.foreign("address of a login"), notes=(w.foreign("note of a login"),)))
    await stage.look()
    await stage.say(told.model_copy(update={"done": "logged_in", "changed": w.foreign("end of a login")}))
    await stage.look()


async def server_prompt(stage: Stage, w: Words) -> None:
    stage.app.action_open("prompt", "docs:review")
    arguments = tuple(
        PromptArgument(name=w.foreign("name of an argument"), description=w.foreign("argument"), required=one)
        for one in (True, False)
    )
    told = ServerPromptRead(
        server="docs", prompt="review", description=w.foreign("description of a prompt"), arguments=arguments
    )
    await stage.say(told)
    await stage.look()
    await stage.press("enter")  # a value is required
    await stage.look()
    await stage.say(ServerPromptFilled(server="docs", prompt="review", text=w.foreign("text of a prompt")))
    await stage.look()


async def setup(stage: Stage, w: Words) -> None:
    stage.app.action_open("setup")
    found = SetupFound(
        servers=(
            FoundServer(provider=w("provider"), wire="openai-chat", base_url=w("address"), variable=w("variable")),
            FoundServer(provider="ollama", wire="openai-chat", base_url="http://127.0.0.1:1/v1", local=True,
                models=("a",)),
        ),
        file=w("file"), exists=True, model=w("model now"), looked=(w("what was looked for"),),
    )  # fmt: skip
    await stage.say(found.model_copy(update={"servers": ()}))
    await stage.look()
    await stage.say(found)
    await stage.look()
    await stage.press("down", "enter")
    name = "ollama/a"
    listed = ev.ModelsListed(provider="ollama",
        models=(ModelInfo(id=name, provider="ollama", model=w("type a model name")),),
                             problems=(ServerProblem(provider="ollama", kind="x", message=w("problem")),))  # fmt: skip
    await stage.say(listed)
    await stage.look()
    await stage.press("enter")
    await stage.say(ModelTested(model=name, ok=False, message=w("why it does not answer"), advice=w("advice")))
    await stage.look()
    await stage.say(ev.Refused(command="test_model", message=w("why not")))
    await stage.look()
    await stage.press("enter")
    await stage.say(ModelTested(model=name, ok=True, ms=3))
    await stage.press("enter")
    await stage.look()
    keys = ((w("key that is written"), w("value that is written")),)
    await stage.say(
        SetupSaved(model=name, file=w("file that was written"), created=True, keys=keys, hidden_by=w("what hides it"))
    )


async def changes(stage: Stage, w: Words) -> None:
    stage.app.action_open("diff")
    diff = f"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-{w('line that goes')}\n+{w('line that comes')}\n"
    one = FileChange(
        key="k1", path=w.foreign("path"), was=w.foreign("path before"), how="moved", added=1, removed=1,
        diff=w.foreign("diff"),
        digest="d1", turns=(2,), why_not=w("why it stays"),
    ).model_copy(update={"diff": Foreign(diff)})  # fmt: skip
    two = FileChange(key="k2", path=w.foreign("path of another"), how="created", note=w("note"), diff=w.foreign("diff"))
    fields: dict[str, Any] = {"conversation": CONVERSATION, "scope": "turn", "turn": 2, "turns": (1, 2)}
    await stage.say(ev.ChangesRead.model_validate({**fields, "files": (one, two), "notes": (w("what is not known"),)}))
    await stage.look()
    await stage.press("j")
    await stage.look()
    await stage.press("u")
    await stage.look()
    left = LeftFile(key="k2", path=w.foreign("path that was left"), why=w("why it was left"))
    told: dict[str, Any] = {"conversation": CONVERSATION, "scope": "turn", "turn": 2, "way": "back"}
    undone = ev.ChangesUndone.model_validate({**told, "left": (left,), "done": (w.foreign("path taken back"),)})
    await stage.say(undone)
    await stage.look()
    await stage.say(ev.Refused(command="undo_changes", message=w("why not"), advice=w("what instead")))


async def inbox(stage: Stage, w: Words) -> None:
    agent = AgentInfo(
        conversation="k1",
        parent=CONVERSATION,
        call="c",
        turn=1,
        name=w.foreign("sub-agent"),
        task=w.foreign("its task"),
    )
    one = WaitingInfo(
        conversation="c7", title=w.foreign("conversation"), inquiry="i.go.1", tool="deploy", source="tool",
        label=w("label"),
        text=w.foreign("question"), digest="d7", since=scenes.AT, held_by=w("holder"), agent=agent,
        question={"text": w("question"), "context": w("context", block=True), "answer_type": {"type": "boolean"}},
    )  # fmt: skip
    other = one.model_copy(update={"inquiry": "i.go.2", "held_by": "", "agent": None})
    stage.link.answers[cmd.WatchWaiting] = lambda asked: [ev.WaitingListed(waiting=(one, other))] if asked.on else []
    await stage.say(*scenes.tools(), *scenes.asked())
    await stage.press("f4")
    await stage.look()
    await stage.press("down", "enter")
    await stage.look()
    await stage.press("ctrl+t")
    await stage.arms()


async def ledger(stage: Stage, w: Words) -> None:
    stage.app.action_open("ledger")
    entry = LedgerEntry(
        key="k", kind="answer", scope="turn", tool=w("tool"), question=w("id of a question"),
        text=w.foreign("question"),
        value=w("answer"), since=scenes.AT,
    )  # fmt: skip
    other = entry.model_copy(update={"key": "o", "kind": "pinned", "scope": "settings", "place": w("place")})
    await stage.say(ev.LedgerRead(conversation=CONVERSATION, entries=(entry, other)))
    await stage.look()
    await stage.press("down", "d")
    await stage.look()
    await stage.say(ev.Refused(command="revoke_entry", message=w("why not"), advice=w("what instead")))


async def inquiries(stage: Stage, w: Words) -> None:
    stage.app.action_open("inquiries")
    agent = AgentInfo(
        conversation="k1",
        parent=CONVERSATION,
        call="c",
        turn=1,
        name=w.foreign("sub-agent"),
        task=w.foreign("its task"),
    )
    info = InquiryInfo(
        conversation=CONVERSATION, id="a.q.1", turn=2, source="tool", source_name=w("who asks"), tool="deploy",
        question={"text": w("question"), "answer_type": {"type": "text"}}, digest="d",
        asked_at=scenes.AT, answered_at=scenes.AT, why=w("why"), agent=agent,
        response=stored.InquiryAnswered(
            timestamp=scenes.AT, id="a.q.1", answer=w("answer"), explanation=w("reason"),
            responder=stored.Responder("assistant", model=w("model")),
        ).wire(),
    )  # fmt: skip
    other = info.model_copy(update={"id": "a.q.2", "agent": None})
    await stage.say(ev.InquiriesListed(inquiries=(info, other)))
    await stage.look()
    await stage.press("enter")
    await stage.look()


async def agents(stage: Stage, w: Words) -> None:
    one = AgentInfo(
        conversation="child-1", parent=CONVERSATION, call="call_5", turn=1, name=w.foreign("sub-agent"),
        task=w.foreign("its task"),
    )  # fmt: skip
    other = one.model_copy(update={"conversation": "child-2", "call": "call_6"})  # of one alone there is no page
    inside = waiting.inside(one, w("tool of it"), "running", title="x")
    said = waiting.runs(one, "running").model_copy(update={"said": w.foreign("last line")})
    begun = ev.TurnStarted(conversation="child-1", turn=1, model="a/b")
    await stage.say(*scenes.tools(), said, waiting.runs(other, "running"), begun, inside)
    await stage.look()
    stage.app.action_open("agents")
    await stage.look()


async def reviewers(stage: Stage, w: Words) -> None:
    stage.app.action_open("reviewers")
    change = PolicyChange(key=w("key"), value=w("value"), words=w("suggestion"))
    figures = ReviewerFigures(
        tool=w("tool"), question=w("id of a question"), model=w("model"), asked=9, approved=3, suggests=change
    )
    await stage.say(ev.ReviewersRead(reviewers=(figures,)))
    await stage.look()
    await stage.press("c")


async def context(stage: Stage, w: Words) -> None:
    stage.app.action_open("context")
    part = ContextPart(
        part="instructions", path=w.foreign("path"), trusted=False, why=w.foreign("reason"), bytes=9, tokens=3
    )
    await stage.say(ev.ContextRead(parts=(part,), tokens=3, model="a/b"))
    await stage.look()


async def at_work(stage: Stage, w: Words) -> None:
    """Conversations that are open here and in other processes."""
    stage.app.action_open("agents", "all")
    one = WorkingConversation(conversation="k9", title=w.foreign("title of one that works"), doing="works")
    await stage.say(ev.AgentsRead(conversations=(one,)))
    await stage.look()


SCENES: dict[str, Callable[[Stage, Words], Awaitable[None]]] = {
    "page: conversations": library, "page: models": models, "page: usage": usage, "page: settings": settings,
    "page: rules": rules, "page: mcp": mcp, "page: prompt": server_prompt, "page: trust": trust, "page: setup": setup,
    "page: changes": changes, "page: inbox": inbox, "page: ledger": ledger,
    "page: inquiries": inquiries, "page: sub-agents": agents, "page: reviewers": reviewers,
    "page: context": context, "page: at work": at_work,
}  # fmt: skip
