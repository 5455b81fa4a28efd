"""`jp-tui ask` as a script runs it (intake.md N4-N6, N8, N10-N12): its output, its status, and how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from jp_tui.protocol.outside import Asker
from jp_tui.startup.asking import _is_agent
from tests.headless.running import LIMIT, ROOT, environment, jp


class Script:
    """A shell script that asks, in a process of its own; `words` are those of `ask`."""

    def __init__(self, home: Path, *words: str, more: str = "", name: str = "deploy.sh") -> None:
        self.home, self.file = home, home / name
        home.mkdir(exist_ok=True)
        asks = f'"{sys.executable}" -m jp_tui ask "$@"'
        self.file.write_text(f"#!/bin/sh\n{asks} & echo pid $! >&2; wait $!; status=$?; {more or ':'}; exit $status\n")
        self.child = subprocess.Popen(
            ["/bin/sh", str(self.file), *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment(home), cwd=ROOT,
        )  # fmt: skip
        assert self.child.stderr is not None
        self.pid = int(self.child.stderr.readline().split()[1])

    def asked(self) -> str:
        """Wait until it is on record; return what `answer` takes."""
        assert self.child.stderr is not None
        line = self.child.stderr.readline()
        assert line.startswith("Waiting for an answer: jp-tui answer "), line
        return line.split("jp-tui answer ")[1].split()[0]

    def ended(self) -> tuple[int, str, str]:
        out, err = self.child.communicate(timeout=LIMIT)
        return self.child.returncode, out, err


def answered(tmp_path: Path, words: Sequence[str], *answer: str, stdin: str | None = None) -> tuple[int, str, str]:
    script = Script(tmp_path, *words)
    given = jp(tmp_path, "answer", script.asked(), *answer, stdin=stdin)
    assert given.returncode == 0, given.stderr
    return script.ended()


def test_n12_yes_is_0_and_is_all_on_standard_output(tmp_path: Path) -> None:
    assert answered(tmp_path, ["Deploy?"], "yes") == (0, "yes\n", "")


def test_n12_no_is_5_so_that_and_is_safe(tmp_path: Path) -> None:
    assert answered(tmp_path, ["Deploy?"], "no", "--reason", "it is Friday") == (5, "no\n", "it is Friday\n")


def test_n12_declined_is_4_with_the_reason(tmp_path: Path) -> None:
    status, out, err = answered(tmp_path, ["Deploy?"], "--decline", "--reason", "ask Ada")
    assert (status, out) == (4, "") and "ask Ada" in err


def test_n12_its_time_is_3(tmp_path: Path) -> None:
    script = Script(tmp_path, "Deploy?", "--timeout", "0.1")
    script.asked()
    status, out, _ = script.ended()
    assert (status, out) == (3, "")


@pytest.mark.parametrize(
    ("words", "answer", "out"),
    [
        (["Where?", "--option", "a", "--option", "b=The second"], ["b"], "b\n"),
        (["Which?", "--type", "multi_select", "--option", "a", "--option", "b"], ["--", '["a","b"]'], "a\nb\n"),
        (["Notes?", "--type", "text"], ["-"], "two\nlines\n"),
        (["Token?", "--type", "secret"], ["-"], "two\nlines\n"),
    ],
    ids=["select", "multi_select", "text", "secret"],
)
def test_n11_other_types(tmp_path: Path, words: list[str], answer: list[str], out: str) -> None:
    status, said, _ = answered(tmp_path, words, *answer, stdin="two\nlines\n" if answer == ["-"] else None)
    assert (status, said) == (0, out)


def test_n11_json_is_one_object_a_line(tmp_path: Path) -> None:
    schema = tmp_path / "limits.json"
    schema.write_text('{"type":"object"}')
    script = Script(tmp_path, "Limits?", "--schema", str(schema), "--json")
    name = script.asked()
    assert jp(tmp_path, "answer", name, '{"a":1}').returncode == 0
    status, out, _ = script.ended()
    asked, ended = map(json.loads, out.splitlines())
    assert status == 0 and asked["type"] == "asked" and f"{asked['conversation']}/{asked['id']}" == name
    assert (ended["type"], ended["answer"]) == ("answered", {"a": 1}) and ended["responder"]["kind"] == "user"


@pytest.mark.parametrize(
    "words",
    [["a\nb"], ["Deploy?", "--type", "number"], ["Deploy?", "--timeout", "0"], ["Deploy?", "--schema", "/none"],
     ["Which?", "--option", "a", "--default", "b"], ["Deploy?", "--context", "/none"]],
    ids=str,
)  # fmt: skip
def test_n12_bad_usage_is_2_and_nothing_is_asked(tmp_path: Path, words: list[str]) -> None:
    found = jp(tmp_path, "ask", *words)
    assert found.returncode == 2 and found.stderr.startswith("jp-tui: ")
    assert "No open questions." in jp(tmp_path, "inquiries", "--pending").stdout


def test_n4_who_asks_is_measured(tmp_path: Path) -> None:
    script = Script(tmp_path, "Deploy?")
    script.asked()
    (line,) = jp(tmp_path, "inquiries", "--pending", "--json").stdout.splitlines()
    found = json.loads(line)
    assert (found["source"], found["tool"]) == ("outside", "outside.deploy.sh")
    asker = found["asker"]
    assert asker["program"] == "deploy.sh" and asker["script"] == str(script.file) and asker["uid"] == os.getuid()
    assert asker["pid"] == script.child.pid and asker["folder"] == str(ROOT)
    os.kill(script.pid, signal.SIGTERM)
    script.ended()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_n6_a_signal_withdraws_before_the_end(tmp_path: Path, number: signal.Signals) -> None:
    """A shell's background job ignores SIGINT, so it is started without one."""
    child = subprocess.Popen(
        [sys.executable, "-m", "jp_tui", "ask", "Deploy?"],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(tmp_path), cwd=ROOT,
    )  # fmt: skip
    assert child.stderr is not None
    name = child.stderr.readline().split("jp-tui answer ")[1].strip()
    child.send_signal(number)
    assert child.wait(LIMIT) == 128 + number
    child.stderr.close()
    late = jp(tmp_path, "answer", name, "yes")
    assert late.returncode == 1 and "withdrawn" in late.stderr


