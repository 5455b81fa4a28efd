"""E50: the workspace calls whoever does not look: when, how often, with which words; by the terminal or by a command.

What goes to the terminal is caught where the app hands it over; the clock is the test's.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import TurnError, WaitingInfo
from jp_tui.settings.schema.notify import Notify
from jp_tui.ui.driver.replies import TerminalAnswered
from jp_tui.ui.notify.timing import AWAY
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION, FakeLink
from tests.faults.terminal import running
from tests.ui.app_host import Host
from tests.ui.app_host import opened as is_open

GHOSTTY = {"TERM": "xterm-ghostty"}
ASKS = "\x1b]777;notify;jp-tui: 1 question is waiting in acme;From fs_modify_file: Apply this change?\x07"


class Called(Host):
    """A workspace whose terminal is a list."""

    def __init__(self, notify: Notify, environment: dict[str, str]) -> None:
        self.written: list[str] = []
        super().__init__(FakeLink(), notify=notify, environment=environment)

    def _to_terminal(self, sequence: str) -> None:
        self.written.append(sequence)

    @property
    def calls(self) -> list[str]:
        """What was written but for titles."""
        return [one for one in self.written if "\x1b]0;" not in one]

    async def looks_away(self, pilot: Pilot[None], away: bool = True) -> None:
        self.post_message(events.AppBlur() if away else events.AppFocus())
        await pilot.pause()

    async def waits(self, pilot: Pilot[None], seconds: float = 1.0) -> None:
        """Time passes, and the timer that would have told so has."""
        self.time.now += seconds
        self.notifier.tick()
        await pilot.pause()


@asynccontextmanager
async def called(
    away: bool | None = True, environment: dict[str, str] = GHOSTTY, **wishes: object
) -> AsyncIterator[tuple[Called, Pilot[None]]]:
    """A workspace with the conversation open. `away` None: the terminal says nothing of its focus."""
    app = Called(Notify(**wishes), environment)  # type: ignore[arg-type]
    async with app.run_test(size=(100, 30)) as pilot:
        await is_open(app, pilot)
        if away is not None:
            await app.looks_away(pilot, away)
        yield app, pilot


def ended(ms: int, outcome: str = "done", **more: object) -> ev.TurnCompleted:
    fields = {"conversation": CONVERSATION, "turn": 1, "outcome": outcome, "ms": ms, **more}
    return ev.TurnCompleted.model_validate(fields)


async def test_a_question_calls_who_looks_away_once_and_not_who_looks() -> None:
    async with called() as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        assert app.calls == []
        await app.waits(pilot)
        assert app.calls == [ASKS]
        await app.says(pilot, *scenes.asked())
        await app.waits(pilot, 60)
        assert app.calls == [ASKS], "never again for the same"
    async with called(away=False) as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot)
        await app.looks_away(pilot)
        await app.waits(pilot, 60)
        assert app.calls == []


async def test_what_is_settled_within_the_moment_calls_nobody() -> None:
    async with called() as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked(), *scenes.answered())
        await app.waits(pilot, 60)
        assert app.calls == [] and app.notifier._timer is None


async def test_a_reviewer_that_decides_calls_nobody_and_one_that_hands_over_does() -> None:
    asks = scenes.prompt("boolean")
    review = ev.ReviewStarted(
        conversation=CONVERSATION, turn=1, call=asks.call, inquiry=asks.inquiry, tool=asks.tool, model="m"
    )
    async with called() as (app, pilot):
        await app.says(pilot, *scenes.tools(), review)
        await app.waits(pilot, 60)
        assert app.calls == []
        await app.says(pilot, *scenes.asked())
        await app.waits(pilot)
        assert app.calls == [ASKS]


async def test_many_at_once_are_one_call_and_the_next_comes_a_second_later() -> None:
    async with called() as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked(), *scenes.asked("text", call_id="call_3"))
        await app.waits(pilot, 0.5)
        assert app.calls == [ASKS.replace("1 question is waiting", "2 questions are waiting")]
        await app.says(pilot, *scenes.asked("select", call_id="call_4"))
        await app.waits(pilot, 0.5)
        assert len(app.calls) == 1
        await app.waits(pilot, 0.6)
        assert len(app.calls) == 2 and "3 questions are waiting in acme;From fs_modify_file: Which" in app.calls[1]


async def test_a_thousand_questions_are_one_call_and_are_given_back() -> None:
    async with called() as (app, pilot):
        many = [
            ev.QuestionAsked(conversation=CONVERSATION, prompt=scenes.prompt("text", inquiry=f"i{number}"))
            for number in range(1000)
        ]
        app.notifier.handle(many)
        await app.waits(pilot)
        assert len(app.calls) == 1 and "1000 questions are waiting" in app.calls[0]
        app.notifier.handle(
            [ev.QuestionSettled(conversation=CONVERSATION, inquiry=one.prompt.inquiry, how="withdrawn") for one in many]
        )
        assert not app.notifier._prompts and not app.notifier._schedule.known and not app.notifier._schedule.pending


async def test_the_same_id_in_two_conversations_is_two_questions() -> None:
    async with called() as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot)
        other = scenes.prompt("boolean").model_copy(update={"conversation": "c9"})
        await app.says(pilot, ev.QuestionAsked(conversation="c9", prompt=other))
        await app.waits(pilot, 2)
        assert len(app.calls) == 2


async def test_without_text_it_says_only_that_something_waits() -> None:
    async with called(text=False) as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot)
        assert app.calls == ["\x1b]777;notify;jp-tui: 1 question is waiting;\x07"]


async def test_always_calls_who_looks_too() -> None:
    async with called(away=False, when="always") as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot)
        assert app.calls == [ASKS]


@pytest.mark.parametrize(
    ("environment", "wishes", "written"),
    [
        ({"TERM": "xterm"}, {}, ["\x07"]),
        ({"TERM": "xterm"}, {"bell": False}, []),
        (GHOSTTY, {"bell": False}, [ASKS]),
        (GHOSTTY, {"desktop": "off"}, ["\x07"]),
        (GHOSTTY, {"desktop": "off", "bell": False}, []),
        ({"TERM": "rxvt"}, {}, [ASKS, "\x07"]),
    ],
)
async def test_each_can_be_switched_off(
    environment: dict[str, str], wishes: dict[str, object], written: list[str]
) -> None:
    async with called(environment=environment, **wishes) as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot)
        assert app.calls == written


async def test_r197_a_hostile_question_in_a_hostile_folder() -> None:
    evil = "\x1b]0;owned\x07\x1b[2Jrm -rf\n\x9d9;x\x9c;\u202e<b>"
    asks = scenes.prompt("text").model_copy(update={"label": evil, "tool": evil})
    async with called() as (app, pilot):
        app.notifier.show_status(app.notifier._status)
        await app.says(pilot, ev.QuestionAsked(conversation=CONVERSATION, prompt=asks))
        await app.waits(pilot)
        (said,) = app.calls
        assert said.startswith("\x1b]777;notify;jp-tui: 1 question is waiting in acme;From ") and said.endswith("\x07")
        assert said[1:-1].isprintable() and "<" not in said


async def test_where_nothing_tells_the_focus_the_last_key_decides_and_that_is_said_once() -> None:
    async with called(away=None) as (app, pilot):
        await pilot.press("x")
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot, AWAY - 1)
        assert app.calls == []
        await app.waits(pilot, 1.1)
        assert app.calls == [ASKS] and "doesn't report" not in app.screen_text()
        await pilot.press("y")
        await pilot.pause()
        assert "Notified you after 15 s without a key press: this terminal doesn't report focus" in app.screen_text()


async def test_a_terminal_that_says_it_reports_is_believed_until_it_does() -> None:
    async with called(away=None) as (app, pilot):
        app.post_message(TerminalAnswered(True, "", False))
        await app.waits(pilot, 600)
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot, 600)
        assert app.calls == [], "it would have said so"
    async with called(away=None, environment={"TMUX": "/x", "KITTY_WINDOW_ID": "1"}) as (app, pilot):
        app.post_message(TerminalAnswered(True, "", False))
        await app.waits(pilot, 600)
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot)
        assert len(app.calls) == 2, "a multiplexer promises what it may not get; and the bell goes along"


async def test_a_terminal_that_reported_its_focus_is_believed_whatever_it_says_of_itself() -> None:
    async with called() as (app, pilot):
        app.post_message(TerminalAnswered(False, "", False))
        await pilot.press("x")
        await app.looks_away(pilot, False)
        await app.waits(pilot, 600)
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot)
        assert app.calls == []


async def test_the_end_of_a_long_turn_is_told_with_how_it_ended() -> None:
    error = TurnError(kind="auth", message="The server refused the key (401).", advice="")
    for event, words in [
        (ended(125_000), "jp-tui: done after 2 m 05 s in acme;About: New conversation"),
        (ended(31_000, "failed", error=error), "failed after 31 s in acme;About: The server refused the key (401)."),
        (ended(31_000, "deferred"), "jp-tui: stopped after 31 s in acme"),
        (ended(29_000), ""),
        (ended(125_000, "interrupted"), ""),
        (ended(125_000).model_copy(update={"conversation": "c9"}), ""),
    ]:
        async with called() as (app, pilot):
            await app.says(pilot, *scenes.started(), event)
            await app.waits(pilot)
            assert len(app.calls) == bool(words) and words in "".join(app.calls)
    async with called(turn_secs=0) as (app, pilot):
        await app.says(pilot, *scenes.started(), ended(9_000_000))
        await app.waits(pilot)
        assert app.calls == []


async def test_the_end_of_a_long_turn_in_the_background_is_told_with_its_title() -> None:
    """What the user took up from the inbox (issue 7, 6): as in sight, unless it was short; a sub-agent's is no news."""
    for ms, words in [(31_000, "jp-tui: done after 31 s in acme;About: Fix the build"), (2_000, "")]:
        async with called() as (app, pilot):
            held = WaitingInfo(
                conversation="c7", title=Foreign("Fix the build"), inquiry="q", text=Foreign("Go?"), digest="d",
                since=scenes.AT,
            )  # fmt: skip
            waits = app._main.waits
            assert waits is not None
            await app.says(pilot, ev.WaitingListed(waiting=(held,)))
            waits.jump(("c7", "q"))
            await app.says(pilot, ended(31_000).model_copy(update={"conversation": "c9"}))
            await app.says(pilot, ended(ms).model_copy(update={"conversation": "c7"}))
            await app.waits(pilot)
            assert len(app.calls) == bool(words) and words in "".join(app.calls)


