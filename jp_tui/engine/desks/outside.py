"""Service for `ask`, hooks and `mcp serve`: questions of other programs, and their end (intake.md N1, N3, N6, N30); who
works here, ours and theirs (N24)."""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.engine.desks.port import Desk, DeskContext, Handlers
from jp_tui.engine.session.agents_at_work import agents_at_work
from jp_tui.engine.session.outside import OutsideQuestion
from jp_tui.engine.session.outside_form import OutsideForm
from jp_tui.journal.port import JournalError
from jp_tui.protocol.events import Event
from jp_tui.protocol.outside import (
    AskOutside,
    AskOutsideForm,
    OutsideAsked,
    OutsideFormSettled,
    OutsideSettled,
    PermitOutside,
    ReadAgents,
    WithdrawOutside,
)

BROKEN = "jp-tui failed. Nothing was decided."


def desk(context: DeskContext) -> Desk:
    """Serves the questions of the process it runs in, each by its name."""
    open_: dict[str, OutsideQuestion | OutsideForm] = {}
    setup, checks = context.setup, context.checks

    def publishes(asking: str) -> Callable[[Event], None]:
        def publish(event: Event) -> None:
            if isinstance(event, OutsideAsked | OutsideSettled):
                event = event.model_copy(update={"asking": asking})
            context.publish(event)

        return publish

    async def ask(command: AskOutside) -> None:
        question = open_[command.asking] = OutsideQuestion(setup, checks, publishes(command.asking))
        try:
            await question.ask(command)
        finally:
            open_.pop(command.asking, None)

    async def permit(command: PermitOutside) -> None:
        question = open_[command.asking] = OutsideQuestion(setup, checks, publishes(command.asking))
        try:
            await question.permit(command)
        except (JournalError, ValueError) as problem:
            publishes(command.asking)(OutsideSettled(outcome="failed", reason=str(problem)))
        finally:
            open_.pop(command.asking, None)

    async def ask_form(command: AskOutsideForm) -> None:
        form = open_[command.asking] = OutsideForm(setup, checks, publishes(command.asking))
        try:
            await form.run(command)
        except JournalError as problem:  # of this call alone: others go on
            context.publish(OutsideFormSettled(asking=command.asking, text=str(problem), failed=True))
        except Exception:
            context.publish(OutsideFormSettled(asking=command.asking, text=BROKEN, failed=True))
            raise
        finally:
            open_.pop(command.asking, None)

    async def withdraw(command: WithdrawOutside) -> None:
        if (one := open_.get(command.asking)) is not None:
            await one.withdraw()
        else:
            publishes(command.asking)(OutsideSettled(outcome="withdrawn"))

    async def read(_: ReadAgents) -> None:
        context.publish(agents_at_work(setup, context.sessions))

    beside: Handlers = {AskOutside: ask, AskOutsideForm: ask_form, PermitOutside: permit, WithdrawOutside: withdraw}
    return Desk(beside={**beside, ReadAgents: read})
