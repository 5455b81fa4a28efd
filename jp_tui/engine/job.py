"""What is known of one tool call while it is worked on, and how a call ends. Data only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jp_tui.conversation.model import Call
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.setup import ToolSetup
from jp_tui.protocol.values import CallEnd
from jp_tui.tools.port import Cancel, Given, Replied, Tool, ToolCall

Usable = Callable[[JsonObject], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class Done:
    """The response of a call; `end` says how for the sidebar, `own` that it is what the tool itself said."""

    content: str
    is_error: bool
    end: CallEnd
    own: bool = False


class Deferred(Exception):
    """The call's question stays open for later (R230)."""


@dataclass(slots=True)
class Job:
    """`arguments` are what runs, `edited` that they are not the model's; `permission` and `delivery` say who decided,
    for the record; `ms` is how long it ran."""

    call: Call
    setup: ToolSetup
    tool: Tool
    arguments: JsonObject
    root: Path
    conversation: str
    workspace: str = ""
    title: str = ""
    rendered: str | None = None
    edited: bool = False
    answers: Mapping[str, Given] = field(default_factory=dict)
    replied: Replied | None = None
    reviewed: bool = False
    cancel: Cancel = field(default_factory=Cancel)
    permission: JsonObject = field(default_factory=dict)
    delivery: JsonObject = field(default_factory=dict)
    ms: int | None = None

    def edit(self, arguments: JsonObject) -> None:
        """Other arguments run; how the first were shown does not hold for them (R90)."""
        self.arguments, self.edited, self.rendered = arguments, True, None

    def execution(self, usable: Usable, *, reviews: bool = False) -> ToolCall:
        """One run, as the tool gets it; `usable` and `reviews` as in ToolCall."""
        return ToolCall(
            arguments=self.arguments,
            root=self.root,
            answers=self.answers,
            options=self.setup.options,
            replied=self.replied,
            cancel=self.cancel,
            conversation=self.conversation,
            workspace=self.workspace,
            usable=usable,
            reviews=reviews,
            reviewed=self.reviewed,
        )
