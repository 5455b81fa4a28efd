"""Everything that waits for the user in the workspace, of every tool, agent and conversation, as one list (asking.md
E51).

A pure reducer: questions here arrive as events, recorded ones of other conversations in the engine's list. Snoozed
entries stay in it and return automatically. It answers nothing and reads no clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, overload

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol import events as ev
from jp_tui.protocol.people import Approvals
from jp_tui.protocol.values import PromptKind, PromptRequest, WaitingInfo
from jp_tui.questions.types import SecretAnswer
from jp_tui.view.activity.status import Status
from jp_tui.view.questions.offered_prompt import prompt_of
from jp_tui.view.questions.prompt_line import agent_asks, asker, headline, program_asks
from jp_tui.view.questions.queue import Key, key_of

REST = 1.0
"""Seconds without other waiting questions before a snoozed one returns: forms have pauses between questions."""
NOTHING = Foreign("")
Settled = Literal["answered", "redacted", "cancelled", "withdrawn", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxEntry:
    """One waiting entry. `here`: it can be answered at once; else its conversation is resumed first, or, while another
    process owns it (`held_by`, as text), the answer is offered to that process (`offers`: which are possible). With
    `outside` that is another program, which asks itself (intake.md N1).
    `goes_on` is the conversation that resumes: for a sub-agent its parent. `subject` describes it, `title` is its
    conversation's title, `task` that of the asking sub-agent (E4). `off`: it is snoozed, `until` a time of the front
    end's clock, None until nothing else waits. `alike` are identical entries including itself that were all visible
    once: empty unless several."""

    key: Key
    kind: PromptKind
    who: Foreign
    text: Foreign
    subject: Foreign = NOTHING
    title: Foreign = NOTHING
    task: Foreign = NOTHING
    since: str = ""
    here: bool = True
    off: bool = False
    until: float | None = None
    goes_on: str = ""
    held_by: str = ""
    offers: bool = False
    outside: bool = False
    machine: str = ""
    """The machine on which its conversation began, if it is another (store.md D1)."""
    folder: str = ""
    """Its folder, if it is another: its answer is recorded, and the conversation goes on there."""
    alike: tuple[Key, ...] = ()
    unsent: bool = False
    """Its answer waits for the store (store.md D12)."""
    owner: str = ""
    to: str = ""
    claimed_by: str = ""
    approvals: Approvals | None = None
    yours: bool = True
    share: Literal["mine", "roles", "asked"] = "mine"
    """People it asks, as in `WaitingInfo` (store.md D14-D16, D19)."""

    @property
    def away(self) -> bool:
        """True if its conversation isn't resumed here: it is open elsewhere, of another folder, or another person's."""
        return bool(self.held_by or self.outside or self.folder or self.owner)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """Last entry that stopped waiting: how, and by whom if known."""

    entry: InboxEntry
    how: Settled
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxState:
    """`prompts` are asked here, in order of arrival, `listed` is the engine's latest list, of both kinds; `since` is
    when an entry was first recorded: a resumed question is asked again."""

    prompts: Mapping[Key, PromptRequest] = field(default_factory=dict)
    listed: tuple[WaitingInfo, ...] = ()
    titles: Mapping[str, Foreign] = field(default_factory=dict)
    since: Mapping[Key, str] = field(default_factory=dict)
    off: Mapping[Key, float | None] = field(default_factory=dict)
    seen: frozenset[tuple[Key, str]] = frozenset()
    gone: Gone | None = None
    rests: float | None = None
    unsent: frozenset[Key] = frozenset()

    # Events

    def apply(self, event: ev.Event, now: float) -> InboxState:
        """Apply an event of any conversation; return the same object if it concerns no entry."""
        match event:
            case ev.QuestionAsked(prompt=prompt):
                return self._asked(prompt)._resting(now)
            case ev.QuestionSettled(conversation=conversation, inquiry=inquiry, how=how, by=by):
                return self._remove_settled((conversation, inquiry), how, by)._resting(now)
            case ev.PromptChanged(conversation=conversation, inquiry=inquiry):
                return self._changed((conversation, inquiry), event)
            case ev.AnswerHeld(conversation=conversation, inquiry=inquiry, held=held):
                key = conversation, inquiry
                return replace(self, unsent=self.unsent | {key} if held else self.unsent - {key})
            case ev.StoreState(problem="") if self.unsent:
                return replace(self, unsent=frozenset())
            case ev.WaitingListed(waiting=listed):
                return self._listed(listed)
            case ev.ConversationOpened(conversation=conversation, title=title):
                return self._named(conversation, title)
            case ev.TitleChanged(conversation=conversation, title=title):
                return self._named(conversation, title)
            case _:
                return self

    def shown(self, key: Key, digest: str) -> InboxState:
        """Its sheet was open and ready."""
        return self if (key, digest) in self.seen else replace(self, seen=self.seen | {(key, digest)})

    def put_off(self, key: Key, until: float | None, now: float) -> InboxState:
        """Snooze until a time, or with None until nothing else waits."""
        return replace(self, off={**self.off, key: until})._resting(now) if key in self.prompts else self

    def back(self, *keys: Key) -> InboxState:
        """End the snooze of these entries."""
        if not any(key in self.off for key in keys):
            return self
        return replace(self, off={key: until for key, until in self.off.items() if key not in keys}, rests=None)

    # Results

    @property
    def due(self) -> float | None:
        """Return when a snooze ends; None if none ends by time."""
        times = [until for until in self.off.values() if until is not None]
        if self.rests is not None and None in self.off.values():
            times.append(self.rests + REST)
        return min(times, default=None)

    def over(self, now: float) -> tuple[Key, ...]:
        """Return the entries whose snooze is over, in the order they were snoozed."""
        rested = self.rests is not None and now >= self.rests + REST
        return tuple(key for key, until in self.off.items() if (rested if until is None else now >= until))

    @property
    def elsewhere(self) -> tuple[WaitingInfo, ...]:
        """Return what waits in conversations that aren't open here, as far as known."""
        return tuple(one for one in self.listed if (one.conversation, one.inquiry) not in self.prompts)

    @property
    def entries(self) -> Entries:
        """Return all entries, oldest first; snoozed ones keep their places."""
        return Entries(self)

    def get(self, key: Key) -> InboxEntry | None:
        """Return the entry with that key, without its identical ones."""
        if (prompt := self.prompts.get(key)) is not None:
            return self._entry(prompt, {})
        return next((_recorded(one) for one in self.elsewhere if (one.conversation, one.inquiry) == key), None)

    # Parts

    def _asked(self, prompt: PromptRequest) -> InboxState:
        key = key_of(prompt)
        before = self.prompts.get(key)
        changed = before is not None and before.digest != prompt.digest
        known = self.back(key) if changed else self
        return replace(known, prompts={**known.prompts, key: prompt})

    def _changed(self, key: Key, event: ev.PromptChanged) -> InboxState:
        """Update which people a question asks."""
        if (prompt := self.prompts.get(key)) is None:
            return self
        told = {"to": event.to, "claimed_by": event.claimed_by, "approvals": event.approvals, "yours": event.yours}
        now = prompt.model_copy(update={**told, "why": event.why or prompt.why})
        return replace(self, prompts={**self.prompts, key: now})

    def _remove_settled(self, key: Key, how: Settled, by: str) -> InboxState:
        entry = self.get(key)
        if entry is None:
            return self
        prompts = {name: one for name, one in self.prompts.items() if name != key}
        listed = tuple(one for one in self.listed if (one.conversation, one.inquiry) != key)
        seen = frozenset(one for one in self.seen if one[0] != key)
        gone = Gone(entry=entry, how=how, by=by)
        return replace(self.back(key), prompts=prompts, listed=listed, seen=seen, gone=gone)

    def _listed(self, listed: tuple[WaitingInfo, ...]) -> InboxState:
        still = {(one.conversation, one.inquiry) for one in listed}
        left = [one for one in self.elsewhere if (one.conversation, one.inquiry) not in still]
        gone = Gone(entry=_recorded(left[-1]), how="unknown") if left else self.gone
        titles = {**self.titles, **{one.conversation: one.title for one in listed}}
        if (listed, gone, titles) == (self.listed, self.gone, self.titles):
            return self
        since = {(one.conversation, one.inquiry): one.since for one in listed}
        since = {key: min(since[key], self.since.get(key, since[key])) for key in since}
        return replace(self, listed=listed, titles=titles, gone=gone, since=since)

    def _named(self, conversation: str, title: Foreign) -> InboxState:
        if self.titles.get(conversation) == title:
            return self
        return replace(self, titles={**self.titles, conversation: title})

    def _resting(self, now: float) -> InboxState:
        """Update since when only snoozed entries wait here."""
        rests = None if any(key not in self.off for key in self.prompts) else now
        return self if (rests is None) == (self.rests is None) else replace(self, rests=rests)

    def ordered(self) -> list[PromptRequest | WaitingInfo]:
        """Return the sources of the entries, oldest first."""
        found: list[PromptRequest | WaitingInfo] = [*self.prompts.values(), *self.elsewhere]
        return sorted(found, key=lambda one: (isinstance(one, WaitingInfo) and bool(one.folder), self._since(one)))

    def entry(
        self, one: PromptRequest | WaitingInfo, alike: Mapping[tuple[str, str, str], tuple[Key, ...]]
    ) -> InboxEntry:
        """Build an entry."""
        return _recorded(one) if isinstance(one, WaitingInfo) else self._entry(one, alike)

    def _since(self, one: PromptRequest | WaitingInfo) -> str:
        if isinstance(one, WaitingInfo):
            return one.since
        return min(one.asked_at, self.since.get(key_of(one), one.asked_at))

    def alike(self) -> Mapping[tuple[str, str, str], tuple[Key, ...]]:
        """Return the waiting questions of the same kind, tool and digest that were all shown, if there are several
        (E51). A secret is entered for one question only."""
        shown = {_sort(prompt) for key, _ in self.seen if (prompt := self.prompts.get(key)) is not None}
        same: dict[tuple[str, str, str], list[PromptRequest]] = {}
        for key, prompt in self.prompts.items() if shown else ():
            if _sort(prompt) not in shown or key in self.off:
                continue
            if not isinstance(prompt.question.answer_type, SecretAnswer):
                same.setdefault(_sort(prompt), []).append(prompt)
        return {
            sort: tuple(map(key_of, some))
            for sort, some in same.items()
            if len(some) > 1 and all((key_of(one), one.digest) in self.seen for one in some)
        }

    def _entry(self, prompt: PromptRequest, alike: Mapping[tuple[str, str, str], tuple[Key, ...]]) -> InboxEntry:
        key = key_of(prompt)
        return InboxEntry(
            key=key,
            kind=prompt.kind,
            who=Foreign(asker(prompt)),
            text=Foreign(headline(prompt)),
            subject=prompt.subject,
            title=self.titles.get(prompt.conversation, NOTHING),
            task=prompt.agent.task if prompt.agent is not None else NOTHING,
            since=self._since(prompt),
            off=key in self.off,
            until=self.off.get(key),
            alike=() if key in self.off else alike.get(_sort(prompt), ()),
            unsent=key in self.unsent,
            to=prompt.to,
            claimed_by=prompt.claimed_by,
            approvals=prompt.approvals,
            yours=prompt.yours,
            share="mine" if prompt.yours else "asked",
        )