async def test_a_question_that_was_put_off_and_comes_due_is_told_again() -> None:
    async with called() as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot)
        app.notifier.snooze_ended(CONVERSATION, "call_2.apply_changes.1")
        app.notifier.snooze_ended(CONVERSATION, "no such question")
        await app.waits(pilot, 2)
        assert app.calls == [ASKS, ASKS]


async def test_the_title_counts_what_waits_and_can_be_switched_off() -> None:
    async with called(away=False) as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        assert app.written[-1] == "\x1b]0;(1) New conversation - acme - jp\x07"
        await app.says(pilot, *scenes.answered())
        assert app.written[-1] == "\x1b]0;New conversation - acme - jp\x07"
        assert "".join(app.written).count("\x1b[22;0t") == 1
    assert app.written[-1] == "\x1b]0;\x07\x1b[23;0t", "and is put back"
    async with called(title=False) as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot)
        assert app.written == [ASKS]
    assert app.written == [ASKS]


async def test_t24_at_rest_it_keeps_no_timer_and_writes_nothing() -> None:
    async with called() as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot)
        written = len(app.written)
        await app.looks_away(pilot, False)
        await app.looks_away(pilot)
        await pilot.press("f12")
        assert app.notifier._timer is None and len(app.written) == written


async def test_the_ring_of_a_question_that_was_held_back_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """E10: it stays folded and rings."""
    for wanted in (True, False):
        async with called(away=False, bell=wanted) as (app, _):
            rung: list[str] = []
            monkeypatch.setattr("textual.app.App.bell", lambda _: rung.append("ring"))  # noqa: B023
            app.bell()
            assert rung == ["ring"] * wanted


