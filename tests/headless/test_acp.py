"""`jp-tui acp` with the official SDK's client on the other end (intake.md N50-N52)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
from asyncio.streams import FlowControlMixin  # type: ignore[attr-defined]
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.headless.asking_tools import YES_NO, answers, configure, inline, question, results
from tests.headless.forked import Forked
from tests.headless.running import LIMIT, environment, jp, latest, lines, log

acp = pytest.importorskip("acp")
schema = pytest.importorskip("acp.schema")
FORMS = {"elicitation": {"form": {}}}
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16


class Editor:
    """An editor: `said` are the updates it got, `asked` its permission requests and forms, which wait until the test
    answers; `messages` is everything that came, as it came."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self.asked: list[dict[str, Any]] = []
        self.messages: list[dict[str, Any]] = []
        self._news = asyncio.Event()
        self.agent: Any = None
        self.status: int | None = None

    # --- what the SDK calls ---------------------------------------------------------------------------------------

    async def session_update(self, session_id: str, update: Any, **more: Any) -> None:
        self.said.append(update)
        self._news.set()

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **more: Any) -> Any:
        return await self._waits(call=tool_call, options={one.option_id: one for one in options})

    async def create_elicitation(self, message: str, mode: Any, **more: Any) -> Any:
        return await self._waits(message=message, form=mode.requested_schema.model_dump(by_alias=True, mode="json"))

    async def _waits(self, **asked: Any) -> Any:
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.asked.append({**asked, "reply": reply})
        self._news.set()
        return await reply

    def on_connect(self, agent: Any) -> None:
        self.agent = agent

    async def seen(self, event: Any) -> None:
        self.messages.append(event.message)
        self._news.set()

    # --- what a test does -----------------------------------------------------------------------------------------

    async def until(self, done: Callable[[], Any]) -> Any:
        """Wait until that is true; what it returned."""
        async with asyncio.timeout(LIMIT):
            while not (found := done()):
                self._news.clear()
                await self._news.wait()
        return found

    async def question(self) -> dict[str, Any]:
        """The next question, which is not answered yet."""
        await self.until(lambda: self.asked)
        return self.asked.pop(0)

    def text(self, kind: str = "agent_message_chunk") -> str:
        return "".join(one.content.text for one in self.said if one.session_update == kind)

    def of(self, kind: str) -> list[Any]:
        return [one for one in self.said if one.session_update == kind]


def selects(asked: dict[str, Any], option: str) -> None:
    asked["reply"].set_result(
        schema.RequestPermissionResponse(outcome=schema.AllowedOutcome(outcome="selected", option_id=option))
    )


def fills(asked: dict[str, Any], **content: Any) -> None:
    asked["reply"].set_result(schema.AcceptElicitationResponse(action="accept", content=content))


@contextlib.asynccontextmanager
async def editor(
    home: Path, model: str, capabilities: dict[str, Any] | None = None, **more: str
) -> AsyncIterator[tuple[Editor, Any]]:
    """An editor that has started and initialised the agent, and the agent's process."""
    client = Editor()
    process = Forked(["acp", "--model", model], env=environment(home, **more))
    assert process.stdin is not None and process.stdout is not None
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 24)
    incoming, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), process.stdout)
    outgoing, protocol = await loop.connect_write_pipe(lambda: FlowControlMixin(loop), process.stdin)
    writer = asyncio.StreamWriter(outgoing, protocol, reader, loop)
    agent = acp.connect_to_agent(client, writer, reader, use_unstable_protocol=True, observers=[client.seen])
    try:
        client.agent = agent
        told = schema.ClientCapabilities.model_validate(capabilities or {})
        begun = await agent.initialize(protocol_version=1, client_capabilities=told)
        assert begun.agent_info.name == "jp-tui" and begun.agent_capabilities.load_session
        assert begun.agent_capabilities.prompt_capabilities.image
        yield client, writer
        writer.close()
        client.status = await asyncio.to_thread(process.wait, LIMIT)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
        await agent.close()
        incoming.close()


async def begin(client: Editor, folder: Path) -> str:
    return str((await client.agent.new_session(cwd=str(folder), mcp_servers=[])).session_id)


def says(client: Editor, session: str, text: str = "go") -> asyncio.Task[Any]:
    return asyncio.ensure_future(client.agent.prompt(session_id=session, prompt=[acp.text_block(text)]))