class Entries(Sequence[InboxEntry]):
    """All waiting entries, in order; each is built when accessed, since of a thousand few are."""

    def __init__(self, inbox: InboxState) -> None:
        self._inbox = inbox
        self._order: list[PromptRequest | WaitingInfo] | None = None
        self._alike: Mapping[tuple[str, str, str], tuple[Key, ...]] = {}

    def __len__(self) -> int:
        return len(self._inbox.prompts) + len(self._inbox.elsewhere)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, at: int) -> InboxEntry: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[InboxEntry, ...]: ...

    def __getitem__(self, at: int | slice) -> InboxEntry | tuple[InboxEntry, ...]:
        if self._order is None:
            self._order, self._alike = self._inbox.ordered(), self._inbox.alike()
        if isinstance(at, slice):
            return tuple(self._inbox.entry(one, self._alike) for one in self._order[at])
        return self._inbox.entry(self._order[at], self._alike)


def counted(status: Status, inbox: InboxState) -> Status:
    """Add what waits to the status line (E50): here, snoozed, and elsewhere."""
    prompts = {"/".join(key): one for key, one in inbox.prompts.items() if key not in inbox.off}
    here, others = tuple(prompts), sum(not one.yours for one in prompts.values())
    off, elsewhere = len(inbox.off), len(inbox.elsewhere)
    if (here, others, off, elsewhere) == (status.waiting, status.others, status.put_off, status.elsewhere):
        return status
    return replace(status, waiting=here, others=others, put_off=off, elsewhere=elsewhere)


