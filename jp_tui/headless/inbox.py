"""`/inbox` and `/agents` of plain mode: what waits anywhere, and who works here (intake.md N6, N24)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from jp_tui.conversation.text import Foreign
from jp_tui.headless.forms.steps import line
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import WaitingInfo
from jp_tui.view.activity.agents import WAYS, doing_state, waited
from jp_tui.view.questions.inbox import waiting_asker
from jp_tui.view.questions.inbox_lines import short
from jp_tui.view.questions.people import people_lines
from jp_tui.view.questions.prompt_line import program_asks

NOTHING = "Nothing is waiting for you."
SHARES = ("mine", "roles", "asked")
USAGE = "Enter /inbox, or /inbox mine, roles (for your groups) or asked (what you asked of others)."
NOBODY = "No other open conversation, and no other program that works with jp-tui."


class InboxWords:
    """`say` prints a line."""

    def __init__(self, link: Link, say: Callable[[str], None]) -> None:
        self._link, self._say = link, say
        self._pending = 0
        self._share = ""

    @property
    def waits(self) -> bool:
        """True if a reply of the engine is pending."""
        return bool(self._pending)

    def run(self, name: str, argument: str = "") -> None:
        """Request what the word lists; `/inbox mine`, `roles` or `asked` lists a part (store.md D19)."""
        self._share = argument.strip().casefold()
        if self._share and not (name == "inbox" and self._share in SHARES):
            self._say(USAGE)
            return
        self._pending += 1
        self._link.send(c.WatchWaiting() if name == "inbox" else c.ReadAgents())

    def handle(self, event: e.WaitingListed | e.AgentsRead) -> None:
        """Print a requested list."""
        if not self._pending:
            return
        self._pending -= 1
        now = time.time()
        if isinstance(event, e.WaitingListed):
            self._link.send(c.WatchWaiting(on=False))
            texts = waiting_lines(event.waiting, now, self._share)
        else:
            texts = agent_lines(event, now)
        for text in texts:
            self._say(text)

    def refused(self) -> None:
        """Handle a word that failed."""
        self._pending = max(0, self._pending - 1)


def waiting_lines(waiting: tuple[WaitingInfo, ...], now: float, share: str = "") -> Iterator[str]:
    """Yield what waits elsewhere, or with `share` a part of it: who asks, what, since when, which people, and how it is
    answered."""
    found = [one for one in waiting if not one.here and share in ("", one.share)]
    if not found:
        yield NOTHING
    for one in found:
        since = waited(one.since, now)
        yield f"  {line(waiting_asker(one))} asks{f' ({since})' if since else ''}: {line(one.text.raw)}"
        if one.owner:
            yield f"     {line(one.owner)}'s conversation."
        if people := people_lines(one):
            yield f"     {line(' '.join(people))}"
        if not one.yours:
            continue
        yield f"     /answer {line(one.conversation)}/{line(one.inquiry)} VALUE"


def agent_lines(found: e.AgentsRead, now: float) -> Iterator[str]:
    """Yield who works, waits or idles."""
    if not (found.conversations or found.programs or found.worker):
        yield NOBODY
    for conversation in found.conversations:
        sign, doing, _ = doing_state(conversation.doing)
        where = f"in {line(short(conversation.held_by))}" if conversation.held_by else "here"
        title = line((conversation.title or Foreign("conversation")).raw)
        yield f"  {sign} {title}: {doing} · conversation {where} · {line(conversation.conversation)}"
    for one in found.programs:
        sign, doing, _ = doing_state(one.doing)
        parts = [doing, WAYS[one.way], waited(one.since, now)]
        yield f"  {sign} {line(program_asks(one.asker, one.claimed))}: {' · '.join(part for part in parts if part)}"
    if found.worker:
        sign = doing_state("idle")[0]
        yield f"  {sign} Worker: resumes turns of this folder once they are answered · {line(found.worker)}"
