"""Where the user writes: several lines, a history, pastes of any size, and no key lost or out of order.

Every key is handled in `_on_key`, from the bindings below: Textual lets a bound key be overtaken by the characters
typed after it (designs.md A, traps). It sends nothing to the engine and keeps no draft; it says what was written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.actions import parse
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import TextArea

from jp_tui.conversation.text import Foreign
from jp_tui.ui.composer.history_search import RECALLING, Recalling
from jp_tui.ui.composer.paste_marks import CHIPS, Chips
from jp_tui.ui.composer.queueing import QUEUEING, Queueing
from jp_tui.ui.composer.shelling import SHELLING, Shelling
from jp_tui.ui.composer.slash_completion import SLASH
from jp_tui.ui.keys import bound, words
from jp_tui.ui.text import blank, ours
from jp_tui.ui.textual_patches.text_colours import Coloured
from jp_tui.ui.widgets.editing import EDITING
from jp_tui.view.composer.commands import Command, Run, Unknown
from jp_tui.view.composer.history import Recall
from jp_tui.view.composer.pastes import cleaned

ASK = ours("Ask anything, or / for commands")
_LIST_IDS = frozenset(binding.id for binding in (*SLASH, *SHELLING, *QUEUEING[1:], *RECALLING))
_SAME = {"shift+\r": "shift+enter", "ctrl+\r": "ctrl+enter", "newline": "ctrl+j", "ctrl+enter": "shift+enter"}
"""One key, several names, by what the terminal reports."""


class Composer(Queueing, Shelling, Chips, Recalling, Coloured, TextArea, inherit_bindings=False):
    """The prompt being written; Enter sends it, or queues it while the model is at work."""

    BINDINGS = [
        Binding("enter", "submit", "send", id="composer.send", tooltip="Send what is written"),
        Binding(
            "ctrl+j,shift+enter,alt+enter", "newline", "new line", id="composer.newline", tooltip="Begin another line"
        ),
        Binding("ctrl+g", "editor", "editor", id="composer.editor", tooltip="Write it in your own editor ($EDITOR)"),
        Binding(
            "up", "older", "up, or what was sent before", show=False, id="composer.older", tooltip="At the first line"
        ),
        Binding(
            "down", "newer", "down, or what was sent after", show=False, id="composer.newer", tooltip="At the last line"
        ),
        *RECALLING,
        *SLASH,
        *SHELLING,
        *CHIPS,
        *QUEUEING,
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
        &.-locked { border: round $foreground 30%; }
        &.-refusing { border: round $warning; border-subtitle-color: $warning; }
        & .text-area--cursor-line { background: $background; }
        & .text-area--placeholder { color: $muted-foreground; }
    }
    """

    busy = reactive(False)
    """The model is at work: Enter queues the text."""
    replying = reactive(False)
    """What is written goes with an interruption: Enter sends it although the model is at work."""
    locked = reactive(False, toggle_class="-locked")
    """Somebody else writes this conversation: nothing can be written here."""

    @dataclass
    class Submitted(Message):
        """The user sends this, with images by their paths; the composer is empty again."""

        text: str
        attachments: tuple[str, ...] = ()

    class Edited(Message):
        """The text changed; `Composer.written` is the new one."""

    class Typed(Message):
        """A key was pressed here."""

    class EditorWanted(Message):
        """The user wants to go on in an editor."""

    @dataclass
    class Behind(Message):
        """Comes out after everything that keys pressed before it said; `do` is then to be done."""

        do: Callable[[], None]

    def __init__(self, *, commands: tuple[Command, ...] = (), id: str | None = None) -> None:
        """`commands` are what `/` may begin."""
        self.commands = commands
        super().__init__(id=id, placeholder=ASK, highlight_cursor_line=False, soft_wrap=True, max_checkpoints=200)
        self.cursor_blink = False  # 25 KB in ten idle seconds (T24)
        self.match_cursor_bracket = False  # searches the whole text at every step
        self._recall = Recall()

    # -- attributes from above

    def remember(self, texts: tuple[str, ...]) -> None:
        """What was sent before this run, oldest first; what this run sent stays nearer."""
        self._recall = Recall((*map(_as_written, texts), *self._recall.texts))

    def put_back(self, text: str, *, written: bool = False) -> None:
        """This text, which was to be sent, unless something is written already; `written`: it is as it was typed."""
        if text and not self.text:
            self.put(text if written else _as_written(text))

    def typed_ahead(self, text: str, cursor: int) -> bool:
        """What was typed before we were there, one line of it; says whether it is another than stands here."""
        if (text, (0, cursor)) == (self.text, self.cursor_location):
            return False
        self.load_text(text)
        self.move_cursor((0, cursor))
        return True

    def type_in(self, text: str) -> None:
        """What was typed elsewhere and meant for here, at the cursor (E10)."""
        self._enter(cleaned(text))

    def press(self, key: str) -> None:
        """A key without text that was pressed elsewhere and meant for here."""
        for binding in self._bound(key)[:1]:
            self._do(binding)

    def _bound(self, key: str) -> list[Binding]:
        """What a key does here; those of lists only while one is open, else they are the screen's."""
        found = bound(self).get(key, [])
        return [one for one in found if one.id not in _LIST_IDS or self.check_action(one.action, ())]

    def behind_keys(self, do: Callable[[], None]) -> None:
        """Have `do` come out as Behind: keys and what is said of them go through queues of their own (E10)."""
        self.call_later(self.post_message, self.Behind(do))

    def watch_busy(self, busy: bool) -> None:
        if not busy:
            self._refuse(blank())
        self.refresh_bindings()

    def watch_replying(self, replying: bool) -> None:
        self._refuse(blank())
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter sends nothing while the model is at work, so the last line does not say it does (E5)."""
        if self.recalling or action in ("take_found", "end_recall"):
            return self.recalling and action in ("take_found", "end_recall")
        if action in ("complete", "put_away"):
            return self.listing or (action == "put_away" and self.naming)
        if action == "end_fork":
            return self.forking
        if action == "unfold":
            return self.marked and not self.locked
        if action in ("add_output", "end_shell"):
            return bool(self.shell) and (action == "end_shell" or (self.shell == "ended" and not self.locked))
        if self.locked:
            return action not in ("submit", "queue", "newline", "editor", "take_queued", "drop_queued")
        if action in ("take_queued", "drop_queued"):
            return self.queued > 0
        queues = self.busy and not self.replying and not self.suggested
        return queues if action == "queue" else not (action == "submit" and queues)

    def watch_locked(self, locked: bool) -> None:
        self.read_only = locked
        self.show_cursor = not locked
        self.refresh_bindings()

    # -- keys

    async def _on_key(self, event: events.Key) -> None:
        """The table first, then characters; what is neither goes on to the screen."""
        if self.recalling:
            event.stop()
            event.prevent_default()
            self.post_message(self.Typed())
            self.sought_key(event)
            return
        key = _SAME.get(event.key, event.key)
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

    def _do(self, binding: Binding) -> None:
        _, name, parameters = parse(binding.action)
        getattr(self, f"action_{name}")(*parameters)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.post_message(self.Typed())
        if self.recalling:
            self.sought_paste(cleaned(event.text))
        else:
            self._enter(cleaned(event.text))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.suggest()
        self.post_message(self.Edited())

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
        self.look_for_files()
        self.look_for_mark()

    # -- actions

    def action_submit(self) -> None:
        written = self.written
        if self.read_only or self.name_file():
            return
        if not written.strip():
            if self.queued and not self.busy:
                self.post_message(self.QueueGoesOn())
            return
        ran = False if self.replying else self.shell_wanted(written)
        if ran is None:
            self._refuse(ours("a command comes behind the ! · !! sends it as text"))
            return
        if ran:
            self._recall = self._recall.remembered(self.text)
            self.load_text("")
            return
        meant = self.meant(written)
        if isinstance(meant, Unknown):
            self._refuse(
                ours("no command /{name}: {advice}", name=Foreign(meant.name[:30]), advice=words(meant.advice))
            )
            return
        if isinstance(meant, Run):
            self._recall = self._recall.remembered(self.text)
            self.take(meant.command, meant.argument)
            return
        queues = self.busy and not self.replying
        self.busy = True  # until the engine's word: a second Enter in the same burst comes behind the first
        self._recall = self._recall.remembered(self.text)
        files = self.attachments
        self.load_text("")
        text = meant.text.removeprefix("!") if meant.text.startswith("!!") and not self.replying else meant.text
        self.post_message(self.Queued(text, files) if queues else self.Submitted(text, files))

    def _refuse(self, why: Content) -> None:
        """Say at the border why Enter did nothing; the text stays."""
        if bool(why) != self.has_class("-refusing"):
            self.set_class(bool(why), "-refusing")
            self.border_subtitle = why if why else None

    def action_newline(self) -> None:
        self.write("\n", *self.selection)

    def action_editor(self) -> None:
        if not self.read_only:
            self.post_message(self.EditorWanted())

    def action_cursor_line_start(self, select: bool = False) -> None:
        """To the very start: an indent is text like any other here."""
        self.move_cursor(self.get_cursor_line_start_location(), select=select)

    def action_older(self) -> None:
        if self.choose(-1):
            return
        if self.queued and not self.text:
            self.action_take_queued()
        elif not self.navigator.is_first_wrapped_line(self.cursor_location):
            self.action_cursor_up()
        elif not self.read_only and (found := self._recall.older(self.written)):
            self._recall, text = found
            self.put(text)
            self.move_cursor((0, len(self.document.get_line(0))))

    def action_newer(self) -> None:
        if self.choose(1):
            return
        if not self.navigator.is_last_wrapped_line(self.cursor_location):
            self.action_cursor_down()
        elif not self.read_only and (found := self._recall.newer()):
            self._recall, text = found
            self.put(text)


def _as_written(text: str) -> str:
    """A text that was sent, as it has to be written to be sent again."""
    return f"{text[0]}{text}" if text.startswith(("/", "!")) else text
