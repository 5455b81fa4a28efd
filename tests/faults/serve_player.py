"""A worker that kills itself at one of its commits: `python -m tests.faults.serve_player COMMIT before|after`; 0 for
none. It says what `jp-tui serve --json` says. Where a store is named, its commits are those of the server, and the
leases that it takes."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from tests.faults.kills_player import Kill, Told, watch_commits


def watch_server(kill: Kill | None) -> None:
    """From now on every connection of this process to a server counts its commits, and dies at the one that is
    meant."""
    import psycopg

    made, execute = 0, psycopg.Connection.execute

    def counted(self: psycopg.Connection[Any], query: Any, *values: Any, **more: Any) -> Any:
        nonlocal made
        if query != "COMMIT" and "take_lease" not in str(query):
            return execute(self, query, *values, **more)
        made += 1
        if kill == Kill(made, True):
            os.kill(os.getpid(), signal.SIGKILL)
        done = execute(self, query, *values, **more)
        if kill == Kill(made, False):
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    psycopg.Connection.execute = counted  # type: ignore[assignment]


def play(commit: int, when: str) -> int:
    kill = Kill(commit, when == "before") if commit else None
    if "JP_TUI_STORE" in os.environ:
        watch_server(kill)
    else:
        watch_commits(Told(os.open(os.devnull, os.O_WRONLY)), kill)
    sys.argv[1:] = ["serve", "--json"]
    from jp_tui.main import main

    return main()


if __name__ == "__main__":
    sys.exit(play(int(sys.argv[1]), sys.argv[2]))
