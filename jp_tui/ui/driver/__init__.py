"""The terminal: its input and its output, both cleaned."""
