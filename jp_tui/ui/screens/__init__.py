"""Screens: the workspace and the pages over it. They connect widgets and keep no state of the engine's."""
