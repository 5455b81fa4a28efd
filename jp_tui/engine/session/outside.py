"""Questions of other programs (intake.md N1-N8): asked, waited for, answered and closed in the log alone.

A conversation of kind `outside` has no model and no holder: each append is one transaction that counts only while the
question is open, so the first answer wins whoever gives it. The machine that decides is that of every other question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import read_timestamp, timestamp
from jp_tui.conversation.model import Message, ModelError
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse_object
from jp_tui.conversation.text import first_line
from jp_tui.engine.base.dependencies import EngineDependencies, ReviewQuestion
from jp_tui.engine.base.people import is_shared, people_of
from jp_tui.engine.record.event_codec import MAX_STORED_BYTES, entry, signed, stored_event
from jp_tui.engine.record.inquiries import (
    ARGUMENTS,
    REMEMBERED,
    Answer,
    Asked,
    asker_of,
    covered,
    editable,
    last_response,
)
from jp_tui.engine.record.outside_rows import CALL, TURN, asked_question, first_rows
from jp_tui.engine.record.outside_rows import rows as stored_rows
from jp_tui.engine.record.rules.record import rule_added
from jp_tui.engine.recovery.answer_stored import DecidedAnswer, RequestPeople, decide_stored, people_asked
from jp_tui.engine.recovery.offered_answers import GONE, Settled
from jp_tui.engine.schema_check.validation import Checks, verdicts
from jp_tui.engine.session.permission import wanted_permission
from jp_tui.engine.session.session_memory import (
    SessionMemory,
    keep_rules,
    new_rules,
    offered_rule,
    session_conversation,
)
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry import why
from jp_tui.inquiry.decide import decide
from jp_tui.inquiry.people import standing
from jp_tui.journal.port import JournalError, NewEvent
from jp_tui.protocol.events import Event
from jp_tui.protocol.outside import (
    ASKER,
    CLAIMED,
    WAITER,
    Asker,
    AskOutside,
    AskOutsideForm,
    OutsideAsked,
    OutsideSettled,
    PermitOutside,
    measured,
)
from jp_tui.protocol.people import Approvals
from jp_tui.protocol.values import ChosenRule
from jp_tui.questions.arguments import ItemForm, judged, read
from jp_tui.questions.bounds import BREAKS, MAX_CONTEXT, beyond
from jp_tui.questions.reading import read_question
from jp_tui.questions.refusals import sentences
from jp_tui.questions.types import BooleanAnswer, Question, SecretAnswer
from jp_tui.system.processes import has_ended
from jp_tui.system.secret_socket import INVALID, LATE, TAKEN, SecretSocket, SocketError, give

MOST_OF_PROGRAM, MOST_OF_USER = 64, 1000
"""Open questions (N7)."""
MOST_CLAIMED = 200
"""Characters kept of what a program says of itself."""
NOTE = "explanation"
"""Metadata of a request: which process waits; of a cancellation: the words of who declined."""

Outcome = Literal["answered", "declined", "timed_out", "withdrawn", "failed"]


class OutsideQuestion:
    """The question that this process asks for another program."""

    def __init__(self, setup: EngineDependencies, checks: Checks, publish: Callable[[Event], None]) -> None:
        self._setup, self._checks, self._publish = setup, checks, publish
        self._conversation = self._inquiry = self._why = ""
        self._call = CALL
        self._told: tuple[Message, ...] = ()
        self._began = 0.0
        self._done = self._asking = self._stops = False
        self._secret: str | None = None
        self._taking = asyncio.Lock()
        self._permission: tuple[PermitOutside, SessionMemory] | None = None
        self._state = v.State(client=True)

    async def ask(self, command: AskOutside) -> None:
        """Record the question, report it, wait for what becomes of it, report that. Raises ValueError for a question
        that breaks a rule, and JournalError."""
        await self.ask_question(await self._question(command.question), command, command.timeout_secs)

    async def ask_question(
        self, question: Question, command: AskOutside | AskOutsideForm, seconds: float | None = None
    ) -> None:
        """As `ask`, for a question that is already checked."""
        tool = f"outside.{command.asker.program}"
        rule = self._setup.outside_rule(tool, question.id)
        if isinstance(command, AskOutside) and command.to:
            rule = replace(rule, people=replace(rule.people, to=command.to, to_place="--to"))
        if isinstance(command, AskOutside) and rule.people.own and not isinstance(question.answer_type, BooleanAnswer):
            raise ValueError(why.approvals_wrong(tool, question, rule))
        held = await verdicts(self._checks, question.answer_type, [rule.answer, question.default])
        raised = v.QuestionRaised(self._call, question, "outside", rule, verdicts=held, **self._asks(rule))
        await self._raise(command, tool, raised, seconds)

    async def permit(self, command: PermitOutside) -> None:
        """Decide by rules and settings whether another program's tool may run, else ask as `ask` (N3). All of it is
        recorded in the conversation of that program's session. Raises ValueError for an input that can't be shown, and
        JournalError."""
        conversation = session_conversation(command.asker, command.program, command.session)
        memory = SessionMemory.of(self._setup.journal, conversation)
        wanted = wanted_permission(self._setup, command, memory)
        if command.named and not wanted.named:
            self._finish(OutsideSettled(outcome="open"))
            return
        self._call, self._told = self._setup.new_id(), memory.told
        self._permission = command, memory
        asks = self._asks(wanted.rule)
        raised = v.QuestionRaised(self._call, wanted.question, "outside", wanted.rule, ruled=wanted.ruled, **asks)
        await self._raise(
            command,
            wanted.tool,
            raised,
            command.timeout_secs,
            ledger=wanted.ledger,
            about=wanted.about,
            joins=conversation,
        )

    def _asks(self, rule: v.Rule) -> dict[str, Any]:
        """Return everyone of a shared store and the role that asks, where a setting says which people answer (store.md
        D14). Raises JournalError."""
        if rule.people.anyone:
            return {}
        me = self._setup.journal.me()
        return {"people": people_of(self._setup, me), "asker": me}

    async def _raise(
        self,
        command: AskOutside | AskOutsideForm | PermitOutside,
        tool: str,
        raised: v.QuestionRaised,
        seconds: float | None,
        *,
        ledger: v.Ledger | None = None,
        about: JsonObject | None = None,
        joins: str = "",
    ) -> None:
        """Record it in a conversation of its own, or in that of its session, `joins`, and wait."""
        self._state = v.State(
            client=True,
            on_failure=self._setup.on_failure,
            calls=MappingProxyType({self._call: v.Work(tool)}),
            ledger=ledger or v.Ledger(),
        )
        steps = self._decide(raised)
        told: JsonObject = {
            ASKER: measured(command.asker),
            WAITER: measured(command.waiter),
            **(about or {}),
        }
        if claimed := command.claimed.model_dump(exclude_defaults=True):
            told[CLAIMED] = {key: str(said)[:MOST_CLAIMED] for key, said in claimed.items()}
        self._asking = True
        try:
            await self._record_first(raised.question, command.asker, steps, told, joins)
        except JournalError as problem:
            if problem.kind != "invalid":
                raise
            self._finish(OutsideSettled(outcome="failed", reason=str(problem)))
            return
        finally:
            self._asking = False
        limits = [float(one) for one in (seconds, raised.rule.deadline_secs) if one is not None]
        await self._follow(steps, tool, told, min(limits, default=None))

    async def withdraw(self) -> None:
        """The asker ends: close the question (N6). Raises JournalError."""
        self._stops = True
        if self._asking:
            return  # it isn't on record yet; `ask` closes it as soon as it is
        if self._inquiry and not self._done:
            await self._close(_ended(self._inquiry, "withdrawn"))
        self._finish(self._settled())

    # -- asking

    async def _question(self, raw: JsonObject) -> Question:
        """Return the question. Raises ValueError with one sentence a problem (V1-V20)."""
        kind, text = raw.get("answer_type"), raw.get("text")
        if kind == "secret":
            if raw.get("default") is not None:
                raise ValueError("a secret has no default.")
            if isinstance(text, str) and not BREAKS.isdisjoint(text):
                raise ValueError("`text` must be a single line; put anything longer in `context`.")
            known = {key: value for key, value in raw.items() if key in ("id", "text", "context")}
            found = read_question({**known, "answer_type": {"type": "secret"}})
            return replace(found, persistence="none")
        form = read({"questions": [raw]})
        form = judged(form, {path: await self._checks.usable(schema) for path, schema in form.schemas})
        if not isinstance(form, ItemForm):
            raise ValueError("\n".join(one.removeprefix(": ") for one in sentences(form.problems, "").splitlines()))
        return asked_question(form.items[0])

    def _decide(self, given: v.Input) -> list[s.Step]:
        self._state, steps = decide(self._state, given)
        return steps

    async def _record_first(
        self, question: Question, asker: Asker, steps: list[s.Step], about: JsonObject, joins: str
    ) -> None:
        setup, program = self._setup, asker.program
        at = timestamp(setup.now())
        rows = first_rows([step.event for step in steps if isinstance(step, s.Record)], about, at)
        opens, title = self._awaited(steps), first_line(question.text)[:200]

        def admits(payloads: Sequence[str]) -> None:
            if opens and (words := too_many(payloads, program, asker.uid)):
                raise JournalError("invalid", words)

        id_ = joins or setup.new_id()
        where = str(setup.workspace)
        await setup.journal.ask_outside(
            id_, rows, workspace=where, at=at, title=title, admits=admits, joins=bool(joins)
        )
        self._conversation, self._began = id_, setup.monotonic()

    def _rows(self, steps: Sequence[s.Step], about: JsonObject, at: str) -> list[NewEvent]:
        """Return the facts in stored form; requests name the asker (N4)."""
        return stored_rows([step.event for step in steps if isinstance(step, s.Record)], about, at)

    @staticmethod
    def _awaited(steps: Sequence[s.Step]) -> v.OpenQuestion | None:
        """Return the question that waits after these steps, None if it was closed at once."""
        return next((step.open for step in steps if isinstance(step, s.AskHuman | s.AskReviewer)), None)

    async def _close(self, event: ev.InquiryResponse) -> bool:
        """Close the question if it is still open. Return False if another answer was first."""
        return await _close(self._setup, self._conversation, self._inquiry, TURN, [event])

    # -- waiting

    async def _follow(self, steps: list[s.Step], tool: str, about: JsonObject, seconds: float | None) -> None:
        end = None if seconds is None else self._began + seconds
        while (waits := self._awaited(steps)) is not None:
            self._inquiry = waits.inquiry
            self._why = next((step.why for step in steps if isinstance(step, s.AskHuman | s.AskReviewer)), "")
            if isinstance(waits.question.answer_type, SecretAnswer):
                listens = SecretSocket(self._setup.secrets_folder, self._conversation, self._take)
                await listens.open()
                try:
                    await self._wait_for(waits, end)
                finally:
                    await listens.close()  # its giver gets a reply first: the process ends with this report
                self._finish(self._settled())
                return
            review = next((step for step in steps if isinstance(step, s.AskReviewer)), None)
            if review is None:
                await self._wait_for(waits, end)
                self._finish(self._settled())
                return
            reviews = asyncio.create_task(self._review(review, tool))
            wait = asyncio.create_task(self._wait_for(waits, end))
            try:
                await asyncio.wait((reviews, wait), return_when=asyncio.FIRST_COMPLETED)
                if wait.done():
                    self._finish(self._settled())
                    return
                steps = self._decide(reviews.result())
                rows = self._rows(steps, about, timestamp(self._setup.now()))
                if not await self._setup.journal.settle_outside(self._conversation, self._inquiry, rows):
                    break
            finally:
                for task in (reviews, wait):
                    task.cancel()
                await asyncio.gather(reviews, wait, return_exceptions=True)
        self._inquiry = self._inquiry or next((step.event.id for step in steps if isinstance(step, s.Record)), "")
        failed = next((step.content for step in steps if isinstance(step, s.Complete) and step.is_error), "")
        self._finish(self._settled(failed))

    async def _wait_for(self, waits: v.OpenQuestion, end: float | None) -> None:
        """Report the question, and wait until it is closed."""
        secret = isinstance(waits.question.answer_type, SecretAnswer)
        asked, why = waits.asked, "" if waits.rule.people.anyone else self._why
        self._publish(
            OutsideAsked(
                conversation=self._conversation,
                inquiry=waits.inquiry,
                digest=waits.digest,
                secret=secret,
                to=asked.to,
                approvals=Approvals(needed=asked.needed) if asked.needed > 1 else None,
                why=why,
            )
        )
        if self._stops:
            await self.withdraw()
            return
        await self._wait(end)

    async def _take(self, secret: str) -> str:
        """Take a secret from the process that answers (N8). Its value is never stored (R202)."""
        async with self._taking:
            if self._done or self._response() is not None:
                return LATE
            self._secret = secret  # first: who waits for the commit may see it before this goes on
            return TAKEN if await self._close(ev.InquiryRedacted(id=self._inquiry)) else LATE

    async def _wait(self, end: float | None) -> None:
        """Wait until the question is closed, by anybody or by its time limit."""
        setup = self._setup
        while not self._done:
            if self._response() is not None:
                return
            if setup.journal.conversation(self._conversation) is None:
                return  # deleted: nothing can answer it any more
            left = None if end is None else end - setup.monotonic()
            if left is not None and left <= 0:
                await self._close(_ended(self._inquiry, "timed_out"))
                return
            await setup.commits.wait(left)

    async def _review(self, ask: s.AskReviewer, tool: str) -> v.ReviewerAnswered | v.ReviewerFailed:
        """Ask the reviewer, who sees the question, its context and the session's earlier exchanges only (N2)."""
        setup, opened = self._setup, ask.open
        if setup.reviewer is None:
            return v.ReviewerFailed(opened.inquiry, "no reviewing model is available")
        try:
            model = await setup.open_model("")
        except ModelError as problem:
            return v.ReviewerFailed(opened.inquiry, str(problem), advice=problem.advice)
        asked = ReviewQuestion(
            inquiry=opened.inquiry,
            tool=tool,
            question=opened.question,
            told=self._told,
            model=model,
            overrides=opened.rule.overrides,
        )
        found = await setup.reviewer.inquire(asked, _Quiet())
        if isinstance(found, v.ReviewerAnswered):
            held = await verdicts(self._checks, opened.question.answer_type, [found.value])
            return replace(found, verdicts=held)
        return found

    # -- what became of it

    def _response(self) -> Answer | None:
        return last_response(self._setup.journal, self._conversation, self._inquiry)

    def _finish(self, settled: OutsideSettled) -> None:
        if not self._done:
            self._done = True
            self._publish(settled)

    def _settled(self, failed: str = "") -> OutsideSettled:
        ms = int((self._setup.monotonic() - self._began) * 1000) if self._began else 0
        found: Answer | None = None
        if self._inquiry:
            try:
                found = self._response()
            except JournalError:
                found = None
        answer: object = None
        edited: JsonObject | None = None
        approved: tuple[str, ...] = ()
        reason, outcome, responder = failed, "withdrawn", {}
        match found:
            case ev.InquiryAnswered(answer=answer, explanation=words, responder=who):
                reason, outcome = words or "", "answered"
                responder = who.wire() if who is not None else {}
                approved = approved_by(found)
                if answer is True and isinstance(given := found.metadata.get(ARGUMENTS), dict):
                    edited = given
                    answer, reason = self._edited(given, reason)
                    responder = responder if answer else {}
            case ev.InquiryCancelled(reason=tag, metadata=metadata, responder=who):
                reason, outcome = failed or str(metadata.get(NOTE, "")), _outcome(tag, bool(failed))
                responder = who.wire() if who is not None else {}
            case ev.InquiryRedacted() if self._secret is not None:
                answer, outcome = self._secret, "answered"
                responder = ev.Responder("user", via="process").wire()
            case _:
                pass
        return OutsideSettled(
            outcome=outcome,  # type: ignore[arg-type]  # one of its words
            conversation=self._conversation,
            answer=answer,
            reason=reason,
            responder=responder,
            ms=ms,
            arguments=edited,
            approved_by=approved,
        )

    def _edited(self, arguments: JsonObject, reason: str) -> tuple[bool, str]:
        """Return the decision about a call that a person edited and allowed, and its reason: a no of rules and settings
        holds for what it is now, too."""
        if self._permission is None:
            return False, "Its arguments can't be edited."
        command, memory = self._permission
        changed = command.model_copy(update={"arguments": arguments, "changes": (), "named": False, "edits": False})
        try:
            ruled = wanted_permission(self._setup, changed, memory).ruled
        except ValueError as problem:
            return False, str(problem)
        return (True, reason) if ruled is None or ruled.value else (False, ruled.reason)


