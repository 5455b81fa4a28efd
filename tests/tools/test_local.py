"""Local tools run as real children: what they get, what their output becomes, how they end (R83, R90, R97, M29)."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import dump, parse_object
from jp_tui.questions.types import BooleanAnswer, GivenAnswer, SecretAnswer
from jp_tui.questions.wire import digest
from jp_tui.system.children import ChildProblem
from jp_tui.tools.local import tool as module
from jp_tui.tools.local.spec import LocalSpec, ProgramCommand
from jp_tui.tools.port import Cancel, RenderFailed, ToolCall
from jp_tui.tools.registry import local
from tests.system.test_children import until, until_dead
from tests.tools.running import content, failure, once, prints, python, shell, to_the_end

M29 = "Tool 't' execution failed."


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("plain\ntext", Success("plain\ntext")),
        ("", Success("")),
        ('{"type": "success", "content": "done"}\n', Success("done")),
        ('{"type": "success", "content": "", "more": 1}', Success("")),
        (
            '{"type": "error", "message": "no", "trace": []}\n',
            Failure('{"type": "error", "message": "no", "trace": []}'),
        ),
        (
            '{"type": "error", "message": "later", "trace": ["a"], "transient": true}',
            Failure('{"message":"later","trace":["a"]}', transient=True),
        ),
        ('{"type": "success", "content": 1}', Success('{"type": "success", "content": 1}')),
        ('{"type": "error", "trace": []}', Success('{"type": "error", "trace": []}')),
        ('{"type": "other"}', Success('{"type": "other"}')),
        ('"text"', Success('"text"')),
    ],
)
async def test_output_as_an_outcome(printed: str, expected: object, tmp_path: Path) -> None:
    """R47, R83; R14: the transient flag stays here."""
    assert await once(prints(printed), tmp_path) == expected


async def test_an_outcome_counts_whatever_the_status(tmp_path: Path) -> None:
    """R83: first the output, then the status."""
    assert await once(shell("""echo '{"type":"success","content":"x"}'; exit 3"""), tmp_path) == Success("x")


async def test_a_failed_command(tmp_path: Path) -> None:
    """M29, to the letter and in this order."""
    outcome: Any = await once(shell("echo out; echo 'err \"é\"' >&2; exit 1"), tmp_path)
    assert outcome == Failure(f'{{"message":"{M29}","stderr":"err \\"é\\"\\n","stdout":"out\\n"}}')
    assert outcome.for_model() == outcome.message


async def test_what_a_tool_is_given(tmp_path: Path) -> None:
    """R83, T10: the workspace's root, a session of its own, no terminal, no keys, nothing on its input."""
    code = "import os, sys; print(os.getcwd(), os.getsid(0) == os.getpid(), sys.stdin.read() == '')"
    assert content(await once(python(code), tmp_path)) == f"{tmp_path} True True\n"
    os.environ["SOME_API_KEY"] = "canary"
    try:
        assert "canary" not in content(await once(LocalSpec("t", "env"), tmp_path))
    finally:
        del os.environ["SOME_API_KEY"]


async def test_values_reach_it_whole(tmp_path: Path) -> None:
    """Whatever an argument holds, it is one argument, and nothing of it is run or rendered."""
    nasty = "--rf; $(touch ran) `touch ran` ' \" {{ tool }} \\ é\n"
    spec = LocalSpec(
        "t",
        sys.executable,
        ("-c", "import sys, json; print(json.dumps([sys.argv[1:], sys.stdin.read()]))", "{{tool.arguments.a}}", ""),
        stdin="{{ tool.arguments }}",
        parameters={"a": {"type": "string"}},
    )
    found = content(await once(spec, tmp_path, {"a": nasty}))
    assert parse_object(f'{{"x": {found}}}')["x"] == [[nasty, ""], dump({"a": nasty})]
    assert os.listdir(tmp_path) == []


async def test_through_a_shell(tmp_path: Path) -> None:
    spec = LocalSpec("t", "printf '<%s>'", ("{{ tool.arguments.a | q }}", "| tr a b"), shell=True, parameters={"a": {}})
    assert content(await once(spec, tmp_path, {"a": "a; touch ran"})) == "<b; touch rbn>"
    assert os.listdir(tmp_path) == []


ASKS = """
import json, sys
tool = json.load(sys.stdin)
if "sure" not in tool["answers"]:
    print(json.dumps({"type": "needs_input", "question": {"id": "sure", "text": "Sure?", "floor": True,
        "source": {"source": "assistant"}, "answer_type": {"type": "boolean"}, "exclusive": True}}))
elif "pass" not in tool["answers"]:
    print(json.dumps({"type": "needs_input", "question": {"id": "pass", "text": "Pass?", "answer_type": "secret"}}))
else:
    print(json.dumps({"type": "success", "content": json.dumps([list(tool["answers"].items()), tool["digests"]])}))
"""


