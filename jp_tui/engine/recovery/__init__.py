"""Recovery of unfinished turns, and answers to questions without a running turn."""