async def _close(
    setup: EngineDependencies,
    conversation: str,
    inquiry: str,
    turn: int,
    events: Sequence[ev.InquiryFact],
    made: Sequence[JsonObject] = (),
    rule: ChosenRule | None = None,
    after: int | None = None,
) -> bool:
    """Append these, stamped with the time, if the question is still open, and if `after` is the number of its last
    event; rules that the answer makes before it. Return False if another answer was first."""
    at = timestamp(setup.now())
    lasts = "" if rule is None else rule.lifetime
    facts = [rule_added(at, one, lifetime=lasts, inquiry=inquiry) for one in made]
    who = setup.journal.me(), setup.machine
    given = [signed(replace(one, timestamp=at), *who) for one in events]
    rows = [entry(one, turn, at)[0] for one in (*facts, *given)]
    return await setup.journal.settle_outside(conversation, inquiry, rows, after)


def _ended(inquiry: str, reason: Literal["withdrawn", "timed_out"]) -> ev.InquiryCancelled:
    """Return the end of a question without an answer."""
    return ev.InquiryCancelled(id=inquiry, reason=reason, responder=ev.Responder("system"))


def _outcome(tag: str, failed: bool) -> Outcome:
    if failed:
        return "failed"
    return "timed_out" if tag == "timed_out" else "withdrawn" if tag == "withdrawn" else "declined"


