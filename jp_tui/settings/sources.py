"""Sources of a run's configuration, to load, explain, check and change it again.

It stores paths and the command line's settings and reads nothing until asked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path as File
from typing import Any

from jp_tui.settings import data
from jp_tui.settings.layers import trust_store as trusted
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.toml import Path
from jp_tui.settings.load import load


class Sources:
    """User's file, workspace's file, trust store, environment, `--cfg` and flags."""

    def __init__(
        self,
        user: File,
        workspace: File,
        store: File,
        environment: Mapping[str, str],
        assignments: Sequence[str] = (),
        flags: Mapping[str, tuple[Path, str]] | None = None,
        builtins: Sequence[str] = (data.DEFAULTS_FILE, data.TOOLS_FILE),
    ) -> None:
        self.user, self.workspace, self.store, self.environment = user, workspace, store, environment
        self.assignments, self.flags, self.builtins = assignments, flags or {}, builtins

    @property
    def models(self) -> str:
        """Return the path of the user's models file."""
        return os.path.join(self.user.parent, data.MODELS)

    def load(self, deltas: Sequence[Mapping[str, Any]] = ()) -> Settings:
        """Load all layers as they are now, with the conversation's changes. Raises SettingsError."""
        return load(
            user_file=str(self.user),
            workspace_file=str(self.workspace),
            environment=self.environment,
            assignments=self.assignments,
            flags=self.flags,
            trusted=self.trusts,
            deltas=deltas,
            builtins=self.builtins,
        )

    def trusts(self, content: bytes) -> bool:
        """True if the workspace's file is trusted with the content `content`."""
        return trusted.trusts(self.store, self.workspace, content)
