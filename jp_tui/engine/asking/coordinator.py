"""Run `inquiry.decide`: one input after the other, log facts, then apply effects. No decisions here.

It runs in its own task, so that cancelling a tool call never cancels the recording of the event that closes its
question (inquiries.md section 17). Values are validated against schemas before they become inputs, so that nothing else
waits meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from jp_tui.conversation.events import Event as Stored
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.asking import permission_ledger
from jp_tui.engine.asking.input_queue import Inputs, OfferedInput, QueuedInput
from jp_tui.engine.asking.open_prompts import OpenPrompts
from jp_tui.engine.asking.pending_reviews import PendingReviews
from jp_tui.engine.asking.prompt_builder import Ask, PromptContext
from jp_tui.engine.asking.scripted_people import ScriptedPeople
from jp_tui.engine.asking.session_rules import SessionRules
from jp_tui.engine.asking.side_messages import Finished
from jp_tui.engine.asking.subagent_relay import ChildRelay, Hear, RelayedQuestions, SubagentRelay
from jp_tui.engine.base.dependencies import EngineDependencies, ModelSetup
from jp_tui.engine.base.people import answerer
from jp_tui.engine.record.log import Log
from jp_tui.engine.schema_check.validation import Checks, verdicts
from jp_tui.inquiry import denial_text, repeats
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.closing import rememberable
from jp_tui.inquiry.decide import decide
from jp_tui.inquiry.effects import Complete, Defer, Deliver, Permit, RunAgain
from jp_tui.inquiry.parts import partial
from jp_tui.journal.port import JournalError
from jp_tui.protocol.events import AnswerRefused
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import SchemaAnswer, SecretAnswer

Verdict = RunAgain | Complete | Defer | Permit | Deliver


class SuspendedCalls:
    """Calls suspended until the coordinator decides how to continue."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[Verdict]] = {}

    def wait(self, call: str) -> asyncio.Future[Verdict]:
        """Return the future of the verdict on this call; a second wait for the same call replaces the first."""
        future: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        if (old := self._waiting.get(call)) is not None:
            old.cancel()
        self._waiting[call] = future
        return future

    def deliver(self, verdict: Verdict) -> None:
        """Deliver the verdict; a cancelled call is skipped."""
        future = self._waiting.pop(verdict.call, None)
        if future is not None and not future.done():
            future.set_result(verdict)


Again = Callable[[v.Waiting], Awaitable[v.RuleDecided | None]]
"""Decides a waiting prompt by the rules as they are now; None if they still leave it open."""
Answer = TypeVar("Answer", bound=v.HumanAnswered | v.HumanPermitted)
Raised = v.QuestionRaised | v.PermissionWanted | v.DeliveryWanted | v.ReviewWanted
PROMPTS = (v.PERMISSION, v.DELIVERY, v.REVIEW)
"""Prompts that aren't recorded as inquiries."""
BREATH = 2
"""Inputs decided at a stretch, with their effects, before keys have priority."""


@dataclass(slots=True)
class Hooks:
    """Callbacks of the coordinator. `broken`: the turn can't continue, with a JournalError if the log can't be written,
    with any other error for a bug. `waits`: a tool's question now waits for the user; `settled`: an inquiry or prompt
    closed."""

    end_turn: Callable[[], None]
    broken: Callable[[Exception], None]
    ledger: Callable[[], None]
    waits: Callable[[], None]
    settled: Callable[[str], None]


