"""The sidebar: the activity of the turn."""
