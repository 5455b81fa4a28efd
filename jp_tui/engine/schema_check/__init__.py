"""Validation of values against JSON Schemas in a killable process."""