class Coordinator:
    """Questions of one turn; with a `handler` it is a sub-agent's, and its `ask_user` goes there (R218)."""

    def __init__(
        self,
        log: Log,
        checks: Checks,
        hooks: Hooks,
        model: ModelSetup,
        finished: Finished,
        handler: SubagentRelay | None = None,
    ) -> None:
        self._log, self._checks, self._hooks = log, checks, hooks
        self._state = _state(log.setup, handler is not None)
        self._inputs = Inputs(self._take, hooks.broken)
        self._pending = SuspendedCalls()
        self._reviewing = PendingReviews(log, checks, self._put, model, finished)
        self._calls: dict[str, PromptContext] = {}
        self._again: dict[str, Again] = {}
        self._begin: dict[str, v.CallStarted] = {}
        self._heard_of, self._resumed = set[str](), set[str]()
        self._showing = OpenPrompts(log, self._put)
        self._scripted = ScriptedPeople(log, model, self._showing, self.process)
        self._away = ChildRelay(handler) if handler is not None else None
        self._desk = RelayedQuestions(self._put, self._refuse)
        self._checking: set[asyncio.Task[None]] = set()
        self._closed = False

    # --- input of calls ---------------------------------------------------------------------------------------

    def begin(self, call: str, asking: PromptContext) -> None:
        """Start a call, or restart it. The machine learns of it with its first question."""
        self._calls[call] = asking
        if call in self._resumed:
            self._resumed.discard(call)
        else:
            self._begin[call] = v.CallStarted(call, asking.tool, repeats.identity(asking.tool, asking.arguments))

    def resume(self, resumed: v.CallResumed, *, runs: bool) -> None:
        """Resume a call of an unfinished turn: one that runs again, or a finished one whose id may repeat in this turn
        (R27). The machine now owns its open requests."""
        self._put(resumed)
        if runs:
            self._heard_of.add(resumed.call)
            self._resumed.add(resumed.call)
        else:
            self._put(v.CallGone(resumed.call))

    def restore_refusals(self, refusals: v.TurnResumed) -> None:
        """Restore the refusals of an unfinished turn, before its calls."""
        self._put(refusals)

    def refusal(self, tool: str, arguments: JsonObject) -> str:
        """Return the model's text if an identical call was rejected too often (Z17); empty if it may run."""
        return repeats.refusal(self._state.ledger, repeats.identity(tool, arguments))

    def failed(self, call: str) -> str:
        """Report a failed tool; return who rejected the call, as `repeats.rejecter`."""
        who = repeats.rejecter(self._state, call)
        if who:
            self._put(v.CallFailed(call))
        return who

    def clear_rejections(self) -> None:
        """The user sent the model a message."""
        self._put(v.HumanSpoke())

    def rejection_text(
        self, call: str, arguments: JsonObject, error: str, *, declined: bool
    ) -> denial_text.DenialText | None:
        """Return the model's text in place of a tool's own error, if a no caused it (R141-R143)."""
        return denial_text.denial_text(self._state, call, arguments, error, declined=declined)

    def now(self, call: str, asking: PromptContext) -> None:
        """Update what is known about a call."""
        self._calls[call] = asking

    def decides_again(self, call: str, again: Again) -> None:
        """Decide this call's prompt again when an answer has made rules (R252)."""
        self._again[call] = again

    def ask(self, given: Raised) -> asyncio.Future[Verdict]:
        """Ask for permission to run or to deliver, or start the review of a complete form; the verdict says how to
        continue."""
        self._begins(given.call)
        verdict = self._pending.wait(given.call)
        self._put(given)
        return verdict

    async def question(self, raised: v.QuestionRaised) -> Verdict:
        """Ask a tool's question; the verdict says how to continue."""
        raised = await self._scripted.addressed(await self._reviewing.scripted(raised))
        question, rule = raised.question, raised.rule
        if rule.has_answer and isinstance(question.answer_type, SecretAnswer):
            self._log.secrets.keep(raised.call, rule.answer)
        values = [rule.answer] if rule.has_answer else []
        values += [question.default] if question.has_default else []
        known = await verdicts(self._checks, question.answer_type, values)
        return await self.ask(replace(raised, verdicts=known) if known else raised)

    def answered_by(self, call: str) -> str:
        """Return the kind of responder that gave the last answer of a call; empty if there is none."""
        work = self._state.calls.get(call)
        return work.last.who.kind if work is not None and work.last is not None else ""

    def relay(self, given: v.RelayWanted, asking: PromptContext, hear: Hear) -> None:
        """Ask a question of a call's sub-agent: `asking` describes its own call, `hear` receives the user's input."""
        if not self._closed:
            self._begins(given.call)
            self._desk.relay(given, asking, hear)

    def relayed(self, given: v.RelayClosed | v.RelayPeople) -> None:
        """The sub-agent's question closed, or people did something about it."""
        if not self._closed:
            self._desk.closed(given)

    def needs_permission(self, call: str) -> bool:
        """True if the user is asked for permission to run this call."""
        return any(shown.call == call and shown.kind == "permission" for shown in self._showing)

    def waits_elsewhere(self, call: str) -> bool:
        """True if this call of a sub-agent waits for a question at its parent's handler."""
        return self._away is not None and self._away.waits(call)

    def _begins(self, call: str) -> None:
        if (begin := self._begin.pop(call, None)) is not None:
            self._heard_of.add(call)
            self._put(begin)

    def gone(self, call: str) -> None:
        """End a call; its open question is withdrawn."""
        self._desk.gone(call)
        self._begin.pop(call, None)
        self._resumed.discard(call)
        if call in self._heard_of:
            self._heard_of.discard(call)
            self._put(v.CallGone(call))

    def counts(self, key: str) -> None:
        """Count one more use of a pinned or permitting setting (E43)."""
        self._log.uses[key] += 1
        self._hooks.ledger()

    # --- input of the user ------------------------------------------------------------------------------------

    def human(self, inquiry: str, given: v.Input) -> None:
        """Process a front end's input about a question."""
        if self._closed:
            self._refuse(inquiry, "the turn is over", True)
            return
        if isinstance(given, v.HumanAnswered) and given.by is None:
            try:
                given = self._signed(given)
            except JournalError as problem:
                self._refuse(inquiry, str(problem), False)
                return
        if isinstance(given, v.HumanAnswered | v.HumanPermitted) and self._makes_rules(given):
            self._beside(self._with_rules(given))
        elif isinstance(given, v.HumanAnswered):
            self._answer(given)
        else:
            self._put(given)

    def _signed(self, given: v.HumanAnswered) -> v.HumanAnswered:
        """Return the answer of this process's user with everyone of the store, where other people are asked (D14).
        Raises JournalError."""
        item = next((one for one in self._state.waiting if one.inquiry == given.inquiry), None)
        if not isinstance(item, v.OpenQuestion) or item.asked.anyone:
            return given
        return replace(given, by=answerer(self._log.setup, self._log.owner()))

    def client_gone(self) -> None:
        """The client left: no one can be asked (Z9)."""
        self._put(v.ClientLeft())

    def take_over(self, inquiry: str) -> None:
        """Let the user decide a question that a reviewer is deciding (R156)."""
        self.human(inquiry, self._reviewing.taken_over(inquiry))

    def _answer(self, given: v.HumanAnswered) -> None:
        shown = self._showing.get(given.inquiry)
        if shown is None or not isinstance(shown.question.answer_type, SecretAnswer | SchemaAnswer):
            self._put(given)
        elif isinstance(shown.question.answer_type, SecretAnswer):
            self._log.secrets.keep(shown.call, given.value)
            self._put(given)
        else:
            self._beside(self._check(given, shown))

    def _beside(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work)
        self._checking.add(task)
        task.add_done_callback(self._checking.discard)

    def _makes_rules(self, given: v.HumanAnswered | v.HumanPermitted) -> bool:
        """True if rules are to be made of this answer, or it asks for some that can't be. One to a sub-agent's question
        makes its own."""
        if not given.remember and given.wanted is None:
            return False
        item = next((one for one in self._state.waiting if one.inquiry == given.inquiry), None)
        if item is None or item.digest != given.digest:
            return False
        if isinstance(item, v.OpenQuestion | v.OpenReview) and item.asks:
            return False
        return given.wanted is not None or self._calls[item.call].scopes is not None

    async def _with_rules(self, given: Answer) -> None:
        try:
            made = await self._ruled(given)
        except ValueError as problem:
            self._refuse(given.inquiry, str(problem), False)
        except Exception as bug:
            self._hooks.broken(bug)
        else:
            self._put(made)
            await self._catch_up(made)

    async def _ruled(self, given: Answer) -> Answer:
        """Make the rules of an answer: they are durable before it counts (AR21). Raises ValueError where they aren't
        offered or can't be kept, JournalError."""
        item = next((one for one in self._state.waiting if one.inquiry == given.inquiry), None)
        if item is None or isinstance(item, v.OpenReview | v.OpenDelivery):
            return given
        call, rules = self._calls[item.call], self._log.setup.approval_rules
        scope, lifetime = given.wanted or ("", "turn")
        scopes = call.scopes or ()
        offer = next((one for one in scopes if one.scope == scope), scopes[0] if scopes and not scope else None)
        run, why, once = False, "", True
        if isinstance(item, v.OpenQuestion) and isinstance(given, v.HumanAnswered):
            run, why = given.value is True, given.note
            whole = rememberable(item) and not partial(item.question, given.taken)
            once = not (whole and isinstance(given.value, bool))
        elif isinstance(item, v.OpenPermission) and isinstance(given, v.HumanPermitted):
            run, why = given.run, given.reason or ""
            once = bool(item.floor) or item.insists == "always"
        if given.wanted is not None and (once or offer is None or lifetime not in offer.lifetimes):
            raise ValueError("this prompt doesn't offer such a rule")
        if once or offer is None or not isinstance(rules, SessionRules):
            return replace(given, remember=False)
        ids = await rules.make(offer, lifetime, run=run, reason=why.strip(), inquiry=item.inquiry, call=item.call)
        return replace(given, remember=False, rules=ids)

    async def _catch_up(self, made: v.HumanAnswered | v.HumanPermitted) -> None:
        """Decide what waits and is covered by the new rules, without showing it (R252)."""
        if not made.rules:
            return
        self._hooks.ledger()
        for item in self._state.waiting:
            again = self._again.get(item.call)
            if item.inquiry != made.inquiry and again is not None and (found := await again(item)) is not None:
                self._put(found)

    async def _check(self, given: v.HumanAnswered, shown: PromptRequest) -> None:
        try:
            self._put(await self.checked(given, shown))
        except Exception as bug:
            self._hooks.broken(bug)

    async def checked(self, given: v.HumanAnswered, shown: PromptRequest) -> v.HumanAnswered:
        """Return the answer with the verdict on its value, if one is needed."""
        known = await verdicts(self._checks, shown.question.answer_type, [given.value])
        return replace(given, verdicts=known) if known else given

    async def process(self, given: v.Input, offer: OfferedInput | None = None) -> list[s.Step]:
        """Process input from another process or a sub-agent; return the result instead of reporting it to the front
        ends. An `offer` is accepted in the same write as what it leads to."""
        if self._closed:
            return []
        if not isinstance(given, v.HumanAnswered):
            return await self._inputs.process(given, offer)
        self._keep_secret(given)
        if not self._makes_rules(given):
            return await self._inputs.process(given, offer)
        try:
            given = await self._ruled(given)
        except ValueError as problem:
            return [s.Refuse(given.inquiry, str(problem), False)]
        steps = await self._inputs.process(given, offer)
        await self._catch_up(given)
        return steps

    def _keep_secret(self, given: v.HumanAnswered) -> None:
        """Remember a secret given at this sub-agent's parent, so that it is redacted here, too (R202)."""
        for item in self._state.waiting:
            secret = isinstance(item, v.OpenQuestion) and isinstance(item.question.answer_type, SecretAnswer)
            if secret and item.inquiry == given.inquiry:
                self._log.secrets.keep(item.call, given.value)

    # --- state ------------------------------------------------------------------------------------------------

    @property
    def showing(self) -> OpenPrompts:
        """Return the open prompts of the user."""
        return self._showing

    def ask_again(self) -> None:
        """Report open prompts to a new front end."""
        self._showing.again()
        self._reviewing.report_again()

    def settled_by(self, inquiry: str) -> str | None:
        """Return who closed an inquiry of this turn; None if it is open."""
        return self._state.settled.get(inquiry)

    @property
    def ledger(self) -> v.Ledger:
        """Return what the turn remembers."""
        return self._state.ledger

    @property
    def questions_wait(self) -> bool:
        """True if a tool's question waits for the user."""
        return any(shown.kind == "question" for shown in self._showing)

    @property
    def can_suspend_turn(self) -> bool:
        """True if the turn can stop now and resume later (R207): it waits for the user, and an unfinished call has
        asked something or has a result."""
        return self.questions_wait or _left(self._state, self._showing)

    # --- the end ----------------------------------------------------------------------------------------------

    async def wait_processed(self) -> None:
        """Wait until every input so far is processed."""
        while self._checking:
            await asyncio.wait(list(self._checking))
        await self._inputs.wait_processed()

    def withdraw(self) -> None:
        """Withdraw open prompts because the log can't be written. Their records stay open."""
        for shown in list(self._showing):
            self._on_settled(shown.inquiry, "withdrawn", "")

    async def close(self) -> None:
        """Process the pending input, then stop."""
        await self._reviewing.close()
        await self._scripted.close()
        self._showing.close()
        await self._desk.close()
        await self.wait_processed()
        self._closed = True
        self._inputs.close()

    # --- the machine ------------------------------------------------------------------------------------------

    def _put(self, given: v.Input) -> None:
        self._inputs.put(given)

    async def _take(self, items: Sequence[QueuedInput]) -> None:
        """Decide each input in turn; all resulting facts are written at once, before any effect is visible."""
        state, decided = self._state, list[tuple[QueuedInput, list[s.Step]]]()
        for place, item in enumerate(items, 1):
            state, steps = decide(state, item.given)
            decided.append((item, steps))
            if place % BREATH == 0:
                await asyncio.sleep(0)
        if facts := [step.event for _, steps in decided for step in steps if isinstance(step, s.Record)]:
            offers = [item.offer for item, steps in decided if item.offer is not None and _accepted(item, steps)]
            try:
                await self._log.append(facts, accepts=[offer.number for offer in offers])
            except JournalError as problem:
                if problem.kind not in ("withdrawn", "refused"):
                    raise
                await self._take_singly(items, str(problem) if problem.kind == "refused" else "")
                return
            for offer in offers:
                offer.recorded = True
        self._state = state
        for place, (item, steps) in enumerate(decided, 1):
            self._carry_out(item, steps)
            if place % BREATH == 0 and place < len(decided):
                await asyncio.sleep(0)

    async def _take_singly(self, items: Sequence[QueuedInput], refused: str) -> None:
        """Decide each by itself, since the maker of an offered answer has withdrawn it, or the store has `refused` one
        (store.md D18): that one leads to nothing."""
        for item in items:
            if len(items) > 1:
                await self._take([item])
            elif refused:
                self._carry_out(item, [s.Refuse(getattr(item.given, "inquiry", ""), refused, False)])
            else:
                item.tell([])

    def _carry_out(self, item: QueuedInput, steps: list[s.Step]) -> None:
        facts: list[Stored] = [step.event for step in steps if isinstance(step, s.Record)]
        effects = [step for step in steps if not isinstance(step, s.Record)]
        if item.told is not None or isinstance(item.given, v.ReviewerAnswered | v.ReviewerFailed):
            effects = [step for step in effects if not isinstance(step, s.Refuse)]  # no front end sent it
        relays = any(isinstance(step, s.RelayAnswer) for step in steps)
        if not relays:
            item.tell(steps)
        if self._away is not None:
            self._away.tell(effects, facts)
        self._perform(effects, item.told)
        given = item.given
        if isinstance(given, v.RelayClosed) and given.by and given.call in self._state.calls:
            self._showing.report_call(given.call, self._calls[given.call], "running")
        if isinstance(given, v.QuestionRaised) and any(isinstance(x, s.Settled) and x.by == "static" for x in effects):
            self.counts(permission_ledger.pinned(self._calls[given.call].tool, given.rule.slot or given.question.id))

    def _perform(self, effects: Sequence[s.Step], told: asyncio.Future[list[s.Step]] | None) -> None:
        for effect in effects:
            match effect:
                case s.AskHuman() | s.AskPermission() | s.AskDelivery() | s.AskReview():
                    self._ask(effect)
                case s.RelayAnswer():
                    self._desk.hand(effect, told)
                case s.AskReviewer(opened):
                    call = self._calls[opened.call]
                    self._showing.report_call(opened.call, call, "awaiting_assistant")
                    self._reviewing.ask(effect, call.tool)
                case s.RunAgain() | s.Complete() | s.Defer() | s.Permit() | s.Deliver():
                    self._pending.deliver(effect)
                case s.Settled(inquiry, how, by):
                    self._on_settled(inquiry, how, by)
                case s.Refuse(inquiry, reason, gone, by):
                    self._refuse(inquiry, reason, gone, by)
                case s.PeopleChanged(opened, why):
                    self._showing.change(opened, why)
                case s.LedgerChanged():
                    self._hooks.ledger()
                case s.StopTurn():
                    self._hooks.end_turn()
                case s.Record():
                    raise AssertionError("facts are recorded before effects")

    def _ask(self, ask: Ask) -> None:
        opened = ask.open
        call = self._calls[opened.call]
        if self._away is not None and isinstance(ask, s.AskHuman | s.AskReview):
            self._showing.elsewhere(ask, call)
            self._away.ask(ask, call, self.process)
            return
        self._showing.ask(ask, self._desk.asking(opened) or call, call)
        if isinstance(ask, s.AskHuman):
            self._scripted.asked(ask.open)
            self._hooks.waits()

    def _on_settled(self, inquiry: str, how: s.How, by: str) -> None:
        self._reviewing.drop(inquiry)
        self._scripted.drop(inquiry)
        self._hooks.settled(inquiry)
        self._showing.close_settled(inquiry, how, by)

    def _refuse(self, inquiry: str, reason: str, gone: bool, by: str = "") -> None:
        id_ = self._log.id
        self._log.publish(AnswerRefused(conversation=id_, inquiry=inquiry, reason=reason, gone=gone, by=by))


