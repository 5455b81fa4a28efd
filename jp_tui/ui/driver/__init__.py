"""The terminal: what is read from it and written to it, cleaned in both directions."""
