"""A waiting prompt in one line, of any kind: what is asked, and by whom (M34, M35, R190, E4).

The text of permission and result prompts is jp-tui's and exact; that of a question is untrusted.
"""

from __future__ import annotations

from jp_tui.conversation.text import first_line
from jp_tui.protocol.values import AgentInfo, PromptRequest
from jp_tui.view.wording import questions as w


def headline(prompt: PromptRequest) -> str:
    """Return what is asked, in one line; contains untrusted text, so front ends must neutralise it."""
    match prompt.kind:
        case "permission":
            words = w.PERMISSION_MCP if prompt.tool_kind == "mcp" and prompt.server else w.PERMISSION
            return words.format(kind=prompt.tool_kind, tool=prompt.tool, server=prompt.server)
        case "delivery":
            return w.DELIVERY.format(tool=prompt.tool)
        case "review":
            return "Review your answers"
        case "question":
            return first_line(prompt.question.text)


def asker(prompt: PromptRequest) -> str:
    """Return who asks: the label if there is one, the assistant, or the tool's name (R190, E4); for a sub-agent its
    name, then its task or its tool."""
    if prompt.agent is not None:
        return agent_asks(prompt.agent, prompt.source, prompt.tool)
    if prompt.label:
        return prompt.label
    return "assistant" if prompt.source == "assistant" else prompt.source_name or prompt.tool


def agent_asks(agent: AgentInfo, source: str, tool: str) -> str:
    """Return the asker for a sub-agent: its name, then its task, or its tool that asks, by the question's source."""
    task = "" if source == "tool" else agent.task.raw
    return f"{agent.name.raw or 'agent'} › {task or tool}"
