"""Checks of approval rules and ignore lists, for `doctor` and `config check`: bad rules with their place, expired ones,
the policy in force, and how many files are hidden here."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime

from jp_tui.settings.errors import SettingsError
from jp_tui.settings.sources import Sources
from jp_tui.system.checkup import CheckupFinding
from jp_tui.system.ignore_lists import IgnoreLists, IgnoreProblem

_MOST_FILES = 50_000
_MOST_EXPIRED = 5


def rule_findings(sources: Sources, workspace: str) -> Iterator[CheckupFinding]:
    """Yield them; nothing where there is no file of rules and no list. A bad policy is named with the settings."""
    from jp_tui.settings.approval_rules import RuleFiles, file_problems

    for problem in file_problems(sources.rule_places):
        yield CheckupFinding("rules", "bad", problem.words(), "Fix it. Until then the file allows nothing.")
    try:
        layers, (*policies, user, folder) = RuleFiles(sources.rule_places).read()
    except SettingsError:
        return
    if named := [file.file for file in policies if os.path.exists(file.file)]:
        walls = ", commands in a sandbox only" if any(file.sandbox for file in policies) else ""
        count = sum(len(file.rules) for file in policies)
        yield CheckupFinding("policy", "ok", f"{', '.join(named)}: {count} rules, modes up to {layers.max_mode}{walls}")
    yield from _lists(sources, workspace)
    if user.rules or folder.rules:
        yield CheckupFinding("rules", "ok", f"{len(user.rules)} of yours, {len(folder.rules)} of this folder")
    for rule in [one for one in user.rules if one.expires is not None and one.expires <= time.time()][:_MOST_EXPIRED]:
        day = f"{datetime.fromtimestamp(rule.expires or 0, UTC):%Y-%m-%d}"
        words = f"{rule.place}: {rule.id} expired on {day}, so it has no effect"
        yield CheckupFinding("rules", "warn", words, f"Run `jp-tui rules revoke {rule.id}`, or change its date.")


def _lists(sources: Sources, workspace: str) -> Iterator[CheckupFinding]:
    try:
        lists = IgnoreLists(sources.ignored(workspace))
    except IgnoreProblem as problem:
        yield CheckupFinding("ignore lists", "bad", str(problem), "Fix it. Until then no file tool runs.")
        return
    if not lists:
        return
    hidden, files, more = _counted(lists, workspace)
    if files and hidden == files and not more:
        words = f"all {files:,} files here are hidden from models"
        yield CheckupFinding("ignore lists", "warn", words, "Check `.jpignore` and your own `ignore` file.")
        return
    of = f" of the first {files:,} files here" if more else ""
    words = f"{hidden:,}{of} {'file' if hidden == 1 and not more else 'are' if more else 'files'} hidden from models"
    yield CheckupFinding("ignore lists", "ok", words)


def _counted(lists: IgnoreLists, root: str) -> tuple[int, int, bool]:
    """Return the hidden files of the workspace, all files, and whether there are more: the search is limited."""
    hidden = files = seen = 0
    for folder, folders, names in os.walk(root):
        below = os.path.relpath(folder, root)
        hidden += sum(bool(lists.hidden(name if below == "." else f"{below}/{name}", False)) for name in names)
        files += len(names)
        seen += len(names) + len(folders)
        if seen > _MOST_FILES:
            return hidden, files, True
    return hidden, files, False
