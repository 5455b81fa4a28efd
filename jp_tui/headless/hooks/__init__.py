"""Hooks of other makers' agents (intake.md N20-N24): their payload in, a decision in their format out. A program is a
module here and a line in `registry.py`."""
