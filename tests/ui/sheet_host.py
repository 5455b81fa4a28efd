"""A small workspace around the dock for tests: a conversation above, a composer below, a clock that tests step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from textual import events, on
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.keys import _character_to_key
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Static, TextArea

from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.conversation.text import Foreign
from jp_tui.engine.schema_check.worker import _answer
from jp_tui.protocol.values import Control, Escalation, PromptRequest
from jp_tui.questions.types import (
    BooleanAnswer,
    FormView,
    MultiSelectAnswer,
    Option,
    Part,
    Place,
    Question,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
    TextAnswer,
)
from jp_tui.settings.themes.themes import names
from jp_tui.ui import themes
from jp_tui.ui.sheets.dock.dock import SheetDock
from jp_tui.ui.sheets.messages import CopyRequested, HandOverRequested
from jp_tui.ui.sheets.sheet import Sheet
from jp_tui.ui.text import ours
from tests.limits import LIMIT

DIFF = """--- a/docs/rfd/008-knowledge-base.md
+++ b/docs/rfd/008-knowledge-base.md
@@ -41,2 +41,6 @@
 ## Storage
+> [!TIP]
+> [RFD 016] adds a plugin architecture that would let
+> a knowledge base live outside the workspace.
+
 Entries are kept as Markdown files under `.jp/kb`.
"""
LONG_DIFF = "@@ -1,0 +1,90 @@\n" + "\n".join(f"+line {n} of the new file" for n in range(1, 91))
COVERS = "until this turn ends, every `apply_changes` of fs_modify_file, without showing it"
TOOL: frozenset[Control] = frozenset({"reply", "end_turn", "cancel"})
MODEL: frozenset[Control] = frozenset({"reply", "end_turn"})


def boolean(inquiry: str = "q1", *, remember: bool = True, **more: object) -> PromptRequest:
    """`Apply this change?`, as a file tool asks it."""
    fields: dict[str, object] = {
        "context": DIFF, "text": "Apply this change?", "default": True, "has_default": True,
        "human_only": False, "label": None, "source": "tool", "why": "fs_modify_file.apply_changes has no answer set",
        "preselect": more.get("source", "tool") != "tool",
    } | more  # fmt: skip
    question = Question(
        id="apply_changes", text=str(fields["text"]), answer_type=BooleanAnswer(),
        context=fields["context"],  # type: ignore[arg-type]
        default=fields["default"], has_default=bool(fields["has_default"]),  # type: ignore[arg-type]
    )  # fmt: skip
    return PromptRequest(
        conversation="c1", inquiry=inquiry, call="call1", tool="fs_modify_file", turn=3, digest=f"digest-{inquiry}",
        source=fields["source"], label=fields["label"], question=question,  # type: ignore[arg-type]
        subject=Foreign("docs/rfd/008-knowledge-base.md"), human_only=bool(fields["human_only"]),
        controls=TOOL | {"remember"} if remember else TOOL, remember_covers=COVERS if remember else "",
        why=str(fields["why"]), preselect=bool(fields["preselect"]),
    )  # fmt: skip


def asked(inquiry: str, question: Question, *, tool: bool = False, label: str | None = "Assistant") -> PromptRequest:
    """A question of the model, or of a tool of one's own."""
    return PromptRequest(
        conversation="c1", inquiry=inquiry, call="call2", tool="deploy" if tool else "ask_user", turn=3,
        digest=f"digest-{inquiry}", source="tool" if tool else "assistant", label=None if tool else label,
        question=question, controls=TOOL if tool else MODEL,
    )  # fmt: skip


HUNKS = (
    Part(
        "1",
        "d1",
        "docs/install.md, line 4",
        "@@ -3,3 +3,3 @@\n Install it\n-pip install jp\n+pipx install jp-tui\n once.\n",
    ),
    Part("2", "d2", "docs/install.md, after line 40", "@@ -40,2 +40,4 @@\n End.\n+\n+## Later\n Bye.\n"),
    Part(
        "3",
        "d3",
        "src/main.py, lines 7-8",
        "@@ -7,3 +7,2 @@\n-print(first, last)\n-exit(1)\n+print(first, second)\n pass\n",
    ),
)


def hunky(inquiry: str = "q1", *, parts: tuple[Part, ...] = HUNKS, before: str = "", **more: object) -> PromptRequest:
    """A change of two files that can be taken hunk by hunk, as a file tool asks it."""
    shown: dict[str, str] = {}
    for part in parts:
        name = part.title.rpartition(", ")[0]
        shown[name] = shown.get(name, f"--- a/{name}\n+++ b/{name}\n") + part.diff
    context = before + "```diff\n" + "".join(shown.values()) + "```"
    prompt = boolean(inquiry, context=context, **more)
    return prompt.model_copy(update={"question": replace(prompt.question, parts=parts), "subject": Foreign("2 files")})


