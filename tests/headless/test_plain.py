"""A whole conversation in lines (surface S1, S4, inquiries.md R211, R215, R248; asking.md E42, E43, E60), scripted."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from jp_tui.conversation.text import Foreign
from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.input import InputLine
from jp_tui.headless.output import TextOutput
from jp_tui.headless.plain import Plain, PlainRun
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import (
    Answered,
    EndTurn,
    InquiryInfo,
    LedgerEntry,
    StoredEvent,
    TurnError,
)
from jp_tui.questions.types import BooleanAnswer
from jp_tui.view.questions.interrupt_menu import InterruptWishes
from tests.fakes.link import FakeLink, opened
from tests.fakes.waiting import at_work, outside
from tests.headless.asked import prompt

QUESTION = prompt(BooleanAnswer(), why="a rule (x.toml:3)")


class Human:
    """A source that types when it is asked to: each entry is a line, or something that is done in its place."""

    typed = True

    def __init__(self, *entries: Any, typed: bool = True) -> None:
        self.entries = list(entries)
        self.typed = typed
        self.over = self.gone = False
        self._lines: list[InputLine] = []

    def fileno(self) -> int:
        return -1

    @property
    def ready(self) -> bool:
        return bool(self._lines)

    def fill(self) -> None:
        if not self.entries:
            self.over = True
            return
        entry = self.entries.pop(0)
        if isinstance(entry, str):
            self._lines = [InputLine(entry)]
        elif isinstance(entry, list):
            self._lines = [InputLine(one) for one in entry]
        else:
            entry()

    def line(self) -> InputLine | None:
        return self._lines.pop(0) if self._lines else None

    def more(self) -> bool:
        return bool(self._lines)

    def forget(self) -> str:
        self._lines.clear()
        return ""

    def forget_and_wait(self) -> str:
        return self.forget()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        yield


class Talk:
    """A plain conversation over a scripted engine; `end` gives its exit status."""

    def __init__(self, *entries: Any, first: str = "", typed: bool = True, **more: Any) -> None:
        self.link = FakeLink(opened(**more.pop("opened", {})))
        self.human = Human(*entries, typed=typed)
        self.out = io.StringIO()
        self.now = 0.0
        output = TextOutput(False, self.out, self.out)
        plain = Plain(c.OpenConversation(), first, Lines(self.out, self.human), output, **more)
        self.run = PlainRun(self.link, plain, lambda: self.now)
        self.link.answers[c.StartTurn] = lambda _: self.turn(self.say("Hello."))
        self.link.answers[c.AnswerQuestion] = lambda _: [
            e.QuestionSettled(conversation="c1", inquiry=QUESTION.inquiry, how="answered", by="user"),
            *self.ended(),
        ]
        self.link.answers[c.InterruptTurn] = lambda _: self.ended("interrupted")

    def turn(self, *events: e.Event) -> list[e.Event]:
        return [*self.begun(), *events, *self.ended()]

    def begun(self, **more: Any) -> list[e.Event]:
        started = e.TurnStarted(conversation="c1", turn=1, model="demo/tour", **more)
        return [started, e.TurnPhase(conversation="c1", turn=1, phase="streaming")]

    def ended(self, outcome: Any = "done", **more: Any) -> list[e.Event]:
        return [e.TurnCompleted(conversation="c1", turn=1, outcome=outcome, **more)]

    def say(self, text: str, part: str = "p1") -> e.Event:
        return e.PartDelta(conversation="c1", turn=1, part=part, kind="message", text=Foreign(text))

    def fact(self, event: dict[str, Any], closes: str = "", seq: int = 9) -> e.Event:
        return e.EventAppended(conversation="c1", stored=StoredEvent(seq=seq, turn=1, event=event), closes=closes)

    def starts(self, *events: e.Event) -> None:
        """What a prompt sets going; the turn stays open."""
        self.link.answers[c.StartTurn] = lambda _: [*self.begun(), *events]

    def ctrl_c(self) -> None:
        self.run.interrupt()

    def end(self) -> tuple[int, str]:
        status = self.run.run()
        assert not self.human.entries, f"not everything was typed: {self.human.entries}\n{self.out.getvalue()}"
        return status, self.out.getvalue()

    def sent(self) -> list[str]:
        return [one.text for one in self.link.of(c.StartTurn)]


def asked() -> e.Event:
    return e.QuestionAsked(conversation="c1", prompt=QUESTION)


def test_prompts_and_replies_are_lines() -> None:
    """S4: the assistant's text comes whole line by line, neutralised; leaving says how to come back; status 0 (S1)."""
    talk = Talk("hi\\", "there", "", "//tmp?", "/quit", opened={"greeting": Foreign("Wel\x1b[2Jcome")})
    reply = [
        talk.say("One\x1b]0;x\x07\nTw"),
        talk.say("o\nthree"),
        talk.fact({"type": "chat_response", "message": ""}, "p1"),
    ]
    talk.link.answers[c.StartTurn] = lambda _: talk.turn(*reply)
    status, shown = talk.end()
    assert status == 0 and talk.sent() == ["hi\nthere", "/tmp?"]
    assert (
        shown.startswith("New conversation · ")
        and "\nWelcome\n" in shown
        and "assistant: One\n  Two\n  three\n" in shown
        and "\x1b" not in shown
    )
    assert "Resume this conversation with `jp-tui --plain -r c1`" in shown


