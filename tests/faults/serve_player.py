"""A worker that kills itself at one of its commits: `python -m tests.faults.serve_player COMMIT before|after`; 0 for
none. It says what `jp-tui serve --json` says."""

from __future__ import annotations

import os
import sys

from tests.faults.kills_player import Kill, Told, watch_commits


def play(commit: int, when: str) -> int:
    watch_commits(Told(os.open(os.devnull, os.O_WRONLY)), Kill(commit, when == "before") if commit else None)
    sys.argv[1:] = ["serve", "--json"]
    from jp_tui.main import main

    return main()


if __name__ == "__main__":
    sys.exit(play(int(sys.argv[1]), sys.argv[2]))