def _sort(prompt: PromptRequest) -> tuple[str, str, str]:
    return prompt.kind, prompt.tool, prompt.digest


def _recorded(one: WaitingInfo) -> InboxEntry:
    return InboxEntry(
        key=(one.conversation, one.inquiry),
        kind=one.kind,
        who=Foreign(waiting_asker(one)),
        text=Foreign(first_line(one.text.raw)),
        title=one.title,
        task=one.agent.task if one.agent is not None else NOTHING,
        since=one.since,
        here=False,
        goes_on=one.agent.parent if one.agent is not None else one.conversation,
        held_by=one.held_by if one.asker is None else one.asker.program,
        outside=one.asker is not None,
        machine=one.machine,
        folder=one.folder,
        offers=prompt_of(one) is not None,
        owner=one.owner,
        to=one.to,
        claimed_by=one.claimed_by,
        approvals=one.approvals,
        yours=one.yours,
        share=one.share,
    )


def waiting_asker(one: WaitingInfo) -> str:
    """Return who asks, in the words of `prompt_line.asker`."""
    if one.agent is not None:
        return agent_asks(one.agent, one.source, one.tool)
    if one.asker is not None:
        return program_asks(one.asker, one.claimed)
    return one.label or ("assistant" if one.source == "assistant" else one.tool or one.source)
