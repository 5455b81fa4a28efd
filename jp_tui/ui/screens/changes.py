"""`/diff` and `/undo`: the files that a turn or the conversation changed, each with its diff, and undoing the changes.

The diff is between the files on the disk now and before the change (issue 8, 7). Nothing is undone without a
confirmation, and a change by another program is overwritten only if that was shown.
"""

from __future__ import annotations

from time import monotonic

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.changes import ChangesRead, ChangesUndone, FileChange, ReadChanges, Scope, UndoChanges, Way
from jp_tui.ui.external_editor import opened_outside
from jp_tui.ui.keys.bindings import words
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Listing
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.screens.vi import break_key
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.ui.widgets.context import ContextView
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.view.wording import changes as say
from jp_tui.view.wording.amounts import seconds

WIDE = 100
"""Columns from which the list is beside the diff."""
LIST = 38
SHORT = 1.0
"""Seconds below which no duration is shown."""
_STYLES = {
    "good": "$done-foreground", "bad": "$failed-foreground", "waiting": "$waiting-foreground",
    "quiet": "$muted-foreground",
}  # fmt: skip
_MARKS = {"made": "", "taken_back": "↶", "changed": "!", "later": "!"}


class Files(OptionList, inherit_bindings=False):
    """The files; the paging keys belong to the diff."""

    BINDINGS = [
        Binding("down,j,n", "cursor_down", "next file", show=False, id="changes.next", tooltip="The next file"),
        Binding("up,k,p", "cursor_up", "previous file", show=False, id="changes.previous", tooltip="The previous file"),
        Binding("home", "first", "first file", show=False, id="changes.first"),
        Binding("end", "last", "last file", show=False, id="changes.last"),
    ]


