"""The first screen of an empty conversation as data: place, last conversations, tips that change (S51). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.view.pages.conversations import lasting, seconds_since, title
from jp_tui.view.wording.amounts import age

if TYPE_CHECKING:  # it may be in the first frame, which needs no protocol
    from jp_tui.protocol.context import ContextPart
    from jp_tui.protocol.values import ConversationInfo

RECENT, TIPS_SHOWN = 3, 3
TIPS = (
    "@ and a part of a name puts a file into the message.",
    "! runs a command of your own. Alt+A adds its output to the message.",
    "/ lists all commands, those you run most first.",
    "↑ returns what you sent before. Ctrl+R searches in it.",
    "/diff shows what a turn changed in files, /undo reverts it.",
    "Enter while the assistant works queues the message for the next turn.",
    "Esc while the assistant works opens a menu: stop it, or tell it something.",
    "/conversations searches in the words of all conversations.",
    "Tab goes to the conversation. There e edits an earlier message in a fork.",
    "/model changes the model from the next turn on.",
    "? in a question asks a model about it first. The question stays open.",
    "Ctrl+G opens the message in your own editor.",
    "Alt+V attaches the image on the clipboard.",
    "/usage shows tokens and money of the conversation, by turn.",
    "/ledger lists what is allowed or remembered now, and revokes it.",
    "Ctrl+O folds a question to one line, so that you can write first.",
    "F1 lists all keys. keys.toml gives them others.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentConversation:
    """A conversation that can be opened: `updated` is a time of the log, `facts` what doesn't change with time."""

    id: str
    title: Foreign
    updated: str
    facts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstScreenView:
    """Content of the first screen. `instructions` is one line about the instruction files that the model gets, empty
    where none are known; `recent` the last conversations of the folder, newest first."""

    model: str
    folder: str
    home: str = ""
    instructions: str = ""
    recent: tuple[RecentConversation, ...] = ()
    tips: tuple[str, ...] = ()


def recent(listed: tuple[ConversationInfo, ...], here: str) -> tuple[RecentConversation, ...]:
    """The last conversations without the open one."""
    others = [one for one in listed if one.id != here and one.turns][:RECENT]
    return tuple(
        RecentConversation(id=one.id, title=title(one), updated=one.updated, facts=lasting(one)) for one in others
    )


def instructions(parts: tuple[ContextPart, ...], folder: str, home: str) -> str:
    """`Instructions: AGENTS.md, ~/.config/jp-tui/AGENTS.md`; empty where the model gets none."""
    sent = (one.path.raw for one in parts if one.part == "instructions" and one.path and one.state != "not_sent")
    named = [_named(path, folder, home) for path in sent]
    return f"Instructions: {', '.join(dict.fromkeys(named))}" if named else ""


def _named(path: str, folder: str, home: str) -> str:
    for root, sign in ((folder, ""), (home, "~/")):
        if root and path.startswith(f"{root}/"):
            return first_line(sign + path[len(root) + 1 :])
    return first_line(path)


def tips(conversation: str) -> tuple[str, ...]:
    """All tips in an order that is another one in each conversation; the first `TIPS_SHOWN` that fit are shown."""
    start = sum(conversation.encode()) % len(TIPS)
    return tuple(TIPS[(start + step * 5) % len(TIPS)] for step in range(len(TIPS)))


def conversation_facts(one: RecentConversation, now: float) -> str:
    """`3 h · 4 turns · claude-haiku-4-5`."""
    return " · ".join(part for part in (age(seconds_since(one.updated, now)), one.facts) if part)
