"""Which slots of the workspace show foreign text, and how each is reached: the conversation, what is beside it, sheets.

A scene gives events of the engine in which a text stands wherever others may write, and presses what shows it. The
names that it asks `Words` for are its slots. Pages over the workspace are in `slot_pages.py`. A field of the protocol
that is foreign and stands in no scene fails `test_slots.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.own_commands import OwnCommand
from jp_tui.protocol.values import AgentInfo, Escalation, PromptRequest, RuleOffer, StoredEvent, TurnError, Verdict
from jp_tui.questions.types import (
    BooleanAnswer,
    MultiSelectAnswer,
    Option,
    Part,
    Place,
    Question,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
    TextAnswer,
)
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION, opened
from tests.faults import slot_pages
from tests.faults.slot_words import Words
from tests.ui.sheet_host import formed, hunky, review

if TYPE_CHECKING:
    from tests.faults.slots_app import Stage

Show = Callable[["Stage", Words], Awaitable[None]]
AT = scenes.AT


def page(*events: Any) -> tuple[StoredEvent, ...]:
    return tuple(StoredEvent(seq=n, turn=1, event=one.wire()) for n, one in enumerate(events, 1))


def _said(w: Words) -> tuple[StoredEvent, ...]:
    """A turn in which everybody writes."""
    usage = stored.Responder("assistant", model=w("model of a reviewer"), ms=3)
    return page(
        stored.ChatRequest(timestamp=AT, content=w("user", block=True)),
        stored.ChatResponse(timestamp=AT, kind="reasoning", content=w("reasoning", block=True)),
        stored.ChatResponse(timestamp=AT, kind="message", content=w("reply", block=True)),
        stored.ToolCallRequest(
            timestamp=AT, id="c1", name=w("tool"), arguments={w("name of an argument"): w("argument", block=True)},
            metadata={"title": w("title of a call")},
        ),
        stored.InquiryRequest(
            timestamp=AT, id="c1.q.1", source=stored.Source("tool", w("who asks")),
            question={"text": w("question on record"), "context": w("context on record", block=True),
                      "answer_type": {"type": "text"}},
            metadata={"call": "c1", "why": w("why it was asked")},
        ),
        stored.InquiryAnswered(
            timestamp=AT, id="c1.q.1", answer=w("answer on record"), explanation=w("reason of an answer", block=True),
            responder=usage,
        ),
        stored.ToolCallResponse(timestamp=AT, id="c1", content=w("output", block=True)),
        stored.ToolCallRequest(timestamp=AT, id="c2", name="run", arguments={}),
        stored.ToolCallResponse(timestamp=AT, id="c2", content=w("error of a tool", block=True), is_error=True),
    )  # fmt: skip


async def talk(stage: Stage, w: Words) -> None:
    """A conversation opened from the log, at its end and at its beginning, folded and unfolded."""
    said = _said(w)
    await stage.say(opened(new=False, page=said, last_seq=len(said), turns=1))
    await stage.look()
    transcript = stage.app._main.query_one("Transcript")
    for block in ("1", "2", "3", "4", "7", "8", "9"):
        transcript.toggle(f"e{block}")  # type: ignore[attr-defined]
    await stage.look()
    await unfolded(stage)
    await leaf(stage)


async def unfolded(stage: Stage) -> None:
    """Everything that folds is open."""
    transcript: Any = stage.app._main.query_one("Transcript")
    pane = transcript.document
    keys = {hit.value for n in range(pane.positions.total) for _, _, hit in pane.row(n).hits if hit.kind == "fold"}
    for key in sorted(keys - pane.unfolded):
        transcript.toggle(key)
    await stage.settle()


async def leaf(stage: Stage) -> None:
    """From its beginning to its end, as far as that is not too far."""
    transcript: Any = stage.app._main.query_one("Transcript")
    for top in range(0, min(transcript.document.positions.total, 12 * transcript.height), max(transcript.height, 1)):
        transcript.scroll_to_row(top)
        await stage.look()


async def others(stage: Stage, w: Words) -> None:
    """What else stands in a conversation: data, odd events, how a turn failed, the words of others aside."""
    said = page(
        stored.ChatRequest(timestamp=AT, content="go"),
        stored.ChatResponse(timestamp=AT, kind="data", content={w("key of data"): w("value of data", block=True)}),
        stored.ToolCallRequest(timestamp=AT, id="c9", name="run", arguments={}),
        stored.InquiryRequest(
            timestamp=AT, id="c9.q.1", source=stored.Source("assistant", ""),
            question={"text": w("question of the assistant"), "answer_type": {"type": "boolean"}},
            metadata={"call": "c9"},
        ),
        stored.InquiryCancelled(
            timestamp=AT, id="c9.q.1", reason=w("reason of a cancelled one"),
            metadata={"error": w("error of a reviewer"), "advice": "later"},
        ),
        stored.TurnOutcome(
            timestamp=AT, outcome="failed", model=w("model of a turn"),
            error={"kind": "server", "message": w("message of a failure"), "advice": w("advice of a failure"),
                   "detail": w("server's words", block=True)},
        ),
    )  # fmt: skip
    odd = StoredEvent(seq=len(said) + 1, turn=1, event={"type": w("kind of an event"), "timestamp": AT})
    await stage.say(opened(new=False, page=(*said, odd), last_seq=len(said) + 1, turns=1))
    await stage.look()
    await unfolded(stage)
    await leaf(stage)


async def streams(stage: Stage, w: Words) -> None:
    """What arrives: reasoning, text, arguments, what calls are about, what a sub-agent writes, phases, retries."""
    agent = AgentInfo(
        conversation="k1", parent=CONVERSATION, call="call_2", turn=1, name=w.foreign("name of a sub-agent"),
    )  # fmt: skip
    here = {"conversation": CONVERSATION, "turn": 1}
    await stage.say(ev.TurnStarted(**here, model=w("model that is asked")), *scenes.started()[1:])
    await stage.say(
        ev.TurnPhase(**here, phase="streaming"),
        ev.PartDelta(**here, part="1.0", kind="reasoning", text=w.foreign("reasoning that arrives", block=True)),
        ev.PartDelta(**here, part="1.1", kind="message", text=w.foreign("reply that arrives", block=True)),
        ev.PartDelta(**here, part="1.2", kind="tool", text=Foreign("{}"), call="c5", tool=w("tool that comes")),
    )
    await stage.look()
    call = {**here, "call": "call_1", "tool": w("tool that runs"), "state": "running"}
    await stage.say(
        ev.TurnPhase(**here, phase="tools"),
        ev.CallChanged.model_validate({**call, "title": w("title of what runs")}),
        ev.CallChanged.model_validate(
            {**call, "call": "call_2", "agent": agent, "said": w("last line of a sub-agent")}
        ),
    )
    await stage.look()
    waits = ev.Retrying(
        conversation=CONVERSATION, id="q9", who="reviewer", name=w.foreign("reviewer that waits"), retry_in=5
    )
    await stage.say(ev.TurnPhase(**here, phase="retrying", retry_in=5), waits)


async def frames(stage: Stage, w: Words) -> None:
    """Title, folder, model, greeting, who holds it: the top line, the window's title, the first words."""
    usage = w("model of the conversation")
    await stage.say(
        opened(
            title=w.foreign("title"), workspace=f"/home/{w.path('folder')}", model=usage,
            greeting=w.foreign("greeting", block=True),
            held_by=w.path("holder"),
        )
    )  # fmt: skip
    await stage.look()
    await stage.say(ev.TitleChanged(conversation=CONVERSATION, title=w.foreign("another title")))


