"""All that waits for the human in the workspace, of every tool, agent and conversation, as one list (asking.md E51).

A pure reducer: what is asked here comes as questions, what stands on record elsewhere as the engine's list. What was
put off stays in it and comes back by itself. It answers nothing, mints no time and asks for no list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, overload

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import PromptKind, PromptRequest, WaitingInfo
from jp_tui.questions.types import SecretAnswer
from jp_tui.view.activity.status import Status
from jp_tui.view.questions.offered_prompt import prompt_of
from jp_tui.view.questions.prompt_line import agent_asks, asker, headline
from jp_tui.view.questions.queue import Key, key_of

REST = 1.0
"""Seconds for which nothing else must wait before what was put off until then comes back: a form has gaps."""
NOTHING = Foreign("")
Settled = Literal["answered", "redacted", "cancelled", "withdrawn", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxEntry:
    """One thing that waits. `here`: it can be answered at once; else its conversation is taken up first, or, while
    another process holds it (`held_by`, words), the answer is offered to that (`offers`: what can be). `goes_on` is the
    conversation that goes on then: of a sub-agent its parent. `subject` is what it is about, `title` its conversation's
    title, `task` that of the sub-agent that asks (E4). `off`: it was put off,
    `until` when, a time of the face's clock, None for when nothing else waits. `alike` are identical ones, itself
    among them, that were all on the screen once: empty unless several."""

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
    alike: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """What waited last and does not any more: how it ended, and by whom if that is known."""

    entry: InboxEntry
    how: Settled
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxState:
    """`prompts` are asked here, in the order they came, `listed` is what the engine last said, of both kinds; `since`
    is when that stood on record first: what is taken up is asked once more."""

    prompts: Mapping[Key, PromptRequest] = field(default_factory=dict)
    listed: tuple[WaitingInfo, ...] = ()
    titles: Mapping[str, Foreign] = field(default_factory=dict)
    since: Mapping[Key, str] = field(default_factory=dict)
    off: Mapping[Key, float | None] = field(default_factory=dict)
    seen: frozenset[tuple[Key, str]] = frozenset()
    gone: Gone | None = None
    rests: float | None = None

    # What happens

    def heard(self, event: ev.Event, now: float) -> InboxState:
        """After an event of any conversation; the same object when it concerns nothing that waits."""
        match event:
            case ev.QuestionAsked(prompt=prompt):
                return self._asked(prompt)._resting(now)
            case ev.QuestionSettled(conversation=conversation, inquiry=inquiry, how=how, by=by):
                return self._settled((conversation, inquiry), how, by)._resting(now)
            case ev.WaitingListed(waiting=listed):
                return self._listed(listed)
            case ev.ConversationOpened(conversation=conversation, title=title):
                return self._named(conversation, title)
            case ev.TitleChanged(conversation=conversation, title=title):
                return self._named(conversation, title)
            case _:
                return self

    def shown(self, key: Key, digest: str) -> InboxState:
        """A sheet of it stood open and listened."""
        return self if (key, digest) in self.seen else replace(self, seen=self.seen | {(key, digest)})

    def put_off(self, key: Key, until: float | None, now: float) -> InboxState:
        """Until a time, or with None until nothing else waits."""
        return replace(self, off={**self.off, key: until})._resting(now) if key in self.prompts else self

    def back(self, *keys: Key) -> InboxState:
        """These wait again like any other."""
        if not any(key in self.off for key in keys):
            return self
        return replace(self, off={key: until for key, until in self.off.items() if key not in keys}, rests=None)

    # What follows from it

    @property
    def due(self) -> float | None:
        """When something that was put off comes back; None when no time brings anything."""
        times = [until for until in self.off.values() if until is not None]
        if self.rests is not None and None in self.off.values():
            times.append(self.rests + REST)
        return min(times, default=None)

    def over(self, now: float) -> tuple[Key, ...]:
        """What is back by then, in the order it was put off."""
        rested = self.rests is not None and now >= self.rests + REST
        return tuple(key for key, until in self.off.items() if (rested if until is None else now >= until))

    @property
    def elsewhere(self) -> tuple[WaitingInfo, ...]:
        """What waits in conversations that are not open here, as far as it is known."""
        return tuple(one for one in self.listed if (one.conversation, one.inquiry) not in self.prompts)

    @property
    def entries(self) -> Entries:
        """All of it, what waits longest first; what was put off keeps its place."""
        return Entries(self)

    def get(self, key: Key) -> InboxEntry | None:
        """The one of that key; nothing is said of others that are like it."""
        if (prompt := self.prompts.get(key)) is not None:
            return self._entry(prompt, {})
        return next((_recorded(one) for one in self.elsewhere if (one.conversation, one.inquiry) == key), None)

    # How

    def _asked(self, prompt: PromptRequest) -> InboxState:
        key = key_of(prompt)
        before = self.prompts.get(key)
        changed = before is not None and before.digest != prompt.digest
        known = self.back(key) if changed else self
        return replace(known, prompts={**known.prompts, key: prompt})

    def _settled(self, key: Key, how: Settled, by: str) -> InboxState:
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
        """Since when nothing but what was put off waits here."""
        rests = None if any(key not in self.off for key in self.prompts) else now
        return self if (rests is None) == (self.rests is None) else replace(self, rests=rests)

    def ordered(self) -> list[PromptRequest | WaitingInfo]:
        """What the entries are made of, what waits longest first."""
        found: list[PromptRequest | WaitingInfo] = [*self.prompts.values(), *self.elsewhere]
        return sorted(found, key=self._since)

    def entry(
        self, one: PromptRequest | WaitingInfo, alike: Mapping[tuple[str, str, str], tuple[Key, ...]]
    ) -> InboxEntry:
        """One of them as an entry."""
        return _recorded(one) if isinstance(one, WaitingInfo) else self._entry(one, alike)

    def _since(self, one: PromptRequest | WaitingInfo) -> str:
        if isinstance(one, WaitingInfo):
            return one.since
        return min(one.asked_at, self.since.get(key_of(one), one.asked_at))

    def alike(self) -> Mapping[tuple[str, str, str], tuple[Key, ...]]:
        """Those of one kind, tool and digest that wait here, where several do and each was shown (E51). What is secret
        is typed for one alone."""
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
        )


class Entries(Sequence[InboxEntry]):
    """All that waits, in order; an entry is made when it is looked at, since of a thousand few are."""

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
    """The status line with what waits (E50): here, put off, and elsewhere."""
    here = tuple("/".join(key) for key in inbox.prompts if key not in inbox.off)
    off, elsewhere = len(inbox.off), len(inbox.elsewhere)
    if (here, off, elsewhere) == (status.waiting, status.put_off, status.elsewhere):
        return status
    return replace(status, waiting=here, put_off=off, elsewhere=elsewhere)


def _sort(prompt: PromptRequest) -> tuple[str, str, str]:
    return prompt.kind, prompt.tool, prompt.digest


def _recorded(one: WaitingInfo) -> InboxEntry:
    return InboxEntry(
        key=(one.conversation, one.inquiry),
        kind=one.kind,
        who=Foreign(_asker(one)),
        text=Foreign(first_line(one.text.raw)),
        title=one.title,
        task=one.agent.task if one.agent is not None else NOTHING,
        since=one.since,
        here=False,
        goes_on=one.agent.parent if one.agent is not None else one.conversation,
        held_by=one.held_by,
        offers=prompt_of(one) is not None,
    )


def _asker(one: WaitingInfo) -> str:
    """Who asks, in the words of `prompts.asker`."""
    if one.agent is not None:
        return agent_asks(one.agent, one.source, one.tool)
    return one.label or ("assistant" if one.source == "assistant" else one.tool or one.source)
