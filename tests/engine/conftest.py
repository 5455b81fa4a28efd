"""An engine in its thread with a real database and real tools, driven through the real link by a scripted face."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

import pytest

from jp_tui.conversation.model import ModelError, ToolSpec
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.engine.base.backups import BackupLimits, CopyStore
from jp_tui.engine.base.context_settings import ContextSettings
from jp_tui.engine.base.dependencies import (
    BY_USER,
    ApprovalRules,
    CompactionSettings,
    ConversationLock,
    EngineDependencies,
    HeldBy,
    McpAdmin,
    ModelSetup,
    ModeSetting,
    OutsideCall,
    Policies,
    RetryPolicy,
    Reviewer,
    RuleBook,
    ToolSetup,
)
from jp_tui.engine.base.draft_spool import DraftSpool
from jp_tui.engine.hub import Engine
from jp_tui.engine.session.store_watch import StoreWatch
from jp_tui.inquiry.values import Policy, Rule
from jp_tui.journal.reader import open_reader
from jp_tui.journal.store import open_journal
from jp_tui.link.local import LocalLink
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import PromptRequest, Response
from jp_tui.settings.command_files.reading import CommandReader
from jp_tui.system.agents.presence import AgentSession
from jp_tui.system.lock import Holder, acquire, holder, lock_path
from jp_tui.tools.port import Tool
from jp_tui.tools.registry import builtin
from jp_tui.ui.failures import crash_report
from tests.fakes.journals import Flaky, Remote
from tests.fakes.models import Script
from tests.limits import LIMIT as LIMIT

T = TypeVar("T")
SECONDS = LIMIT


def tool_setup(name: str, tool: Tool | None, **more: Any) -> ToolSetup:
    return ToolSetup(name, ToolSpec(name, name, {"type": "object", "properties": {}}), tool, **more)


class Bench:
    """One engine and what it said."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.workspace = home / "workspace"
        self.workspace.mkdir(exist_ok=True)
        self.script = Script()
        self.tools: dict[str, ToolSetup] = {
            name: tool_setup(name, tool, hidden=name == "ask_user") for name, tool in builtin().items()
        }
        self.model = "fake/model"
        self.client = True
        self.unknown_models: dict[str, ModelError] = {}
        self.window: int | None = None
        self.sees_images: bool | None = None
        self.max_tokens: int | None = None
        self.compaction = CompactionSettings()
        self.agent_model: Callable[[str], Awaitable[ModelSetup]] | None = None
        self.greet = False
        self.via = ""
        self.reviews = False
        self.copies = False
        self.titles = False
        self.context: ContextSettings | None = None
        self.approval_rules: ApprovalRules | None = None
        self.own_commands: CommandReader | None = None
        self.servers: Any = None
        self.server_content: Any = None
        self.rule_book: RuleBook | None = None
        self.agent_sessions: Callable[[], Sequence[AgentSession]] = tuple
        self.mcp: McpAdmin | None = None
        self.mode = ModeSetting()
        self.approval = BY_USER
        self.jp_data: Path | None = None
        self.copy_limit = 1 << 20
        self.tool_choice = "auto"
        self.side: Script | None = None
        self.outside_rule = Rule()
        self.outside_call = OutsideCall()
        self.reviewer: Reviewer | None = None
        self.retry_with_intent = False
        self.remote: str | None = None
        """The journal is as a store on a server: in reach if this is empty, else why not."""
        self.opens: Callable[[], Any] | None = None
        """Opens the journal, and takes its locks; None: a file."""
        self.machine = ""
        self.prefix = "conv"
        self.delta: JsonObject = {}
        self.reloads: list[list[JsonObject]] = []
        self.unset: list[str] = []
        self.deleted: list[str] = []
        self.on_failure: Literal["ask", "fail"] = "ask"
        self.retry = RetryPolicy(2, 1, 1.0, least_secs=0.0)
        self.events: list[e.Event] = []
        self.conversation = ""
        self.journal: Flaky
        self.settings: dict[str, Json] = {}
        self._ids = itertools.count(1)
        self._link: LocalLink | None = None
        self._seen = 0

    def policy(self, tool: str, policy: Policy) -> None:
        self.tools[tool] = tool_setup(tool, builtin()[tool], policies=Policies(tool=policy))

    def rule(self, tool: str, question: str, rule: Rule) -> None:
        self.tools[tool] = tool_setup(tool, builtin()[tool], rules={question: rule})

    def start(self, which: str = "new", conversation: str = "") -> e.ConversationOpened:
        """Start an engine (again) and open a conversation."""
        self.run()
        self.send(c.OpenConversation(which=which, conversation=conversation))  # type: ignore[arg-type]
        opened = self.until(e.ConversationOpened)
        self.conversation = opened.conversation
        return opened

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Start an engine that has nothing open; `ready` as in `Link.start`."""
        stored = self.opens() if self.opens is not None else open_journal(self.home / "conversations.db")
        journal: Any = Flaky(stored) if self.remote is None else Remote(stored, self.remote)
        journal = self.journal = journal if self.opens is None else stored

        async def open_model(held_with: str) -> ModelSetup:
            if held_with in self.unknown_models:
                raise self.unknown_models[held_with]
            if not self.model:
                raise ModelError("other", "There is no model.")
            reviews = getattr(self.script, "reviews", None)
            return ModelSetup(
                self.model,
                "model",
                self.script,
                retry=self.retry,
                reviews=reviews,
                people=getattr(self.script, "people", None),
                window=self.window,
                max_tokens=self.max_tokens,
                images=self.sees_images,
            )

        async def open_side() -> ModelSetup:
            assert self.side is not None
            return ModelSetup("other/side", "side", self.side, retry=self.retry)

        def lock(id_: str) -> ConversationLock | HeldBy:
            if (shared := journal.locks()) is not None:
                leased = shared.take(id_, "a test", 1)
                return HeldBy(leased) if isinstance(leased, str) else leased
            held = acquire(lock_path(self.home / "locks", id_), Holder.me("a test", "now"))
            return HeldBy(str(held)) if isinstance(held, Holder) else held

        def save(key: str, value: Json) -> Path:
            self.settings[key] = value
            return self.home / "config.toml"

        self.setup = setup = EngineDependencies(
            journal=journal,
            workspace=self.workspace,
            commits=StoreWatch(journal),
            scratch=self.home / "scratch",
            client=self.client,
            tools=self.tools,
            open_model=open_model,
            lock=lock,
            holder=lambda id_: (
                shared.holder(id_)
                if (shared := journal.locks()) is not None
                else str(holder(lock_path(self.home / "locks", id_)) or "")
            ),
            holders=lambda ids: {id_: self.setup.holder(id_) for id_ in ids},
            machine=self.machine,
            save_setting=save,
            unset_setting=self._unset,
            reload_tools=self._reload,
            now=lambda: datetime.now(UTC),
            monotonic=time.monotonic,
            new_id=lambda: f"{self.prefix}{next(self._ids)}e{len(self.events)}",
            tool_choice=self.tool_choice,
            max_attempts=3,
            on_failure=self.on_failure,
            outside_rule=lambda tool, question: self.outside_rule,
            outside_call=lambda tool: self.outside_call,
            secrets_folder=self.home / "asking",
            reviews=self.reviews,
            open_inquiry_model=None if self.side is None else open_side,
            reviewer=self.reviewer,
            retry_with_intent=self.retry_with_intent,
            copies=CopyStore(self.home / "undo", BackupLimits(self.copy_limit), time.time, str)
            if self.copies
            else None,
            config_delta=self.delta,
            titles=self.titles,
            jp_data=self.jp_data,
            via=self.via,
            open_agent_model=self.agent_model,
            deleted=self.deleted.append,
            compaction=self.compaction,
            context=lambda: self.context,
            approval_rules=self.approval_rules,
            servers=self.servers,
            server_content=self.server_content,
            own_commands=self.own_commands,
            rule_book=self.rule_book,
            agent_sessions=self.agent_sessions,
            mcp=None if self.mcp is None else lambda: self.mcp,
            mode=self.mode,
            approval=self.approval,
            spool=None if self.remote is None and self.opens is None else DraftSpool(self.home / "unsent", "far"),
            keep_report=lambda message, report: (
                crash_report.redacted_line(message),
                crash_report.keep_report(report, self.home / "state"),
            ),
        )
        self.events, self._seen = [], 0
        self._link = LocalLink(lambda publish: Engine(setup, publish, greet=self.greet))
        self._link.start(ready)

    def _reload(self, deltas: Sequence[JsonObject]) -> Mapping[str, ToolSetup]:
        self.reloads.append(list(deltas))
        return dict(self.tools)

    def _unset(self, key: str) -> Path:
        self.unset.append(key)
        return self.home / "config.toml"

    def other(self) -> Bench:
        """Another process on the same data: an engine of its own, beside this one."""
        made = Bench(self.home)
        made.tools, made.script, made._ids = self.tools, self.script, self._ids
        return made

    def send(self, command: c.Command) -> None:
        assert self._link is not None
        self._link.send(command)

    def say(self, text: str) -> None:
        self.send(c.StartTurn(conversation=self.conversation, text=text))

    def answer(self, prompt: PromptRequest, response: Response) -> None:
        self.send(
            c.AnswerQuestion(
                conversation=self.conversation, inquiry=prompt.inquiry, digest=prompt.digest, response=response
            )
        )

    def until(self, kind: type[T], where: Callable[[T], bool] = lambda _: True) -> T:
        """The next event of that kind, in order; what passes is kept in `events`."""
        assert self._link is not None
        end = time.monotonic() + SECONDS
        while True:
            while self._seen < len(self.events):
                event = self.events[self._seen]
                self._seen += 1
                if isinstance(event, e.EngineFailed) and kind is not e.EngineFailed:
                    raise AssertionError(event.report)
                if isinstance(event, kind) and where(event):
                    return event
            assert time.monotonic() < end, f"no {kind}; last came {[type(item).__name__ for item in self.events[-30:]]}"
            self._link.wait(0.2)
            self.events.extend(self._link.collect())

    def at_once(self, act: Callable[[], None]) -> None:
        """Do something that the engine notices only when all of it is done."""
        done = threading.Event()
        loop = self._link._loop
        assert loop is not None

        def work() -> None:
            act()
            done.set()

        loop.call_soon_threadsafe(work)
        assert done.wait(LIMIT)

    def forget(self) -> None:
        """Nothing that was said so far is kept."""
        self.events, self._seen = [], 0

    def prompt(self) -> PromptRequest:
        return self.until(e.QuestionAsked).prompt

    def interrupt(self, action: c.Interrupt, text: str = "") -> None:
        self.send(c.InterruptTurn(conversation=self.conversation, action=action, text=text))

    def send_and_wait(self) -> None:
        """Until everything that was sent before has been taken by the engine."""
        self.send(c.ReadHistory(limit=1))
        self.until(e.HistoryRead)

    def send_and_wait_offline(self) -> None:
        """The same while the store is out of reach."""
        self.send(c.ReadQueue(conversation=self.conversation))
        self.until(e.QueueChanged)

    def turn(self) -> e.TurnCompleted:
        return self.until(e.TurnCompleted)

    def stop(self) -> None:
        if self._link is not None:
            assert self._link.close(SECONDS), "the engine did not end"
            self.events.extend(self._link.collect())
            self._link = None

    def kill(self, name: str = "after") -> None:
        """The engine is gone from one moment to the next: what is on the disk then is all that the next start has."""
        after = self.home / name
        after.mkdir()
        for file in self.home.glob("conversations.db*"):
            if not file.name.endswith("-shm"):
                (after / file.name).write_bytes(file.read_bytes())
        self.journal.gate.set()
        self.stop()
        self.home = after

    def until_kept(self, text: str) -> None:
        """Until this much of a streaming part stands beside the log."""
        end, reader = time.monotonic() + SECONDS, open_reader(self.home / "conversations.db")
        while not any(text in part.text for part in reader.partials(self.conversation)):
            assert time.monotonic() < end
            threading.Event().wait(0.02)
        reader.close()

    def until_on_record(self, kind: str) -> None:
        """Until an event of this kind is on the disk, also if the engine has not been told."""
        end, reader = time.monotonic() + SECONDS, open_reader(self.home / "conversations.db")
        while all(row.entry.kind != kind for row in reader.read(self.conversation, 0, 1000)):
            assert time.monotonic() < end
            threading.Event().wait(0.01)
        reader.close()

    def draft(self, key: str, text: str) -> None:
        """Type this, and wait until it is on the disk (E24: within 0.3 s)."""
        self.send(c.SaveDraft(conversation=self.conversation, key=key, text=text))
        end, reader = time.monotonic() + SECONDS, open_reader(self.home / "conversations.db")
        while reader.drafts(self.conversation).get(key) != text:
            assert time.monotonic() < end
            threading.Event().wait(0.01)
        reader.close()

    def ever(self, kind: type[T], where: Callable[[T], bool] = lambda _: True) -> T:
        """As `until`, but what has passed already counts."""
        for event in self.events[: self._seen]:
            if isinstance(event, kind) and where(event):
                return event
        return self.until(kind, where)

    def log(self) -> list[dict[str, Any]]:
        """The stored events of the conversation, as they were reported."""
        return [event.stored.event for event in self.events if isinstance(event, e.EventAppended)]

    def kinds(self) -> list[str]:
        return [str(event["type"]) for event in self.log()]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.stop()
