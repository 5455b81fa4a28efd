"""Where a run's configuration comes from, so that it can be read again, explained, checked and changed.

Holds paths and what the command line said; reads nothing until it is asked.
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
    """The user's file, the workspace's, the store of what is trusted, the environment, `--cfg` and flags."""

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
        """The user's file about models."""
        return os.path.join(self.user.parent, data.MODELS)

    def load(self, deltas: Sequence[Mapping[str, Any]] = ()) -> Settings:
        """All layers as they are now, with what the conversation changes. SettingsError."""
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
        """Whether the workspace's file counts in full when it holds `content`."""
        return trusted.trusts(self.store, self.workspace, content)
