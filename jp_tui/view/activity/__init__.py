"""State of the current turn: tool calls, sub-agents, the status line."""
