"""Whatever is done in whatever order, the log stays whole and what the model is told can be sent (R102, R200, R204)."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.journal.reader import open_reader
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import (
    Answered,
    Cancelled,
    Delivered,
    Edited,
    EndTurn,
    Permitted,
    PromptRequest,
    Replied,
    Response,
    Restored,
    Submitted,
    WentBack,
)
from jp_tui.questions.types import Question, SecretAnswer
from tests.engine.conftest import Bench, tool_setup
from tests.engine.test_history import check
from tests.engine.wires import accepted
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, asks, at_once, forever, series

ACTIONS: tuple[c.Interrupt, ...] = ("reply", "stop", "abort", "respond", "restart")
SECRET = "hunter22-of-mine"
ASK: JsonObject = {"question": "Which?", "answer_type": "select", "options": ["red", "blue"]}
WHEN: JsonObject = {"question_id": "sure", "equals": True}
COLOUR: JsonObject = {
    "id": "colour",
    "text": "Which?",
    "answer_type": "select",
    "options": ["red", "blue"],
    "when": WHEN,
}
FORM: JsonObject = {"questions": [{"id": "sure", "text": "Sure?", "answer_type": "boolean"}, COLOUR]}


class Model(Script):
    """Says something else each time: text, calls, silence, errors; every request is one that servers take."""

    def __init__(self, dice: random.Random) -> None:
        super().__init__()
        self._dice, self._count = dice, 0

    async def stream(self, request: m.ModelRequest):  # type: ignore[no-untyped-def, override]
        check(request.messages)
        accepted(request)
        assert request.messages[-1].role == "user"
        self._count += 1
        self._responses = [self._say()]
        async for item in super().stream(request):
            yield item

    def _say(self) -> list[Item]:
        dice, found = self._dice, list[Item]()
        for index in range(dice.randint(0, 4)):
            id_ = dice.choice([f"c{self._count}.{index}", "same", ""])
            found += dice.choice(
                [
                    text("some words", index),
                    [m.PartOpened(index, "reasoning"), m.PartGrew(index, "hm"), m.PartEnded(index)],
                    call("ask", {"text": f"Sure {index}?"}, id_, index),
                    call("ask_user", dice.choice([ASK, FORM]), id_, index),
                    call("quick", {}, id_, index),
                    call("slow", {}, id_, index),
                    call("guarded", {"n": index}, id_, index),
                    call("checked", {"n": index}, id_, index),
                    call("hush", {}, id_, index),
                    call("nope", {}, id_, index),
                    [m.CallRefused(index, id_, "quick", "{", "cut")],
                ]
            )
        error = m.ModelError("overloaded", "Busy.", transient=True)
        odd = [end("length"), [error], [30.0], [m.ModelError("server", "No.")], []]
        return [*found, *(end("tools") if dice.random() < 0.8 else dice.choice(odd))]


def said(dice: random.Random, prompt: PromptRequest) -> Response:
    """What a face may send about this prompt, and now and then what fits another kind of prompt."""
    fitting: dict[str, list[Response]] = {
        "question": [
            Answered(value=dice.choice([True, False, "red", 3]), remember=dice.random() < 0.3),
            Cancelled(),
            Replied(text=dice.choice([None, "rather not"])),
            Edited(arguments={"text": "Edited?"}),
            WentBack(to=dice.choice(["", "sure"])),
            Restored(),
        ],
        "review": [Submitted(), WentBack(), WentBack(to="sure"), Restored(), Replied(text="rather not")],
        "secret": [Answered(value=SECRET), Cancelled()],
        "permission": [
            Permitted(run=True, remember=dice.random() < 0.3),
            Permitted(run=False, reason=dice.choice([None, "no"])),
            Edited(arguments={"n": "edited"}),
        ],
        "delivery": [Delivered(deliver=True), Delivered(deliver=True, text="other"), Delivered(deliver=False)],
    }
    secret = isinstance(prompt.question.answer_type, SecretAnswer)
    kind = "secret" if secret else prompt.kind if dice.random() < 0.9 else dice.choice(list(fitting))
    return EndTurn() if dice.random() < 0.1 else dice.choice(fitting[kind])


def act(bench: Bench, other: Bench, dice: random.Random, prompts: list[PromptRequest]) -> None:
    """One thing that a user, or another process, may do now, or a moment too late."""
    time.sleep(dice.choice([0, 0, 0.003, 0.01, 0.03]))  # the moment is what is tried
    bench.send_and_wait()
    doing = dice.randrange(14)
    if doing < 5 and prompts:
        prompt = dice.choice(prompts)
        if isinstance(prompt.question.answer_type, SecretAnswer):
            bench.send(c.SaveDraft(conversation=bench.conversation, key=prompt.inquiry, text=SECRET))
        bench.answer(prompt, said(dice, prompt))
    elif doing < 7 and prompts:
        prompt = dice.choice(prompts)
        value = dice.choice(["yes", "no", "red", "{"])
        other.send(c.OfferAnswer(conversation=bench.conversation, inquiry=prompt.inquiry, value=value))
    elif doing == 7:
        action = dice.choice(ACTIONS)
        bench.interrupt(action, "words" if action in ("reply", "respond") else "")
    elif doing in (8, 9) and prompts:
        inquiry = dice.choice(prompts).inquiry
        bench.send(c.AskAside(conversation=bench.conversation, inquiry=inquiry, text="And then?"))
        if doing == 9:
            bench.send(c.SendAside(conversation=bench.conversation, inquiry=inquiry))
    else:
        bench.say(f"prompt {dice.random()}")
    bench.send_and_wait()


def whole(bench: Bench, *, over: bool) -> None:
    """As it stands in the database; `over` when no turn runs and none is left open."""
    for file in bench.home.glob("conversations.db*"):
        assert SECRET.encode() not in file.read_bytes(), "nothing secret is on disk (R202)"
    reader = open_reader(bench.home / "conversations.db")
    row = reader.latest(str(bench.workspace))
    if row is None:  # killed before anything was recorded, and so before anything was shown
        assert not over
        return
    rows = reader.read(row.id, 0, 10_000)
    parts = reader.partials(row.id)
    reader.close()
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    for turn in sorted({row.entry.turn for row in rows}):
        kinds = [row.entry.kind for row in rows if row.entry.turn == turn]
        assert kinds[0] == "turn_start" and kinds.count("turn_start") == 1
        asked = [row.entry.payload for row in rows if (row.entry.turn, row.entry.kind) == (turn, "chat_request")]
        assert len([payload for payload in asked if '"asides":' not in payload]) == 1
        if over or turn < rows[-1].entry.turn:
            assert kinds[-1] == "turn_outcome" and kinds.count("turn_outcome") == 1
            assert kinds.count("tool_call_request") == kinds.count("tool_call_response")
            assert kinds.count("inquiry_request") == kinds.count("inquiry_response")
    if over:
        assert not parts


def in_order(events: list[dict[str, object]]) -> None:
    """Of the calls that one program was asked for, each response stands in the order of the requests (R95)."""
    cycle: list[object] = []
    last = -1
    for event in events:
        if event["type"] in ("chat_request", "chat_response", "turn_outcome"):
            cycle, last = [], -1
        elif event["type"] == "tool_call_request":
            if last >= 0:
                cycle, last = [], -1
            cycle.append(event["id"])
        elif event["type"] == "tool_call_response" and event["id"] in cycle:
            place = cycle.index(event["id"])
            assert place > last, f"{event['id']} was answered before its turn"
            last = place


@pytest.mark.parametrize("seed", range(12))
def test_any_order(bench: Bench, seed: int) -> None:
    play(bench, seed)


def play(bench: Bench, seed: int) -> None:
    """A user who does anything at any time, leaves, is killed, and comes back."""
    dice = random.Random(seed)
    bench.script = Model(dice)
    for name, run in (("ask", asks), ("quick", at_once), ("slow", forever)):
        bench.tools[name] = tool_setup(name, Made(run))
    bench.tools["hush"] = tool_setup("hush", Made(series(Question("word", "Word?", SecretAnswer()))))
    bench.tools["guarded"] = tool_setup("guarded", Made(asks), run="ask")
    bench.tools["checked"] = tool_setup("checked", Made(at_once), run="edit", result="ask")
    bench.reviews = True
    bench.start()
    for life in range(3):
        other = bench.other()
        other.run()
        bench.say("begin")
        bench.send_and_wait()
        for _ in range(dice.randint(0, 12)):
            prompts = [event.prompt for event in bench.events if isinstance(event, e.QuestionAsked)]
            act(bench, other, dice, prompts[-4:])
        if dice.random() < 0.5:
            bench.stop()
        else:
            bench.kill(f"life{life}")
        other.stop()
        for one in (bench, other):
            assert not [event.report for event in one.events if isinstance(event, e.EngineFailed)]
        whole(bench, over=False)
        in_order(bench.log())
        bench.start("latest")
    bench.stop()
    bench.script = Script([*text("The end."), *end()])
    bench.start("latest")
    bench.say("last")
    if isinstance(bench.until((e.Refused, e.EventAppended)), e.Refused):  # type: ignore[arg-type]
        bench.interrupt("stop")  # it went on with a turn that was cut off
        bench.turn()
        bench.say("last")
    assert bench.until(e.TurnCompleted).outcome == "done"
    check(bench.script.requests[0].messages)
    whole(bench, over=True)


def main(first: int, last: int, home: Path) -> None:
    """A longer run by hand: `python -m tests.engine.test_any_order 0 500`."""
    for seed in range(first, last):
        folder = home / str(seed)
        folder.mkdir()
        made = Bench(folder)
        try:
            play(made, seed)
        except BaseException:
            print("seed", seed)
            raise
        finally:
            made.stop()


if __name__ == "__main__":
    import sys
    import tempfile

    main(int(sys.argv[1]), int(sys.argv[2]), Path(tempfile.mkdtemp()))
