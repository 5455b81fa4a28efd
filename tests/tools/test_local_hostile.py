"""Local tools that print garbage, die, hang, flood, leave children behind, or ask badly (issue 4; T9, T17)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import parse_object
from jp_tui.tools.local.spec import LocalSpec
from jp_tui.tools.port import NeedsInput
from tests.system.test_children import until_dead
from tests.tools.running import content, failure, once, prints, python, shell

M29 = "Tool 't' execution failed."
DEEP = '{"type": "success", "content": ' + "[" * 10_000 + "]" * 10_000 + "}"


@pytest.mark.parametrize(
    "printed",
    [
        "\x1b]0;title\x07\x1b[2J garbage \u202e",
        '{"type": "success", "content": "a"}\n{"type": "success", "content": "b"}',
        '{"type": "success", "content": "a"} trailing',
        '{"type": "success", "content": "cut',
        DEEP,
        '{"type": "success", "content": "a", "x": NaN}',
        '{"type": "success", "content": "a", "x": 1e400}',
        '{"type": "success", "content": "a", "x": ' + "9" * 5000 + "}",
        '{"type": "success", "content": "\\ud800"}',
        '{"type": "error", "type": "success", "content": "a"}',
        '{"type": "needs_input", "type": "success", "content": "a"}',
        '[{"type": "success", "content": "a"}]',
    ],
    ids=["escapes", "two", "tail", "cut", "deep", "nan", "inf", "digits", "surrogate", "twice", "twice_asking", "list"],
)
async def test_what_is_no_outcome_is_text(printed: str, tmp_path: Path) -> None:
    """R83 with T17's gate: the model reads it as it was printed; with a status it is a failed command."""
    assert await once(prints(printed), tmp_path) == Success(printed)
    (tmp_path / "printed").write_text(printed)
    spec = LocalSpec("t", "/bin/sh", ("-c", "cat printed; exit 1"))
    assert failure(await once(spec, tmp_path)) == {"message": M29, "stderr": "", "stdout": printed}


async def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    found = content(await once(python(r"import os; os.write(1, b'a\xff\xfe\x00b\xed\xa0\x80')"), tmp_path))
    assert found.startswith("a\ufffd\ufffd\x00b\ufffd") and found.encode()
    assert neutralise(found).isprintable()


def asking(**question: Any) -> str:
    whole = {"id": "a", "text": "A?", "answer_type": {"type": "boolean"}} | question
    return json.dumps({"type": "needs_input", "question": {k: v for k, v in whole.items() if v is not None}})


@pytest.mark.parametrize(
    ("printed", "why"),
    [
        ('{"type": "needs_input"}', "`question` is missing"),
        ('{"type": "needs_input", "question": []}', "`question` is missing"),
        (asking(id=None), "`id`"),
        (asking(id="x" * 10_000), "`id` is longer than"),
        (asking(id="a\u200bb"), "`id`"),
        (asking(id="__permission__"), "`id`"),
        (asking(text=None), "`text`"),
        (asking(text=" \u200b"), "`text`"),
        (asking(text="x" * 3000), "`text`"),
        (asking(context=["x"]), "`context`"),
        (asking(context="x" * 300_000), "`context`"),
        (asking(answer_type={"type": "telepathy"}), "telepathy"),
        (asking(answer_type={"type": "telep\x1b[2J"}), "isn't a type"),
        (asking(answer_type={"type": "select", "options": [f"o{n}" for n in range(1001)]}), "options"),
        (asking(answer_type={"type": "select", "options": []}), "options"),
        (asking(answer_type={"type": "select", "options": ["a", "a\u200b"]}), "reads the same"),
        (asking(answer_type={"type": "select", "options": [1]}), "options"),
        (asking(answer_type={"type": "schema", "schema": True}), "schema"),
        (asking(exclusive="yes"), "`exclusive`"),
        (asking(persistence="always"), "`persistence`"),
    ],
)
async def test_a_bad_question_is_an_error_and_nobody_is_asked(printed: str, why: str, tmp_path: Path) -> None:
    outcome = await once(prints(printed), tmp_path)
    assert isinstance(outcome, Failure)
    assert outcome.message.startswith("Tool 't' asked a question that breaks the rules, so nobody was asked: ")
    assert why in outcome.message and outcome.message.isprintable() and len(outcome.message) < 1000


