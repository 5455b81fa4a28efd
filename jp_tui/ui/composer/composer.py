"""The text field where the user writes: several lines, a history, pastes of any size, and no key lost or out of order.

Every key is handled in `_on_key`, from the bindings below: Textual lets a bound key be overtaken by the characters
typed after it (designs.md A, traps). The composer sends no command and saves no draft: it posts requests to the engine
(`requests.py`), which `ComposerController` carries out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.actions import parse
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import EditResult, Location, Selection

from jp_tui.conversation.text import Foreign
from jp_tui.ui.composer import requests as ask
from jp_tui.ui.composer.command_uses import CommandUses
from jp_tui.ui.composer.file_completion import FileCompletion
from jp_tui.ui.composer.history_search import HistorySearch
from jp_tui.ui.composer.paste_marks import PasteMarks
from jp_tui.ui.composer.slash_completion import SlashCompletion
from jp_tui.ui.composer.vi_mode import ViMode
from jp_tui.ui.keys.bindings import bound, words
from jp_tui.ui.text import blank, ours
from jp_tui.ui.textual_patches.text_colours import TextColours
from jp_tui.ui.widgets.editing import EDITING
from jp_tui.view.composer.commands import OwnSlash, RunAction, SlashCommand, UnknownCommand, Value, server_named
from jp_tui.view.composer.history import PromptHistory
from jp_tui.view.composer.mentions import image_path, is_image, mention
from jp_tui.view.composer.pastes import cleaned
from jp_tui.view.composer.shell import line_of

PLACEHOLDER = ours("Ask anything, or / for commands")
_CONDITIONAL = frozenset(
    f"composer.{name}"
    for name in (
        "recall",
        "take_found",
        "end_recall",
        "complete",
        "put_away",
        "add_output",
        "end_shell",
        "close_shell",
        "take",
        "end_fork",
        "drop",
        "vi_normal",
    )
)
"""Bindings that belong to the composer only while their action is possible; else the key is the screen's."""
_SAME = {"shift+\r": "shift+enter", "ctrl+\r": "ctrl+enter", "newline": "ctrl+j", "ctrl+enter": "shift+enter"}
"""Names of the same key that differ by terminal."""


