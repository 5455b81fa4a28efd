"""Messages of an agent as values (N41, N42). Pure. What isn't understood is left out, never guessed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.tools.agents.late import KINDS
from jp_tui.tools.files.difference import unified

OPTION_KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")
MOST_OPTIONS = 20
MOST_TITLE = 500
MOST_RESULT = 200_000
"""Characters of a result that are recorded."""
_OVER = ("completed", "failed")


@dataclass(frozen=True, slots=True)
class AgentOption:
    """An answer that the agent offers."""

    id: str
    name: str
    kind: str


@dataclass(slots=True)
class AgentRequest:
    """A permission request that waits for a reply; `id` is the message's."""

    id: Json
    options: tuple[AgentOption, ...]

    def one(self, kind: str) -> str:
        """Return the option of this kind; empty unless there is exactly one."""
        found = [option.id for option in self.options if option.kind == kind]
        return found[0] if len(found) == 1 else ""


@dataclass(frozen=True, slots=True)
class AgentShown:
    """A call as a permission request has it: its arguments, or its changes in their place. Later updates of the call
    don't change it."""

    kind: str
    arguments: JsonObject
    diffs: tuple[AgentDiff, ...]

    def command(self) -> tuple[Json, tuple[Json, ...]]:
        """Return the command that is shown, and the folders that it names."""
        if self.kind != "execute" or self.diffs:
            return None, ()
        return self.arguments.get("command"), tuple(self.arguments.get(key, ".") for key in ("cwd", "workdir"))


@dataclass(frozen=True, slots=True)
class AgentDiff:
    """A change of a file, by its path in the folder. `old` is what the agent says of it; None: it is new."""

    path: str
    old: str | None
    new: str


@dataclass(slots=True)
class AgentWork:
    """One tool call of the agent. `call` is its id here, `asked`: the agent asked before it was passed on; `passed`: it
    was passed on to the engine; `released`: its call here ended before it did; `shown`: what its last request has;
    `allowed`: that was answered with yes; `ran`: its command was run here."""

    call: str
    kind: str = "other"
    title: str = ""
    input: JsonObject = field(default_factory=dict)
    content: list[Json] = field(default_factory=list)
    output: Json = None
    status: str = "pending"
    request: AgentRequest | None = None
    asked: bool = False
    passed: bool = False
    released: bool = False
    shown: AgentShown | None = None
    allowed: bool = False
    ran: bool = False

    @property
    def waits(self) -> bool:
        """True if the agent can't go on without it."""
        return self.request is not None

    @property
    def over(self) -> bool:
        """True if the agent is done with it."""
        return self.status in _OVER

    def update(self, told: JsonObject) -> None:
        """Take what an update says; what it leaves out stays."""
        if told.get("kind") in KINDS:
            self.kind = str(told["kind"])
        if isinstance(title := told.get("title"), str) and title.strip():
            self.title = title[:MOST_TITLE]
        if isinstance(given := told.get("rawInput"), dict) and given:
            self.input = given
        if isinstance(content := told.get("content"), list):
            self.content = content
        if "rawOutput" in told:
            self.output = told["rawOutput"]
        if told.get("status") in ("pending", "in_progress", *_OVER) and not self.over:
            self.status = str(told["status"])

    def asks(self, request: AgentRequest, folder: str) -> None:
        """The agent asks whether it may do it, as it is now."""
        self.request, self.shown = request, self._now(folder)
        self.allowed = self.ran = False

    def changed(self, folder: str) -> bool:
        """Return True if it isn't what its request has."""
        return self.shown is not None and self.shown != self._now(folder)

    def _now(self, folder: str) -> AgentShown:
        return AgentShown(self.kind, self.arguments(), tuple(_diffs(self.content, folder)))

    def arguments(self) -> JsonObject:
        """Return what is recorded as the call's arguments."""
        return self.input or {"title": self.title}

    def changes(self, folder: str) -> str:
        """Return its changes of files as unified diffs, with names in `folder`; empty if it shows none."""
        found: list[str] = []
        for one in _diffs(self.content, folder):
            name = one.path.lstrip("/").replace("\n", " ")
            head = f"a/{name}" if one.old is not None else "/dev/null"
            found.append(unified(head, f"b/{name}", one.old or "", one.new))
        return "\n".join(one for one in found if one)

    def result(self, folder: str) -> str:
        """Return what it gave back, as text."""
        parts = [text for one in self.content if isinstance(one, dict) and (text := _text(one.get("content")))]
        if not parts and (changes := self.changes(folder)):
            parts = [f"```diff\n{changes}```"]
        if not parts and self.output is not None:
            told = self.output.get("output") if isinstance(self.output, dict) else self.output
            parts = [told if isinstance(told, str) else dump(self.output)]
        return "\n".join(parts)[:MOST_RESULT]


