"""Approval rules and what the logs say of them."""