def test_a_paste_is_one_prompt_and_only_when_that_is_said() -> None:
    """E11."""
    talk = Talk(["one", "", "two"], "three", "", ["x", "y"], "/drop", "/quit")
    assert talk.end()[0] == 0
    assert talk.sent() == ["one\n\ntwo\nthree"]


def test_a_question_is_asked_and_answered_in_lines() -> None:
    talk = Talk("go", "y", "/quit")
    talk.starts(asked())
    status, shown = talk.end()
    (answer,) = talk.link.of(c.AnswerQuestion)
    assert (answer.inquiry, answer.digest, answer.response) == (QUESTION.inquiry, "d", Answered(value=True))
    assert status == 0 and shown.index("? paint asks:") < shown.index("  1  y  yes, just this once")


def test_the_end_of_input_leaves_and_the_question_stays_open() -> None:
    """R248: it is neither answered nor cancelled; what waits and how to come back is said. Of a pipe that is exit 3."""
    request = {
        "type": "inquiry_request",
        "id": "k.q.1",
        "source": {"source": "tool", "name": "paint"},
        "question": {"text": "Which?", "answer_type": {"type": "boolean"}},
    }
    for typed, code in ((True, 0), (False, 3)):
        talk = Talk("go", typed=typed)
        talk.starts(talk.fact(request), asked())
        talk.link.answers[c.ClientGone] = lambda _, talk=talk: talk.ended("deferred")
        status, shown = talk.end()
        assert status == code and not talk.link.of(c.AnswerQuestion)
        assert len(talk.link.of(c.ClientGone)) == (0 if typed else 1)
        assert "jp-tui answer c1/k.q.1 VALUE   (VALUE: yes or no)" in shown and "-r c1" in shown


def test_a_pipe_is_read_in_turn_and_ends_with_what_became_of_the_last_turn() -> None:
    """Each line is a prompt or an answer, when one is wanted; nothing is read ahead into the wrong one."""
    talk = Talk("go", "n", "again", typed=False)
    first = iter([[*talk.begun(), asked()]])
    talk.link.answers[c.StartTurn] = lambda _: next(first, talk.turn())
    assert talk.end()[0] == 0
    assert talk.sent() == ["go", "again"] and talk.link.of(c.AnswerQuestion)[0].response == Answered(value=False)
    failed = Talk("go", typed=False)
    error = TurnError(kind="auth", message="no key", advice="export one", detail=Foreign("401"))
    failed.link.answers[c.StartTurn] = lambda _: [*failed.begun(), *failed.ended("failed", error=error)]
    status, shown = failed.end()
    assert status == 1 and "no key\nThe server said: 401\nexport one\n" in shown


