"""The run prompt of an MCP server's tool (mcp.md P23, P31, M34), and the frame of what a server asks (P41)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.engine.turn.changed_tool import CHANGED
from jp_tui.headless.forms.question import AskedQuestion
from jp_tui.mcp import questions, sampling
from jp_tui.mcp.approval import OfferedTool, changed_parts, difference
from jp_tui.mcp.values import McpServer, McpTool
from jp_tui.protocol.values import Answered, Cancelled, PromptRequest
from jp_tui.questions.types import Question
from jp_tui.tools.port import Sampled
from jp_tui.ui.sheets import texts
from jp_tui.view.questions.prompt_line import asker, headline
from tests.hostile import recorded
from tests.ui.sheet_host import Host, boolean, permission, text_of
from tests.ui.test_sheet_pictures import LARGE, SMALL, look

BEFORE = McpTool(
    "fetch", description="Read a page.", input_schema={"type": "object", "properties": {"url": {"type": "string"}}}
)
AFTER = McpTool(
    "fetch",
    description="Read a page.\n" + recorded.ours("mcp")["MCP-002"]["payload"]["utf8"],
    input_schema={"type": "object", "properties": {"url": {"type": "string"}, "cookies": {"type": "boolean"}}},
)
CALL = '{\n  "url": "https://example.com/a",\n  "cookies": true\n}'


def changed() -> PromptRequest:
    """As the engine makes it: the difference, then the call."""
    one = OfferedTool("docs", "changed", BEFORE, AFTER, changed_parts(BEFORE, AFTER))
    return permission(
        tool="mcp.docs.fetch",
        tool_kind="mcp",
        server="docs",
        subject=Foreign("https://example.com/a"),
        arguments=Foreign(CALL),
        rendered=Foreign(f"{CHANGED}\n\n{difference(one).rstrip()}\n\nThe call:\n{CALL}"),
        why="mcp.docs.fetch changed since you accepted it (description, inputSchema)",
        scopes=(),
        controls=frozenset({"edit", "end_turn"}),
    )


def test_m34_the_run_prompt_names_tool_and_server() -> None:
    assert headline(changed()) == "Run mcp fetch tool from docs server?"
    assert texts.question(changed())[0].plain == "Run mcp fetch tool from docs server?"
    renamed = changed().model_copy(update={"tool": "find"})
    assert headline(renamed) == "Run mcp find tool from docs server?"


def test_p41_the_frame_says_which_server_asks_and_for_what() -> None:
    prompt = boolean(label=None).model_copy(
        update={"tool": "mcp.docs.fetch", "tool_kind": "mcp", "server": "docs", "subject": Foreign("")}
    )
    assert asker(prompt) == "docs asks, for fetch" and texts.title(prompt).plain.startswith("docs asks, for fetch")
    assert asker(prompt.model_copy(update={"server": ""})) != "docs asks, for fetch"


async def test_p23_every_argument_and_change_is_there_and_nothing_acts() -> None:
    app = Host(changed())
    async with app.run_test(size=(100, 60)) as pilot:
        await pilot.pause()
        await app.arm(pilot)
        shown = text_of(app)
        assert CHANGED[:40] in shown and "Adds numbers." in shown and "send files" in shown
        await pilot.press("ctrl+d", "ctrl+d", "ctrl+d")
        await pilot.pause()
        shown += text_of(app)
        assert '"cookies": true' in shown and "\x1b" not in shown


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=lambda size: f"{size[0]}x{size[1]}")
def test_picture(snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    look(snap_compare, changed(), size=size)


def asked_by_a_server(question: Question) -> PromptRequest:
    """As the engine makes it."""
    return PromptRequest(
        conversation="c1", inquiry="q1", call="call1", tool="mcp.docs.fetch", turn=3, digest="d", source="tool",
        label=None, question=question, tool_kind="mcp", server="docs", subject=Foreign("the page"), human_only=True,
        controls=frozenset({"reply", "cancel", "decline", "edit", "end_turn"}),
    )  # fmt: skip


def test_p41_a_message_of_several_lines_stands_once() -> None:
    """In the sheet and in lines; a message of one line is the question itself."""
    for message, above, said in (("Who?\nReally.", "Who?\nReally.", "(full text above)"), ("Who?", None, "Who?")):
        schema = {"type": "object", "properties": {"a": {"type": "string"}}}
        made = questions.asks(questions.ELICIT, {"message": message, "requestedSchema": schema}, host="")
        assert isinstance(made, Question)
        prompt = asked_by_a_server(made)
        shown, context = texts.question(prompt)
        assert (shown.plain, context.raw if context else None) == (said, above)
        assert "\n".join(AskedQuestion(prompt).shown(())).count("Who?") == 1
        asks = prompt.model_copy(update={"server": ""})
        assert texts.question(asks)[0].plain == "Who?"


URL = "https://login.docs.example.com/oauth/start?client=jp-tui&state=4711"


def page() -> PromptRequest:
    made = questions.asks(
        questions.ELICIT, {"mode": "url", "message": "Log in to read it.", "url": URL}, host="docs.example.com"
    )
    assert isinstance(made, Question)
    return asked_by_a_server(made)


def form(**properties: object) -> PromptRequest:
    fields = properties or {
        "place": {"type": "string", "enum": ["inbox", "archive"], "enumNames": ["Inbox", "Archive"], "title": "Place"},
        "copies": {"type": "boolean", "title": "Keep a copy", "default": True},
        "days": {"type": "integer", "title": "Days", "minimum": 1, "maximum": 30, "default": 7},
    }
    said = recorded.ours("mcp")["MCP-002"]["payload"]["utf8"]
    made = questions.asks(
        questions.ELICIT,
        {"message": f"Where does it go?\n{said}", "requestedSchema": {"type": "object", "properties": fields}},
        host="",
    )
    assert isinstance(made, Question)
    return asked_by_a_server(made)


def model() -> PromptRequest:
    """A request to the user's model (P46)."""

    class Model:
        model, images = "acme/large", True

        async def sample(self, request: object) -> Sampled:
            raise AssertionError

    said = {"role": "user", "content": {"type": "text", "text": "Sum up this page:\nIt is long."}}
    params = {"messages": [said], "maxTokens": 500, "systemPrompt": "Be brief.", "temperature": 0.3}
    return asked_by_a_server(sampling.sampling(params, McpServer("docs", "x"), Model(), 0).question)


async def test_p45_c_copies_the_address_and_the_question_stays() -> None:
    app = Host(page())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "c copy address" in text_of(app)
        await app.type(pilot, "c")
        assert [(one.text, one.what) for one in app.copied] == [(URL, "the address")] and app.answers == []
        await app.type(pilot, "y")
        assert app.answers == [Answered(value=True)]


async def test_p42_n_declines_a_form_and_asks_first_where_something_is_typed() -> None:
    app = Host(form())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "n decline" in text_of(app)
        await app.type(pilot, "space", "n")
        assert app.answers == [] and "Decline" in text_of(app)
        await app.type(pilot, "n")
        assert app.answers == [Cancelled(declined=True)]
    fresh = Host(form())
    async with fresh.run_test(size=(80, 24)) as pilot:
        await fresh.arm(pilot)
        await fresh.type(pilot, "n")
        assert fresh.answers == [Cancelled(declined=True)]


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("made", [page, form, model], ids=["page", "form", "model"])
def test_picture_of_a_servers_question(
    snap_compare: Callable[..., bool], made: Callable[[], PromptRequest], size: tuple[int, int]
) -> None:
    """P41-P46: each question of a server, with a message of the corpus in the form."""
    look(snap_compare, made(), size=size)
