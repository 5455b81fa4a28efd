"""What is measured, not tested: times in a real pseudo-terminal, as ratios to a bare Textual app."""