def edits(home: Path, folder: Path) -> str:
    """A script that changes a file; the model to use."""
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    script = home / "edit.toml"
    script.write_text(
        'rate = 0\nfallback = "Nothing."\n[[walks]]\nname = "go"\n[[walks.turns]]\nreasoning = "Hm."\n'
        'text = "I edit."\ncalls = [{ name = "fs_modify_file", arguments = { path = "a.txt", '
        'patterns = [{ old = "two", new = "2" }] } }]\n'
        '[[walks.turns]]\ntext = "Done."\n'
    )
    return f"demo/{script}"


async def test_n50_n51_a_permission_with_a_diff_and_then_list_and_load(tmp_path: Path) -> None:
    """The diff is in the permission's tool call; yes runs; the conversation is listed, and loaded as it was shown."""
    folder = tmp_path / "work"
    model = edits(tmp_path, folder)
    async with editor(tmp_path, model) as (client, _):
        session = await begin(client, folder)
        turn = says(client, session)
        asked = await client.question()
        (diff,) = [one for one in asked["call"].content if one.type == "diff"]
        assert diff.path == str(folder / "a.txt")
        assert (diff.old_text, diff.new_text) == ("one\ntwo\nthree\n", "one\n2\nthree\n")
        assert {id_: one.kind for id_, one in asked["options"].items()} == {
            "yes": "allow_once",
            "always": "allow_always",
            "no": "reject_once",
        }
        assert (folder / "a.txt").read_text() == "one\ntwo\nthree\n"
        selects(asked, "yes")
        ended = await turn
        assert ended.stop_reason == "end_turn" and (folder / "a.txt").read_text() == "one\n2\nthree\n"
        assert client.text() == "I edit.Done." and client.text("agent_thought_chunk") == "Hm."
        (call,) = client.of("tool_call")
        assert call.kind == "edit" and call.locations[0].path == str(folder / "a.txt")
        assert call.tool_call_id == asked["call"].tool_call_id
        assert client.of("tool_call_update")[-1].status == "completed"
        (listed,) = (await client.agent.list_sessions(cwd=str(folder))).sessions
        assert (listed.session_id, listed.cwd) == (session, str(folder))
        assert not (await client.agent.list_sessions(cwd=str(tmp_path))).sessions
    async with editor(tmp_path, model) as (client, _):
        loaded = await client.agent.load_session(session_id=session, cwd=str(folder), mcp_servers=[])
        assert loaded.modes.current_mode_id == "ask"
        kinds = [one.session_update for one in client.said if one.session_update not in ("config_option_update",)]
        assert kinds == [
            "user_message_chunk", "agent_thought_chunk", "agent_message_chunk", "tool_call", "tool_call_update",
            "agent_message_chunk",
        ]  # fmt: skip
        assert client.text() == "I edit.Done."
        again = await says(client, session, "more")
        assert again.stop_reason == "end_turn" and client.text().endswith("Nothing.")
    assert client.status == 0


async def test_n51_forms_where_the_editor_shows_them(tmp_path: Path) -> None:
    """Select, several choices and text as forms; what is outside the choices is refused and asked again."""
    options = [{"value": "x", "description": "the first"}, "y"]
    tools = {
        "a": {"ask": question({"type": "select", "options": options})},
        "b": {"ask": question({"type": "multi_select", "options": ["u", "v"]})},
        "c": {"ask": question({"type": "text"})},
    }
    model = configure(tmp_path, tools)
    async with editor(tmp_path, model, FORMS) as (client, _):
        session = await begin(client, tmp_path)
        turn = says(client, session)
        asked = [await client.question() for _ in range(3)]
        (first,) = [one for one in asked if one["form"]["properties"]["answer"].get("oneOf")]
        several, text = (
            next(one for one in asked if one is not first and one["form"]["properties"]["answer"]["type"] == kind)
            for kind in ("array", "string")
        )
        assert first["form"]["properties"]["answer"]["oneOf"][0]["description"] == "the first"
        fills(first, answer="z")
        again = await client.question()
        assert again["message"].startswith("Not accepted: ")
        fills(again, answer="y")
        fills(several, answer=["u", "v"])
        fills(text, answer="words")
        assert (await turn).stop_reason == "end_turn"
    stored = log(tmp_path, session)
    assert results(stored) == {"a": 'got "y"', "b": 'got ["u", "v"]', "c": 'got "words"'}
    assert answers(stored)["c"]["responder"]["via"] == "acp"


