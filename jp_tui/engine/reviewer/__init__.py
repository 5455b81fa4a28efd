"""The reviewing model: its request, its reply, its statistics."""
