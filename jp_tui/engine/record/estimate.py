"""Estimate of a request's tokens: the server's last count, and what was added since (context.md K21). Pure.

Before the first count a token has three bytes. A count of more than eight bytes per token is ignored.
"""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.engine.record.sizes import TOKEN

MOST, LEAST = 8.0, 1.0
"""Bytes a token. Below one a count has something in it that is not ours; what comes since has at least so many."""


@dataclass(slots=True)
class Estimate:
    """`counted` tokens were `bytes` of a request."""

    bytes: int = 0
    counted: int = 0

    def count(self, sent: int, tokens: int) -> None:
        """A server counted the tokens of a request of `sent` bytes."""
        if tokens > 0 and sent / tokens <= MOST:
            self.bytes, self.counted = sent, tokens

    @property
    def rate(self) -> float:
        """Bytes a token."""
        return max(LEAST, self.bytes / self.counted) if self.counted else float(TOKEN)

    def tokens(self, size: int) -> int:
        """Tokens of a request of `size` bytes."""
        if self.counted and size >= self.bytes:
            return self.counted + int((size - self.bytes) / self.rate)
        return int(size / self.rate)