def approved_by(event: ev.InquiryAnswered) -> tuple[str, ...]:
    """Return the people whose approvals an answer took, if there were several (store.md D15)."""
    names = event.extra.get("approved_by")
    return tuple(str(one) for one in names) if isinstance(names, list) else ()


class _Quiet:
    """A listener of a reviewer that shows nothing."""

    def asks(self, model: str) -> None:
        """See ReviewListener."""

    def says(self, kind: Literal["thought", "reason"], text: str, *, fresh: bool = False) -> None:
        """See ReviewListener."""

    def waits(self, detail: str = "", seconds: float | None = None) -> None:
        """See ReviewListener."""


def too_many(payloads: Sequence[str], program: str, uid: int) -> str:
    """Return why no further question of the program is taken (N7), empty if it is."""
    found = [one for payload in payloads if (one := _asker_in(payload)) is not None and one.uid == uid]
    if len(found) >= MOST_OF_USER:
        return f"Too many questions from outside wait ({MOST_OF_USER:,})."
    if sum(one.program == program for one in found) >= MOST_OF_PROGRAM:
        return f"Too many questions of {program} wait ({MOST_OF_PROGRAM})."
    return ""


def _asker_in(payload: str) -> Asker | None:
    try:
        event = read_event(parse_object(payload, max_bytes=MAX_STORED_BYTES, max_depth=128))
    except JsonProblem:
        return None
    return asker_of(event) if isinstance(event, ev.InquiryRequest) else None


