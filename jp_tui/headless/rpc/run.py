"""`jp-tui rpc` from its first line to its end: read, write, and close cleanly (surface S1, S30).

At the end of input, questions aren't answered for the client: they stay open if the turn is resumable, the log is
closed, and the exit status is then 3 (Z9). A client that doesn't read costs memory for facts only, and never prevents
the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from jp_tui.headless.output import FAILED
from jp_tui.headless.rpc.peer import Peer
from jp_tui.headless.rpc.pipes import Pipes
from jp_tui.headless.rpc.sessions import EngineSessions
from jp_tui.headless.rpc.wire import MOST_BYTES
from jp_tui.headless.signals import Ended, Endings

DONE, DEFERRED, SIGNALLED, SIGINT = 0, 3, 128, 2
SECONDS_TO_END = 5.0
"""Time for turns to stop, and then for engines to close."""
SECONDS_TO_FLUSH = 2.0
"""Time to wait at the end for a client that doesn't read."""


class RpcServes(Protocol):
    """The methods of a protocol: who sends the messages, and the engines behind them."""

    @property
    def peer(self) -> Peer:
        """The other end of the pipe."""

    @property
    def sessions(self) -> EngineSessions:
        """The sessions with their engines."""


Serves = Callable[[Callable[[str], None], Callable[[str], None], Callable[[], None]], RpcServes]
"""Makes the server from what writes a line, what prints a message, and what wakes the loop from another thread."""


class RpcRun:
    """One client on two descriptors; `run` returns the exit status. `tell` prints a message. `deferred` is the status
    where a question stays open because the client left."""

    def __init__(
        self, serves: Serves, reads: int, writes: int, tell: Callable[[str], None], deferred: int = DEFERRED
    ) -> None:
        self._tell, self._deferred = tell, deferred
        self._pipes = Pipes(reads, writes, MOST_BYTES)
        server = serves(self._pipes.write, tell, self._pipes.bell.ring)
        self._peer, self._sessions = server.peer, server.sessions
        self._engines_ended = False

    def run(self) -> int:
        """Run to the end of input, a signal, or a bug."""
        try:
            return self._run()
        finally:
            if self._engines_ended:
                self._pipes.close()

    def _run(self) -> int:
        with Endings(self._pipes.bell.rope) as endings:
            try:
                status = self._follow(endings)
            except Ended as ended:
                status = SIGNALLED + ended.number
            if status in (DONE, SIGNALLED + SIGINT):
                self._sessions.leave()
                self._finish()
            self._close()
            if self._pipes.wrong:
                self._tell(f"Can't write to standard output: {self._pipes.wrong}.")
                return status or FAILED
            left = FAILED if self._sessions.unsaved else self._deferred if self._sessions.deferred else DONE
            return status or left

    def _follow(self, endings: Endings) -> int:
        pipes, server = self._pipes, self._sessions
        while not (pipes.over or pipes.gone):
            with endings.raised():
                ready = pipes.wait(0 if server.has_more and not pipes.blocked else None)
            pipes.transfer(ready)
            for line in pipes.lines():
                self._peer.handle_line(line)
            server.pump(lambda: pipes.blocked)
            if server.failed:
                self._tell(server.failed)
                return FAILED
        return DONE

    def _finish(self) -> None:
        """Let running work finish, without a client."""
        end = time.monotonic() + SECONDS_TO_END
        self._sessions.pump(lambda: False)
        while self._sessions.busy and (left := end - time.monotonic()) > 0:
            if not self._sessions.has_more:
                self._pipes.transfer(self._pipes.wait(left))
            self._sessions.pump(lambda: False)

    def _close(self) -> None:
        end = time.monotonic() + SECONDS_TO_END
        self._engines_ended = self._sessions.close(lambda: end - time.monotonic())
        while self._sessions.has_more:
            self._sessions.pump(lambda: False)
        self._sessions.drop("The program has ended.")
        self._pipes.flush(SECONDS_TO_FLUSH)
