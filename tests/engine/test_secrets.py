"""Secrets (R202, E27): the tool gets the value in memory; no file, no event, no request and no report holds it."""

from __future__ import annotations

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.engine.record.secret_redaction import REDACTED, Secrets
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered
from jp_tui.questions.types import Option, Question, SecretAnswer, SelectAnswer, TextAnswer
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made

WORD = 'hun"ter\n2-secret'
PASS = Question("pass", "Password?", SecretAnswer())


async def blabs(call: ToolCall) -> Outcome:
    """Echoes what it was given wherever it can."""
    if (given := call.answers.get("pass")) is None:
        return NeedsInput(PASS)
    word = str(given.value)
    if "again" not in call.answers:
        options = (Option(word, f"the {word}", word), Option("other"))
        return NeedsInput(Question("again", f"Is it {word}?", SelectAnswer(options), context=f"{word!r}", default=word))
    if call.arguments.get("n") == 1:
        return Failure(f"no {word}", (f"trace {word}",))
    if call.arguments.get("n") == 2:
        raise RuntimeError(f"bug with {word}")
    return Success(f'said {word} and "{word}"')


def on_disk(bench: Bench) -> str:
    return "".join(file.read_bytes().decode("utf-8", "replace") for file in bench.home.glob("conversations.db*"))


def test_an_echoed_secret_is_redacted_everywhere(bench: Bench) -> None:
    tool = Made(blabs)
    bench.tools["tool"] = tool_setup("tool", tool)
    calls = [item for n in range(3) for item in call("tool", {"n": n}, f"c{n}", n)]
    bench.script = Script([*calls, *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    for _ in range(6):
        prompt = bench.prompt()
        if prompt.question.id == "pass":
            bench.send(c.SaveDraft(conversation=bench.conversation, key=prompt.inquiry, text='hun"ter'))
            bench.answer(prompt, Answered(value=WORD))
        else:
            assert REDACTED in prompt.question.text
            bench.answer(prompt, Answered(value="other"))
    bench.turn()
    assert [one.answers["pass"].value for one in tool.calls if "pass" in one.answers] == [WORD] * 6
    told = str(bench.script.requests)
    everything = "\n".join(event.model_dump_json() for event in bench.events)
    bench.stop()
    for place in (told, everything, on_disk(bench)):
        assert "hun" not in place and "ter\\n2" not in place and "2-secret" not in place
    assert on_disk(bench).count('"redacted"') == 3
    contents = [str(event["content"]) for event in bench.log() if event["type"] == "tool_call_response"]
    assert contents[0] == f'said {REDACTED} and "{REDACTED}"' and all(REDACTED in one for one in contents)


def test_a_pinned_secret_is_redacted_too(bench: Bench) -> None:
    """R105, row 2: acceptance row 3."""
    bench.tools["tool"] = tool_setup("tool", Made(blabs), rules={"pass": Rule(has_answer=True, answer=WORD)})
    bench.script = Script([*call("tool", {}), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value="other"))
    bench.turn()
    bench.stop()
    assert "hun" not in on_disk(bench) and "hun" not in "".join(x.model_dump_json() for x in bench.events)


def test_a_bug_report_holds_no_secret(bench: Bench, monkeypatch: object) -> None:
    bench.tools["tool"] = tool_setup("tool", Made(blabs))
    bench.script = Script([*call("tool", {}), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    prompt = bench.prompt()

    def broken(*_: object) -> object:
        raise RuntimeError(f"state with {WORD}")

    import jp_tui.engine.asking.coordinator as coordinator

    kept, coordinator.decide = coordinator.decide, broken  # type: ignore[assignment]
    try:
        bench.answer(prompt, Answered(value=WORD))
        failed = bench.until(e.EngineFailed)
    finally:
        coordinator.decide = kept
    assert "hun" not in failed.message + failed.report and REDACTED in failed.message


def test_a_draft_that_comes_after_the_conversation_was_left_is_kept_only_for_what_may_be_read(bench: Bench) -> None:
    bench.tools["tool"] = tool_setup("tool", Made(blabs))
    bench.script = Script([*call("tool", {}), *end("tools")])
    bench.start()
    bench.say("go")
    prompt, left = bench.prompt(), bench.conversation
    bench.stop()
    bench.run()
    bench.send(c.SaveDraft(conversation=left, key=prompt.inquiry, text="hunter"))
    bench.send(c.SaveDraft(conversation=left, key="composer", text="a thought"))
    bench.send_and_wait()
    bench.stop()
    assert "hunter" not in on_disk(bench)
    assert bench.start("latest").drafts == {"composer": "a thought"}


def test_short_secrets_hide_no_ordinary_text() -> None:
    held = Secrets()
    held.keep("c1", "a")
    assert held.text("a cat", "c1") == f"{REDACTED} c{REDACTED}t" and held.text("a cat", "c2") == "a cat"
    held.keep("c1", "longer")
    assert held.text("no longer", "c2") == f"no {REDACTED}" and "longer" not in repr(held)


def test_the_longest_is_taken_out_first() -> None:
    held = Secrets()
    held.keep("c", "word")
    held.keep("c", "password")
    assert held.text("password") == REDACTED
    asked = held.question(Question("q", "t", TextAnswer(), default={"password": ["word"]}, has_default=True), "c")
    assert asked.default == {REDACTED: [REDACTED]}
