"""The commands that work everywhere, as one list: for `/` in the composer, the palette and the page of keys.

A page over the workspace is a line here and a module of `screens/` with `open_page(host, argument)`, which is imported
when the page is opened, never before (T23). Only working commands are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from jp_tui.view.composer.commands import SlashCommand

if TYPE_CHECKING:  # the protocol is loaded after the first frame (T23)
    from textual.app import App
    from textual.content import Content
    from textual.screen import Screen

    from jp_tui.protocol.commands import Command as EngineCommand
    from jp_tui.ui.transcript.inbox_controller import InboxController
    from jp_tui.view.activity.agents import Agent
    from jp_tui.view.questions.inbox import InboxState


class Main(Protocol):
    """The facts about the workspace that a page reads; they change while the page is open."""

    @property
    def conversation(self) -> str:
        """The id of the open one; "" before there is any."""

    @property
    def model(self) -> str: ...

    @property
    def place(self) -> tuple[str, str]:
        """The workspace and the home folder."""

    @property
    def agents(self) -> tuple[Agent, ...]: ...

    @property
    def parent_conversation(self) -> str: ...

    @property
    def inbox(self) -> InboxState | None: ...

    @property
    def waits(self) -> InboxController | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The functions and facts that a page may use. `new` begins a conversation, `go_to` opens one, `copy` takes a text
    and its name, `write` puts a text into the composer, `clock` is monotonic seconds, `wall` gives seconds since
    1970."""

    main: Main
    send: Callable[[EngineCommand], None]
    new: Callable[[], None]
    go_to: Callable[[str], None]
    wear: Callable[[str], object]
    themes: Callable[[], Sequence[str]]
    copy: Callable[[str, str], None]
    write: Callable[[str], None] = lambda text: None
    clock: Callable[[], float]
    wall: Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppCommand(SlashCommand):
    """A command that runs the app's action `action`, with the argument if the command takes one."""

    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(AppCommand):
    """`opens` is the function in `screens/` that opens it. `commands` are those of the engine whose refusals are shown
    on the page. `over_sheet`: its key works while a question is open. `works` returns True if its key does anything
    now."""

    opens: str
    commands: tuple[str, ...] = ()
    over_sheet: bool = False
    works: Callable[[Main], bool] = lambda main: True

    def opener(self) -> Callable[[Host, str], Screen[None] | Content | None]:
        """Return the function that opens the page. It returns the page, a text for the last line, or None."""
        module, _, function = self.opens.rpartition(".")
        opens: Callable[[Host, str], Screen[None] | Content | None]
        opens = getattr(import_module(f"jp_tui.ui.screens.{module}"), function)
        return opens


def _page(name: str, title: str, does: str, *, opens: str = "", **more: Any) -> Page:
    return Page(name=name, title=title, does=does, action=f"open('{name}')", opens=opens or f"{name}.open_page", **more)