async def test_it_asks_and_is_run_again_with_the_answers(tmp_path: Path) -> None:
    """R97, R18: from the start, same arguments, all answers so far; it cannot say whose question it is, nor set the
    mark of R247. Digests stand beside the answers (R235)."""
    spec = python(ASKS, stdin="{{ tool }}")
    tool = local(spec)
    assert tool.source == "tool"
    outcome, asked = await to_the_end(tool, tmp_path, {}, {"sure": True, "pass": "s3cret"})
    assert [question.id for question in asked] == ["sure", "pass"]
    assert isinstance(asked[0].answer_type, BooleanAnswer) and isinstance(asked[1].answer_type, SecretAnswer)
    assert (asked[0].exclusive, asked[0].floor) == (True, False)
    digests = {question.id: digest(question) for question in asked}
    assert parse_object(f'{{"x": {content(outcome)}}}')["x"] == [[["sure", True], ["pass", "s3cret"]], digests]


async def test_a_secret_need_not_stand_in_the_arguments(tmp_path: Path) -> None:
    """R202: what is given on the input is in no list of processes."""
    spec = shell("read secret; tr '\\0' ' ' </proc/$$/cmdline; echo; echo ${#secret}", stdin="{{ tool.answers.p }}\n")
    found = content(await once(spec, tmp_path, answers={"p": GivenAnswer("hunter2", "d")}))
    assert "hunter2" not in found and found.endswith("\n7\n")


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("no-such-program-here", "No such file"),
        ("./none", "No such file"),
        ("./folder", "Permission denied"),
        ("./plain", "Permission denied"),
        ("/", "Permission denied"),
        ("./garbage", "Exec format error"),
        ("{{ 'a' ~ '\\0' }}", "embedded null byte"),
    ],
)
async def test_a_program_that_cannot_be_run(program: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "garbage").write_bytes(b"\x00\x01garbage")
    (tmp_path / "garbage").chmod(0o755)
    found = failure(await once(LocalSpec("t", program), tmp_path))
    assert found["message"] == M29 and why in str(found["stderr"])


async def test_where_a_program_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name without a slash only in absolute folders of PATH: a workspace does not bring our programs. With a slash
    from the root on, through links too: it is the user's configuration."""
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    for folder in (root, elsewhere):
        (folder / "mine").write_text(f"#!/bin/sh\necho {folder.name}\n")
        (folder / "mine").chmod(0o755)
    (root / "link").symlink_to(elsewhere / "mine")
    monkeypatch.setenv("PATH", f".::{os.environ['PATH']}")
    assert "No such file" in str(failure(await once(LocalSpec("t", "mine"), root))["stderr"])
    assert content(await once(LocalSpec("t", "./mine"), root)) == "root\n"
    assert content(await once(LocalSpec("t", "./link"), root)) == "elsewhere\n"
    monkeypatch.setenv("PATH", f"{elsewhere}:{os.environ['PATH']}")
    assert content(await once(LocalSpec("t", "mine"), root)) == "elsewhere\n"


async def test_arguments_longer_than_the_system_allows(tmp_path: Path) -> None:
    declared: Any = {"a": {"type": "string"}}
    spec = LocalSpec("t", "echo", ("{{ tool.arguments.a }}",), parameters=declared)
    found = failure(await once(spec, tmp_path, {"a": "x" * 3_000_000}))
    assert "Argument list too long" in str(found["stderr"]) and "`stdin`" in str(found["stderr"])
    spec = LocalSpec("t", "wc", ("-c",), stdin="{{ tool.arguments.a }}", parameters=declared)
    assert content(await once(spec, tmp_path, {"a": "x" * 3_000_000})).strip() == "3000000"


async def test_called_off_ends_the_group(tmp_path: Path) -> None:
    cancel = Cancel()
    task = asyncio.create_task(once(shell("sleep 300 & echo $! >pid; echo begun; wait"), tmp_path, cancel=cancel))
    await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().endswith("\n"))
    cancel.called = True
    found = failure(await task)
    assert found == {"message": M29, "stderr": "jp-tui: it was cancelled.", "stdout": "begun\n"}
    await until_dead(int((tmp_path / "pid").read_text()))
    assert failure(await once(shell("sleep 300"), tmp_path, cancel=cancel))["stderr"] == "jp-tui: it was cancelled."


