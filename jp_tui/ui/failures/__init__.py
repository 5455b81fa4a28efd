"""What happens when jp-tui's own code fails: a short message, a redacted report, and the right exit status."""
