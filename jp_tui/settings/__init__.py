"""What the user wants: layers of plain data, each value with the place it came from.

Refuses to know Textual, providers or tools: everything it hands out is a value. It reads files and an environment
mapping it is given; it never looks at `os.environ`, keeps no key of a provider and starts nothing.
"""
