"""The face with a screen. Sees the link, the protocol and the view, never the engine's rooms."""