def test_n6_after_a_kill_nothing_stays_open(tmp_path: Path) -> None:
    """Killed at other moments: before, while and after it is recorded. What was reported is on record, what is on
    record is closed by the next command that looks."""
    for wait in (0.0, 0.1, 0.2, 0.3, 0.5, None):
        script = Script(tmp_path, "Deploy?")
        name = script.asked() if wait is None else ""
        threading.Event().wait(wait or 0)
        os.kill(script.pid, signal.SIGKILL)
        script.ended()
    assert "No open questions." in jp(tmp_path, "inquiries", "--pending").stdout
    late = jp(tmp_path, "answer", name, "yes")
    assert late.returncode == 1 and "withdrawn" in late.stderr


def test_n5_who_asked_does_not_answer(tmp_path: Path) -> None:
    """Nor changes it the settings and rules that decide."""
    tries = [
        "inquiries --pending --json", "answer ask.answer.1 yes", "config set ui.theme jp-day",
        "rules add allow --tool shell_run --command git", "config trust --yes",
    ]  # fmt: skip
    home = tmp_path
    asks = f'"{sys.executable}" -m jp_tui'
    lines = "\n".join(f"{asks} {one} >>out 2>&1; echo status $? >>out" for one in tries)
    file = home / "claude"
    file.write_text(
        f"#!/bin/sh\ncd '{home}'\nexport PYTHONPATH='{ROOT}'\n{asks} ask 'Deploy?' 2>err & P=$!\n"
        f"until grep -q Waiting err 2>/dev/null; do sleep 0.05; done\n{lines}\nkill $P; wait $P; echo $? >>out\n"
    )
    subprocess.run(["/bin/sh", str(file)], env=environment(home), timeout=LIMIT, check=False)
    out = (home / "out").read_text()
    assert out.count("an agent does not answer for itself") == 4 and out.count("status 1") == 4, out
    assert out.endswith("143\n") and not (home / "config" / "config.toml").exists()


