"""Faces without a screen: query and lists."""
