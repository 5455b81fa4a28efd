"""A JSON Schema as a form."""
