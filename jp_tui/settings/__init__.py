"""Configuration as layers of plain data; each value has the place it came from.

The package reads files and an environment mapping passed to it. It never reads `os.environ`, stores no credential,
starts no process, and doesn't import Textual, providers or tools.
"""
