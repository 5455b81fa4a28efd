"""The host process: import the SDK once, then fork for each server (mcp.md P4).

Its input is a socket. One byte with two descriptors starts a server: the channel of its messages, and the leash. All
that a server's process started is ended when that ends, or when the leash closes.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
from functools import partial

from jp_tui.system.child_keeper import keep_copy


def main() -> None:
    """Serve until the input closes."""
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    from jp_tui.mcp_host.worker import serve

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended copies need no wait
    gc.collect()
    gc.freeze()  # what is shared with the copies stays shared
    while True:
        said, descriptors, _, _ = socket.recv_fds(control, 1, 2)
        if not said:
            return
        if len(descriptors) != 2:
            continue
        channel, leash = descriptors
        if os.fork() == 0:
            control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            keep_copy(leash, partial(serve, channel))
        os.close(channel)
        os.close(leash)


if __name__ == "__main__":
    main()
