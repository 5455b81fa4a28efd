"""The machine: paths, locks, files, child processes. Knows nothing of jp-tui's concepts."""
