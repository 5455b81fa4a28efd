"""Screens: the workspace and what is laid over it. They wire widgets together and keep no state of the engine's."""
