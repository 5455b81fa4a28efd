"""An answer that has to fit a JSON Schema: a form and its JSON."""
