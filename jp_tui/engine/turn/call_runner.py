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

from jp_tui.conversation.model import Call
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.engine.asking import permission_ledger
from jp_tui.engine.asking.approval import forbidden, permitted, refused, unavailable
from jp_tui.engine.asking.call_decision import decided, insists_on, may_ask, skipped, why_asked
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.asking.delivery import delivered
from jp_tui.engine.asking.outcome_checks import review_digest, rule_for
from jp_tui.engine.asking.prompt_builder import PromptContext
from jp_tui.engine.base.backups import CallCopies
from jp_tui.engine.base.call_state import CallResult, Deferred, ResumedCalls, ToolCallState
from jp_tui.engine.record.call_response import response
from jp_tui.engine.record.history_text import HistoryText
from jp_tui.engine.record.log import Log
from jp_tui.engine.record.model_context import REPAIRED
from jp_tui.engine.record.unlogged_results import DELIVERY, LEAVE, UnloggedResults
from jp_tui.engine.schema_check.validation import Checks
from jp_tui.engine.turn.call_rendering import render_after, render_before
from jp_tui.engine.turn.intent import stated_intent
from jp_tui.engine.turn.outcome_shape import find_problem
from jp_tui.engine.turn.plan import REFUSED, TurnPlan
from jp_tui.engine.turn.subagent_spawner import SubagentSpawner
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import gone, repeats
from jp_tui.inquiry import values as v
from jp_tui.journal.port import JournalError
from jp_tui.protocol.values import CallEnd, CallState
from jp_tui.questions.types import FormView, Question, SchemaAnswer
from jp_tui.tools.port import FormLeft, GivenAnswer, NeedsInput, NeedsReview, ToolCall, spawns, submits


