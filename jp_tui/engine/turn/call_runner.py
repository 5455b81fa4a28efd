"""One tool call from start to result: execute, ask, execute again (inquiries.md R97).

Whatever a tool does, its call ends with a result; only problems of the whole turn (a log that can't be written) are
raised. It commits nothing and shows only the call's state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from jp_tui.conversation.model import Call, Usage
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.engine.asking import permission_ledger
from jp_tui.engine.asking.approval import delivered, forbidden, permitted, refused, unavailable
from jp_tui.engine.asking.call_decision import (
    DecisionInputs,
    decided,
    may_ask,
    permitted_by,
    person_required,
    ruled_by,
    skipped,
    why_asked,
)
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.asking.outcome_checks import asked_ahead, review_digest, rule_for
from jp_tui.engine.asking.prompt_builder import PromptContext
from jp_tui.engine.asking.rule_offers import rule_offers
from jp_tui.engine.asking.rules_here import record_text
from jp_tui.engine.base.backups import CallCopies
from jp_tui.engine.base.call_state import MAY_HAVE_RUN, CallResult, Deferred, ResumedCalls, ToolCallState
from jp_tui.engine.base.dependencies import ApprovalRules, ModelSetup, RunMode
from jp_tui.engine.base.people import people_of
from jp_tui.engine.context.own_commands import SkillText
from jp_tui.engine.record.call_response import response
from jp_tui.engine.record.history_text import HistoryText
from jp_tui.engine.record.log import Log
from jp_tui.engine.record.model_context import REPAIRED
from jp_tui.engine.record.unlogged_results import DELIVERY, LEAVE, UnloggedResults
from jp_tui.engine.schema_check.validation import Checks
from jp_tui.engine.turn.begun_call import RUN_AGAIN, STOP, counted_as_failed, doubt
from jp_tui.engine.turn.call_rendering import render_after, render_before
from jp_tui.engine.turn.changed_tool import permit_changed, readable
from jp_tui.engine.turn.intent import stated_intent
from jp_tui.engine.turn.outcome_shape import find_problem
from jp_tui.engine.turn.plan import REFUSED, TurnPlan
from jp_tui.engine.turn.sampling import ModelSampler
from jp_tui.engine.turn.subagent_spawner import SubagentSpawner
from jp_tui.inquiry import closing, messages, repeats
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.denial_text import APPLY
from jp_tui.inquiry.people import People, WantedPeople
from jp_tui.journal.port import JournalError
from jp_tui.protocol.values import CallEnd, CallState, RuleOffer
from jp_tui.questions.types import BooleanAnswer, FormView, Question, SchemaAnswer
from jp_tui.questions.wire import digest
from jp_tui.rules.values import CALL
from jp_tui.tools.local.parameters import refusal
from jp_tui.tools.port import (
    FormLeft,
    GivenAnswer,
    NeedsInput,
    NeedsReview,
    Serves,
    ToolCall,
    applies,
    by_agent,
    observed,
    spawns,
    submits,
)

if TYPE_CHECKING:
    from jp_tui.rules.values import CallDecision


RAN_BEFORE = "It ran before, up to this question: "
"""Begins what the run prompt shows of a call that runs again from the start (mcp.md P43)."""
PERMISSION = "permission"
"""Id of the question whether another program may run its call (N3)."""


class CallRunner:
    """Runs calls of one batch; `earlier` has the known facts of a resumed turn's calls (R237), `agents` starts their
    sub-agents, `model` replies to its MCP servers, `ends` ends the turn."""

    def __init__(
        self,
        log: Log,
        coordinator: Coordinator,
        checks: Checks,
        root: Path,
        say: Callable[[str, str, CallState], None],
        keeping: UnloggedResults,
        earlier: ResumedCalls,
        agents: SubagentSpawner | None = None,
        model: ModelSetup | None = None,
        ends: Callable[[], object] = lambda: None,
    ) -> None:
        self._log, self._coordinator, self._checks, self._root, self._say = log, coordinator, checks, root, say
        self._keeping, self._agents, self._model, self._ends = keeping, agents, model, ends
        self._plan = TurnPlan(log, coordinator)
        self._answers, self._results = dict(earlier.answers), dict(earlier.results)
        self._started = dict(earlier.agents)
        self._begun, self._declined, self._asked = earlier.begun, earlier.declined, earlier.asked
        self._unsure = dict(earlier.unsure)
        self._jobs: dict[str, ToolCallState] = {}

    @property
    def spent(self) -> Usage:
        """Return the tokens of what the calls asked the model."""
        return sum((job.spent for job in self._jobs.values()), Usage())

    def job(self, call: str) -> ToolCallState | None:
        """Return the state of a started call."""
        return self._jobs.get(call)

    def waits(self, call: Call) -> bool:
        """True if a person or a formatter must finish before this call can run."""
        setup = self._log.setup.tools.get(call.name)
        if setup is None or setup.tool is None or call.id in self._results or self._forbidden:
            return False
        if (
            setup.run in ("ask", "edit")
            or call.id in self._unsure
            or setup.change() is not None
            or (setup.format == "unattended" and hasattr(setup.tool, "render"))
        ):
            return True
        return may_ask(setup, self._log.setup.approval_rules)

    @property
    def _forbidden(self) -> bool:
        """R78: True if no call of this model may run; calls made before tools were turned off continue."""
        return self._log.setup.tool_choice == "none" and not self._begun

    def call_off(self, call: str, *, leaves: bool = False) -> None:
        """Notify the tool between its steps; the owner of its task cancels that."""
        if (job := self._jobs.get(call)) is not None:
            job.leaves = leaves
            job.cancel.called = True

    def undecided(self, call: str) -> None:
        """The client left before this call was permitted (Z9)."""
        if (job := self._jobs.get(call)) is not None:
            job.permission = dict(closing.CLIENT_GONE)

    async def permit(self, call: Call) -> CallResult | None:
        """Return the result of a call that may not run, None if it may (5.2). Raises Deferred, JournalError, and
        cancellation."""
        setup = self._log.setup.tools.get(call.name)
        if self._forbidden:
            return CallResult(forbidden(call.name), True, "error")
        if setup is None:
            return CallResult(unavailable(call.name), True, "error")
        if setup.tool is None:
            return CallResult(f"Tool not found: {call.name}", True, "error")
        follows = observed(setup.tool, self._log.id, call.id)
        if self._log.planning and not setup.read_only and call.id not in self._results and not follows:
            return CallResult(REFUSED, True, "error")
        if submits(setup.tool) and not self._log.planning:
            return CallResult(unavailable(call.name), True, "error")
        job = self._jobs[call.id] = ToolCallState(call, setup, setup.tool, call.arguments, self._root, self._log.id)
        job.workspace = str(self._log.setup.workspace)
        job.ignored = partial(self._log.setup.ignored, self._root)
        job.answers = self._answers.pop(call.id, {})
        job.agent = self._started.pop(call.id, None)
        job.declined, job.ran_before = self._declined.get(call.id, frozenset()), self._asked.get(call.id, "")
        if (result := self._results.pop(call.id, None)) is not None:
            job.restore(result)
        try:
            self._coordinator.begin(call.id, self._asking(job))
            if job.kept is not None or follows:  # permission was given, and used; or it isn't ours to give
                return None
            if why := self._coordinator.refusal(call.name, call.arguments):
                job.permission = dict(repeats.REFUSED)
                return CallResult(why, True, "error")
            if setup.run == "skip":
                return CallResult("Tool skipped by configuration.", False, "skipped")
            if misfit := await self._misfit(job):
                return misfit
            job.answers = {name: given for name, given in job.answers.items() if name != MAY_HAVE_RUN}
            decision = self._unsure.pop(call.id, None)
            if decision is not None and (ended := await self._may_have_run(job, decision)) is not None:
                return ended
            return await render_before(job, self._log, self._checks.usable) or await self._permitted(job)
        except (Deferred, JournalError):
            raise
        except Exception as bug:
            return self._bug(job, bug)

    async def _may_have_run(self, job: ToolCallState, decision: str) -> CallResult | None:
        """Ask the user about a call whose run with its answers has no result; return how it ends, None if it runs again
        (store.md D21). It waits for a person, whatever `detached` says."""
        answers = job.answers
        if not decision:
            shown = self._log.secrets.text(dump(job.arguments), job.call.id)
            question = doubt(job.call.name, shown)
            raised = v.QuestionRaised(job.call.id, question, "tool", v.Rule(), "defer")
            if (ended := await self._ask(job, raised)) is not None:
                return ended
            decision, job.answers = str(job.answers[MAY_HAVE_RUN].value), answers
        if decision == STOP:
            self._ends()
        return None if decision == RUN_AGAIN else counted_as_failed(job.call.name)

    async def _permitted(self, job: ToolCallState) -> CallResult | None:
        """Rules first (AR6, AR7), then whoever is to be asked."""
        floor, asks = refused(job, self._coordinator), job.setup.run != "unattended"
        insists: v.Insists = ""
        why, asked_rules = "", tuple[str, ...]()
        scopes: tuple[RuleOffer, ...] | None = None
        if (rules := self._log.setup.approval_rules) is not None:
            given = self._inputs(job, rules, refused=bool(floor))
            decision = await decided(job, given, self._checks.usable)
            if decision.choice == "skip":
                done, job.permission = skipped(decision)
                return done
            if (change := job.setup.change()) is not None:
                return await permit_changed(job, change, self._log, self._coordinator, self._asking, floor)
            several = asks and _asked_of(job).approvals > 1  # then no rule counts (store.md D15)
            if decision.choice == "run" and job.setup.run != "edit" and not several:
                if asks or decision.rules:
                    job.permission = permitted_by(decision, rules.layers().mode)
                return None
            asks = True
            insists, why = person_required(decision), why_asked(decision)
            asked_rules = decision.rules
            if not floor and not several and self._reviewed_first(job, decision, given):
                return await self._approval(job, self._log.setup.approval)
            if job.setup.run != "edit":
                given = await given.walled(job, self._checks.usable)
                scopes = () if floor else await rule_offers(job, given, decision, self._log.setup)
            if why and asked_rules:
                why = f"{why}. {await record_text(self._log, asked_rules)}".rstrip(". ") + "."
        if (change := job.setup.change()) is not None:
            return await permit_changed(job, change, self._log, self._coordinator, self._asking, floor)
        if not asks:
            return None
        asking = replace(self._asking(job), scopes=scopes)
        shown = f"{RAN_BEFORE}{job.ran_before}" if job.ran_before else ""
        if shown:
            asking = replace(asking, rendered=f"{shown}\n\n{asking.rendered or readable(job)}")
        self._coordinator.now(job.call.id, asking)
        if by_agent(job.tool):
            return await self._agent_permission(job, scopes, by_person=bool(floor or insists))
        if self._asks_people(job):
            rule = v.Rule(people=_asked_of(job))
            return await self._approval(job, rule, shown, by_person=bool(floor or insists))
        self._coordinator.decides_again(job.call.id, partial(self._run_again, job))
        try:
            return await permitted(job, self._coordinator, floor, insists, why, shown)
        finally:
            if asked_rules and job.permission:
                job.permission["asked_rules"] = list(asked_rules)

    def _reviewed_first(self, job: ToolCallState, decision: CallDecision, given: DecisionInputs) -> bool:
        """True if a reviewer decides first: the rules leave the call open, and it is understood (AR31)."""
        first = self._log.setup.approval.target != "user" and job.setup.run != "edit"
        layers = given.layers
        broken = layers.policy.broken or layers.user.broken or layers.folder.broken
        return first and decision.by == "nothing" and not decision.once and not broken

    def _asks_people(self, job: ToolCallState) -> bool:
        """True if a setting says which people permit this call: then that is a question in the log, which others can
        answer (store.md D14)."""
        people = _asked_of(job)
        if people.anyone:
            return False
        return self._log.setup.client or people.approvals > 1 or job.setup.policies.run == "defer"

    async def _approval(
        self, job: ToolCallState, rule: v.Rule, before: str = "", *, by_person: bool = False
    ) -> CallResult | None:
        """Ask whether a call may run, in the log: a reviewer, whose yes counts once, and after whose no the user
        decides (AR31), or the people of a setting. `before` is shown above the call; `by_person`: only a person may
        allow it."""
        call, policies = job.call, job.setup.policies
        text = job.rendered or dump(job.arguments)
        shown = Question(
            CALL,
            f"Run {call.name}?",
            BooleanAnswer(),
            f"{before}\n\n{text}" if before else text,
            persistence="none",
            floor=by_person,
            acts=True,
        )
        question = self._log.secrets.question(shown, call.id)
        answer = job.answers.get(CALL)
        if answer is None or answer.digest != digest(question):
            self._coordinator.now(call.id, self._asking(job))
            place = policies.places.get("run", "")
            raised = v.QuestionRaised(call.id, question, "tool", rule, policies.run, policy_place=place)
            if (ended := await self._ask(job, raised)) is not None:
                return ended
            if job.edited and CALL not in job.answers:  # other arguments: the rules decide again
                return await self._permitted(job)
            answer = job.answers[CALL]
        return self._answered(job, answer)

    async def _agent_permission(
        self, job: ToolCallState, scopes: tuple[RuleOffer, ...] | None, *, by_person: bool
    ) -> CallResult | None:
        """Ask whether an agent may go on: a question in the log, so that other processes can answer it (N3, N42)."""
        call, policies = job.call, job.setup.policies
        shown = Question(
            PERMISSION,
            f"Run {call.name}?",
            BooleanAnswer(),
            job.rendered or dump(job.arguments),
            persistence="turn" if scopes else "none",
            floor=by_person,
            exact=True,
            acts=True,
        )
        question = self._log.secrets.question(shown, call.id)
        answer = job.answers.get(PERMISSION)
        if answer is None or answer.digest != digest(question):
            rule, place = job.setup.rules.get(PERMISSION, v.Rule()), policies.places.get("run", "")
            policy: v.Policy = "deny" if policies.run == "unset" else policies.run
            raised = v.QuestionRaised(call.id, question, "tool", rule, policy, policy_place=place)
            self._coordinator.decides_again(call.id, partial(self._question_again, job, PERMISSION, None))
            if (ended := await self._ask(job, raised)) is not None:
                return ended
            answer = job.answers.get(PERMISSION)
        if answer is None or job.edited:
            return CallResult("An agent's arguments can't be edited. Nothing was allowed.", True, "error")
        return self._answered(job, answer)

    async def _question_again(
        self, job: ToolCallState, question: str, run: RunMode | None, item: v.Waiting
    ) -> v.RuleDecided | None:
        """Decide an agent's call, or a change, that waits at this question by the rules as they are now (R252)."""
        rules = self._log.setup.approval_rules
        if rules is None or not isinstance(item, v.OpenQuestion) or item.question.id != question:
            return None
        found = await decided(job, self._inputs(job, rules, refused=False, run=run), self._checks.usable)
        if found.choice == "ask" or not found.rules:
            return None
        return v.RuleDecided(item.inquiry, found.choice == "run", found.rules)

    def _answered(self, job: ToolCallState, answer: GivenAnswer) -> CallResult | None:
        """Return how a call ends that was asked about with yes or no; None if it runs."""
        by = "reviewer" if self._coordinator.answered_by(job.call.id) == "assistant" else "user"
        if answer.value is True:
            job.permission = {"choice": "run", "by": by}
            job.allowed |= set(self._coordinator.ledger.refused)
            return None
        job.permission = {"choice": "skip", "by": by, **({"reason": answer.note} if answer.note else {})}
        self._coordinator.failed(job.call.id)
        return CallResult(messages.skipped(answer.note) if answer.note else messages.SKIPPED, False, "skipped")

    def _inputs(
        self, job: ToolCallState, rules: ApprovalRules, *, refused: bool, run: RunMode | None = None
    ) -> DecisionInputs:
        copies = self._log.setup.copies is not None
        return DecisionInputs.of(job, rules, refused=refused, copies=copies, run=run)

    async def _run_again(self, job: ToolCallState, item: v.Waiting) -> v.RuleDecided | None:
        """Decide a call that waits for permission by the rules as they are now (R252)."""
        rules = self._log.setup.approval_rules
        if rules is None or not isinstance(item, v.OpenPermission) or job.setup.run == "edit":
            return None
        floor = bool(refused(job, self._coordinator))
        found = await decided(job, self._inputs(job, rules, refused=floor), self._checks.usable)
        if found.choice == "ask":
            return None
        told = skipped(found)[0].content if found.choice == "skip" else ""
        return v.RuleDecided(item.inquiry, found.choice == "run", found.rules, told)

    async def _denied_since(self, job: ToolCallState) -> CallResult | None:
        """Rules may have changed since leave was given, and so may the arguments."""
        if (rules := self._log.setup.approval_rules) is None:
            return None
        walled = job.walled
        decision = await decided(job, self._inputs(job, rules, refused=False), self._checks.usable)
        job.walled = walled
        if decision.choice != "skip":
            return None
        done, job.permission = skipped(decision)
        return done

    async def run(self, call: Call) -> CallResult:
        """Return the result of a call that may run. Raises Deferred, JournalError, and cancellation."""
        job = self._jobs[call.id]
        began = self._log.setup.monotonic()
        if job.kept is not None:
            began -= (job.ms or 0) / 1000
        try:
            if job.kept is not None:
                return await self._delivered(job, job.kept)
            if (failed := await render_after(job, self._log, self._checks.usable)) is not None:
                return failed
            if observed(job.tool, self._log.id, call.id):
                return await self._delivered(job, await self._until_done(job))
            if (ended := await self._denied_since(job)) is not None:
                return ended
            if floor := refused(job, self._coordinator):  # perhaps since it was permitted
                self._coordinator.now(call.id, self._asking(job))
                with self._waits(job):
                    ended = await permitted(job, self._coordinator, floor)
                if ended is not None:
                    return ended
            if (change := job.setup.change()) is not None:  # since it was permitted
                with self._waits(job):
                    ended = await permit_changed(job, change, self._log, self._coordinator, self._asking)
                if ended is not None:
                    return ended
            if job.setup.run == "unattended" and job.setup.run_place:
                self._coordinator.counts(permission_ledger.unattended(call.name))
            if job.permission:  # who permitted it is logged before anything runs
                cut = response(call.id, CallResult(REPAIRED, True, "error"), job, job.setup)
                await self._keeping.keep(LEAVE, [cut])
            done = await self._until_done(job)
            job.ms = self._since(began, job)
            return await self._delivered(job, done) if done.own else done
        except (Deferred, JournalError):
            raise
        except Exception as bug:
            return self._bug(job, bug)
        finally:
            job.ms = self._since(began, job)
            if isinstance(job.tool, Serves):
                job.tool.released(job.conversation, call.id)

    async def _misfit(self, job: ToolCallState) -> CallResult | None:
        """Return the error for arguments that break a server's schema (mcp.md P22, M28)."""
        if not isinstance(job.tool, Serves):
            return None
        why = await self._checks.check(job.tool.input_schema, job.arguments)
        return None if why is None else CallResult(refusal(job.call.name, why), True, "error")

    def _since(self, began: float, job: ToolCallState) -> int:
        """Return the tool's own duration, without the time of those who were asked (Z15)."""
        return max(int((self._log.setup.monotonic() - began - job.waited) * 1000), 0)

    @contextmanager
    def _waits(self, job: ToolCallState) -> Iterator[None]:
        """Somebody is asked inside."""
        began = self._log.setup.monotonic()
        try:
            yield
        finally:
            job.waited += self._log.setup.monotonic() - began

    def _asking(self, job: ToolCallState) -> PromptContext:
        job.title = self._log.secrets.text(job.tool.title(job.arguments), job.call.id)
        return PromptContext(job.setup, job.title, job.arguments, job.rendered or "", agent=job.agent)

    def _bug(self, job: ToolCallState, bug: Exception) -> CallResult:
        """End the call of a tool with a bug; the turn continues. Expected errors are returned as Failure. After a "no"
        the model reads both (Z6)."""
        words = f"{job.call.name} failed unexpectedly ({type(bug).__name__}: {bug})."
        content, _ = self._error(job, Failure(self._log.secrets.text(words, job.call.id)))
        return CallResult(content, True, "error")

    async def _until_done(self, job: ToolCallState) -> CallResult:
        """Execute, and again with each answer, until the tool returns a result (R97)."""
        call, secrets = job.call, self._log.secrets
        while True:
            if job.edited and (misfit := await self._misfit(job)):
                return misfit
            self._say(call.id, call.name, "running")
            self._coordinator.now(call.id, self._asking(job))
            marked = bool(job.answers) and not (job.setup.idempotent or spawns(job.tool) or by_agent(job.tool))
            if marked:
                await self._keeping.begins(call.id)
            outcome: object = await job.tool.run(self._execution(job))
            if (why := find_problem(outcome)) is not None:
                return CallResult(f"{call.name} {why}.", True, "error")
            match outcome:
                case Success() | Failure():
                    clean = secrets.outcome(outcome, call.id)
                    failed = isinstance(clean, Failure)
                    content, noted = self._error(job, clean) if isinstance(clean, Failure) else (clean.content, "")
                    content = "\n\n".join([*job.words, content]) + secrets.text(
                        _notes(job.answers, noted) + _edited(job), call.id
                    )
                    end: CallEnd = "error" if failed else "ok"
                    if isinstance(clean, Failure) and clean.declined and job.rejected_by:
                        end = "declined"  # a "no" is an outcome, no failure (Z15)
                    kept = clean.structured if isinstance(clean, Success) else None
                    images = clean.images if isinstance(clean, Success) else ()
                    return CallResult(content, failed, end, own=True, structured=kept, images=images)
                case NeedsInput(question, form):
                    if (ended := await self._question(job, question, form)) is not None:
                        return ended
                case NeedsReview(form):
                    if marked:  # no event says that the run has returned
                        await self._keeping.begins(call.id, returned=True)
                    if (ended := await self._review(job, form)) is not None:
                        return ended
                case _:
                    raise AssertionError("looked at above")

    def _error(self, job: ToolCallState, failure: Failure) -> tuple[str, str]:
        """Return the model's text for a failure, and the question whose note is already in it (R141-R143)."""
        own = failure.for_model()
        job.rejected_by = self._coordinator.failed(job.call.id)
        told = self._coordinator.rejection_text(job.call.id, job.arguments, own, declined=failure.declined)
        if told is None:
            return own, ""
        job.tool_error, job.rejections = own if told.enriched else "", told.rejections
        return self._log.secrets.text(told.text, job.call.id), told.noted

    def _execution(self, job: ToolCallState) -> ToolCall:
        refused, spawn = frozenset(self._coordinator.ledger.refused), None
        if self._agents is not None and spawns(job.tool):
            spawn = self._agents.of(job, self._root, lambda: self._runs(job))
        copies = _copies_of(self._log, job.call.id)
        reviews = self._log.setup.reviews
        said = partial(self._report_line, job)
        return job.execution(
            self._checks.usable,
            reviews=reviews,
            refused=refused,
            spawn=spawn,
            copies=copies,
            plan=self._plan,
            skills=SkillText(self._log.setup.own_commands),
            history=HistoryText(self._log),
            progress=said,
            problems=self._checks.problems,
            sampler=None if self._model is None else ModelSampler(self._log, self._model, job),
        )

    def _report_line(self, job: ToolCallState, line: str) -> None:
        """Report an output line of a running call, without secrets."""
        job.said = self._log.secrets.text(line, job.call.id)
        self._say(job.call.id, job.call.name, "running")

    def _runs(self, job: ToolCallState) -> None:
        """A sub-agent now works for it."""
        self._coordinator.now(job.call.id, self._asking(job))
        self._say(job.call.id, job.call.name, "running")

    async def _question(self, job: ToolCallState, question: Question, form: FormView | None) -> CallResult | None:
        """Ask a question; return how the call ends, None if it runs again."""
        call, secrets = job.call, self._log.secrets
        question = secrets.question(question, call.id)
        if self._log.setup.approval_rules is not None and job.tool.source == "tool":
            question = replace(question, exact=True)  # a remembered answer covers what was shown, and no more (AR18)
        form = asked_ahead(None if form is None else secrets.form(form, call.id), job.setup.rules)
        kind = question.answer_type
        if isinstance(kind, SchemaAnswer) and (why := await self._checks.usable(kind.schema)) is not None:
            return CallResult(f"{call.name} asked for an answer by a schema that cannot be used: {why}", True, "error")
        rule = rule_for(job.setup.rules.get(question.id, v.Rule()), form)
        policies = job.setup.policies
        place, ruled = policies.places.get("tool", ""), await self._ruled(job, question)
        raised = v.QuestionRaised(
            call.id, question, job.tool.source, rule, policies.tool, form=form, policy_place=place, ruled=ruled
        )
        return await self._ask(job, raised)

    async def _ask(self, job: ToolCallState, raised: v.QuestionRaised) -> CallResult | None:
        """Ask, with the intent and the people that the question's rule wants; return how the call ends, None if it
        goes on."""
        people, asker = self._people(raised.rule)
        intent = await self._intent(raised.rule, job.call.id)
        with self._waits(job):
            verdict = await self._coordinator.question(replace(raised, intent=intent, people=people, asker=asker))
        return _next(job, verdict)

    def _people(self, rule: v.Rule) -> tuple[People | None, str]:
        """Return everyone of a shared store and the role that asks, where a setting says which people answer (D14)."""
        if rule.people.anyone:
            return None, ""
        setup = self._log.setup
        return people_of(setup, self._log.owner()), setup.journal.me()

    async def _ruled(self, job: ToolCallState, question: Question) -> v.Ruled | None:
        """Return the yes of rules and mode to the changes of this call (AR3, AR30). Where they leave it open, its
        prompt offers rules (AR18)."""
        rules = self._log.setup.approval_rules
        if rules is None or question.id != APPLY or not applies(job.tool):
            return None
        given = self._inputs(job, rules, refused=False, run="ask")
        decision = await decided(job, given, self._checks.usable)
        if (found := ruled_by(decision, rules.layers().mode)) is None and not question.floor:
            scopes = await rule_offers(job, given, decision, self._log.setup, APPLY)
            self._coordinator.now(job.call.id, replace(self._asking(job), scopes=scopes))
            self._coordinator.decides_again(job.call.id, partial(self._question_again, job, APPLY, "ask"))
        return found

    async def _intent(self, rule: v.Rule, call: str) -> str:
        """Return the assistant's stated intent for this call, if a reviewer may read it (retry_with_intent)."""
        if not self._log.setup.retry_with_intent or rule.target != "assistant_with_escalation":
            return ""
        return stated_intent(await self._log.model_messages(), call)

    async def _review(self, job: ToolCallState, form: FormView) -> CallResult | None:
        """Handle a complete form that may be reviewed (R182b)."""
        form = self._log.secrets.form(form, job.call.id)
        wanted = v.ReviewWanted(job.call.id, review_digest(form), form, job.tool.source)
        with self._waits(job):
            verdict = await self._coordinator.ask(wanted)
        return _next(job, verdict)

    async def _delivered(self, job: ToolCallState, done: CallResult) -> CallResult:
        """R93."""
        if job.setup.result == "skip":
            return replace(done, content="Result delivery skipped by configuration.", is_error=False, end="skipped")
        if job.setup.result == "unattended":
            return done
        if self._log.setup.client and job.kept is None:
            await self._keeping.keep(DELIVERY, [response(job.call.id, done, job, job.setup)])
        self._coordinator.now(job.call.id, self._asking(job).about(done.content, done.is_error))
        with self._waits(job):
            return await delivered(job, done, self._coordinator)