@dataclass(frozen=True, slots=True)
class AgentText:
    """A piece of a message or of thoughts."""

    kind: Literal["message", "reasoning"]
    text: str


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """The agent's plan, in the form of `update_plan`."""

    steps: tuple[JsonObject, ...]


def chunk(update: JsonObject) -> AgentText | None:
    """Read a piece of text; None for another update."""
    kind = {"agent_message_chunk": "message", "agent_thought_chunk": "reasoning"}.get(str(update.get("sessionUpdate")))
    if kind is None or not (text := _text(update.get("content"))):
        return None
    return AgentText("message" if kind == "message" else "reasoning", text)


def plan(update: JsonObject) -> AgentPlan | None:
    """Read a plan; None for another update, or one without steps. One step at most is in progress."""
    entries = update.get("entries")
    if update.get("sessionUpdate") != "plan" or not isinstance(entries, list):
        return None
    steps: list[JsonObject] = []
    runs = False
    for one in entries[:100]:
        step = one.get("content") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(step, str) or not step.strip():
            continue
        status = one.get("status") if one.get("status") in ("pending", "in_progress", "completed") else "pending"
        if status == "in_progress":
            status, runs = ("pending" if runs else status), True
        steps.append({"step": step.strip()[:MOST_TITLE], "status": status})
    return AgentPlan(tuple(steps)) if steps else None


def options(params: JsonObject) -> tuple[AgentOption, ...]:
    """Read the options of a permission request; empty if there are none, or two alike (N42)."""
    given = params.get("options")
    found = tuple(_options(given)) if isinstance(given, list) and len(given) <= MOST_OPTIONS else ()
    alike = len({one.id for one in found}) < len(found) or len({one.name for one in found}) < len(found)
    return () if alike else found


def _options(given: list[Json]) -> Iterator[AgentOption]:
    for one in given:
        if isinstance(one, dict) and isinstance(id_ := one.get("optionId"), str) and isinstance(one.get("name"), str):
            kind = one.get("kind")
            yield AgentOption(id_, str(one["name"])[:MOST_TITLE], str(kind) if kind in OPTION_KINDS else "")


def inside(path: str, folder: str) -> str:
    """Return an absolute path relative to `folder`; one outside unchanged, which our tools refuse."""
    for base in (folder.rstrip("/"), os.path.realpath(folder).rstrip("/")):
        if path.rstrip("/") == base:
            return "."
        if path.startswith(f"{base}/"):
            return path[len(base) + 1 :]
    return path


def _diffs(content: Sequence[Json], folder: str) -> Iterator[AgentDiff]:
    for one in content:
        if isinstance(one, dict) and one.get("type") == "diff":
            path, old, new = one.get("path"), one.get("oldText"), one.get("newText")
            if isinstance(path, str) and isinstance(new, str):
                yield AgentDiff(inside(path, folder), old if isinstance(old, str) else None, new)


def _text(block: Json) -> str:
    """Return the text of a content block; a resource is its address."""
    if not isinstance(block, dict):
        return ""
    if block.get("type") == "text" and isinstance(text := block.get("text"), str):
        return text
    if block.get("type") == "resource_link" and isinstance(uri := block.get("uri"), str):
        return uri
    resource = block.get("resource")
    if isinstance(resource, dict):
        inside = resource.get("text") or resource.get("uri")
        return inside if isinstance(inside, str) else ""
    return "[image]" if block.get("type") == "image" else ""
