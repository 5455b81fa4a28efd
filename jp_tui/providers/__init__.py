"""Model wires without I/O, one HTTP driver, the scripted model. Knows neither tools nor inquiries."""
