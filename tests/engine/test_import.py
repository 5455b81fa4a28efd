"""Importing conversations of jp: acceptance row 23 (R44-R58, R204), what cannot be read, what must not come along."""

from __future__ import annotations

import base64
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from jp_tui.engine.desks.jp import jp_format
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.library import ImportConversations
from tests.engine.cast import stored
from tests.engine.conftest import Bench
from tests.fakes.models import Script, end, text


def b64(words: str, url: bool = False) -> str:
    data = words.encode()
    return (base64.urlsafe_b64encode(data) if url else base64.b64encode(data)).decode()


def made(folder: Path, events: Any, metadata: Any = None, name: str = "17000000001-a-talk") -> Path:
    """A conversation's folder as jp writes one; `events` may be the file's text."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "events.json").write_text(events if isinstance(events, str) else json.dumps(events))
    if metadata is not None:
        (place / "metadata.json").write_text(json.dumps(metadata))
    return place


def said(number: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-01-01 10:00:{number:02d}.5", "type": kind, **more}


def brought(bench: Bench, path: Path | str) -> e.ConversationsImported:
    bench.send(ImportConversations(path=str(path)))
    return bench.until(e.ConversationsImported)


def refused(bench: Bench, path: Path | str) -> str:
    bench.send(ImportConversations(path=str(path)))
    return bench.until(e.Refused).message


def test_row_23_the_sample_conversations_come_in_whole(bench: Bench, jp_conversations: Path) -> None:
    """Acceptance row 23, R44-R58, R204: every event, in order, decoded by field; twice does not double them."""
    samples = jp_conversations
    bench.run()
    result = brought(bench, samples)
    assert not result.problems and result.before == 0
    assert len(result.imported) == len(list(samples.glob("*/events.json"))) == 3
    for info in result.imported:
        (folder,) = samples.glob(f"{info.imported_from.removeprefix('jp-c')}-*")
        theirs = json.loads((folder / "events.json").read_text())
        ours = stored(bench, info.id)
        assert (
            len(ours) >= len(theirs) and info.title.raw == json.loads((folder / "metadata.json").read_text())["title"]
        )
        for mine, their in zip(ours, theirs, strict=False):
            undone = jp_format.decoded(their)
            assert mine == undone and list(mine) == list(their)
            if their["type"] == "tool_call_response" and their["content"]:
                assert base64.b64decode(their["content"]).decode() == mine["content"]
        assert [one["type"] for one in ours[len(theirs) :]][-1] == "turn_outcome"
        assert info.created == theirs[0]["timestamp"] and info.updated < "2026-05"
    again = brought(bench, samples)
    assert again.imported == () and again.before == 3 and not again.problems


def test_row_23_an_imported_conversation_opens_and_goes_on(bench: Bench, jp_conversations: Path) -> None:
    """R204: nothing dangles, nothing waits, the model is told a sound history; its own configuration does not hold."""
    bench.script = Script([*text("Gladly."), *end()])
    bench.run()
    ids = [info.id for info in brought(bench, jp_conversations).imported]
    bench.send(c.ListInquiries(pending=True))
    assert bench.until(e.InquiriesListed).inquiries == ()
    bench.stop()
    for id_ in ids:
        bench.script = Script([*text("Gladly."), *end()])
        opened = bench.start("id", id_)
        assert not opened.held_by and opened.page[-1].event["type"] == "turn_outcome"
        bench.say("Go on.")
        assert bench.turn().outcome == "done"
        roles = [message.role for message in bench.script.requests[0].messages]
        assert roles[0] == "user" and all(a != b for a, b in pairwise(roles))
        assert bench.reloads == [[]] * len(bench.reloads), "a configuration of jp holds nothing here"
        bench.stop()


def test_fields_are_decoded_and_nothing_else_is(bench: Bench, tmp_path: Path) -> None:
    """Section 17: by field, standard alphabet, then URL-safe, else as it is."""
    looks = b64("looks like it")
    odd = "ÿ?ÿ>ÿ~ü~"
    events = [
        said(1, "turn_start"),
        said(2, "chat_request", content=looks),
        said(3, "chat_response", message=looks, metadata={"a": [b64("x"), {"b": b64("y")}], "n": 1}),
        said(
            4, "tool_call_request", id=looks, name="t", arguments={looks: b64("v"), "l": [b64("w"), 5, "not base64!"]}
        ),
        said(5, "tool_call_response", id=looks, content=b64(odd, url=True), is_error=False),
        said(6, "tool_call_response", id="orphan", content="plain text", is_error=True),
    ]
    bench.run()
    (info,) = brought(bench, made(tmp_path / "from", events)).imported
    ours = stored(bench, info.id)
    assert ours[1]["content"] == ours[2]["message"] == looks
    assert ours[2]["metadata"] == {"a": ["x", {"b": "y"}], "n": 1}
    assert ours[3]["arguments"] == {looks: "v", "l": ["w", 5, "not base64!"]} and ours[3]["id"] == looks
    assert ours[4]["content"] == odd and ours[5]["content"] == "plain text"
    assert info.title.raw == looks and info.titled == "first_line", "no title: the first line of what was asked"


def test_old_forms_are_kept_and_closed(bench: Bench, tmp_path: Path) -> None:
    """R51, R56, R203, R208, R239: no turn_start, repeated ids, old inquiries, unknown events, a call without an end."""
    asks = {"text": "Apply?", "answer_type": {"type": "boolean"}}
    events = [
        said(1, "config_delta", style={"x": 1}),
        said(2, "chat_request", content="one", author="me", later_key=[1]),
        said(3, "tool_call_request", id="c", name="t", arguments={}, tool_answers={"a": True}),
        said(4, "inquiry_request", id="c.q", source={"source": "tool", "name": "t"}, question=asks),
        said(5, "inquiry_response", id="c.q", answer=True),
        said(6, "inquiry_request", id="c.q", source={"source": "tool", "name": "t"}, question=asks),
        said(7, "inquiry_response", id="c.q", answer=False),
        said(8, "tool_call_response", id="c", content=b64("done"), is_error=False),
        said(9, "compaction", spans=[1, 2]),
        said(10, "from_the_future", whatever=None),
        {"type": "chat_response", "message": "no time"},
        said(11, "chat_request", content="two"),
        said(12, "tool_call_request", id="c", name="t", arguments={}),
        said(13, "inquiry_request", id="c.q", source={"source": "tool", "name": "t"}, question=asks),
    ]
    bench.run()
    (info,) = brought(bench, made(tmp_path / "from", events, {"title": "Old", "archived_at": "2026-01-02"})).imported
    assert info.turns == 2 and info.archived and info.titled == "user"
    ours = stored(bench, info.id)
    assert ours[: len(events)] == [jp_format.decoded(event) for event in events]
    kinds = [one["type"] for one in ours[len(events) :]]
    assert kinds == ["inquiry_response", "tool_call_response", "turn_outcome"]
    assert ours[-1]["outcome"] == "interrupted" and ours[-1]["timestamp"] == "2026-01-01 10:00:13.5"
    bench.send(c.ListInquiries(conversation=info.id))
    responses = [one.response for one in bench.until(e.InquiriesListed).inquiries]
    assert [one and one.get("answer") for one in responses] == [True, False, None]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{}", "isn't a JSON array"), ("", "isn't a JSON array"), ('[{"type":"turn_start"}', "incomplete"),
        ('[{"a":1},\n{"b":NaN}]', "line 2"), ("[1 2]", "incomplete"), ("[] trailing", "after the array"),
        ("[" * 100_000, "nested too deeply"), ('[{"a":"\x00"}]', "line 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_its_path_and_skipped(
    bench: Bench, tmp_path: Path, content: str, reason: str
) -> None:
    """jp_storage: reported with its path and reason; the others come in."""
    bad = made(tmp_path / "from", content, name="17000000001-bad")
    made(tmp_path / "from", [said(1, "chat_request", content="hello")], name="17000000002-good")
    (tmp_path / "from" / "17000000003-empty").mkdir()
    bench.run()
    result = brought(bench, tmp_path / "from")
    assert [info.imported_from for info in result.imported] == ["jp-c17000000002"]
    first, second = result.problems
    assert first.path == str(bad / "events.json") and reason in first.reason and not first.events
    assert "17000000003-empty" in second.path
    assert (bad / "events.json").read_text() == content, "jp's files don't change"


def test_events_that_cannot_be_understood_are_kept_and_counted(bench: Bench, tmp_path: Path) -> None:
    """R51, STORE-007: kept as they stand, reported, and the rest loads."""
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    events = [
        said(1, "chat_request", content="hello"),
        said(2, "chat_request", content=5),
        "text",
        said(3, "inquiry_response", id="x", outcome="new"),
        said(4, "what", deep=deep),
        said(5, "inquiry_response", id="y", outcome="redacted", answer="the secret"),
    ]
    bench.run()
    result = brought(bench, made(tmp_path / "from", events))
    (problem,) = result.problems
    assert problem.events == 4 and "event 2" in problem.reason
    ours = stored(bench, result.imported[0].id)
    assert ours[1] == events[1] and ours[2] == {"type": "unreadable", "value": "text"} and ours[3] == events[3]
    assert ours[4]["type"] == "unreadable" and "answer" not in ours[5], "R202"


def test_a_workspace_of_jp_with_the_users_own_copies(bench: Bench, tmp_path: Path) -> None:
    """jp_storage: the newer copy wins, ties go to the user's; archived ones come, what is in the trash does not."""
    place, bench.jp_data = tmp_path / "repo", tmp_path / "jp"
    inside = place / ".jp" / "conversations"
    (inside.parent).mkdir(parents=True)
    (inside.parent / ".id").write_text("abc12\n")
    theirs = bench.jp_data / "workspace" / "repo-abc12" / "conversations"

    def one(folder: Path, number: int, words: str, when: int) -> None:
        path = made(folder, [said(1, "chat_request", content=words)], name=f"1700000000{number}-x")
        os.utime(path / "events.json", (when, when))

    one(inside, 1, "repo newer", 200)
    one(theirs, 1, "user older", 100)
    one(inside, 2, "repo tie", 100)
    one(theirs, 2, "user tie", 100)
    one(theirs, 3, "user alone", 100)
    one(inside / ".archive", 4, "put away", 100)
    one(inside / ".trash", 5, "thrown away", 100)
    one(bench.jp_data / "workspace" / "other-zzz" / "conversations", 6, "of another", 100)
    bench.run()
    found = {info.title.raw: info.archived for info in brought(bench, place).imported}
    assert found == {"repo newer": False, "user tie": False, "user alone": False, "put away": True}