async def refusals(stage: Stage, w: Words) -> None:
    """What went wrong: notices, a failed turn's words, text that comes back into the composer, a full disk."""
    error = TurnError(kind="auth", message="It failed.")  # its words come with the fact, see `others`
    await stage.say(*scenes.started())
    await stage.say(
        ev.TurnCompleted(
            conversation=CONVERSATION, turn=1, outcome="failed", ms=3, error=error, returned=w("text given back")
        )
    )
    await stage.look()
    await stage.say(
        ev.Refused(command="start_turn", message=w("refusal"), advice=w("advice"), conversation=CONVERSATION)
    )
    await stage.look()
    await stage.say(ev.StorageFailed(message=w("storage failed"), advice=w("advice of the disk")))


async def writing(stage: Stage, w: Words) -> None:
    """Above the composer: what waits to be said, files by a few letters,
    a command's output, earlier messages, paste."""
    message = {"id": 1, "text": w("message that waits")}
    await stage.say(
        ev.QueueChanged.model_validate(
            {"conversation": CONVERSATION, "messages": (message,), "held": w("why it is held")}
        )
    )
    await stage.look()
    await stage.say(ev.QueueChanged(conversation=CONVERSATION))
    stage.link.answers[cmd.FindFiles] = lambda asked: [
        ev.FilesFound(revision=asked.revision, paths=(w.path("path of a file"), "src/b.py"), total=2)
    ]
    await stage.press(*"see @sr")
    await stage.look()
    await stage.press("tab")
    await stage.look()
    stage.app.composer.clear()
    await stage.press(*"!ls", "enter")
    await stage.say(ev.ShellOutput(run=1, text=w.foreign("output of a command", block=True)))
    await stage.look()
    await stage.say(
        ev.ShellEnded(run=1, problem=w("problem of a command"), text=w.foreign("output that is kept", block=True))
    )
    await stage.look()
    await stage.press("escape")
    stage.app.composer.clear()
    await stage.say(ev.HistoryRead(texts=(w("earlier message"), "other")))
    await stage.press("up")
    await stage.look()
    stage.app.composer.clear()
    await stage.press("ctrl+r")
    await stage.look()
    await stage.press("escape")


