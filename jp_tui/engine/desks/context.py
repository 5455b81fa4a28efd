"""The desk that tells what goes to the model (context.md K12), and the own commands (K50). It sends nothing, and opens
no conversation."""

from __future__ import annotations

from dataclasses import replace

from jp_tui.engine.base.dependencies import ModelFacts
from jp_tui.engine.context.own_commands import commands_read
from jp_tui.engine.context.parts import read_context
from jp_tui.engine.desks.mcp.content import prompt_commands
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.engine.record.log import Log
from jp_tui.journal.port import ConversationRow
from jp_tui.protocol.context import ReadContext
from jp_tui.protocol.events import Event, EventAppended
from jp_tui.protocol.own_commands import OwnCommand, ReadOwnCommands


def desk(context: DeskContext) -> Desk:
    """For the open conversation, a stored one, or a new one."""
    setup = context.setup

    async def read(command: ReadContext) -> None:
        session = context.sessions.get(command.conversation)
        if command.which == "open" and session is not None:
            context.publish(await read_context(session.log, session.models.facts))
            return
        row: ConversationRow | None = None
        if command.which in ("open", "id"):
            row = setup.journal.conversation(command.conversation)
            if row is None:
                context.unknown(command.type, command.conversation)
                return
        elif command.which == "latest":
            row = setup.journal.latest(str(setup.workspace))
        model = _facts(row)
        log = Log(setup, lambda _: None, "", model.id)
        if row is not None:
            log = Log(setup, lambda _: None, row.id, model.id, row.title, exists=True, turn=row.turns)
            log.setup = replace(setup, tools=setup.reload_tools(await log.deltas()))
        context.publish(await read_context(log, model))

    def _facts(row: ConversationRow | None) -> ModelFacts:
        held_with = row.model if row is not None else ""
        return setup.model_facts(held_with) if setup.model_facts is not None else ModelFacts(held_with)

    known: list[OwnCommand] = []
    of_servers: list[OwnCommand] = []

    def told() -> None:
        files = commands_read(setup.own_commands, setup.agent_commands())
        context.publish(files.model_copy(update={"commands": (*files.commands, *of_servers)}))

    async def commands(command: ReadOwnCommands) -> None:
        told()
        if setup.server_content is not None and (found := await prompt_commands(setup.server_content, command.server)):
            of_servers[:] = found
            told()

    def hear(event: Event) -> None:
        """Report the commands of agents as soon as a turn stores something after them (N44)."""
        if isinstance(event, EventAppended) and (found := list(setup.agent_commands())) != known:
            known[:] = found
            told()

    context.listeners.append(hear)
    return Desk(beside={ReadContext: read, ReadOwnCommands: commands})
