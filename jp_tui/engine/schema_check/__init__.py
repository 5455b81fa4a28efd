"""Checks values against JSON Schemas in a process that can be killed."""
