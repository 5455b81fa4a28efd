"""Stored conversations: search all of them, preview one, open, rename, fork, archive, delete, restore, import.

A preview of the highlighted one is below the list, read when the cursor rests. The engine searches and changes; a
deleted conversation can be restored for 7 days.
"""

from __future__ import annotations

from typing import Literal

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.library import Found, Hit
from jp_tui.protocol.values import ConversationInfo
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.exporting import Exporting
from jp_tui.ui.screens.listing import Item, Listing
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.screens.searching import Searching
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.view.export.document import file_name
from jp_tui.view.export.events import ending
from jp_tui.view.pages import conversations as say

_QUIET = "$muted-foreground"
REST = 0.15
"""Seconds after the last key before a search is sent or a preview is read."""
_SHOWN = 4000
"""Characters of a conversation's end in the preview."""
MOST = 500
"""Most conversations in the list; a search finds the others."""
Which = Literal["active", "archived", "deleted"]
_NEXT: dict[Which, Which] = {"active": "archived", "archived": "deleted", "deleted": "active"}
JOB = "library"


def open_page(host: Host, _: str) -> Library:
    """See `ui/pages.py`."""
    return Library(host)


class Library(Searching):
    """A row for each conversation, latest first."""

    BINDINGS = [
        Binding("enter", "open", "open", id="library.open", tooltip="Open this conversation"),
        Binding("n", "rename", "rename", priority=True, id="library.rename", tooltip="Rename the conversation"),
        Binding("f", "fork", "fork", id="library.fork", tooltip="Fork it: continue differently in a copy"),
        Binding("a", "archive", "archive", id="library.archive", tooltip="Archive or unarchive it"),
        Binding("x,delete", "remove", "delete", id="library.remove", tooltip="Delete it (restorable for 7 days)"),
        Binding("u", "back_again", "undo", id="library.undo", tooltip="Restore the last archived or deleted one"),
        Binding(
            "e", "export", "export", priority=True, id="library.export", tooltip="Export it as .md, .html or .json"
        ),
        Binding("w", "places", "folders", id="library.places", tooltip="List this folder or all folders"),
        Binding("t", "which", "archived", id="library.which", tooltip="List archived, then deleted ones"),
        Binding(
            "i",
            "import",
            "import",
            show=False,
            priority=True,
            id="library.import",
            tooltip="Import conversations from a jp folder",
        ),
    ]
    DEFAULT_CSS = """
    Library { & > Vertical { max-width: 160; } #detail { height: 40%; max-height: 40%; overflow-y: auto; } }
    """
    title_words = "Conversations"

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._host, self._wall, self._here = host, host.wall, host.main.conversation
        self._workspace, self._home = host.main.place
        self._everywhere = False
        self._which: Which = "active"
        self._rows: tuple[Found, ...] | None = None
        self._revision = 0
        self._asked: Timer | None = None
        self._reads: Timer | None = None
        self._read = ""
        self._doing: Literal["", "rename", "import", "export"] = ""
        self._undo: tuple[str, str] | None = None
        self._wished = ""
        self._exports: Exporting | None = None

    def _go_to(self, conversation: str) -> None:
        self.dismiss(None)
        self._host.go_to(conversation)

    # -- the engine

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self._ask()

    def _ask(self) -> None:
        place = "" if self._everywhere else self._workspace
        if self.query_text.strip():
            self._revision += 1
            self.post_message(
                CommandWanted(
                    cmd.SearchConversations(
                        text=self.query_text,
                        workspace=place,
                        archived=self._which == "archived",
                        revision=self._revision,
                        job=JOB,
                    )
                )
            )
        else:
            self.post_message(CommandWanted(cmd.ListConversations(workspace=place, which=self._which, limit=MOST)))

    def handle(self, event: ev.Event) -> None:
        match event:
            case ev.ConversationsListed(conversations=listed) if not self.query_text.strip():
                self._list(tuple(Found(info=one, hits=()) for one in listed))
                if len(listed) == MOST and not self.query_one("#notice").display:
                    self.show_message(ours("Latest {most}. Search to find others.", most=MOST, style=_QUIET))
            case ev.ConversationsFound(revision=revision) if revision == self._revision and self.query_text.strip():
                self._list(event.found)
                rest = f"{event.unindexed} events aren't searchable yet." if event.unindexed else ""
                if words := " ".join(part for part in (event.notice, rest) if part):
                    self.show_message(foreign(Foreign(words), style=_QUIET))
            case ev.ConversationRead() if self._exports is not None and self._exports.awaits(event):
                self._more(event)
            case ev.ConversationRead(info=info):
                self._preview(info, event)
            case ev.ConversationChanged(info=info):
                self._has_changed(info)
            case ev.ConversationForked(info=info):
                self._go_to(info.id)
            case ev.ConversationsImported():
                words = say.imported(len(event.imported), event.before, event.problems)
                self.show_message(foreign(Foreign(words), mode="line" if "\n" not in words else "conversation"))
                self._ask()
            case ev.LibraryProgress(job=job, done=done, total=total) if job == JOB:
                of = f" of {total}" if total else ""
                self.show_message(ours("{what}: {done}{of}", what=Foreign(event.what), done=done, of=Foreign(of)))
            case ev.Refused(message=message, advice=advice):
                self._wished = ""
                self.show_refusal(" ".join(part for part in (message, advice) if part))
            case _:
                pass

    def _list(self, rows: tuple[Found, ...]) -> None:
        self._rows = rows
        now = self._wall()
        empty = say.NOTHING if self.query_text.strip() else say.EMPTY[self._which]
        self.show([self._item(one, now) for one in rows], ours(empty))
        self._to_read()

    def _item(self, one: Found, now: float) -> Item:
        mark = ours("● ", style="$primary") if one.info.id == self._here else ours("  ")
        first = mark + foreign(say.title(one.info), mode="line", style="bold", limit=90)
        parts = [say.about(one.info, now, self._home, place=self._everywhere)]
        if self.query_text.strip():
            parts.insert(0, say.matched(one))
        second = foreign(Foreign(" · ".join(parts)), mode="line", style=_QUIET).pad_left(2)
        return Item(one.info.id, (first, second), join(*map(_hit, say.hits(one)), sep=ours("\n")))

    @property
    def row(self) -> Found | None:
        """The highlighted conversation."""
        chosen = self.chosen
        return next((one for one in self._rows or () if chosen is not None and one.info.id == chosen.key), None)

    # -- the preview

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self._to_read()

    def _to_read(self) -> None:
        """Read the end of the highlighted conversation when the cursor rests."""
        if self._reads is not None:
            self._reads.stop()
        self._reads = self.set_timer(REST, self._read_now)

    def _read_now(self) -> None:
        row = self.row
        if row is not None and not say.hits(row):
            self._read = row.info.id
            after = max(row.info.events - say.EVENTS_SHOWN, 0)
            self.post_message(
                CommandWanted(cmd.ReadConversation(conversation=row.info.id, after=after, count=say.EVENTS_SHOWN))
            )

    def _preview(self, info: ConversationInfo, read: ev.ConversationRead) -> None:
        if self.row is None or self.row.info.id != info.id or info.id != self._read:
            return
        text = ending(read.events, _SHOWN)
        detail = self.query_one("#detail", Static)
        detail.update(foreign(Foreign(text)) if text else ours("empty", style=_QUIET))
        detail.display = True
        detail.call_after_refresh(detail.scroll_end, animate=False)

    # -- changes

    def found(self) -> None:
        """Search when no key came for REST seconds."""
        if self._asked is not None:
            self._asked.stop()
        self._asked = self.set_timer(REST, self._ask)

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        self.action_open()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "open" | "rename" | "fork" | "archive" | "remove":
                return not self.typing and self.row is not None and not self.row.info.deleted
            case "export":
                return not self.typing and self.row is not None
            case "back_again":
                gone = self.row is not None and self.row.info.deleted
                return not self.typing and (bool(gone) or self._undo is not None)
            case "move" | "again" | "search" | "places" | "which" | "import":
                return not self.typing
            case _:
                return True

    def action_open(self) -> None:
        if self.row is not None and not self.row.info.deleted:
            self._go_to(self.row.info.id)

    def action_places(self) -> None:
        self._everywhere = not self._everywhere
        self._ask()

    def action_which(self) -> None:
        self._which = _NEXT[self._which]
        self.query_one("Vertical").border_title = ours(say.WHICH[self._which])
        self._ask()

    def action_fork(self) -> None:
        if self.row is not None:
            self.post_message(CommandWanted(cmd.ForkConversation(conversation=self.row.info.id, job=JOB)))

    def action_rename(self) -> None:
        if self.row is not None:
            self._doing = "rename"
            self.write(self.row.info.title.raw)

    def action_import(self) -> None:
        self._doing = "import"
        self.show_message(ours("Folder of a jp workspace, its conversations, or one of them", style=_QUIET))
        self.write("")

    def action_export(self) -> None:
        if self.row is not None:
            self._doing = "export"
            self.show_message(ours("File to save: .md, .html or .json", style=_QUIET))
            self.write(file_name(self.row.info, "md"))

    @on(Input.Submitted, "#edit")
    def _written(self, event: Input.Submitted) -> None:
        event.stop()
        doing, self._doing, row, text = self._doing, "", self.row, event.value.strip()
        self.to_list()
        self.show_message(blank())
        if doing == "rename" and row is not None:
            self._wished = "renamed"
            self.post_message(CommandWanted(cmd.RenameConversation(conversation=row.info.id, title=text)))
        elif doing == "import" and text:
            self.post_message(CommandWanted(cmd.ImportConversations(path=text, job=JOB)))
        elif doing == "export" and text and row is not None:
            self._export(row.info, text)

    def _export(self, info: ConversationInfo, name: str) -> None:
        try:
            self._exports = Exporting(info, name, self._workspace)
        except ValueError as problem:
            self.show_refusal(str(problem))
        else:
            self.post_message(CommandWanted(self._exports.next()))

    def _more(self, read: ev.ConversationRead) -> None:
        """Add a page to the export."""
        assert self._exports is not None
        try:
            if not self._exports.takes(read):
                self.show_message(ours("{done} of {all} events", done=self._exports.done, all=read.info.events))
                self.post_message(CommandWanted(self._exports.next()))
                return
            self.show_message(ours("Saved to {file}.", file=foreign(Foreign(str(self._exports.file)), mode="line")))
        except ValueError as problem:
            self.show_refusal(str(problem))
        self._exports = None

    def action_archive(self) -> None:
        if (row := self.row) is not None:
            self._wished = "" if row.info.archived else "archived"
            self.post_message(
                CommandWanted(cmd.ArchiveConversation(conversation=row.info.id, archived=not row.info.archived))
            )

    def action_remove(self) -> None:
        if (row := self.row) is not None:
            self._wished = "deleted"
            self.post_message(CommandWanted(cmd.DeleteConversation(conversation=row.info.id, job=JOB)))

    def action_back_again(self) -> None:
        """Restore the highlighted conversation if it is deleted, else the last one that was archived or deleted."""
        if (row := self.row) is not None and row.info.deleted:
            self._wished = ""
            self.post_message(CommandWanted(cmd.RestoreConversation(conversation=row.info.id)))
        elif self._undo is not None:
            (conversation, what), self._undo, self._wished = self._undo, None, ""
            if what == "deleted":
                self.post_message(CommandWanted(cmd.RestoreConversation(conversation=conversation)))
            else:
                self.post_message(CommandWanted(cmd.ArchiveConversation(conversation=conversation, archived=False)))

    def _has_changed(self, info: ConversationInfo) -> None:
        what, self._wished = self._wished, ""
        if self._undo is not None and self._undo[0] == info.id:
            self._undo = None
        if what in ("archived", "deleted"):
            self._undo = (info.id, what)
        self.show_message(foreign(Foreign(say.changed(info, what)), mode="line"))
        self._ask()


def _hit(hit: Hit) -> Content:
    """Return one match, the words found in bold."""
    text, parts, at = hit.text.raw, list[Content](), 0
    for begin, end in hit.marks:
        parts += [
            foreign(Foreign(text[at:begin])),
            foreign(Foreign(text[begin:end]), style="bold $primary"),
        ]
        at = end
    parts.append(foreign(Foreign(text[at:])))
    return join(ours("turn {turn}  ", style=_QUIET, turn=hit.turn), *parts)