async def recorded(stage: Stage, w: Words) -> None:
    """A message of one's own, taken up again, and a queue that is given back."""
    said = page(stored.ChatRequest(timestamp=AT, content=w("message edited anew")))
    await stage.say(opened(new=False, page=said, last_seq=1, turns=1))
    await stage.press("tab", "e")
    await stage.look()
    await stage.press("escape")
    taken = {"conversation": CONVERSATION, "message": {"id": 2, "text": w("message taken back")}}
    await stage.say(ev.QueueTaken.model_validate(taken))


# --- sheets -------------------------------------------------------------------------------------------------


def _prompt(question: Question, **more: Any) -> PromptRequest:
    return scenes.prompt("boolean").model_copy(update={"question": question, **more})


async def _sheet(stage: Stage, request: PromptRequest, *keys: str) -> None:
    """Open it, look, press keys, read on to the end of its context."""
    await stage.say(*scenes.tools(), ev.QuestionAsked(conversation=request.conversation, prompt=request))
    await stage.look()
    await stage.arms()
    await stage.look()
    for key in keys:
        await stage.press(key)
        await stage.look()


async def yes_or_no(stage: Stage, w: Words) -> None:
    """A question with a context: also folded, with its reasons, with a reviewer's verdicts above it."""
    told = Escalation(
        model=w("reviewer's model"), reason=w.foreign("reviewer's reason"), saw=w("what it saw"),
        before=(Verdict(model="a/b", reason=w.foreign("reviewer's first reason")),),
    )  # fmt: skip
    asks = Question("ok", w("question"), BooleanAnswer(), context=w("context", block=True))
    agent = AgentInfo(conversation="k1", parent=CONVERSATION, call="call_2", turn=1,
        name=w.foreign("sub-agent that asks"),
                      task=w.foreign("its task"))  # fmt: skip
    request = _prompt(
        asks, subject=w.foreign("subject"), why=w("why you"), remember_covers=w("what a yes covers"), escalation=told,
        agent=agent,
    )  # fmt: skip
    await _sheet(stage, request, "w", "ctrl+d", "end", "ctrl+o", "ctrl+o")


