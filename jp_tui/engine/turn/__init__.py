"""A turn: model, tool calls, sub-agents that a call starts."""
