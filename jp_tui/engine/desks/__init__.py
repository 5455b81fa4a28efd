"""Services of the engine beside turns, a module each."""
