"""Shared parts of the file tools."""