async def test_a_cancelled_task_leaves_nothing(tmp_path: Path) -> None:
    """T9: also what the tool started in groups of its own, and what ignores TERM."""
    script = "set -m; trap '' TERM; sleep 300 & echo $! $$ >pid; wait"
    task = asyncio.create_task(once(shell(script), tmp_path))
    await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().endswith("\n"))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for pid in (tmp_path / "pid").read_text().split():
        await until_dead(int(pid))


async def test_a_formatter_shows_the_arguments(tmp_path: Path) -> None:
    """R90: its own action, arguments as the tool gets them, and no other tool has one."""
    shows = ProgramCommand("echo", ("{{ context.action }}", "{{ tool.arguments }}"))
    declared: Any = {"n": {"type": "integer", "default": 1}}
    tool: Any = local(LocalSpec("t", "true", parameters=declared, format_command=shows))
    assert await tool.render(ToolCall({}, tmp_path)) == 'format_arguments {"n":1}\n'
    assert await tool.render(ToolCall({"n": "x"}, tmp_path)) == '{"n":"x"}'
    assert not hasattr(local(LocalSpec("t", "true")), "render")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo bad luck >&2; exit 1", "^bad luck$"),
        ("exit 1", M29),
        ("kill -9 $$", "SIGKILL"),
        ('echo \'{"type":"error","message":"no","trace":[]}\'', '"no"'),
        ('echo \'{"type":"needs_input","question":{"id":"a","text":"A?","answer_type":"text"}}\'', "asked a question"),
    ],
)
async def test_a_formatter_that_fails(script: str, why: str, tmp_path: Path) -> None:
    """M30's error, one line."""
    tool: Any = local(LocalSpec("t", "true", format_command=ProgramCommand("/bin/sh", ("-c", script))))
    with pytest.raises(RenderFailed, match=why) as caught:
        await tool.render(ToolCall({}, tmp_path))
    assert "\n" not in str(caught.value)
    tool = local(LocalSpec("t", "true", format_command=ProgramCommand("{{ gone }}")))
    with pytest.raises(RenderFailed, match="gone"):
        await tool.render(ToolCall({}, tmp_path))


def test_its_title_is_its_first_text() -> None:
    tool = local(LocalSpec("t", "true", parameters={"n": {}, "path": {}, "more": {}}))
    assert tool.title({"more": "c", "n": 1, "path": " \n  a\nb"}) == "a"
    assert tool.title({"x": "unknown"}) == "" and tool.title({"path": "y" * 500}) == "y" * 200


async def test_what_a_signal_is_called(tmp_path: Path) -> None:
    for number in (signal.SIGSEGV, signal.SIGKILL):
        found = failure(await once(shell(f"kill -{int(number)} $$"), tmp_path))
        assert found["stderr"] == f"jp-tui: it was killed by {number.name}."


@pytest.mark.parametrize(
    ("spec", "own", "ours"),
    [
        (shell("echo mine >&2; kill -9 $$"), "mine\n", "it was killed by SIGKILL"),
        (shell("printf mine >&2; kill -9 $$"), "mine\n", "it was killed by SIGKILL"),
        (
            shell("echo mine >&2; exec sleep 300", timeout_secs=1),
            "mine\n",
            "it was ended after 1 second, its time limit",
        ),
        (shell("trap '' TERM; sleep 300", timeout_secs=2), "", "it was ended after 2 seconds, its time limit"),
        (LocalSpec("t", "{{ gone }}"), "", "the command in the configuration does not work: "),
        (LocalSpec("t", "./none"), "", "'./none' cannot be run: "),
    ],
)
async def test_r83_an_error_has_three_keys_and_what_we_know_stands_behind_stderr(
    spec: LocalSpec, own: str, ours: str, tmp_path: Path
) -> None:
    found = failure(await once(spec, tmp_path))
    assert list(found) == ["message", "stderr", "stdout"] and found["message"] == M29
    said = str(found["stderr"])
    assert said.startswith(f"{own}jp-tui: {ours}") and said.endswith(".") and not said.endswith("..")


async def test_r83_a_tool_that_fails_by_itself_is_told_as_it_is(tmp_path: Path) -> None:
    found = failure(await once(shell("echo out; echo mine >&2; exit 3"), tmp_path))
    assert found == {"message": M29, "stderr": "mine\n", "stdout": "out\n"}


async def test_a_root_that_is_gone(tmp_path: Path) -> None:
    found = failure(await once(LocalSpec("t", "true"), tmp_path / "gone"))
    assert found["message"] == M29 and "gone" in str(found["stderr"])


def test_the_advice_is_only_for_its_error() -> None:
    assert module._advice(ChildProblem("x")) == ""
