"""Keys: how bindings are written on the screen, where each one works, and the user's own keys."""