# -- a command instead


def program(folder: Path, body: str) -> tuple[str, ...]:
    """A command that runs this Python, with the words as arguments."""
    file = folder / "call.py"
    file.write_text(f"import os, sys, time\nOUT = {str(folder / 'out')!r}\n{body}")
    return (sys.executable, "-S", str(file), "{title}", "--text={text}", "{other}")


WRITES = "open(OUT, 'a').write('|'.join([*sys.argv[1:], os.environ['JP_NOTIFY_TEXT'], os.getcwd()]) + '\\n')\n"


async def finished(app: Called, pilot: Pilot[None]) -> None:
    while app.notifier._running is not None:
        await pilot.pause(0.01)
    await pilot.pause()


async def test_a_command_is_run_instead_with_the_words(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), **GHOSTTY}
    async with called(environment=home, command=program(tmp_path, WRITES)) as (app, pilot):
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.waits(pilot)
        await finished(app, pilot)
        said = "From fs_modify_file: Apply this change?"
        title = "jp-tui: 1 question is waiting in acme"
        assert (tmp_path / "out").read_text() == f"{title}|--text={said}|{{other}}|{said}|{tmp_path}\n"
        assert app.calls == []


async def test_a_command_is_no_shell_and_its_words_fill_no_second_hole(tmp_path: Path) -> None:
    evil = "$(touch x); `id` {title} \x1b[31m\x00'\""
    asks = scenes.prompt("text").model_copy(update={"label": evil})
    home = {"HOME": str(tmp_path)}
    async with called(environment=home, command=program(tmp_path, WRITES)) as (app, pilot):
        await app.says(pilot, ev.QuestionAsked(conversation=CONVERSATION, prompt=asks))
        await app.waits(pilot)
        await finished(app, pilot)
        text = (tmp_path / "out").read_text().split("|")[1]
        assert text.startswith("--text=From $(touch x); `id` {title} '\":") and not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sys.exit('no\\x1b[31m bus')", "ended with status 1: no bus"),
        ("os.kill(os.getpid(), 15)", "ended with signal 15"),
        (None, "cannot be run: "),
    ],
)
async def test_a_command_that_fails_is_said_once_and_the_terminal_calls(
    tmp_path: Path, body: str | None, said: str
) -> None:
    command = program(tmp_path, body) if body else (str(tmp_path / "missing"),)
    async with called(command=command) as (app, pilot):
        for number, call in enumerate(("call_2", "call_3"), 1):
            await app.says(pilot, *scenes.asked(call_id=call))
            await app.waits(pilot, 2)
            await finished(app, pilot)
            assert len(app.calls) == number and app.calls[0] == ASKS
        assert "notify.command" not in app.screen_text(), "nobody is there to read it"
        await app.looks_away(pilot, False)
        await pilot.pause()
        assert f"notify.command {said}" in app.screen_text()
        app._main._end_notice()
        await app.looks_away(pilot)
        await app.looks_away(pilot, False)
        assert "notify.command" not in app.screen_text(), "once is enough"