OPTIONS = (
    Option("staging", "refreshed 06:10, 1.2 M rows"),
    Option("production", "41 M rows, read replica lag 80 ms"),
    Option("eu-production", recommended=True),
)


def select(
    inquiry: str = "q2", *, tool: bool = False, label: str | None = "Assistant", **more: object
) -> PromptRequest:
    """One of some environments."""
    options = more.pop("options", OPTIONS)
    fields: dict[str, object] = {"text": "Which environment should it run in?"} | more
    question = Question(id="env", answer_type=SelectAnswer(options), **fields)  # type: ignore[arg-type]
    return asked(inquiry, question, tool=tool, label=label)


def text(inquiry: str = "q3", *, tool: bool = False, label: str | None = "Assistant", **more: object) -> PromptRequest:
    """A commit message."""
    fields: dict[str, object] = {"text": "What should the commit message say?"} | more
    question = Question(id="message", answer_type=TextAnswer(), **fields)  # type: ignore[arg-type]
    return asked(inquiry, question, tool=tool, label=label)


def multi(inquiry: str = "q4", *, tool: bool = False, label: str | None = "Assistant", **more: object) -> PromptRequest:
    """Any of some environments."""
    options = more.pop("options", OPTIONS)
    fields: dict[str, object] = {"text": "Which environments should it run in?"} | more
    question = Question(id="envs", answer_type=MultiSelectAnswer(options), **fields)  # type: ignore[arg-type]
    return asked(inquiry, question, tool=tool, label=label)


def secret(inquiry: str = "q5", *, label: str | None = None, **more: object) -> PromptRequest:
    """A password, which only a tool may want."""
    fields: dict[str, object] = {"text": "Password of deploy@staging?"} | more
    question = Question(id="password", answer_type=SecretAnswer(), **fields)  # type: ignore[arg-type]
    return asked(inquiry, question, tool=True).model_copy(update={"label": label})


SCHEMA: JsonObject = {
    "type": "object",
    "required": ["name", "batch", "workers"],
    "properties": {
        "name": {"type": "string", "description": "What the job is called."},
        "batch": {"type": "integer", "minimum": 1, "maximum": 10000},
        "workers": {"type": "integer", "maximum": 16, "default": 4},
        "mode": {"enum": ["safe", "fast", "dry run"]},
        "notify": {"type": "array", "items": {"enum": ["mail", "chat", "pager"]}},
    },
}


def schema(
    inquiry: str = "q6", *, tool: bool = False, label: str | None = "Assistant", of: JsonObject = SCHEMA, **more: object
) -> PromptRequest:
    """The limits of a job, as JSON."""
    fields: dict[str, object] = {"text": "Set the limits of the migration job"} | more
    question = Question(id="limits", answer_type=SchemaAnswer(of), **fields)  # type: ignore[arg-type]
    return asked(inquiry, question, tool=tool, label=label)


ARGUMENTS = """{
  "path": "docs/release.md",
  "content": "# Release\\n\\nTag it, push the tag,\\nand tell everybody.\\n",
  "mode": 420,
  "tags": ["docs", "draft"]
}"""


def permission(inquiry: str = "call7", **more: object) -> PromptRequest:
    """Leave to write a file, as the engine asks it."""
    fields: dict[str, object] = {
        "arguments": Foreign(ARGUMENTS), "subject": Foreign("docs/release.md"), "tool": "fs_create_file",
        "controls": frozenset({"remember", "edit", "end_turn"}), "human_only": True,
        "why": "run = \"ask\" for every tool (config/tools.toml:9)", "preselect": False,
        "remember_covers": "until this turn ends, every call of fs_create_file, whatever its arguments",
    } | more  # fmt: skip
    base = asked(inquiry, Question("run_tool", "", BooleanAnswer()), tool=True)
    return base.model_copy(update={"kind": "permission", "call": inquiry, **fields})


def delivery(inquiry: str = "call8", **more: object) -> PromptRequest:
    """Leave to deliver what a tool found."""
    fields: dict[str, object] = {
        "result": Foreign("docs/a.md:3: TODO\ndocs/b.md:14: TODO later\n"), "subject": Foreign("TODO"), "tool": "grep",
        "controls": frozenset({"edit", "cancel", "end_turn"}), "human_only": True, "preselect": False,
    } | more  # fmt: skip
    base = asked(inquiry, Question("deliver_result", "", BooleanAnswer(), persistence="none"), tool=True)
    return base.model_copy(update={"kind": "delivery", "call": inquiry, **fields})


REASON = (
    "The TIP admonition references RFD 016, but the surrounding section discusses knowledge base architecture. "
    "The cross-reference appears tangential to the current content."
)


