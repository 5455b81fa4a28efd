"""The hub: turns, effects, pending questions. Never imports a face, the view or a widget library."""
