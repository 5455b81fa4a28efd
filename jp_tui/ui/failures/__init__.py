"""Failures of jp-tui's own code: a short message, a redacted report, and the right exit status."""