async def answer_outside(
    setup: EngineDependencies,
    checks: Checks,
    asked: Asked,
    text: str,
    note: str,
    *,
    decline: bool,
    hidden: bool,
    remember: bool = False,
    rule: ChosenRule | None = None,
    arguments: JsonObject | None = None,
) -> Settled:
    """Answer or decline an open question of another program. The first one wins. `hidden`: the text was not on a
    command line, so a secret is taken (N8); `remember`: for the rest of its session (N3); `rule`: make these rules, in
    the same transaction (AR21); `arguments`: of the call that a yes is to, if it was edited. Raises JournalError."""
    row, request = asked
    if (remember or rule is not None) and (decline or not covered(request)):
        return "invalid", "this answer can't be remembered"
    if arguments is not None:
        if decline or remember or rule is not None or editable(request) is None:
            return "invalid", "its arguments can't be edited"
        if (wrong := beyond(arguments, "the arguments", max_bytes=MAX_CONTEXT)) is not None:
            return "invalid", wrong[2].rstrip(".")
    offer = None
    if rule is not None and (offer := offered_rule(request, rule, setup)) is None:
        return "invalid", "the question doesn't offer this rule"
    if not decline and is_secret(request):
        people = _people(setup, row.conversation, request)
        if people.by is not None and not (found := standing(people.asked, people.by.people, people.by.name)).may:
            return "not_yours", found.why
        if not hidden:
            return "invalid", "a secret is taken only from standard input (-) or in the workspace"
        return await _give(setup, asked, text)
    while True:
        after = None
        if is_shared(setup):
            if not (rows := setup.journal.inquiry_events(row.conversation, request.id)):
                return "stale", GONE  # closed meanwhile, so that this user reads nothing of it any more
            after = rows[-1].seq
        people = _people(setup, row.conversation, request)
        decided = await _decided(setup, checks, request, text, note, people, decline=decline)
        if isinstance(decided, tuple):
            return decided
        events: Sequence[ev.InquiryFact] = decided.events
        if not events:
            return decided.settled
        if people.asked.needed > 1 and (remember or offer is not None or arguments is not None):
            return "invalid", "several people approve it once, as it is"
        if remember and offer is None:
            events = [replace(one, metadata={**one.metadata, REMEMBERED: True}) for one in events]
        yes = any(isinstance(one, ev.InquiryAnswered) and one.answer is True for one in events)
        if arguments is not None:
            if not yes:
                return "invalid", "arguments can be edited only with a yes"
            events = [replace(one, metadata={**one.metadata, ARGUMENTS: arguments}) for one in events]
        made: tuple[JsonObject, ...] = ()
        if offer is not None and rule is not None:
            made = new_rules(offer, rule, setup, yes=yes, reason=note)
            names: list[Json] = [str(one["id"]) for one in made]
            events = [replace(one, metadata={**one.metadata, "rules": names}) for one in events]
        if await _close(setup, row.conversation, request.id, row.entry.turn, events, made, rule, after):
            kept = "" if rule is None else await keep_rules(setup, row.conversation, rule, made)
            return decided.settled if rule is None else (decided.settled[0], kept)
        response = last_response(setup.journal, row.conversation, request.id)
        if response is not None or after is None:
            by = None if isinstance(response, ev.InquiryRedacted) or response is None else response.responder
            return "answered", (by.who or by.kind) if by is not None else ""


