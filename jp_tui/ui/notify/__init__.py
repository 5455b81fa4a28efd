"""Notifications of a user who looks elsewhere: when, by which channel, with which text; and the window title (E50)."""
