"""Pairs questions and answers as pages load, in any order (R26-R29, R200; HOUSE "The way of a page").

Stored by turn and id, each with the number of its event; pairs are matched on access, never across turns. Independent
of blocks and pages.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter

from jp_tui.conversation import events as stored
from jp_tui.conversation.pairing import pair
from jp_tui.conversation.text import Foreign
from jp_tui.view.questions.inquiry import InquiryView, recorded_inquiry, with_people

Recorded = stored.InquiryRequest | stored.InquiryResponse | stored.InquiryVote | stored.InquiryAssigned


class InquiryIndex:
    """Loaded inquiries of a conversation."""

    def __init__(self) -> None:
        self._events: dict[tuple[int, str], dict[int, Recorded]] = {}
        self._homes: dict[tuple[int, str], str] = {}
        self._reviewers: dict[tuple[int, str], tuple[str, str]] = {}
        self._made: dict[tuple[int, str], dict[int, InquiryView]] = {}  # a call may have hundreds, and each event asks

    def reviewed(self, turn: int, inquiry: str, model: str) -> None:
        """Record the model that is deciding it, while it is open."""
        self._reviewers[turn, inquiry] = model, ""
        self._made.pop((turn, inquiry), None)

    def add_reason(self, inquiry: str, text: str, *, fresh: bool) -> tuple[int, str] | None:
        """Add to its reason; return the turn and the call that show it, None if no model is known to decide it."""
        key = next((key for key in reversed(self._reviewers) if key[1] == inquiry), None)
        if key is None:
            return None
        model, before = self._reviewers[key]
        self._reviewers[key] = model, ("" if fresh else before) + text
        self._made.pop(key, None)
        return key[0], self._homes.get(key, "")

    def ask(self, turn: int, seq: int, event: stored.InquiryRequest) -> str:
        """Add a request; return the call it names, empty if none."""
        key, home = (turn, event.id), event.metadata.get("call")
        self._events.setdefault(key, {})[seq] = event
        self._made.pop(key, None)
        if isinstance(home, str):
            self._homes[key] = home
        return self._homes.get(key, "")

    def answer(
        self, turn: int, seq: int, event: stored.InquiryResponse | stored.InquiryVote | stored.InquiryAssigned
    ) -> str:
        """Add a response, an approval or a hand-over, whose request may not be loaded yet; return the call of its
        request, empty if unknown."""
        key = (turn, event.id)
        self._events.setdefault(key, {})[seq] = event
        self._made.pop(key, None)
        return self._homes.get(key, "")

    def of(self, turn: int, inquiry: str) -> dict[int, InquiryView]:
        """Return the inquiries with one id, by the number of their request."""
        if (turn, inquiry) not in self._made:
            self._made[turn, inquiry] = self._paired(turn, inquiry)
        return self._made[turn, inquiry]

    def _paired(self, turn: int, inquiry: str) -> dict[int, InquiryView]:
        events = sorted(self._events.get((turn, inquiry), {}).items(), key=itemgetter(0))
        asked = [seq for seq, event in events if isinstance(event, stored.InquiryRequest)]
        found = [recorded_inquiry(one.request, one.response) for one in pair(event for _, event in events)]
        for seq, event in events:
            if isinstance(event, stored.InquiryVote | stored.InquiryAssigned) and (at := bisect(asked, seq)):
                found[at - 1] = with_people(found[at - 1], event)
        if (known := self._reviewers.get((turn, inquiry))) is not None:
            model, heard = Foreign(known[0]), Foreign(known[1])
            found = [replace(one, reviewer=model, heard=heard) if one.how == "open" else one for one in found]
        return dict(zip(asked, found, strict=True))

    def listed(self, turn: int, ids: dict[int, str]) -> tuple[InquiryView, ...]:
        """Return the inquiries with these numbers and ids, in log order."""
        found = {id_: self.of(turn, id_) for id_ in set(ids.values())}
        return tuple(found[id_][seq] for seq, id_ in sorted(ids.items()))

    def forget(self, turn: int, ids: Iterable[str]) -> None:
        """Drop them."""
        for id_ in set(ids):
            self._events.pop((turn, id_), None)
            self._homes.pop((turn, id_), None)
            self._reviewers.pop((turn, id_), None)
            self._made.pop((turn, id_), None)