def escalated(inquiry: str = "q1", *, reason: str = REASON, failed: bool = False, **more: object) -> PromptRequest:
    """A change that a reviewer would reject, or could not judge."""
    verdict = Escalation(model="haiku-4-5", reason=Foreign(reason), failed=failed, ms=1400)
    return boolean(inquiry, **more).model_copy(update={"escalation": verdict})


def editable(prompt: PromptRequest, arguments: str = ARGUMENTS) -> PromptRequest:
    """The same, of a call whose arguments may be edited (R97b)."""
    return prompt.model_copy(update={"controls": prompt.controls | {"edit"}, "arguments": Foreign(arguments)})


PLACES = (
    Place("apply", "Apply the migration?", "answered", True),
    Place("envs", "Which environments should it run in?", "current"),
    Place("note", "What should the note say?", "ahead"),
    Place("settings", "Which settings?", "skipped", because="asked only if `apply` is no"),
)


def formed(prompt: PromptRequest, *places: Place, **more: object) -> PromptRequest:
    """The same question as one of a form; Back goes to what was answered last."""
    form = FormView(places or PLACES)
    fields: dict[str, object] = {"form": form, "progress": form.progress} | more
    done = [place.id for place in form.places if place.state == "answered" and not place.fixed]
    fields.setdefault("back", done[-1] if done else "")
    back = frozenset({"back"}) if fields["back"] else frozenset[str]()
    return prompt.model_copy(update={"controls": prompt.controls | back, **fields})


DONE = (
    Place("apply", "Apply the migration?", "answered", True),
    Place("region", "Which region?", "answered", "eu", fixed=True),
    Place("envs", "Which environments should it run in?", "answered", ["staging", "eu-production"]),
    Place("note", "What should the note say?", "answered", "two lines\nof words"),
    Place("settings", "Which settings?", "skipped", because="asked only if `apply` is no"),
)


def review(inquiry: str = "r1", *places: Place, **more: object) -> PromptRequest:
    """The last look over a form."""
    base = asked(inquiry, Question("__review__", "", BooleanAnswer(), exclusive=True, persistence="none"))
    shown = formed(base, *(places or DONE), **more)
    return shown.model_copy(update={"kind": "review", "human_only": True, "progress": None})


class Composer(TextArea):
    """Where the user types when no sheet is open."""

    DEFAULT_CSS = "Composer { height: 3; border: round $primary; }"


