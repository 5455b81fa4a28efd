"""Widgets: each takes values and posts typed messages. None sends a command or accesses another widget."""
