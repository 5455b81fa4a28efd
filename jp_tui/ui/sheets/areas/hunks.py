"""A change that is answered hunk by hunk (R251; asking.md E15, E26): each is selected or not, and may have a comment.

Yes applies the selected hunks, and is remembered only when these are all. Hunks that were not on the screen are
counted; a yes that covers one needs a second key press. Comments are sent with a no as well.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding
from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PartsTaken, PromptRequest
from jp_tui.questions.types import BooleanAnswer, Part
from jp_tui.ui.painting import diff
from jp_tui.ui.painting.context import APPROVED, LINES
from jp_tui.ui.painting.hunks_outline import beside, outlines
from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.area import AnswerArea, AnswerSheet
from jp_tui.ui.sheets.areas import boolean
from jp_tui.ui.sheets.areas.hunk_view import HunkView
from jp_tui.ui.sheets.areas.yes_no import YES_NO_KEYS, YesNoBody
from jp_tui.ui.sheets.choice_list import ChoiceRow
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.messages import PieceClicked
from jp_tui.ui.sheets.reply_fields import text_hints
from jp_tui.ui.sheets.side_field import SideField
from jp_tui.ui.text import MOST, MOST_LINES, join, ours, styled
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w

TITLE = 200
"""Characters of a part's title that cost nothing to lay out."""


def by_hunks(prompt: PromptRequest) -> bool:
    """Return True if a prompt can be shown by its parts: there are several, and they are all that its diff changes.

    Otherwise the user could not see the changes they reject, and the diff is answered as a whole.
    """
    question = prompt.question
    parts = question.parts
    if prompt.kind != "question" or len(parts) < 2 or not isinstance(question.answer_type, BooleanAnswer):
        return False
    if sum(len(part.diff) for part in parts) > 4 * APPROVED or any(len(part.diff) > APPROVED for part in parts):
        return False  # more than the user can read to its end, and laying it out would block the keys (T4)
    if len(question.text) > texts.LONG or question.text.count("\n") > 3:
        return False
    if _has_long_titles(question.context or "", parts):
        return False
    rest = beside(question.context or "", parts)
    if rest is not None:
        return not any(diff.counts(diff.read(rest)))
    whole = diff.counts(diff.read(question.context or ""))
    pieces = [diff.counts(diff.read(part.diff)) for part in parts]
    return whole == tuple(sum(counted) for counted in zip(*pieces, strict=True))


def _has_long_titles(context: str, parts: Sequence[Part]) -> bool:
    """Return True if titles, or a context without its hunks, are longer than a widget should lay out at once. The
    context as a whole scrolls, and its cut lines are counted (T4)."""
    if sum(max(len(part.title) - TITLE, 0) for part in parts) > MOST:
        return True
    more = len(context) - sum(len(part.diff) for part in parts)
    lines = context.count("\n") - sum(part.diff.count("\n") for part in parts)
    if more > APPROVED or lines > 2 * LINES:
        return True
    if more <= MOST and lines <= MOST_LINES:
        return False
    words = _before(context, parts)
    return len(words) > MOST_LINES or sum(map(len, words)) > MOST


def _before(context: str, parts: Sequence[Part]) -> list[str]:
    """Return the lines of a context besides its hunks and the names of files."""
    rest = beside(context, parts)
    read = diff.read(context if rest is None else rest)
    return [one.text for one in read if one.sign in " +-" and not one.digits and one.text.strip()]


def _view(prompt: PromptRequest) -> HunkView:
    question = prompt.question
    before = _before(question.context or "", question.parts)
    return HunkView(question.parts, named=prompt.subject.raw, before=before)


