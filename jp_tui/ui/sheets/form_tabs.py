"""The tabs of a form and the texts about its questions: what Back discards, why one is skipped (E3, E23, R175, R182b).

Reads the form that came with a prompt and decides nothing. Each colour has a sign as well (E60).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import FormView, Place
from jp_tui.ui.text import foreign, join, ours, styled
from jp_tui.view.wording import questions as w

NAME = 20
"""Cells of a question's name in a tab."""
REVIEW = ":review"
"""The id of the last tab; no question has it (V17)."""
_GAPS = (3, 2)
_DIM, _DONE, _NOW = "$foreground-muted", "$text-success", "bold reverse"


@dataclass(frozen=True, slots=True)
class FormTab:
    """One tab: the question's id, and its text."""

    id: str
    says: Content


def form_of(prompt: PromptRequest) -> FormView | None:
    """Return the form of a prompt; None for a question that is asked alone (R170)."""
    form = prompt.form
    return form if form is not None and (len(form.places) > 1 or prompt.kind == "review") else None


def progress(prompt: PromptRequest) -> Content | None:
    """Return exactly `[N/M]`, or the name of the summary; None for a question that is asked alone (R170, R175)."""
    form = form_of(prompt)
    at = form.progress if form is not None else prompt.progress
    if prompt.kind == "review":
        return ours(w.REVIEW)
    return ours(w.PROGRESS, n=at[0], m=at[1]) if at is not None and at[1] > 1 else None


def name(text: str, limit: int = NAME) -> Content:
    """Return a question's id as jp-tui shows it."""
    return foreign(Foreign(text), mode="approval", limit=limit)


def names(ids: Sequence[str]) -> Content:
    """Return some ids, of many the first few."""
    shown = [name(one) for one in ids[:6]]
    more = [ours("{n} more", n=len(ids) - 6)] if len(ids) > 6 else []
    return join(*shown, *more, sep=ours(", "))


def tabs(prompt: PromptRequest, form: FormView) -> list[FormTab]:
    """Return a tab for each question and one for the summary."""
    found = [FormTab(place.id, _tab(place, place.id in prompt.undo)) for place in form.places]
    reviewing = prompt.kind == "review"
    review = ours(" ▸ {name} " if reviewing else "▸ {name}", _NOW if reviewing else _DIM, name=ours(w.REVIEW))
    return [*found, FormTab(REVIEW, review)]


def _tab(place: Place, kept: bool) -> Content:
    match place.state:
        case "answered":
            return ours("{sign} {name}", sign=ours("✓", _DONE), name=styled(name(place.id), _DIM))
        case "current":
            return ours(" ● {name} ", _NOW, name=name(place.id))
        case "skipped":
            return ours("– {name}", f"{_DIM} italic", name=name(place.id))
        case "ahead":
            return ours("↶ {name}" if kept else "○ {name}", _DIM, name=name(place.id))


def fitted(found: Sequence[FormTab], at: int, width: int) -> list[tuple[int, FormTab]]:
    """Return the tabs that fit a width, each with its first cell: all of them, else those around `at` and how many
    are left out on either side."""
    for gap in _GAPS:
        if sum(tab.says.cell_length + gap for tab in found) - gap <= width:
            return _laid(found, gap)
    first = last = at
    while True:
        grown = [(first, last + 1)] if last + 1 < len(found) else []
        grown += [(first - 1, last)] if first > 0 else []
        grown.sort(key=lambda ends: abs((ends[0] + ends[1]) / 2 - at))
        fits = next((ends for ends in grown if _cells(found, *ends) <= width), None)
        if fits is None:
            return _laid(_window(found, first, last), _GAPS[-1])
        first, last = fits


def _window(found: Sequence[FormTab], first: int, last: int) -> list[FormTab]:
    shown = list(found[first : last + 1])
    if first > 0:
        shown.insert(0, FormTab("", ours("‹{n}", _DIM, n=first)))
    if last + 1 < len(found):
        shown.append(FormTab("", ours("{n}›", _DIM, n=len(found) - 1 - last)))
    return shown


def _cells(found: Sequence[FormTab], first: int, last: int) -> int:
    shown = _window(found, first, last)
    return sum(tab.says.cell_length + _GAPS[-1] for tab in shown) - _GAPS[-1]


def _laid(shown: Sequence[FormTab], gap: int) -> list[tuple[int, FormTab]]:
    laid, at = [], 0
    for tab in shown:
        laid.append((at, tab))
        at += tab.says.cell_length + gap
    return laid


def discarded(form: FormView, to: str) -> list[str]:
    """Return the questions whose answers Back to `to` discards, besides its own (R177)."""
    ids = [place.id for place in form.places]
    later = form.places[ids.index(to) + 1 :] if to in ids else ()
    return [place.id for place in later if place.state == "answered" and not place.fixed]


def beneath(prompt: PromptRequest, form: FormView) -> list[Content]:
    """Return lines below the tabs: why questions nearby are skipped, and what `u` restores (E23)."""
    found = []
    if prompt.undo:
        found.append(ours(w.UNDO_LINE, "$text-warning", which=names(prompt.undo)))
    skipped = [place for place in form.places if place.state == "skipped"]
    if skipped and prompt.kind != "review":
        first = ours(w.SKIPPED_LINE, id=name(skipped[-1].id), because=Foreign(skipped[-1].because))
        more = [ours(w.MORE_SKIPPED, n=len(skipped) - 1)] if len(skipped) > 1 else []
        found.append(styled(join(ours("– "), join(first, *more, sep=ours(" · "))), _DIM))
    return found


class FormTabs(Widget):
    """The row of tabs: answered questions, the current one, the next ones, and the summary (E3)."""

    DEFAULT_CSS = "FormTabs { height: 1; width: 1fr; }"
    ALLOW_SELECT = False

    @dataclass
    class Picked(Message):
        """A tab was clicked; `place` is a question's id, or REVIEW."""

        place: str

    def __init__(self, prompt: PromptRequest, form: FormView, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tabs = tabs(prompt, form)
        self._pressed = ""  # the tab on which the button went down
        ids = [place.id for place in form.places if place.state == "current"]
        self._at = next((at for at, tab in enumerate(self._tabs) if tab.id in ids), len(self._tabs) - 1)

    def _laid(self) -> list[tuple[int, FormTab]]:
        return fitted(self._tabs, self._at, max(self.size.width, 1))

    def render(self) -> Content:
        line = ours("")
        for start, tab in self._laid():
            line = join(line, ours(" " * (start - line.cell_length)), tab.says)
        return line

    def _tab_at(self, x: int) -> str:
        """Return the id of the tab there, empty for none."""
        return next((tab.id for start, tab in self._laid() if start <= x < start + tab.says.cell_length), "")

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pressed = self._tab_at(event.x)

    def on_click(self, event: events.Click) -> None:
        """Report a click on a tab, unless it began on another (E11)."""
        event.stop()
        place = self._tab_at(event.x)
        if place and place == self._pressed:
            self.post_message(self.Picked(place))
