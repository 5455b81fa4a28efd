"""Values: events and their stored forms, ids, outcomes, foreign text, model and tool vocabulary.

Refuses I/O, clocks, minted ids: whatever changes arrives as an argument.
"""
