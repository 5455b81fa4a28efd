"""A prompt of an MCP server (mcp.md P48): its arguments as a form; its text goes to the composer, where it can be
changed. Nothing is sent to a model."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.css.query import NoMatches
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import FillServerPrompt, ReadServerPrompt
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import foreign, join, ours
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.ui.widgets.page_box import PageBox
from jp_tui.ui.widgets.text_field import TextField


def open_page(host: Host, argument: str) -> PromptPage | Content:
    """See `ui/pages.py`; `argument` is SERVER:PROMPT."""
    server, colon, prompt = argument.partition(":")
    if not (colon and server and prompt):
        return ours("Name a prompt: /SERVER:PROMPT.")
    return PromptPage(host, server, prompt)


class PromptPage(ModalScreen[None], inherit_bindings=False):
    """The arguments of one prompt, a line each."""

    BINDINGS = [
        Binding("tab,down", "step(1)", "next", id="prompt.next", tooltip="Go to the next argument"),
        Binding("shift+tab,up", "step(-1)", "previous", show=False, id="prompt.back", tooltip="Go to the previous one"),
        Binding("enter,ctrl+s", "fill", "to the composer", priority=True, id="prompt.fill", tooltip="Get the text"),
        Binding("escape", "dismiss(None)", "close", id="prompt.close", tooltip="Close without a text"),
    ]
    DEFAULT_CSS = """
    PromptPage {
        align: center middle;
        PageBox { width: 90%; max-width: 90; height: auto; max-height: 90%; padding: 0 1; border: round $primary;
            background: $surface; }
        #said, .label { height: auto; }
        #fields { height: auto; max-height: 60vh; }
        .label { color: $text-muted; }
        #notice { height: auto; color: $failed-foreground; }
    }
    """

    def __init__(self, host: Host, server: str, prompt: str) -> None:
        super().__init__()
        self._host, self._server, self._prompt = host, server, prompt
        self._names: list[tuple[str, bool]] = []
        self._asked = False

    def compose(self) -> ComposeResult:
        with PageBox() as box:
            box.border_title = foreign(Foreign(f"{self._server}: {self._prompt}"), mode="line")
            yield Static(ours("Asking {server}…", server=Foreign(self._server)), id="said")
            yield VerticalScroll(id="fields", can_focus=False)
            yield Static(id="notice")
            yield KeyBar(speaks_for_itself=lambda node: False)

    def on_mount(self) -> None:
        self.query_one("#notice").display = False
        self.post_message(CommandWanted(ReadServerPrompt(server=self._server, prompt=self._prompt)))

    def handle(self, event: ev.Event) -> None:
        """Take what the engine answers."""
        match event:
            case ev.ServerPromptRead(server=self._server) if not self._names and not self._asked:
                self._show(event)
            case ev.ServerPromptFilled(server=self._server, prompt=self._prompt, text=text):
                self._host.write(text.raw)
                self.dismiss(None)
            case ev.Refused(message=message, advice=advice):
                self._asked = False
                said = " ".join(filter(None, (message, advice)))
                self._notice(foreign(Foreign(said), limit=600))
            case _:
                pass

    def _show(self, event: ev.ServerPromptRead) -> None:
        self._prompt = event.prompt
        self._names = [(one.name.raw, one.required) for one in event.arguments]
        self.query_one("#said", Static).update(foreign(event.description, limit=2000))
        if not self._names:
            self.action_fill()
            return
        rows: list[Static | TextField] = []
        for number, one in enumerate(event.arguments):
            name = foreign(one.name, mode="line", limit=60)
            needed = ours("") if one.required else ours(" (optional)")
            about = join(ours(" · "), foreign(one.description, mode="line", limit=200)) if one.description else ours("")
            rows += [
                Static(join(name, needed, about, sep=ours("")), classes="label"),
                TextField("", id=f"field-{number}"),
            ]
        self.query_one("#fields").mount(*rows)
        self.call_after_refresh(rows[1].focus)

    def _notice(self, said: Content) -> None:
        notice = self.query_one("#notice", Static)
        notice.update(said)
        notice.display = True

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_fill()

    def action_step(self, by: int) -> None:
        """Go to another line, around the ends."""
        focused = self.focused
        at = int((focused.id or "field-0").rpartition("-")[2]) if isinstance(focused, TextField) else 0
        if self._names:
            self.query_one(f"#field-{(at + by) % len(self._names)}", TextField).focus()

    def action_fill(self) -> None:
        """Ask for the text; every argument that is needed must have a value."""
        if self._asked:
            return
        given: dict[str, str] = {}
        for number, (name, required) in enumerate(self._names):
            try:
                field = self.query_one(f"#field-{number}", TextField)
            except NoMatches:
                return
            if field.value:
                given[name] = field.value
            elif required:
                field.focus()
                self._notice(ours("Enter a value for {name}.", name=Foreign(name)))
                return
        self._asked = True
        self.post_message(CommandWanted(FillServerPrompt(server=self._server, prompt=self._prompt, arguments=given)))
