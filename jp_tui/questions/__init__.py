"""Questions as values: answer types, the validator, digests, argument rules.

Pure: no I/O, no clock, no settings.
"""
