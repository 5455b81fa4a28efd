"""Model wires without I/O, one HTTP driver, the scripted model. No knowledge of tools or inquiries."""
