"""The files of approval rules, to list and to change (rules.md AR24): `engine.base.dependencies.RuleBook`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.engine.base.dependencies import RuleFilesRead
from jp_tui.rules.values import ApprovalRule, LayerName
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.sources import Sources

if TYPE_CHECKING:
    from jp_tui.settings.approval_rules import RuleFiles


class RuleBookOnDisk:
    """Reads the files again when one of them changed, and none before the first look. A bad policy is an error."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known: RuleFiles | None = None

    @property
    def _files(self) -> RuleFiles:
        if self._known is None:
            from jp_tui.settings.approval_rules import RuleFiles

            self._known = RuleFiles(self._sources.rule_places)
        return self._known

    def read(self) -> RuleFilesRead:
        try:
            layers, (*policies, user, folder) = self._files.read()
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem
        rules: list[tuple[LayerName, ApprovalRule]] = [("policy", rule) for file in policies for rule in file.rules]
        rules += [("user", rule) for rule in user.rules]
        rules += [("folder", rule) for rule in folder.rules]
        return RuleFilesRead(
            rules=tuple(rules),
            layers=layers,
            file=user.file,
            problems=tuple(problem.words() for file in (user, folder) for problem in file.problems),
            policy=tuple(file.file for file in policies if os.path.exists(file.file)),
        )

    def new_id(self) -> str:
        from jp_tui.settings.edit.approval_rules_edit import new_rule_id

        return new_rule_id()

    def add(self, table: Mapping[str, Any]) -> ApprovalRule:
        from jp_tui.settings.edit.approval_rules_edit import add_rule

        try:
            return add_rule(Path(self._files.places.user), table)
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem

    def revoke(self, ids: Sequence[str]) -> tuple[str, ...]:
        from jp_tui.settings.edit.approval_rules_edit import revoke_rules

        try:
            return revoke_rules(Path(self._files.places.user), ids)
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem
