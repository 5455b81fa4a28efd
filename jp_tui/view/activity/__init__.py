"""What the turn is doing: tool calls, sub-agents, the status line."""
