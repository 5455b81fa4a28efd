"""Questions for display: when they open, their text, their outcome."""
