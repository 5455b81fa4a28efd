"""What the pages list."""
