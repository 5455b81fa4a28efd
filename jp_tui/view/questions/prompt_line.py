"""A waiting prompt in one line, of any kind: what is asked, and by whom (M34, M35, R190, E4).

The text of permission and result prompts is jp-tui's and exact; that of a question is untrusted.
"""

from __future__ import annotations

from jp_tui.conversation.text import first_line
from jp_tui.protocol.outside import Asker, Claimed
from jp_tui.protocol.values import AgentInfo, PromptRequest
from jp_tui.view.wording import questions as w

_CLAIM = 40
"""Characters of each claim that are shown."""
_NO_QUOTES = str.maketrans("“”", "''")


def headline(prompt: PromptRequest) -> str:
    """Return what is asked, in one line; contains untrusted text, so front ends must neutralise it."""
    match prompt.kind:
        case "permission":
            words = w.PERMISSION_MCP if prompt.tool_kind == "mcp" and prompt.server else w.PERMISSION
            return words.format(kind=prompt.tool_kind, tool=tool_name(prompt), server=prompt.server)
        case "delivery":
            return w.DELIVERY.format(tool=prompt.tool)
        case "review":
            return "Review your answers"
        case "question":
            return first_line(prompt.question.text)


def in_context(prompt: PromptRequest) -> bool:
    """Return True for a server's message whose first line, the question's text, is in its context already (mcp.md
    P41)."""
    text = prompt.question.text.strip()
    return bool(prompt.server and text) and first_line(prompt.question.context or "") == text


def tool_name(prompt: PromptRequest) -> str:
    """Return the tool's name beside that of its server (M34): without the server's in it."""
    return prompt.tool.removeprefix(f"mcp.{prompt.server}.") if prompt.server else prompt.tool


def page_of(prompt: PromptRequest) -> str:
    """Return the address that a server wants opened (mcp.md P45); empty for any other question."""
    page = prompt.tool_kind == "mcp" and prompt.question.id == "url" and "decline" in prompt.controls
    return (prompt.question.context or "").split("\n", 1)[0] if page else ""


def asker(prompt: PromptRequest) -> str:
    """Return who asks: the label if there is one, the assistant, or the tool's name (R190, E4); for a sub-agent its
    name, then its task or its tool."""
    if prompt.agent is not None:
        return agent_asks(prompt.agent, prompt.source, prompt.tool)
    if prompt.label:
        return prompt.label
    if prompt.server and prompt.kind == "question":
        return w.SERVER_ASKS.format(server=prompt.server, tool=tool_name(prompt))
    return "assistant" if prompt.source == "assistant" else prompt.source_name or prompt.tool


def program_asks(asker: Asker, claimed: Claimed | None = None) -> str:
    """Return who asks from outside, as it was measured, and apart from it what it says of itself (N4): untrusted
    text."""
    place = f" in {asker.folder}" if asker.folder else ""
    said = says(claimed) if claimed is not None else ""
    return f"{asker.program}{place} (pid {asker.pid}){w.CLAIMS.format(said=said) if said else ''}"


def says(claimed: Claimed) -> str:
    """Return what a program says of itself in one line, empty if it says nothing. It can't end the quotation."""
    parts = [first_line(one)[:_CLAIM] for one in (claimed.program, claimed.title, claimed.model)]
    return " · ".join(one for one in parts if one.strip()).translate(_NO_QUOTES)


def agent_asks(agent: AgentInfo, source: str, tool: str) -> str:
    """Return the asker for a sub-agent: its name, then its task, or its tool that asks, by the question's source."""
    task = "" if source == "tool" else agent.task.raw
    return f"{agent.name.raw or 'agent'} › {task or tool}"