def _people(setup: EngineDependencies, conversation: str, request: ev.InquiryRequest) -> RequestPeople:
    """Return which people it asks now, and this process's user. Raises JournalError."""
    row = setup.journal.rows([conversation]).get(conversation) if is_shared(setup) else None
    return people_asked(setup, conversation, request, lambda: row.owner if row is not None else "")


async def _decided(
    setup: EngineDependencies,
    checks: Checks,
    request: ev.InquiryRequest,
    text: str,
    note: str,
    people: RequestPeople,
    *,
    decline: bool,
) -> DecidedAnswer | Settled:
    """Return what an answer, or a no to all answers, adds to the log. Raises JournalError."""
    ms = _since(setup, request)
    if not decline:
        return await decide_stored(setup, checks, request, text, note, ms=ms, asked=people)
    about: JsonObject = {NOTE: note} if note else {}
    who = ev.Responder("user", via="process", ms=ms)
    if people.by is not None and people.by.name != people.by.people.owner:  # who asks may withdraw it (D14)
        found = standing(people.asked, people.by.people, people.by.name)
        if not found.may:
            return "not_yours", found.why
        who = replace(who, on_behalf=found.stands_for)
    event = ev.InquiryCancelled(id=request.id, reason="user", responder=who, metadata=about)
    return DecidedAnswer([event], ("accepted", ""))


