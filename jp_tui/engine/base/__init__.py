"""Shared by every floor above: dependencies, backups of files, the state of a tool call."""
