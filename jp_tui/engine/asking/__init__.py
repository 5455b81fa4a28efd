"""Questions: routing, display, answers, permissions."""
