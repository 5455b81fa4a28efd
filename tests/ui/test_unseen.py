"""Invisible characters and tags are visible in a question's text and context, the trail, the sidebar and the window's
title (Z22, Z26); a change of white space alone and a cut text are marked where they are shown (Z26)."""

from __future__ import annotations

import pytest

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.questions.types import Question
from jp_tui.ui.notify.window_title import title_text
from jp_tui.ui.painting.blocks import paint
from jp_tui.ui.sidebar.sidebar import Sidebar
from jp_tui.view.activity.status import Status
from tests.fakes import scenes
from tests.ui.app_host import workspace
from tests.ui.look_of import look_of, texts
from tests.view.events_of import asked, log
from tests.view.test_story import stored_blocks

TAGS = "".join(chr(0xE0000 + ord(char)) for char in "ok")
HIDDEN = f"p\u200b{TAGS[0]}"
SHOWN = r"p\u{200B}\u{E006F}"


def only_shown(text: str) -> bool:
    """The characters stand as escapes, and nowhere as they are."""
    joined = "".join(line.strip(" │▌▏") for line in text.split("\n")).replace(" ", "")
    return SHOWN.replace(" ", "") in joined and not set(text) & set(f"\u200b{TAGS}")


def a_question(source: str, *, text: str = "Really?", context: str | None = None) -> list[ev.Event]:
    state, question = scenes.asked("boolean")[1:]
    prompt = scenes.prompt("boolean").model_copy(update={"source": source})
    wanted = Question(id="x", text=text, answer_type=prompt.question.answer_type, context=context)
    return [
        *scenes.started(),
        state,
        question.model_copy(update={"prompt": prompt.model_copy(update={"question": wanted})}),
    ]


@pytest.mark.parametrize("source", ["tool", "assistant"])
@pytest.mark.parametrize("where", ["text", "context"])
async def test_a_question(source: str, where: str) -> None:
    """(Z22, Z26) Of a tool and of the model."""
    async with workspace(say=a_question(source, **{where: HIDDEN})) as (app, pilot):
        await app.passes(pilot, 1.0)
        assert only_shown(app.screen_text()), app.screen_text()


def test_the_trail_of_a_call() -> None:
    """(Z22, Z26) The question, who answered and the reason, folded and not."""
    request = stored.ToolCallRequest(id="a", name="edit", arguments={"path": "x"})
    verdict = stored.InquiryAnswered(
        id="a.q.1", answer=False, explanation=HIDDEN, responder=stored.Responder("assistant", model="judge")
    )
    for question, reason in (("Plain?", HIDDEN), (HIDDEN, "plain")):
        told = stored.InquiryAnswered(id="a.q.1", answer=False, explanation=reason, responder=verdict.responder)
        events = [request, asked("a", question), told, stored.ToolCallResponse(id="a", content="ok")]
        (block,) = stored_blocks(log(*events))
        for unfolded in (frozenset[str](), frozenset({"e1/0"})):
            assert only_shown("\n".join(texts(paint(block, 100, look_of(), unfolded=unfolded)))), unfolded


async def test_the_sidebar() -> None:
    """(Z22, Z26) A tool's name, what it works on and what it says while it runs."""
    for field in ("tool", "title", "said"):
        given = HIDDEN if field == "tool" else Foreign(HIDDEN)
        running = scenes.call("grep", "running").model_copy(update={field: given})
        async with workspace(size=(200, 50), say=[*scenes.started(), running]) as (app, pilot):
            await app.still(pilot)
            place = app._main.query_one(Sidebar).region
            rows = app.screen_text().split("\n")[place.y : place.bottom]
            shown = "\n".join(row[place.x : place.right] for row in rows)
            assert only_shown(shown), (field, shown)


def test_the_windows_title() -> None:
    """(Z22, Z26) The conversation's title and the folder's name."""
    assert only_shown(title_text(Status(workspace="/x/acme", title=Foreign(HIDDEN))))
    assert only_shown(title_text(Status(workspace=f"/x/{HIDDEN}", title=Foreign("plain"))))


DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n keep\n-\tindented \n+        indented\n"


async def test_white_space_on_a_sheet_is_marked_by_signs_and_words() -> None:
    """(Z26) Signs on both lines and a line of words: colour carries none of it."""
    async with workspace(say=a_question("tool", text="Apply?", context=f"```diff\n{DIFF}```")) as (app, pilot):
        await app.passes(pilot, 1.0)
        shown = app.screen_text()
        assert "→indented·" in shown and "········indented" in shown, shown
        assert "only white space changed (· space, → tab, ␍ CR)" in shown


async def test_a_long_result_says_how_much_is_folded() -> None:
    """(Z26) In the conversation a tool's output is cut; the row says how much there is."""
    result = stored.ToolCallResponse(id="a", content="\n".join(f"row {n}" for n in range(1, 41)))
    request = stored.ToolCallRequest(id="a", name="fs_read_file", arguments={"path": "x"})
    (block,) = stored_blocks(log(request, result))
    folded, whole = (
        "\n".join(texts(paint(block, 100, look_of(), unfolded=parts)))
        for parts in (frozenset[str](), frozenset({block.key}))
    )
    assert "row 40" not in folded and "40 lines" in folded and "row 40" in whole