@pytest.mark.parametrize(
    ("program", "exe", "script", "agent"),
    [
        ("claude", "/usr/bin/node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", True),
        ("cli.js", "/usr/bin/node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", True),
        ("codex", "/usr/local/bin/codex", "", True),
        ("codex-x86", "/opt/codex.bin", "", True),
        ("make", "/usr/bin/make", "", False),
        ("deploy.py", "/usr/bin/python3", "/home/u/codex/deploy.py", False),
    ],
)
def test_n5_a_script_is_no_agent(program: str, exe: str, script: str, agent: bool) -> None:
    asker = Asker(
        program=program, exe=exe, script=script, pid=1, started="", user="u", uid=1, folder="/", host="h", terminal=""
    )  # fmt: skip
    assert _is_agent(asker) is agent


def test_n5_the_shell_that_asked_in_the_background_may_answer(tmp_path: Path) -> None:
    """A script's own parent, for example a test runner or a person's tool, isn't an agent."""
    child = subprocess.Popen(
        [sys.executable, "-m", "jp_tui", "ask", "Deploy?"],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(tmp_path), cwd=ROOT,
    )  # fmt: skip
    assert child.stderr is not None
    name = child.stderr.readline().split("jp-tui answer ")[1].strip()
    assert jp(tmp_path, "answer", name, "no").returncode == 0
    assert child.wait(LIMIT) == 5
    child.stderr.close()


def test_it_asks_with_several_at_once(tmp_path: Path) -> None:
    """Each gets its own answer."""
    scripts = [Script(tmp_path, "Name?", "--type", "text", name=f"s{number}.sh") for number in range(4)]
    names = [script.asked() for script in scripts]
    for number, name in enumerate(names):
        assert jp(tmp_path, "answer", name, f"answer {number}").returncode == 0
    assert [script.ended()[:2] for script in scripts] == [(0, f"answer {number}\n") for number in range(4)]


def test_n2_a_setting_answers_it(tmp_path: Path) -> None:
    """Of its program, and of all of them; the exact name counts more (N3)."""
    (tmp_path / "config").mkdir(parents=True)
    (tmp_path / "config" / "config.toml").write_text(
        "[conversation.tools.'outside.*'.questions.answer]\nanswer = true\n"
        "[conversation.tools.'outside.deploy.sh'.questions.answer]\nanswer = false\n"
    )
    started = time.monotonic()
    assert Script(tmp_path, "Deploy?").ended() == (5, "no\n", "")
    assert Script(tmp_path, "Deploy?", name="other.sh").ended() == (0, "yes\n", "")
    assert time.monotonic() - started < LIMIT


def test_n10_what_a_setting_answers_needs_no_engine(tmp_path: Path) -> None:
    """So that a script hardly waits (the bench has the figure); it is on record like any other answer."""
    (tmp_path / "config").mkdir(parents=True)
    (tmp_path / "config" / "config.toml").write_text(
        "[conversation.tools.'outside.*'.questions.answer]\nanswer = true\n"
    )
    words = [sys.executable, "-X", "importtime", "-m", "jp_tui", "ask", "--json", "Deploy?"]
    done = subprocess.run(words, env=environment(tmp_path), cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
    said = json.loads(done.stdout)
    assert (done.returncode, said["type"], said["answer"]) == (0, "answered", True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert not loaded & {
        "jp_tui.engine.hub",
        "jp_tui.engine.session.outside",
        "pydantic",
        "asyncio",
        "jp_tui.link.local",
    }
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / "conversations.db")) as db:
        stored = [json.loads(payload) for (payload,) in db.execute("SELECT payload FROM events ORDER BY place")]
    assert [one["type"] for one in stored] == ["turn_start", "inquiry_request", "inquiry_response"]
    assert stored[1]["metadata"]["asker"]["pid"] == os.getpid() and stored[2]["answer"] is True
