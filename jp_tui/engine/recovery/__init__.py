"""Turns that were cut off, and questions that are answered without a running turn."""
