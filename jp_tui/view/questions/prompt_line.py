"""A waiting prompt in one line, whatever kind it is: what is asked, and by whom (M34, M35, R190, E4).

The words of permission and result prompts are ours and exact; those of a question are its own and foreign.
"""

from __future__ import annotations

from jp_tui.conversation.text import first_line
from jp_tui.protocol.values import AgentInfo, PromptRequest
from jp_tui.view.wording import questions as w


def headline(prompt: PromptRequest) -> str:
    """What is asked, in one line; foreign inside, so that a face puts it through its gate."""
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
    """Who asks, in a word: the label if there is one, the assistant, or the tool's name (R190, E4); of a sub-agent its
    name first, then what it is to do, or its tool."""
    if prompt.agent is not None:
        return agent_asks(prompt.agent, prompt.source, prompt.tool)
    if prompt.label:
        return prompt.label
    return "assistant" if prompt.source == "assistant" else prompt.source_name or prompt.tool


def agent_asks(agent: AgentInfo, source: str, tool: str) -> str:
    """A sub-agent that asks, by its name, then its task, or the tool of its that asks, by the question's source."""
    task = "" if source == "tool" else agent.task.raw
    return f"{agent.name.raw or 'agent'} › {task or tool}"
