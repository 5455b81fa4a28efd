"""Values: events and their stored forms, ids, outcomes, untrusted text, model and tool vocabulary.

No I/O, no clocks, no new ids: whatever changes is an argument.
"""
