"""The readable texts of a sheet: the context of the question, and another text above it (E1, E41, E42, Z14).

The other text opens over the conversation and never replaces the context. This scrolls the texts and remembers which
one is shown; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.reviewer_banner import ReviewerBanner
from jp_tui.ui.text import ours
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view.wording import questions as w

TITLED = 40
"""Characters of a subject that a title always shows in full."""


def default_context(prompt: PromptRequest, above: Foreign) -> ContextView:
    """Make the view of the context. A file that the title names is not named again."""
    named = prompt.subject.raw if len(prompt.subject.raw) <= TITLED else ""
    return ContextView(above, approval=texts.mode(prompt) == "approval", focus=False, named=named)


class ContextReader:
    """The context and the texts that can be read above it."""

    def __init__(
        self,
        context: ContextView | None,
        banner: ReviewerBanner | None,
        *,
        others: Callable[[], Mapping[str, Foreign]],
        show: Callable[[], None],
        relayout: Callable[[], None],
    ) -> None:
        """`others` returns the texts that can be read above the context, by name; `show` updates the sheet, `relayout`
        lays it out again."""
        self.context = context
        self.aside = ContextView(Foreign(""), focus=False, id="aside")
        self._banner, self._others, self._show, self._relayout = banner, others, show, relayout
        self._name = ""
        self._split_chosen = False  # the user chose one or two columns
        self.rows = 0
        """The rows of the context, as the sheet laid it out."""
        self.all_rows = 0
        """The rows that all of it would take."""
        self.aside_cut = False
        """True if the text above the context has more rows than the sheet gave it."""
        for view in self.views:
            view.styles.height = 0  # until it has its rows: rows that weren't shown must not count as seen

    @property
    def shown_text(self) -> str:
        """The name of the text that is shown above the context, empty for none."""
        return self._name

    @property
    def hidden(self) -> bool:
        """True if there is a context and none of it is visible: an unseen context can't be approved (Z14)."""
        return self.context is not None and not (self.context.display and self.rows)

    @property
    def views(self) -> tuple[ContextView, ...]:
        return (self.aside, self.context) if self.context else (self.aside,)

    @property
    def view(self) -> ContextView | None:
        """The view that the reading keys scroll: the context, or the text above it."""
        return self.aside if self._name and not (self.context and self.aside.fits) else self.context

    def show_text(self, name: str) -> None:
        """Show another text above the context, or close it."""
        found = self._others().get(name)
        self._name = name if found is not None and self._name != name else ""
        if self._name and found is not None:
            self.aside.put(found, approval=True)
        self._show()

    def renew(self, name: str) -> None:
        """Show a text as it is now, if it is the one above the context."""
        if self._name == name and (found := self._others().get(name)) is not None:
            self.aside.put(found, approval=True)

    def open(self, name: str) -> None:
        """Mark a text as the one that is shown; its owner puts it there."""
        self._name = name

    def close(self, name: str) -> None:
        """Close the text above the context, if it is that one."""
        if self._name == name:
            self._name = ""

    def follow(self, text: Foreign) -> None:
        """Show a text that still grows, at its end."""
        self.aside.put(text, approval=False)
        self.aside.call_after_refresh(self.aside.scroll_to_end)

    @property
    def some_unseen(self) -> bool:
        """True if some of the context was not on the screen yet."""
        return bool(self.context and self.context.unseen)

    def unseen(self) -> Content | None:
        """Return how much of the context was not on the screen yet; None when all of it was (E15)."""
        shown = self.context
        return ours(w.WERE_UNSEEN, n=shown.unseen, m=shown.lines) if shown and shown.unseen else None

    def under(self, question: Content) -> Content:
        """Return the question's line with the context's size, and how much of it was not on the screen yet (E15)."""
        shown = self.context
        if shown is None:
            return question
        hunks = shown.hunk[1] if shown.complete else 0
        return texts.under(question, shown.changes, hunks, shown.unseen, shown.lines)

    @property
    def overflows(self) -> bool:
        """True if the context, or the text above it, has more rows than are shown."""
        context = self.context
        scrolls = context is not None and not (context.complete and self.all_rows <= self.rows)
        return scrolls or bool(self._name and (self.aside_cut or not self.aside.complete))

    def hints(self) -> list[Hint]:
        """Return the reading keys that do something now, most important first."""
        found = list[Hint]()
        if self.overflows:
            found.append(Hint("Ctrl+D", "scroll down", "read(1)"))
        if self._name == "reason":
            found.append(Hint("v", "close", "aside('reason')", keep=True))
        return found

    def more_hints(self) -> list[Hint]:
        """Return the keys of a diff."""
        view, found = self.context, list[Hint]()
        if view and view.hunk[1]:
            found.append(Hint("t", "unified", "split") if view.split else Hint("t", "split", "split"))
        if view and view.hunk[1] > 1:
            found.append(Hint("] [", "hunk", "hunk(1)"))
        return found

    def widen(self, wide: bool) -> None:
        """Show a diff in two columns where there is room for them, unless the user chose otherwise."""
        if self.context and not self._split_chosen:
            self.context.prefer_split(wide)

    # Actions

    def action_aside(self, name: str) -> None:
        """Show another text above the context, or close it."""
        if name in self._others():
            self.show_text(name)

    def action_read(self, by: int) -> None:
        """Scroll by a page."""
        if self.view:
            self.view.page(by)

    def action_step(self, by: int) -> None:
        """Scroll by a line."""
        if self.view:
            self.view.line(by)

    def action_hunk(self, step: int) -> None:
        """Go to the next or previous hunk."""
        if self.context:
            self.context.action_hunk(step)

    def action_split(self) -> None:
        """Show a diff in one column or in two."""
        if self.context and self.context.hunk[1]:
            self._split_chosen = True
            self.context.action_split()
            self._relayout()
