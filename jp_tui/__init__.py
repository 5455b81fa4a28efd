"""jp-tui: a terminal workspace for working with LLM agents.

Holds the version and nothing else: `--version` reads it here (T29), so this file imports nothing.
"""

__version__ = "0.1.0"
