"""Making room in a window that is full: when, up to where, with which summary (context.md K20-K29)."""
