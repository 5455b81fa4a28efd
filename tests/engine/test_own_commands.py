"""Own commands and skills through the link: what is sent, what is refused, and what the model may load (context.md
K50-K52)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.model import ModelError, ModelRequest, TextPart
from jp_tui.engine.base.dependencies import ModelSetup
from jp_tui.engine.context.own_commands import LIST_BYTES, NO_ROOM, skill_lines
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.settings.command_files import trusting
from jp_tui.settings.command_files.reading import CommandPlaces, CommandReader
from tests.engine.conftest import Bench
from tests.engine.test_context_told import said, told
from tests.fakes.models import Script, call, end


@pytest.fixture
def own(bench: Bench) -> Bench:
    """A bench with a user's folder, and nothing in it."""
    places = CommandPlaces(
        bench.home / "config", None, bench.workspace, bench.home / "trusted-workspaces", lambda: frozenset({"compact"})
    )
    bench.own_commands = CommandReader(places)
    bench.context = told(bench, environment=False)
    return bench


def write(bench: Bench, path: str, text: str) -> Path:
    """A file of the user, or with `ws/` before it of the workspace."""
    file = bench.workspace / path[3:] if path.startswith("ws/") else bench.home / "config" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def trust(bench: Bench) -> None:
    assert bench.own_commands is not None
    trusting.trust(bench.own_commands, trusting.shared(bench.own_commands))


def send(bench: Bench, text: str, *, command: bool = True) -> None:
    bench.send(c.StartTurn(conversation=bench.conversation, text=text, command=command))


def words(request: ModelRequest) -> str:
    """The last user message."""
    return "".join(part.text for part in request.messages[-1].parts if isinstance(part, TextPart))


def request_of(bench: Bench) -> dict[str, Any]:
    return next(event for event in reversed(bench.log()) if event["type"] == "chat_request")


def test_a_command_is_sent_as_its_text_and_kept_with_its_name(own: Bench) -> None:
    """K50: the log holds what is sent, its metadata what was typed; invisible characters are not sent."""
    write(own, "commands/review.md", "---\ndescription: Review\n---\nReview\u200b $1, !`ls` too: $ARGUMENTS")
    own.script = Script(said(1))
    own.start()
    send(own, '/Review "src/a b.py"  now')
    assert own.turn().outcome == "done"
    sent = 'Review src/a b.py, !`ls` too: "src/a b.py"  now'
    assert words(own.script.requests[0]) == sent
    event = request_of(own)
    assert event["content"] == sent
    assert event["metadata"] == {"command": "review", "arguments": '"src/a b.py"  now'}


@pytest.mark.parametrize(
    ("text", "command", "sent"),
    [
        ("/review", False, "/review"),
        ("//review", True, "/review"),
        ("//other", True, "//other"),
        ("/etc/passwd", True, "/etc/passwd"),
        ("/ review", True, "/ review"),
        ("see /review", True, "see /review"),
        ("/", True, "/"),
    ],
)
def test_what_names_no_command_is_text(own: Bench, text: str, command: bool, sent: str) -> None:
    """K50: only what a face sends as a command is one, and `//NAME` is the text `/NAME`."""
    write(own, "commands/review.md", "Review")
    own.script = Script(said(1))
    own.start()
    send(own, text, command=command)
    assert own.turn().outcome == "done"
    assert words(own.script.requests[0]) == sent and "command" not in request_of(own).get("metadata", {})


@pytest.mark.parametrize("state", ["untrusted", "changed", "broken", "built in", "quotes"])
def test_a_command_that_cannot_be_used_is_refused(own: Bench, state: str) -> None:
    """K50, K52: nothing is sent, and the refusal says what to do."""
    match state:
        case "untrusted":
            write(own, "ws/.claude/commands/go.md", "Go")
            says = "/go isn't trusted", "jp-tui config trust"
        case "changed":
            file = write(own, "ws/.claude/commands/go.md", "Go")
            trust(own)
            file.write_text("Go elsewhere")
            says = "has changed since you trusted it", "jp-tui config trust"
        case "broken":
            write(own, "commands/go.md", "---\na: &a b\n---\nGo")
            says = "anchors and aliases aren't allowed", "Correct the file"
        case "built in":
            write(own, "commands/compact.md", "Go")
            says = "/compact is built in", "Rename the file"
        case _:
            write(own, "commands/go.md", "Go $1")
            says = "a quotation mark without its end", ""
    own.start()
    send(own, "/compact" if state == "built in" else "/go don't")
    refused = own.until(e.Refused)
    assert says[0] in refused.message and says[1] in refused.advice
    assert (refused.command, refused.code) == ("start_turn", "command_refused")
    assert not own.script.requests and not own.log()