def test_one_ctrl_c_at_a_question_opens_its_menu_and_two_end_the_turn() -> None:
    """R248, R216: the menu answers nothing by itself; an empty line goes back."""
    talk = Talk()
    later = lambda: setattr(talk, "now", talk.now + 5)  # noqa: E731

    def settled(_: c.Command) -> Iterable[e.Event]:
        return [
            e.QuestionSettled(conversation="c1", inquiry=QUESTION.inquiry, how="cancelled", by="user"),
            *talk.ended("interrupted"),
        ]

    talk.human.entries = ["go", talk.ctrl_c, "", later, talk.ctrl_c, talk.ctrl_c, "/quit"]
    talk.starts(asked())
    talk.link.answers[c.AnswerQuestion] = settled
    status, shown = talk.end()
    assert status == 0
    assert [one.response for one in talk.link.of(c.AnswerQuestion)] == [EndTurn()]
    assert "  1  Answer: back to the question" in shown and "  4  End Turn: stops the turn" in shown
    assert not talk.link.of(c.InterruptTurn), "a menu never stands on a question"


def test_ctrl_c_while_the_model_works_opens_the_menu() -> None:
    """R211, M44: by number, with words where they are wanted; what it chose goes out once."""
    talk = Talk()
    talk.human.entries = ["go", talk.ctrl_c, "9", "2", "rather this", "/quit"]
    talk.starts()
    status, shown = talk.end()
    assert status == 0 and "Interrupted. Press Ctrl+C again to quit." in shown
    for label in ("1  Continue:", "2  Reply (stop & respond):", "3  Stop (save & exit):", "4  Abort (discard & exit):"):
        assert f"  {label}" in shown
    assert [(one.action, one.text) for one in talk.link.of(c.InterruptTurn)] == [("reply", "rather this")]


def test_the_menu_follows_the_turn() -> None:
    """R216, R211: another phase has another menu; words that are wanted stay wanted; the end of the turn closes it."""
    talk = Talk()
    tools = e.TurnPhase(conversation="c1", turn=1, phase="tools")
    talk.human.entries = [
        "go", talk.ctrl_c, "2", lambda: talk.link.say(tools), "stop that",
        lambda: talk.link.say(*talk.begun()), talk.ctrl_c, lambda: talk.link.say(tools),
        lambda: talk.link.say(*talk.ended()), "/quit",
    ]  # fmt: skip
    talk.link.answers[c.InterruptTurn] = lambda _: []
    talk.now = 100
    talk.starts()
    real = talk.run._interrupting._clock
    talk.run._interrupting._clock = lambda: (setattr(talk, "now", talk.now + 10), real())[1]
    status, shown = talk.end()
    assert status == 0
    assert [(one.action, one.text) for one in talk.link.of(c.InterruptTurn)] == [("respond", "stop that")]
    assert "  4  Restart:" in shown and "The turn has ended." in shown


def test_ctrl_c_in_the_menu_leaves() -> None:
    """R215; S1: leaving by one's own keys is 0, a SIGINT where nobody types 130."""
    for typed, code in ((True, 0), (False, 130)):
        talk = Talk(typed=typed)
        talk.human.entries = ["go", talk.ctrl_c, talk.ctrl_c] if typed else ["go"]
        talk.starts()
        if not typed:
            talk.link.answers[c.StartTurn] = lambda _, talk=talk: (talk.ctrl_c(), talk.ctrl_c(), talk.begun())[2]
        assert talk.end()[0] == code
        assert not talk.link.of(c.InterruptTurn)


def test_ctrl_c_at_rest_leaves_when_it_comes_twice() -> None:
    talk = Talk()
    later = lambda: setattr(talk, "now", talk.now + 5)  # noqa: E731
    talk.human.entries = [talk.ctrl_c, later, talk.ctrl_c, talk.ctrl_c]
    status, shown = talk.end()
    assert status == 0 and shown.count("again within 1 second to quit") == 2 and "goes on with" not in shown


def test_an_interrupt_may_do_without_a_menu() -> None:
    """R233."""
    talk = Talk(interrupts=InterruptWishes(streaming="stop"))
    talk.human.entries = ["go", talk.ctrl_c, "/quit"]
    talk.starts()
    assert talk.end()[0] == 0
    assert [one.action for one in talk.link.of(c.InterruptTurn)] == ["stop"]


