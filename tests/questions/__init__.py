"""Tests of the questions: the argument rules, the validator, the stored forms."""
