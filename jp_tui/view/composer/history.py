"""Navigation through earlier prompts, as values; the text being written is preserved at the near end. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

MOST = 500
LISTED = 50
LOOKED = 10_000
"""Characters of a text that are searched."""


@dataclass(frozen=True, slots=True)
class PromptHistory:
    """`texts` oldest first; `at` counts back from the present, 0 is the text being written (`kept`)."""

    texts: tuple[str, ...] = ()
    at: int = 0
    kept: str = ""

    def remembered(self, text: str) -> PromptHistory:
        """Append a text and return to the present; repeated texts are stored once."""
        if not text.strip() or self.texts[-1:] == (text,):
            return PromptHistory(self.texts)
        return PromptHistory((*self.texts, text)[-MOST:])

    def cleared(self, text: str) -> PromptHistory:
        """As `remembered`, for a text that is removed unsent. The text written before the navigation is preserved too,
        nearest if `text` is only a found one."""
        written = self.kept if self.at else ""
        if not written.strip():
            return self.remembered(text)
        known = text in self.texts
        return self.remembered(written) if known else self.remembered(written).remembered(text)

    def older(self, shown: str) -> tuple[PromptHistory, str] | None:
        """Go one step back from `shown`; None at the far end."""
        if self.at >= len(self.texts):
            return None
        kept = shown if self.at == 0 else self.kept
        found = replace(self, at=self.at + 1, kept=kept)
        return found, found.texts[-found.at]

    def newer(self) -> tuple[PromptHistory, str] | None:
        """Go one step forward; None in the present."""
        if self.at == 0:
            return None
        found = replace(self, at=self.at - 1)
        return found, found.texts[-found.at] if found.at else found.kept


def search_history(texts: tuple[str, ...], query: str) -> tuple[str, ...]:
    """Return the texts with every word of `query`, newest first, each once; at most `LISTED`."""
    words = query.casefold().split()
    held: dict[str, None] = {}
    for text in reversed(texts):
        low = text[:LOOKED].casefold()
        if all(word in low for word in words):
            held.setdefault(text)
            if len(held) >= LISTED:
                break
    return tuple(held)
