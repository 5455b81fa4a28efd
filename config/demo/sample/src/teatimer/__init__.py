"""Tells when the tea is ready."""
