"""Walking through what was typed before, as values; the text being written is kept at the near end. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

MOST = 500
LISTED = 50
LOOKED = 10_000
"""Characters of a text in which is searched."""


@dataclass(frozen=True, slots=True)
class PromptHistory:
    """`texts` oldest first; `at` counts back from the present, 0 is what is being written (`kept`)."""

    texts: tuple[str, ...] = ()
    at: int = 0
    kept: str = ""

    def remembered(self, text: str) -> PromptHistory:
        """With one more at the near end, back in the present; the same text twice in a row stands once."""
        if not text.strip() or self.texts[-1:] == (text,):
            return PromptHistory(self.texts)
        return PromptHistory((*self.texts, text)[-MOST:])

    def cleared(self, text: str) -> PromptHistory:
        """As `remembered`, for a text that is taken away unsent. What was being written before the walk is kept, too,
        nearest if `text` is only what the walk found."""
        written = self.kept if self.at else ""
        if not written.strip():
            return self.remembered(text)
        known = text in self.texts
        return self.remembered(written) if known else self.remembered(written).remembered(text)

    def older(self, shown: str) -> tuple[PromptHistory, str] | None:
        """One step back from `shown`, or None at the far end."""
        if self.at >= len(self.texts):
            return None
        kept = shown if self.at == 0 else self.kept
        found = replace(self, at=self.at + 1, kept=kept)
        return found, found.texts[-found.at]

    def newer(self) -> tuple[PromptHistory, str] | None:
        """One step forward, or None in the present."""
        if self.at == 0:
            return None
        found = replace(self, at=self.at - 1)
        return found, found.texts[-found.at] if found.at else found.kept


def found(texts: tuple[str, ...], query: str) -> tuple[str, ...]:
    """The texts that hold every word of `query`, newest first, each once; at most `LISTED`."""
    words = query.casefold().split()
    held: dict[str, None] = {}
    for text in reversed(texts):
        low = text[:LOOKED].casefold()
        if all(word in low for word in words):
            held.setdefault(text)
            if len(held) >= LISTED:
                break
    return tuple(held)
