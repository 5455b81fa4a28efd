"""The commands that work everywhere, as one list: for `/` in the composer, for the palette and for the keys page.

A new command is a line in COMMANDS and an action of the app. Only what works is listed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jp_tui.view.composer.commands import Command

if TYPE_CHECKING:
    from textual.app import App


@dataclass(frozen=True, slots=True, kw_only=True)
class AppCommand(Command):
    """A command that runs the app's action `action`, with the argument if the command takes one."""

    action: str


COMMANDS: tuple[AppCommand, ...] = (
    AppCommand(name="new", title="New conversation", does="Begin an empty one", action="new"),
    AppCommand(
        name="conversations",
        title="Conversations",
        does="Search in all of them, open, rename, fork, archive, delete, import",
        action="conversations",
    ),
    AppCommand(
        name="ledger",
        title="Ledger",
        does="What is remembered or allowed now, and how to take it back",
        action="ledger",
    ),
    AppCommand(
        name="inquiries", title="Inquiries", does="Who asked what here, who answered, and why", action="inquiries"
    ),
    AppCommand(
        name="diff",
        title="Changes",
        does="All changes of the last turn, or of all",
        argument="all",
        choices=("all",),
        action="diff",
    ),
    AppCommand(
        name="undo",
        title="Undo",
        does="Take back what the last turn changed in files, or bring it back",
        argument="all",
        choices=("all",),
        action="undo_changes",
    ),
    AppCommand(name="inbox", title="Inbox", does="All that waits for you, wherever it is asked", action="inbox"),
    AppCommand(
        name="agents", title="Sub-agents", does="Open a sub-agent's conversation, or come back", action="agents"
    ),
    AppCommand(name="reviewers", title="Reviewers", does="How often reviewing models were right", action="reviewers"),
    AppCommand(
        name="decide",
        title="Decide yourself",
        does="Take over what a reviewing model is deciding now",
        action="take_over",
    ),
    AppCommand(
        name="interrupt",
        title="Interrupt",
        does="The menu of what can become of the turn that runs",
        action="interrupt_menu",
    ),
    AppCommand(name="sidebar", title="Sidebar", does="Show or hide the tool activity", action="sidebar"),
    AppCommand(name="theme", title="Theme", does="Choose how everything looks", argument="NAME", action="theme"),
    AppCommand(
        name="model",
        title="Model",
        does="Talk with another from the next turn on; a list of them with context and prices",
        argument="NAME",
        action="model",
    ),
    AppCommand(name="usage", title="Usage", does="Tokens and money, by turn, request and reviewer", action="usage"),
    AppCommand(
        name="settings",
        title="Settings",
        does="All of them: what they mean, where they come from, and change them",
        action="settings",
    ),
    AppCommand(name="setup", title="Setup", does="Find a model, test it, and write the configuration", action="setup"),
    AppCommand(
        name="trust",
        title="Trust",
        does="What the folder's own configuration would do, and whether it may",
        action="trust",
    ),
    AppCommand(name="help", title="Help", does="What can be written and pressed", action="keys"),
    AppCommand(name="keys", title="Keys", does="All keys, by where they work", action="keys"),
    AppCommand(name="quit", title="Leave", does="End the turn, close the log, leave", action="leave"),
)


def choosable(commands: tuple[AppCommand, ...], **choices: Iterable[str]) -> tuple[AppCommand, ...]:
    """Return the commands, with the choices for the arguments of some of them, by name."""
    return tuple(replace(one, choices=tuple(choices.get(one.name, one.choices))) for one in commands)


def by_action() -> list[AppCommand]:
    """Return the commands with each action once: the first of those that share one."""
    return list({command.action: command for command in reversed(COMMANDS)}.values())[::-1]


def run(app: App[Any], command: AppCommand, argument: str = "") -> None:
    """Run a command. Unlike `App.run_action`, this doesn't ask `check_action`."""
    action = getattr(app, f"action_{command.action}")
    _ = action(argument) if command.argument else action()