class Host(App[None]):
    """The column of a workspace; remembers every message of the dock."""

    CSS = "#talk { height: 1fr; padding: 0 1; } #column { height: 1fr; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [
        ("ctrl+o", "fold", "fold"),
        ("ctrl+t", "next", "next"),
        ("f1", "help", "help"),
        ("pageup", "talk", "talk"),
    ]

    def __init__(
        self, *prompts: PromptRequest, theme: str = "jp-night", real_clock: bool = False, **dock: object
    ) -> None:
        super().__init__()
        self.now = 100.0
        worn = themes.load(theme, names("/nonexistent"))
        assert worn is not None
        self.register_theme(worn)
        self.theme = theme
        self.posted: list[Message] = []
        self.global_keys: list[str] = []
        clock: dict[str, Callable[[], float]] = {} if real_clock else {"clock": lambda: self.now}
        self.dock = SheetDock(**clock, **dock)  # type: ignore[arg-type]
        self.composer = Composer()
        self.composer.cursor_blink = False
        self._prompts = prompts
        self.held = False
        self.wanted: list[SheetDock.CheckWanted] = []
        self.copied: list[CopyRequested] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return themes.derived(self.current_theme)

    def compose(self) -> ComposeResult:
        with Vertical(id="column"):
            yield Static(ours("I'll read the file first, then propose one small change."), id="talk")
            yield self.dock
            yield self.composer

    def on_mount(self) -> None:
        self.composer.focus()
        for prompt in self._prompts:
            self.dock.ask(prompt)

    def action_fold(self) -> None:
        self.dock.toggle_fold()

    def action_next(self) -> None:
        self.dock.open_next()

    def action_keys(self) -> None:
        self.action_help()

    def action_help(self) -> None:
        self.global_keys.append("f1")

    def action_talk(self) -> None:
        self.global_keys.append("pageup")

    def on_text_area_changed(self) -> None:
        self.dock.note_typing(self.now)

    def on_sheet_dock_opened(self, event: SheetDock.Opened) -> None:
        self.posted.append(event)
        self.composer.display = False

    def on_sheet_dock_folded(self, event: SheetDock.Folded) -> None:
        self.posted.append(event)
        self.composer.display = True
        self.composer.focus()

    def on_sheet_dock_emptied(self, event: SheetDock.Emptied) -> None:
        self.posted.append(event)
        self.composer.display = True
        self.composer.focus()

    def on_sheet_dock_overheard(self, event: SheetDock.Overheard) -> None:
        self.posted.append(event)
        if event.key == "backspace":
            self.composer.action_delete_left()
        self.composer.insert(event.text)

    def on_sheet_dock_settled(self, event: SheetDock.Settled) -> None:
        self.posted.append(event)

    def on_sheet_dock_count_changed(self, event: SheetDock.CountChanged) -> None:
        self.posted.append(event)

    @on(SheetDock.CheckWanted)
    def _check(self, event: SheetDock.CheckWanted) -> None:
        """The verdict as the engine gives it, at once unless a test holds it back."""
        self.wanted.append(event)
        if not self.held:
            self.verdict(event)

    def verdict(self, event: SheetDock.CheckWanted) -> None:
        """The verdict on one value that was asked about."""
        prompt = next((one for one in self.dock.queue.prompts if one.inquiry == event.inquiry), None)
        if prompt is not None and isinstance(prompt.question.answer_type, SchemaAnswer):
            job = {"do": "check", "schema": dump(prompt.question.answer_type.schema), "value": dump(event.value)}
            found = [(str(where), str(words)) for where, words in _answer(job)["problems"]]
            self.dock.checked((event.conversation, event.inquiry), event.revision, found)

    def on_hand_over_requested(self, event: HandOverRequested) -> None:
        self.posted.append(event)

    def on_copy_requested(self, event: CopyRequested) -> None:
        self.copied.append(event)

    def on_sheet_dock_draft_changed(self, event: SheetDock.DraftChanged) -> None:
        self.posted.append(event)

    @property
    def answers(self) -> list[object]:
        """The responses so far."""
        return [event.response for event in self.posted if isinstance(event, SheetDock.Settled)]

    @property
    def drafts(self) -> list[str]:
        return [event.text for event in self.posted if isinstance(event, SheetDock.DraftChanged)]

    @property
    def sheet(self) -> Sheet:
        """The open sheet."""
        found = self.dock.shown()
        assert found is not None
        return found

    async def step(self, pilot: Pilot[None], seconds: float) -> None:
        """Let time pass for the dock."""
        await pilot._wait_for_screen()
        self.now += seconds
        self.dock.tick()
        await self.settled(pilot)

    async def arm(self, pilot: Pilot[None]) -> None:
        """Wait until the open sheet listens."""
        await self.step(pilot, 0.6)
        assert self.sheet.armed

    async def type(self, pilot: Pilot[None], *keys: str, gap: float = 0.2) -> None:
        """Press keys as a person does, with time between them; each is dealt with before the next."""
        for key in keys:
            self.now += gap
            self.post_message(key_event(key))
            for _ in range(3):  # to the app, to what has the focus, and what that says back up
                await pilot._wait_for_screen()
        await self.settled(pilot)

    async def settled(self, pilot: Pilot[None]) -> None:
        """Wait until nothing waits to be laid out."""
        for _ in range(100):
            await pilot.pause()
            if not any(one._layout_required for one in self.screen.walk_children(with_self=True)):
                return

    async def still(self, pilot: Pilot[None]) -> None:
        """Wait until the screen is the same three times in a row: what a picture may be taken of."""
        seen: list[object] = []
        for _ in range(60):
            await self.settled(pilot)
            seen.append(self.screen._compositor.render_strips())
            if len(seen) > 2 and seen[-1] == seen[-2] == seen[-3]:
                return
            await asyncio.sleep(0.02)

    async def until(self, pilot: Pilot[None], fact: Callable[[], bool]) -> None:
        """Wait for a fact."""
        async with asyncio.timeout(LIMIT):
            while not fact():
                await pilot.pause(0.01)

    def burst(self, *keys: str) -> None:
        """Keys that arrive in one read, as from a fast typist or a script."""
        for key in keys:
            self.post_message(key_event(key))

    async def click_text(self, pilot: Pilot[None], words: str) -> None:
        """Click on the middle of words that stand on the screen."""
        for y, line in enumerate(text_of(self).split("\n")):
            if words in line:
                await pilot.click(offset=(line.index(words) + len(words) // 2, y))
                await pilot.pause()
                return
        raise AssertionError(f"{words!r} is not on the screen:\n{text_of(self)}")


def key_event(key: str) -> events.Key:
    """A key as the driver gives it; its time is now."""
    name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
    return events.Key(name, key if len(key) == 1 else {"space": " ", "slash": "/"}.get(key))


def text_of(app: App[None]) -> str:
    """What the screen shows, as lines of text."""
    height = app.size.height
    rows = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in rows[y]).rstrip() for y in range(height))
