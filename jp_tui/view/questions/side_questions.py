"""Side questions about a question before its answer (asking.md E30), read from the log.

A stored `inquiry_aside` is one exchange, or the user's request to send the exchanges with the results. It answers
nothing and no provider reads it, so it is shown with its call, folded. Pure; paints nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from jp_tui.conversation.events import Unknown
from jp_tui.conversation.text import Foreign
from jp_tui.view.questions.inquiry import NOTHING, foreign, text_at

KIND = "inquiry_aside"


@dataclass(frozen=True, slots=True, kw_only=True)
class SideExchangeView:
    """One exchange: the user's question, the reply of `model`, `broken` why the reply stopped, `about` which
    question."""

    inquiry: str
    asked: Foreign
    said: Foreign
    model: Foreign = NOTHING
    about: Foreign = NOTHING
    broken: Foreign = NOTHING
    ms: int | None = None
    sent: bool = False


def side_exchange(event: Unknown) -> SideExchangeView | None:
    """Return the exchange in an event; None if it has none."""
    raw = event.raw
    if raw.get("type") != KIND or event.problem or not isinstance(raw.get("id"), str):
        return None
    if not isinstance(raw.get("question"), str) or not isinstance(raw.get("answer"), str):
        return None
    error, ms = raw.get("error"), raw.get("ms")
    return SideExchangeView(
        inquiry=text_at(raw, "id"),
        asked=foreign(raw.get("question")),
        said=foreign(raw.get("answer")),
        model=foreign(raw.get("model")),
        about=foreign(event.metadata.get("about")),
        broken=foreign(error.get("message")) if isinstance(error, dict) else NOTHING,
        ms=ms if isinstance(ms, int) and not isinstance(ms, bool) else None,
    )


def sends(event: Unknown) -> tuple[str, bool] | None:
    """Return the inquiry whose exchanges are sent with the results, or no longer; None for any other event."""
    raw = event.raw
    if raw.get("type") != KIND or event.problem or not isinstance(raw.get("send"), bool):
        return None
    return (text_at(raw, "id"), raw["send"] is True) if text_at(raw, "id") else None


class SideExchangesView:
    """Loaded side questions of a conversation; pages arrive in any order."""

    def __init__(self) -> None:
        self._said: dict[tuple[int, str], dict[int, SideExchangeView]] = {}
        self._sent: dict[tuple[int, str], dict[int, bool]] = {}
        self._homes: dict[tuple[int, str], str] = {}

    def add(self, turn: int, seq: int, event: Unknown) -> str | None:
        """Add an event; return the call whose side questions changed, empty if unknown; None for an event of another
        kind."""
        if (wish := sends(event)) is not None:
            self._sent.setdefault((turn, wish[0]), {})[seq] = wish[1]
            return self._homes.get((turn, wish[0]), "")
        one, call = side_exchange(event), text_at(event.metadata, "call")
        if one is None or not call:
            return None
        self._said.setdefault((turn, call), {})[seq] = one
        self._homes[turn, one.inquiry] = call
        return call

    def of(self, turn: int, call: str) -> tuple[SideExchangeView, ...]:
        """Return the exchanges of a call, in log order."""
        found = self._said.get((turn, call), {})
        return tuple(replace(one, sent=self._goes(turn, one.inquiry)) for _, one in sorted(found.items()))

    def _goes(self, turn: int, inquiry: str) -> bool:
        wishes = self._sent.get((turn, inquiry), {})
        return bool(wishes) and wishes[max(wishes)]

    def forget(self, turn: int, call: str) -> None:
        """Drop a call's side questions."""
        for one in self._said.pop((turn, call), {}).values():
            self._sent.pop((turn, one.inquiry), None)
            self._homes.pop((turn, one.inquiry), None)