async def _give(setup: EngineDependencies, asked: Asked, secret: str) -> Settled:
    try:
        said = await give(setup.secrets_folder, asked[0].conversation, secret)
    except SocketError as problem:
        return "stale", str(problem)
    if said == TAKEN:
        return "accepted", ""
    return ("invalid", "it isn't valid for this question") if said == INVALID else ("answered", "")


def is_secret(request: ev.InquiryRequest) -> bool:
    """True if a secret is asked for."""
    kind = request.question.get("answer_type")
    return isinstance(kind, dict) and kind.get("type") == "secret"


def _since(setup: EngineDependencies, request: ev.InquiryRequest) -> int | None:
    try:
        return max(0, int((setup.now() - read_timestamp(request.timestamp)).total_seconds() * 1000))
    except ValueError:
        return None


def ended(request: ev.InquiryRequest) -> bool:
    """True if the process that waits for this answer has ended (N6)."""
    waiter = request.metadata.get(WAITER)
    if request.source.kind != "outside" or not isinstance(waiter, dict):
        return False
    pid, started, host, boot = (waiter.get(key) for key in ("pid", "started", "host", "boot"))
    if not (isinstance(pid, int) and isinstance(started, str) and isinstance(host, str)):
        return False
    return has_ended(pid, started, host, boot if isinstance(boot, str) else "")


async def close_ended(setup: EngineDependencies) -> int:
    """Close open questions whose asker has ended as withdrawn (N6). Return their number. Raises JournalError."""
    closed = 0
    for row in setup.journal.open_inquiries(None):
        event = read_event(stored_event(row).event)
        if not isinstance(event, ev.InquiryRequest) or not ended(event):
            continue
        try:
            closed += await _close(setup, row.conversation, event.id, row.entry.turn, [_ended(event.id, "withdrawn")])
        except JournalError as problem:
            if problem.kind != "refused":  # it is another's, who closes it
                raise
    return closed
