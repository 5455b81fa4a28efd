"""Messages of an agent as values (N41, N42). Pure. What isn't understood is left out, never guessed."""

from __future__ import annotations

from collections.abc import Iterator
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


@dataclass(slots=True)
class AgentWork:
    """One tool call of the agent. `call` is its id here, `asked`: the agent asked before it was passed on; `passed`: it
    was passed on to the engine; `released`: its call here ended before it did; `allowed`: its request was answered with
    yes, as it was shown."""

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
    allowed: bool = False

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

    def arguments(self) -> JsonObject:
        """Return what is recorded as the call's arguments."""
        return self.input or {"title": self.title}

    def changes(self, folder: str) -> str:
        """Return its changes of files as unified diffs, with names in `folder`; empty if it shows none."""
        found: list[str] = []
        for one in self.content:
            if isinstance(one, dict) and one.get("type") == "diff" and isinstance(path := one.get("path"), str):
                old, new = one.get("oldText"), one.get("newText")
                name = path.removeprefix(f"{folder.rstrip('/')}/").lstrip("/").replace("\n", " ")
                before = old if isinstance(old, str) else ""
                if isinstance(new, str):
                    head = f"a/{name}" if isinstance(old, str) else "/dev/null"
                    found.append(unified(head, f"b/{name}", before, new))
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
