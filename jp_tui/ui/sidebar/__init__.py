"""The sidebar: what the turn is doing."""
