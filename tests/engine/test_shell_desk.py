"""The user's own commands: in the workspace, both outputs in order, ended when wanted (issue 8, 3; T9)."""

from __future__ import annotations

import pytest

from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from tests.engine.conftest import Bench


def test_it_runs_in_the_workspace_and_says_what_it_says(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its environment is the user's; it has no terminal."""
    monkeypatch.setenv("OF_THE_USER", "mine")
    bench.start()
    bench.send(c.RunShell(run=1, line="pwd; echo err >&2; echo $OF_THE_USER; test -t 0 || echo no terminal; exit 3"))
    done = bench.until(e.ShellEnded)
    assert (done.run, done.status, done.problem, done.stopped) == (1, 3, "", False)
    assert done.text.raw == f"{bench.workspace.resolve()}\nerr\nmine\nno terminal\n"


def test_what_it_says_comes_while_it_runs_and_it_is_ended_when_wanted(bench: Bench) -> None:
    bench.start()
    bench.send(c.RunShell(run=4, line="echo begun; sleep 1000"))
    assert bench.until(e.ShellOutput).text.raw == "begun\n"
    bench.send(c.RunShell(run=5, line="echo no"))
    assert "Another command is running" in bench.until(e.Refused).message
    bench.send(c.StopShell(run=3))
    bench.send(c.StopShell(run=4))
    done = bench.until(e.ShellEnded)
    assert (done.run, done.stopped, done.text.raw) == (4, True, "begun\n")
    bench.send(c.RunShell(run=6, line="echo again"))
    assert bench.until(e.ShellEnded).text.raw == "again\n"


def test_the_line_is_an_argument_and_a_large_output_is_bounded(bench: Bench) -> None:
    bench.start()
    bench.send(c.RunShell(run=1, line="""echo '$0 "$1"' ; head -c 3000000 /dev/zero | tr '\\0' x"""))
    done = bench.until(e.ShellEnded)
    assert done.text.raw.startswith('$0 "$1"\nxxx') and len(done.text) <= 1 << 20 and done.dropped > 1_900_000


@pytest.mark.parametrize("shell", ["mine", "relative/sh", "/nowhere/sh"])
def test_it_is_the_users_shell_where_that_can_be_run(bench: Bench, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    own = bench.home / "mine"
    own.write_text('#!/bin/sh\necho "my shell: $2"\n')
    own.chmod(0o700)
    monkeypatch.setenv("SHELL", str(own) if shell == "mine" else shell)
    bench.start()
    bench.send(c.RunShell(run=1, line="echo it"))
    assert bench.until(e.ShellEnded).text.raw == ("my shell: echo it\n" if shell == "mine" else "it\n")
