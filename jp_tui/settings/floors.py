"""The least values that jp-tui uses whatever is configured, and the words for settings that are below them (R130, Z4).

The engine and the providers import these constants, so that what is shown is what is used.
"""

from __future__ import annotations

from typing import Final

LEAST_BACKOFF_SECS: Final = 0.5
"""Before any retry: a server that fails at once would otherwise get a request for every round trip (Z21)."""
