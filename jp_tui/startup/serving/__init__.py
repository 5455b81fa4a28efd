"""`jp-tui serve`: settings and folders of a worker (store.md D20)."""