class HunkArea(AnswerArea):
    """A decision to apply all changes or some of them."""

    BINDINGS: ClassVar[list[Binding]] = [
        *YES_NO_KEYS,
        Binding("space", "take_hunk", "Select or clear", id="sheet.hunk", tooltip="Select or clear this hunk"),
        Binding("a", "all_hunks", "All or none", id="sheet.hunks_all", tooltip="Select all hunks, or none"),
        Binding("c", "comment", "Comment", id="sheet.comment", tooltip="Comment on this hunk"),
        Binding("C", "note", "Note", id="sheet.hunk_note", tooltip="Add a note on the whole change"),
    ]
    body: YesNoBody

    @classmethod
    def make_context(cls, prompt: PromptRequest, above: Foreign) -> ContextView:
        return _view(prompt)

    def __init__(self, sheet: AnswerSheet) -> None:
        view, parts = sheet.reading.context, sheet.prompt.question.parts
        self._sheet = sheet
        self.view = view if isinstance(view, HunkView) else _view(sheet.prompt)  # hunks that change nothing: no context
        self.comment = Field(gate=sheet.gate, hint=ours(w.COMMENT_HINT), id="comment")
        self._slot = SideField(
            ours(w.COMMENT_TITLE, n=1), self.comment, submit=sheet.stop_writing, leave=self._leave_comment,
            hints=lambda: text_hints("keep the comment"),
        )  # fmt: skip
        self._commenting = ""  # the part whose comment is in the field
        known = zip(parts, outlines(parts), strict=True)
        self._counts = {part.id: (one.added, one.removed) for part, one in known}
        self.body = YesNoBody(
            sheet, rows=self._rows, decide=self._decide, unseen=self._unseen, first=boolean.first(sheet.prompt),
            warned=sheet.prompt.human_only, refusal=self._refusal,
        )  # fmt: skip

    def slots(self) -> tuple[SideField, ...]:
        return (self._slot,)

    # Texts

    @property
    def _partial(self) -> bool:
        return len(self.view.taken) < len(self.view.parts)

    def _rows(self) -> tuple[ChoiceRow, ...]:
        rows = boolean.rows(self._sheet.prompt, unseen=self.view.parts_unseen > 0)
        return tuple(self._counted(row) if row.id == "yes" else self._remembered(row) for row in rows)

    def _counted(self, row: ChoiceRow) -> ChoiceRow:
        n, m = len(self.view.taken), len(self.view.parts)
        tags = ours(w.SOME_TAKEN, n=n, m=m) if n < m else row.tags
        return ChoiceRow(row.id, row.label, row.key, tags, dim=row.dim or not n)

    def _remembered(self, row: ChoiceRow) -> ChoiceRow:
        dim = row.dim or (row.id == "yes_turn" and self._partial)
        return ChoiceRow(row.id, row.label, row.key, row.tags, row.detail, dim)

    def under(self, question: Content) -> Content:
        n, m = len(self.view.taken), len(self.view.parts)
        taken = ours(w.HUNKS, n=m) if n == m else ours(w.TAKEN, n=n, m=m)
        said = ours("{taken} · {changes}", taken=taken, changes=self._changes())
        notes = [ours("  "), styled(said, f"not bold {texts.MUTED}")]
        if unseen := self.view.parts_unseen:
            notes += [ours("  "), ours(w.UNSEEN_HUNKS, "not bold $text-warning", n=unseen, m=m)]
        return join(question, *notes)

    def _changes(self) -> Content:
        taken = [self._counts[name] for name in self.view.taken]
        return ours(w.CHANGES, added=sum(one[0] for one in taken), removed=sum(one[1] for one in taken))

    def _unseen(self) -> Content | None:
        """Return how many hunks were not on the screen; None when all were (E15)."""
        n, m = self.view.parts_unseen, len(self.view.parts)
        return ours(w.WERE_UNSEEN_HUNKS, n=n, m=m) if n else None

    # Hunks

    def action_take_hunk(self) -> None:
        """Select or deselect the hunk under the cursor."""
        if self._sheet.mode == "answer":
            self._accept_hunks(self.view.taken ^ {self.view.here.id})
            self.view.reveal()

    def action_all_hunks(self) -> None:
        """Select every hunk, or none when all are selected."""
        if self._sheet.mode == "answer":
            every = frozenset(part.id for part in self.view.parts)
            self._accept_hunks(every if self.view.taken != every else frozenset())

    def _accept_hunks(self, taken: frozenset[str]) -> None:
        self.view.select(taken)
        self._show_taken()
        self._sheet.answer_changed()

    def _show_taken(self) -> None:
        self.body.show_rows()
        self._sheet.show_question()

    def clicked(self, event: PieceClicked, may: bool) -> None:
        assert isinstance(event, HunkView.Picked)
        if self._sheet.armed and may and self._sheet.mode == "answer":
            self._accept_hunks(self.view.taken ^ {event.part})

    # Comments

    def action_comment(self) -> None:
        """Comment on the hunk under the cursor."""
        if self._sheet.mode == "answer":
            part = self.view.here
            self._commenting = part.id
            self._slot.title.update(ours(w.COMMENT_TITLE, n=self.view.at + 1))
            self.comment.put(self.view.comments.get(part.id, ""))
            self.view.reveal()
            self._sheet.write(self.comment)

    def _keep_comment(self) -> None:
        """Keep the field's text as the comment."""
        if self._commenting:
            self.view.comment(self._commenting, self.comment.value)

    def _leave_comment(self) -> None:
        self._keep_comment()
        self._commenting = ""
        self.comment.put("")
        self.view.marked()

    # The answer

    def accept(self) -> None:
        self.body.accept()

    def _refusal(self, what: str) -> Content | None:
        if what.startswith("yes") and not self.view.taken:
            return ours(w.NO_HUNK)
        return ours(w.PARTIAL_ONCE) if what == "yes_turn" and self._partial else None

    def _decide(self, what: str) -> None:
        self._keep_comment()
        yes = what.startswith("yes")
        accepted = self.view.accepted if yes else ()
        said = {name: text for name, text in self.view.comments.items() if text.strip()}
        whole = not said and (self._partial is False or not yes)
        parts = None if whole else PartsTaken(accepted=accepted, comments=said)
        rule = self.body.rule(what)
        self._sheet.answered(yes, remember=what.endswith("turn") and rule is None, parts=parts, rule=rule)

    def texts(self) -> dict[str, Foreign]:
        return self.body.texts()

    def answer_hints(self) -> list[Hint]:
        return [
            Hint("Space", "select or clear", "take_hunk", keep=True), Hint("] [", "hunk", "hunk(1)"),
            Hint("a", "all", "all_hunks"), Hint("c", "comment", "comment"), *self.body.hints(),
        ]  # fmt: skip

    def arranged(self, hints: list[Hint]) -> list[Hint]:
        """Put the keys first that a change needs most: the list names y and n, and arrows are known."""
        found = {one.action: one for one in self.body.arranged(hints)}
        if self._sheet.mode != "answer" or self._sheet.writing is not None:
            return list(found.values())
        last = [one for name in ("edit", "read(1)", "move(1)", "why") if (one := found.pop(name, None))]
        note = [Hint("C", "note", "note")] if found.pop("note", None) else []
        return [*found.values(), *note, *last]

    # Drafts

    def typed(self) -> str | None:
        self._keep_comment()
        if not self._partial and not self.view.comments:
            return None
        return json.dumps({"accepted": self.view.accepted, "comments": dict(self.view.comments)}, ensure_ascii=False)

    def restore(self, draft: Draft) -> Draft:
        try:
            kept = json.loads(draft.answer) if draft.answer else None
        except (ValueError, RecursionError):
            kept = None
        if isinstance(kept, dict) and isinstance(kept.get("accepted"), list):
            comments = kept.get("comments")
            said = comments.items() if isinstance(comments, dict) else ()
            self.view.restore(
                frozenset(name for name in kept["accepted"] if isinstance(name, str)),
                {name: text for name, text in said if isinstance(text, str)},
            )
            self._show_taken()
        return draft
