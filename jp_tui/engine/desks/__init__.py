"""What the engine does beside turns, a module each."""
