"""Put on PYTHONPATH by `network.py`: notes every connection and every look-up of a name that this Python makes.

One line of JSON each, appended to the file that CONNECTIONS_LOG names. It hinders nothing and says nothing.
"""

from __future__ import annotations

import json
import os
import sys

LOG = os.environ.get("CONNECTIONS_LOG", "")
SENT = ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind")
LOOKED_UP = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")


def heard(event: str, given: tuple[object, ...]) -> None:
    """Of a socket its address, of a look-up its name and port."""
    if event not in SENT + LOOKED_UP:
        return
    about = given[1] if event in SENT else given[:2]
    if event in SENT and not isinstance(about, tuple):
        return  # a socket of this machine's files, or one without an address
    line = json.dumps([event, [str(part) for part in about[:2]]])  # type: ignore[index]
    descriptor = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode() + b"\n")
    finally:
        os.close(descriptor)


if LOG:
    sys.addaudithook(heard)
