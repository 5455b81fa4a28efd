"""E10, E11 as a sweep: keys from 200 ms before to 800 ms after a sheet opens, every 10 ms, never answer early."""

from __future__ import annotations

import pytest
from textual import events
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.areas.secret import SecretArea
from jp_tui.ui.sheets.schema.area import SchemaArea
from jp_tui.view.questions.arming import DEAF
from tests.sampling import partly
from tests.ui.sheet_host import (
    HUNKS,
    Host,
    boolean,
    delivery,
    formed,
    hunky,
    key_event,
    multi,
    permission,
    review,
    schema,
    secret,
    select,
    text,
)  # fmt: skip

PROMPTS = {
    "boolean": boolean(context=None),
    "select": select(has_default=True, default="staging"),
    "text": text(has_default=True, default="x"),
    "multi": multi(has_default=True, default=["staging"]),
    "schema": schema(of={"properties": {"name": {"type": "string"}}}, has_default=True, default={"name": "x"}),
    "permission": permission(arguments=Foreign("{}")),
    "delivery": delivery(result=Foreign("found")),
    "secret": secret(),
    "form": formed(select(has_default=True, default="staging")),
    "review": review(),
    "hunks": hunky(parts=HUNKS[:2]),
}
ANSWERS = {
    "boolean": ["y", "n", "Y", "N", "enter"], "select": ["1", "enter"], "text": ["enter"], "multi": ["enter"],
    "schema": ["enter"], "permission": ["y", "n", "Y", "N"], "delivery": ["y", "n", "enter"],
    "secret": ["enter"], "form": ["1", "enter", "b", "left", "shift+tab"], "review": ["enter", "b"],
    "hunks": ["y", "n", "enter"],
}  # fmt: skip
ALWAYS = ("y", "n", "space", "1")
"""Keys that are tried on every sheet, whether it has a meaning for them or not: each at every moment on one of four."""
OTHERS = ("s", "ctrl+c", "escape", "slash", "tab")


@partly(5)
@pytest.mark.parametrize("kind", PROMPTS)
async def test_the_sweep(kind: str) -> None:
    """Keys first, then a paste, at each moment. Folding and opening again begins the guard anew, so that one sheet
    serves for all of them."""
    app = Host(PROMPTS[kind])
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        await judged(app, pilot)
        app.update_styles = lambda node, **how: None  # type: ignore[method-assign]  # nothing here is about looks
        counted = 0
        answers = ANSWERS[kind]
        for name in (*answers, *OTHERS):
            step = 5 if name in OTHERS else 1
            counted += sum(sweep(app, name, one / 100, name in answers) for one in range(-20, 81, step))
            await pilot.pause()
        for one in range(-20, 81):
            name = ALWAYS[(one + list(PROMPTS).index(kind)) % len(ALWAYS)]
            counted += name not in answers and sweep(app, name, one / 100, False)
        for hundredth in range(81):
            paste(app, hundredth / 100)
        await pilot.pause()
        assert len(app.answers) == counted == len(ANSWERS[kind]) * 31


def paste(app: Host, moment: float) -> None:
    """A paste that would answer anything, so many seconds after the sheet opened: it is no answer at any of them."""
    dock = app.dock
    dock.toggle_fold()
    app.now += 10
    dock.toggle_fold()
    app.now += moment
    dock.tick()
    taken = dock.gate.paste(events.Paste("y\n1\n"))
    assert not app.sheet.done
    assert taken or app.sheet.writing is not None


async def judged(app: Host, pilot: Pilot[None]) -> None:
    """A schema answer leaves only with a verdict, so that has to be there first."""
    area = app.sheet.area
    if isinstance(area, SchemaArea):
        await app.until(pilot, lambda: area.document.sure)


def sweep(app: Host, name: str, moment: float, answers: bool) -> bool:
    """One key, so many seconds after (or before) the sheet opens, and whether it answered, which it may when armed."""
    dock, sheet = app.dock, app.sheet
    dock.toggle_fold()
    app.now += 10
    opened = app.now
    if moment < 0:
        app.now = opened + moment
        dock.note_typing(app.now)
        app.now = opened
    dock.toggle_fold()
    if moment < 0:
        return False
    app.now = opened + moment
    dock.tick()
    if isinstance(sheet.area, SecretArea):
        sheet.area.field.insert_text("pass")
    dock.gate.key(key_event(name))
    counts = moment >= DEAF and answers
    assert sheet.done == counts, f"{name} after {moment:.2f} s"
    sheet.reopen()
    sheet.stop_writing()
    return counts


async def test_a_second_key_within_the_guard_makes_it_wait() -> None:
    """Two keys 0.25 s apart: it listens only 0.3 s after the last."""
    app = Host(PROMPTS["boolean"])
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        for _ in range(20):
            app.now += 0.25
            app.dock.tick()
            app.dock.gate.key(key_event("y"))
            assert not app.sheet.done and not app.sheet.armed
        app.now += 0.31
        app.dock.tick()
        app.dock.gate.key(key_event("y"))
        assert app.sheet.done
        await pilot.pause()


async def test_t8_a_key_from_before_it_was_armed_does_not_answer_however_late_it_is_handled() -> None:
    """The real clock: a key carries the time it was pressed, not the time a busy loop came to it."""
    app = Host(PROMPTS["boolean"], real_clock=True)
    old = key_event("y")
    async with app.run_test(size=(100, 30)) as pilot:
        await app.until(pilot, lambda: app.dock.open and app.sheet.armed)
        app.post_message(old)
        await pilot.pause()
        assert app.answers == []


async def test_apui_001_typeahead_just_before_the_sheet_answers_nothing() -> None:
    """`looks good`, and 50 ms later the question: the keys are the composer's."""
    app = Host()
    async with app.run_test(size=(100, 30)) as pilot:
        await app.type(pilot, *"looks good", gap=0.01)
        app.now += 0.05
        app.dock.ask(boolean())
        await app.type(pilot, "y", "enter", gap=0.05)
        assert app.answers == [] and not app.dock.open
        await app.step(pilot, 1.1)
        assert app.dock.open and app.answers == []


async def test_apui_004_a_forged_end_of_a_paste_answers_nothing() -> None:
    app = Host(PROMPTS["boolean"])
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        app.now += 1
        app.post_message(events.Paste("a "))
        await pilot.pause()
        await app.type(pilot, "enter", gap=0.02)
        assert app.answers == [] and app.sheet.reply_fields.reply.text == "a "


async def test_after_a_paste_without_its_marks_the_sheet_is_deaf_anew() -> None:
    """E11: who sends `/diff` as keys (a text expander, a multiplexer) means its Enter for what it was written to."""
    app = Host(PROMPTS["boolean"], real_clock=True)
    async with app.run_test(size=(100, 30)) as pilot:
        await app.until(pilot, lambda: app.dock.open and app.sheet.armed)
        app.burst(*"/diff")
        await pilot.pause()
        assert not app.sheet.armed
        await pilot.press("enter")
        await pilot.pause()
        assert app.answers == []
        await app.until(pilot, lambda: app.sheet.armed)
        await pilot.press("y")
        await app.until(pilot, lambda: app.answers != [])


def test_every_prompt_of_the_sweep_has_an_answer_that_enter_takes() -> None:
    """Otherwise the sweep could not fail."""
    asked = [prompt for kind, prompt in PROMPTS.items() if prompt.kind == "question" and kind != "secret"]
    assert len(asked) == 7 and all(isinstance(prompt, PromptRequest) for prompt in asked)
    assert all(prompt.question.has_default for prompt in asked)
