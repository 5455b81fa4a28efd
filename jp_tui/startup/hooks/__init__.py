"""Hooks of other programs (intake.md N20-N25): running one, and putting them into those programs' settings."""