class Composer(TextArea, inherit_bindings=False):
    """The message being written. Enter sends it, or queues it while the model is working."""

    BINDINGS = [
        Binding("enter", "submit", "send", id="composer.send", tooltip="Send the message"),
        Binding(
            "ctrl+j,shift+enter,alt+enter", "newline", "new line", id="composer.newline", tooltip="Start a new line"
        ),
        Binding("ctrl+g", "editor", "editor", id="composer.editor", tooltip="Edit the message in your $EDITOR"),
        Binding(
            "shift+tab", "next_mode", "mode", show=False, id="composer.mode", tooltip="Select what runs without asking"
        ),
        Binding(
            "up",
            "older",
            "up, or previous message",
            show=False,
            id="composer.older",
            tooltip="On the first line: show the previous message",
        ),
        Binding(
            "down",
            "newer",
            "down, or next message",
            show=False,
            id="composer.newer",
            tooltip="On the last line: show the next message",
        ),
        Binding(
            "ctrl+r", "recall", "search history", show=False, id="composer.recall", tooltip="Search earlier messages"
        ),
        Binding(
            "enter",
            "take_found",
            "select",
            id="composer.take_found",
            tooltip="In the history search: use the selected message",
        ),
        Binding(
            "escape", "end_recall", "cancel", id="composer.end_recall", tooltip="In the history search: keep your text"
        ),
        Binding("tab", "complete", "complete", id="composer.complete", tooltip="Insert the selected command or file"),
        Binding(
            "escape",
            "put_away",
            "close list",
            id="composer.put_away",
            tooltip="In a list: close it",
        ),
        Binding(
            "alt+a",
            "add_output",
            "add output",
            id="composer.add_output",
            tooltip="Add a command's output to the message",
        ),
        Binding(
            "escape",
            "end_shell",
            "stop command",
            id="composer.end_shell",
            tooltip="While a shell command runs: stop it",
        ),
        Binding(
            "escape",
            "close_shell",
            "close output",
            id="composer.close_shell",
            tooltip="After a shell command: close its panel",
        ),
        Binding(
            "alt+v",
            "paste_image",
            "image",
            show=False,
            id="composer.paste_image",
            tooltip="Attach the image from the clipboard",
        ),
        Binding("alt+o", "unfold", "unfold", id="composer.unfold", tooltip="Expand the pasted text at the cursor"),
        Binding("enter", "queue", "queue", id="composer.queue", tooltip="While the model works: queue the message"),
        Binding("alt+up", "take_queued", "edit queued", id="composer.take", tooltip="Edit the last queued message"),
        Binding("escape", "end_fork", "cancel edit", id="composer.end_fork", tooltip="Editing a message: stop"),
        Binding(
            "escape",
            "vi_normal",
            "normal mode",
            id="composer.vi_normal",
            tooltip="In vi mode: switch to normal",
        ),
        Binding("alt+x", "drop_queued", "drop queued", id="composer.drop", tooltip="Drop the last queued message"),
        *EDITING,
    ]

    DEFAULT_CSS = """
    Composer {
        height: auto;
        max-height: 33vh;
        min-height: 3;
        border: round $primary 75%;
        background: $background;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        &:focus { border: round $primary; }
        &.-normal { border-title-color: $primary; border-title-style: bold; }
        &.-locked { border: round $foreground 30%; }
        &.-refusing { border: round $warning; border-subtitle-color: $warning; }
        & .text-area--cursor-line { background: $background; }
        & .text-area--placeholder { color: $muted-foreground; }
    }
    """

    busy = reactive(False)
    """The model is working: Enter queues the text."""
    replying = reactive(False)
    """The text goes with an interruption: Enter sends it although the model is working."""
    locked = reactive(False, toggle_class="-locked")
    """Another process writes this conversation: the composer is read-only."""
    forking = reactive(False, bindings=True)
    """An earlier message is edited: sending it begins a fork."""
    queued = reactive(0, bindings=True)
    """The number of queued messages."""
    shell: reactive[str] = reactive("", bindings=True)
    """`runs` or `ended` while a shell command has a panel, else empty."""

    @dataclass
    class Submitted(Message):
        """The user sends this text, with images by their paths; with `command` it is an own command as typed. The
        composer is empty again."""

        text: str
        attachments: tuple[str, ...] = ()
        command: bool = False

    @dataclass
    class Commanded(Message):
        """The user runs a slash command."""

        command: SlashCommand
        argument: str

    @dataclass
    class Suggested(Message):
        """The commands that the text may become, and which of them is highlighted. None: the list is closed."""

        commands: tuple[SlashCommand, ...]
        chosen: int

    @dataclass
    class Requested(Message):
        """The composer needs something from the conversation."""

        request: ask.Request

    class Edited(Message):
        """The text changed; `Composer.written` is the new one."""

    class Typed(Message):
        """The user pressed a key here, or pasted."""

    @dataclass
    class AfterKeys(Message):
        """Call `do`: all messages of keys that were pressed before are handled."""

        do: Callable[[], None]

    def __init__(
        self,
        *,
        commands: tuple[SlashCommand, ...] = (),
        uses: CommandUses | None = None,
        vi: bool = False,
        id: str | None = None,
    ) -> None:
        """`commands` are the slash commands, `uses` says which are run most; `vi`: with vi's keys (S55)."""
        self._vi = ViMode(self) if vi else None
        self._colours = TextColours(self)
        self._marks = PasteMarks(self)
        self._slash = SlashCompletion(self, commands, uses or CommandUses(None), self._suggest)
        self._files = FileCompletion(self, self._request)
        self._earlier = PromptHistory()
        self._restored: Selection | None = None
        """The range that `restore_text` selected."""
        self._search = HistorySearch(texts=lambda: self._earlier.texts, put=self.put, send=self._show_history)
        super().__init__(
            id=id, placeholder=PLACEHOLDER, highlight_cursor_line=False, soft_wrap=True, max_checkpoints=200
        )
        self.cursor_blink = False  # 25 KB in 10 idle seconds (T24)
        self.match_cursor_bracket = False  # searches the whole text at every step

    def _suggest(self, commands: tuple[SlashCommand, ...], chosen: int) -> None:
        self.post_message(self.Suggested(commands, chosen))

    def _request(self, request: ask.Request) -> None:
        self.post_message(self.Requested(request))

    def _show_history(self, request: ask.ShowHistory) -> None:
        self._request(request)
        self.refresh_bindings()

    # -- the text

    @property
    def written(self) -> str:
        """The text, pastes in full."""
        return self._marks.whole_text

    def know_commands(self, own: Sequence[SlashCommand]) -> None:
        """Set the current own commands."""
        self._slash.learn(own)

    @property
    def own_commands(self) -> tuple[OwnSlash, ...]:
        """The own commands that are known."""
        return self._slash.own

    @property
    def attachments(self) -> tuple[str, ...]:
        """The paths of the attached images."""
        return self._marks.image_paths

    @property
    def folds(self) -> str:
        """The marks in the text, to be saved beside `written`; empty if there are none."""
        return self._marks.folds

    def put(self, text: str, folds: str = "") -> None:
        """Replace the text; the cursor goes to its end. `folds` are the marks that were saved beside it."""
        text = cleaned(text)
        self.load_text(self._marks.marked(text, folds))
        self.move_cursor(self.document.end)

    def prepend(self, text: str, folds: str = "") -> None:
        """Insert a text before the existing one."""
        if text and self.text:
            self.put(f"{text}\n{self.written}")
        elif text:
            self.put(text, folds)

    def restore_text(self, text: str, *, written: bool = False, select: bool = False) -> None:
        """Restore a text that was not sent, unless something is written. `written`: it is as the user typed it.
        `select`: selected as a whole, so that typing replaces it (S50); Up finds it again."""
        if text and not self.text:
            self.put(text if written else _as_typed(text))
            if select:
                self._restored = self.selection = Selection((0, 0), self.document.end)

    @property
    def selected_by_user(self) -> str:
        """The selected text, unless it is one that was restored and selected by `restore_text`."""
        return "" if self.selection == self._restored else self.selected_text

    def clear_draft(self) -> bool:
        """Empty the composer; Up brings the text back (S50). Return False if there is nothing to clear."""
        if self.read_only or not self.text:
            return False
        self._earlier = self._earlier.cleared(self.text)
        self.load_text("")
        self._refuse(blank())
        return True

    def return_unsent(self, request: ask.Request) -> None:
        """Restore the text of a request that could not be carried out; text typed since then stays."""
        match request:
            case ask.ExecuteShell(line=line):
                self.restore_text(f"!{line}", written=True)
            case ask.QueueMessage(text=text):
                self.prepend(text)
            case _:
                pass

    def typed_ahead(self, text: str, cursor: int) -> bool:
        """Show a line that was typed before the composer was there. Return False if it is there already."""
        if (text, (0, cursor)) == (self.text, self.cursor_location):
            return False
        self.load_text(text)
        self.move_cursor((0, cursor))
        return True

    def type_in(self, text: str) -> None:
        """Insert a text at the cursor that was typed elsewhere and meant for the composer (E10)."""
        self._insert_paste(cleaned(text))

    def put_cursor(self, location: Location) -> None:
        """Move the cursor there."""
        self.move_cursor(location)

    def _insert_paste(self, text: str) -> None:
        if not self.read_only and text:
            self.write(self._marks.folded(text), *self.selection)
            self._attach_if_image(image_path(text), text.strip())

    def add_output(self, text: str) -> None:
        """Insert the output of a shell command, as a mark."""
        if not self.read_only and text:
            self.write(self._marks.output(text), *self.selection)

    def write(self, text: str, start: Location, end: Location) -> None:
        """Replace a range as if `text` was typed there. Does nothing while the text is read-only."""
        if not self.read_only:
            self.replace(text, start, end, maintain_selection_offset=False)

    def replace(
        self, insert: str, start: Location, end: Location, *, maintain_selection_offset: bool = True
    ) -> EditResult:
        """As `TextArea.replace`. Where keys replace (the cursor moves along), a mark is replaced as a whole."""
        if not maintain_selection_offset:
            start, end = self._marks.around(*sorted((start, end)))
        return super().replace(insert, start, end, maintain_selection_offset=maintain_selection_offset)

    def delete(self, start: Location, end: Location, *, maintain_selection_offset: bool = True) -> EditResult:
        """As `TextArea.delete`, with marks as in `replace`."""
        if not maintain_selection_offset:
            start, end = self._marks.around(*sorted((start, end)))
        return super().delete(start, end, maintain_selection_offset=maintain_selection_offset)

    def undo(self) -> None:
        """As `TextArea.undo`. The cursor moves first: Textual fails if it is after the end of the shorter text."""
        was, before = self.selection, self.text
        self.selection = Selection.cursor((0, 0))
        super().undo()
        if self.text == before:
            self.selection = was

    def redo(self) -> None:
        """As `TextArea.redo`, with the cursor as in `undo`."""
        was, before = self.selection, self.text
        self.selection = Selection.cursor((0, 0))
        super().redo()
        if self.text == before:
            self.selection = was

    # -- answers of the engine

    def remember(self, texts: tuple[str, ...]) -> None:
        """Add messages of earlier runs to the history, oldest first; those of this run stay newer."""
        self._earlier = PromptHistory((*map(_as_typed, texts), *self._earlier.texts))

    def files_found(self, revision: int, paths: tuple[str, ...]) -> None:
        """Show the files that were found for a `CompleteFile` of that revision."""
        self._files.found(revision, paths)

    def complete_file(self, path: str = "") -> bool:
        """Write the highlighted path, or this one. Return False if no file is being named."""
        path = self._files.write(path)
        if path:
            self._attach_if_image(path, mention(path))
        return bool(path)

    def _attach_if_image(self, path: str, written: str) -> None:
        if is_image(path):
            self._request(ask.AttachImage(path, written))

    def image_checked(self, written: str, path: str, size: int, problem: str) -> None:
        """Attach an image: a mark takes the place of its path. With a `problem`, show that instead."""
        if problem:
            self._refuse(words(problem))
        elif written:
            self._marks.replace_by_image(written, path, size)
        else:
            self.write(f"{self._marks.image(path, size)} ", *self.selection)

    def know_images(self, text: str, paths: tuple[str, ...]) -> None:
        """Learn the images of a message that returns to the composer."""
        self._marks.know_images(text, paths)

    # -- keys from elsewhere, and what works now
    def press(self, key: str) -> None:
        """Run a key without text that was pressed elsewhere and meant for the composer."""
        for binding in self._bound(key)[:1]:
            self._do(binding)

    def _bound(self, key: str) -> list[Binding]:
        """Return the bindings of a key that work here now."""
        found = bound(self).get(key, [])
        return [one for one in found if one.id not in _CONDITIONAL or self.check_action(one.action, ())]

    def after_keys(self, do: Callable[[], None]) -> None:
        """Post `AfterKeys` with `do`, after the keys that wait here: keys and messages have separate queues (E10)."""
        self.call_later(self.post_message, self.AfterKeys(do))

    def watch_busy(self, busy: bool) -> None:
        if not busy:
            self._refuse(blank())
        self.refresh_bindings()

    def watch_replying(self, replying: bool) -> None:
        self._refuse(blank())
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for an action that is impossible now, so that the last line doesn't offer it (E5)."""
        if self._search.open or action in ("take_found", "end_recall"):
            return self._search.open and action in ("take_found", "end_recall")
        if action in ("complete", "put_away"):
            listing = bool(self._files.files or self._slash.matches)
            return listing or (action == "put_away" and self._files.open)
        if action == "end_fork":
            return self.forking
        if action == "vi_normal":
            return self._vi is not None and self._vi.inserting
        if action == "unfold":
            return self._marks.at_cursor and not self.locked
        if action in ("end_shell", "close_shell"):
            return self.shell == ("runs" if action == "end_shell" else "ended")
        if action == "add_output":
            return self.shell == "ended" and not self.locked
        if self.locked:
            return action not in ("submit", "queue", "newline", "editor", "take_queued", "drop_queued", "next_mode")
        if action in ("take_queued", "drop_queued"):
            return self.queued > 0
        queues = self.busy and not self.replying and not self._slash.matches
        return queues if action == "queue" else not (action == "submit" and queues)

    def watch_locked(self, locked: bool) -> None:
        self.read_only = locked
        self.show_cursor = not locked
        self.refresh_bindings()

    # -- events

    async def _on_key(self, event: events.Key) -> None:
        """Run a binding or insert a character; other keys go to the screen."""
        if self._search.open:
            event.stop()
            event.prevent_default()
            self.post_message(self.Typed())
            self._search.key(event)
            return
        key = _SAME.get(event.key, event.key)
        if self._vi is not None and not self._vi.inserting and self._vi_key(key, event):
            return
        bindings = self._bound(key)
        if not bindings and not (event.is_printable and event.character):
            event.prevent_default()
            return
        event.stop()
        event.prevent_default()
        self.post_message(self.Typed())
        if bindings:
            self._do(bindings[0])
        elif event.character:
            self._refuse(blank())
            self.write(event.character, *self.selection)

    def _vi_key(self, key: str, event: events.Key) -> bool:
        """Handle a key of vi's normal mode. Return False for one that means the same in any mode."""
        assert self._vi is not None
        if not self._vi.press(key, event.character if event.is_printable else None):
            return False
        event.stop()
        event.prevent_default()
        self.post_message(self.Typed())
        self._show_mode()
        return True

    def _show_mode(self) -> None:
        """Show at the border that vi's normal mode is on, and which keys work."""
        normal = self._vi is not None and not self._vi.inserting
        if normal != self.has_class("-normal"):
            self.set_class(normal, "-normal")
            self.border_title = ours("NORMAL") if normal else None
            self.refresh_bindings()

    def action_vi_normal(self) -> None:
        """Go to vi's normal mode."""
        if self._vi is not None:
            self._vi.leave_insert()
            self._show_mode()

    def _vi_insert(self) -> None:
        if self._vi is not None and not self._vi.inserting:
            self._vi.insert()
            self._show_mode()

    def _do(self, binding: Binding) -> None:
        _, name, parameters = parse(binding.action)
        getattr(self, f"action_{name}")(*parameters)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.post_message(self.Typed())
        if self._search.open:
            self._search.paste(cleaned(event.text))
        else:
            self._insert_paste(cleaned(event.text))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._slash.text_changed()
        if self.text == "/":
            self._request(ask.ReadCommands())
        elif self.text[:1] == "/" and self.text[-1:] == ":" and (named := server_named(self.text[1:-1])):
            self._request(ask.ReadCommands(named))
        self._files.text_or_cursor_changed()
        self.post_message(self.Edited())

    def on_resize(self) -> None:
        self.refresh()  # it was painted at the new width before its text was wrapped to it

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
        if self.selection != self._restored:
            self._restored = None
        self._files.text_or_cursor_changed()
        if self._marks.cursor_moved():
            self.refresh_bindings()

    def notify_style_update(self) -> None:
        self._colours.forget()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        return super().render_line(y) if self.content_size.width else Strip.blank(0)  # Textual's wraps to no width

    def render_lines(self, crop: Region) -> list[Strip]:
        lines = self._colours.render_lines(crop)
        return super().render_lines(crop) if lines is None else lines

    # -- actions

    def action_submit(self) -> None:
        written = self.written
        if self.read_only or self.complete_file():
            return
        if not written.strip():
            if self.queued and not self.busy:
                self._request(ask.SendQueue())
            return
        line = None if self.replying else line_of(written)
        if line == "":
            self._refuse(ours("Type a command after !. Start with !! to send it as text."))
            return
        if line:
            self._vi_insert()
            self._request(ask.ExecuteShell(line))
            self._earlier = self._earlier.remembered(self.text)
            self.load_text("")
            return
        meant = self._slash.meaning(written)
        if isinstance(meant, UnknownCommand):
            advice = words(meant.advice)
            unknown = ours("No command /{name}. {advice}", name=Foreign(meant.name[:30]), advice=advice)
            self._refuse(advice if meant.known else unknown)
            return
        own = isinstance(meant, RunAction) and isinstance(meant.command, OwnSlash)
        command = own and not self.replying  # a reply is text
        if isinstance(meant, RunAction) and not own:
            self._earlier = self._earlier.remembered(self.text)
            self.run_command(meant.command, meant.argument)
            return
        self._vi_insert()
        queues = self.busy and not self.replying
        self.busy = True  # until the engine answers, so that a second Enter in the same burst is queued
        self._earlier = self._earlier.remembered(self.text)
        files = self.attachments
        self.load_text("")
        if isinstance(meant, RunAction):
            text = f"/{meant.command.name} {meant.argument}".rstrip()
            self._slash.ran(meant.command)
        else:
            text = meant.text.removeprefix("!") if meant.text.startswith("!!") and not self.replying else meant.text
        if queues:
            self._request(ask.QueueMessage(text, files, command))
        else:
            self.post_message(self.Submitted(text, files, command))

    def run_command(self, command: SlashCommand, argument: str = "") -> None:
        """Run a slash command and empty the composer; an own command is written there, for its arguments."""
        self._vi_insert()
        if isinstance(command, OwnSlash):
            self.put(f"/{command.name} ")
            return
        self.load_text("")
        self._slash.ran(command)
        chosen = RunAction(command.of, command.value) if isinstance(command, Value) else RunAction(command, argument)
        self.post_message(self.Commanded(chosen.command, chosen.argument))

    def _refuse(self, why: Content) -> None:
        """Show at the border why nothing happened, or clear that; the text stays."""
        if bool(why) != self.has_class("-refusing"):
            self.set_class(bool(why), "-refusing")
            self.border_subtitle = why if why else None

    def action_newline(self) -> None:
        self.write("\n", *self.selection)

    def action_next_mode(self) -> None:
        self._request(ask.NextMode())

    def action_editor(self) -> None:
        if not self.read_only:
            self._request(ask.OpenEditor())

    def action_cursor_line_start(self, select: bool = False) -> None:
        """Go to the very start, not to the first character after an indent as in a code editor."""
        self.move_cursor(self.get_cursor_line_start_location(), select=select)

    def action_older(self) -> None:
        if self._choose(-1):
            return
        if self.queued and not self.text:
            self.action_take_queued()
        elif not self.navigator.is_first_wrapped_line(self.cursor_location):
            self.action_cursor_up()
        elif not self.read_only and (found := self._earlier.older(self.written)):
            self._earlier, text = found
            self.put(text)
            self.move_cursor((0, len(self.document.get_line(0))))

    def action_newer(self) -> None:
        if self._choose(1):
            return
        if not self.navigator.is_last_wrapped_line(self.cursor_location):
            self.action_cursor_down()
        elif not self.read_only and (found := self._earlier.newer()):
            self._earlier, text = found
            self.put(text)

    def _choose(self, step: int) -> bool:
        """Move the highlight of the open list. Return False if there is none."""
        return self._files.step(step) or self._slash.step(step)

    def action_complete(self) -> None:
        """Write the highlighted file or command."""
        if not self.complete_file() and (text := self._slash.completed()) is not None:
            self.load_text(text)
            self.move_cursor(self.document.end)

    def action_put_away(self) -> None:
        """Close the open list."""
        if not self._files.dismiss():
            self._slash.dismiss()

    def action_recall(self) -> None:
        if not self.read_only:
            self._search.start()

    def action_end_recall(self) -> None:
        self._search.close()

    def action_take_found(self, at: int | None = None) -> None:
        self._search.take(at)

    def action_paste_image(self) -> None:
        if not self.read_only:
            self._request(ask.AttachImage("", ""))

    def action_unfold(self) -> None:
        """Replace the mark at the cursor by its text, if the composer can hold that."""
        if self.read_only or (found := self._marks.to_unfold()) is None:
            return
        text, start, end = found
        if text is not None:
            super().replace(text, start, end, maintain_selection_offset=False)
        else:
            self._refuse(ours("Too long to expand here · Ctrl+G opens it in your editor"))

    def action_queue(self) -> None:
        self.action_submit()

    def action_take_queued(self) -> None:
        if self.queued and not self.read_only:
            self._request(ask.PopQueued(drop=False))

    def action_drop_queued(self) -> None:
        if self.queued and not self.read_only:
            self._request(ask.PopQueued(drop=True))

    def action_end_fork(self) -> None:
        self._request(ask.LeaveFork())

    def action_add_output(self) -> None:
        self._request(ask.InsertOutput())

    def action_end_shell(self) -> None:
        self._request(ask.LeaveShell())

    def action_close_shell(self) -> None:
        self._request(ask.LeaveShell())


def _as_typed(text: str) -> str:
    """Return the text to type so that this text is sent."""
    return f"{text[0]}{text}" if text.startswith(("/", "!")) else text