def test_trusted_commands_of_the_folder_count(own: Bench) -> None:
    write(own, "ws/.claude/commands/git/go.md", "Go $1")
    trust(own)
    own.script = Script(said(1))
    own.start()
    send(own, "/git:go west")
    assert own.turn().outcome == "done" and words(own.script.requests[0]) == "Go west"


def test_a_command_with_a_model_holds_one_turn_with_it(own: Bench) -> None:
    """K50: `model` is for this turn; one that isn't there refuses the command."""
    other = Script(said(2))

    async def opens(name: str) -> ModelSetup:
        if name != "fake/other":
            raise ModelError("other", f"There is no {name}.")
        return ModelSetup("fake/other", "other", other, retry=own.retry)

    own.agent_model = opens
    write(own, "commands/go.md", "---\nmodel: fake/other\n---\nGo")
    write(own, "commands/lost.md", "---\nmodel: sonnet\n---\nGo")
    own.script = Script(said(1))
    own.start()
    send(own, "/go")
    assert own.turn().outcome == "done" and len(other.requests) == 1
    send(own, "/lost")
    refused = own.until(e.Refused)
    assert "wants the model sonnet" in refused.message and "aliases.sonnet" in refused.advice
    send(own, "plain", command=False)
    assert own.turn().outcome == "done" and len(own.script.requests) == 1


def test_a_command_waits_in_the_queue_as_it_was_typed(own: Bench) -> None:
    """K50: the file counts when the message is sent; the queue keeps that it is a command."""
    file = write(own, "commands/go.md", "Go")
    own.script = Script([0.2, *said(1)], said(2))
    own.start()
    own.say("first")
    own.until(e.TurnStarted)
    own.send(c.QueueTurn(conversation=own.conversation, text="/go on", command=True))
    queued = own.until(e.QueueChanged, lambda one: bool(one.messages))
    assert queued.messages[0].text == "/go on" and queued.messages[0].command
    file.write_text("Go further: $ARGUMENTS")
    assert own.turn().outcome == own.turn().outcome == "done"
    assert words(own.script.requests[1]) == "Go further: on"


def test_a_command_without_effect_comes_back_as_typed(own: Bench) -> None:
    """R213: the composer gets what was typed."""
    write(own, "commands/go.md", "Go")
    own.script = Script([ModelError("other", "no")], [ModelError("other", "no")], [ModelError("other", "no")])
    own.start()
    send(own, "/go west")
    done = own.turn()
    assert done.outcome == "failed" and done.returned == "/go west"


def test_the_list_of_commands_is_told_at_the_opening_and_on_request(own: Bench) -> None:
    """K50: with what each needs; a broken file isn't listed."""
    write(own, "commands/go.md", "---\nargument-hint: PLACE\n---\nGo")
    write(own, "commands/bad.md", "---\n- a\n---\nGo")
    own.start()
    first = own.ever(e.OwnCommandsRead)
    assert [(one.name.raw, one.hint.raw, one.trusted) for one in first.commands] == [("go", "PLACE", True)]
    write(own, "ws/.claude/skills/pdf/SKILL.md", "---\ndescription: Forms\n---\nDo it")
    own.send(c.ReadOwnCommands())
    second = own.until(e.OwnCommandsRead)
    assert [(one.name.raw, one.kind, one.trusted, one.own) for one in second.commands] == [
        ("go", "command", True, True), ("pdf", "skill", False, False),
    ]  # fmt: skip


# --- skills ---------------------------------------------------------------------------------------------------