ASKED = [
    {"id": "name", "text": "Which name?", "answer_type": "text", "context": "Of the release."},
    {"id": "kind", "text": "Which kind?", "answer_type": "select", "options": ["minor", "major"]},
    {"id": "ports", "text": "Which port?", "answer_type": "schema", "schema": {"type": "integer", "minimum": 1}},
    {"id": "why", "text": "Why?", "answer_type": "text", "when": {"question_id": "kind", "equals": "major"}},
    {"id": "tag", "text": "Tag it?", "answer_type": "boolean", "default": True},
]


def asks_several(home: Path, settings: str = "") -> str:
    """A script whose model asks several questions in one call; the model to use."""
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text(settings)
    script = home / "several.toml"
    script.write_text(
        'rate = 0\nfallback = "Nothing."\n[[walks]]\nname = "go"\n[[walks.turns]]\ntext = "I ask."\n'
        f'calls = [{{ name = "ask_user", arguments = {inline({"questions": ASKED})} }}]\n'
        '[[walks.turns]]\ntext = "So be it."\n'
    )
    return f"demo/{script}"


async def test_n51_several_questions_are_one_form(tmp_path: Path) -> None:
    """What is valid is taken; what isn't, or is missing, is asked again alone, with the reason; a question with a
    condition that turns out to be met and has no answer is asked; a setting's answer isn't asked for."""
    model = asks_several(tmp_path, "[conversation.tools.ask_user.questions.tag]\nanswer = false\n")
    async with editor(tmp_path, model, FORMS) as (client, _):
        session = await begin(client, tmp_path)
        turn = says(client, session)
        asked = await client.question()
        fields = asked["form"]["properties"]
        assert list(fields) == ["name", "kind", "ports", "why"] and asked["message"] == "Answer these 4 questions."
        assert fields["name"] | {"title": "Which name?", "description": "Of the release."} == fields["name"]
        assert [one["const"] for one in fields["kind"]["oneOf"]] == ["minor", "major"]
        assert fields["ports"]["type"] == "integer" and fields["ports"]["minimum"] == 1
        assert fields["why"]["description"] == "Asked only if `kind` is “major”."
        assert asked["form"]["required"] == ["name", "kind", "ports"]
        fills(asked, name="", kind="huge", ports=0)
        kind = await client.question()
        assert kind["message"] == "Not accepted: not one of the options.\n\nAnswer these 2 questions."
        assert list(kind["form"]["properties"]) == ["kind", "why"]
        fills(kind, kind="major")
        port = await client.question()
        assert port["message"].startswith("Not accepted: ") and "at least 1" in port["message"]
        assert list(port["form"]["properties"]) == ["ports", "why"]
        fills(port, ports=80, why="new store")
        assert (await turn).stop_reason == "end_turn"
        assert not client.asked
    stored = log(tmp_path, session)
    assert json.loads(results(stored)["ask_user"]) == {
        "name": "", "kind": "major", "ports": 80, "why": "new store", "tag": False,
    }  # fmt: skip
    given = [one for one in stored if one["type"] == "inquiry_response"]
    assert [one["answer"] for one in given] == ["", "major", 80, "new store", False]
    assert [one["responder"].get("via", "") for one in given] == ["acp"] * 4 + [""]


@pytest.mark.parametrize("how", ["decline", "cancel"])
async def test_n51_a_declined_or_cancelled_form_is_a_reply_without_words(tmp_path: Path, how: str) -> None:
    """R179: the model reads that it was cancelled; it is asked once."""
    model = asks_several(tmp_path)
    async with editor(tmp_path, model, FORMS) as (client, _):
        session = await begin(client, tmp_path)
        turn = says(client, session)
        asked = await client.question()
        made = schema.DeclineElicitationResponse if how == "decline" else schema.CancelElicitationResponse
        asked["reply"].set_result(made(action=how))
        assert (await turn).stop_reason == "end_turn"
        assert not client.asked
    stored = log(tmp_path, session)
    assert json.loads(results(stored)["ask_user"]) == {"cancelled": True, "answered": {}}
    (left,) = [one for one in stored if one["type"] == "inquiry_response"]
    assert (left["outcome"], left["reason"]) == ("cancelled", "user_reply")


