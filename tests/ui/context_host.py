"""A view of what is asked about, alone on the screen, for the tests of it; it notes what is said to be seen."""

from __future__ import annotations

from textual.app import App, ComposeResult

from jp_tui.conversation.text import Foreign
from jp_tui.ui.widgets.context import ContextView


class Host(App[None]):
    CSS = "ContextView { max-height: 12; }"

    def __init__(self, text: str, **more: bool) -> None:
        super().__init__()
        self._text, self._more = Foreign(text), more
        self.seen: list[tuple[int, int]] = []

    def compose(self) -> ComposeResult:
        yield ContextView(self._text, **self._more)

    @property
    def view(self) -> ContextView:
        return self.query_one(ContextView)

    @property
    def top_row(self) -> str:
        return self.view.render_line(0).text.strip()

    def on_context_view_seen(self, event: ContextView.Seen) -> None:
        self.seen.append((event.unseen, event.lines))
