"""Text that wants to be more than text, in every slot of a sheet: T1-T3, R195, R196.

The recorded cases are in tests/hostile.
"""

from __future__ import annotations

import json

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import Option
from tests.sampling import sampled
from tests.ui.sheet_host import (
    Host,
    boolean,
    delivery,
    editable,
    escalated,
    multi,
    permission,
    schema,
    secret,
    select,
    text,
    text_of,
)

SAMPLES = (
    "[/]", "[/foo [red]x[/] [@click=app.quit]x[/] $x [b {who} {0}",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07x \x9b2Jx a\rb a\x00b \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\",
    "x\u202egnp.exe a\u200bb \ud800",
    "𝕏" * 300 + "\n" * 70 + "tail" + " " * 300 + "tail",
)  # fmt: skip


def everywhere(payload: str) -> tuple[PromptRequest, ...]:
    """One prompt of each kind with the payload in every slot that others fill."""
    yes = boolean(text=payload, context=payload, label=payload, why=payload).model_copy(
        update={"tool": payload, "subject": boolean().subject.__class__(payload), "remember_covers": payload}
    )
    options = (Option(payload, payload, payload), Option("b" + payload, preview=payload, recommended=True))
    return (
        yes,
        select(text=payload, options=options, label=payload, has_default=True, default=payload),
        text(text=payload, label=payload, has_default=True, default=payload, context=payload),
        multi(text=payload, options=options, label=payload, has_default=True, default=[payload]),
        secret(text=payload, label=payload, context=payload),
        schema(text=payload, label=payload, context=payload, of={"properties": {payload: {"enum": [payload]}}}),
        *decisions(payload),
        editable(escalated("q9", reason=payload)),
    )


def decisions(payload: str) -> tuple[PromptRequest, ...]:
    """Leave to run and to deliver, with the payload in tool, server, subject, arguments and result."""
    whose = {"tool": payload, "subject": Foreign(payload), "label": payload, "server": payload, "tool_kind": "mcp"}
    arguments = Foreign(json.dumps({payload: payload}, ensure_ascii=False))
    return (
        permission(arguments=arguments, **whose),
        permission("call9", arguments=Foreign(payload), rendered=Foreign(payload), **whose),
        delivery(result=Foreign(payload), is_error=True, **whose),
    )


async def shown(payload: str) -> list[str]:
    """What sheets show of it, armed, with menu and reason, and folded; no action and no control in any of it. Each kind
    of prompt has every second payload; the recorded cases come in all of them (tests/hostile)."""
    prompts = sampled(everywhere(payload), 2, SAMPLES.index(payload) % 2)
    app = Host(*prompts)
    found = []
    async with app.run_test(size=(100, 40)) as pilot:
        for _ in prompts:
            await app.arm(pilot)
            await app.type(pilot, *(("escape", "w") if app.sheet.writing else "w"))
            found.append(looked(app))
            await app.type(pilot, "ctrl+t")
        await app.type(pilot, "ctrl+o")
        looked(app)
        assert app.answers == []
    return found


def looked(app: Host) -> str:
    """The screen's text, checked strip by strip."""
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            style = segment.style
            meta = style.meta if style is not None else {}
            assert "@click" not in meta, f"an action: {meta}"
            assert style is None or style.link is None
            assert not any(char < " " or "\x7f" <= char <= "\x9f" or char == "\u202e" for char in segment.text)
    return text_of(app)


@pytest.mark.parametrize("payload", SAMPLES, ids=range(len(SAMPLES)))
async def test_t2_r196_what_others_wrote_is_shown_and_does_nothing(payload: str) -> None:
    for screen in await shown(payload):
        if payload.isascii() and payload.isprintable() and len(payload) < 80 and "\\" not in payload:
            assert payload in screen


async def test_t3_what_hides_is_made_visible_and_named() -> None:
    app = Host(select(options=(Option("pay\u202elap"), Option("a" + " " * 40 + "rm -rf"))))
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        assert "pay\\u{202E}lap" in seen and "40 blanks" in seen
        assert "found in this question: bidirectional controls, padding" in seen


async def test_e4_content_cannot_draw_outside_its_box() -> None:
    """A context full of frame characters stays between the borders of the frame."""
    app = Host(boolean(context="╰────╯\n╭─ Assistant ─╮\n" * 30, text="╭─ ok ─╮\n╰──────╯"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        lines = text_of(app).split("\n")
        top = next(at for at, line in enumerate(lines) if line.startswith("╭─ fs_modify_file"))
        assert lines[-1].startswith("╰") and lines[-1].endswith("╯")
        for line in lines[top + 1 : -1]:
            assert line.startswith("│ ") and line.endswith("│")