_ALL = {"argument": "all", "choices": ("all",)}
_CHANGES = ("read_changes", "undo_changes")
COMMANDS: tuple[AppCommand, ...] = (
    AppCommand(name="new", title="New conversation", does="Start a new conversation", action="new"),
    _page(
        "conversations",
        "Conversations",
        "Search, open, rename, fork, archive, delete, import",
        opens="library.open_page",
        commands=(
            "search_conversations",
            "rename_conversation",
            "fork_conversation",
            "archive_conversation",
            "delete_conversation",
            "restore_conversation",
            "import_conversations",
            "cancel_work",
            "list_conversations",
            "read_conversation",
        ),
    ),
    _page(
        "ledger",
        "Ledger",
        "Review and revoke remembered answers and permissions",
        commands=("read_ledger", "revoke_entry"),
    ),
    _page(
        "rules",
        "Rules",
        "What runs, asks or never runs, how often each rule decided, and what your answers suggest",
        commands=("read_rules", "revoke_rule", "take_suggestion"),
    ),
    _page(
        "mcp",
        "MCP servers",
        "Servers and their tools: state, switches, what changed, log",
        opens="mcp.page.open_page",
        commands=(
            "read_mcp",
            "accept_mcp_tools",
            "switch_mcp_tool",
            "restart_mcp_server",
            "log_in_to_mcp_server",
            "open_mcp_login",
        ),
    ),
    _page("inquiries", "Inquiries", "Who asked, who answered, and why", commands=("list_inquiries",)),
    _page(
        "compact",
        "Compact",
        "Summarise older messages for the model; with undo it sees them again",
        opens="context.open_compact",
        argument="FOCUS",
        choices=("undo",),
    ),
    _page(
        "diff",
        "Changes",
        "File changes of the last turn, or of all turns",
        opens="changes.open_page",
        needs="changed files",
        commands=_CHANGES,
        **_ALL,
    ),
    _page(
        "undo",
        "Undo",
        "Undo or redo file changes of the last turn",
        opens="changes.open_undo",
        needs="changed files",
        commands=_CHANGES,
        **_ALL,
    ),
    _page("inbox", "Inbox", "Everything waiting for you", over_sheet=True),
    _page(
        "agents",
        "Agents",
        "Open a sub-agent's conversation, or return; with all: everyone who works, waits or idles",
        over_sheet=True,
        works=lambda main: bool(main.agents or main.parent_conversation),
        commands=("read_agents",),
        argument="all",
        choices=("all",),
    ),
    _page("reviewers", "Reviewers", "How often reviewers were right", commands=("read_reviewers", "set_setting")),
    AppCommand(
        name="decide",
        title="Decide yourself",
        does="Decide instead of the reviewer",
        needs="a reviewer at work",
        action="take_over",
    ),
    AppCommand(
        name="interrupt",
        title="Interrupt",
        does="Stop, redirect or restart the running turn",
        needs="a running turn",
        action="interrupt_menu",
    ),
    AppCommand(name="sidebar", title="Sidebar", does="Show or hide the tool activity", action="sidebar"),
    AppCommand(name="theme", title="Theme", does="Change colors", argument="NAME", action="theme"),
    _page(
        "model",
        "Model",
        "List models with context and prices; change the model",
        opens="models.open_page",
        commands=("switch_model", "list_models", "set_setting"),
        argument="NAME",
    ),
    _page(
        "agent",
        "Agent",
        "Let another maker's agent hold the conversation",
        opens="models.open_agent",
        commands=("switch_model", "list_models", "set_setting"),
        argument="NAME",
    ),
    _page(
        "plan",
        "Plan mode",
        "Let the model only read and ask, until you accept its plan",
        opens="context.open_plan",
        commands=("set_plan_mode",),
        argument="off",
        choices=("off",),
    ),
    _page(
        "mode",
        "Approval mode",
        "Change what runs without asking: ask, edits, unattended",
        opens="context.open_mode",
        commands=("set_approval_mode",),
        argument="MODE",
        choices=("ask", "edits", "unattended"),
    ),
    _page("context", "Context", "What goes to the model: instructions, tools, messages", commands=("read_context",)),
    _page("usage", "Usage", "Tokens and cost by turn, request and reviewer", commands=("read_usage",)),
    _page(
        "settings",
        "Settings",
        "View and change settings, and see where they are set",
        commands=("read_settings", "reset_setting", "set_setting"),
    ),
    _page(
        "setup",
        "Setup",
        "Find and test a model, and save it",
        commands=("probe_setup", "list_models", "test_model", "save_setup"),
    ),
    _page(
        "trust",
        "Trust",
        "Review and trust this folder's configuration",
        commands=("read_trust", "trust_workspace", "distrust_workspace"),
    ),
    AppCommand(name="help", title="Help", does="Commands and keys", action="keys"),
    AppCommand(name="keys", title="Keys", does="All keys by context", action="keys"),
    AppCommand(name="quit", title="Quit", does="Stop the turn, save the log and quit", action="leave"),
)
UNLISTED = (
    _page(
        "prompt",
        "Prompt",
        "Fill in a prompt of an MCP server",
        opens="mcp.prompt.open_page",
        commands=("read_server_prompt", "fill_server_prompt"),
    ),
)
"""Pages that something else opens: a prompt of an MCP server is the command `/SERVER:PROMPT`."""
PAGES = {entry.name: entry for entry in (*COMMANDS, *UNLISTED) if isinstance(entry, Page)}
PAGE_COMMANDS = frozenset(command for page in PAGES.values() for command in page.commands)
"""Commands of pages: their refusals are shown there, about whichever conversation."""


def choosable(entries: tuple[AppCommand, ...], **choices: Iterable[str]) -> tuple[AppCommand, ...]:
    """Return the commands, with the choices for the arguments of some of them, by name."""
    return tuple(replace(one, choices=tuple(choices.get(one.name, one.choices))) for one in entries)


def by_action() -> list[AppCommand]:
    """Return the commands with each action once: the first of those that share one."""
    return list({command.action: command for command in reversed(COMMANDS)}.values())[::-1]


def run(app: App[Any], command: AppCommand, argument: str = "") -> None:
    """Run a command. Unlike `App.run_action`, this doesn't ask `check_action`."""
    if isinstance(command, Page):
        app.action_open(command.name, argument)  # type: ignore[attr-defined]  # the workspace's app
        return
    action = getattr(app, f"action_{command.action}")
    _ = action(argument) if command.argument else action()
