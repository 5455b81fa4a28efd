"""Changing configuration files."""
