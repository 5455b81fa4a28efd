"""What a face asks about stored conversations, and the answers: search, names, forks, archive, deletion, import.

Whatever changes a conversation is refused while another process holds it, with who that is. A command that may take
over half a second reports LibraryProgress under the face's own name for it (`job`), and CancelWork ends it.
"""

from __future__ import annotations

from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model
from jp_tui.protocol.values import ConversationInfo


class Hit(Model):
    """A place that a search found. `seq` and `turn` are the event's, both 0 for the title. `text` is one line around
    the first match, cut at both ends as needed; `marks` are the matches in `text.raw`, each (from, to) in characters.
    """

    seq: int
    turn: int
    kind: str
    at: str = ""
    text: Foreign
    marks: tuple[tuple[int, int], ...] = ()


class Found(Model):
    """A conversation with some of its places that match, the latest first; `more` when it has others."""

    info: ConversationInfo
    hits: tuple[Hit, ...]
    more: bool = False


class ImportProblem(Model):
    """Something of an import that could not be read: the file or folder, and why. `events` of it were kept as they
    stand, but cannot be understood; with 0 nothing of the conversation was taken."""

    path: str
    reason: str
    events: int = 0


# --- commands -----------------------------------------------------------------------------------------------


class SearchConversations(Model):
    """Search the titles and the texts of all conversations; answered by ConversationsFound with the same `revision`.

    All words must stand in one event, each as the beginning of a word; what stands in double quotes, as it is. Nothing
    in `text` is syntax. An empty `workspace` means all. `archived`: those, too. `hits` is how many places of one
    conversation are told. `whole`: first wait until everything is indexed (LibraryProgress under `job`), else what is
    not yet is left out and counted. A later search of the same engine makes an earlier one that goes on moot: that one
    is not answered.
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
    """Give it a title of one's own, which no model replaces; an empty one is its first line again. Answered by
    ConversationChanged, and TitleChanged."""

    type: Literal["rename_conversation"] = "rename_conversation"
    conversation: str
    title: str


class ForkConversation(Model):
    """A new conversation of the same workspace with the events up to number `at` (0: all), which stays closed; answered
    by ConversationForked. Calls and questions that are cut off there are closed in the fork.

    `before`: without the turn that `at` stands in; the answer then holds what the user had said in it, to be edited and
    sent again.
    """

    type: Literal["fork_conversation"] = "fork_conversation"
    conversation: str
    at: int = 0
    before: bool = False
    job: str = ""


class ArchiveConversation(Model):
    """Out of the lists, with its sub-agents, or with `archived` false back; answered by ConversationChanged."""

    type: Literal["archive_conversation"] = "archive_conversation"
    conversation: str
    archived: bool = True


class DeleteConversation(Model):
    """Delete it with its sub-agents: gone from every list and search at once, and for good after seven days; until then
    RestoreConversation brings it back. With `now` it is gone for good at once. Answered by ConversationChanged.

    One that is open here stays open until another is opened; saying something in it restores it. Refused while its
    turn runs, or another process holds it.
    """

    type: Literal["delete_conversation"] = "delete_conversation"
    conversation: str
    now: bool = False
    job: str = ""


class RestoreConversation(Model):
    """Bring back a deleted one with its sub-agents; answered by ConversationChanged."""

    type: Literal["restore_conversation"] = "restore_conversation"
    conversation: str


class ImportConversations(Model):
    """Copy conversations of jp into this workspace: `path` is one's folder, a folder of them, or a workspace of jp.
    Nothing of jp's is changed, and what was imported before is not imported again. Answered by ConversationsImported.
    """

    type: Literal["import_conversations"] = "import_conversations"
    path: str
    job: str = ""


class CancelWork(Model):
    """End the command that was sent with this `job`; what it had not finished is undone. Answered by Refused to that
    command; nothing happens when it is over."""

    type: Literal["cancel_work"] = "cancel_work"
    job: str


# --- events -------------------------------------------------------------------------------------------------


class ConversationsFound(Model):
    """What a search found, titles and the newest conversations first. `more`: there are others beyond the limit.

    `unindexed` events are not searchable yet (LibraryProgress tells how it goes on); `notice` says in words what else
    is left out, as when this SQLite cannot search texts.
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
    """The new conversation; `text` is what was to be said next, where that was asked for (ForkConversation.before)."""

    type: Literal["conversation_forked"] = "conversation_forked"
    info: ConversationInfo
    text: str = ""


class ConversationsImported(Model):
    """What an import brought: the new conversations, how many were here `before`, and what could not be read."""

    type: Literal["conversations_imported"] = "conversations_imported"
    imported: tuple[ConversationInfo, ...] = ()
    before: int = 0
    problems: tuple[ImportProblem, ...] = ()


class LibraryProgress(Model):
    """How far a command with this `job` is; an empty one is the indexing that goes on by itself. In events, or in
    conversations for an import; `total` 0 where nobody knows it. A few times a second at most."""

    type: Literal["library_progress"] = "library_progress"
    job: str
    what: Literal["index", "import", "fork", "delete"]
    done: int
    total: int = 0
    detail: Foreign = Foreign("")
