"""A configuration as the program loads it, from files that a test writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.load import load as load_settings


class Home:
    """A user's and a workspace's configuration file, and the layers above them."""

    def __init__(self, folder: Path) -> None:
        self.user = folder / "config.toml"
        self.workspace = folder / "ws" / ".jp-tui" / "config.toml"
        self.workspace.parent.mkdir(parents=True)

    def load(
        self,
        user: str = "",
        workspace: str = "",
        *,
        environment: Mapping[str, str] | None = None,
        cfg: Sequence[str] = (),
        flags: Mapping[str, tuple[tuple[str, ...], str]] | None = None,
        trusted: bool = False,
    ) -> Settings:
        self.user.write_text(user)
        self.workspace.write_text(workspace)
        return load_settings(
            user_file=str(self.user),
            workspace_file=str(self.workspace),
            environment=environment or {},
            assignments=cfg,
            flags=flags,
            trusted=trusted,
        )


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)
