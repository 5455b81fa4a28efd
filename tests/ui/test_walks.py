"""E60: each sheet from its opening to an answer, by the keyboard alone and by the mouse alone.

A step is a key, or `@words` for a click on them. A mouse types no letters: they stand where words are written, and
nothing but letters does. Every walk first goes round: help, fold, full screen, a side question, the menu and back.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from textual import events
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import (
    Answered,
    Delivered,
    Edited,
    EndTurn,
    PartsTaken,
    Permitted,
    PromptRequest,
    Replied,
    Response,
    Submitted,
    WentBack,
)
from jp_tui.questions.types import Option
from jp_tui.ui.sheets.schema.area import SchemaArea
from jp_tui.view.questions.queue import key_of
from tests.sampling import partly
from tests.ui.sheet_host import (
    Host,
    boolean,
    delivery,
    formed,
    hunky,
    multi,
    permission,
    review,
    schema,
    secret,
    select,
    text,
    text_of,
)  # fmt: skip

SMALL = (80, 24)
CALL = permission(arguments=Foreign('{"a": 1}'))
JOB = schema(of={"properties": {"name": {"type": "string"}, "fast": {"type": "boolean"}}})
NAMED = Answered(value={"name": "x"})
MANY = tuple(Option(f"b{n}") for n in range(1, 15))


@dataclass(frozen=True)
class Walk:
    """A prompt, the steps to an answer by keys and by clicks, and that answer."""

    prompt: PromptRequest
    keys: str
    clicks: tuple[str, ...]
    answer: Response


WALKS = {
    "boolean": Walk(boolean(), "down c o k enter n", ("@n no",), Answered(value=False)),
    "remembered": Walk(
        boolean(context=None), "left enter", ("@N no, this turn",), Answered(value=False, remember=True)
    ),
    "select": Walk(select(), "down enter", ("@staging",), Answered(value="staging")),
    "by number": Walk(select(tool=True), "3", ("@41 M rows",), Answered(value="production")),
    "far": Walk(select(options=MANY, tool=True), "slash 1 4 enter enter", ("~b1", "@b14"), Answered(value="b14")),
    "own words": Walk(select(), "end n o enter", ("@Something else", "no", "@Enter send"), Replied(text="no")),
    "multi": Walk(
        multi(), "space down space enter", ("@eu-production", "@staging", "@Enter submit"),
        Answered(value=["staging", "eu-production"]),
    ),
    "all but one": Walk(
        multi(), "a 1 enter", ("@a all", "@eu-production", "@Enter submit"), Answered(value=["staging", "production"])
    ),
    "text": Walk(text(), "a ctrl+j b enter", ("a", "@Ctrl+J", "b", "@Enter submit"), Answered(value="a\nb")),
    "empty": Walk(
        text(), "escape escape down enter", ("@Esc reply", "@Esc menu", "@Empty on purpose"), Answered(value="")
    ),
    "secret": Walk(secret(), "p w enter", ("pw", "@Enter submit"), Answered(value="pw")),
    "schema": Walk(JOB, "x enter", ("@name", "x", "@Enter submit"), NAMED),
    "json": Walk(JOB, "x f6 enter", ("@F6", "@F6", "@name", "x", "@F6", "@Enter submit"), NAMED),
    "permission": Walk(CALL, "p p y", ("@p as JSON", "@p the call", "@y run"), Permitted(run=True)),
    "skip": Walk(
        CALL, "r n o enter", ("@r reply", "no", "@Enter send"), Permitted(run=False, reason="no")
    ),
    "edited": Walk(CALL, "e enter", ("@e edit", "@Enter run"), Edited(arguments={"a": 1})),
    "delivery": Walk(delivery(), "down enter", ("@Deliver result",), Delivered(deliver=True)),
    "review": Walk(review(), "enter", ("@Submit",), Submitted()),
    "to a question": Walk(review(), "b", ("@What should the note",), WentBack(to="note")),
    "hunks": Walk(
        hunky(), "space c n o enter ] ] y",
        ("@1/3 line 4", "@c comment", "no", "@Enter keep the", "~line 4", "@y yes"),
        Answered(value=True, parts=PartsTaken(accepted=("2", "3"), comments={"1": "no"})),
    ),
    "form": Walk(
        formed(multi()), "space enter", ("@eu-production", "@Enter submit"), Answered(value=["eu-production"])
    ),
    "by its tab": Walk(formed(select()), "shift+tab", ("@✓ apply",), WentBack(to="apply")),
}  # fmt: skip


FIRST = ("boolean", "select", "multi", "text", "secret", "schema", "permission", "delivery", "review", "hunks", "form")
"""One walk for each sheet; only these go round first."""


async def step(app: Host, pilot: Pilot[None], one: str) -> None:
    """A key, letters, a click on `@words`, or the wheel to the end over `~words`."""
    app.now += 0.2
    if one.startswith("@"):
        await app.click_text(pilot, one[1:])
    elif one.startswith("~"):
        await wheel(app, pilot, one[1:])
    else:
        await app.type(pilot, *one)
    await app.settled(pilot)


async def wheel(app: Host, pilot: Pilot[None], words: str) -> None:
    rows = text_of(app).split("\n")
    y = next(y for y, row in enumerate(rows) if words in row)
    for _ in range(14):
        await pilot._post_mouse_events([events.MouseScrollDown], offset=(rows[y].index(words), y))


async def judged(app: Host, pilot: Pilot[None]) -> None:
    """A schema answer leaves only with a verdict."""
    area = app.sheet.area
    if isinstance(area, SchemaArea):
        await app.until(pilot, lambda: area.document.sure)


async def round_by_keys(app: Host, pilot: Pilot[None], prompt: PromptRequest) -> None:
    """Help, fold, full screen, a side question, the menu to its end, and back to where it began."""
    await app.type(pilot, "f1", "ctrl+o")
    assert app.global_keys == ["f1"] and "1 waiting" in text_of(app)
    await app.type(pilot, "ctrl+o")
    await app.arm(pilot)
    before = app.sheet.size.height
    await app.type(pilot, "ctrl+f")
    assert app.dock.full and app.sheet.size.height >= before
    await app.type(pilot, "ctrl+f", *(["escape"] if app.sheet.writing else []))
    if prompt.kind != "delivery":
        await app.type(pilot, "?", "w", "enter")
        assert app.sheet.side_question.exchanges[-1].asked == "w" and "the question stays open" in text_of(app)
        await app.type(pilot, "escape")
    await app.type(pilot, "escape", "down", "end")
    assert "All keys" in text_of(app)
    await app.type(pilot, "home", "enter")
    assert app.sheet.mode != "menu" and app.answers == []


async def round_by_mouse(app: Host, pilot: Pilot[None], prompt: PromptRequest) -> None:
    """The same, with nothing but clicks; the letter that is asked needs its key."""
    await leave_field(app, pilot)
    await menu_line(app, pilot, "Fold")
    await step(app, pilot, "@1 waiting")
    await app.arm(pilot)
    await leave_field(app, pilot)
    if app.sheet.reading.overflows:
        await menu_line(app, pilot, "Full screen")
        await step(app, pilot, "@Ctrl+F back")
    await step(app, pilot, "@Esc menu")
    await wheel(app, pilot, "back to the question")
    await step(app, pilot, "@All keys")
    await app.until(pilot, lambda: app.global_keys == ["f1"])
    await leave_field(app, pilot)
    if prompt.kind != "delivery":
        await step(app, pilot, "@Esc menu")
        for words in ("@Ask back", "w", "@Enter ask", "@Esc back to the question"):
            await step(app, pilot, words)
        assert app.sheet.side_question.exchanges[-1].asked == "w"
    await step(app, pilot, "@Esc menu")
    await step(app, pilot, "@back to the question")
    assert app.sheet.mode != "menu" and app.answers == []


async def menu_line(app: Host, pilot: Pilot[None], words: str) -> None:
    """A key without room in the last line, by its hint or by its line of the menu."""
    hint = {"Fold": "Ctrl+O fold", "Full screen": "Ctrl+F full"}[words]
    if hint in text_of(app):
        await step(app, pilot, f"@{hint}")
        return
    await step(app, pilot, "@Esc menu")
    await wheel(app, pilot, "back to the question")
    await step(app, pilot, f"@{words}")


async def leave_field(app: Host, pilot: Pilot[None]) -> None:
    if app.sheet.writing:
        await step(app, pilot, "@Esc reply")


@partly(3)
@pytest.mark.parametrize("kind", WALKS)
async def test_e60_by_the_keyboard_alone(kind: str) -> None:
    walk = WALKS[kind]
    app = Host(walk.prompt)
    async with app.run_test(size=SMALL) as pilot:
        await app.arm(pilot)
        if kind in FIRST:
            await round_by_keys(app, pilot, walk.prompt)
        for key in walk.keys.split():
            assert app.answers == []
            await judged(app, pilot)
            await app.type(pilot, key)
            if app.sheet.frame.notice.display and key in ("y", "b", "shift+tab") and not app.answers:
                await app.type(pilot, key)  # what it discards, or was not seen, is said first
        assert said(app) == [walk.answer]


@partly(3)
@pytest.mark.parametrize("kind", WALKS)
async def test_e60_by_the_mouse_alone(kind: str) -> None:
    walk = WALKS[kind]
    app = Host(walk.prompt)
    async with app.run_test(size=SMALL) as pilot:
        await app.arm(pilot)
        if kind in FIRST:
            await round_by_mouse(app, pilot, walk.prompt)
        for one in walk.clicks:
            assert app.answers == []
            await judged(app, pilot)
            await step(app, pilot, one)
            if one.startswith("@") and app.sheet.frame.notice.display and not app.answers:
                await step(app, pilot, one)
        assert said(app) == [walk.answer]


def said(app: Host) -> list[object]:
    """The answers, without the note that a walk by keys adds."""
    return [
        one.model_copy(update={"note": ""}) if isinstance(one, Answered) and one.note else one for one in app.answers
    ]


WAYS_OUT = {kind: WALKS[kind].prompt for kind in ("boolean", "select", "text", "review")}
WAYS_OUT["form"] = formed(boolean(context=None))


@partly(2)
@pytest.mark.parametrize("mouse", [False, True], ids=["keys", "mouse"])
@pytest.mark.parametrize("kind", WAYS_OUT)
async def test_e60_reply_back_and_end_turn_out_of_each(kind: str, mouse: bool) -> None:
    """Each is sent once; the dock of a test settles nothing, so a refusal gives the sheet back."""
    prompt = WAYS_OUT[kind]
    app = Host(prompt)
    async with app.run_test(size=SMALL) as pilot:
        await app.arm(pilot)
        wanted: list[Response] = [Replied(text="no")]
        await out(app, pilot, ["@Esc menu", "@r  Reply", "no", "@Enter send"] if mouse else ["r", "n", "o", "enter"])
        if prompt.back:
            wanted.append(WentBack(to=prompt.back))
            await out(app, pilot, ["@Esc menu", "@b  Back"] if mouse else ["b"])
        wanted.append(EndTurn())
        await out(app, pilot, ["@Esc menu", "@s  End Turn"] if mouse else ["s", "enter"])
        assert app.answers == wanted


async def out(app: Host, pilot: Pilot[None], steps: list[str]) -> None:
    """One way out of the sheet, which then comes back as if the answer had been refused."""
    if app.sheet.mode != "answer":
        await app.type(pilot, "escape")
    count = len(app.answers)
    for one in steps:
        await (step(app, pilot, one) if one[0] == "@" or len(one) == 2 else app.type(pilot, one))
    if len(app.answers) == count:
        await (step(app, pilot, steps[-1]) if steps[-1][0] == "@" else app.type(pilot, steps[-1]))
    assert len(app.answers) == count + 1
    app.dock.refused(key_of(app.sheet.prompt), "not now", gone=False)
    app.sheet.reply_fields.reply.put("")
    await app.arm(pilot)