async def choices(stage: Stage, w: Words) -> None:
    """Options with descriptions and previews, and what is said aside about them."""
    options = (Option(w("option"), w("description"), w("preview", block=True)), Option("b", recommended=True))
    asks = Question(
        "env", w("question"), SelectAnswer(options), context=w("context", block=True), default="b", has_default=True
    )
    request = _prompt(asks, label=w("label"), source="assistant", tool="ask_user")
    await _sheet(stage, request, "down", "up", "question_mark", "w", "enter")
    here = {"conversation": CONVERSATION, "inquiry": request.inquiry}
    await stage.say(ev.AsideDelta(**here, text=w.foreign("words aside", block=True)))
    await stage.look()
    error = TurnError(kind="server", message=w("why it broke off"), advice="later")
    await stage.say(ev.AsideEnded(**here, error=error))
    await stage.look()
    await stage.say(ev.AnswerRefused(**here, reason=w("why it was refused")))


async def several(stage: Stage, w: Words) -> None:
    """Many of some options, in a form with other questions."""
    options = (Option(w("option"), w("description")), Option("b", recommended=True))
    asks = Question("envs", w("question"), MultiSelectAnswer(options), default=[options[0].value], has_default=True)
    places = (
        Place("apply", "Apply?", "answered", True), Place("envs", w("question"), "current"),
        Place(w("id of a question"), "Which?", "skipped", because=w("why it is skipped")),
    )  # fmt: skip
    await _sheet(stage, formed(_prompt(asks, source="assistant"), *places), "down", "space")


async def free(stage: Stage, w: Words) -> None:
    """A free text with a default."""
    asks = Question(
        "msg", w("question"), TextAnswer(), context=w("context", block=True), default=w("default"), has_default=True
    )
    request = _prompt(asks)
    await _sheet(stage, request, "tab", "w")


async def secrets(stage: Stage, w: Words) -> None:
    await _sheet(stage, _prompt(Question("pw", w("question of a secret"), SecretAnswer(), persistence="none")))


async def schemas(stage: Stage, w: Words) -> None:
    """A form of a schema: names, titles, descriptions, values to choose, defaults, problems; and its JSON."""
    schema: Any = {
        "type": "object", "required": ["name"], "description": w("description of a schema"),
        "properties": {
            "name": {"type": "string", "title": w("title of a field"), "description": w("description of a field"),
                     "default": w("default of a field")},
            w("name of a field"): {"type": "string"},
            "mode": {"enum": [w("value to choose"), "fast"], "default": "fast"},
            "list": {"type": "array", "items": {"type": "string"}, "default": [w("entry of a list")]},
        },
    }  # fmt: skip
    request = _prompt(Question("data", w("question"), SchemaAnswer(schema)), source="assistant")
    await _sheet(stage, request, "down", "down", "down", "up", "up", "up")
    checks = stage.link.of(cmd.CheckAnswer)
    revision = checks[-1].revision if checks else 1
    problems = (("/name", w("problem of a value")), ("", "is odd"))
    here = {"conversation": CONVERSATION, "inquiry": request.inquiry}
    await stage.say(ev.AnswerChecked(**here, revision=revision, problems=problems))
    await stage.look()
    await stage.press("f7")
    await stage.look()
    await stage.press("f6")
    await stage.look()


async def permissions(stage: Stage, w: Words) -> None:
    """Leave to run a call: what its tool shows of it, its arguments, in the editor too."""
    asks = Question("run_tool", "", BooleanAnswer())
    request = _prompt(
        asks, kind="permission", tool=w("tool"), tool_kind="mcp", server=w("server"), subject=w.foreign("subject"),
        arguments=Foreign('{"command": "ls"}'), rendered=w.foreign("what the tool shows", block=True), why=w("why"),
        controls=frozenset({"edit", "end_turn", "remember"}), human_only=True,
        scopes=(RuleOffer(scope="exact", label=w.foreign("scope of a rule"), rules=(), lifetimes=("turn",)),),
    )  # fmt: skip
    await _sheet(stage, request, "w", "ctrl+d", "end", "e", "escape")