def test_what_is_typed_while_the_model_works_is_kept() -> None:
    """Nothing that was typed is lost: it is the next prompt, or given back when the turn did not end well."""
    for outcome, sent in (("done", ["go", "and then"]), ("failed", ["go"])):
        talk = Talk()
        talk.human.entries = ["go", "and then", lambda talk=talk, o=outcome: talk.link.say(*talk.ended(o)), "/quit"]
        first = iter([talk.begun()])
        talk.link.answers[c.StartTurn] = lambda _, talk=talk, first=first: next(first, talk.turn())
        _, shown = talk.end()
        assert talk.sent() == sent and "Queued: sent" in shown
        assert ("Enter it again" in shown) is (outcome == "failed")


def test_tool_activity_is_a_line_when_it_is_over() -> None:
    """Tool, subject, how it ended; what answered without the human and why."""
    call = {"conversation": "c1", "turn": 1, "call": "k", "tool": "fs_read", "title": Foreign("a\x1b[2J.txt")}
    request = {
        "type": "inquiry_request", "id": "k.q.1", "source": {"source": "tool", "name": "paint"},
        "question": {"text": "Sure?", "answer_type": {"type": "boolean"}}, "metadata": {"why": "pinned (x.toml:3)"},
    }  # fmt: skip
    answer = {"type": "inquiry_response", "id": "k.q.1", "outcome": "answered", "answer": False}
    talk = Talk("go", "/why", "/quit")
    talk.link.answers[c.StartTurn] = lambda _: talk.turn(
        e.CallChanged(**call, state="running"),
        talk.fact(request),
        talk.fact({**answer, "responder": {"kind": "static"}}),
        e.CallChanged(**call, state="completed", end="error", ms=1400),
        e.CallChanged(**{**call, "call": "h"}, state="completed", end="ok", hidden=True),
    )
    shown = talk.end()[1]
    assert "tool: fs_read a.txt – failed, 1.4 s\n" in shown and shown.count("tool:") == 1
    assert "paint asked: Sure? – no (pinned setting)\n" in shown
    assert "Why you weren't asked: pinned (x.toml:3)" in shown


def test_words_with_a_slash() -> None:
    """E42, E43: the ledger by number, revoked; the record; an unknown word is never sent to a model."""
    entries = (
        LedgerEntry(key="b", kind="unattended", scope="settings", tool="fs_read", place="x.toml:3", revocable=False),
        LedgerEntry(
            key="a", kind="answer", scope="turn", tool="paint", question="q", value=True, text=Foreign("Sure?")
        ),
    )
    info = InquiryInfo(
        conversation="c1", id="k.q.1", turn=1, source="tool", tool="paint", digest="d",
        asked_at="2026-03-05 21:21:16.7", question={"text": "Which?", "answer_type": {"type": "boolean"}},
    )  # fmt: skip
    typed = ["/help", "/revoke 1", "/ledger", "/revoke 2", "/revoke 1", "/inquiries", "/answer k.q.1 yes", "/answer x"]
    talk = Talk(*typed, "/why", "/legder", "/quit now", "/quit")
    talk.link.answers[c.ReadLedger] = lambda _: [e.LedgerRead(conversation="c1", entries=entries)]
    talk.link.answers[c.RevokeEntry] = lambda _: [e.LedgerRead(conversation="c1", entries=entries[:1])]
    talk.link.answers[c.ListInquiries] = lambda _: [e.InquiriesListed(inquiries=(info,))]
    talk.link.answers[c.OfferAnswer] = lambda _: [e.OfferSettled(status="answered", inquiry="k.q.1", by="ada")]
    status, shown = talk.end()
    assert status == 0 and talk.sent() == []
    assert [one.key for one in talk.link.of(c.RevokeEntry)] == ["a"]
    assert "  1  paint · q: yes\n     Sure?\n     " in shown and "until this turn ends" in shown
    assert "This can't be revoked here: jp-tui doesn't edit x.toml:3" in shown and "/revoke and a number" in shown
    assert "paint asked  (k.q.1)" in shown and "already answered. (ada)" in shown
    assert talk.link.of(c.OfferAnswer) == [c.OfferAnswer(conversation="c1", inquiry="k.q.1", value="yes")]
    assert "Did you mean /ledger?" in shown and "No questions so far." in shown and "  /quit  quits" in shown


