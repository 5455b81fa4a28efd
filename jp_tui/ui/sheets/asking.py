"""Asking back: a small talk with a model about a question, in its sheet, before it is answered (asking.md E30).

The question stays open, and nothing said here answers it. What was said can be sent along with the results. It keeps
what it showed and sends no command; the talk stands in the context's place while one asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.messages import AsideAsked, AsideSent
from jp_tui.ui.sheets.rows import Row
from jp_tui.ui.sheets.slots import Slot
from jp_tui.ui.sheets.walking import Walking
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.questions.offered_prompt import is_offered
from jp_tui.view.questions.side_questions import Aside
from jp_tui.view.wording import questions as w

TALK = "talk"
_SCROLLS = {"pageup": -1, "pagedown": 1}


@dataclass(slots=True)
class Exchange:
    """One question and what was said to it; `broken` why no more was said."""

    asked: str
    said: str = ""
    ended: bool = False
    broken: str = ""


class Asking(Walking):
    """The talk beside a question."""

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        self.wonder = Field(gate=gate, hint=ours(w.ASK_HINT), id="ask")
        self.slots = (*self.slots, Slot(ours(w.ASK_TITLE), self.wonder, kept=ours(w.ASK_KEPT)))
        self.talk: list[Exchange] = []
        self.along = False
        """Whether what was said goes along with the results."""
        self._began = False  # in this life, so that nothing of an earlier one is missing or double

    @property
    def may_ask(self) -> bool:
        """Whether one can ask back: what is not delivered is told to no model, what others hold is asked there."""
        return self.prompt.kind != "delivery" and not is_offered(self.prompt)

    @property
    def waits(self) -> bool:
        """Whether the last question is still being answered."""
        return bool(self.talk) and not self.talk[-1].ended

    def texts(self) -> dict[str, Foreign]:
        return super().texts() | ({TALK: self._talked()} if self.talk else {})

    def _talked(self) -> Foreign:
        """All that was said, the user's words as quotes."""
        return Foreign("\n\n".join(_written(one) for one in self.talk))

    def action_ask_back(self) -> None:
        if self.may_ask and self.mode != "menu":
            if self.talk and self.looking != TALK:
                self.looking = TALK
                self._show_talk()
            self.write(self.wonder)

    def _show_talk(self) -> None:
        if self.looking == TALK:
            self.aside.put(self._talked(), approval=False)
            self.aside.call_after_refresh(self.aside.scroll_to_end)

    def stop_writing(self) -> None:
        if self.writing is self.wonder and self.looking == TALK:
            self.looking = ""
        super().stop_writing()

    def moves(self, key: str) -> bool:
        if self.writing is self.wonder and self.looking == TALK and key in _SCROLLS:
            self.aside.page(_SCROLLS[key])
            return True
        return super().moves(key)

    def side(self) -> bool:
        if self.writing is not self.wonder:
            return super().side()
        text = self.wonder.value.strip()
        if not text:
            self.say(ours(w.NOTHING_ASKED))
        elif self.waits:
            self.say(ours(w.STILL_SAYING))
        elif self.armed and self._fresh and not self.done:
            self._began = True
            self.talk.append(Exchange(text))
            self.wonder.put("")
            self.looking = TALK
            self.show()
            self._show_talk()
            self.post_message(AsideAsked(self.prompt, text))
        return True

    def side_hints(self) -> list[Hint] | None:
        if self.writing is not self.wonder:
            return super().side_hints()
        return [
            Hint("enter", "asks", "accept", keep=True), Hint("ctrl+j", "new line", "new_line"),
            Hint("esc", "back to the question", "leave", keep=True),
        ]  # fmt: skip

    def recall(self, talk: Sequence[Aside], along: bool) -> None:
        """What was said before the program ended, out of the log."""
        if not self._began:
            self.talk = [Exchange(one.asked.raw, one.said.raw, ended=True, broken=one.broken.raw) for one in talk]
            self.along = along
            self._show_talk()

    def said(self, text: Foreign) -> None:
        """More of the answer."""
        if self.waits:
            self.talk[-1].said += text.raw
            self._show_talk()

    def said_all(self, broken: str = "") -> None:
        """No more comes; `broken` says why, when it broke off."""
        if self.waits:
            self.talk[-1].ended, self.talk[-1].broken = True, broken
            self._show_talk()

    def action_send_along(self) -> None:
        """What was said goes along with the results, or stays aside after all."""
        if any(one.said for one in self.talk) and self.armed and self._fresh:
            self._began = True
            self.along = not self.along
            self.post_message(AsideSent(self.prompt, self.along))
            self.say(ours(w.GOES_ALONG if self.along else w.STAYS_ASIDE))

    def asking_hints(self) -> list[Hint]:
        """The key that asks back."""
        return [Hint("?", "ask back", "ask_back")] if self.may_ask else []

    def asking_rows(self) -> list[Row]:
        """The lines of the menu."""
        rows = [Row("ask", ours(w.ASK), detail=ours(w.ASK_DOES))] if self.may_ask else []
        if any(one.said for one in self.talk):
            says, does = (w.KEEP_ASIDE, w.KEEP_ASIDE_DOES) if self.along else (w.SEND_ALONG, w.SEND_ALONG_DOES)
            rows.append(Row("along", ours(says), detail=ours(does)))
        return rows

    # Drafts

    def asked_aside(self) -> str:
        return self.wonder.value

    def restore(self, draft: Draft) -> None:
        super().restore(draft)
        self.wonder.put(draft.ask)


def _written(one: Exchange) -> str:
    """An exchange as Markdown: what was asked is a quote, whatever it holds."""
    quoted = "\n".join(f"> {line}" for line in neutralise(Foreign(one.asked)).split("\n"))
    said = one.said if one.said or one.ended else "…"
    broken = f"\n\n*{w.BROKE_OFF}* {one.broken}" if one.broken else ""
    return f"{quoted}\n\n{said}{broken}"
