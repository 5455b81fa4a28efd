"""The dock: which question is open, and what keys, clicks and drafts of all questions have in common."""