class CallRunner:
    """Runs calls of one batch; `earlier` has the known facts of a resumed turn's calls (R237), `agents` starts their
    sub-agents."""

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
    ) -> None:
        self._log, self._coordinator, self._checks, self._root, self._say = log, coordinator, checks, root, say
        self._keeping, self._agents = keeping, agents
        self._plan = TurnPlan(log, coordinator)
        self._answers, self._results = dict(earlier.answers), dict(earlier.results)
        self._started = dict(earlier.agents)
        self._begun = earlier.begun
        self._jobs: dict[str, ToolCallState] = {}

    def job(self, call: str) -> ToolCallState | None:
        """Return the state of a started call."""
        return self._jobs.get(call)

    def waits(self, call: Call) -> bool:
        """True if a person or a formatter must finish before this call can run."""
        setup = self._log.setup.tools.get(call.name)
        if setup is None or setup.tool is None or call.id in self._results or self._forbidden:
            return False
        if setup.run in ("ask", "edit") or (setup.format == "unattended" and hasattr(setup.tool, "render")):
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
            job.permission = dict(gone.DECISION)

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
        if self._log.planning and not setup.read_only and call.id not in self._results:
            return CallResult(REFUSED, True, "error")
        if submits(setup.tool) and not self._log.planning:
            return CallResult(unavailable(call.name), True, "error")
        job = self._jobs[call.id] = ToolCallState(call, setup, setup.tool, call.arguments, self._root, self._log.id)
        job.workspace = str(self._log.setup.workspace)
        job.ignored = partial(self._log.setup.ignored, self._root)
        job.answers = self._answers.pop(call.id, {})
        job.agent = self._started.pop(call.id, None)
        if (result := self._results.pop(call.id, None)) is not None:
            job.restore(result)
        try:
            self._coordinator.begin(call.id, self._asking(job))
            if job.kept is not None:  # permission was given, and used
                return None
            if why := self._coordinator.refusal(call.name, call.arguments):
                job.permission = dict(repeats.REFUSED)
                return CallResult(why, True, "error")
            if setup.run == "skip":
                return CallResult("Tool skipped by configuration.", False, "skipped")
            return await render_before(job, self._log, self._checks.usable) or await self._permitted(job)
        except (Deferred, JournalError):
            raise
        except Exception as bug:
            return self._bug(job, bug)

    async def _permitted(self, job: ToolCallState) -> CallResult | None:
        """Rules first (AR6, AR7), then whoever is to be asked."""
        floor, asks = refused(job, self._coordinator), job.setup.run != "unattended"
        insists: v.Insists = ""
        why = ""
        if (rules := self._log.setup.approval_rules) is not None:
            decision = await decided(job, rules, self._checks.usable, refused=bool(floor))
            if decision.choice == "skip":
                done, job.permission = skipped(decision)
                return done
            if decision.choice == "run" and job.setup.run != "edit":
                if decision.by in ("rule", "engine") and asks:
                    job.permission = {"choice": "run", "by": "rule", "rules": list(decision.rules)}
                return None
            asks = True
            insists, why = insists_on(decision), why_asked(decision)
        if not asks:
            return None
        self._coordinator.now(job.call.id, self._asking(job))
        return await permitted(job, self._coordinator, floor, insists, why)

    async def _denied_since(self, job: ToolCallState) -> CallResult | None:
        """Rules may have changed since leave was given, and so may the arguments."""
        if (rules := self._log.setup.approval_rules) is None:
            return None
        walled = job.walled
        decision = await decided(job, rules, self._checks.usable, refused=False)
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
            if (ended := await self._denied_since(job)) is not None:
                return ended
            if floor := refused(job, self._coordinator):  # perhaps since it was permitted
                self._coordinator.now(call.id, self._asking(job))
                with self._waits(job):
                    ended = await permitted(job, self._coordinator, floor)
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
            self._say(call.id, call.name, "running")
            self._coordinator.now(call.id, self._asking(job))
            outcome: object = await job.tool.run(self._execution(job))
            if (why := find_problem(outcome)) is not None:
                return CallResult(f"{call.name} {why}.", True, "error")
            match outcome:
                case Success() | Failure():
                    clean = secrets.outcome(outcome, call.id)
                    failed = isinstance(clean, Failure)
                    content, noted = self._error(job, clean) if isinstance(clean, Failure) else (clean.content, "")
                    content += secrets.text(_notes(job.answers, noted) + _edited(job), call.id)
                    end: CallEnd = "error" if failed else "ok"
                    if isinstance(clean, Failure) and clean.declined and job.rejected_by:
                        end = "declined"  # a "no" is an outcome, no failure (Z15)
                    return CallResult(content, failed, end, own=True)
                case NeedsInput(question, form):
                    if (ended := await self._question(job, question, form)) is not None:
                        return ended
                case NeedsReview(form):
                    if (ended := await self._review(job, form)) is not None:
                        return ended
                case _:
                    raise AssertionError("looked at above")

    def _error(self, job: ToolCallState, failure: Failure) -> tuple[str, str]:
        """Return the model's text for a failure, and the question whose note is already in it (R141-R143)."""
        own = failure.for_model()
        job.rejected_by = self._coordinator.failed(job.call.id)
        told = self._coordinator.told(job.call.id, job.arguments, own, declined=failure.declined)
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
        said = partial(self._said, job)
        return job.execution(
            self._checks.usable,
            reviews=reviews,
            refused=refused,
            spawn=spawn,
            copies=copies,
            plan=self._plan,
            history=HistoryText(self._log),
            progress=said,
        )

    def _said(self, job: ToolCallState, line: str) -> None:
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
        form = None if form is None else secrets.form(form, call.id)
        kind = question.answer_type
        if isinstance(kind, SchemaAnswer) and (why := await self._checks.usable(kind.schema)) is not None:
            return CallResult(f"{call.name} asked for an answer by a schema that cannot be used: {why}", True, "error")
        rule = rule_for(job.setup.rules.get(question.id, v.Rule()), form)
        policies = job.setup.policies
        place = policies.places.get("tool", "")
        raised = v.QuestionRaised(
            call.id,
            question,
            job.tool.source,
            rule,
            policies.tool,
            form=form,
            policy_place=place,
            intent=await self._intent(rule, call.id),
        )
        with self._waits(job):
            verdict = await self._coordinator.question(raised)
        return _next(job, verdict)

    async def _intent(self, rule: v.Rule, call: str) -> str:
        """Return the assistant's stated intent for this call, if a reviewer may read it (retry_with_intent)."""
        if not self._log.setup.retry_with_intent or rule.target != "assistant_with_escalation":
            return ""
        return stated_intent(await self._log.told(), call)

    async def _review(self, job: ToolCallState, form: FormView) -> CallResult | None:
        """Handle a complete form that may be reviewed (R182b)."""
        form = self._log.secrets.form(form, job.call.id)
        wanted = v.ReviewWanted(job.call.id, review_digest(form), form, job.tool.source)
        with self._waits(job):
            verdict = await self._coordinator.review(wanted)
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
