"""Service for model selection and usage: switches a conversation's model, counts tokens and cost by turn.

Counts come from the log: a turn's usage is in its end, a request's with its last call. A sub-agent's is in its own
conversation, whose start names the turn of its parent. Writes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jp_tui.conversation import events as ev
from jp_tui.conversation.model import ModelError
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.engine.record import subagent_events
from jp_tui.engine.record.event_codec import sampled, stored_event, totals
from jp_tui.journal.port import JournalReading, Stored
from jp_tui.protocol.usage import AgentUsage, ReadUsage, RequestUsage, SwitchModel, TurnUsage, UsageRead
from jp_tui.protocol.values import AgentInfo, UsageTotals

PAGE = 500


def desk(context: DeskContext) -> Desk:
    """The model is switched in order: later messages go to the new one."""
    usage = _Usage(context)
    return Desk(in_order={SwitchModel: usage.switch}, beside={ReadUsage: usage.read})


class _Usage:
    def __init__(self, context: DeskContext) -> None:
        self._context = context

    async def switch(self, command: SwitchModel) -> None:
        session = self._context.sessions.get(command.conversation)
        if session is None:
            raise ValueError("This conversation isn't open. Open it first.")
        if session.held_by:
            raise ValueError(f"This conversation is being written by {session.held_by}; its model is theirs to choose.")
        if not command.model.strip():
            raise ModelError("unknown_model", "No model is selected.", "`/model` lists the models.")
        setup = self._context.setup
        opens = setup.open_agent_model or setup.open_model
        await session.models.switch(await opens(command.model.strip()), once=command.once, effort=command.effort)

    async def read(self, command: ReadUsage) -> None:
        conversation = command.conversation
        journal = self._context.setup.journal
        row = journal.conversation(conversation)
        fresh = self._context.sessions.get(conversation)
        if row is None and fresh is not None:  # opened, without a message so far
            said = UsageRead(
                conversation=conversation,
                model=fresh.log.model,
                turns=(),
                total=UsageTotals(),
                window=fresh.models.window,
            )
            self._context.publish(said)
            return
        if row is None:
            raise ValueError(f"There is no conversation {conversation}.")
        turns = {turn.turn: turn for turn in await _turns(journal, row.id)}
        for id_ in journal.children(row.id):
            agent = subagent_events.about(journal, id_)
            if agent is not None and agent.parent == row.id and agent.turn in turns:
                turns[agent.turn] = _with(turns[agent.turn], agent, await _turns(journal, id_))
        total, reviews, agents = UsageTotals(), UsageTotals(), UsageTotals()
        for turn in turns.values():
            total, reviews = total.plus(turn.usage), reviews.plus(turn.review_usage)
            for one in turn.agents:
                agents = agents.plus(one.usage)
        session = self._context.sessions.get(row.id)
        window = session.models.window if session is not None else None
        self._context.publish(
            UsageRead(
                conversation=row.id,
                model=row.model,
                turns=tuple(turns.values()),
                total=total,
                review_total=reviews,
                agent_total=agents,
                window=window,
            )
        )


async def _turns(journal: JournalReading, conversation: str) -> list[TurnUsage]:
    """Return all turns of a conversation, oldest first."""
    turns: list[TurnUsage] = []
    after = 0
    held: list[Stored] = []
    while page := journal.read(conversation, after, PAGE):
        after = page[-1].seq
        for item in page:
            if held and item.entry.turn != held[-1].entry.turn:
                turns += _turn(held)
                held = []
            held.append(item)
        await asyncio.sleep(0)
    return [*turns, *_turn(held)]


def _with(turn: TurnUsage, agent: AgentInfo, own: Sequence[TurnUsage]) -> TurnUsage:
    """Add a sub-agent with all its turns to the turn; the size of its requests doesn't count as the turn's."""
    used, reviewed = UsageTotals(), turn.review_usage
    for one in own:
        used, reviewed = used.plus(one.usage), reviewed.plus(one.review_usage)
    used = used.model_copy(update={"context": 0})
    known = AgentUsage(conversation=agent.conversation, name=agent.name, task=agent.task, usage=used)
    reviews = turn.reviews + sum(each.reviews for each in own)
    changed = {"agents": (*turn.agents, known), "reviews": reviews, "review_usage": reviewed}
    return turn.model_copy(update=changed)


def _turn(rows: Sequence[Stored]) -> list[TurnUsage]:
    """Return one turn from its events; events not from a model don't belong to the last request."""
    if not rows or rows[0].entry.turn < 1:
        return []
    asked, outcome, model, ms = "", "", "", 0
    requests: list[RequestUsage] = []
    calls: list[str] = []
    names: dict[str, str] = {}
    usage, before, reviewed, reviews = UsageTotals(), UsageTotals(), UsageTotals(), 0
    summaries, late = list[RequestUsage](), UsageTotals()
    for row in rows:
        match read_event(stored_event(row).event):
            case ev.ChatRequest(content=content) if not asked:
                asked = first_line(content)
            case ev.ToolCallRequest(id=call, name=name, metadata=metadata):
                names[call] = name
                calls.append(name)
                if "usage" in metadata:
                    spent = totals(metadata["usage"])
                    requests.append(RequestUsage(what=Foreign(", ".join(calls)), usage=spent))
                    before, calls = before.plus(spent), []
            case ev.ToolCallResponse(id=call) as response:
                for spent in sampled(response):
                    what = Foreign(f"for the server of {names.get(call, call)}")
                    requests.append(RequestUsage(what=what, usage=spent))
                    before = before.plus(spent)
            case ev.InquiryAnswered(responder=who) | ev.InquiryCancelled(responder=who):
                if who is not None and who.kind == "assistant":
                    reviews += 1
                    reviewed = reviewed.plus(totals(who.usage))
            case ev.Compaction(usage=summed) if summed:
                spent = totals(summed)
                if outcome:  # by hand, after the turn, which didn't count it
                    late = late.plus(spent)
                    summaries.append(RequestUsage(what=Foreign("summary"), usage=spent))
                else:
                    requests.append(RequestUsage(what=Foreign("summary"), usage=spent))
                    before = before.plus(spent)
            case ev.TurnOutcome() as end:
                outcome, model, ms, usage = end.outcome, end.model, end.ms, totals(end.usage)
            case _:
                pass
    if outcome:
        last = _rest(usage, before)
        if last.input or last.output:
            requests.append(RequestUsage(what=Foreign("answer"), usage=last))
    else:
        usage = before
    requests += summaries
    usage = usage.plus(late)
    return [
        TurnUsage(
            turn=rows[0].entry.turn,
            at=rows[0].entry.at,
            asked=Foreign(asked),
            model=model,
            outcome=outcome,
            ms=ms,
            usage=usage,
            requests=tuple(requests),
            reviews=reviews,
            review_usage=reviewed,
        )
    ]


def _rest(usage: UsageTotals, before: UsageTotals) -> UsageTotals:
    """Return the turn's usage beyond the individually counted requests: that of its last one."""
    cost = None if usage.cost_usd is None else max(usage.cost_usd - (before.cost_usd or 0.0), 0.0)
    return UsageTotals(
        input=max(usage.input - before.input, 0),
        output=max(usage.output - before.output, 0),
        cached=max(usage.cached - before.cached, 0),
        reasoning=max(usage.reasoning - before.reasoning, 0),
        context=usage.context,
        cost_usd=None if cost is None else round(cost, 9),
    )
