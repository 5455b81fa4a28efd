"""Layers of settings: files, variables, trust."""
