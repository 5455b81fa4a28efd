"""Text of a response that has no other content of interest: a side question, a title, a summary.

Text is passed on as it arrives, and the response with its socket is closed when the caller stops. Records nothing.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator

from jp_tui.conversation import model as m


async def text_deltas(deltas: AsyncIterator[m.Delta]) -> AsyncGenerator[str | m.Finished, None]:
    """Yield each text, then the end once the message is complete; reasoning and calls are skipped. Use with `aclosing`.
    Raises ModelError."""
    messages = set[int]()
    try:
        async for delta in deltas:
            match delta:
                case m.PartOpened(index, "message"):
                    messages.add(index)
                case m.PartGrew(index, text) if index in messages and text:
                    yield text
                case m.Finished():
                    yield delta
                case _:
                    pass
    finally:
        if isinstance(deltas, AsyncGenerator):
            await deltas.aclose()