def _asked_of(job: ToolCallState) -> WantedPeople:
    """Return which people permit this call, by settings (store.md D14, D15)."""
    return job.setup.rules.get(PERMISSION if by_agent(job.tool) else CALL, v.Rule()).people


def _next(job: ToolCallState, verdict: object) -> CallResult | None:
    """Return how the call ends after its question; None if it runs again."""
    match verdict:
        case s.Complete(_, content, is_error, decision):
            job.permission = decision or job.permission
            return CallResult(content, is_error, "error" if is_error else "cancelled")
        case s.Defer():
            raise Deferred
        case s.RunAgain():
            job.answers, job.reviewed = verdict.answers, verdict.reviewed
            job.replied = FormLeft(verdict.reply) if verdict.replied else None
            job.ended = verdict.ended
            if verdict.ended and verdict.reply:
                job.words.append(verdict.reply)
            if verdict.arguments is not None:
                job.edit(verdict.arguments)
            return None
        case _:
            raise AssertionError(f"no way to go on: {type(verdict).__name__}")


def _notes(answers: Mapping[str, GivenAnswer], noted: str) -> str:
    """Append notes that came with a yes to the result (R182); `noted` is a question whose note is already in it."""
    notes = [given.note for question, given in answers.items() if given.note and question != noted]
    return "".join(f"\n\nThe user added: {note}" for note in notes)


def _edited(job: ToolCallState) -> str:
    """R97b: report to the model which arguments ran instead of its own."""
    if not job.edited:
        return ""
    arguments: JsonObject = job.arguments
    return f"\n\nThe user edited the arguments; it ran with: {dump(arguments)}"


def _copies_of(log: Log, call: str) -> CallCopies | None:
    """Return the destination of a call's backups; None if there are none. A sub-agent's go to its parent."""
    if log.setup.copies is None:
        return None
    if log.agent is not None:
        return CallCopies(log.setup.copies, log.agent.parent, log.agent.turn, log.agent.call)
    return CallCopies(log.setup.copies, log.id, log.turn, call)