async def test_a_command_that_hangs_holds_nothing_up_and_the_newest_call_waits(tmp_path: Path) -> None:
    body = WRITES + "while not os.path.exists(OUT + '.go'): time.sleep(0.01)\n"
    async with called(environment={"HOME": str(tmp_path)}, command=program(tmp_path, body)) as (app, pilot):
        for call in ("call_2", "call_3", "call_4"):
            await app.says(pilot, *scenes.asked(call_id=call))
            await app.waits(pilot, 2)
        await pilot.press("ctrl+o", *"typed")
        assert "typed" in app.composer.text, "the workspace goes on"
        (tmp_path / "out.go").touch()
        await finished(app, pilot)
        lines = (tmp_path / "out").read_text().splitlines()
        assert [line.split(" in ")[0] for line in lines] == [
            "jp-tui: 1 question is waiting",
            "jp-tui: 3 questions are waiting",
        ]


async def test_a_command_is_ended_with_the_workspace(tmp_path: Path) -> None:
    body = "open(OUT, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    async with called(environment={"HOME": str(tmp_path)}, command=program(tmp_path, body)) as (app, pilot):
        await app.says(pilot, *scenes.asked())
        await app.waits(pilot)
        while not (tmp_path / "out").exists() or not (tmp_path / "out").read_text():
            await pilot.pause(0.01)
        task = app.notifier._running
        assert task is not None
    assert task.done() and not running(int((tmp_path / "out").read_text()))
