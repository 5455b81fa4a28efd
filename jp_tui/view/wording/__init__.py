"""Texts of every front end: amounts, failures, links, models, diffs."""
