"""What waits, in any order of events: asked, asked anew, put off, back, turned to, withdrawn, several conversations at
once, sub-agents among them (E12, E51; issue 7 "Reliability": agents, withdrawal, snooze and switching)."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import AgentInfo, PromptRequest, WaitingInfo
from jp_tui.view.questions.inbox import InboxState
from jp_tui.view.questions.queue import NONE, Key, Queue, key_of
from tests.fakes import scenes

PLAIN = scenes.prompt("boolean")
AGENT = AgentInfo(conversation="k1", parent="c1", call="s1", turn=1, name=Foreign("taster"), task=Foreign("Taste."))
conversations = st.sampled_from(("c1", "c2", "k1"))
inquiries = st.sampled_from(("q1", "q2", "q3"))
digests = st.sampled_from(("d1", "d1", "d2"))
picks = st.integers(min_value=0, max_value=1000)


def prompt(conversation: str, inquiry: str, digest: str) -> PromptRequest:
    agent = AGENT if conversation == "k1" else None
    more = {"conversation": conversation, "inquiry": inquiry, "digest": digest, "agent": agent}
    return PLAIN.model_copy(update=more)


class Orders(RuleBasedStateMachine):
    """A face's two views of what waits, and a plain book beside them: what was asked, and which of it is put off."""

    def __init__(self) -> None:
        super().__init__()
        self.queue, self.inbox, self.now = Queue(), InboxState(), 0.0
        self.asked: dict[Key, PromptRequest] = {}
        self.off: dict[Key, float | None] = {}
        self.elsewhere: tuple[Key, ...] = ()

    def pick(self, pick: int) -> Key:
        return list(self.asked)[pick % len(self.asked)]

    @rule(conversation=conversations, inquiry=inquiries, digest=digests)
    def ask(self, conversation: str, inquiry: str, digest: str) -> None:
        """A question, or the same asked anew: one that was put off stays so unless something else is asked now."""
        one = prompt(conversation, inquiry, digest)
        if (before := self.asked.get(key_of(one))) is not None and before.digest != digest:
            self.off.pop(key_of(one), None)
        self.asked[key_of(one)] = one
        self.queue = self.queue.added(one)
        self.inbox = self.inbox.apply(ev.QuestionAsked(conversation=conversation, prompt=one), self.now)

    @precondition(lambda self: self.asked)
    @rule(pick=picks, how=st.sampled_from(("answered", "withdrawn", "cancelled")))
    def settle(self, pick: int, how: str) -> None:
        """Answered here or elsewhere, or withdrawn."""
        key = self.pick(pick)
        del self.asked[key]
        self.off.pop(key, None)
        self.queue = self.queue.without(key)
        fields = {"conversation": key[0], "inquiry": key[1], "how": how}
        self.inbox = self.inbox.apply(ev.QuestionSettled.model_validate(fields), self.now)
        assert self.inbox.gone is not None and (self.inbox.gone.entry.key, self.inbox.gone.how) == (key, how)

    @precondition(lambda self: self.asked)
    @rule(pick=picks, seconds=st.sampled_from((None, 5.0, 60.0)))
    def put_off(self, pick: int, seconds: float | None) -> None:
        key = self.pick(pick)
        until = None if seconds is None else self.now + seconds
        self.off[key] = until
        self.queue, self.inbox = self.queue.put_off(key), self.inbox.put_off(key, until, self.now)

    @precondition(lambda self: self.asked)
    @rule(pick=picks)
    def turn_to(self, pick: int) -> None:
        """From the inbox, also to one that was put off, of whatever conversation."""
        key = self.pick(pick)
        self.off.pop(key, None)
        self.queue, self.inbox = self.queue.with_current(key), self.inbox.back(key)
        assert self.queue.current == key

    @rule()
    def turn(self) -> None:
        """Ctrl+T, until each was there once: none is passed over, none comes twice."""
        seen = []
        for _ in self.queue.prompts:
            self.queue = self.queue.turned()
            seen.append(self.queue.current)
        assert sorted(seen) == sorted(map(key_of, self.queue.prompts))

    @rule(seconds=st.sampled_from((0.5, 2.0, 30.0)))
    def wait(self, seconds: float) -> None:
        """What is due comes back, nothing before its time."""
        self.now += seconds
        for key in self.inbox.over(self.now):
            until = self.off.pop(key)
            assert until is None or until <= self.now
            self.queue, self.inbox = self.queue.brought_back(key), self.inbox.back(key)
        assert not any(until is not None and until <= self.now for until in self.off.values())

    @rule(keys=st.lists(st.tuples(conversations, inquiries), unique=True, max_size=4))
    def list(self, keys: list[Key]) -> None:
        """The engine's list: what is asked here stands in it as well."""
        self.elsewhere = tuple(keys)
        told = [
            WaitingInfo(conversation=c, title=Foreign(c), inquiry=q, text=Foreign(q), digest="d1", since=scenes.AT)
            for c, q in keys
        ]
        self.inbox = self.inbox.apply(ev.WaitingListed(waiting=tuple(told)), self.now)

    @invariant()
    def nothing_is_lost_and_nothing_is_there_twice(self) -> None:
        shown, aside = [list(map(key_of, some)) for some in (self.queue.prompts, self.queue.aside)]
        assert sorted([*shown, *aside]) == sorted(self.asked) and sorted(aside) == sorted(self.off)
        assert self.queue.current == NONE if not shown else self.queue.current in shown
        for key, one in self.asked.items():
            held = self.queue.get(key)
            assert held is not None and held.digest == one.digest == self.inbox.prompts[key].digest
        entries = {one.key: one for one in self.inbox.entries}
        assert len(entries) == len(self.inbox.entries)
        assert {key for key, one in entries.items() if one.here} == set(self.asked)
        assert {key for key, one in entries.items() if one.off} == set(self.off) == set(self.inbox.off)
        assert all(one.who.raw.startswith("taster") for key, one in entries.items() if one.here and key[0] == "k1")


def test_nothing_that_waits_is_lost_in_any_order() -> None:
    run_state_machine_as_test(Orders, settings=settings(max_examples=120, stateful_step_count=40, deadline=None))
