"""What a model says in a response of which nothing but its words counts: a side question, a title.

It passes texts on as they come, and closes the response, and with it the socket, whenever nobody listens any more.
Records nothing.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator

from jp_tui.conversation import model as m


async def spoken(deltas: AsyncIterator[m.Delta]) -> AsyncGenerator[str | None, None]:
    """Each text of its messages, then None when it has come whole; what thinks or calls is passed over. To be used
    with `aclosing`. Raises ModelError."""
    messages = set[int]()
    try:
        async for delta in deltas:
            match delta:
                case m.PartOpened(index, "message"):
                    messages.add(index)
                case m.PartGrew(index, text) if index in messages and text:
                    yield text
                case m.Finished():
                    yield None
                case _:
                    pass
    finally:
        if isinstance(deltas, AsyncGenerator):
            await deltas.aclose()
