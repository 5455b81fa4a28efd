"""Pictures of every sheet and of each state it can be in (R194, R255; issue 3, "Snapshots").

The clock stands still and nothing is animated: the same picture on any machine. After a change that is meant:
`pytest tests/ui/test_sheet_pictures.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import Option, Place
from jp_tui.ui.sheets.schema.area import SchemaArea
from tests.sampling import partly
from tests.ui.sheet_host import (
    LONG_DIFF,
    REASON,
    Host,
    boolean,
    delivery,
    editable,
    escalated,
    formed,
    multi,
    permission,
    schema,
    secret,
    select,
    text,
    text_of,
)

Compare = Callable[..., bool]
SMALL, LARGE = (80, 24), (120, 36)
PREVIEWS = (
    Option("rebase", "history stays flat", preview="```python\ngit.rebase(onto='main')\n```", recommended=True),
    Option("merge", "both lines stay", preview="# Merge\n\nkeeps *both* lines"),
)
BRANCHES = tuple(Option(f"branch-{n}") for n in range(1, 31))


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


def look(
    compare: Compare, *prompts: PromptRequest, keys: str = "", size: tuple[int, int] = SMALL, theme: str = "jp-night",
    arm: bool = True, then: Callable[[Host], None] | None = None,
) -> None:  # fmt: skip
    """Compare the host with its picture, after the keys."""
    app = Host(*prompts, theme=theme)

    async def before(pilot: Pilot[None]) -> None:
        await pilot.pause()
        if arm:
            await app.arm(pilot)
        await app.type(pilot, *keys.split())
        sheet = app.dock.shown()
        area = sheet.area if sheet is not None else None
        if isinstance(area, SchemaArea):  # a verdict is on its way
            await app.until(pilot, lambda: area.document.sure or area.editors.json_problem is not None)
        if then is not None:
            then(app)
        await app.still(pilot)

    assert compare(app, terminal_size=size, run_before=before)


KINDS: dict[str, Callable[..., PromptRequest]] = {
    "boolean": boolean,
    "select": lambda **more: select(tool=not more.get("label"), **more),
    "text": lambda **more: text(tool=not more.get("label"), **more),
    "multi": lambda **more: multi(tool=not more.get("label"), **more),
    "secret": secret,
    "schema": lambda **more: schema(tool=not more.get("label"), **more),
}


@partly(2)
@pytest.mark.parametrize("label", ["Assistant", None], ids=["label", "plain"])
@pytest.mark.parametrize("persistence", ["turn", "none"])
@pytest.mark.parametrize("kind", KINDS)
def test_r194_every_answer_type_persistence_and_label(
    snap_compare: Compare, kind: str, persistence: str, label: str | None
) -> None:
    remember = {"remember": persistence == "turn", "context": None} if kind == "boolean" else {}
    prompt = KINDS[kind](label=label, **remember)
    question = replace(prompt.question, persistence=persistence)  # type: ignore[arg-type]
    look(snap_compare, prompt.model_copy(update={"question": question}))


@partly(4)
@pytest.mark.parametrize("theme", ["jp-night", "jp-day"])
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x36"])
@pytest.mark.parametrize("kind", ["boolean", "select", "text"])
def test_every_sheet_small_and_large_dark_and_light(
    snap_compare: Compare, kind: str, size: tuple[int, int], theme: str
) -> None:
    prompts = {
        "boolean": boolean(),
        "select": select(has_default=True, default="production"),
        "text": text(has_default=True, default="fix: say what is kept\n\nand why"),
    }
    look(snap_compare, prompts[kind], select("q9"), size=size, theme=theme)


@partly(2)
@pytest.mark.parametrize(
    ("size", "theme"), [(SMALL, "jp-night"), (LARGE, "jp-day")], ids=["80x24-dark", "120x36-light"]
)
@pytest.mark.parametrize("kind", ["multi", "secret", "schema", "permission", "delivery", "escalated", "failed", "edit"])
def test_the_other_sheets_small_and_dark_and_large_and_light(
    snap_compare: Compare, kind: str, size: tuple[int, int], theme: str
) -> None:
    prompts = {
        "multi": multi(has_default=True, default=["staging"]),
        "secret": secret(),
        "schema": schema(),
        "permission": permission(),
        "delivery": delivery(),
        "escalated": editable(escalated()),
        "failed": escalated(failed=True, reason="HTTP 529 overloaded, three times"),
        "edit": editable(boolean()),
    }
    keys = {"secret": "a b c", "edit": "e", "multi": "down"}
    look(snap_compare, prompts[kind], select("q9"), size=size, theme=theme, keys=keys.get(kind, ""))


STATES: dict[str, tuple[PromptRequest, str]] = {
    "unseen": (boolean(context=LONG_DIFF), "y"),
    "two-columns": (boolean(), "t"),
    "full-screen": (boolean(context=LONG_DIFF), "ctrl+f"),
    "menu": (boolean(), "escape"),
    "end-turn": (text(), "h a l f escape s"),
    "reply": (boolean(), "r n o t space y e t"),
    "reply-kept": (boolean(), "r n o t space y e t escape"),
    "reply-in-place": (select(), "down down down down n e i t h e r"),
    "why": (boolean(), "w"),
    "human-only": (boolean(human_only=True), "enter"),
    "nothing-chosen": (select(), "enter"),
    "nothing-written": (text(), "enter"),
    "out-of-the-field": (text(), "h a l f escape"),
    "several-lines": (text(), "o n e ctrl+j t w o ctrl+j"),
    "filter": (select(options=BRANCHES), "slash 2 down"),
    "folded": (boolean(), "ctrl+o"),
    "sent": (boolean(), "n"),
    "deceiving": (select(options=(Option("pay\u202elap"), Option("[red]x[/]"))), "down"),
    "several-none": (multi(), "enter"),
    "several-many": (multi(options=BRANCHES), "down space j j space"),
    "schema-unfolded": (schema(), "f7"),
    "schema-wrong": (schema(has_default=True, default={"a": 1}), "end x enter"),
    "arguments-as-json": (permission(), "p"),
    "skip-and-reply": (permission(), "r n o"),
    "edit-first": (permission(edit_first=True), ""),
    "edit-first-menu": (permission(edit_first=True), "escape escape"),
    "edit-wrong": (editable(boolean()), "e end x enter"),
    "error-result": (delivery(is_error=True), ""),
    "result-edited": (delivery(edit_first=True), "x"),
    "note": (boolean(), "c t i d y"),
    "note-kept": (boolean(), "c t i d y enter"),
    "long-reason": (escalated(reason=REASON * 6), ""),
    "deadline": (boolean().model_copy(update={"deadline_secs": 300}), ""),
    "long-question": (text(text="Which of these should the changelog tell, and how? " * 12), ""),
}


@pytest.mark.parametrize("state", STATES)
def test_every_state(snap_compare: Compare, state: str) -> None:
    prompt, keys = STATES[state]
    look(snap_compare, prompt, keys=keys)


async def judged(app: Host, pilot: Pilot[None], area: SchemaArea) -> None:
    await app.until(pilot, lambda: area.document.sure)


LARGE_TOO = (
    "unseen", "full-screen", "human-only", "nothing-chosen", "nothing-written", "folded", "sent", "several-none",
    "schema-wrong", "edit-wrong", "error-result", "deadline",
)  # fmt: skip


@partly(3)
@pytest.mark.parametrize("state", LARGE_TOO)
def test_errors_and_places_on_a_large_screen(snap_compare: Compare, state: str) -> None:
    prompt, keys = STATES[state]
    look(snap_compare, prompt, keys=keys, size=LARGE, theme="jp-day")


@partly(2)
@pytest.mark.parametrize("label", ["Assistant", None], ids=["label", "plain"])
@pytest.mark.parametrize("kind", KINDS)
async def test_r170_r194_an_only_entry_of_a_list_looks_like_the_flat_form(kind: str, label: str | None) -> None:
    """One question shows no tab, no `[1/1]`, and submits at once (E3): the very picture of the flat form."""
    remember = {"remember": False, "context": None} if kind == "boolean" else {}
    flat = KINDS[kind](label=label, **remember)
    listed = formed(flat, Place("only", flat.question.text, "current"))
    seen = []
    for prompt in (flat, listed):
        app = Host(prompt)
        async with app.run_test(size=LARGE) as pilot:
            await app.arm(pilot)
            area = app.sheet.area
            if isinstance(area, SchemaArea):
                await judged(app, pilot, area)
            seen.append(text_of(app))
    assert seen[0] == seen[1]


def test_deaf(snap_compare: Compare) -> None:
    look(snap_compare, boolean(), arm=False)


def test_preview_beside(snap_compare: Compare) -> None:
    look(snap_compare, select(options=PREVIEWS), size=LARGE)


def test_preview_below(snap_compare: Compare) -> None:
    look(snap_compare, select(options=PREVIEWS), keys="down")


@pytest.mark.parametrize("kind", KINDS)
def test_the_smallest_terminal(snap_compare: Compare, kind: str) -> None:
    look(snap_compare, KINDS[kind](), size=(60, 16))


@pytest.mark.parametrize("kind", ["unseen", "permission", "delivery", "escalated", "edit"])
def test_the_smallest_terminal_has_room_for_what_is_said(snap_compare: Compare, kind: str) -> None:
    prompts = {
        "unseen": (boolean(context=LONG_DIFF), "y"), "permission": (permission(), ""), "delivery": (delivery(), ""),
        "escalated": (escalated(), ""), "edit": (editable(boolean()), "e"),
    }  # fmt: skip
    look(snap_compare, prompts[kind][0], keys=prompts[kind][1], size=(60, 16))


def test_too_small(snap_compare: Compare) -> None:
    look(snap_compare, boolean(), size=(40, 9))


def test_a_large_screen(snap_compare: Compare) -> None:
    look(snap_compare, boolean(), size=(200, 50))


def test_refused(snap_compare: Compare) -> None:
    look(
        snap_compare,
        boolean(),
        keys="n",
        then=lambda app: app.dock.refused(("c1", "q1"), "the disk is full", gone=False),
    )


def test_settled_elsewhere(snap_compare: Compare) -> None:
    look(snap_compare, boolean(), then=lambda app: app.dock.remove_settled(("c1", "q1")))


def test_a_subject_longer_than_the_frame(snap_compare: Compare) -> None:
    prompt = boolean().model_copy(update={"subject": Foreign("docs/" + "very/" * 30 + "deep.md")})
    look(snap_compare, prompt, select("q9"))


@pytest.mark.parametrize("theme", ["jp-sixteen", "jp-contrast"])
def test_the_cursor_is_seen_in_any_theme(snap_compare: Compare, theme: str) -> None:
    look(snap_compare, boolean(preselect=True), theme=theme)
