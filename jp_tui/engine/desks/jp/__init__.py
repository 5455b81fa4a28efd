"""Import of conversations of jp."""