def _accepted(item: QueuedInput, steps: Sequence[s.Step]) -> bool:
    """True if the question of this answer closes here, or if it is recorded as one of several approvals."""
    given = item.given
    inquiry = given.inquiry if isinstance(given, v.HumanAnswered | v.HumanCancelled | v.HumanAssigned) else None
    if any(isinstance(step, s.Refuse) for step in steps):
        return False
    voted = any(isinstance(step, s.PeopleChanged) and step.open.inquiry == inquiry for step in steps)
    facts = voted and any(isinstance(step, s.Record) for step in steps)
    return facts or any(isinstance(step, s.Settled) and step.inquiry == inquiry for step in steps)


def _state(setup: EngineDependencies, handler: bool) -> v.State:
    """Return the machine's initial state for a turn."""
    return v.State(
        client=setup.client,
        secrets=setup.secrets,
        handler=handler,
        most=setup.max_attempts,
        on_failure=setup.on_failure,
        retry_with_intent=setup.retry_with_intent,
    )


def _left(state: v.State, showing: OpenPrompts) -> bool:
    """True if a call that waits for permission has asked something, now or before an interruption, or has a result."""
    asked = {call for call, question in state.ledger.attempts if question not in PROMPTS}
    prompted = {shown.call for shown in showing if shown.kind in ("permission", "review")}
    held = any(shown.kind == "delivery" for shown in showing)
    return held or any(work.recorded for work in state.calls.values()) or bool(asked & prompted)
