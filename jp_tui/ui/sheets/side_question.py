"""The side question: a short dialogue with a model about the question, before it is answered (asking.md E30).

The question stays open, and no text typed here answers it. The dialogue can be sent to the model with the results. It
is shown in place of the context while the user asks. Sends no command.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.ui.sheets.choice_list import ChoiceRow
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.messages import SideQuestionAsked, SideQuestionForwarded
from jp_tui.ui.sheets.port import SheetPort
from jp_tui.ui.sheets.reading import ContextReader
from jp_tui.ui.sheets.side_field import SideField
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.questions.offered_prompt import is_offered
from jp_tui.view.questions.side_questions import SideExchangeView
from jp_tui.view.wording import questions as w

TALK = "talk"
_SCROLLS = {"pageup": -1, "pagedown": 1}


@dataclass(slots=True)
class ShownExchange:
    """One question and the reply to it; `broken` says why the reply broke off."""

    asked: str
    said: str = ""
    ended: bool = False
    broken: str = ""


class SideQuestion:
    """The dialogue beside a question."""

    def __init__(self, sheet: SheetPort, reading: ContextReader) -> None:
        """`reading` shows the dialogue in place of the context."""
        self._sheet, self._reading = sheet, reading
        self.field = Field(gate=sheet.gate, hint=ours(w.ASK_HINT), id="ask")
        self.slot = SideField(
            ours(w.ASK_TITLE), self.field, kept=ours(w.ASK_KEPT), submit=self._submit, hints=self._hints,
            leave=lambda: reading.close(TALK),
        )  # fmt: skip
        self.exchanges: list[ShownExchange] = []
        self.forwarded = False
        """True if the dialogue is sent to the model with the results."""
        self._began = False  # in this process, so that an earlier exchange is neither missing nor double

    @property
    def may_ask(self) -> bool:
        """True if the user can ask back. A result not delivered is shown to no model; others' questions are asked
        in their own process."""
        return self._sheet.prompt.kind != "delivery" and not is_offered(self._sheet.prompt)

    @property
    def waits(self) -> bool:
        """True while the last question has no reply."""
        return bool(self.exchanges) and not self.exchanges[-1].ended

    @property
    def _open(self) -> bool:
        return self._reading.shown_text == TALK

    def texts(self) -> dict[str, Foreign]:
        """Return the dialogue, as a text to read."""
        return {TALK: self._text()} if self.exchanges else {}

    def _text(self) -> Foreign:
        """Return the whole dialogue, the user's text as quotes."""
        return Foreign("\n\n".join(_written(one) for one in self.exchanges))

    def _show(self) -> None:
        if self._open:
            self._reading.follow(self._text())

    # Keys

    def action_ask_back(self) -> None:
        """Open the side question."""
        if self.may_ask and self._sheet.mode != "menu":
            if self.exchanges and not self._open:
                self._reading.open(TALK)
                self._show()
            self._sheet.write(self.field)

    def scrolled(self, key: str) -> bool:
        """Scroll the dialogue by a key pressed in its field. Return True if the key does that."""
        if self._sheet.writing is self.field and self._open and key in _SCROLLS:
            self._reading.aside.page(_SCROLLS[key])
            return True
        return False

    def _submit(self) -> None:
        sheet, text = self._sheet, self.field.value.strip()
        if not text:
            sheet.show_notice(ours(w.NOTHING_ASKED))
        elif self.waits:
            sheet.show_notice(ours(w.STILL_SAYING))
        elif sheet.may_send:
            self._began = True
            self.exchanges.append(ShownExchange(text))
            self.field.put("")
            self._reading.open(TALK)
            sheet.show()
            self._show()
            sheet.post_message(SideQuestionAsked(sheet.prompt, text))

    def _hints(self) -> list[Hint]:
        return [
            Hint("Enter", "ask", "accept", keep=True), Hint("Ctrl+J", "new line", "new_line"),
            Hint("Esc", "back to the question", "leave", keep=True),
        ]  # fmt: skip

    def action_send_along(self) -> None:
        """Send the dialogue to the model with the results, or cancel that."""
        sheet = self._sheet
        if any(one.said for one in self.exchanges) and sheet.armed and sheet.press.fresh:
            self._began = True
            self.forwarded = not self.forwarded
            sheet.post_message(SideQuestionForwarded(sheet.prompt, self.forwarded))
            sheet.show_notice(ours(w.GOES_ALONG if self.forwarded else w.STAYS_ASIDE))

    def hints(self) -> list[Hint]:
        """The key that asks back."""
        return [Hint("?", "ask back", "ask_back")] if self.may_ask else []

    def rows(self) -> list[ChoiceRow]:
        """The lines of the menu."""
        rows = [ChoiceRow("ask", ours(w.ASK), detail=ours(w.ASK_DOES))] if self.may_ask else []
        if any(one.said for one in self.exchanges):
            says, does = (w.KEEP_ASIDE, w.KEEP_ASIDE_DOES) if self.forwarded else (w.SEND_ALONG, w.SEND_ALONG_DOES)
            rows.append(ChoiceRow("along", ours(says), detail=ours(does)))
        return rows

    # Input from the engine

    def recall(self, talk: Sequence[SideExchangeView], forwarded: bool) -> None:
        """Show an earlier dialogue, from the log."""
        if not self._began:
            self.exchanges = [
                ShownExchange(one.asked.raw, one.said.raw, ended=True, broken=one.broken.raw) for one in talk
            ]
            self.forwarded = forwarded
            self._show()

    def received(self, text: Foreign) -> None:
        """Show more of the reply."""
        if self.waits:
            self.exchanges[-1].said += text.raw
            self._show()

    def ended(self, broken: str = "") -> None:
        """End the reply; `broken` says why it broke off."""
        if self.waits:
            self.exchanges[-1].ended, self.exchanges[-1].broken = True, broken
            self._show()

    def restore(self, draft: Draft) -> None:
        """Restore the unsent side question."""
        self.field.put(draft.ask)


def _written(one: ShownExchange) -> str:
    """Return an exchange as Markdown: the question is a quote, whatever it contains."""
    quoted = "\n".join(f"> {line}" for line in neutralise(Foreign(one.asked)).split("\n"))
    said = one.said if one.said or one.ended else "…"
    broken = f"\n\n*{w.BROKE_OFF}* {one.broken}" if one.broken else ""
    return f"{quoted}\n\n{said}{broken}"