async def arguments(stage: Stage, w: Words) -> None:
    """The same where only the arguments are shown, as JSON."""
    from jp_tui.conversation.strict_json import dump

    asks = Question("run_tool", "", BooleanAnswer())
    given = dump({"command": w("argument", block=True), w("name of an argument"): [w("entry")]})
    request = _prompt(asks, kind="permission", tool="run", arguments=Foreign(given), controls=frozenset({"edit"}))
    await _sheet(stage, request, "end", "e")


async def deliveries(stage: Stage, w: Words) -> None:
    """What a call found, before the model gets it; in the editor, too."""
    asks = Question("deliver_result", "", BooleanAnswer(), persistence="none")
    request = _prompt(
        asks, kind="delivery", tool=w("tool"), result=w.foreign("result", block=True), subject=w.foreign("subject"),
        controls=frozenset({"edit", "cancel"}), human_only=True,
    )  # fmt: skip
    await _sheet(stage, request, "end", "e")


async def hunks(stage: Stage, w: Words) -> None:
    """A change by its parts, each with a title and a diff."""
    parts = (
        Part("1", "d1", w("title of a hunk"), "@@ -1,2 +1,2 @@\n same\n-old\n+" + w("line of a hunk") + "\n"),
        Part("2", "d2", "b.md, line 9", "@@ -9,2 +9,2 @@\n-" + w("line that goes") + "\n+x\n end\n"),
    )
    prompt = hunky(parts=parts, before=w("words before the diff", block=True) + "\n")
    prompt = prompt.model_copy(update={"conversation": CONVERSATION, "tool": w("tool")})
    prompt = prompt.model_copy(update={"question": replace(prompt.question, text=w("question"))})
    await _sheet(stage, prompt, "right_square_bracket", "t", "c")


async def reviews(stage: Stage, w: Words) -> None:
    """The last look over a form."""
    places = (
        Place("a", w("question"), "answered", w("answer")),
        Place(w("id of a question"), "b", "answered", [w("one of many")]),
        Place("c", w("skipped question"), "skipped", because=w("why it is skipped")),
    )  # fmt: skip
    await _sheet(stage, review("r1", *places).model_copy(update={"conversation": CONVERSATION}), "down", "down")


async def deciding(stage: Stage, w: Words) -> None:
    """A model that decides: who it is, what it thinks, what it says so far."""
    inquiry = "call_2.apply_changes.1"
    here = {"conversation": CONVERSATION, "inquiry": inquiry}
    await stage.say(
        *scenes.tools(), scenes.asked()[0], scenes.call("fs_modify_file", "awaiting_assistant", id_="call_2"),
        ev.ReviewStarted(**here, turn=1, call="call_2", tool="fs_modify_file", model=w("model that decides")),
        ev.ReviewDelta(**here, kind="thought", text=Foreign("hm")),
        ev.ReviewDelta(**here, kind="reason", text=w.foreign("reason so far")),
    )  # fmt: skip


async def commands(stage: Stage, w: Words) -> None:
    """The user's own commands: in the list of `/`."""
    own = OwnCommand(
        name=w.foreign("name of a command"), kind="command", path=Foreign("/etc/commands/x.md"),
        description=w.foreign("what a command does"), hint=w.foreign("arguments of a command"),
    )  # fmt: skip
    await stage.say(ev.OwnCommandsRead(commands=(own,)))
    await stage.press("/")
    await stage.look()


SCENES: dict[str, Show] = {
    "conversation": talk, "conversation, the rest": others, "streaming": streams, "top line and title": frames,
    "refusals": refusals, "writing": writing, "said anew": recorded, "sheet: yes or no": yes_or_no,
    "sheet: options": choices, "sheet: several": several, "sheet: text": free, "sheet: secret": secrets,
    "sheet: schema": schemas, "sheet: permission": permissions, "sheet: arguments": arguments,
    "sheet: delivery": deliveries, "sheet: hunks": hunks, "sheet: review": reviews, "reviewer": deciding,
    "own commands": commands,
    **slot_pages.SCENES,
}  # fmt: skip
"""Every scene by its name."""