async def test_n51_a_form_of_which_a_question_is_answered_elsewhere(tmp_path: Path) -> None:
    """The first answer wins: the form is withdrawn, the rest is asked as another, and an answer to the first that comes
    late changes nothing."""
    model = asks_several(tmp_path)
    async with editor(tmp_path, model, FORMS) as (client, _):
        session = await begin(client, tmp_path)
        turn = says(client, session)
        first = await client.question()
        (waits,) = lines((await asyncio.to_thread(jp, tmp_path, "inquiries", "--pending", "--json")).stdout)
        given = await asyncio.to_thread(jp, tmp_path, "answer", waits["id"], "theirs")
        assert given.returncode == 0, given.stderr
        rest = await client.question()
        assert [one["method"] for one in client.messages if one.get("method") == "$/cancel_request"]
        assert list(rest["form"]["properties"]) == ["kind", "ports", "why", "tag"]
        fills(first, name="mine", kind="major", ports=1, why="x", tag=False)
        fills(rest, kind="minor", ports=2, why="unasked", tag=True)
        assert (await turn).stop_reason == "end_turn"
    assert json.loads(results(log(tmp_path, session))["ask_user"]) == {
        "name": "theirs", "kind": "minor", "ports": 2, "why": None, "tag": True,
    }  # fmt: skip


async def test_n51_text_instead_of_a_form(tmp_path: Path) -> None:
    """Without forms a select is options, and the rest is text: the prompt ends, and the next one answers. R241: after
    three more tries it is cancelled."""
    tools = {
        "a": {"ask": question({"type": "select", "options": ["x", "y"]})},
        "b": {"ask": question({"type": "schema", "schema": {"type": "integer"}})},
        "c": {"ask": question({"type": "schema", "schema": {"type": "integer"}})},
    }
    model = configure(tmp_path, tools)
    async with editor(tmp_path, model) as (client, _):
        session = await begin(client, tmp_path)
        turn = says(client, session)
        asked = await client.question()
        assert [one.name for one in asked["options"].values()] == ["x", "y", "no answer"]
        selects(asked, "choice-1")
        assert (await turn).stop_reason == "end_turn"
        assert client.text().rstrip().endswith("Answer with your next message.")
        assert (await says(client, session, "7")).stop_reason == "end_turn"
        for _ in range(3):
            assert (await says(client, session, "seven")).stop_reason == "end_turn"
            assert "Not accepted: " in client.text()
        assert (await says(client, session, "eight")).stop_reason == "end_turn"
        assert client.text().endswith("So be it.")
    told = results(log(tmp_path, session))
    assert told["a"] == 'got "y"' and "got 7" in told.values() and "Tool input cancelled by user." in told.values()


async def test_n51_the_first_answer_wins_wherever_it_comes_from(tmp_path: Path) -> None:
    """Every question is in the inbox too; the editor's request is withdrawn, and its late answer changes nothing."""
    model = configure(tmp_path, {"a": {"ask": question(YES_NO)}})
    async with editor(tmp_path, model) as (client, _):
        session = await begin(client, tmp_path)
        turn = says(client, session)
        asked = await client.question()
        (pending,) = lines((await asyncio.to_thread(jp, tmp_path, "inquiries", "--pending", "--json")).stdout)
        given = await asyncio.to_thread(jp, tmp_path, "answer", f"{session}/{pending['id']}", "no")
        assert given.returncode == 0, given.stderr
        assert (await turn).stop_reason == "end_turn"
        withdrawn = [one for one in client.messages if one.get("method") == "$/cancel_request"]
        assert len(withdrawn) == 1
        selects(asked, "yes")
        assert (await says(client, session, "more")).stop_reason == "end_turn"
    assert results(log(tmp_path, session)) == {"a": "got false"}


async def test_n52_cancel_while_a_question_waits(tmp_path: Path) -> None:
    """Recorded as cancelled/user; the prompt ends as cancelled; the session goes on."""
    model = configure(tmp_path, {"a": {"ask": question(YES_NO)}})
    async with editor(tmp_path, model) as (client, _):
        session = await begin(client, tmp_path)
        turn = says(client, session)
        asked = await client.question()
        await client.agent.cancel(session_id=session)
        asked["reply"].set_result(schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled")))
        assert (await turn).stop_reason == "cancelled"
        assert (await says(client, session, "more")).stop_reason == "end_turn"
    (answer,) = answers(log(tmp_path, session)).values()
    assert (answer["outcome"], answer["reason"]) == ("cancelled", "user")


async def test_n52_leaving_in_the_middle_approves_nothing(tmp_path: Path) -> None:
    """The question stays open, the turn is resumed after an answer, and the exit status is 0."""
    model = configure(tmp_path, {"a": {"ask": question(YES_NO)}})
    async with editor(tmp_path, model) as (client, _):
        session = await begin(client, tmp_path)
        turn = says(client, session)
        asked = await client.question()
    assert client.status == 0
    for one in (turn, asked["reply"]):
        one.cancel()
    (pending,) = lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)
    assert pending["conversation"] == session and not results(log(tmp_path, session))
    assert jp(tmp_path, "answer", pending["id"], "yes").returncode == 0
    assert jp(tmp_path, "query", "-r", session, "--model", model).returncode == 0
    assert results(log(tmp_path, session)) == {"a": "got true"}


