"""The conversation: its transcript, the sheets and menus below it, and its side of the engine."""
