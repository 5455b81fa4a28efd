"""Checks of the building itself: rules that are not run are no rules (HOUSE)."""
