"""The menu of a sheet, which Esc opens: every way out, what each would lose, and keys without room in the last line
(R182, R248; asking.md E60).

It shows lines; `Sheet` runs the one that is chosen. Nothing in it answers or cancels by itself (R248).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from textual.binding import Binding, BindingsMap
from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.choice_list import ChoiceList, ChoiceRow
from jp_tui.ui.sheets.key_line import Hint, KeyLine
from jp_tui.ui.sheets.keys import KeyMap
from jp_tui.ui.text import blank, join, ours
from jp_tui.view.questions import people
from jp_tui.view.questions.offered_prompt import asks_for_itself, is_outside
from jp_tui.view.wording import questions as w

ACTION = "do "
"""Start of the ids of lines that run an action; the action follows."""
_KEYS_PAGE = "keys"
"""Opens the page of all keys, which the app shows."""
_ACTIONS = {
    "reply": "reply", "note": "note", "edit": "edit", "back": "back", "ask": "ask_back", "restore": "restore",
    "end": "end_turn", "decline": "decline",
}  # fmt: skip
"""Lines of the menu that a key does too, by their actions: kinds of answers have other keys."""
_ELSEWHERE = frozenset(
    {"move(1)", "move(-1)", "read(1)", "hunk(1)", "leave", "accept"}  # wheel and clicks; always in sight
    | {*_ACTIONS.values(), "place(1)", "place(-1)"}  # own lines
)
"""Actions that need no line here."""


class SheetMenu:
    """The list of the menu."""

    def __init__(self, prompt: PromptRequest, keys: KeyMap) -> None:
        self._prompt, self._keys = prompt, keys
        self.list = ChoiceList(id="menu")
        self._closes = 0  # the number of other questions that the end of the turn would close
        self._overflow: list[tuple[Hint, str]] = []  # each with its key

    @property
    def at(self) -> str:
        """The line under the cursor, empty for none."""
        return self.list.current.id if self.list.current else ""

    def note_closed(self, closes: int) -> None:
        """Take how many other questions the end of the turn would close."""
        self._closes = closes

    def note_overflow(self, line: KeyLine, hints: Iterable[Hint]) -> None:
        """Remember those of some hints for which the last line has no room."""
        every = [*hints]
        shown = {hint.action for row in line.rows(line.size.width or 1, every) for *_, hint in row}
        self._overflow = [(hint, line.key_of(hint)) for hint in every if hint.action not in shown | _ELSEWHERE]

    def fill(
        self,
        *,
        typed: bool,
        answers: Sequence[ChoiceRow],
        talk: Sequence[ChoiceRow],
        may: Mapping[str, bool],
        bindings: Iterable[Iterable[Binding]],
    ) -> None:
        """Set the lines.

        `typed`: there is unsent text; `answers` are other ways to answer, `talk` are actions without an answer, `may`
        maps reply, note and edit to True if possible. `bindings` name the actions, the nearest first.
        """
        rows = _leaving_rows(self._prompt, self._closes, typed, answers, talk, may)
        rows = [replace(row, key=self._keys.sign_of(_ACTIONS[row.id])) if row.id in _ACTIONS else row for row in rows]
        self.list.rows = (*rows, *_overflow_rows(self._overflow, bindings))

    def move_to(self, line: str) -> None:
        """Move the cursor to a line, or to the first one."""
        self.list.to(self.list.place(line) or 0)


def _leaving_rows(
    prompt: PromptRequest,
    closes: int,
    typed: bool,
    answers: Sequence[ChoiceRow],
    talk: Sequence[ChoiceRow],
    may: Mapping[str, bool],
) -> list[ChoiceRow]:
    """Return what R182 allows, and what each line would lose (R248)."""
    loses = join(ours("; "), ours(w.LOSES_TEXT)) if typed else blank()
    asks = prompt.kind in ("question", "review")
    stays = ours(w.ANSWER if prompt.yours else people.KEEP_WAITING)
    rows = [ChoiceRow("answer", stays, detail=ours(w.ANSWER_DOES)), *answers]
    if may["reply"]:
        says, does = (ours(w.REPLY), ours(w.REPLY_DOES)) if asks else (ours(w.SKIP_REPLY), ours(w.SKIP_REPLY_DOES))
        if is_outside(prompt):
            says, does = ours(w.DECLINE_REPLY), ours(w.DECLINE_REPLY_DOES)
        rows.append(ChoiceRow("reply", says, detail=does))
    if "cancel" in prompt.controls or prompt.kind == "delivery":
        does = ours(w.NO_DELIVERY_DOES if prompt.kind == "delivery" else w.CANCEL_DOES)
        says = ours(w.CANCEL if prompt.yours else people.WITHDRAW_IT)
        if is_outside(prompt):
            says, does = ours(w.DECLINE), ours(w.DECLINE_DOES if asks_for_itself(prompt) else w.DECLINE_CALL_DOES)
        if "decline" in prompt.controls:
            rows.append(ChoiceRow("decline", ours(w.DECLINE), detail=join(ours(w.DECLINE_SERVER_DOES), loses)))
            does = ours(w.CANCEL_SERVER_DOES)
        rows.append(ChoiceRow("cancel", says, detail=join(does, loses)))
    if may["note"]:
        rows.append(ChoiceRow("note", ours(w.NOTE), detail=ours(w.NOTE_DOES)))
    if may["edit"]:
        rows.append(_edit_row(prompt))
    rows += talk
    if "end_turn" in prompt.controls:
        rows.append(ChoiceRow("end", ours(w.END_TURN), detail=_end_does(closes, typed)))
    return rows


def _edit_row(prompt: PromptRequest) -> ChoiceRow:
    if prompt.kind == "delivery":
        return ChoiceRow("edit", ours(w.EDIT_RESULT), detail=ours(w.RESULT_TITLE))
    does = ours(w.EDIT_DOES if prompt.kind == "question" else w.EDIT_RUN_DOES)
    return ChoiceRow("edit", ours(w.EDIT_ARGUMENTS), detail=does)


def _end_does(closes: int, typed: bool) -> Content:
    """Return what ending the turn does and loses."""
    parts = [ours(w.END_TURN_DOES)]
    if closes:
        many = ours("questions") if closes > 1 else ours("question")
        close = ours("close") if closes > 1 else ours("closes")
        parts.append(ours(w.CLOSES, n=closes, questions=many, close=close))
    if typed:
        parts.append(ours(w.LOSES_TEXT))
    return join(*parts, sep=ours("; "))


def _overflow_rows(hints: Iterable[tuple[Hint, str]], bindings: Iterable[Iterable[Binding]]) -> list[ChoiceRow]:
    """Return a line for each hint, and one for the page of keys."""
    bound: dict[str, Binding] = {}
    for some in bindings:
        for _, binding in BindingsMap(some):
            bound.setdefault(binding.action, binding)
    found = [_overflow_row(hint, key, bound.get(hint.action)) for hint, key in hints]
    return [*found, ChoiceRow(ACTION + _KEYS_PAGE, ours(w.ALL_KEYS), detail=ours(w.ALL_KEYS_DOES))]


def _overflow_row(hint: Hint, key: str, binding: Binding | None) -> ChoiceRow:
    says = ours("{says}", says=Foreign(binding.description if binding else hint.words.capitalize()))
    does = Foreign((binding.tooltip if binding else "") or hint.words)
    sign, name = ours("{key}", key=Foreign(key)), ACTION + hint.action
    if len(key) == 1:
        return ChoiceRow(name, says, key=sign, detail=ours("{does}", does=does))
    return ChoiceRow(name, says, detail=ours("{does} ({key})", does=does, key=sign))
