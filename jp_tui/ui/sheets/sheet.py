"""A sheet: the box in which one question is shown and answered (R245, R248; asking.md E1, E4, E5, E10).

One widget with the modes, the keys and the way out. It owns an answer area (`area.py`) and its parts: frame and layout,
menu, draft, readable texts, fields beside the answer, the side question, the steps of a form. It takes a prompt and
posts `SheetOutcome` once. It sends no command, reads no clock, and never takes the focus by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import actions, events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from jp_tui.conversation.strict_json import Json
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import (
    Answered,
    Cancelled,
    ChosenRule,
    Delivered,
    EndTurn,
    PartsTaken,
    Permitted,
    PromptRequest,
    Response,
    Restored,
    Submitted,
    WentBack,
)
from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.area import AnswerArea
from jp_tui.ui.sheets.choice_list import ChoiceList
from jp_tui.ui.sheets.drafts import SheetDraft
from jp_tui.ui.sheets.field import Field, InputGate
from jp_tui.ui.sheets.form_steps import FormSteps
from jp_tui.ui.sheets.form_tabs import FormTabs
from jp_tui.ui.sheets.key_line import Hint, KeyLine
from jp_tui.ui.sheets.keys import KeyMap, KeyPress
from jp_tui.ui.sheets.layout import SheetFrame, SheetLayout
from jp_tui.ui.sheets.menu import ACTION, SheetMenu
from jp_tui.ui.sheets.messages import (
    READING,
    EditorRequested,
    HandOverRequested,
    LayoutChanged,
    PieceClicked,
    SheetOutcome,
)
from jp_tui.ui.sheets.port import Mode
from jp_tui.ui.sheets.reading import ContextReader
from jp_tui.ui.sheets.reply_fields import ReplyFields
from jp_tui.ui.sheets.reviewer_banner import whole_reason
from jp_tui.ui.sheets.side_field import SideField
from jp_tui.ui.sheets.side_question import SideQuestion
from jp_tui.ui.text import blank, ours
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view.questions import people
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.questions.offered_prompt import is_offered
from jp_tui.view.wording import questions as w

TWICE = 1.0
"""Seconds within which a second Ctrl+C ends the turn (R248)."""
ANSWERS = (Answered, Permitted, Delivered, Submitted)
"""Responses that decide a question."""
_SWALLOWED = frozenset({"tab", "shift+tab", "backspace", "delete"})
"""Keys that would act on the field or move the focus: while a sheet is open they do nothing (R245)."""


class Sheet(Vertical, can_focus=True):
    """One question and the keys that answer it."""

    DEFAULT_CSS = """
    Sheet { height: auto; width: 1fr; padding: 0 1; border: round $primary; background: $surface;
        border-title-color: $primary; border-title-style: bold; border-subtitle-color: $text-muted;
        &.-tool { border: round $warning; border-title-color: $warning; }
        &.-deaf { border: round $foreground 30%; border-title-color: $text-muted; }
        &.-deaf > .answers, &.-deaf > .context { opacity: 50%; }
        &.-gaps > #question, &.-gaps > .context, &.-gaps > .-head { margin-bottom: 1; }
        &.-gaps > #question.-asked { margin-bottom: 0; }
        &.-gaps > #people { margin-bottom: 1; }
        &.-gaps > #aside { margin-bottom: 0; }
        & > #beneath { height: auto; }
        & > #question { height: auto; text-style: bold; }
        & > #people { height: auto; color: $text-accent; }
        & > #warning { height: auto; color: $text-warning; text-style: bold; }
        & > #problem { height: auto; color: $text-warning; }
        & > .title, & > #time { height: auto; color: $text-muted; }
        & > #time { color: $text-warning; }
    }
    """
    BINDINGS: ClassVar = [
        Binding("up,k,ctrl+p", "move(-1)", "Up", id="sheet.up", tooltip="Go to the previous option"),
        Binding("down,j,ctrl+n", "move(1)", "Down", id="sheet.down", tooltip="Go to the next option"),
        Binding("home", "edge(-1)", "First", id="sheet.first", tooltip="Go to the first option"),
        Binding("end", "edge(1)", "Last", id="sheet.last", tooltip="Go to the last option"),
        Binding("enter", "accept", "Select", id="sheet.accept", tooltip="Select the highlighted option"),
        Binding("b", "back", "Back", id="sheet.back", tooltip="Change the previous answer"),
        Binding("u", "restore", "Restore", id="sheet.restore", tooltip="Restore the answers Back removed"),
        Binding(
            "tab,right,ctrl+pagedown",
            "place(1)",
            "Next",
            id="sheet.place_next",
            tooltip="In a form: go to the next answered question",
        ),
        Binding(
            "shift+tab,left,ctrl+pageup",
            "place(-1)",
            "Previous",
            id="sheet.place_back",
            tooltip="In a form: go to the previous question",
        ),
        Binding("r", "reply", "Reply", id="sheet.reply", tooltip="Reply with text; cancels the question"),
        Binding("question_mark", "ask_back", "Ask back", id="sheet.ask", tooltip="Ask a model about the question"),
        Binding("c", "note", "Note", id="sheet.note", tooltip="Add a note to your answer"),
        Binding("e", "edit", "Edit arguments", id="sheet.edit", tooltip="Change the arguments, then run"),
        Binding("s", "end_turn", "End turn", id="sheet.end", tooltip="Stop the turn, after a confirmation"),
        Binding("w", "why", "Why", id="sheet.why", tooltip="Show why you are asked"),
        Binding("h", "hand_over", "Hand over", id="sheet.hand", tooltip="Let another person or group answer"),
        Binding("v", "aside('reason')", "Whole reason", id="sheet.reason", tooltip="Show the reviewer's whole reason"),
        Binding("escape", "leave", "Back or menu", id="sheet.leave", tooltip="Leave the text field, or open the menu"),
        Binding("t", "split", "Side by side", id="sheet.split", tooltip="Show the diff in one or two columns"),
        Binding("right_square_bracket", "hunk(1)", "Next hunk", id="sheet.next_hunk", tooltip="Go to the next hunk"),
        Binding(
            "left_square_bracket", "hunk(-1)", "Previous hunk", id="sheet.last_hunk", tooltip="Go to the previous hunk"
        ),
        Binding("ctrl+d", READING["ctrl+d"], "Scroll down", id="sheet.read", tooltip="Scroll the context down"),
        Binding("ctrl+u", READING["ctrl+u"], "Scroll up", id="sheet.read_back", tooltip="Scroll the context up"),
        Binding(
            "shift+down",
            READING["shift+down"],
            "Line down",
            id="sheet.line_down",
            tooltip="Scroll the context down one line",
        ),
        Binding(
            "shift+up", READING["shift+up"], "Line up", id="sheet.line_up", tooltip="Scroll the context up one line"
        ),
    ]

    def __init__(
        self, prompt: PromptRequest, kind: type[AnswerArea], *, gate: InputGate, draft: Draft | None = None
    ) -> None:
        super().__init__(classes="-deaf")
        self._asked, self.gate = prompt, gate
        self._draft = draft or Draft()
        self.mode: Mode = "answer"
        self.writing: Field | None = None
        """The field that has the keys."""
        self.armed = False
        """Keys answer; the screen shows it (E10)."""
        self.done = self.unsent = self.shared = False
        """`shared`: other people use the store, too."""
        self._edits_first = prompt.edit_first
        self._overruled = ""  # who looks at it, as the user was warned of by a first answer
        self._interrupted = float("-inf")
        self.set_class(prompt.source == "tool" or prompt.kind in ("permission", "delivery"), "-tool")
        self.border_title = texts.title(prompt)
        self._question, above = texts.question(prompt)
        self.press = KeyPress()
        self._keys = KeyMap(self.BINDINGS, kind.bindings_for(prompt))
        self.frame = SheetFrame(prompt, self._question)
        self.menu = SheetMenu(prompt, self._keys)
        context = kind.make_context(prompt, above) if above else None
        self.reading = ContextReader(
            context, self.frame.banner, others=self._texts, show=self.show, relayout=self.relayout
        )
        self.steps = FormSteps(
            self, tab_moves=self._keys.action_of("tab") == "place(1)", changed=lambda: self.area.changed
        )
        self.reply_fields = ReplyFields(self)
        self.side_question = SideQuestion(self, self.reading)
        self.area = kind(self)
        self._answer_fields = (*self.area.slots(), *self.area.body.slots())
        self._fields = (*self._answer_fields, *self.reply_fields.slots, self.side_question.slot)
        self.row_layout = SheetLayout(
            self, self.frame, self.area.body, self._fields, self.menu.list, hints=self.hints,
            gaps=lambda gaps: self.set_class(gaps, "-gaps"),
        )  # fmt: skip
        self.drafts = SheetDraft(self, self.area, self.reply_fields, self.side_question, self.set_timer)

    def compose(self) -> ComposeResult:
        frame = self.frame
        self.reading.aside.display = self.menu.list.display = False
        frame.hide_notices()
        if self.steps.tabs:
            yield from (self.steps.tabs, self.steps.beneath)
        if frame.banner:
            yield frame.banner
        for view in self.reading.views:
            view.add_class("context")
            yield view
        yield frame.question
        yield frame.people
        yield frame.warning
        for widget in self.area.body.widgets():
            widget.add_class("answers")
            yield widget
        yield self.menu.list
        for one in self._fields:
            one.title.display = one.field.display = False
            yield from (one.title, one.field)
        yield from (frame.time, frame.notice, frame.line)

    def on_mount(self) -> None:
        self.area.mounted()
        self.restore_draft(self._draft)

    # State

    @property
    def prompt(self) -> PromptRequest:
        """The question, with the people that it asks now."""
        return self._asked

    @property
    def cramped(self) -> bool:
        """True if there is too little room to answer."""
        return self.row_layout.cramped

    @property
    def draft(self) -> Draft:
        """The unsent input."""
        return self.drafts.current

    @property
    def key_owners(self) -> tuple[type, ...]:
        """Classes besides its own that declare keys which work here, for the page of keys."""
        return type(self.area).__mro__

    @property
    def initial(self) -> tuple[Json, ...]:
        """The initial answer: as it was before Back (R176), else the default (R192); () without either."""
        question = self.prompt.question
        return self.prompt.prefill or ((question.default,) if question.has_default else ())

    @property
    def may_send(self) -> bool:
        """True if the message of the key or click at hand may be sent."""
        return self.armed and self.press.fresh and not self.done

    @property
    def _knows_why(self) -> bool:
        """True if there is a rule to show: for a question of another process, only if its log has one."""
        return bool(self.prompt.why) or not is_offered(self.prompt)

    @property
    def _side_field(self) -> SideField | None:
        """The field below the answers that has the keys."""
        return next((one for one in self._fields if one.field is self.writing), None) if self.writing else None

    # Outcomes

    def answer(self, response: Response) -> None:
        """Post the outcome: once, armed, and by a key or click that may answer. Where another person looks at the
        question, an answer is asked for again before it overrules that (store.md D16)."""
        if self.may_send and not self.cramped:
            if self._overrules(response):
                return
            self.done = True
            self.post_message(SheetOutcome(self.prompt, response))
            self.area.sent()

    def _overrules(self, response: Response) -> bool:
        """Ask for a first answer again where another person looks at the question. Return True if it was."""
        who = self.prompt.claimed_by
        if not who or who == self._overruled or not isinstance(response, ANSWERS):
            return False
        self._overruled = who
        self.show_notice(ours(people.CLAIMED, who=Foreign(who)))
        return True

    def answered(
        self,
        value: Json,
        *,
        remember: bool = False,
        parts: PartsTaken | None = None,
        rule: ChosenRule | None = None,
    ) -> None:
        """Post an answer, with the note beside it, and the accepted parts of a change (R251)."""
        self.answer(Answered(value=value, remember=remember, note=self.reply_fields.note_text, parts=parts, rule=rule))

    def reopen(self) -> None:
        """Allow another outcome: the last one was refused, or did not leave."""
        self.done = self.unsent = False

    # Showing

    def arm(self, armed: bool) -> None:
        """Let keys answer, or not yet."""
        if armed != self.armed:
            self.armed = armed
            self.set_class(not armed, "-deaf")
            self.show()
            self.refresh()  # scroll bars inside as well

    def show(self) -> None:
        """Update the display after a change of state."""
        self.row_layout.place()
        self.area.body.shown()
        self.relayout()

    def relayout(self) -> None:
        """Lay out again: parts need other heights, or another widget has the keys."""
        self.post_message(LayoutChanged())

    def show_question(self) -> None:
        """Update the question's line, which names the text above it."""
        under = self.area.under(self._question) or self.reading.under(self._question)
        self.frame.question.update(under)
        self.relayout()

    def people_changed(self, prompt: PromptRequest) -> None:
        """Show a question that more people approved, that another looks at, or that was handed over."""
        self._asked = prompt
        self.frame.show_people(prompt)
        self.reading.renew("why")
        self.show()

    def waiting(self, place: int, of: int) -> None:
        """Show how many questions wait and which of them this is."""
        text = ours(w.PLACE, n=place, m=of) if of > 1 else blank()
        self.border_subtitle = text

    def entitle(self, whence: Foreign | None) -> None:
        """Name the conversation of the question in the frame, unless that is None (E4)."""
        self.border_title = texts.title(self.prompt, whence)

    def show_notice(self, notice: Content) -> None:
        """Show a notice above the keys; an empty one removes it."""
        self.frame.show_notice(notice)
        self.relayout()

    def count(self, left: float | None) -> None:
        """Show the seconds that are left to answer (E13); None where there is no limit."""
        if self.frame.count(left):
            self.relayout()

    def lay_out(self, width: int, room: int, most: int, dock_hints: Sequence[Hint], full: bool) -> None:
        """Use `room` rows at an outer `width`, up to `most` where they are needed, the whole screen if `full`; show the
        keys of the dock too."""
        self.row_layout.lay_out(width, room, most, dock_hints, full)

    def focus_holder(self) -> Widget:
        """Return the widget with the focus while the sheet is open: itself, or the field in use (R245)."""
        if self.writing is None or not self.armed:
            return self
        self.writing.can_focus = True
        return self.writing

    # Drafts

    def restore_draft(self, draft: Draft) -> None:
        """Restore a draft."""
        self.drafts.restore(draft)
        self.show()
        self.side_question.restore(draft)

    def answer_changed(self) -> None:
        """Save the draft soon."""
        self.drafts.changed()

    # Modes

    def turn(self, mode: Mode) -> None:
        """Change the receiver of the keys: the answer, a field, the menu."""
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
        if field := self._side_field:
            field.leave()
        self.writing = None
        self.turn("answer")
        self.area.body.left()

    def pasted(self, text: str) -> None:
        """Handle a paste while no field is written in: it never answers, and it is not thrown away (E11)."""
        if not self.area.body.pasted(text) and "reply" in self.prompt.controls:
            self.write(self.reply_fields.reply)
            self.reply_fields.reply.insert_text(text)

    def listening(self) -> None:
        """React to the keys being accepted, or to the return from the menu.

        A prompt that asks for edited arguments opens in the editor, the first time.
        """
        if self._edits_first:
            self._edits_first = False
            self.run("edit")
        self.area.listening()

    # Keys of the last line

    def hints(self) -> list[Hint]:
        """Return the keys that work now, in order of importance."""
        return self.area.arranged(self._hints())

    def _hints(self) -> list[Hint]:
        if self.mode == "menu":
            return [
                Hint("↑↓", "move", "move(1)"), Hint("Enter", "select", "accept", keep=True),
                Hint("Esc", "back", "leave", keep=True),
            ]  # fmt: skip
        if self.writing is not None:
            return self._field_hints(self.writing)
        own = self.area.answer_hints()
        found = [*own[:1], *self.steps.hints(), *own[1:], *self.reading.hints()]
        if self.reply_fields.may_reply:
            found.append(Hint("r", "reply", "reply"))
        if self.reply_fields.may_edit:
            found.append(Hint("e", "edit", "edit"))
        if self._knows_why:
            found.append(Hint("w", "why", "why"))
        if self._may_hand_over:
            found.append(Hint("h", "hand over", "hand_over"))
        found.append(Hint("Esc", "menu", "leave", keep=True))
        if self.reply_fields.may_note:
            found.append(Hint("c", "note", "note"))
        found += self.side_question.hints()
        if "end_turn" in self.prompt.controls:
            found.append(Hint("s", "end turn", "end_turn"))
        return [*found, *self.steps.place_hints(), *self.reading.more_hints()]

    def _field_hints(self, writing: Field) -> list[Hint]:
        field = self._side_field
        if field and field not in self._answer_fields:
            return field.hints()
        first, *others = field.hints() if field else self.area.body.field_hints(writing)
        return [first, *self.steps.field_hints(), *others]

    # Texts above the context

    def _texts(self) -> dict[str, Foreign]:
        """Return all texts that can be read above the context, by name."""
        prompt = self.prompt
        found = {"why": texts.why_words(prompt)} if self._knows_why else {}
        found |= {"covers": texts.covers_words(prompt)} if "remember" in prompt.controls else {}
        found |= {"reason": whole_reason(prompt.escalation)} if prompt.escalation else {}
        return found | self.side_question.texts() | self.area.texts()

    # The menu

    def open_menu(self, at: str) -> None:
        """Open the menu of Esc, the cursor on one of its lines."""
        draft, side = self.draft, self.reply_fields
        typed = bool(draft.reply or draft.answer or draft.note or draft.edit)
        if self.mode != "menu":
            self.menu.note_overflow(self.frame.line, [*self.hints(), *self.row_layout.dock_hints])
        around = [vars(one).get("BINDINGS", []) for node in self.ancestors_with_self for one in type(node).__mro__]
        self.menu.fill(
            typed=typed, answers=[*self.area.more_rows(), *self.steps.rows()], talk=self.side_question.rows(),
            may={"note": side.may_note, "edit": side.may_edit, "reply": side.may_reply},
            bindings=[self.area.BINDINGS, *around],
        )  # fmt: skip
        self.turn("menu")
        self.menu.move_to(at)

    def _choose(self, line: str) -> None:
        """Run a line of the menu."""
        if self.area.choose(line):
            return
        match line:
            case "answer":
                self.turn("answer")
                self.listening()
            case "reply" | "note" | "edit":
                self.run(line)
            case "back":
                self.answer(WentBack(to=self.prompt.back))
            case "ask":
                self.turn("answer")
                self.side_question.action_ask_back()
            case "along":
                self.turn("answer")
                self.side_question.action_send_along()
            case "restore":
                self.answer(Restored())
            case "empty":
                self.answer(Answered(value=""))
            case "cancel":
                self.answer(Cancelled())
            case "decline":
                self.answer(Cancelled(declined=True))
            case "end":
                self.answer(EndTurn())
            case _:
                assert line.startswith(ACTION), line
                self._choose("answer")
                self._run_anywhere(line.removeprefix(ACTION))

    def _run_anywhere(self, action: str) -> None:
        """Run an action of the sheet; others are those of the dock or the app."""
        if self._method(action.partition("(")[0]) is not None:
            self.run(action)
        else:
            self.post_message(KeyLine.Pressed(action))

    # Keys

    def binds(self, key: str) -> bool:
        """Return True if the key does something while no field is written in."""
        return key in self._keys

    def run(self, action: str) -> None:
        """Run an action of the sheet, its parts or the answer area."""
        _, name, parameters = actions.parse(action)
        method = self._method(name)
        assert method is not None, action
        method(*parameters)

    def _method(self, name: str) -> Callable[..., None] | None:
        """Return the method of an action; None if it isn't the sheet's. The answer area comes first, so that a kind of
        answer can change the effect of a key."""
        owners = (
            self.area, *self.area.parts, self.area.body, self, self.reply_fields, self.steps, self.side_question,
            self.reading,
        )  # fmt: skip
        found = (getattr(owner, f"action_{name}", None) for owner in owners)
        method: Callable[..., None] | None = next((one for one in found if one is not None), None)
        return method

    def begin(self, fresh: bool, key: events.Key | None = None) -> None:
        """Prepare for a key (None for a click): remove the notice about the last one. `fresh`: it may answer (E11)."""
        self.area.body.begin(key)
        self.press.begin(fresh)
        if self.frame.notice.display and not self.cramped:
            self.show_notice(blank())

    def press_key(self, event: events.Key, now: float, *, fresh: bool) -> bool:
        """Handle a key that the gate let through. Return True if it is used up. `fresh`: it may also answer (E11)."""
        self.begin(fresh, event)
        if event.key == "ctrl+c":
            twice, self._interrupted = now - self._interrupted < TWICE, now
            if twice:
                self.answer(EndTurn())
            elif fresh:
                self.run("leave")
            return True
        if self.writing is not None:
            return self._press_writing(event.key, self.writing)
        if event.key in self._keys:
            self.run(self._keys.action_of(event.key))
            return True
        return event.is_printable or event.key in _SWALLOWED

    def _press_writing(self, key: str, field: Field) -> bool:
        """Handle keys that mean something to the sheet while a field is written in; the field gets the others."""
        if key in ("enter", "ctrl+s"):
            self.run("accept")
        elif key == "escape":
            self.run("leave")
        elif key == "ctrl+g":
            self.run("editor")
        else:
            used = self.area.body.field_key(key, field) or self.side_question.scrolled(key)
            side = self._side_field
            in_answer = side is None or side in self._answer_fields
            return used or (in_answer and self.steps.moved(key)) or key in ("tab", "shift+tab")
        return True

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
        """Run Enter, wherever the cursor is."""
        if self.writing is not None:
            if field := self._side_field:
                field.submit()
            else:
                self.area.body.submit(self.writing)
        elif self.mode == "menu" and self.menu.at:
            self._choose(self.menu.at)
        elif self.mode == "answer":
            self.area.accept()

    def action_leave(self) -> None:
        """Run Esc, wherever the cursor is."""
        if self.writing is not None:
            self.stop_writing()
        elif self.mode == "menu":
            self._choose("answer")
        else:
            self.open_menu("answer")

    def action_new_line(self) -> None:
        if self.writing is not None:
            self.writing.insert_text("\n")

    def action_editor(self) -> None:
        """Open the field's text in the user's own editor; the dock can leave the screen for it."""
        if self.writing is not None:
            self.post_message(EditorRequested(self.writing.value, self.writing.put))

    def action_end_turn(self) -> None:
        """Ask for confirmation: the second `s`, or Enter, ends the turn."""
        if self.mode == "menu" and self.menu.at == "end":
            self.answer(EndTurn())
        elif "end_turn" in self.prompt.controls:
            self.open_menu("end")

    def action_decline(self) -> None:
        """Decline a server's question (mcp.md P42). Where an answer is begun, ask for confirmation: the menu says what
        is lost, and the second `n`, or Enter, declines."""
        if "decline" not in self.prompt.controls:
            return
        if self.area.typed() is None or (self.mode == "menu" and self.menu.at == "decline"):
            self.answer(Cancelled(declined=True))
        else:
            self.open_menu("decline")

    @property
    def _may_hand_over(self) -> bool:
        """True if there are others who could answer the question (store.md D16)."""
        prompt = self.prompt
        return prompt.kind == "question" and (self.shared or bool(prompt.to) or prompt.approvals is not None)

    def action_hand_over(self) -> None:
        """Choose another person or group for the question, which stays open."""
        if self._may_hand_over and not self.done and self.press.fresh:
            self.post_message(HandOverRequested(self.prompt))

    def action_why(self) -> None:
        """Show the rule that routed the question to the user, or close it."""
        self.reading.action_aside("why")

    # Input from the engine

    def checked(self, revision: int, problems: Sequence[tuple[str, str]]) -> None:
        """Take the engine's check of a value, for an area that asked for one."""
        self.area.checked(revision, problems)

    # Keys, pastes and clicks: each goes through the gate first, wherever Textual sent it

    def on_key(self, event: events.Key) -> None:
        if self.gate.key(event):
            event.stop()
            event.prevent_default()
        elif self.writing is not None:  # sent here just before the field got the focus
            self.writing.edit_with(event)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if not self.gate.paste(event) and self.writing is not None:
            self.writing.insert_text(event.text)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.gate.pressed(event)

    @on(KeyLine.Pressed)
    def _hint_clicked(self, event: KeyLine.Pressed) -> None:
        if self._method(event.action.partition("(")[0]) is not None:  # other actions are the dock's
            event.stop()
            self.begin(self.gate.click())
            self.run(event.action)

    @on(FormTabs.Picked)
    def _tab_clicked(self, event: FormTabs.Picked) -> None:
        event.stop()
        self.begin(self.gate.click())
        if self.armed:
            self.steps.pick(event.place)

    @on(ChoiceList.Picked)
    def _row_clicked(self, event: ChoiceList.Picked) -> None:
        event.stop()
        self.begin(self.gate.click())
        if event.choices is self.menu.list:
            self._choose(event.id)
        else:
            self.area.body.picked(event.id)

    @on(PieceClicked)
    def _piece_clicked(self, event: PieceClicked) -> None:
        event.stop()
        may = self.gate.click()
        self.begin(may)
        self.area.clicked(event, may)

    @on(Field.Clicked)
    def _field_clicked(self, event: Field.Clicked) -> None:
        event.stop()
        if self.gate.click():
            self.write(event.field)

    # Events of its widgets

    @on(Field.Edited)
    def _edited(self, event: Field.Edited) -> None:
        event.stop()
        self.area.body.edited(event.field)
        self.relayout()
        self.drafts.changed()

    @on(ChoiceList.Moved)
    def _moved(self, event: ChoiceList.Moved) -> None:
        if event.choices is not self.menu.list:
            event.stop()
            self.area.body.moved()
            self.relayout()

    @on(ContextView.Seen)
    def _seen(self) -> None:
        self.area.body.seen()
        if self.reading.context is not None:
            self.show_question()
