"""Plays the shell: the session's leader, which runs one job in the foreground and says what became of it.

`python holder.py FD_EVENTS FD_ORDERS COMMAND…`. Events are JSON lines: {"pid"}, {"stopped"}, {"code"}, {"signal"}.
Orders are bytes: f continues the job in the foreground, b in the background. Like a shell it takes the terminal
back when the job stops or ends; unlike one it leaves the terminal's settings alone, so that tests see them.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import termios


def main() -> None:
    events, orders, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)

    def tell(**what: int) -> None:
        os.write(events, json.dumps(what).encode() + b"\n")

    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvp(command[0], command)
    tell(pid=job)
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        os.tcsetpgrp(0, os.getpgrp())
        if not os.WIFSTOPPED(status):
            break
        tell(stopped=os.WSTOPSIG(status))
        order = os.read(orders, 1)
        if order == b"f":
            os.tcsetpgrp(0, job)
        os.killpg(job, signal.SIGCONT)
    if os.WIFSIGNALED(status):
        tell(signal=os.WTERMSIG(status))
    else:
        tell(code=os.WEXITSTATUS(status))
    os.read(orders, 1)  # keep the session, and so the terminal, until the test has looked at it


main()
