"""Stored conversations: search, names, forks, archive, deletion, import; commands and events.

A command that changes a conversation is refused while another process holds it, naming that process. A command that may
take over half a second reports LibraryProgress under the front end's own name for it (`job`), and CancelWork ends it.
"""

from __future__ import annotations

from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model
from jp_tui.protocol.values import ConversationInfo


class Hit(Model):
    """A match of a search. `seq` and `turn` are the event's, both 0 for the title. `text` is one line around the first
    match, truncated at both ends as needed; `marks` are the matches in `text.raw`, each (from, to) in characters.
    """

    seq: int
    turn: int
    kind: str
    at: str = ""
    text: Foreign
    marks: tuple[tuple[int, int], ...] = ()


class Found(Model):
    """A conversation with some of its matches, latest first; `more` when it has others."""

    info: ConversationInfo
    hits: tuple[Hit, ...]
    more: bool = False


class ImportProblem(Model):
    """A file or folder that could not be imported, and why. `events` of it were kept unchanged, but cannot be
    understood; with 0 nothing of the conversation was imported."""

    path: str
    reason: str
    events: int = 0


# --- commands -----------------------------------------------------------------------------------------------


class SearchConversations(Model):
    """Search the titles and the texts of all conversations; answered by ConversationsFound with the same `revision`.

    All words must be in one event, each as the beginning of a word; text in double quotes is matched exactly. There is
    no other syntax in `text`. An empty `workspace` means all. `archived`: search archived ones, too. `hits` is the
    number of matches to report for one conversation. `whole`: first wait until everything is indexed (LibraryProgress
    under `job`); else events that aren't indexed yet are left out and counted. A later search of the same engine
    cancels a running earlier one, which gets no answer.
    """

    type: Literal["search_conversations"] = "search_conversations"
    text: str
    workspace: str = ""
    archived: bool = False
    limit: int = 50
    hits: int = 3
    whole: bool = False
    revision: int = 0
    job: str = ""


class RenameConversation(Model):
    """Set the title; no model replaces it. An empty one resets it to the first line. Answered by ConversationChanged
    and TitleChanged."""

    type: Literal["rename_conversation"] = "rename_conversation"
    conversation: str
    title: str


class ForkConversation(Model):
    """Create a closed conversation of the same workspace with the events up to number `at` (0: all); answered by
    ConversationForked. Calls and questions that are unfinished at that point are closed in the fork.

    `before`: leave out the turn of `at`; the answer then holds the user's text of that turn, to be edited and sent
    again.
    """

    type: Literal["fork_conversation"] = "fork_conversation"
    conversation: str
    at: int = 0
    before: bool = False
    job: str = ""


class ArchiveConversation(Model):
    """Archive a conversation with its sub-agents; with `archived` false undo that. Answered by ConversationChanged."""

    type: Literal["archive_conversation"] = "archive_conversation"
    conversation: str
    archived: bool = True


class DeleteConversation(Model):
    """Delete a conversation with its sub-agents. It leaves every list and search at once and is erased after 7 days;
    until then RestoreConversation restores it. With `now` it is erased at once. Answered by ConversationChanged.

    One that is open here stays open until another is opened; a new message in it restores it. Refused while its turn
    runs, or another process holds it.
    """

    type: Literal["delete_conversation"] = "delete_conversation"
    conversation: str
    now: bool = False
    job: str = ""


class RestoreConversation(Model):
    """Restore a deleted conversation with its sub-agents; answered by ConversationChanged."""

    type: Literal["restore_conversation"] = "restore_conversation"
    conversation: str


class ImportConversations(Model):
    """Copy conversations of jp into this workspace: `path` is one's folder, a folder of them, or a workspace of jp.
    jp's files stay unchanged, and an earlier import is not repeated. Answered by ConversationsImported.
    """

    type: Literal["import_conversations"] = "import_conversations"
    path: str
    job: str = ""


class CancelWork(Model):
    """End the command that was sent with this `job`; its unfinished work is undone. Answered by Refused to that
    command; without effect when it is over."""

    type: Literal["cancel_work"] = "cancel_work"
    job: str


# --- events -------------------------------------------------------------------------------------------------


class ConversationsFound(Model):
    """The results of a search, titles and the newest conversations first. `more`: there are others beyond the limit.

    `unindexed` events are not searchable yet (LibraryProgress reports progress); `notice` names whatever else is left
    out, for example when this SQLite cannot search texts.
    """

    type: Literal["conversations_found"] = "conversations_found"
    text: str
    revision: int = 0
    found: tuple[Found, ...] = ()
    more: bool = False
    unindexed: int = 0
    notice: str = ""


class ConversationChanged(Model):
    """A conversation as it is now: renamed, archived, deleted (`info.deleted`), restored. `gone`: for good."""

    type: Literal["conversation_changed"] = "conversation_changed"
    info: ConversationInfo
    gone: bool = False


class ConversationForked(Model):
    """The new conversation; `text` is the user's message of the turn left out (ForkConversation.before)."""

    type: Literal["conversation_forked"] = "conversation_forked"
    info: ConversationInfo
    text: str = ""


class ConversationsImported(Model):
    """The result of an import: the new conversations, how many were here `before`, and what could not be read."""

    type: Literal["conversations_imported"] = "conversations_imported"
    imported: tuple[ConversationInfo, ...] = ()
    before: int = 0
    problems: tuple[ImportProblem, ...] = ()


class LibraryProgress(Model):
    """Progress of the command with this `job`; an empty one is the automatic indexing. In events, or in conversations
    for an import; `total` is 0 if unknown. Sent a few times a second at most."""

    type: Literal["library_progress"] = "library_progress"
    job: str
    what: Literal["index", "import", "fork", "delete"]
    done: int
    total: int = 0
    detail: Foreign = Foreign("")
