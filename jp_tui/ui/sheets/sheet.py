"""A sheet: the box in which one question is shown and answered (R245, R248; asking.md E1, E4, E5, E10).

One widget with the frame, the modes and the way out; it owns an answer area (`area.py`) and its helpers: layout,
keys, menu, drafts, what can be read, fields beside the answer, the side question, the steps of a form. It takes a
prompt and posts `SheetOutcome` once. It sends no command, reads no clock, and never takes the focus by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from jp_tui.conversation.strict_json import Json
from jp_tui.protocol.values import Answered, EndTurn, PartsTaken, PromptRequest, Response
from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.area import AnswerArea
from jp_tui.ui.sheets.choice_list import ChoiceList
from jp_tui.ui.sheets.drafts import SheetDraft
from jp_tui.ui.sheets.field import Field, InputGate
from jp_tui.ui.sheets.form_steps import FormSteps
from jp_tui.ui.sheets.form_tabs import FormTabs
from jp_tui.ui.sheets.key_line import Hint, KeyLine
from jp_tui.ui.sheets.keys import SheetKeys
from jp_tui.ui.sheets.layout import SheetLayout
from jp_tui.ui.sheets.menu import SheetMenu
from jp_tui.ui.sheets.messages import READING, EditorRequested, LayoutChanged, PieceClicked, SheetOutcome
from jp_tui.ui.sheets.reading import ContextReader
from jp_tui.ui.sheets.reply_fields import ReplyFields
from jp_tui.ui.sheets.reviewer_banner import ReviewerBanner
from jp_tui.ui.sheets.side_field import SideField
from jp_tui.ui.sheets.side_question import SideQuestion
from jp_tui.ui.text import blank, ours
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.questions.offered_prompt import is_offered
from jp_tui.view.wording import questions as w

Mode = Literal["answer", "write", "menu"]


class Sheet(Vertical, can_focus=True):
    """One question and the keys that answer it."""

    DEFAULT_CSS = """
    Sheet { height: auto; width: 1fr; padding: 0 1; border: round $primary; background: $surface;
        border-title-color: $primary; border-title-style: bold; border-subtitle-color: $text-muted;
        &.-tool { border: round $warning; border-title-color: $warning; }
        &.-deaf { border: round $foreground 30%; border-title-color: $text-muted; }
        &.-deaf > .answers, &.-deaf > .context { opacity: 50%; }
        &.-gaps > #question, &.-gaps > .context, &.-gaps > ReviewerBanner, &.-gaps > .-head { margin-bottom: 1; }
        & > #beneath { height: auto; }
        & > #question { height: auto; text-style: bold; }
        & > #warning { height: auto; color: $text-warning; text-style: bold; }
        & > #problem { height: auto; color: $text-warning; }
        & > #why, & > .title, & > #time { height: auto; color: $text-muted; }
        & > #time { color: $text-warning; }
    }
    """
    BINDINGS: ClassVar = [
        Binding("up,k,ctrl+p", "move(-1)", "Up", id="sheet.up", tooltip="The choice above"),
        Binding("down,j,ctrl+n", "move(1)", "Down", id="sheet.down", tooltip="The choice below"),
        Binding("home", "edge(-1)", "First", id="sheet.first", tooltip="The first choice"),
        Binding("end", "edge(1)", "Last", id="sheet.last", tooltip="The last choice"),
        Binding("enter", "accept", "Accept", id="sheet.accept", tooltip="Takes what the cursor is on"),
        Binding("b", "back", "Back", id="sheet.back", tooltip="To the question answered last, its answer to change"),
        Binding("u", "restore", "Bring back", id="sheet.restore", tooltip="The answers that Back took away"),
        Binding("tab,right,ctrl+pagedown", "place(1)", "Next", id="sheet.place_next", tooltip="Past what is answered"),
        Binding("shift+tab,left,ctrl+pageup", "place(-1)", "Previous", id="sheet.place_back", tooltip="As Back"),
        Binding("r", "reply", "Reply", id="sheet.reply", tooltip="Answer in words instead; cancels the question"),
        Binding("question_mark", "ask_back", "Ask back", id="sheet.ask", tooltip="Talk about the question, aside"),
        Binding("c", "note", "Note", id="sheet.note", tooltip="A comment that goes along with your answer"),
        Binding("e", "edit", "Edit arguments", id="sheet.edit", tooltip="Change the call's arguments, then run it"),
        Binding("s", "end_turn", "End turn", id="sheet.end", tooltip="Stops the turn; asks once more first"),
        Binding("w", "why", "Why", id="sheet.why", tooltip="Which rule brought this question to you"),
        Binding("v", "aside('reason')", "Whole reason", id="sheet.reason", tooltip="All that the reviewer said"),
        Binding("escape", "leave", "Back or menu", id="sheet.leave", tooltip="Leaves a text field, else the menu"),
        Binding("t", "split", "Side by side", id="sheet.split", tooltip="A diff in one column or in two"),
        Binding("right_square_bracket", "hunk(1)", "Next hunk", id="sheet.next_hunk", tooltip="To the next hunk"),
        Binding("left_square_bracket", "hunk(-1)", "Last hunk", id="sheet.last_hunk", tooltip="To the hunk above"),
        Binding("ctrl+d", READING["ctrl+d"], "Read on", id="sheet.read", tooltip="Scrolls what is asked about down"),
        Binding("ctrl+u", READING["ctrl+u"], "Read back", id="sheet.read_back", tooltip="Scrolls it up"),
        Binding("shift+down", READING["shift+down"], "Line down", id="sheet.line_down", tooltip="One line down"),
        Binding("shift+up", READING["shift+up"], "Line up", id="sheet.line_up", tooltip="One line up"),
    ]
    armed: reactive[bool] = reactive(False, init=False)
    """Whether its keys answer; shown, never only felt (E10)."""

    def __init__(
        self, prompt: PromptRequest, kind: type[AnswerArea], *, gate: InputGate, draft: Draft | None = None
    ) -> None:
        super().__init__(classes="-deaf")
        self.prompt, self.gate = prompt, gate
        self._draft = draft or Draft()
        self.mode: Mode = "answer"
        self.writing: Field | None = None
        """The field that has the keys."""
        self.done = False
        self._edits_first = prompt.edit_first
        self.set_class(prompt.source == "tool" or prompt.kind in ("permission", "delivery"), "-tool")
        self.border_title = texts.title(prompt)
        self.asks, above = texts.question(prompt)
        self.banner = ReviewerBanner(prompt.escalation) if prompt.escalation else None
        self.question = Static(self.asks, id="question")
        self.warning = Static(texts.warning(prompt), id="warning")
        self.warning.display = bool(self.warning.content)
        self.why = Static(texts.why(prompt), id="why")
        self.time = Static(id="time")
        self.problem = Static(id="problem")
        self.line = KeyLine()
        self.fit = SheetLayout(self)
        self.keys = SheetKeys(self, self.BINDINGS, kind.BINDINGS)
        self.drafts = SheetDraft(self)
        self.reading = ContextReader(self, kind.make_context(prompt, above) if above else None)
        self.steps = FormSteps(self)
        self.side = ReplyFields(self)
        self.talk = SideQuestion(self)
        self.menu = SheetMenu(self)
        self.area = kind(self)
        self.slots: tuple[SideField, ...] = (
            *self.area.slots(), *self.area.body.slots(), *self.side.slots, self.talk.slot,
        )  # fmt: skip

    def compose(self) -> ComposeResult:
        for hidden in (self.reading.aside, self.menu.list, self.why, self.time, self.problem):
            hidden.display = False
        if self.steps.tabs:
            yield from (self.steps.tabs, self.steps.beneath)
        if self.banner:
            yield self.banner
        for view in self.reading.views:
            view.add_class("context")
            yield view
        yield self.question
        yield self.warning
        for widget in self.area.body.widgets():
            widget.add_class("answers")
            yield widget
        yield self.menu.list
        for slot in self.slots:
            slot.title.display = slot.field.display = False
            yield from (slot.title, slot.field)
        yield from (self.why, self.time, self.problem, self.line)

    def on_mount(self) -> None:
        self.area.mounted()
        self.drafts.restore(self._draft)

    # State

    @property
    def cramped(self) -> bool:
        """Whether there is too little room to answer."""
        return self.fit.cramped

    @property
    def draft(self) -> Draft:
        """What is typed and not sent."""
        return self.drafts.current

    @property
    def key_owners(self) -> tuple[type, ...]:
        """Classes besides its own that declare keys which work here, for the page of keys."""
        return type(self.area).__mro__

    @property
    def begins(self) -> tuple[Json, ...]:
        """What the answer begins with: as it was before Back (R176), else the default (R192); () without either."""
        question = self.prompt.question
        return self.prompt.prefill or ((question.default,) if question.has_default else ())

    @property
    def knows_why(self) -> bool:
        """Whether there is a rule to show: of a question of another process only what is in its log."""
        return bool(self.prompt.why) or not is_offered(self.prompt)

    @property
    def may_send(self) -> bool:
        """Whether what the key or click at hand sends may leave."""
        return self.armed and self.keys.fresh and not self.done

    # Outcomes

    def answer(self, response: Response) -> None:
        """Post the outcome: once, armed, and by a key or click that may answer."""
        if self.may_send and not self.cramped:
            self.done = True
            self.post_message(SheetOutcome(self.prompt, response))
            self.area.sent()

    def answered(self, value: Json, *, remember: bool = False, parts: PartsTaken | None = None) -> None:
        """Post an answer, with the note beside it, and which parts of what is asked it takes (R251)."""
        self.answer(Answered(value=value, remember=remember, note=self.side.note_text, parts=parts))

    # Showing

    def watch_armed(self) -> None:
        self.set_class(not self.armed, "-deaf")
        self.show()

    def show(self) -> None:
        """Bring what is visible in line with the mode."""
        self.fit.place()
        self.area.body.shown()
        self.post_message(LayoutChanged())

    def show_question(self) -> None:
        """Update the question's line: it says what stands above it."""
        self.question.update(self.area.under() or self.reading.under(self.asks))
        self.post_message(LayoutChanged())

    def waiting(self, place: int, of: int) -> None:
        """Show how many wait and which of them this is."""
        text = ours(w.PLACE, n=place, m=of) if of > 1 else blank()
        self.border_subtitle = text

    def say(self, notice: Content) -> None:
        """Show a notice above the keys; an empty one removes it."""
        self.problem.update(notice)
        self.problem.display = bool(notice)
        self.post_message(LayoutChanged())

    def count(self, left: float | None) -> None:
        """Show the seconds that are left to answer (E13); None where there is no limit."""
        new = left is not None and not self.time.display
        self.time.display = left is not None
        self.time.update(texts.time_left(left) if left is not None else blank(), layout=new)
        if new:
            self.post_message(LayoutChanged())

    # Modes

    def turn(self, mode: Mode) -> None:
        """Change what the keys are for: the answer, a field, the menu."""
        self.mode = mode
        self.show()

    def write(self, field: Field) -> None:
        """Give a field the keys."""
        self.area.body.enter(field)
        self.give_keys(field)

    def give_keys(self, field: Field) -> None:
        """Give a field the keys without preparing the answer for it."""
        self.writing = field
        self.turn("write")

    def release_keys(self) -> None:
        """Take the keys from the field that has them, without showing that yet."""
        self.writing = None
        self.mode = "answer"

    def stop_writing(self) -> None:
        """Take the keys from the field; its text stays."""
        self.area.body.leave()
        if slot := self._slot:
            slot.leave()
        self.writing = None
        self.turn("answer")
        self.area.body.left()

    @property
    def _slot(self) -> SideField | None:
        """The slot whose field has the keys."""
        return next((slot for slot in self.slots if slot.field is self.writing), None) if self.writing else None

    def pasted(self, text: str) -> None:
        """Handle a paste while no field is written in: it never answers, and it is not thrown away (E11)."""
        if not self.area.body.pasted(text) and "reply" in self.prompt.controls:
            self.write(self.side.reply)
            self.side.reply.insert_text(text)

    def listening(self) -> None:
        """React to the keys being accepted, or to the return from the menu.

        A prompt that wants its arguments edited first opens in the editor, the first time.
        """
        if self._edits_first:
            self._edits_first = False
            self.keys.run("edit")
        self.area.listening()

    # Keys of the last line

    def slot_hints(self) -> list[Hint] | None:
        """The keys of the field beside the answer that is written in; None when there is none."""
        own = (*self.area.slots(), *self.area.body.slots())
        return self._slot.hints() if self._slot and self._slot not in own else None

    def hints(self) -> list[Hint]:
        """The keys that work now, in order of importance."""
        return self.area.arranged(self._hints())

    def _hints(self) -> list[Hint]:
        if self.mode == "menu":
            return [
                Hint("↑↓", "move", "move(1)"), Hint("enter", "take", "accept", keep=True),
                Hint("esc", "back", "leave", keep=True),
            ]  # fmt: skip
        if self.writing is not None:
            return self.slot_hints() or [*self._field_hints(self.writing), *self.steps.field_hints()]
        found = [*self.area.answer_hints(), *self.steps.hints()]
        if self.side.may_reply:
            found.append(Hint("r", "reply", "reply"))
        if self.side.may_note:
            found.append(Hint("c", "note", "note"))
        if self.side.may_edit:
            found.append(Hint("e", "edit", "edit"))
        if "end_turn" in self.prompt.controls:
            found.append(Hint("s", "end turn", "end_turn"))
        found += [*self.talk.hints(), Hint("esc", "menu", "leave", keep=True), *self.steps.place_hints()]
        return [*found, *self.reading.hints(), *([Hint("w", "why", "why")] if self.knows_why else [])]

    def _field_hints(self, field: Field) -> list[Hint]:
        return self._slot.hints() if self._slot else self.area.body.field_hints(field)

    # Actions

    def action_move(self, by: int) -> None:
        moved = self.menu.list if self.mode == "menu" else self.area.body.choices
        if moved is not None:
            moved.move(by)

    def action_edge(self, by: int) -> None:
        moved = self.menu.list if self.mode == "menu" else self.area.body.choices
        if moved is not None:
            moved.to(0 if by < 0 else len(moved.rows) - 1)

    def action_accept(self) -> None:
        """Enter, wherever the user is."""
        if self.writing is not None:
            if self._slot:
                self._slot.submit()
            else:
                self.area.body.submit(self.writing)
        elif self.mode == "menu" and self.menu.at:
            self.menu.choose(self.menu.at)
        elif self.mode == "answer":
            self.area.accept()

    def action_leave(self) -> None:
        """Esc, wherever the user is."""
        if self.writing is not None:
            self.stop_writing()
        elif self.mode == "menu":
            self.menu.choose("answer")
        else:
            self.menu.open("answer")

    def action_new_line(self) -> None:
        if self.writing is not None:
            self.writing.insert_text("\n")

    def action_editor(self) -> None:
        """Open the field's text in the user's own editor; the dock knows how to leave the screen for it."""
        if self.writing is not None:
            self.post_message(EditorRequested(self.writing))

    def action_end_turn(self) -> None:
        """Ask once more: the second `s`, or Enter, ends the turn."""
        if self.mode == "menu" and self.menu.at == "end":
            self.answer(EndTurn())
        elif "end_turn" in self.prompt.controls:
            self.menu.open("end")

    def action_why(self) -> None:
        """Show which rule brought the question here."""
        if not self.knows_why:
            return
        if "why" in self.reading.texts():
            self.reading.look_at("why")
        else:
            self.why.display = not self.why.display
        self.post_message(LayoutChanged())

    # What is received

    def checked(self, revision: int, problems: Sequence[tuple[str, str]]) -> None:
        """Take a verdict of the engine, for an area that asked for one."""
        self.area.checked(revision, problems)

    # Keys, pastes and clicks: each goes through the gate first, wherever Textual sent it

    def on_key(self, event: events.Key) -> None:
        if self.gate.key(event):
            event.stop()
            event.prevent_default()
        elif self.writing is not None:  # sent here just before the field got the focus
            self.writing.take(event)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if not self.gate.paste(event) and self.writing is not None:
            self.writing.insert_text(event.text)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.gate.pressed(event)

    @on(KeyLine.Pressed)
    def _hint_clicked(self, event: KeyLine.Pressed) -> None:
        if self.keys.knows(event.action):  # other actions are the dock's
            event.stop()
            self.keys.begin(self.gate.click())
            self.keys.run(event.action)

    @on(FormTabs.Picked)
    def _tab_clicked(self, event: FormTabs.Picked) -> None:
        event.stop()
        self.keys.begin(self.gate.click())
        if self.armed:
            self.steps.pick(event.place)

    @on(ChoiceList.Picked)
    def _row_clicked(self, event: ChoiceList.Picked) -> None:
        event.stop()
        self.keys.begin(self.gate.click())
        if event.choices is self.menu.list:
            self.menu.choose(event.id)
        else:
            self.area.body.picked(event.id)

    @on(PieceClicked)
    def _piece_clicked(self, event: PieceClicked) -> None:
        event.stop()
        may = self.gate.click()
        self.keys.begin(may)
        event.may_act = may
        self.area.clicked(event)

    @on(Field.Clicked)
    def _field_clicked(self, event: Field.Clicked) -> None:
        event.stop()
        if self.gate.click():
            self.write(event.field)

    # What happens in its widgets

    @on(Field.Edited)
    def _edited(self, event: Field.Edited) -> None:
        event.stop()
        self.area.body.edited(event.field)
        self.post_message(LayoutChanged())
        self.drafts.changed()

    @on(ChoiceList.Moved)
    def _moved(self, event: ChoiceList.Moved) -> None:
        if event.choices is not self.menu.list:
            event.stop()
            self.area.body.moved()
            self.post_message(LayoutChanged())

    @on(ContextView.Seen)
    def _seen(self) -> None:
        self.area.body.seen()
        if self.reading.context is not None:
            self.show_question()
