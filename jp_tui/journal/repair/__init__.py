"""Repair of the conversation file: notice that it was moved, read a damaged one, and replace it by a readable copy
(Z23, Z24)."""
