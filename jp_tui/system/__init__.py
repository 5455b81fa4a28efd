"""The machine: paths, locks, files, child processes. Nothing of ours is known here."""
