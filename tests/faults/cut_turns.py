"""What the engine makes of a reply that is cut: real sockets, a real turn, the log (T20).

The reply is asked for again: what was cut stands in the log, marked, and runs nothing; what is whole stands there once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.engine.base.dependencies import RetryPolicy
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import open_provider
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.model_server import Answer, End, ModelServer, in_thread
from tests.fakes.tools import Made, at_once
from tests.faults.servers import Switch
from tests.providers.makers import SPEAKS

if TYPE_CHECKING:
    from tests.faults.streams import Stream

OVER = "zq-over"
SOON, LATER = 0.3, 60.0


def told(tries: Sequence[tuple[Stream, int, End]]) -> list[str]:
    """Each in a conversation of its own; what is wrong."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as home, in_thread(Answer()) as server:
        bench, switch = Bench(Path(home)), Switch()
        bench.script, bench.retry = switch, RetryPolicy(1, 1, 0.5, least_secs=0.0)  # type: ignore[assignment]
        names = {part[2] for stream, _, _ in tries for part in stream.said if part[0] in ("tool", "refused")}
        tools = {name: Made(at_once) for name in names}
        bench.tools = {name: tool_setup(name, made) for name, made in tools.items()}
        bench.run()
        for stream, at, end in tries:
            for made in tools.values():
                made.calls.clear()
            wrong = _turn(bench, switch, server, stream, at, end)
            wrong = wrong or _ran(stream, bench, sum(len(made.calls) for made in tools.values()))
            found += [f"a turn with {stream.name} cut after byte {at}, {end}: {wrong}"] if wrong else []
        bench.stop()
    return found


def _turn(bench: Bench, switch: Switch, server: ModelServer, stream: Stream, at: int, end: End) -> str:
    server.answers = [Answer([stream.body[:at]], end=end), Answer([SPEAKS[stream.wire](False, OVER)])]
    idle = SOON if end == "stall" else LATER
    switch.now = open_provider(Endpoint("recorded", stream.wire, server.url, stream_idle_timeout_secs=idle))
    bench.forget()
    bench.send(c.OpenConversation(which="new"))
    bench.conversation = bench.until(e.ConversationOpened).conversation
    bench.say("go")
    outcome = bench.turn().outcome
    return "" if outcome in ("done", "failed") else f"the turn ended as {outcome}"


def _ran(stream: Stream, bench: Bench, calls: int) -> str:
    """Whole: as it was said, its calls run once. Cut: the beginning of it, marked, and the next reply alone."""
    events = [event for event in bench.log() if event["type"] == "chat_response" and event.get("message")]
    kept = [event["message"] for event in events if not event.get("metadata", {}).get("incomplete")]
    cut = [event["message"] for event in events if event.get("metadata", {}).get("discarded")]
    texts: list[str] = [part[1] for part in stream.said if part[0] == "message" and part[1].strip()]
    wanted: list[Any] = [part for part in stream.said if part[0] == "tool"]
    if any(part[0] == "refused" for part in stream.said):
        wanted = []  # the server's own limit cut it: nothing of such a message runs
    if not cut and kept[: len(texts)] == texts and calls == len(wanted) and (texts or wanted):
        return ""
    if kept != [OVER] or calls:
        return f"{calls} calls ran, and it said {kept!r:.300}"
    if len(cut) > len(texts) or not all(whole.startswith(half) for half, whole in zip(cut, texts, strict=False)):
        return f"other text than was sent: {cut!r:.300}"
    return ""
