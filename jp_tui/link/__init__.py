"""Message transport between engine and front end; it doesn't interpret commands."""