async def test_n52_an_unknown_option_or_an_error_fails_the_call(tmp_path: Path) -> None:
    """R242: nothing that wasn't offered is taken for a yes."""
    model = configure(tmp_path, {"a": {"ask": question(YES_NO)}, "b": {"run": "ask"}, "c": {"run": "ask"}})
    async with editor(tmp_path, model) as (client, _):
        session = await begin(client, tmp_path)
        turn = says(client, session)
        for number in range(3):
            asked = await client.question()
            if number < 2:
                selects(asked, "allow" if number else "always-yes")
            else:
                asked["reply"].set_exception(acp.RequestError(-32000, "The window is gone."))
        assert (await turn).stop_reason == "end_turn"
    stored = log(tmp_path, session)
    calls = [one for one in stored if one["type"] == "tool_call_response"]
    assert len(calls) == 3 and not any(one["content"].startswith("got") for one in calls)
    assert {one["reason"] for one in stored if one["type"] == "inquiry_response"} == {"backend_error"}


async def test_n51_yes_for_the_rest_of_the_turn(tmp_path: Path) -> None:
    """`allow_always` is offered where remembering is allowed, and covers this turn."""
    model = configure(tmp_path, {"a": {"ask": question(YES_NO)}}, "a", "a")
    async with editor(tmp_path, model) as (client, _):
        session = await begin(client, tmp_path)
        turn = says(client, session)
        asked = [await client.question(), await client.question()]
        assert asked[0]["options"]["always"].kind == "allow_always"
        selects(asked[0], "always")
        assert (await turn).stop_reason == "end_turn"
        asked[1]["reply"].cancel()
    ended = [one["answer"] for one in log(tmp_path, session) if one["type"] == "inquiry_response"]
    assert ended == [True, True]


async def test_n50_modes_models_images_and_bad_requests(tmp_path: Path) -> None:
    """A mode and a model are set for the session; an image and an embedded file are part of the message; what isn't a
    known session, a known block or JSON-RPC is an error with the standard's code."""
    model = configure(tmp_path, {"a": {}})
    async with editor(tmp_path, model) as (client, writer):
        made = await client.agent.new_session(cwd=str(tmp_path), mcp_servers=[])
        session = made.session_id
        assert [one.id for one in made.modes.available_modes] == ["ask", "read-only"]
        assert made.config_options[0].id == "model" and made.config_options[0].current_value == model
        await client.agent.set_session_mode(session_id=session, mode_id="read-only")
        await client.until(lambda: client.of("current_mode_update"))
        await client.agent.set_session_mode(session_id=session, mode_id="ask")
        other = tmp_path / "other.toml"
        other.write_text('rate = 0\n[[turns]]\ntext = "Other."\n')
        told = await client.agent.set_config_option(config_id="model", session_id=session, value=f"demo/{other}")
        assert told.config_options[0].current_value == f"demo/{other}"
        blocks = [
            acp.text_block("look"),
            acp.image_block(b64encode(PNG).decode(), "image/png"),
            acp.resource_block(acp.embedded_text_resource("file:///x/y.txt", "the text")),
        ]
        assert (await client.agent.prompt(session_id=session, prompt=blocks)).stop_reason == "end_turn"
        assert client.text() == "Other."
        with pytest.raises(acp.RequestError) as unknown:
            await client.agent.prompt(session_id="none", prompt=blocks)
        assert unknown.value.code == -32602
        with pytest.raises(acp.RequestError) as relative:
            await client.agent.new_session(cwd="x", mcp_servers=[])
        assert relative.value.code == -32602
        with pytest.raises(acp.RequestError) as option:
            await client.agent.set_config_option(config_id="model", session_id=session, value="nobody/knows")
        assert "nobody" in str(option.value)
        writer.write(b"no json\n")
        broken = await client.until(
            lambda: [one for one in client.messages if one.get("error", {}).get("code") == -32700]
        )
        assert broken[0]["id"] is None
        await client.agent.close_session(session_id=session)
        with pytest.raises(acp.RequestError):
            await says(client, session)
    message = next(one for one in log(tmp_path, latest(tmp_path)) if one["type"] == "chat_request")
    assert "@/x/y.txt:\n\nthe text" in message["content"] and "image" in json.dumps(message)
