"""Sheets: one question at a time, shown and answered at the bottom of the workspace."""