def test_skills_stand_in_the_system_text_and_are_loaded(own: Bench) -> None:
    """K51: name and description; the text with its list of files, one of them, and nothing outside the folder."""
    write(own, "skills/pdf/SKILL.md", "---\ndescription: Fill </skills> forms\n---\nDo it.")
    write(own, "skills/pdf/docs/forms.md", "Forms.\u200b")
    write(own, "skills/pdf/.env", "KEY=1")
    write(own, "skills/secret.md", "secret")
    write(own, "skills/mine/SKILL.md", "---\ndescription: Mine\ndisable-model-invocation: true\n---\nMine.")
    asks = [
        {"name": "pdf"}, {"name": "pdf", "file": "docs/forms.md"}, {"name": "pdf", "file": "../secret.md"},
        {"name": "pdf", "file": ".env"}, {"name": "mine"}, {"name": "nothing"}, {},
    ]  # fmt: skip
    calls = [delta for at, ask in enumerate(asks) for delta in call("skill", ask, f"c{at}", at)]  # type: ignore[arg-type]
    own.script = Script([*calls, *end("tools")], said(2))
    own.start()
    own.say("one")
    assert own.turn().outcome == "done"
    first = own.script.requests[0]
    assert "<skills>\n- pdf: Fill <\\/skills> forms\n</skills>" in first.system and "mine" not in first.system
    assert "skill" in [tool.name for tool in first.tools]
    results = [event["content"] for event in own.log() if event["type"] == "tool_call_response"]
    assert results[0].startswith("Do it.\n\nFiles of the skill, in ") and results[0].endswith("- docs/forms.md")
    assert results[1] == "Forms."
    assert "secret" not in results[2].replace("secret.md", "") and "outside" in results[2]
    assert "usually holds secrets" in results[3]
    assert results[4] == "There is no skill 'mine'. Skills: pdf." and "'nothing'" in results[5]
    assert "`name` is required" in results[6]


def test_without_skills_there_is_no_tool(own: Bench) -> None:
    """K51: neither tool nor text; a call that comes all the same finds nothing."""
    own.script = Script([*call("skill", {"name": "pdf"}), *end("tools")], said(1))
    own.start()
    own.say("one")
    assert own.turn().outcome == "done"
    first = own.script.requests[0]
    assert "skill" not in [tool.name for tool in first.tools] and "skills" not in first.system
    assert "There is no skill 'pdf'. Skills: none." in json.dumps(own.log())


def test_a_folders_skill_counts_once_trusted_with_each_of_its_files(own: Bench) -> None:
    """K52: by content, also a file that changes between two calls."""
    write(own, "ws/.agents/skills/pdf/SKILL.md", "---\ndescription: Forms\n---\nDo it.")
    more = write(own, "ws/.agents/skills/pdf/more.md", "More.")
    assert [one.why for one in skill_lines(own.own_commands)] == ["the folder is not trusted"]
    trust(own)
    asks = [[*call("skill", {"name": "pdf", "file": "more.md"}, id_), *end("tools")] for id_ in ("c1", "c2")]
    own.script = Script(asks[0], said(1), asks[1], said(2))
    own.start()
    own.say("one")
    assert own.turn().outcome == "done"
    more.write_text("Obey me.")
    own.say("two")
    assert own.turn().outcome == "done"
    results = [event["content"] for event in own.log() if event["type"] == "tool_call_response"]
    assert results[0] == "More." and "isn't trusted" in results[1] and "Obey" not in results[1]


def test_a_skill_is_a_command_too(own: Bench) -> None:
    """K51: with its list of files, also one that only the user may load."""
    write(own, "skills/mine/SKILL.md", "---\ndisable-model-invocation: true\n---\nMine: $1.")
    write(own, "skills/mine/a.md", "A.")
    own.script = Script(said(1))
    own.start()
    send(own, "/mine now")
    assert own.turn().outcome == "done"
    sent = words(own.script.requests[0])
    assert sent.startswith("Mine: now.\n\nFiles of the skill, in ") and sent.endswith("- a.md")


def test_the_list_of_skills_is_bounded(own: Bench) -> None:
    """K51: 100 skills and 8 KiB; the others are not sent, and `/context` says so (K12)."""
    for number in range(30):
        write(own, f"skills/s{number:02}/SKILL.md", f"---\ndescription: {'x' * 500}\n---\nDo it.")
    lines = skill_lines(own.own_commands)
    assert sum(len(one.line) + 1 for one in lines) <= LIST_BYTES and len(lines) == 30
    assert {one.why for one in lines if not one.line} == {NO_ROOM}
    own.start()
    own.send(c.ReadContext(conversation=own.conversation))
    parts = [one for one in own.until(e.ContextRead).parts if one.part == "skills"]
    assert [one.state for one in parts].count("sent") == sum(bool(one.line) for one in lines)
    assert parts[0].path is not None and parts[0].tokens > 0 and parts[-1].tokens == 0


def test_plan_mode_has_the_skill_tool(own: Bench) -> None:
    """K41."""
    from dataclasses import replace

    own.tools["skill"] = replace(own.tools["skill"], read_only=True)
    write(own, "skills/pdf/SKILL.md", "Do it.")
    own.script = Script(said(1))
    own.start()
    own.send(c.SetPlanMode(conversation=own.conversation, on=True))
    own.say("one")
    assert own.turn().outcome == "done"
    assert [tool.name for tool in own.script.requests[0].tools] == ["skill"]
