"""Keys of the configuration and their allowed values."""