def test_a_conversation_that_goes_on_shows_its_last_turns_and_what_was_cut_off() -> None:
    """R207: the prompt on the command line waits for the turn that goes on first."""
    page = tuple(
        StoredEvent(seq=n, turn=n, event={"type": "chat_request", "content": f"prompt {n}"}) for n in range(1, 6)
    )
    talk = Talk("y", lambda: None, "/quit", first="next", opened={"new": False, "page": page, "turns": 5})
    refusals = iter([[e.Refused(command="start_turn", message="busy")]])
    talk.link.answers[c.OpenConversation] = lambda _: [
        opened(new=False, page=page, turns=5), *talk.begun(resumed=True), asked(),
    ]  # fmt: skip
    talk.link.answers[c.StartTurn] = lambda _: next(refusals, talk.turn())
    status, shown = talk.end()
    assert status == 0 and set(talk.sent()) == {"next"}
    assert "prompt 2" not in shown and "You: prompt 3\nYou: prompt 4\nYou: prompt 5\n" in shown
    assert shown.index("Resuming the unfinished turn.") < shown.index("? paint asks:")


def test_no_line_is_taken_for_a_prompt_before_the_cut_off_turn_goes_on() -> None:
    """R207: what a pipe holds is the answer; a turn that does not go on after all is not waited for, for ever."""
    page = (
        StoredEvent(seq=1, turn=1, event={"type": "tool_call_request", "id": "k", "name": "paint", "arguments": {}}),
        StoredEvent(
            seq=2,
            turn=1,
            event={
                "type": "inquiry_request",
                "id": "k.q.1",
                "source": {"source": "tool", "name": "paint"},
                "question": {"text": "Which?", "answer_type": {"type": "boolean"}},
                "metadata": {"call": "k"},
            },
        ),
    )
    talk = Talk("y", typed=False, opened={"new": False, "page": page, "turns": 1})
    clock = talk.run._turns._clock
    late = [lambda: talk.link.say(*talk.begun(resumed=True), asked())]
    talk.run._turns._clock = lambda: (late.pop()() if late and talk.run._turns._expected else None, clock())[1]
    assert talk.end()[0] == 0
    assert talk.sent() == [] and talk.link.of(c.AnswerQuestion)[0].response == Answered(value=True)
    alone = Talk("y", typed=False, opened={"new": False, "page": page, "turns": 1})
    alone.run._turns._clock = lambda: setattr(alone, "now", alone.now + 4.99) or alone.now
    assert alone.end()[0] == 0 and alone.sent() == ["y"]


def test_a_conversation_that_somebody_else_writes_is_read_only() -> None:
    """S12: it is followed as text, and nothing is sent."""
    talk = Talk()
    more = talk.fact({"type": "chat_response", "message": "More\x1b[2J."})
    talk.human.entries = ["hi", lambda: talk.link.say(more), "/quit"]
    talk.link.answers[c.OpenConversation] = lambda _: [opened(new=False, held_by="jp-tui, process 7")]
    status, shown = talk.end()
    assert status == 0 and talk.sent() == []
    assert "Open in jp-tui, process 7" in shown and "Not sent:" in shown and "Assistant: More.\n" in shown


def test_a_conversation_that_cannot_be_opened() -> None:
    """S1."""
    talk = Talk()
    talk.link.answers[c.OpenConversation] = lambda _: [e.Refused(command="open_conversation", message="There is none.")]
    assert talk.end() == (2, "There is none.\n")
    broken = Talk()
    broken.link.answers[c.OpenConversation] = lambda _: [e.EngineFailed(message="a bug", report="")]
    assert broken.end() == (1, "a bug\n")


