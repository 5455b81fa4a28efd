"""Sources of a run's configuration, to load, explain, check and change it again.

It stores paths and the command line's settings and reads nothing until asked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from jp_tui.settings import data
from jp_tui.settings.layers import trust_store as trusted
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.toml import Path
from jp_tui.settings.load import load

if TYPE_CHECKING:
    from jp_tui.settings.approval_rules import RulePlaces
    from jp_tui.system.ignore_lists import IgnoreText


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

    @property
    def rule_places(self) -> RulePlaces:
        """The files of approval rules."""
        from jp_tui.settings.approval_rules import RulePlaces

        folder = self.workspace.parent.parent  # DIR/.jp-tui/config.toml
        return RulePlaces.of(str(self.user.parent), str(folder), self.environment)

    def load(self, deltas: Sequence[Mapping[str, Any]] = ()) -> Settings:
        """Load all layers as they are now, with the conversation's changes. Raises SettingsError, also for a bad policy
        (AR8). Problems in rules files become notices (AR10)."""
        found = load(
            user_file=str(self.user),
            workspace_file=str(self.workspace),
            environment=self.environment,
            assignments=self.assignments,
            flags=self.flags,
            trusted=self.trusts,
            deltas=deltas,
            builtins=self.builtins,
        )
        if not self._rules_there():
            return found
        from jp_tui.settings.approval_rules import RuleFiles, rule_notices

        return Settings(found.layers, (*found.notices, *rule_notices(RuleFiles(self.rule_places).read()[1])))

    def sandbox_required(self) -> bool:
        """True if a policy lets commands run in a sandbox only (AR8). Raises SettingsError for a bad policy."""
        if not self._rules_there():
            return False
        from jp_tui.settings.approval_rules import RuleFiles

        return any(file.sandbox for file in RuleFiles(self.rule_places).read()[1])

    def ignored(self, root: str) -> tuple[IgnoreText, ...]:
        """Read the ignore lists of a workspace: its own, the user's, the policy's (AR40). Raises IgnoreProblem."""
        from jp_tui.system.ignore_lists import read_texts

        found = read_texts(root, (str(self.user.parent / "ignore"),))
        if not self._rules_there():
            return found
        from jp_tui.settings.approval_rules import RuleFiles

        files = RuleFiles(self.rule_places).read()[1]
        return (*found, *((f"{file.file}: ignore", "\n".join(file.ignore)) for file in files if file.ignore))

    def _rules_there(self) -> bool:
        """True if there is any file of rules: most starts load nothing for them."""
        folder = self.workspace.parent
        files = (str(self.user.parent / "rules.toml"), str(folder / "rules.toml"), data.POLICY_FILE)
        return bool(self.environment.get(data.POLICY_VARIABLE)) or any(os.path.lexists(file) for file in files)

    def trusts(self, content: bytes) -> bool:
        """True if the workspace's file is trusted with the content `content`."""
        return trusted.trusts(self.store, self.workspace, content)
