"""Images that go along with a message: told by their bytes, kept in the log, in each wire's own form (issue 8, 3)."""

from __future__ import annotations

import os
from base64 import b64encode
from pathlib import Path

import pytest

from jp_tui.conversation import model as m
from jp_tui.engine.desks.image_reading import LARGEST, MOST, media, read
from jp_tui.engine.record.model_context import without_pictures
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.providers.anthropic.request import Anthropic
from jp_tui.providers.openai_chat.request import OpenAIChat
from tests.engine.conftest import Bench
from tests.fakes.models import Script, end, text

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
DATA = b64encode(PNG).decode()


def say(bench: Bench, *paths: str, words: str = "look") -> None:
    bench.send(c.StartTurn(conversation=bench.conversation, text=words, attachments=paths))


def shown(request: m.ModelRequest) -> list[m.Picture]:
    return [part for one in request.messages for part in one.parts if isinstance(part, m.Picture)]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8", "image/webp"),
        (b"<svg>", ""),
        (b"", ""),
    ],
)
def test_the_bytes_say_what_it_is(data: bytes, kind: str) -> None:
    assert media(data) == kind


def test_what_is_no_image_is_refused_with_words(tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no")
    (tmp_path / "large.png").write_bytes(PNG + bytes(LARGEST))
    os.mkfifo(tmp_path / "pipe.png")
    for name, words in (
        ("text", "isn't a PNG"),
        ("large", "the limit is"),
        ("pipe", "not a regular file"),
        ("gone", "No such"),
    ):
        with pytest.raises(ValueError, match=words):
            read(f"{name}.png", tmp_path)


def test_an_image_is_sent_and_still_there_after_a_restart(bench: Bench) -> None:
    (bench.workspace / "shot.png").write_bytes(PNG)
    bench.script = Script([*text("I see."), *end()])
    bench.start()
    say(bench, "shot.png")
    bench.turn()
    assert shown(bench.script.requests[0]) == [m.Picture("image/png", DATA, "shot.png")]
    (bench.workspace / "shot.png").unlink()
    bench.stop()
    bench.script = Script([*text("Still."), *end()])
    bench.start("latest")
    bench.say("and now?")
    bench.turn()
    assert shown(bench.script.requests[0]) == [m.Picture("image/png", DATA, "shot.png")]
    assert len(shown(bench.script.requests[0])) == 1, "the second message has none"


def test_what_cannot_be_sent_is_refused_and_nothing_is_said(bench: Bench) -> None:
    bench.script = Script([*text("Fine."), *end()])
    bench.start()
    say(bench, "gone.png")
    assert "gone.png was not sent" in bench.until(e.Refused).message
    say(bench, *["gone.png"] * (MOST + 1))
    assert f"at most {MOST} images" in bench.until(e.Refused).message
    say(bench)
    bench.turn()
    assert shown(bench.script.requests[0]) == []


def test_a_queued_message_takes_its_image_along(bench: Bench) -> None:
    (bench.workspace / "a.png").write_bytes(PNG)
    bench.script = Script([*text("One."), *end()])
    bench.start()
    bench.send(c.QueueTurn(conversation=bench.conversation, text="look", attachments=("a.png",)))
    bench.turn()
    assert len(shown(bench.script.requests[0])) == 1


def test_it_is_looked_at_before_it_is_sent(bench: Bench) -> None:
    (bench.workspace / "a.png").write_bytes(PNG)
    bench.start()
    for ask, path in enumerate(["a.png", "b.png"], 1):
        bench.send(c.CheckImage(conversation=bench.conversation, ask=ask, path=path))
    told = {one.ask: one for one in (bench.until(e.ImageChecked), bench.until(e.ImageChecked))}
    assert (told[1].media_type, told[1].size, told[1].problem) == ("image/png", len(PNG), "")
    assert "can't be read" in told[2].problem


def test_each_wire_has_its_own_form() -> None:
    said = (m.Message("user", (m.Picture("image/png", "QUJD"), m.TextPart("look"))),)
    request = m.ModelRequest(model="x", messages=said)
    theirs = Anthropic().body(request)["messages"]
    source = {"type": "base64", "media_type": "image/png", "data": "QUJD"}
    assert theirs[0]["content"][0] == {"type": "image", "source": source}  # type: ignore[index, call-overload]
    other = OpenAIChat("openai").body(request)["messages"]
    assert other[-1]["content"] == [  # type: ignore[index, call-overload]
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
        {"type": "text", "text": "look"},
    ]
    assert all(isinstance(part, m.TextPart) for part in without_pictures(said)[0].parts)


def test_an_image_is_taken_from_the_clipboard(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a program that is there and works; what it gives is kept as a file, and looked at like any other."""
    (bench.home / "image.png").write_bytes(PNG)
    program = bench.home / "bin" / "xclip"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nexec /bin/cat {bench.home}/image.png\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    bench.start()
    bench.send(c.CheckImage(conversation=bench.conversation, ask=1, path=""))
    found = bench.until(e.ImageChecked)
    assert (found.media_type, found.size, found.problem) == ("image/png", len(PNG), "")
    assert Path(found.path).read_bytes() == PNG