async def test_a_question_with_escapes_is_asked_as_it_is(tmp_path: Path) -> None:
    """R195: neutralised where it is shown, never where it is kept."""
    text = "Really\x1b[2J \u202e?"
    outcome = await once(prints(asking(text=text, context="[@click=app.quit]x[/]\x07")), tmp_path)
    assert isinstance(outcome, NeedsInput)
    assert (outcome.question.text, outcome.question.context) == (text, "[@click=app.quit]x[/]\x07")


@pytest.mark.parametrize("key", ["answer", "target", "source", "floor", "answers", "responder", "unseen"])
async def test_a_question_cannot_say_who_answers_it(key: str, tmp_path: Path) -> None:
    """R18: keys that are no question's are not looked at."""
    plain = await once(prints(asking()), tmp_path)
    assert await once(prints(asking(**{key: True})), tmp_path) == plain


async def test_it_hangs(tmp_path: Path) -> None:
    found = failure(await once(shell("trap '' TERM; echo begun; sleep 300", timeout_secs=0.3), tmp_path))
    assert found == {
        "message": M29,
        "stderr": "jp-tui: it was ended after 0.3 seconds, its time limit.",
        "stdout": "begun\n",
    }


@pytest.mark.parametrize("where", ["", " >&2"])
async def test_it_floods(where: str, tmp_path: Path) -> None:
    """SHELL-087: ended, and the little that the model reads of it says so."""
    outcome = await once(shell(f"yes{where}"), tmp_path)
    assert isinstance(outcome, Failure) and len(outcome.message) < 40_000
    found = parse_object(outcome.message)
    assert "it wrote more than 1 MiB" in str(found["stderr"])
    assert "characters are left out" in str(found["stderr" if where else "stdout"])


async def test_one_mebibyte_is_allowed_and_no_byte_more(tmp_path: Path) -> None:
    for size in (1 << 20, (1 << 20) + 1):
        outcome = await once(python(f"print('x' * {size - 1})"), tmp_path)
        assert isinstance(outcome, Success if size == 1 << 20 else Failure), size


async def test_much_on_stderr_alone_is_no_reason(tmp_path: Path) -> None:
    assert content(await once(shell("yes | head -c 3000000 >&2; echo done"), tmp_path)) == "done\n"


async def test_a_child_left_behind_with_the_pipe_open(tmp_path: Path) -> None:
    """T9."""
    spec = shell('sleep 300 & echo $! >pid; echo \'{"type":"success","content":"x"}\'')
    assert await once(spec, tmp_path) == Success("x")
    await until_dead(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize(
    ("script", "goes_on"),
    [
        ("sleep 300 >/dev/null 2>&1 & echo $! >pid", False),
        ("set -m; sleep 300 & echo $! >pid", False),
        ("set -m; sleep 300 >/dev/null 2>&1 & echo $! >pid", True),
        ("setsid sh -c 'echo $$ >pid; exec sleep 300' >/dev/null 2>&1 & until test -s pid; do :; done", True),
    ],
)
async def test_what_is_ended_with_it_and_what_goes_on(script: str, goes_on: bool, tmp_path: Path) -> None:
    """As the README of the examples says."""
    assert content(await once(shell(script), tmp_path)) == ""
    pid = int((tmp_path / "pid").read_text())
    if goes_on:
        os.kill(pid, signal.SIGKILL)  # it is there
    else:
        await until_dead(pid)


async def test_it_reads_its_input_never(tmp_path: Path) -> None:
    assert content(await once(LocalSpec("t", "true", stdin="x" * 1_000_000), tmp_path)) == ""
    assert content(await once(shell("read x || echo end"), tmp_path)) == "end\n"


async def test_it_kills_its_parents_group_or_changes_its_folder(tmp_path: Path) -> None:
    """SHELL-104, and a `kill 0`: it is alone in its group."""
    assert failure(await once(shell("kill -KILL 0"), tmp_path))["stderr"] == "jp-tui: it was killed by SIGKILL."
    assert content(await once(shell("cd /"), tmp_path)) == ""
    assert content(await once(shell("pwd"), tmp_path)) == f"{tmp_path}\n"


async def test_many_at_once(tmp_path: Path) -> None:
    spec = shell("echo $$ $PPID | wc -w")
    found = await asyncio.gather(*(once(spec, tmp_path) for _ in range(10)))
    assert {content(one).strip() for one in found} == {"2"}
