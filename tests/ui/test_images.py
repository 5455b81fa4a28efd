"""Images in the composer: by path, dropped, from the clipboard; a mark that goes along (issue 8, 3)."""

from __future__ import annotations

import json

import pytest
from textual import events

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.view.composer.mentions import image_path
from tests.fakes.link import FakeLink, opened
from tests.ui.app_host import workspace

MARK = "[image 1: shot.png, 12 kB]"


def sees(problem: str = "", first: ev.ConversationOpened | None = None) -> FakeLink:
    """An engine for which every file is an image of 12,300 bytes, unless there is a problem."""
    link = FakeLink(first)
    link.answers[cmd.FindFiles] = lambda asked: [ev.FilesFound(revision=asked.revision, paths=("docs/shot.png",))]
    link.answers[cmd.CheckImage] = lambda asked: [
        ev.ImageChecked(ask=asked.ask, path=asked.path or "/c/clip.png", size=12_300, problem=problem)
    ]
    return link


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/tmp/a.png\n", "/tmp/a.png"),
        ("'/tmp/my shot.PNG' ", "/tmp/my shot.PNG"),
        ("/tmp/my\\ shot.jpg", "/tmp/my shot.jpg"),
        ("file:///tmp/my%20shot.webp", "/tmp/my shot.webp"),
        ("~/a.gif", "~/a.gif"),
        ("see a.png", ""),
        ("/tmp/a.txt", ""),
        ("/a.png\n/b.png", ""),
        ("", ""),
    ],
)
def test_what_a_terminal_writes_for_a_file_that_is_dropped(text: str, path: str) -> None:
    assert image_path(text) == path


async def test_an_image_of_the_workspace_goes_along() -> None:
    async with workspace(sees()) as (app, pilot):
        await pilot.press(*"see @shot")
        await pilot.pause()
        await pilot.press("tab", *"!")
        await pilot.pause()
        assert app.composer.text == f"see {MARK} !"
        await pilot.press("enter")
        await pilot.pause()
        sent = app.link.of(cmd.StartTurn)[0]
        assert (sent.text, sent.attachments) == (f"see {MARK} !", ("docs/shot.png",))
        await pilot.press("up", "end", "left", "left", "backspace", "enter")
        await pilot.pause()
        assert app.link.of(cmd.QueueTurn)[0].attachments == (), "a mark that was deleted takes its image along"


async def test_a_dropped_path_and_the_clipboard() -> None:
    async with workspace(sees()) as (app, pilot):
        app.post_message(events.Paste("'/tmp/shot.png'"))
        await pilot.pause()
        await pilot.press("alt+v")
        await pilot.pause()
        assert app.composer.text == f"{MARK}[image 2: clip.png, 12 kB] "
        assert app.composer.attachments == ("/tmp/shot.png", "/c/clip.png")


async def test_a_model_that_takes_none_is_said_before_anything_is_sent() -> None:
    async with workspace(sees("x/y takes no images; the path is sent as it stands.")) as (app, pilot):
        app.post_message(events.Paste("/tmp/shot.png"))
        await pilot.pause()
        await pilot.pause()
        assert app.composer.text == "/tmp/shot.png" and "takes no images" in app.screen_text()


async def test_a_draft_and_a_message_taken_back_keep_their_images() -> None:
    folds = json.dumps({"size": 1, "places": [], "files": {MARK: "/tmp/shot.png"}})
    first = opened(drafts={"composer": f"see {MARK}", "composer.folds": folds})
    async with workspace(sees(first=first)) as (app, pilot):
        assert app.composer.attachments == ("/tmp/shot.png",)
        await pilot.press("ctrl+u")
        message = {"id": 1, "text": "and [image 7: b.png, 1 kB]", "attachments": ("/b.png",)}
        await app.says(pilot, ev.QueueTaken.model_validate({"conversation": "c1", "message": message}))
        assert app.composer.attachments == ("/b.png",)
