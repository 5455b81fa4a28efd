"""Leave to run a call (R86, R87, R90, M34): the call as it would run, and seven choices.

Run and skip, once or for the rest of the turn, skip with a reason, the arguments as JSON, edit them first. Nothing is
preselected and Enter accepts nothing until the user moved: this is a person's to decide. Where the editor comes first,
leaving it leads to the choices, and the menu cancels the edit.
"""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Permitted, Response
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.rows import Row
from jp_tui.ui.sheets.verdict import VERDICT, VerdictSheet
from jp_tui.ui.text import ours
from jp_tui.view.wording import questions as w

_MORE = ("print", "reply", "edit")


class PermissionSheet(VerdictSheet):
    """May this tool run?"""

    BINDINGS: ClassVar = [
        *VERDICT,
        Binding("p", "print", "Arguments", id="sheet.arguments", tooltip="The arguments as JSON, and back"),
    ]

    @property
    def warned(self) -> bool:
        return True

    @property
    def may_reply(self) -> bool:
        return True

    @property
    def may_edit(self) -> bool:
        return bool(self.prompt.arguments)

    def texts(self) -> dict[str, Foreign]:
        return super().texts() | ({"arguments": self.prompt.arguments} if self.prompt.arguments else {})

    def rows(self) -> tuple[Row, ...]:
        dim, remember = self.unseen, "remember" in self.prompt.controls
        rows = [Row("yes", ours(w.RUN), ours("y"), dim=dim)]
        rows += [Row("yes_turn", ours(w.RUN_TURN), ours("Y"), dim=dim)] if remember else []
        rows.append(Row("no", ours(w.SKIP), ours("n")))
        rows += [Row("no_turn", ours(w.SKIP_TURN), ours("N"))] if remember else []
        rows += [Row("print", ours(w.PRINT_ARGUMENTS), ours("p"))] if self.prompt.arguments else []
        rows.append(Row("reply", ours(w.SKIP_REPLY), ours("r")))
        rows += [Row("edit", ours(w.EDIT_ARGUMENTS), ours("e"))] if self.may_edit else []
        return tuple(rows)

    def decide(self, what: str) -> None:
        if what in _MORE:
            self.run_here(what)
        else:
            self.answer(Permitted(run=what.startswith("yes"), remember=what.endswith("turn")))

    def action_print(self) -> None:
        """The arguments as JSON, and back."""
        if self.mode == "answer":
            self.action_aside("arguments")

    def replied(self, text: str) -> Response:
        return Permitted(run=False, reason=text)

    def more_rows(self) -> list[Row]:
        if not self.prompt.edit_first:
            return []
        return [Row("no_edit", ours(w.CANCEL), detail=ours(w.SKIP_CANCEL_DOES))]

    def choose(self, line: str) -> None:
        if line == "no_edit":
            self.answer(Permitted(run=False, reason=w.EDIT_CANCELLED))
        else:
            super().choose(line)

    def answer_hints(self) -> list[Hint]:
        says = Hint("p", "the call" if self.looking == "arguments" else "as JSON", "print")
        return [*super().answer_hints(), *([says] if self.prompt.arguments else [])]
