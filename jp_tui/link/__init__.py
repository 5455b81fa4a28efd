"""Carries messages between an engine and a face; does not know what a command means."""