class DiffPane(Vertical):
    """One file: its state as text, and its diff."""

    DEFAULT_CSS = """
    DiffPane {
        width: 1fr; height: 100%; padding: 0 1;
        #about { height: auto; max-height: 4; }
        ContextView { height: 1fr; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static(id="about")
        yield ContextView(Foreign(""), focus=True)

    def put(self, one: FileChange | None) -> None:
        """Show that file, or none."""
        view, about = self.query_one(ContextView), self.query_one("#about", Static)
        view.display = one is not None and bool(one.diff)
        about.display = one is not None
        if one is None:
            return
        named = foreign(Foreign(say.path(one)), mode="line", style="bold")
        if counted := say.counts(one.added, one.removed):
            named += ours("  {counts}", counts=words(counted))
        if stands := say.about(one):
            named += ours("\n{stands}", stands=foreign(Foreign(stands), mode="line", style=_STYLES[say.role(one)]))
        about.update(named)
        view.put(Foreign(say.body(one)))


def open_page(host: Host, argument: str) -> Changes | Content:
    """Open all changes of the last turn; with `all`, of the conversation."""
    return _opened(host, argument, undo=False)


def open_undo(host: Host, argument: str) -> Changes | Content:
    """Open the same page and ask to undo all of them."""
    return _opened(host, argument, undo=True)


def _opened(host: Host, argument: str, *, undo: bool) -> Changes | Content:
    if not host.main.conversation:
        return ours("No conversation yet")
    if argument not in ("", "all"):
        return ours("Only `all` may follow: all turns of this conversation.")
    return Changes(host, scope="conversation" if argument == "all" else "turn", undo=undo)


class Changes(ModalScreen[None], inherit_bindings=False):
    """The page; with `undo` it asks at once whether to undo all listed changes."""

    BINDINGS = [
        Binding("u", "undo", "undo", id="changes.undo", tooltip="Undo or redo this file"),
        Binding("U", "undo_all", "all", id="changes.undo_all", tooltip="Undo or redo all listed files"),
        Binding("c", "scope", "turn/all", id="changes.scope", tooltip="Show one turn or the whole conversation"),
        Binding(
            "left", "turn(-1)", "previous turn", show=False, id="changes.earlier", tooltip="Show the previous turn"
        ),
        Binding("right", "turn(1)", "next turn", show=False, id="changes.later", tooltip="Show the next turn"),
        Binding("t", "split", "side by side", id="changes.split", tooltip="Show the diff in one or two columns"),
        Binding(
            "right_square_bracket", "hunk(1)", "next hunk", show=False, id="changes.hunk", tooltip="Go to the next hunk"
        ),
        Binding(
            "left_square_bracket",
            "hunk(-1)",
            "previous hunk",
            show=False,
            id="changes.hunk_before",
            tooltip="Go to the previous hunk",
        ),
        Binding(
            "pagedown,space",
            "page(1)",
            "page down",
            show=False,
            id="changes.page",
            tooltip="Scroll the diff down one page",
        ),
        Binding(
            "pageup,b", "page(-1)", "page up", show=False, id="changes.page_up", tooltip="Scroll the diff up one page"
        ),
        Binding("y", "copy", "copy", id="changes.copy", tooltip="Copy the diff of this file"),
        Binding("e", "edit", "edit", id="changes.edit", tooltip="Open the file in your editor ($VISUAL, $EDITOR)"),
        Binding("r", "again", "refresh", show=False, id="changes.again", tooltip="Check the files again"),
        Binding("escape,q", "dismiss(None)", "close", id="changes.close", tooltip="Close this page"),
        break_key("changes"),
    ]
    DEFAULT_CSS = """
    Changes {
        background: $background;
        #frame {
            height: 100%; padding: 0 1; background: $sheet-background; border: round $sheet-border;
            border-title-style: bold; border-subtitle-color: $waiting-foreground; border-subtitle-style: bold;
        }
        #body { layout: horizontal; height: 1fr; }
        Files, Files:focus {
            width: 38; height: 100%; border: none; padding: 0; background: $sheet-background;
            text-wrap: nowrap; text-overflow: ellipsis; background-tint: $foreground 0%;
            & > .option-list--option-highlighted { background: $primary 8%; color: $foreground; text-style: none; }
            &:ansi > .option-list--option-highlighted { background: transparent; }
        }
        #notes, #notice { height: auto; max-height: 5; padding: 0 1; }
        #notes { color: $muted-foreground; }
        #notice { color: $waiting-foreground; text-style: bold; }
        KeyBar { background: $sheet-background; width: 100%; height: auto; }
        &.-narrow {
            #body { layout: vertical; }
            Files, Files:focus { width: 100%; height: auto; max-height: 30%; }
            DiffPane { width: 100%; }
        }
    }
    """

    def __init__(self, host: Host, *, scope: Scope = "turn", undo: bool = False) -> None:
        super().__init__()
        self._copy, self._conversation, self._scope, self._turn = host.copy, host.main.conversation, scope, 0
        self._found: ChangesRead | None = None
        self._undo_at_once = undo
        self._sure: UndoChanges | None = None
        self._marked: int | None = None
        self._doing, self._since = "", 0.0

    def compose(self) -> ComposeResult:
        with Vertical(id="frame"):
            with Vertical(id="body"):
                yield Files()
                yield DiffPane()
            yield Static(id="notes")
            yield Static(id="notice")
            yield KeyBar(speaks_for_itself=lambda node: False)

    def on_mount(self) -> None:
        self.query_one("#notes").display = False
        self._show_message(blank())
        self.query_one(Files).focus()
        self.set_interval(1.0, self._tick)
        self.post_message(Listing.Shown())
        self._read()

    def waits(self, words: str) -> None:
        """Show the text about open questions on the frame, since this page covers the line with it (asking.md E50)."""
        self.query_one("#frame").border_subtitle = ours(words)

    def _title(self, title: Content) -> None:
        self.query_one("#frame").border_title = title

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < WIDE, "-narrow")
        if self._found is not None:
            self._show(self._found)

    # -- the engine

    def _read(self) -> None:
        self._wait("reading…")
        self.post_message(
            CommandWanted(ReadChanges(conversation=self._conversation, scope=self._scope, turn=self._turn))
        )

    def _wait(self, doing: str) -> None:
        """Show the engine's current task, and how long it takes once that is more than SHORT seconds."""
        self._doing, self._since = doing, monotonic()
        self._tick()

    def _tick(self) -> None:
        elapsed = monotonic() - self._since
        if self._doing and (self._found is None or elapsed >= SHORT):
            self._title(words(f"{self._doing} {seconds(elapsed)}" if elapsed >= SHORT else self._doing))

    def handle(self, event: ev.Event) -> None:
        if not isinstance(event, ev.SettingChanged):
            self._doing = ""
        match event:
            case ChangesRead(conversation=conversation) if conversation == self._conversation:
                self._show(event)
            case ChangesUndone(conversation=conversation) if conversation == self._conversation:
                self._undone(event)
            case ev.Refused(message=message, advice=advice):
                self._sure = None
                said = Foreign("\n".join(part for part in (message, advice) if part))
                self._show_message(foreign(said, style="$failed-foreground"))
                if self._found is None:
                    self._title(ours("Changes"))
                else:
                    self._show(self._found)
            case _:
                pass

    def _show(self, found: ChangesRead) -> None:
        before = self.chosen
        self._found, self._turn, self._marked = found, found.turn, None
        title = ours("{title}", title=words(say.title(found)))
        if place := say.place(found):
            title += ours("   {place}", style="not bold $muted-foreground", place=words(place))
        self._title(title)
        options = self.query_one(Files)
        options.clear_options()
        options.add_options(Option(_row(one, self.size.width)) for one in found.files)
        options.display = bool(found.files)
        notes = self.query_one("#notes", Static)
        notes.update(
            join(*(ours("· {note}", note=foreign(Foreign(note), mode="line")) for note in found.notes), sep=ours("\n"))
        )
        notes.display = bool(found.notes)
        if found.files:
            same = next((at for at, one in enumerate(found.files) if before is not None and one.key == before.key), 0)
            options.highlighted = same
        self._tell()
        self.refresh_bindings()
        if self._undo_at_once and found.files:
            self.action_undo_all()
        self._undo_at_once = False

    def _undone(self, event: ChangesUndone) -> None:
        asks = say.overwrites(event.left)
        self._sure = None
        if asks:
            over = {one.key: one.digest for one in event.left if one.asks}
            self._sure = self._command(event.way, tuple(over)).model_copy(update={"overwrite": over})
        said = "\n".join(part for part in (say.done(event), asks) if part)
        self._show_message(foreign(Foreign(said)))
        self._read()

    # -- the display

    @property
    def chosen(self) -> FileChange | None:
        """The highlighted file."""
        at = self.query_one(Files).highlighted
        return self._found.files[at] if self._found and at is not None and at < len(self._found.files) else None

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._tell()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Focus the diff."""
        event.stop()
        self.query_one(ContextView).focus()

    def _tell(self) -> None:
        """Mark the row of the highlighted file and show its diff."""
        options, one = self.query_one(Files), self.chosen
        files = self._found.files if self._found else ()
        for at, marked in ((self._marked, False), (options.highlighted, True)):
            if at is not None and at < len(files):
                options.replace_option_prompt_at_index(at, _row(files[at], self.size.width, marked))
        self._marked = options.highlighted
        self.query_one(DiffPane).put(one)

    def _show_message(self, what: Content) -> None:
        notice = self.query_one("#notice", Static)
        notice.update(what)
        notice.display = bool(what)

    # -- undoing

    def _command(self, way: Way, keys: tuple[str, ...]) -> UndoChanges:
        here = self._conversation
        return UndoChanges(conversation=here, scope=self._scope, turn=self._turn, way=way, keys=keys)

    def action_undo(self) -> None:
        if (one := self.chosen) is not None:
            if one.why_not:
                self._show_message(foreign(Foreign(say.about(one)), style="$failed-foreground"))
                return
            self._sure = self._command(say.change_kind(one), (one.key,))
            self._show_message(foreign(Foreign(say.asks(say.change_kind(one), say.path(one)))))

    def action_undo_all(self) -> None:
        if self._found is not None and self._found.files:
            self._sure = self._command(say.way(self._found), ())
            self._show_message(foreign(Foreign(say.asks(say.way(self._found), say.whose(self._found)))))

    def on_key(self, event: events.Key) -> None:
        """Answer the open confirmation by the next key: `y` confirms, any other key cancels."""
        if self._sure is None or event.key in ("u", "U"):
            return
        if event.key in ("y", "escape"):
            event.stop()
            event.prevent_default()
        self._answered(event.key == "y")

    def on_click(self, event: events.Click) -> None:
        """Confirm by a click on the question; any other click but one on the key line cancels (E60)."""
        if self._sure is not None and not isinstance(event.widget, KeyBar):
            self._answered(event.widget is self.query_one("#notice"))

    def _answered(self, yes: bool) -> None:
        assert self._sure is not None
        sure, self._sure = self._sure, None
        self._show_message(blank())
        if yes:
            self._wait("undoing…" if sure.way == "back" else "redoing…")
            self.post_message(CommandWanted(sure))

    # -- the rest

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable only the keys that do something now (E5)."""
        files = self._found.files if self._found is not None else ()
        if action in ("undo", "undo_all", "copy", "split", "hunk", "page", "edit"):
            return bool(files)
        if action == "turn":
            return self._scope == "turn" and self._found is not None and len(self._found.turns) > 1
        return not (action == "scope" and (self._found is None or not self._found.turns))

    def action_scope(self) -> None:
        self._scope = "turn" if self._scope == "conversation" else "conversation"
        self._turn = 0
        self._read()

    def action_turn(self, step: int) -> None:
        turns = self._found.turns if self._found is not None else ()
        if self._turn in turns:
            at = turns.index(self._turn) + step
            if 0 <= at < len(turns):
                self._turn = turns[at]
                self._read()

    def action_split(self) -> None:
        self.query_one(ContextView).action_split()

    def action_hunk(self, step: int) -> None:
        self.query_one(ContextView).action_hunk(step)

    def action_page(self, by: int) -> None:
        self.query_one(ContextView).page(by)

    def action_copy(self) -> None:
        if (one := self.chosen) is not None and one.diff:
            self._copy(one.diff.raw, "the diff")

    def action_edit(self) -> None:
        if (one := self.chosen) is not None:
            if not one.at:
                self._show_message(ours("The file doesn't exist now"))
                return
            wrong = ""
            try:
                opened_outside(self.app, one.at)
            except OSError as error:
                wrong = f"Can't open the editor: {error}"
            self._show_message(foreign(Foreign(wrong), style="$failed-foreground") if wrong else blank())
            self._read()

    def action_again(self) -> None:
        self._show_message(blank())
        self._read()


def _row(one: FileChange, width: int, marked: bool = False) -> Content:
    """Return a file's row in a page of that width."""
    style = _STYLES[say.role(one)]
    first = ours("❯ ", style="bold $primary") if marked else ours("  ")
    sign = ours("{sign} ", style=style, sign=words(_MARKS[one.state] or say.SIGNS[one.how]))
    counted = say.counts(one.added, one.removed)
    room = (width - 10 if width < WIDE else LIST - 7) - len(counted)
    name = one.path.raw if len(one.path.raw) <= room else f"…{one.path.raw[-room + 1 :]}"
    tail = ours(" {counts}", style="$muted-foreground", counts=words(counted)) if counted else blank()
    return first + sign + foreign(Foreign(name), mode="line") + tail
