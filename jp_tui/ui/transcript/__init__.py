"""The conversation: what it shows, what opens below it, and its side of the engine."""