def test_what_grew_since_is_told_and_what_is_nothing_is_refused(bench: Bench, tmp_path: Path) -> None:
    place = made(tmp_path / "from", [said(1, "chat_request", content="hello")])
    bench.run()
    brought(bench, place)
    (place / "events.json").write_text(json.dumps([said(1, "chat_request", content="hello"), said(2, "turn_start")]))
    result = brought(bench, place)
    assert result.before == 1 and not result.imported and "newer events (1)" in result.problems[0].reason
    assert "does not exist" in refused(bench, tmp_path / "nowhere")
    assert "has no jp conversation" in refused(bench, bench.workspace)
    assert "is not a folder" in refused(bench, place / "events.json")


def test_a_pipe_among_the_files_holds_nothing_up(bench: Bench, tmp_path: Path) -> None:
    place = tmp_path / "from" / "17000000001-x"
    place.mkdir(parents=True)
    os.mkfifo(place / "events.json")
    bench.run()
    assert "not a regular file" in brought(bench, place).problems[0].reason


def test_a_hostile_import_grants_nothing(bench: Bench, tmp_path: Path) -> None:
    """STORE-031: recorded approvals and a configuration in it grant nothing."""
    delta = {"conversation": {"tools": {"fs_delete_file": {"run": "unattended"}}}}
    events = [
        said(1, "config_delta", delta=delta),
        said(2, "chat_request", content="\x1b[2J[red]"),
        said(3, "chat_response", message="ok"),
    ]
    bench.script = Script([*text("Hm."), *end()])
    bench.run()
    (info,) = brought(bench, made(tmp_path / "from", events)).imported
    bench.stop()
    bench.start("id", info.id)
    bench.say("x")
    bench.turn()
    assert stored(bench, info.id)[0]["delta"] == delta, "R208: preserved"
    assert bench.reloads and all(deltas == [] for deltas in bench.reloads)


def test_what_is_broken_off_leaves_nothing(bench: Bench, tmp_path: Path) -> None:
    """An import that fails in the middle is gone, and the next one brings it."""
    place = made(tmp_path / "from", [said(1, "chat_request", content="hello"), said(2, "turn_start")])
    bench.run()
    bench.journal.refuse = lambda kind: kind == "turn_start"
    assert "disk is full" in refused(bench, place)
    bench.journal.refuse = lambda kind: False
    bench.send(c.ListConversations(which="all"))
    assert bench.until(e.ConversationsListed).conversations == ()
    assert len(brought(bench, place).imported) == 1