def test_a_question_that_is_answered_elsewhere_leaves_the_screen() -> None:
    """E53: the other answer wins, and that is said; what is typed then is a prompt."""
    talk = Talk()
    gone = e.QuestionSettled(conversation="c1", inquiry=QUESTION.inquiry, how="answered", by="user")
    talk.human.entries = ["go", lambda: talk.link.say(gone, *talk.ended()), "y", "/quit"]
    first = iter([[*talk.begun(), asked()]])
    talk.link.answers[c.StartTurn] = lambda _: next(first, talk.turn())
    _, shown = talk.end()
    assert not talk.link.of(c.AnswerQuestion) and talk.sent() == ["go", "y"]
    assert "is closed: it was answered elsewhere (by the user)." in shown


def test_two_questions_come_one_at_a_time() -> None:
    """R116: oldest first; how many wait is said."""
    second = QUESTION.model_copy(update={"inquiry": "k2.q.1", "tool": "brush"})
    talk = Talk("go", "y", "n", "/quit")
    talk.starts(asked(), e.QuestionAsked(conversation="c1", prompt=second))

    def settled(command: c.AnswerQuestion) -> list[e.Event]:
        by = e.QuestionSettled(conversation="c1", inquiry=command.inquiry, how="answered", by="user")
        return [by, *(talk.ended() if command.inquiry == "k2.q.1" else [])]

    talk.link.answers[c.AnswerQuestion] = settled
    shown = talk.end()[1]
    answers = [(one.inquiry, one.response) for one in talk.link.of(c.AnswerQuestion)]
    assert answers == [("k.q.1", Answered(value=True)), ("k2.q.1", Answered(value=False))]
    assert "? paint asks: (1 waiting behind it)" in shown and "? brush asks:\n" in shown


def test_nothing_is_left_open() -> None:
    """A conversation of lines opens two descriptors, and closes them."""
    before = len(os.listdir("/proc/self/fd"))
    assert Talk("/quit").end()[0] == 0
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_wait_before_a_retry_is_said_with_its_cause_and_its_end() -> None:
    """Z21: the turn's own, a reviewer's and a sub-agent's."""
    talk = Talk("go", "/quit")
    waits = e.TurnPhase(conversation="c1", turn=1, phase="retrying", detail="Rate limited by acme (429).", retry_in=20)
    judge = e.Retrying(
        conversation="c1", id="q", who="reviewer", name=Foreign("acme/small\x1b[2J"), detail="Busy.", retry_in=0.6
    )
    scout = judge.model_copy(update={"conversation": "c2", "id": "c2", "who": "agent", "name": Foreign("scout")})
    over = judge.model_copy(update={"retry_in": None})
    talk.link.answers[c.StartTurn] = lambda _: talk.turn(waits, judge, scout, over)
    _, said = talk.end()
    assert "Rate limited by acme (429). Retrying in 20 s · Ctrl+C stops\n" in said
    assert "Reviewer small: Busy. Retrying in 1 s · Ctrl+C stops\n" in said and "\x1b" not in said
    assert "Sub-agent scout: Busy. Retrying in 1 s · Ctrl+C stops\n" in said
    assert said.count("Retrying") == 3


def test_n6_n24_inbox_and_agents_are_lists_in_lines() -> None:
    """Who asks from outside, measured and claimed, and how to answer; who works here."""
    talk = Talk("/inbox", "/agents", "/quit")
    talk.link.answers[c.WatchWaiting] = lambda one: [outside(claimed=True)] if one.on else []
    talk.link.answers[c.ReadAgents] = lambda _: [at_work()]
    status, shown = talk.end()
    assert status == 0 and [one.on for one in talk.link.of(c.WatchWaiting)] == [True, False]
    who = "node in /home/ada/site (pid 512), says “claude-code 2.1.330 · Release 4.2”"
    assert f"  {who} asks (" in shown and "): Allow Bash: npm publish?" in shown
    assert "     /answer c8/k.permission.1 VALUE" in shown and "/answer c7/ask.answer.1 VALUE" in shown
    assert "  ▸ Rename the parser: works · conversation here · c3" in shown
    assert "  ○ Notes: open · conversation in jp-tui · c4" in shown
    assert f"  ◐ {who}: waiting for you · MCP · " in shown
