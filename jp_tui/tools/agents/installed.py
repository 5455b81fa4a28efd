"""Agents that are set up or installed here, for `jp-tui doctor` and /setup: which of them start, and what to fix
(N40)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence

from jp_tui.system.checkup import CheckupFinding
from jp_tui.tools.agents.connection import AgentConnection, AgentProblem, AgentProgram

KNOWN = {
    "opencode": ("opencode", ("opencode", "acp")),
    "gemini": ("gemini", ("gemini", "--acp")),
    "goose": ("goose", ("goose", "acp")),
    "claude": ("claude", ("npx", "@agentclientprotocol/claude-agent-acp")),
    "codex": ("codex", ("npx", "@zed-industries/codex-acp")),
}
"""The program that shows that an agent is installed, and the command that speaks the protocol, by a name for it."""


async def check(program: AgentProgram, folder: str) -> CheckupFinding:
    """Start an agent, as far as its first reply, and end it."""
    name = f"agent {program.name}"
    if shutil.which(program.command[0]) is None:
        mend = f"Install it, or correct agents.{program.name}.command."
        return CheckupFinding(name, "bad", f"{program.command[0]} isn't found", mend)
    connection = AgentConnection(program, folder)
    try:
        about = await connection.probe()
    except AgentProblem as problem:
        last = problem.detail.strip().rpartition("\n")[2]
        words = f"{problem} {last}".strip()
        return CheckupFinding(name, "bad", words, "Run its command in a terminal, and add what it lacks to its env.")
    finally:
        await connection.close()
    return CheckupFinding(name, "ok", about)


def there(known: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name and command of each agent that is installed and not set up."""
    for name, (program, command) in KNOWN.items():
        if name not in known and shutil.which(program) is not None and shutil.which(command[0]) is not None:
            yield name, command


def offers(known: Sequence[str]) -> Iterator[CheckupFinding]:
    """Yield the agents that are installed and not set up."""
    for name, command in there(known):
        words = ", ".join(f'"{word}"' for word in command)
        said = f"installed; to use it: /setup, or [agents.{name}] command = [{words}]"
        yield CheckupFinding(f"agent {name}", "ok", said)
